/* Kind `pattern`: the automata of all bad patterns of the object at once. The letter of a value is guessed when the
 * value is first seen and forgotten when it is last seen, so that runs which differ only in what is over
 * become one. */
#include "observe/labels.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct pattern_observer {
    pattern_set *patterns;
    automaton *a;
    unsigned automata;
    labels l;
    bool lost; /* some guess could not be followed to its end */
} pattern_observer;

typedef struct pattern_state {
    uint64_t letter; /* two bits a thing: not seen (or over), any other, letter 1, letter 2 */
    uint8_t which, at;
    uint8_t used; /* letters that can be given only once and were */
    uint8_t padding[5];
} pattern_state;

enum { NOT_SEEN, ANY_OTHER, FIRST_LETTER };

static void *watch_for(pattern_set *s) {
    pattern_observer *m = MEM_NEW(pattern_observer);
    m->patterns = s;
    m->a = automata_of(s);
    m->automata = s->count;
    return m;
}

static void *open_patterns(const object *o, unsigned k) {
    (void)k;
    return watch_for(pattern_set_of(o->type->name));
}

static void close_patterns(void *self) {
    pattern_observer *m = self;
    pattern_set_free(m->patterns);
    free(m->a);
    free(m);
}

static bool prepare(void *self, const observed *x, text *why) {
    pattern_observer *m = self;
    m->lost = false;
    return labels_make(&m->l, x, why);
}

static void start(void *self, observer_runs *out) {
    pattern_observer *m = self;
    for (unsigned i = 0; i < m->automata; i++) {
        pattern_state s;
        memset(&s, 0, sizeof s);
        s.which = (uint8_t)i;
        s.at = AUTOMATON_START;
        observer_runs_add(out, &s);
    }
}

static void follow(pattern_observer *m, pattern_state s, uint32_t from, uint32_t to, observer_runs *out);

/* The thing gets this letter (or none), and the rest follows. */
static void go_on(pattern_observer *m, pattern_state s, uint32_t from, uint32_t to, unsigned code, observer_runs *out) {
    const label *b = &m->l.at[from];
    unsigned shift = 2u * b->thing;
    assert(code != NOT_SEEN && b->thing < m->l.things && s.at < m->a[s.which].states);
    s.letter = (s.letter & ~(UINT64_C(3) << shift)) | (uint64_t)code << shift;
    if (code >= FIRST_LETTER)
        s.at = m->a[s.which].next[s.at][pattern_symbol(b->returns, (pattern_role)b->role, code - FIRST_LETTER)];
    m->lost |= s.at == AUTOMATON_LOST;
    if (s.at == AUTOMATON_GOOD || s.at == AUTOMATON_LOST) return;
    if (b->is_last) s.letter &= ~(UINT64_C(3) << shift);
    follow(m, s, from + 1, to, out);
}

static bool may_have(const pattern_observer *m, const pattern_state *s, uint8_t thing, unsigned letter) {
    letter_kind k = m->a[s->which].of->letter[letter];
    if (k == LETTER_UNUSED || (k == LETTER_MISS) != m->l.is_miss[thing]) return false;
    return k == LETTER_VALUES || !(s->used >> letter & 1);
}

static void follow(pattern_observer *m, pattern_state s, uint32_t from, uint32_t to, observer_runs *out) {
    if (from == to || s.at == AUTOMATON_BAD) {
        observer_runs_add(out, &s);
        return;
    }
    const label *b = &m->l.at[from];
    unsigned code = s.letter >> 2 * b->thing & 3;
    assert(from < to && to <= m->l.n && s.which < m->automata && b->is_first == (code == NOT_SEEN));
    if (!b->is_first) {
        go_on(m, s, from, to, code, out);
        return;
    }
    go_on(m, s, from, to, ANY_OTHER, out);
    for (unsigned letter = 0; letter < PATTERN_LETTERS; letter++) {
        if (!may_have(m, &s, b->thing, letter)) continue;
        pattern_state given = s;
        given.used |= (uint8_t)((m->a[s.which].of->letter[letter] != LETTER_VALUES) << letter);
        go_on(m, given, from, to, FIRST_LETTER + letter, out);
    }
}

static void observe(void *self, const observed *x, const void *now, uint32_t e, observer_runs *out) {
    pattern_observer *m = self;
    pattern_state s;
    (void)x;
    memcpy(&s, now, sizeof s);
    follow(m, s, e ? m->l.end[e - 1] : 0, m->l.end[e], out);
}

static observed_mood mood(void *self, const void *now) {
    (void)self;
    return ((const pattern_state *)now)->at == AUTOMATON_BAD ? MOOD_BAD : MOOD_GOOD;
}

static void complaint(void *self, const void *now, text *why) {
    const pattern_observer *m = self;
    const pattern *p = &m->patterns->at[((const pattern_state *)now)->which];
    text_printf(why, "%s (%s)", p->name, p->sentence);
}

static bool is_exact(void *self, const observed *x) {
    const pattern_observer *m = self;
    (void)x;
    return !m->l.open_removes && !m->lost;
}

const observer_kind observer_pattern = {
    .name = "pattern",
    .summary =
        "bad patterns as finite automata; which values they track is guessed (queue, stack, register, lock, set)",
    .state_size = sizeof(pattern_state),
    .fits = labels_fit,
    .open = open_patterns,
    .close = close_patterns,
    .prepare = prepare,
    .start = start,
    .observe = observe,
    .mood = mood,
    .complaint = complaint,
    .is_exact = is_exact,
};

observer *observer_of_patterns(pattern_set *s, const object *o, text *why_not) {
    if (strcmp(s->object, o->type->name) != 0) {
        text_printf(why_not, "these patterns are of a %s, not of object %s", s->object, o->name);
    } else if (labels_fit(o, why_not)) {
        return observer_with(&observer_pattern, watch_for(s));
    }
    pattern_set_free(s);
    return NULL;
}
