/* The event format of Violin and LiMo. File order is the only clock.
 *
 *     # @object atomic-queue
 *     [1] call add(1)          also: call add 1
 *     [2] call remove          also: call remove()
 *     [1] return               also: ret
 *     [2] return empty
 *
 * The bracket names an operation or a thread: it may be used again after its return. A call without return is pending.
 * Values are spelled as in word.h. An argument @K is the operation's key: not part of Violin, needed for keyed
 * objects. */
#include "base/mem.h"
#include "base/utf8.h"
#include "format/event_order.h"
#include "format/expressible.h"
#include "format/format.h"
#include "format/output.h"
#include "format/word.h"

#include <stdlib.h>
#include <string.h>

typedef struct violin_reader {
    builder *b;
    values *values;
    uint32_t line;
    value *item; /* arguments or results of the current line */
    size_t items, room;
    value key;
} violin_reader;

static bool refuse(violin_reader *r, const char *wrong) { return builder_error(r->b, r->line, "%s", wrong); }

/* ---- reading ---- */

/* Values separated by commas or blanks up to `end` ( ')' or the end of the line): the place behind them. */
static const char *read_items(violin_reader *r, const char *p, char end) {
    r->items = 0;
    r->key = VALUE_NONE;
    for (p = word_blanks(p); *p && *p != end && *p != '#'; p = word_blanks(p)) {
        const char *wrong;
        value v;
        bool is_key = *p == '@' && r->items == 0 && r->key == VALUE_NONE;
        p = word_read(r->values, p + is_key, &v, &wrong);
        if (!p) {
            refuse(r, wrong);
            return NULL;
        }
        if (r->items == r->room) r->item = MEM_GROW(r->item, value, r->room = r->room ? r->room * 2 : 8);
        if (is_key) r->key = v;
        else r->item[r->items++] = v;
        p = word_blanks(p);
        if (*p == ',') p++;
    }
    return p;
}

static bool at_end(violin_reader *r, const char *p, const char *line_end) {
    p = word_blanks(p);
    if (p == line_end || *p == '#') return true;
    return builder_error(r->b, r->line, "unexpected text '%.20s' at the end; expected the end of the line", p);
}

static bool read_call(violin_reader *r, value client, const char *p, const char *line_end) {
    const char *name = p;
    while (!word_ends(*p)) p++;
    if (p == name) return refuse(r, "no method behind 'call'; expected [ID] call METHOD(VALUE, ...)");
    size_t length = (size_t)(p - name);
    if (!utf8_valid(name, length)) return refuse(r, "invalid UTF-8; expected a method's name");
    p = word_blanks(p);
    bool open = *p == '(';
    p = read_items(r, p + open, open ? ')' : '\0');
    if (!p) return false;
    if (open && *p++ != ')') return refuse(r, "parenthesis without end; expected ) behind the arguments");
    if (!at_end(r, p, line_end)) return false;
    call_record call = {.client = client,
                        .method = builder_method(r->b, name, length, r->line),
                        .key = r->key,
                        .arg = r->item,
                        .nargs = r->items,
                        .line = r->line};
    return builder_call(r->b, &call);
}

static bool read_return(violin_reader *r, value client, const char *p, const char *line_end) {
    p = read_items(r, p, '\0');
    if (!p || !at_end(r, p, line_end)) return false;
    value res = r->items == 0 ? VALUE_NONE : r->items == 1 ? r->item[0] : value_tuple(r->values, r->item, r->items);
    if (r->items > 1 && value_depth(r->values, res) > VALUE_MOST_DEEP)
        return refuse(r, "results nested too deep; expected at most 100 levels, with the one that holds them");
    return builder_return(r->b, client, res, r->line);
}

/* The place behind the word when p begins with it. */
static const char *keyword(const char *p, const char *word) {
    size_t n = strlen(word);
    return strncmp(p, word, n) == 0 && word_ends(p[n]) ? word_blanks(p + n) : NULL;
}

static bool read_event(violin_reader *r, const char *p, const char *line_end) {
    const char *wrong, *rest;
    value client;
    if (*p != '[') return refuse(r, "no event; expected [ID] call METHOD(VALUE, ...) or [ID] return VALUE");
    p = word_read(r->values, word_blanks(p + 1), &client, &wrong);
    if (!p) return refuse(r, wrong);
    p = word_blanks(p);
    if (*p != ']') return refuse(r, "bracket without end; expected ] behind the operation's number");
    p = word_blanks(p + 1);
    if ((rest = keyword(p, "call"))) return read_call(r, client, rest, line_end);
    if ((rest = keyword(p, "return")) || (rest = keyword(p, "ret"))) return read_return(r, client, rest, line_end);
    return builder_error(r->b, r->line, "'%.20s' is no event; expected call or return behind the bracket", p);
}

static void read_comment(violin_reader *r, const char *p) {
    p = keyword(word_blanks(p + 1), "@object");
    if (!p) return;
    char *name = mem_copy(p, strlen(p) + 1);
    name[strcspn(name, " \t")] = 0;
    if (*name) builder_object(r->b, name);
    free(name);
}

static bool read_history(input *in, builder *b, const read_options *options) {
    (void)options;
    violin_reader r = {.b = b, .values = builder_values(b)};
    bool good = true;
    size_t n;
    for (char *line; good && (line = input_line(in, &n));) {
        r.line = input_line_number(in);
        const char *p = word_blanks(line), *line_end = line + n;
        if (*p == '#') read_comment(&r, p);
        else if (p != line_end) good = read_event(&r, p, line_end);
    }
    free(r.item);
    return good && !input_failed(in);
}

/* ---- sniffing ---- */

static bool looks_like_event(const char *p, const char *end) {
    if (p == end || *p != '[') return false;
    while (p < end && *p != ']' && *p != '\n') p++;
    if (p == end || *p != ']') return false;
    for (p++; p < end && (*p == ' ' || *p == '\t');) p++;
    size_t n = (size_t)(end - p);
    return (n > 4 && !memcmp(p, "call ", 5)) || (n >= 3 && !memcmp(p, "ret", 3));
}

static int sniff(const char *p, size_t n) {
    const char *end = p + n;
    bool header = false;
    while (p < end) {
        while (p < end && strchr(" \t\r\n", *p) && *p) p++;
        if (p == end || *p != '#') break;
        if (end - p > 9 && !memcmp(p, "# @object", 9)) header = true;
        while (p < end && *p != '\n') p++;
    }
    return looks_like_event(p, end) ? 95 : header && p == end ? 60 : 0;
}

/* ---- writing ---- */

static void write_call(const history *h, uint32_t i, text *t) {
    text_printf(t, "call %s", h->method_name[h->method[i]]);
    const char *before = "(";
    if (h->key && h->key[i] != VALUE_NONE) {
        text_add(t, "(@");
        word_write(h->values, h->key[i], t);
        before = ", ";
    }
    for (unsigned a = 0; a < h->nargs[i]; a++, before = ", ") {
        text_add(t, before);
        word_write(h->values, h->arg[a][i], t);
    }
    if (*before == ',') text_char(t, ')');
}

static void write_event(const history *h, const event_order *order, uint32_t event, text *t) {
    uint32_t i = event_operation(event);
    text_printf(t, "[%lld] ", (long long)order->client[i]);
    if (!event_is_return(event)) write_call(h, i, t);
    else {
        text_add(t, "return");
        if (h->res[i] != VALUE_NONE) {
            text_char(t, ' ');
            word_write(h->values, h->res[i], t);
        }
    }
    text_char(t, '\n');
}

static bool write_history(const history *h, const object *o, output *out, error *e) {
    if (!methods_are_words(h, "violin", e) || !values_are_ordered(h, "violin", false, e)) return false;
    if (!order_is_enough(h, o, "violin", e) || !says_no_initial_value(h, o, "violin", e)) return false;
    if (!says_it_is_whole(h, "violin", e)) return false;
    const char *name = o ? o->name : h->object_hint;
    if (name) text_printf(output_text(out), "# @object %s\n", name);
    event_order *order = event_order_new(h);
    bool good = true;
    for (uint32_t r = 0; r < order->events && good; r++) {
        if (order->event[r] == EVENT_NONE) continue;
        write_event(h, order, order->event[r], output_text(out));
        good = output_flush(out);
    }
    event_order_free(order);
    return good;
}

const format format_violin = {
    .name = "violin",
    .summary = "events, one a line: [3] call add(1), [3] return; as Violin and LiMo write them",
    .suffixes = ".violin .log",
    .sniff = sniff,
    .read = read_history,
    .write = write_history,
};
