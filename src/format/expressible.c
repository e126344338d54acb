#include "format/expressible.h"

#include "base/utf8.h"
#include "format/word.h"

#include <string.h>

static bool is_word(const char *name) {
    if (!*name || strchr("0123456789-#@:", *name) || !utf8_valid(name, strlen(name))) return false;
    for (const char *p = name; *p; p++)
        if (word_ends(*p) || (unsigned char)*p < ' ') return false;
    return true;
}

bool methods_are_words(const history *h, const char *format_name, error *e) {
    for (unsigned m = 0; m < h->methods; m++)
        if (!is_word(h->method_name[m]))
            return error_set(e, EXIT_BAD_INPUT,
                             "method name '%.60s' cannot be written as %s; expected a word without blanks and brackets",
                             h->method_name[m], format_name);
    return true;
}

static bool is_utf8(const values *t, value v) {
    if (v < VALUE_INTERNED) return true;
    size_t n;
    if (value_kind_of(t, v) == KIND_BYTES) {
        const char *p = value_as_bytes(t, v, &n);
        return utf8_valid(p, n);
    }
    const value *item = value_list(t, v, &n);
    for (size_t i = 0; i < n; i++)
        if (!is_utf8(t, item[i])) return false;
    return true;
}

static bool column_is_utf8(const history *h, const value *column, const char *format_name, error *e) {
    for (uint32_t i = 0; column && i < h->n; i++)
        if (!is_utf8(h->values, column[i]))
            return error_set(e, EXIT_BAD_INPUT,
                             "operation %u has a string that is not UTF-8, which cannot be written as %s",
                             history_number(h, i), format_name);
    return true;
}

/* Two names that are written alike would become one. */
static bool names_are_utf8(const history *h, const char *format_name, error *e) {
    for (uint32_t c = 0; h->client && c < h->clients; c++) /* else every operation has a client of its own */
        if (!is_utf8(h->values, h->client_name[c]))
            return error_set(e, EXIT_BAD_INPUT, "client %u has a name that is not UTF-8, which cannot be written as %s",
                             c, format_name);
    for (unsigned m = 0; m < h->methods; m++)
        if (!utf8_valid(h->method_name[m], strlen(h->method_name[m])))
            return error_set(e, EXIT_BAD_INPUT, "method %u has a name that is not UTF-8, which cannot be written as %s",
                             m, format_name);
    return true;
}

bool values_are_utf8(const history *h, const char *format_name, error *e) {
    if (!names_are_utf8(h, format_name, e)) return false;
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
        if (!column_is_utf8(h, h->arg[a], format_name, e)) return false;
    return column_is_utf8(h, h->key, format_name, e) && column_is_utf8(h, h->res, format_name, e);
}

/* Has no set in it, and no map but, where `maps` says so, from strings: NULL, or what it has. */
static const char *unordered_in(const values *t, value v, bool maps) {
    size_t n;
    const char *what = NULL;
    if (v < VALUE_INTERNED) return NULL;
    value_kind kind = value_kind_of(t, v);
    const value *item = value_list(t, v, &n);
    if (kind == KIND_SET) return "a set";
    if (kind == KIND_MAP && !maps) return "a map";
    for (size_t i = 0; i < n && kind == KIND_MAP; i += 2)
        if (value_kind_of(t, item[i]) != KIND_BYTES) return "a map whose keys are no strings";
    for (size_t i = 0; i < n && !what; i++) what = unordered_in(t, item[i], maps);
    return what;
}

static bool column_is_ordered(const history *h, const value *column, const char *format_name, bool maps, error *e) {
    for (uint32_t i = 0; column && i < h->n; i++) {
        const char *what = unordered_in(h->values, column[i], maps);
        if (what)
            return error_set(e, EXIT_BAD_INPUT,
                             "operation %u has %s, which cannot be written as %s; expected jepsen-edn or plumb-binary",
                             history_number(h, i), what, format_name);
    }
    return true;
}

bool values_are_ordered(const history *h, const char *format_name, bool maps, error *e) {
    if (!values_extended(h->values)) return true;
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
        if (!column_is_ordered(h, h->arg[a], format_name, maps, e)) return false;
    return column_is_ordered(h, h->key, format_name, maps, e) && column_is_ordered(h, h->res, format_name, maps, e);
}

/* ---- what it says of itself ---- */

const char *written_init(const history *h, const object *o) { return o ? o->init_text : h->init_hint; }

bool heading_is_utf8(const history *h, const object *o, const char *format_name, error *e) {
    const char *init = written_init(h, o);
    return !init || utf8_valid(init, strlen(init)) ||
           error_set(e, EXIT_BAD_INPUT, "the initial value is not UTF-8, and cannot be written as %s", format_name);
}

bool says_no_initial_value(const history *h, const object *o, const char *format_name, error *e) {
    const char *init = written_init(h, o);
    return !init || error_set(e, EXIT_BAD_INPUT,
                              "the initial value (%.60s) cannot be written as %s; expected plumb-jsonl, plumb-events, "
                              "plumb-binary or plumb-log",
                              init, format_name);
}

bool says_it_is_whole(const history *h, const char *format_name, error *e) {
    if (h->lacks)
        return error_set(e, EXIT_BAD_INPUT,
                         "not all that happened is in this history (%.100s), which cannot be said in %s; expected "
                         "plumb-jsonl, plumb-events or plumb-binary",
                         h->lacks, format_name);
    return !h->sample || error_set(e, EXIT_BAD_INPUT,
                                   "one of %u keys or values is in this history, which cannot be said in %s; expected "
                                   "plumb-jsonl, plumb-events or plumb-binary",
                                   h->sample, format_name);
}

/* ---- order ---- */

/* Its writes are one client's, by name: a client that gets another number is another writer. */
static bool sees_names(const history *h, const object *o) {
    const char *name = o ? o->type->name : h->object_hint;
    const object_type *t = name ? object_type_find(name, strcspn(name, "(")) : NULL;
    return t && !strcmp(t->name, "swmr-register");
}

bool no_ties(const history *h, const char *format_name, error *e) {
    return !h->ties ||
           error_set(e, EXIT_BAD_INPUT,
                     "operation %u is called at the stamp at which operation %u of its client returns, and others "
                     "are too; %s has no stamps; expected plumb-jsonl or plumb-binary",
                     history_number(h, h->tied[0][1]), history_number(h, h->tied[0][0]), format_name);
}

bool order_is_enough(const history *h, const object *o, const char *format_name, error *e) {
    if (!no_ties(h, format_name, e)) return false;
    if (sees_names(h, o) && h->n && (!h->client || h->reused))
        return error_set(
            e, EXIT_BAD_INPUT, "%s, and %s would number them as other clients; expected plumb-jsonl or plumb-binary",
            h->client ? "clients go on after pending operations" : "the operations name no clients", format_name);
    return true;
}

bool results_are_not_words(const history *h, const char *format_name, error *e) {
    for (uint32_t i = 0; i < h->n; i++) {
        if (h->res[i] < VALUE_INTERNED || value_kind_of(h->values, h->res[i]) != KIND_BYTES) continue;
        const char *p = value_as_bytes(h->values, h->res[i], NULL);
        if (!strcmp(p, "empty") || !strcmp(p, "full"))
            return error_set(e, EXIT_BAD_INPUT,
                             "operation %u returned the string \"%s\", which %s takes for the constant",
                             history_number(h, i), p, format_name);
    }
    return true;
}
