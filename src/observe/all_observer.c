/* Kind `all`: every linearization at once. A configuration is a state of the object and the set of operations that took
 * effect and have not returned; an observer's state is a set of configurations (Alur, McMillan, Peled 1996). Sets are
 * kept once, so a state is a number. An operation takes effect as late as possible: when it, or one that it makes way
 * for, returns. */
#include "observe/observer.h"

#include "base/mem.h"
#include "base/word_table.h"

#include <assert.h>
#include <stdlib.h>

typedef struct observed_configuration {
    uint32_t effective; /* operations */
    uint32_t state;
} observed_configuration;

typedef struct observed_configurations {
    observed_configuration *c;
    uint32_t n, room;
} observed_configurations;

typedef struct all_observer {
    const object *o;
    budget unlimited;
    word_table states, sets;
    observed_configurations now, seen, next;
    state step;
} all_observer;

typedef struct all_state {
    uint32_t set; /* number; the first word of it: open operations */
    uint32_t bad;
} all_state;

static bool put(observed_configurations *s, observed_configuration c) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->c[i].effective == c.effective && s->c[i].state == c.state) return false;
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->c = MEM_GROW(s->c, observed_configuration, s->room);
    }
    s->c[s->n++] = c;
    return true;
}

static int compare(const void *a, const void *b) {
    const observed_configuration *x = a, *y = b;
    if (x->state != y->state) return x->state < y->state ? -1 : 1;
    return (x->effective > y->effective) - (x->effective < y->effective);
}

static uint32_t number(all_observer *m, observed_configurations *s, uint32_t open) {
    uint32_t words[1 + 2 * 4096], n = 0;
    uint32_t *w = s->n > 4096 ? MEM_ARRAY(uint32_t, 1 + 2 * (size_t)s->n) : words;
    if (s->n) qsort(s->c, s->n, sizeof *s->c, compare);
    for (uint32_t i = 0; i < s->n; i++) {
        assert(!i || compare(&s->c[i - 1], &s->c[i]) < 0);                       /* in order, each once */
        assert(!(s->c[i].effective & ~open) && s->c[i].state < m->states.count); /* what returned is left out */
    }
    w[n++] = open;
    for (uint32_t i = 0; i < s->n; i++) {
        w[n++] = s->c[i].effective;
        w[n++] = s->c[i].state;
    }
    uint32_t found = word_table_number(&m->sets, w, n);
    if (w != words) free(w);
    return found;
}

static void *open_all(const object *o, unsigned k) {
    (void)k;
    all_observer *m = MEM_NEW(all_observer);
    m->o = o;
    budget_init(&m->unlimited, 0, 0);
    word_table_init(&m->states, &m->unlimited);
    word_table_init(&m->sets, &m->unlimited);
    return m;
}

static void close_all(void *self) {
    all_observer *m = self;
    word_table_free(&m->states);
    word_table_free(&m->sets);
    FREE_ALL(m->now.c, m->seen.c, m->next.c);
    state_free(&m->step);
    free(m);
}

/* Numbers of states and sets mean something for one execution only: values may be others in the next. */
static bool prepare(void *self, const observed *x, text *why) {
    all_observer *m = self;
    (void)x;
    (void)why;
    word_table_free(&m->states);
    word_table_free(&m->sets);
    word_table_init(&m->states, &m->unlimited);
    word_table_init(&m->sets, &m->unlimited);
    return true;
}

static void start(void *self, observer_runs *out) {
    all_observer *m = self;
    m->step.n = 0;
    m->o->type->init(m->o, &m->step);
    m->now.n = 0;
    put(&m->now, (observed_configuration){0, word_table_number(&m->states, m->step.w, m->step.n)});
    observer_runs_add(out, &(all_state){.set = number(m, &m->now, 0)});
}

static void reach(all_observer *m, const observed *x, observed_configuration from, uint32_t open, uint32_t until);

static void take_effect(all_observer *m, const observed *x, observed_configuration from, uint32_t k, uint32_t open,
                        uint32_t until) {
    step_result r = STEP_LEGAL_MORE;
    assert(open >> k & 1 && !(from.effective >> k & 1) && k < x->n);
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        uint32_t n;
        value res;
        const uint32_t *w = word_table_words(&m->states, from.state, &n);
        state_set(&m->step, w, n);
        r = m->o->type->step(m->o, &m->step, &x->op[k], choice, &res);
        if (r == STEP_ILLEGAL) return;
        reach(m, x,
              (observed_configuration){from.effective | 1u << k, word_table_number(&m->states, m->step.w, m->step.n)},
              open, until);
    }
}

/* All configurations in which `until` took effect, into m->next. */
static void reach(all_observer *m, const observed *x, observed_configuration from, uint32_t open, uint32_t until) {
    if (from.effective >> until & 1) {
        put(&m->next, (observed_configuration){from.effective & ~(1u << until), from.state});
        return;
    }
    if (!put(&m->seen, from)) return;
    for (uint32_t rest = open & ~from.effective; rest; rest &= rest - 1)
        take_effect(m, x, from, (uint32_t)__builtin_ctz(rest), open, until);
}

static uint32_t load(all_observer *m, uint32_t set) {
    uint32_t n;
    const uint32_t *w = word_table_words(&m->sets, set, &n);
    m->now.n = 0;
    for (uint32_t i = 1; i < n; i += 2) put(&m->now, (observed_configuration){w[i], w[i + 1]});
    assert(n % 2 && m->now.n == n / 2);
    return w[0];
}

static void observe(void *self, const observed *x, const void *now, uint32_t e, observer_runs *out) {
    all_observer *m = self;
    all_state s = *(const all_state *)now;
    if (!s.bad && e < x->events && x->event[e].what != OBSERVED_POINT) {
        uint32_t k = x->event[e].op, open = load(m, s.set);
        assert((open >> k & 1) == (x->event[e].what == OBSERVED_RETURN) && m->now.n);
        if (x->event[e].what == OBSERVED_CALL) {
            s.set = number(m, &m->now, open | 1u << k);
        } else {
            m->seen.n = m->next.n = 0;
            for (uint32_t i = 0; i < m->now.n; i++) reach(m, x, m->now.c[i], open, k);
            s.bad = !m->next.n;
            s.set = number(m, &m->next, open & ~(1u << k));
        }
    }
    observer_runs_add(out, &s);
}

static observed_mood mood(void *self, const void *now) {
    (void)self;
    return ((const all_state *)now)->bad ? MOOD_BAD : MOOD_GOOD;
}

static bool is_exact(void *self, const observed *x) {
    (void)self;
    return !x->o->type->may_end && !criterion_is_together(&x->o->criterion);
}

const observer_kind observer_all = {
    .name = "all",
    .summary = "every linearization: sets of object states with what is pending (any object)",
    .state_size = sizeof(all_state),
    .open = open_all,
    .close = close_all,
    .prepare = prepare,
    .start = start,
    .observe = observe,
    .mood = mood,
    .is_exact = is_exact,
};
