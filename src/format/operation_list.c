/* Operation lists, one operation a line, as PolyLin, FastLin and FptLin write them.
 *
 *     # stack                      the object, by its name alone (also: # @object stack)
 *     push 1 1 2                   METHOD VALUE... CALL RETURN
 *     pop empty 3 4
 *     0 push 2 5 6                 with the process first: in every line or in none
 *     contains 3 true 7 8          the values are the arguments, then the result
 *     pop 9 -                      pending: the return is - or inf
 *
 * Which values are arguments is the object's knowledge (value_split.h). `->` says it in the file: what stands before it
 * are the arguments, what stands behind it, if anything, is the result. A first value @K is the operation's key.
 * Neither is known to the other tools; the writer uses them only where the line would be misread without. Values as in
 * word.h. */
#include "base/mem.h"
#include "base/utf8.h"
#include "format/event_order.h"
#include "format/expressible.h"
#include "format/format.h"
#include "format/output.h"
#include "format/quick_way.h"
#include "format/swar.h"
#include "format/value_split.h"
#include "format/word.h"
#include "history/rank.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITEMS = 64, CACHED_METHODS = 64, NO_ARROW = -1, QUICK_BITS = 6, QUICK = 1 << QUICK_BITS };

typedef struct listed_method {
    char *name;
    size_t length;
    uint64_t start; /* its first eight bytes in one word: the whole name when it is no longer */
    unsigned number;
    value_split split;
    value told; /* the result is part of the name (contains_true); VALUE_UNKNOWN: it is not */
} listed_method;

typedef struct known_word { /* a value of up to seven letters */
    uint64_t word;
    value v;
} known_word;

typedef struct operation_list_reader {
    builder *b;
    values *values;
    const object_type *type; /* NULL: the file does not say */
    listed_method method[CACHED_METHODS];
    unsigned methods;
    listed_method *quick_method[QUICK]; /* by quick_slot(): what plain lines may use */
    known_word quick_word[QUICK];
    uint32_t line;
    const char *wrong;

    /* the current line: items behind the method, the last two of them stamps */
    value client;
    listed_method *called;
    int64_t number[MAX_ITEMS];
    value item[MAX_ITEMS]; /* VALUE_UNKNOWN: an integer not made a value yet, it may be a stamp */
    int items;
    int arrow; /* how many items stand before it, or NO_ARROW */
    value key;
    bool never; /* the last item is - or inf */
} operation_list_reader;

static bool refuse(operation_list_reader *r, const char *wrong) { return builder_error(r->b, r->line, "%s", wrong); }

/* ---- methods ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static uint64_t start_of(const char *word, size_t length) {
    return length < 8 ? swar_first(swar_load(word), length) : swar_load(word);
}

static inline unsigned quick_slot(uint64_t start) { return swar_slot(start, QUICK_BITS); }

/* FastLin's sets: contains_true 3 1 2, contains_false 3 1 2. The length of the name without the result. */
static size_t without_result(const char *name, size_t length, value *told) {
    *told = VALUE_UNKNOWN;
    if (length == 13 && !memcmp(name, "contains_true", 13)) *told = VALUE_TRUE;
    if (length == 14 && !memcmp(name, "contains_false", 14)) *told = VALUE_FALSE;
    return *told == VALUE_UNKNOWN ? length : 8;
}

static listed_method *new_method(operation_list_reader *r, const char *name, size_t length, uint64_t start) {
    /* the builder takes nothing more */
    if (!utf8_valid(name, length)) refuse(r, "invalid UTF-8; expected a method's name");
    listed_method *m = &r->method[r->methods < CACHED_METHODS ? r->methods++ : CACHED_METHODS - 1];
    free(m->name);
    char *copy = mem_alloc(length + 1);
    memcpy(copy, name, length);
    copy[length] = 0;
    value told;
    size_t plain = without_result(name, length, &told);
    *m = (listed_method){.name = copy,
                         .length = length,
                         .start = start,
                         .number = builder_method(r->b, name, plain, r->line),
                         .told = told};
    value_split_init(&m->split, r->type, copy);
    return m;
}

static listed_method *find_method(operation_list_reader *r, const char *name, size_t length) {
    uint64_t start = start_of(name, length);
    for (unsigned i = 0; i < r->methods; i++) {
        listed_method *m = &r->method[i];
        if (m->start == start && m->length == length && (length <= 8 || !memcmp(m->name, name, length))) return m;
    }
    return new_method(r, name, length, start);
}

static const char *read_method(operation_list_reader *r, const char *p) {
    const char *name = p;
    while (!word_ends(*p)) p++;
    if (p == name) return NULL;
    r->called = find_method(r, name, (size_t)(p - name));
    if (is_letter(*name)) r->quick_method[quick_slot(r->called->start)] = r->called;
    return p;
}

/* ---- lines ---- */

static bool is_never(const char *p, size_t n) { return (n == 1 && *p == '-') || (n == 3 && !memcmp(p, "inf", 3)); }

/* For plain lines, where it stands for a value only. */
static void note_word(operation_list_reader *r, const char *p, size_t n, value v) {
    if (!is_letter(*p) || n > 7 || is_never(p, n)) return;
    uint64_t word = start_of(p, n);
    r->quick_word[quick_slot(word)] = (known_word){.word = word, .v = v};
}

/* What is not an integer: a value, @key, -> or the stamp of a pending operation. */
static const char *read_other(operation_list_reader *r, const char *p) {
    size_t n = 0;
    while (!word_ends(p[n])) n++;
    if (n == 2 && p[0] == '-' && p[1] == '>' && r->arrow == NO_ARROW) {
        r->arrow = r->items;
        return p + n;
    }
    if (is_never(p, n) && !*word_blanks(p + n)) {
        r->never = true;
        r->number[r->items] = STAMP_NEVER;
        r->item[r->items++] = VALUE_UNKNOWN;
        return p + n;
    }
    value v;
    const char *word = p;
    bool is_key = *p == '@' && r->items == 0 && r->key == VALUE_NONE && r->arrow == NO_ARROW;
    p = word_read(r->values, p + is_key, &v, &r->wrong);
    if (is_key) r->key = v;
    else r->item[r->items++] = v;
    if (p == word + n) note_word(r, word, n, v);
    return p;
}

static void clear_items(operation_list_reader *r) {
    r->items = 0;
    r->arrow = NO_ARROW;
    r->key = VALUE_NONE;
    r->never = false;
}

static bool read_items(operation_list_reader *r, const char *p, const char *line_end) {
    clear_items(r);
    while (*(p = word_blanks(p))) {
        if (r->items == MAX_ITEMS) return refuse(r, "more than 62 values; expected a tuple [a b ...] instead");
        const char *end = word_int(p, &r->number[r->items]);
        if (end) r->item[r->items++] = VALUE_UNKNOWN;
        else if (!(end = read_other(r, p))) return refuse(r, r->wrong);
        p = end;
    }
    if (p != line_end) return refuse(r, "NUL byte; expected text");
    return true;
}

static bool stamps_are_good(operation_list_reader *r) {
    if (r->items < 2 || r->item[r->items - 2] != VALUE_UNKNOWN || r->item[r->items - 1] != VALUE_UNKNOWN ||
        r->arrow > r->items - 2)
        return refuse(r, "no stamps at the end of the line; expected METHOD VALUE... CALL RETURN, integers or - for a "
                         "pending RETURN");
    return true;
}

static bool arrow_is_good(operation_list_reader *r, int count) {
    if (count - r->arrow <= 1) return true;
    return refuse(r, "more than one value behind ->; expected one result, perhaps a tuple");
}

static inline bool take_line(operation_list_reader *r) {
    if (!stamps_are_good(r)) return false;
    int n = r->items - 2;
    int64_t from = r->number[n], to = r->number[n + 1];
    bool pending = r->never;
    for (int i = 0; i < n; i++)
        if (r->item[i] == VALUE_UNKNOWN) r->item[i] = value_int(r->values, r->number[i]);
    if (r->arrow != NO_ARROW && !arrow_is_good(r, n)) return false;
    result_class last = n ? result_class_of(r->values, r->item[n - 1]) : CLASS_NONE;
    bool told = r->called->told != VALUE_UNKNOWN;
    int nargs = told                   ? n
                : r->arrow != NO_ARROW ? r->arrow
                                       : value_split_args(&r->called->split, n, last, r->key != VALUE_NONE, pending);
    assert(nargs <= n && n - nargs <= 1 && r->items <= MAX_ITEMS); /* what is no argument is the result */
    for (int i = 0; i < n; i++) assert(r->item[i] != VALUE_UNKNOWN);
    call_record call = {.client = r->client,
                        .method = r->called->number,
                        .key = r->key,
                        .arg = r->item,
                        .nargs = (size_t)nargs,
                        .line = r->line};
    return builder_whole_operation(r->b, &call, from, to, !pending,
                                   told        ? r->called->told
                                   : nargs < n ? r->item[nargs]
                                               : VALUE_NONE);
}

static bool read_operation(operation_list_reader *r, const char *p, const char *line_end) {
    int64_t process;
    const char *end = word_int(p, &process);
    r->client = end ? value_int(r->values, process) : CLIENT_OWN;
    if (end) p = word_blanks(end);
    if (!(p = read_method(r, p))) return refuse(r, "no method; expected METHOD VALUE... CALL RETURN");
    return read_items(r, p, line_end) && take_line(r);
}

static void read_comment(operation_list_reader *r, const char *p) {
    p = word_blanks(p + 1);
    bool said = strncmp(p, "@object", 7) == 0;
    if (said) p = word_blanks(p + 7);
    size_t n = strcspn(p, " \t"), name = strcspn(p, " \t(");
    if (!n || *word_blanks(p + n) || r->type) return;
    r->type = object_type_find(p, name);
    if (!said && !r->type) return;
    for (unsigned i = 0; i < r->methods; i++) value_split_init(&r->method[i].split, r->type, r->method[i].name);
    char *copy = mem_alloc(n + 1);
    memcpy(copy, p, n);
    copy[n] = 0;
    builder_object(r->b, copy);
    free(copy);
}

/* ---- plain lines ---- */

/* Nearly all lines of a long list are plain: a method and words met before, short integers, single blanks, a newline.
 * They are read where they stand. Each of these returns the place behind what it read, NULL when that is not plain:
 * such a line, right or wrong, is read_operation()'s. */

static inline bool plain_method(operation_list_reader *r, const char *p, size_t n) {
    uint64_t start = start_of(p, n);
    listed_method *m = r->quick_method[quick_slot(start)];
    r->called = m;
    bool plain = m && m->start == start && m->length == n && (n <= 8 || !memcmp(m->name, p, n));
    assert(!plain || !memcmp(m->name, p, n));
    return plain;
}

static inline bool plain_word(const operation_list_reader *r, const char *p, size_t n, value *out) {
    uint64_t word = start_of(p, n);
    const known_word *k = &r->quick_word[quick_slot(word)];
    *out = k->v;
    return n < 8 && k->word == word;
}

/* Behind the method. */
static inline const char *plain_items(operation_list_reader *r, gaps *g, const char *end) {
    clear_items(r);
    while (*end == ' ' && r->items < MAX_ITEMS) {
        int i = r->items++;
        const char *p = end + 1;
        end = gaps_next(g, p);
        if (!end || end == p) return NULL;
        size_t n = (size_t)(end - p);
        r->item[i] = VALUE_UNKNOWN;
        if (!swar_int_of(p, n, &r->number[i]) && !plain_word(r, p, n, &r->item[i])) return NULL;
    }
    if (end[0] == '\r' && end[1] == '\n') end = gaps_next(g, end + 1);
    return end && *end == '\n' ? end + 1 : NULL;
}

static inline const char *plain_line(operation_list_reader *r, gaps *g, const char *p) {
    const char *end = gaps_next(g, p);
    if (!end || end == p) return NULL;
    int64_t process;
    r->client = CLIENT_OWN;
    if (swar_int_of(p, (size_t)(end - p), &process)) {
        r->client = value_int(r->values, process);
        p = end + 1;
        if (*end != ' ' || !(end = gaps_next(g, p)) || end == p) return NULL;
    }
    return plain_method(r, p, (size_t)(end - p)) ? plain_items(r, g, end) : NULL;
}

static bool read_plain_lines(operation_list_reader *r, input *in) {
    const char *end, *p = input_lines(in, &end), *next;
    if (!p) return true;
    uint32_t before = input_line_number(in);
    gaps g = {0};
    bool good = true;
    for (r->line = before + 1; good && p < end && (next = plain_line(r, &g, p)); p = next, r->line++)
        good = take_line(r);
    input_skip(in, p, r->line - before - 1);
    if (p == end) builder_expect(r->b, input_estimate(in, r->line, 0));
    return good;
}

static bool read_history(input *in, builder *b, const read_options *options) {
    (void)options;
    operation_list_reader r = {.b = b, .values = builder_values(b)};
    builder_ties_precede(b);
    bool good;
    size_t n;
    for (char *line; (good = read_plain_lines(&r, in)) && (line = input_line(in, &n));) {
        r.line = input_line_number(in);
        QUICK_WAY_MISSED();
        const char *p = word_blanks(line), *line_end = line + n;
        if (*p == '#') read_comment(&r, p);
        else if (p != line_end && !(good = read_operation(&r, p, line_end))) break;
    }
    for (unsigned i = 0; i < r.methods; i++) free(r.method[i].name);
    return good && !input_failed(in);
}

/* ---- sniffing ---- */

/* A line that is not a comment: a word, perhaps behind an integer, and an integer and a stamp at the end. */
static bool looks_like_operation(const char *p, size_t n) {
    const char *word[MAX_ITEMS];
    char line[512];
    if (n >= sizeof line) return false;
    memcpy(line, p, n);
    line[n] = 0;
    size_t words = 0;
    for (char *w = line; *(w += strspn(w, " \t\r")); w += strcspn(w, " \t\r"))
        if (words < MAX_ITEMS) word[words++] = w;
    if (words < 3) return false;
    int64_t i;
    size_t first = word_int(word[0], &i) != NULL;
    char c = *word[first];
    const char *last = word[words - 1];
    return is_letter(c) && words - first >= 3 && word_int(word[words - 2], &i) &&
           (word_int(last, &i) || is_never(last, strcspn(last, " \t\r")));
}

static int sniff(const char *p, size_t n) {
    const char *end = p + n;
    while (p < end) {
        while (p < end && *p && strchr(" \t\r\n", *p)) p++;
        const char *newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        size_t length = (size_t)((newline ? newline : end) - p);
        if (p < end && *p != '#') return looks_like_operation(p, length) ? 70 : 0;
        p += length;
    }
    return 0;
}

/* ---- writing ---- */

static void write_value(const history *h, value v, text *t) {
    word_write(h->values, v, t);
    text_char(t, ' ');
}

/* The values so that the reader's rule finds the same arguments and the same result again. */
static void write_values(const history *h, uint32_t i, value_split *split, text *t) {
    bool keyed = h->key && h->key[i] != VALUE_NONE, pending = history_pending(h, i);
    int nargs = h->nargs[i];
    result_class last = nargs ? result_class_of(h->values, h->arg[nargs - 1][i]) : CLASS_NONE;
    bool bare = value_split_args(split, nargs, last, keyed, pending) == nargs;
    bool with_result =
        value_split_args(split, nargs + 1, result_class_of(h->values, h->res[i]), keyed, pending) == nargs;
    bool void_result = pending || h->res[i] == VALUE_NONE;
    if (keyed) {
        text_char(t, '@');
        write_value(h, h->key[i], t);
    }
    for (int a = 0; a < nargs; a++) write_value(h, h->arg[a][i], t);
    if (void_result && bare) return;
    if (pending || !with_result) text_add(t, "-> ");
    if (!pending) write_value(h, h->res[i], t);
}

/* A return with the stamp of a call would come before it: then numbers of events are written, of which no two
 * are equal. */
static bool stamps_touch(const history *h) {
    if (!history_has_stamps(h)) return false;
    int64_t *call = MEM_ARRAY(int64_t, (size_t)h->n + 1), *ret = MEM_ARRAY(int64_t, (size_t)h->n + 1);
    for (uint32_t i = 0; i < h->n; i++) {
        call[i] = history_call_time(h, i);
        ret[i] = history_pending(h, i) ? STAMP_NEVER : history_ret_time(h, i);
    }
    bool touch = rank_touches(call, ret, STAMP_NEVER, h->n);
    free(call);
    free(ret);
    return touch;
}

static void write_operation(const history *h, uint32_t i, const int64_t *client, value_split *split, bool ranks,
                            text *t) {
    if (client) {
        text_int(t, client[h->client[i]]);
        text_char(t, ' ');
    }
    text_add(t, h->method_name[h->method[i]]);
    text_char(t, ' ');
    write_values(h, i, &split[h->method[i]], t);
    text_int(t, ranks ? h->call[i] : history_call_stamp(h, i));
    text_char(t, ' ');
    if (history_pending(h, i)) text_char(t, '-');
    else text_int(t, ranks ? h->ret[i] : history_ret_stamp(h, i));
    text_char(t, '\n');
}

static const object_type *write_header(const history *h, const object *o, text *t) {
    const char *name = o ? o->name : h->object_hint;
    if (!name) return NULL;
    const object_type *type = object_type_find(name, strcspn(name, "("));
    text_printf(t, type ? "# %s\n" : "# @object %s\n", name);
    return type;
}

static bool write_history(const history *h, const object *o, output *out, error *e) {
    if (!methods_are_words(h, "operation-list", e) || !values_are_ordered(h, "operation-list", false, e)) return false;
    if (h->ties)
        return error_set(e, EXIT_BAD_INPUT,
                         "operation %u is called at the stamp at which operation %u of its client returns, and others "
                         "are too; in an operation-list equal stamps come one after the other; expected plumb-jsonl or "
                         "plumb-binary",
                         history_number(h, h->tied[0][1]), history_number(h, h->tied[0][0]));
    if (!says_no_initial_value(h, o, "operation-list", e) || !says_it_is_whole(h, "operation-list", e)) return false;
    const object_type *type = write_header(h, o, output_text(out));
    const bool ranks = stamps_touch(h);
    value_split *split = MEM_ARRAY(value_split, h->methods);
    for (unsigned m = 0; m < h->methods; m++) value_split_init(&split[m], type, h->method_name[m]);
    int64_t *client = h->client ? client_numbers(h) : NULL;
    bool good = true;
    for (uint32_t i = 0; i < h->n && good; i++) {
        write_operation(h, i, client, split, ranks, output_text(out));
        good = output_flush(out);
    }
    free(client);
    free(split);
    return good;
}

const format format_operation_list = {
    .name = "operation-list",
    .summary = "operations with stamps, one a line: enq 3 10 20; as PolyLin, FastLin and FptLin write them",
    .suffixes = ".ops .txt",
    .sniff = sniff,
    .read = read_history,
    .write = write_history,
};
