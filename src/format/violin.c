/* The event format of Violin and LiMo. File order is the only clock.
 *
 *     # @object atomic-queue
 *     [1] call add(1)          also: call add 1
 *     [2] call remove          also: call remove()
 *     [1] return               also: ret
 *     [2] return empty
 *     [2] call pop 1           LiMo, of an object that is named: what is one too many for an argument is the result
 *     [2] return
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
#include "history/value_map.h"
#include "object/object.h"

#include <stdlib.h>
#include <string.h>

enum { TOLD_METHODS = 64, NO_RESULT = UINT8_MAX - 1 };

typedef struct violin_reader {
    builder *b;
    values *values;
    uint32_t line;
    value *item; /* arguments or results of the current line */
    size_t items, room;
    value key;
    const object_type *type;             /* NULL: the file does not say */
    value_map told;                      /* by client, of open calls: the result that was told at the call */
    uint8_t before_result[TOLD_METHODS]; /* by method: 0: not known yet */
} violin_reader;

static bool refuse(violin_reader *r, const char *wrong) { return builder_error(r->b, r->line, "%s", wrong); }

/* ---- reading ---- */

/* LiMo's values of threads, ?<1,2>, are one word though they have a comma. */
static const char *read_value(violin_reader *r, const char *p, value *out, const char **wrong) {
    size_t n = p[0] == '?' && p[1] == '<' ? strcspn(p, "> \t") : 0;
    if (!n || p[n] != '>' || !utf8_valid(p, n + 1)) return word_read(r->values, p, out, wrong);
    *out = value_bytes(r->values, p, n + 1);
    return p + n + 1;
}

/* Values separated by commas or blanks up to `end` ( ')' or the end of the line): the place behind them. */
static const char *read_items(violin_reader *r, const char *p, char end) {
    r->items = 0;
    r->key = VALUE_NONE;
    for (p = word_blanks(p); *p && *p != end && *p != '#'; p = word_blanks(p)) {
        const char *wrong;
        value v;
        bool is_key = *p == '@' && r->items == 0 && r->key == VALUE_NONE;
        p = read_value(r, p + is_key, &v, &wrong);
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

/* How many arguments the result of this method would be one too many for; NO_RESULT: it has none. */
static uint8_t arguments_before_result(const object_type *t, const char *name, size_t length) {
    char *copy = mem_copy(name, length + 1);
    copy[length] = 0;
    int m = object_type_method(t, copy);
    for (; m < 0 && t->wider; m = object_type_method(t, copy)) t = t->wider;
    free(copy);
    if (m < 0 || t->methods[m].result == RESULT_VOID || t->methods[m].max_args > 1) return NO_RESULT;
    return (uint8_t)(t->methods[m].max_args + t->keyed);
}

/* Has the call told its result? Asked of an object that the file names. */
static bool tells_result(violin_reader *r, unsigned number, const char *name, size_t length) {
    if (!r->type || r->items == 0 || r->items > 2 || number >= TOLD_METHODS) return false;
    if (!r->before_result[number]) r->before_result[number] = 1 + arguments_before_result(r->type, name, length);
    uint8_t most = r->before_result[number] - 1;
    return most != NO_RESULT && r->items + (r->type->keyed && r->key != VALUE_NONE) == (size_t)most + 1;
}

/* It is an argument until the return has no result: then the call keeps its first argument, if that is another one. A
 * monitor has to know the arguments at the call. */
static void note_told(violin_reader *r, value client) {
    value_map_set(&r->told, client, r->item[r->items - 1]);
    r->items -= builder_is_streamed(r->b);
}

static void take_told(violin_reader *r, value client) {
    value told = r->told.n ? value_map_find(&r->told, client) : VALUE_MAP_ABSENT;
    open_call call;
    if (told == VALUE_MAP_ABSENT) return;
    value_map_remove(&r->told, client);
    if (r->items || !builder_open_call(r->b, client, &call)) return;
    if (!builder_is_streamed(r->b)) builder_open_args(r->b, client, &call.first, call.nargs - 1);
    r->item[r->items++] = told;
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
    unsigned number = builder_method(r->b, name, length, r->line);
    if (tells_result(r, number, name, length)) note_told(r, client);
    call_record call = {
        .client = client, .method = number, .key = r->key, .arg = r->item, .nargs = r->items, .line = r->line};
    return builder_call(r->b, &call);
}

static bool read_return(violin_reader *r, value client, const char *p, const char *line_end) {
    p = read_items(r, p, '\0');
    if (!p || !at_end(r, p, line_end)) return false;
    take_told(r, client);
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
    r->type = object_type_find(name, strcspn(name, "("));
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
    free(r.told.slot);
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

/* A result of none is told where an argument would be read as the result. */
static bool would_be_told(const history *h, const object_type *type, uint32_t i) {
    const char *name = h->method_name[h->method[i]];
    if (!type || !h->nargs[i] || h->nargs[i] > 2) return false;
    uint8_t most = arguments_before_result(type, name, strlen(name));
    bool key_apart = type->keyed && h->key && h->key[i] != VALUE_NONE;
    return most != NO_RESULT && h->nargs[i] + key_apart == most + 1;
}

static void write_event(const history *h, const event_order *order, const object_type *type, uint32_t event, text *t) {
    uint32_t i = event_operation(event);
    text_printf(t, "[%lld] ", (long long)order->client[i]);
    if (!event_is_return(event)) write_call(h, i, t);
    else {
        text_add(t, "return");
        if (h->res[i] != VALUE_NONE || would_be_told(h, type, i)) {
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
    const object_type *type = name ? object_type_find(name, strcspn(name, "(")) : NULL;
    if (name) text_printf(output_text(out), "# @object %s\n", name);
    event_order *order = event_order_new(h);
    bool good = true;
    for (uint32_t r = 0; r < order->events && good; r++) {
        if (order->event[r] == EVENT_NONE) continue;
        write_event(h, order, type, order->event[r], output_text(out));
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
