/* Files of bad patterns: the program's own patterns, written and read again, have the automata they had; patterns drawn
 * by lot are found in a history exactly where a search through all its values, by the definition, finds them; mistakes
 * are told with their line. */
#include "support/cmocka.h"

#include "observe/observer.h"
#include "observe/pattern_file.h"
#include "support/engine_trial.h"

#include <stdlib.h>
#include <string.h>

/* ---- written and read again ---- */

static void same_automata(const pattern_set *a, const pattern_set *b) {
    automaton *x = automata_of(a), *y = automata_of(b);
    assert_int_equal(a->count, b->count);
    for (unsigned i = 0; i < a->count; i++) {
        assert_string_equal(a->at[i].name, b->at[i].name);
        assert_int_equal(x[i].states, y[i].states);
        assert_memory_equal(a->at[i].letter, b->at[i].letter, sizeof a->at[i].letter);
        assert_memory_equal(x[i].next, y[i].next, x[i].states * sizeof *x[i].next);
    }
    free(x);
    free(y);
}

static void round_trip(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack", "register", "lock", "set"};
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++) {
        error e = {0};
        text written = {0};
        pattern_set *own = pattern_set_of(objects[i]);
        pattern_file_print(own, &written);
        pattern_set *again = pattern_file_parse(text_str(&written), "own.pattern", &e);
        assert_string_equal(e.what, "");
        assert_non_null(again);
        same_automata(own, again);
        pattern_set_free(own);
        pattern_set_free(again);
        text_free(&written);
    }
}

/* ---- mistakes ---- */

static void mistake(const char *source, const char *told) {
    error e = {0};
    assert_null(pattern_file_parse(source, "m.pattern", &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    if (strcmp(e.what, told) != 0) fail_msg("told \"%s\", not \"%s\"", e.what, told);
}

#define QUEUE "object queue\npattern p: words\n"

static void mistakes(void **unused) {
    (void)unused;
    mistake("", "m.pattern:1: no pattern; expected pattern NAME: SENTENCE");
    mistake("object deque\n", "m.pattern:1: object 'deque'; expected queue, stack, register, lock or set");
    mistake("object queue\nobject queue\n", "m.pattern:2: a second object; expected one for the whole file");
    mistake("pattern p: words\n", "m.pattern:1: a pattern before the object; expected object queue, say, further up");
    mistake("object queue\n  enq(1) before deq(1)\n",
            "m.pattern:2: an indented line before the first pattern; expected pattern NAME: SENTENCE");
    mistake(QUEUE, "m.pattern:2: nothing to be seen of pattern 'p'; expected at least one condition");
    mistake(QUEUE "  push(1) before deq(1)\n",
            "m.pattern:3: unknown operation 'push'; expected enq(1), deq(1), deq(empty)");
    mistake(QUEUE "  enq(3) before deq(1)\n", "m.pattern:3: number '3'; expected 1 or 2");
    mistake(QUEUE "  enq(1) behind deq(1)\n", "m.pattern:3: unknown condition 'enq(1)'; expected OP before OP, twice "
                                              "OP, values N, OP blocked by N, or count N");
    mistake(QUEUE "  enq(1) before deq(2)\n  deq(empty) before enq(1)\n",
            "m.pattern:2: two numbers of values and an operation that found nothing, in pattern 'p'; expected one "
            "number then");
    mistake(QUEUE "  deq(empty) before deq(empty)\n",
            "m.pattern:2: no execution has pattern 'p'; expected conditions that can all be met");
    mistake(QUEUE "  twice deq(empty)\n",
            "m.pattern:3: two that find nothing; expected one such operation in a pattern");
    mistake(QUEUE "  count 9\n", "m.pattern:3: count '9'; expected count 1 to count 8, and perhaps: or more");
    mistake(QUEUE "  twice deq(1)\npattern p: again\n",
            "m.pattern:4: another pattern has the name 'p'; expected a new one");
    mistake("object queue\npattern p: \"words\"\n",
            "m.pattern:2: quotes, backslashes or comments in a pattern's line; expected words");
    mistake("object queue\nname 1st\n", "m.pattern:2: name '1st'; expected one word of small letters, once");
    mistake("subject queue\n",
            "m.pattern:1: unknown item 'subject'; expected object, name, pattern, or a condition that is indented");
    mistake(QUEUE "  values 1 2\n  enq(1) blocked by 1 2\n  deq(2) blocked by 1 2\n  enq(2) blocked by 1 2\n",
            "m.pattern:6: too many blocked operations; expected at most two in a pattern");
    mistake(QUEUE "  twice deq(1)\n  twice deq(2)\n  twice enq(1)\n  twice enq(2)\n  deq(1) before deq(2)\n",
            "m.pattern:7: too many lines of before and twice; expected at most four in a pattern");
}

/* ---- by the definition ---- */

typedef struct sight { /* an event as a pattern's line sees it */
    bool returns;
    pattern_role role;
    value v; /* of a miss: its operation */
} sight;

typedef struct sights {
    sight at[4 * OBSERVED_OPERATIONS];
    uint32_t n;
    value v[OBSERVED_OPERATIONS];
    uint32_t values;
    uint32_t miss[OBSERVED_OPERATIONS], misses;
} sights;

static void see(sights *s, bool returns, pattern_role role, value v) { s->at[s->n++] = (sight){returns, role, v}; }

static bool was(const sights *s, pattern_role role, value v) {
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->at[i].returns && s->at[i].role == role && s->at[i].v == v) return true;
    return false;
}

static void add_value(sights *s, value v) {
    for (uint32_t i = 0; i < s->values; i++)
        if (s->v[i] == v) return;
    s->v[s->values++] = v;
}

/* A queue's execution without pending removes; what is over in thought comes at the end. */
static void look(const observed *x, sights *s) {
    *s = (sights){0};
    for (uint32_t e = 0; e < x->events; e++) {
        const operation *op = &x->op[x->event[e].op];
        bool returns = x->event[e].what == OBSERVED_RETURN, adds = op->nargs > 0;
        pattern_role role = adds ? DOES_INSERT : op->res == VALUE_EMPTY ? DOES_MISS : DOES_REMOVE;
        if (role == DOES_MISS && !returns) s->miss[s->misses++] = x->event[e].op;
        if (role != DOES_MISS) add_value(s, adds ? op->arg[0] : op->res);
        see(s, returns, role, role == DOES_MISS ? x->event[e].op : adds ? op->arg[0] : op->res);
    }
    for (uint32_t i = 0; i < s->values; i++) {
        bool inserted = was(s, DOES_INSERT, s->v[i]), removed = was(s, DOES_REMOVE, s->v[i]);
        if (!inserted) see(s, false, DOES_INSERT, s->v[i]);
        if (inserted && !removed) see(s, false, DOES_REMOVE, s->v[i]);
    }
}

typedef struct line {
    bool twice;
    unsigned role[2], letter[2];
} line;

typedef struct drawn {
    line at[4];
    unsigned n;
    bool with_miss;
} drawn;

static bool is_seen(const sights *s, uint32_t i, bool returns, unsigned role, unsigned letter, const value *given) {
    return s->at[i].returns == returns && s->at[i].role == (pattern_role)role && s->at[i].v == given[letter];
}

static bool line_holds(const sights *s, const line *l, const value *given) {
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = i + 1; j < s->n; j++)
            if (is_seen(s, i, true, l->role[0], l->letter[0], given) &&
                is_seen(s, j, l->twice, l->role[1], l->letter[1], given))
                return true;
    return false;
}

static bool all_hold(const sights *s, const drawn *d, value first, value second) {
    const value given[] = {first, second};
    for (unsigned k = 0; k < d->n; k++)
        if (!line_holds(s, &d->at[k], given)) return false;
    return true;
}

static bool is_found(const sights *s, const drawn *d) {
    for (uint32_t i = 0; i < s->values; i++) {
        for (uint32_t j = 0; !d->with_miss && j < s->values; j++)
            if (i != j && all_hold(s, d, s->v[i], s->v[j])) return true;
        for (uint32_t j = 0; d->with_miss && j < s->misses; j++)
            if (all_hold(s, d, s->v[i], s->miss[j])) return true;
    }
    return false;
}

/* Both letters are used in each, so that both stand for something. */
static void draw_lines(random_source *r, drawn *d) {
    *d = (drawn){.n = 1 + random_below(r, 4), .with_miss = random_below(r, 3) == 0};
    for (unsigned k = 0; k < d->n; k++) {
        line *l = &d->at[k];
        l->twice = k > 0 && random_below(r, 6) == 0;
        for (unsigned side = 0; side < 2; side++) {
            l->letter[side] = k == 0 ? side : random_below(r, 2);
            l->role[side] = d->with_miss && l->letter[side] ? DOES_MISS : random_below(r, 2);
        }
        if (l->twice) l->letter[0] = l->letter[1] = 0, l->role[0] = l->role[1] = random_below(r, 2);
    }
}

static void write_operation(const drawn *d, const line *l, unsigned side, text *out) {
    if (d->with_miss && l->letter[side]) text_add(out, "deq(empty)");
    else text_printf(out, "%s(%u)", l->role[side] == DOES_INSERT ? "enq" : "deq", l->letter[side] + 1);
}

static void write_pattern(const drawn *d, text *out) {
    text_add(out, "object queue\npattern drawn: by lot\n");
    for (unsigned k = 0; k < d->n; k++) {
        text_add(out, d->at[k].twice ? "  twice " : "  ");
        write_operation(d, &d->at[k], 0, out);
        if (!d->at[k].twice) text_add(out, " before ");
        if (!d->at[k].twice) write_operation(d, &d->at[k], 1, out);
        text_char(out, '\n');
    }
}

typedef struct tally {
    uint32_t compared, found, impossible;
} tally;

static void compare(const char *source, const drawn *d, const bound *b, const observed *x, tally *t) {
    error e = {0};
    text why = {0};
    sights s;
    pattern_set *p = pattern_file_parse(source, "drawn.pattern", &e);
    look(x, &s);
    const bool found = is_found(&s, d);
    if (!p) { /* no execution has it */
        assert_non_null(strstr(e.what, "no execution has pattern"));
        assert_false(found);
        t->impossible++;
        return;
    }
    observer *m = observer_of_patterns(p, b->o, &why);
    assert_non_null(m);
    const bool seen = observer_run(m, x, NULL, &why) == OBSERVER_BAD;
    if (seen != found) {
        text shown = {0};
        history_text(b, &shown);
        fail_msg("%s%s by the definition, %s by the automaton\n%s", source, found ? "found" : "not found",
                 seen ? "found" : "not found", text_str(&shown));
    }
    t->compared++;
    t->found += found;
    observer_close(m);
    text_free(&why);
}

static bool any_remove_is_pending(const observed *x) {
    for (uint32_t i = 0; i < x->n; i++)
        if (!x->op[i].nargs && x->op[i].res == VALUE_UNKNOWN) return true;
    return false;
}

static void by_definition(void **unused) {
    (void)unused;
    random_source r = {23};
    tally t = {0};
    unsigned histories = getenv("PLUMB_SOAK") ? 300000 : getenv("PLUMB_FEWER") ? 2000 : 20000;
    for (unsigned i = 0; i < histories; i++) {
        random_shape shape = shape_distinct(&r);
        drawn d;
        observed x;
        text source = {0};
        shape.operations = 2 + random_below(&r, 9);
        bound b = random_history(&r, "queue", &shape);
        draw_lines(&r, &d);
        write_pattern(&d, &source);
        if (observed_from_history(&x, b.o, b.h) && !any_remove_is_pending(&x))
            compare(text_str(&source), &d, &b, &x, &t);
        text_free(&source);
        free_bound(&b);
    }
    print_message("%u compared, %u found, %u impossible\n", t.compared, t.found, t.impossible);
    assert_true(t.compared > histories / 2 && t.found > t.compared / 20 && t.found < t.compared * 19 / 20);
}

TEST_MAIN(TEST(round_trip), TEST(mistakes), TEST(by_definition))
