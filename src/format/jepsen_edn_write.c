#include "format/jepsen_edn.h"

#include "format/expressible.h"
#include "format/jepsen_write.h"
#include "format/output.h"

#include <string.h>

static void write_name(const char *name, text *out) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.!?*+";
    bool keyword = *name && strspn(name, plain) == strlen(name);
    if (keyword) text_printf(out, ":%s", name);
    else text_json(out, name, strlen(name));
}

/* In nanoseconds, where it is known what one unit is. A time that is too large for that is left out. */
static void write_time(const history *h, const char *field, int64_t time, text *out) {
    int64_t nanoseconds;
    if (__builtin_mul_overflow(time, h->tick ? h->tick : 1, &nanoseconds)) return;
    text_printf(out, ", :%s ", field);
    text_int(out, nanoseconds);
}

static void write_event(const history *h, const jepsen_line *line, text *out) {
    static const char *const types[] = {
        [JEPSEN_INVOKE] = "invoke", [JEPSEN_OK] = "ok", [JEPSEN_FAIL] = "fail", [JEPSEN_INFO] = "info"};
    text_add(out, "{:process ");
    text_int(out, line->process);
    text_printf(out, ", :type :%s, :f ", types[line->type]);
    write_name(line->f, out);
    if (line->key != VALUE_NONE) {
        text_add(out, ", :key ");
        edn_write(h->values, line->key, out);
    }
    text_add(out, ", :value ");
    edn_write(h->values, line->content, out);
    if (history_has_times(h)) write_time(h, "time", line->time, out);
    text_add(out, "}\n");
}

static void write_annotation(const history *h, const annotation *a, text *out) {
    text_add(out, "{:process :annotation, :type :info, :f nil, :value ");
    if (!edn_write(h->values, a->text, out)) text_add(out, "\"not UTF-8\"");
    if (a->timed) write_time(h, "time", a->time, out);
    if (a->lasts) write_time(h, "until", a->until, out);
    text_add(out, "}\n");
}

/* Those that come before the next event, which `rank` is. */
static void write_annotations(const history *h, uint32_t *done, uint32_t rank, text *out) {
    while (*done < h->annotations && h->annotation[*done].before <= rank)
        write_annotation(h, &h->annotation[(*done)++], out);
}

bool write_jepsen_edn(const history *h, const object *o, output *out, error *e) {
    if (!values_are_utf8(h, "jepsen-edn", e) || !order_is_enough(h, o, "jepsen-edn", e)) return false;
    if (!says_no_initial_value(h, o, "jepsen-edn", e) || !says_it_is_whole(h, "jepsen-edn", e)) return false;
    jepsen_lines lines;
    jepsen_line line;
    uint32_t annotations = 0;
    jepsen_lines_begin(&lines, h, "jepsen-edn", e);
    for (;;) {
        write_annotations(h, &annotations, lines.next, output_text(out));
        if (!output_flush(out) || !jepsen_lines_next(&lines, &line)) break;
        write_event(h, &line, output_text(out));
    }
    jepsen_lines_end(&lines);
    if (e->code) return false;
    write_annotations(h, &annotations, UINT32_MAX, output_text(out));
    return output_flush(out);
}
