#include "observe/export.h"

#include "base/mem.h"
#include "object/object.h"
#include "observe/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct exporting {
    const char *kind;
    const char *object, *name; /* what the functions' names begin with */
    unsigned k;
    bool promela;
    automaton *a;
    unsigned automata, states;
} exporting;

static void derive_all(exporting *x, const pattern_set *s) {
    x->a = automata_of(s);
    x->automata = s->count;
    for (unsigned i = 0; i < s->count; i++)
        if (x->a[i].states > x->states) x->states = x->a[i].states;
}

/* ---- what fills the places of a template ---- */

static bool is(const exporting *x, const char *name) { return !strcmp(x->object, name); }

static void put_sentences(const exporting *x, text *out) {
    for (unsigned i = 0; i < x->automata; i++)
        text_printf(out, " *   %u %s: %s\n", i, x->a[i].of->name, x->a[i].of->sentence);
}

static void put_table(const exporting *x, text *out) {
    for (unsigned i = 0; i < x->automata; i++) {
        text_add(out, "    {");
        for (unsigned s = 0; s < x->a[i].states; s++) {
            text_add(out, s ? ",\n     {" : "{");
            for (unsigned c = 0; c < PATTERN_SYMBOLS; c++) text_printf(out, "%s%u", c ? ", " : "", x->a[i].next[s][c]);
            text_add(out, "}");
        }
        text_add(out, "},\n");
    }
}

static void put_letters(const exporting *x, text *out) {
    for (unsigned i = 0; i < x->automata; i++)
        text_printf(out, "%s{%d, %d}", i ? ", " : "", x->a[i].of->letter[0], x->a[i].of->letter[1]);
}

static void put_choices(const exporting *x, text *out) {
    for (unsigned i = 0; i < x->automata; i++)
        text_printf(out, "        :: monitor_pattern = %u; monitor_give(1, %d); monitor_give(2, %d)\n", i,
                    x->a[i].of->letter[0], x->a[i].of->letter[1]);
}

static bool has_miss(const pattern *p) { return p->letter[0] == LETTER_MISS || p->letter[1] == LETTER_MISS; }

/* The patterns that have a miss; only where there are any. */
static void put_with_miss(const exporting *x, text *out) {
    unsigned n = 0;
    for (unsigned i = 0; i < x->automata; i++) n += has_miss(x->a[i].of);
    const char *before = n > 1 ? "(" : "";
    for (unsigned i = 0; i < x->automata; i++)
        if (has_miss(x->a[i].of)) {
            text_printf(out, "%smonitor_pattern == %u", before, i);
            before = " || ";
        }
    text_add(out, n > 1 ? ")" : "");
}

static void put_object(const exporting *x, text *out) { text_add(out, x->name); }
static void put_upper(const exporting *x, text *out) {
    for (const char *p = x->name; *p; p++) text_char(out, (char)toupper((unsigned char)*p));
}
static void put_pattern_count(const exporting *x, text *out) { text_printf(out, "%u", x->automata); }
static void put_states(const exporting *x, text *out) { text_printf(out, "%u", x->states); }
static void put_symbols(const exporting *x, text *out) { (void)x, text_printf(out, "%d", PATTERN_SYMBOLS); }
static void put_k(const exporting *x, text *out) { text_printf(out, "%u", x->k); }

/* Parts of a template that some monitors do not need: @?NAME@ ... @/@ */
static bool has_misses(const exporting *x) {
    for (unsigned i = 0; i < x->automata; i++)
        if (has_miss(x->a[i].of)) return true;
    return false;
}

static bool can_get_lost(const exporting *x) {
    if (is(x, "set")) return true; /* by an element that is added again */
    for (unsigned i = 0; i < x->automata; i++)
        for (unsigned s = AUTOMATON_START; s < x->a[i].states; s++)
            for (unsigned c = 0; c < PATTERN_SYMBOLS; c++)
                if (x->a[i].next[s][c] == AUTOMATON_LOST) return true;
    return false;
}

static bool is_wanted(const exporting *x, const char *what) {
    if (!strcmp(what, "ENDS")) return !is(x, "register"); /* what was not removed is removed after the end */
    if (!strcmp(what, "MISS_HAS_VALUE")) return is(x, "set");
    if (!strcmp(what, "HAS_ROOM")) return is(x, "queue") || is(x, "stack") || is(x, "set");
    if (!strcmp(what, "HAS_INITIAL")) return is(x, "register");
    if (!strcmp(what, "RESULT_IS_NOTHING")) return is(x, "lock");
    if (!strcmp(what, "HAS_MISS")) return has_misses(x);
    if (!strcmp(what, "CAN_GET_LOST")) return can_get_lost(x);
    if (!strcmp(what, "NEVER_LOST")) return !can_get_lost(x);
    abort();
}

/* How a stack of points takes, and a queue. */
static void put_take_c(const exporting *x, text *out) { text_add(out, is(x, "queue") ? "m->first++" : "--m->end"); }
static void put_take_pml(const exporting *x, text *out) {
    text_add(out, is(x, "queue") ? "monitor_first" : "monitor_count - 1");
}
static void put_first_pml(const exporting *x, text *out) {
    text_add(out, is(x, "queue") ? "(monitor_first + 1) % (MONITOR_VALUES + 1)" : "0");
}

static void put_removed(const exporting *x, text *out) {
    if (!is(x, "lock")) text_add(out, "value");
    else put_upper(x, out), text_add(out, "_ALL_NOTHING");
}

/* Of a register and a lock there is one thing inside; a set has a place for each element. */
static void put_all_room(const exporting *x, text *out) { text_add(out, is_wanted(x, "HAS_ROOM") ? "16" : "1"); }
static void put_all_room_pml(const exporting *x, text *out) {
    text_add(out, is_wanted(x, "HAS_ROOM") ? "(MONITOR_VALUES + 1)" : "1");
}

static void put_all_words(const exporting *x, text *out) {
    static const char *const words[][2] = {
        {"queue", " * An insert is an enq, a remove a deq, a miss a deq that finds nothing. Values may come again.\n"},
        {"stack", " * An insert is a push, a remove a pop, a miss a pop that finds nothing. Values may come again.\n"},
        {"register", " * An insert is a write, a remove a read. The initial value is 0 unless another one is given.\n"},
        {"lock", " * An insert is a lock, a remove an unlock by the same thread; their values do not matter.\n"},
        {"set", " * Elements may be added again; each is below the room.\n"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(x, words[i][0])) text_add(out, words[i][1]);
}

static void put_words(const exporting *x, text *out) {
    static const char *const words[][2] = {
        {"queue", " * An insert is an enq, a remove a deq, a miss a deq that finds nothing.\n"},
        {"stack", " * An insert is a push, a remove a pop, a miss a pop that finds nothing.\n"},
        {"register", " * An insert is a write, a remove a read. What is there from the start is written first.\n"},
        {"lock", " * An insert is a lock, a remove an unlock. A value is a section: each time a client locks, a number "
                 "that was not used before.\n"
                 " * A trylock that fails is left out.\n"},
        {"set", " * Elements are told apart by nothing but their value: what was added with success, or is being "
                "added, twice is not looked at.\n"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(x, words[i][0])) text_add(out, words[i][1]);
}

static void put_calls(const exporting *x, text *out) {
    text_add(out, is(x, "set") ? " *     monitor_call_add(v)        monitor_return_add(v, result)         of each "
                                 "element one may succeed\n"
                                 " *     monitor_call_remove(v)     monitor_return_remove(v, result)\n"
                                 " *     monitor_call_contains(v)   monitor_return_contains(v, result)\n"
                               : " *     monitor_call_insert(v)   monitor_return_insert(v)\n"
                                 " *     monitor_call_remove()    monitor_return_remove(v)   monitor_return_miss()\n");
}

static void put_pml_initial(const exporting *x, text *out) {
    if (is(x, "register"))
        text_add(out, "\ninline monitor_initial(v) {\n    monitor_what = v;\n    c_code { "
                      "register_count_initial(&now.monitor, now.monitor_what); now.monitor_what = 0; }\n}\n");
}

static const struct {
    const char *name;
    void (*put)(const exporting *x, text *out);
} places[] = {
    {"OBJECT", put_object},
    {"UPPER", put_upper},
    {"SENTENCES", put_sentences},
    {"PATTERNS", put_pattern_count},
    {"STATES", put_states},
    {"SYMBOLS", put_symbols},
    {"TABLE", put_table},
    {"LETTERS", put_letters},
    {"CHOICES", put_choices},
    {"WITH_MISS", put_with_miss},
    {"K", put_k},
    {"TAKE_C", put_take_c},
    {"TAKE_PML", put_take_pml},
    {"FIRST_PML", put_first_pml},
    {"WORDS", put_words},
    {"CALLS", put_calls},
    {"PML_INITIAL", put_pml_initial},
    {"REMOVED", put_removed},
    {"ALL_ROOM", put_all_room},
    {"ALL_ROOM_PML", put_all_room_pml},
    {"ALL_WORDS", put_all_words},
};

/* ---- templates ---- */

static const char *template_words(const char *name) {
    for (const template_file *f = monitor_templates; f->name; f++)
        if (!strcmp(f->name, name)) return f->words;
    return NULL;
}

static void fill(const exporting *x, const char *words, text *out);

/* Parts that are templates themselves. */
static bool fill_part(const exporting *x, const char *what, text *out) {
    char name[64] = "";
    if (!strcmp(what, "RECORD"))
        snprintf(name, sizeof name, "record_%s.%s.in", is(x, "set") ? "set" : "values", x->promela ? "pml" : "h");
    if (!strcmp(what, "CORE")) snprintf(name, sizeof name, "%s_core.in", x->kind);
    if (!strcmp(what, "STEP")) snprintf(name, sizeof name, "all_step_%s.in", x->object);
    if (!strcmp(what, "ALL_CALLS")) snprintf(name, sizeof name, "all_calls_%s.in", is(x, "set") ? "set" : "values");
    if (!strcmp(what, "ALL_INLINES")) snprintf(name, sizeof name, "all_inlines_%s.in", is(x, "set") ? "set" : "values");
    if (!strcmp(what, "FITS")) snprintf(name, sizeof name, "fits_%s.in", x->object);
    if (!strcmp(what, "MISSES_FIT")) snprintf(name, sizeof name, "fits_misses.in");
    if (*name) fill(x, template_words(name), out);
    return *name;
}

static void put(const exporting *x, const char *what, text *out) {
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strcmp(places[i].name, what)) {
            places[i].put(x, out);
            return;
        }
    if (!fill_part(x, what, out)) abort();
}

/* What lies between @?NAME@ and @/@, if it is wanted; returns what comes behind it. They do not lie in each other. */
static const char *fill_wanted(const exporting *x, const char *name, const char *words, text *out) {
    const char *end = strstr(words, "@/@");
    text inner = {0};
    if (!end) abort();
    text_bytes(&inner, words, (size_t)(end - words));
    if (is_wanted(x, name)) fill(x, text_str(&inner), out);
    text_free(&inner);
    return end + 3;
}

/* @NAME@ is a place to fill in. */
static void fill(const exporting *x, const char *words, text *out) {
    for (const char *at; (at = strchr(words, '@'));) {
        char name[32];
        size_t n = strcspn(at + 1, "@");
        text_bytes(out, words, (size_t)(at - words));
        snprintf(name, sizeof name, "%.*s", (int)n, at + 1);
        words = at + 1 + n + 1;
        if (name[0] == '?') words = fill_wanted(x, name + 1, words, out);
        else put(x, name, out);
    }
    text_add(out, words);
}

/* Which objects there are monitors of a kind for. */
static const char *objects_of(const char *kind) {
    return !strcmp(kind, "pattern") || !strcmp(kind, "all") ? "queue, stack, register, lock, set"
           : !strcmp(kind, "count")                         ? "queue, stack, register, lock"
                                                            : "queue, stack";
}

static bool has_object(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *p = list; n && (p = strstr(p, name)); p += n)
        if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ',')) return true;
    return false;
}

static bool export_template(exporting *x, const char *kind, const pattern_set *s, text *out) {
    char name[64];
    snprintf(name, sizeof name, "%s.%s.in", kind, x->promela ? "pml" : "h");
    derive_all(x, s);
    fill(x, template_words(name), out);
    free(x->a);
    return true;
}

bool monitor_export(const char *what, const char *kind, unsigned k, const char *to, text *out, error *e) {
    const bool from_file = pattern_file_named(what);
    if (!from_file && !has_object(objects_of(kind), what))
        return error_set(e, EXIT_USAGE, "no monitor of kind %s to export for object %s; expected one of: %s", kind,
                         what, objects_of(kind));
    if (from_file && strcmp(kind, "pattern") != 0)
        return error_set(e, EXIT_USAGE, "%s: a file of bad patterns; expected --kind pattern", what);
    pattern_set *s = pattern_set_open(what, e);
    if (!s) return false;
    exporting x = {.kind = kind, .object = s->object, .name = s->name, .k = k, .promela = !strcmp(to, "promela")};
    bool good = export_template(&x, kind, s, out);
    pattern_set_free(s);
    return good;
}
