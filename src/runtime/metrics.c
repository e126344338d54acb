#include "runtime/metrics.h"

#include <inttypes.h>

#define RATE_SECONDS 1.0

double metrics_rate_now(metrics_rate *r, uint64_t checked, double now) {
    if (r->at <= 0) {
        *r = (metrics_rate){.at = now, .checked = checked};
    } else if (now - r->at >= RATE_SECONDS && checked >= r->checked) {
        r->rate = (double)(checked - r->checked) / (now - r->at);
        r->at = now;
        r->checked = checked;
    }
    return r->rate;
}

typedef struct metric_family {
    const char *name, *type, *help;
} metric_family;

static void add_head(const metric_family *f, text *out) {
    text_printf(out, "# HELP %s %s\n# TYPE %s %s\n", f->name, f->help, f->name, f->type);
}

/* The format has three escapes; anything else is text of its own. */
static void add_label(const char *name, const char *s, text *out) {
    text_printf(out, "%s=\"", name);
    for (; *s; s++) {
        if (*s == '\n') text_add(out, "\\n");
        else if (*s == '"' || *s == '\\') text_printf(out, "\\%c", *s);
        else text_char(out, *s);
    }
    text_char(out, '"');
}

/* `more`: one label beside the two of every line, or NULL. */
static void add_name(const metrics *m, const metric_family *f, const char *more, const char *is, text *out) {
    text_printf(out, "%s{", f->name);
    add_label("object", m->object, out);
    text_char(out, ',');
    add_label("source", m->source, out);
    if (more) {
        text_char(out, ',');
        add_label(more, is, out);
    }
    text_add(out, "} ");
}

static void add_sample(const metrics *m, const metric_family *f, const char *more, const char *is, uint64_t n,
                       text *out) {
    add_name(m, f, more, is, out);
    text_printf(out, "%" PRIu64 "\n", n);
}

static void add_number(const metrics *m, metric_family f, uint64_t n, text *out) {
    add_head(&f, out);
    add_sample(m, &f, NULL, NULL, n, out);
}

static void add_real(const metrics *m, metric_family f, double x, text *out) {
    add_head(&f, out);
    add_name(m, &f, NULL, NULL, out);
    text_printf(out, "%.3f\n", x);
}

static void add_unjudged(const metrics *m, text *out) {
    const metric_family f = {"plumb_operations_unjudged_total", "counter",
                             "Operations that were not judged: not recorded (dark), recorded in the dark (skipped), "
                             "of unknown values after it (grey)."};
    add_head(&f, out);
    add_sample(m, &f, "why", "dark", m->dark, out);
    add_sample(m, &f, "why", "skipped", m->skipped, out);
    add_sample(m, &f, "why", "grey", m->grey, out);
}

/* One line for each verdict there is: that a series is missing can then be told from a verdict that does not hold. */
static void add_verdict(const metrics *m, text *out) {
    const metric_family f = {"plumb_verdict", "gauge", "1 for the verdict so far, 0 for the others."};
    const verdict all[] = {VERDICT_LINEARIZABLE, VERDICT_VIOLATION, VERDICT_UNDECIDED};
    add_head(&f, out);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add_sample(m, &f, "verdict", verdict_text(all[i]), m->verdict == all[i], out);
}

void metrics_print(const metrics *m, text *out) {
    add_verdict(m, out);
    add_number(m, (metric_family){"plumb_violations_total", "counter", "Violations that were reported."}, m->violations,
               out);
    add_number(m, (metric_family){"plumb_operations_checked_total", "counter", "Operations that were judged."},
               m->checked, out);
    add_unjudged(m, out);
    add_number(m,
               (metric_family){"plumb_operations_excused_total", "counter",
                               "Operations that were open for too long and count as pending for ever."},
               m->excused, out);
    add_number(m, (metric_family){"plumb_dark_periods_total", "counter", "Times that operations were not recorded."},
               m->dark_periods, out);
    add_number(m, (metric_family){"plumb_sample", "gauge", "One of so many keys or values is judged; 1: all."},
               m->sample ? m->sample : 1, out);
    add_number(m, (metric_family){"plumb_operations_open", "gauge", "Operations that are open now."}, m->open, out);
    add_number(m, (metric_family){"plumb_lag", "gauge", "How far the verdict is behind what happens, in events."},
               m->lag, out);
    add_number(m, (metric_family){"plumb_memory_bytes", "gauge", "Memory that judging takes."}, m->memory, out);
    add_real(m, (metric_family){"plumb_operations_per_second", "gauge", "Operations judged a second, lately."}, m->rate,
             out);
    add_real(m, (metric_family){"plumb_start_time_seconds", "gauge", "When watching began, as Unix time."},
             (double)m->started, out);
}
