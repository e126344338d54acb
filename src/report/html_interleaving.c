/* One column for each thread, a row for each step. Without scripts it is a table with every step in it; scripts add the
 * slider, the folding, and the memory as it is at the step. */
#include "report/html_interleaving.h"

#include "report/escape.h"

static const char *const kind_name[] = {"call", "return", "alone", "read", "write", "update", "refused", "local"};

static void attribute(text *out, const char *name, unsigned which, const char *s) {
    if (!s) return;
    text_printf(out, " data-%s%u=\"", name, which);
    escape_xml_string(out, s);
    text_char(out, '"');
}

static void element(text *out, const char *open, const char *s, const char *close) {
    text_add(out, open);
    escape_xml_string(out, s);
    text_add(out, close);
}

static void tell_access(const interleaving_step *s, text *out) {
    text_add(out, "<span class=\"access\">");
    if (s->number != UINT32_MAX)
        text_printf(out, "<a class=\"op\" href=\"#op=%u\" data-op=\"%u\">#%u ", s->number, s->number, s->number);
    escape_xml_string(out, s->words);
    text_printf(out, "%s</span>", s->number != UINT32_MAX ? "</a>" : "");
    if (s->source) element(out, "<code>", s->source, "</code>");
    if (s->file) {
        element(out, "<small>", s->file, "");
        text_printf(out, ":%u</small>", s->line);
    }
}

/* Rows from which arrows come; scripts draw them. */
static void tell_sources(const interleaving_step *s, text *out) {
    if (s->from != UINT32_MAX)
        text_printf(out, " data-from=\"%u\"%s", s->from, s->synchronises ? " data-synchronises=\"\"" : "");
    if (s->missed != UINT32_MAX) text_printf(out, " data-missed=\"%u\"", s->missed);
    if (s->change[0].location && s->change[0].aside) text_add(out, " data-aside=\"\"");
}

static void tell_step(const interleaving *i, uint32_t k, text *out) {
    const interleaving_step *s = &i->step[k];
    bool alone = s->kind == ACCESS_ALONE,
         switched = k && !alone && i->step[k - 1].kind != ACCESS_ALONE && i->step[k - 1].thread != s->thread;
    text_printf(out, "<tr class=\"%s%s%s%s\"", kind_name[s->kind], s->dull ? " dull" : "", switched ? " switched" : "",
                s->missed != UINT32_MAX ? " stale" : "");
    if (!alone) text_printf(out, " data-thread=\"%u\"", s->thread);
    for (unsigned c = 0; c < STEP_CHANGES; c++) {
        attribute(out, "location", c, s->change[c].location);
        attribute(out, "before", c, s->change[c].before);
        attribute(out, "after", c, s->change[c].after);
    }
    tell_sources(s, out);
    text_printf(out, "><th scope=\"row\">%u</th>", k + 1);
    if (alone) {
        text_printf(out, "<td colspan=\"%u\">", i->threads);
        tell_access(s, out);
        text_add(out, "</td>");
    }
    for (uint32_t t = 0; !alone && t < i->threads; t++) {
        text_add(out, "<td>");
        if (t == s->thread) tell_access(s, out);
        text_add(out, "</td>");
    }
    text_add(out, "</tr>\n");
}

static void tell_schedule(const interleaving *i, text *out) {
    text_add(out, "<h3>The schedule</h3><p>");
    if (i->again) element(out, "<code>", i->again, "</code> repeats this execution. ");
    text_add(out, "<button type=\"button\" id=\"copy-schedule\" hidden>copy</button></p><pre id=\"schedule\">");
    escape_xml_string(out, i->schedule);
    text_add(out, "</pre>\n");
}

static bool has_sources(const interleaving *i) {
    for (uint32_t k = 0; k < i->steps; k++)
        if (i->step[k].from != UINT32_MAX || i->step[k].missed != UINT32_MAX) return true;
    return false;
}

void html_interleaving(const interleaving *i, text *out) {
    text_add(
        out,
        "<section id=\"interleaving\"><h2>How it came about</h2>\n<div class=\"step-controls\" hidden>"
        "<button type=\"button\" id=\"step-back\" title=\"one step back (,)\">back</button> "
        "<input type=\"range\" id=\"step\" min=\"1\" aria-label=\"step\"> "
        "<button type=\"button\" id=\"step-on\" title=\"one step on (.)\">on</button> <output id=\"step-at\"></output> "
        "<label><input type=\"checkbox\" id=\"step-fold\" checked> fold what no other thread notices</label></div>\n"
        "<div class=\"interleaving-columns\"><div class=\"scroll\"><table class=\"interleaving\"><thead><tr><th "
        "scope=\"col\">step</th>");
    for (uint32_t t = 0; t < i->threads; t++) element(out, "<th scope=\"col\">", i->thread[t], "</th>");
    text_add(out, "</tr></thead><tbody>\n");
    for (uint32_t k = 0; k < i->steps; k++) tell_step(i, k, out);
    text_add(out, "</tbody></table>");
    if (i->ending) element(out, "<p class=\"ending\">", i->ending, "</p>");
    if (has_sources(i))
        text_add(out,
                 "<p class=\"arrows-legend\">Arrows: from a write to the read that read it (thick: all that came "
                 "before the write happens before what comes behind the read); red and dashed: from the newest write "
                 "to a read that did not see it.</p>");
    text_add(out, "</div><div id=\"memory\" aria-live=\"polite\"></div></div>\n");
    if (i->schedule) tell_schedule(i, out);
    text_add(out, "</section>\n");
}
