#include "object/initial.h"

#include <assert.h>
#include <string.h>

/* ---- text ---- */

static value plain_value(values *v, const char *s, size_t n) {
    static const struct {
        const char *word;
        value v;
    } known[] = {
        {"none", VALUE_NONE}, {"nil", VALUE_NONE}, {"null", VALUE_NONE}, {"true", VALUE_TRUE}, {"false", VALUE_FALSE}};
    value number;
    if (value_number(v, s, n, &number)) return number;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == n && !memcmp(known[i].word, s, n)) return known[i].v;
    return value_bytes(v, s, n);
}

static value whole_text(values *v, const char *s) {
    size_t n = strlen(s);
    if (n >= 2 && s[0] == '"' && s[n - 1] == '"') return value_bytes(v, s + 1, n - 2);
    return plain_value(v, s, n);
}

static bool is_by_key(const char *s) { return s && *s != '"' && strchr(s, '\n'); }

/* Up to the closing quote; false: there is none. A backslash stands before quotes, backslashes, n and t. */
static bool quoted_word(const char **at, values *v, value *out) {
    text word = {0};
    const char *p = *at + 1;
    for (; *p && *p != '"' && *p != '\n'; p++) {
        if (*p == '\\' && p[1] && p[1] != '\n') text_char(&word, *++p == 'n' ? '\n' : *p == 't' ? '\t' : *p);
        else text_char(&word, *p);
    }
    *out = value_bytes(v, text_str(&word), word.size);
    text_free(&word);
    *at = *p == '"' ? p + 1 : p;
    return *p == '"';
}

static bool next_word(const char **at, values *v, value *out) {
    *at += strspn(*at, " \t\r");
    if (**at == '"') return quoted_word(at, v, out);
    size_t n = strcspn(*at, " \t\r\n");
    if (n) *out = plain_value(v, *at, n);
    *at += n;
    return n > 0;
}

/* Blank lines and comments (#) are nothing; false: neither that nor a key and a value. */
static bool read_line(const char **at, values *v, value pair[2], bool *found) {
    *at += strspn(*at, " \t\r");
    *found = **at && **at != '\n' && **at != '#';
    if (**at == '#') *at += strcspn(*at, "\n");
    if (*found && (!next_word(at, v, &pair[0]) || !next_word(at, v, &pair[1]))) return false;
    *at += strspn(*at, " \t\r");
    if (**at && **at != '\n') return false;
    *at += **at == '\n';
    return true;
}

static uint32_t count_lines(const char *s) {
    uint32_t n = 1;
    for (; *s; s++) n += *s == '\n';
    return n;
}

/* As a map; false: `line` is wrong. */
static bool read_lines(const char *s, values *v, value *map, uint32_t *line) {
    value *item = MEM_ARRAY(value, 2 * (size_t)count_lines(s));
    size_t n = 0;
    bool good = true, found;
    for (*line = 0; *s && good; ++*line) {
        good = read_line(&s, v, item + n, &found);
        n += good && found ? 2 : 0;
    }
    if (good) *map = value_map_of(v, item, n);
    free(item);
    return good;
}

bool initial_check_text(const char *given, error *e) {
    if (!is_by_key(given)) return true;
    values *v = values_new();
    value map;
    uint32_t line;
    bool good = read_lines(given, v, &map, &line);
    if (!good) error_set(e, EXIT_USAGE, "initial values, line %u: expected a key and its value", line);
    values_free(v);
    return good;
}

/* ---- values by key ---- */

static value look_up(const object *o, value key) {
    size_t n, low = 0;
    const value *item = value_list(o->values, o->initial, &n);
    for (size_t high = n / 2; low < high;) {
        size_t middle = (low + high) / 2;
        int c = value_compare(o->values, item[2 * middle], key);
        if (c == 0) return item[2 * middle + 1];
        if (c < 0) low = middle + 1;
        else high = middle;
    }
    return VALUE_NONE;
}

/* An object that goes on from another state (`settle`) has another `init`. */
static bool is_varied(const object *o) { return o->any_key && o->init == o->initial; }

value object_initial(const object *o, value key) { return is_varied(o) ? look_up(o, key) : o->init; }

object object_for_key(const object *o, value key) {
    object view = *o;
    if (!o->any_key) return view;
    view.init = object_initial(o, key);
    view.initial = VALUE_NONE;
    view.type = o->any_key;
    view.any_key = NULL;
    return view;
}

static void init(const object *o, state *s) {
    if (is_varied(o)) state_set(s, &(value){VALUE_UNKNOWN}, 1);
    else o->any_key->init(o, s);
}

/* No object's state is a single unknown value. */
static bool is_not_looked_up(const state *s) { return s->n == 1 && s->w[0] == VALUE_UNKNOWN; }

static void begin(const object *o, value key, state *s) {
    object view = object_for_key(o, key);
    view.type->init(&view, s);
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (is_not_looked_up(s)) begin(o, op->key, s);
    return o->any_key->step(o, s, op, choice, res);
}

static void describe(const object *o, const state *s, text *out) {
    object view = *o;
    view.type = o->any_key;
    if (is_not_looked_up(s)) text_add(out, "the key's initial value");
    else object_describe(&view, s, out);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    object view = *o;
    view.type = o->any_key;
    state begun = {0};
    if (is_not_looked_up(s)) begin(o, op->key, &begun);
    else state_copy(&begun, s);
    object_why_not(&view, &begun, op, out);
    state_free(&begun);
}

static bool may_end(const object *o, const state *s) { return is_not_looked_up(s) || o->any_key->may_end(o, s); }

static void vary(object *o) {
    o->any_key = o->type;
    o->by_key = MEM_NEW(object_type);
    *o->by_key = *o->type;
    o->by_key->init = init;
    o->by_key->step = step;
    o->by_key->run = NULL; /* has the step inside */
    o->by_key->describe = describe;
    o->by_key->why_not = why_not;
    if (o->type->may_end) o->by_key->may_end = may_end;
    o->type = o->by_key;
}

void initial_use_values(object *o) {
    uint32_t line;
    if (o->any_key) o->type = o->any_key; /* with other values before */
    initial_free(o);
    o->initial = o->init = VALUE_NONE;
    if (!is_by_key(o->init_text)) {
        if (o->init_text) o->init = whole_text(o->values, o->init_text);
        return;
    }
    bool good = read_lines(o->init_text, o->values, &o->initial, &line);
    assert(good); /* object_open looked at it */
    (void)good;
    o->init = o->initial;
    vary(o);
}

bool initial_check(const object *o, text *wrong) {
    size_t n = 0;
    if (!o->type->check_init) return true;
    if (!is_varied(o)) return o->type->check_init(o, wrong);
    const value *item = value_list(o->values, o->initial, &n);
    for (size_t i = 0; i < n; i += 2) {
        object view = object_for_key(o, item[i]);
        if (!view.type->check_init(&view, wrong)) return false;
    }
    return true;
}

void initial_free(object *o) {
    free(o->by_key);
    o->by_key = NULL;
    o->any_key = NULL;
}
