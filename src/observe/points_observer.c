/* Kind `points`: the code says where its operations take effect, so there is one linearization to follow. Operations
 * that change nothing, by their method or by their result, need no mark: they are checked against every state that they
 * overlap.
 *
 * A bad state means that the marks do not explain the execution. Whether the marks are wrong or the object is, is for a
 * complete check of the same history to say. */
#include "observe/observer.h"

#include "base/mem.h"
#include "base/word_table.h"

#include <assert.h>
#include <stdlib.h>

typedef struct points_observer {
    const object *o;
    budget unlimited;
    word_table states;
    state step;
} points_observer;

typedef enum points_wrong {
    POINTS_RIGHT,
    POINTS_ILLEGAL,
    POINTS_MISSING,
    POINTS_OUTSIDE,
    POINTS_UNSEEN,
    POINTS_MANY
} points_wrong;

typedef struct points_state {
    uint32_t state;   /* of the object, as a number */
    uint32_t open;    /* operations that are running */
    uint32_t marked;  /* of these: took effect */
    uint32_t matched; /* of these: change nothing, and fitted some state since their call */
    uint32_t wrong;   /* points_wrong */
} points_state;

static void *open_points(const object *o, unsigned k) {
    (void)k;
    points_observer *m = MEM_NEW(points_observer);
    m->o = o;
    budget_init(&m->unlimited, 0, 0);
    word_table_init(&m->states, &m->unlimited);
    return m;
}

static void close_points(void *self) {
    points_observer *m = self;
    word_table_free(&m->states);
    state_free(&m->step);
    free(m);
}

static bool prepare(void *self, const observed *x, text *why) {
    points_observer *m = self;
    (void)x;
    (void)why;
    word_table_free(&m->states);
    word_table_init(&m->states, &m->unlimited);
    return true;
}

static void start(void *self, observer_runs *out) {
    points_observer *m = self;
    m->step.n = 0;
    m->o->type->init(m->o, &m->step);
    observer_runs_add(out, &(points_state){.state = word_table_number(&m->states, m->step.w, m->step.n)});
}

static step_result try_step(points_observer *m, uint32_t from, const operation *op) {
    uint32_t n;
    value res;
    assert(from < m->states.count);
    const uint32_t *w = word_table_words(&m->states, from, &n);
    state_set(&m->step, w, n);
    return m->o->type->step(m->o, &m->step, op, 0, &res);
}

/* Those that change nothing and have been waiting for a state that fits them. */
static void match_open(points_observer *m, const observed *x, points_state *s) {
    for (uint32_t rest = s->open & ~s->matched; rest; rest &= rest - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(rest);
        if (object_changes_nothing(m->o, &x->op[k]) && try_step(m, s->state, &x->op[k]) != STEP_ILLEGAL)
            s->matched |= 1u << k;
    }
}

static points_wrong take_effect(points_observer *m, const observed *x, points_state *s, uint32_t k) {
    if (!(s->open >> k & 1)) return POINTS_OUTSIDE;
    if (object_changes_nothing(m->o, &x->op[k])) return POINTS_RIGHT;
    step_result r = try_step(m, s->state, &x->op[k]);
    if (r == STEP_ILLEGAL) return POINTS_ILLEGAL;
    s->marked |= 1u << k;
    s->state = word_table_number(&m->states, m->step.w, m->step.n);
    return r == STEP_LEGAL ? POINTS_RIGHT : POINTS_MANY;
}

static points_wrong give_back(points_observer *m, const observed *x, points_state *s, uint32_t k) {
    uint32_t bit = 1u << k;
    bool changes = !object_changes_nothing(m->o, &x->op[k]), fine = (changes ? s->marked : s->matched) & bit;
    s->open &= ~bit;
    s->marked &= ~bit;
    s->matched &= ~bit;
    return fine ? POINTS_RIGHT : changes ? POINTS_MISSING : POINTS_UNSEEN;
}

static void observe(void *self, const observed *x, const void *now, uint32_t e, observer_runs *out) {
    points_observer *m = self;
    points_state s = *(const points_state *)now;
    if (!s.wrong && e < x->events) {
        uint32_t k = x->event[e].op;
        switch (x->event[e].what) {
        case OBSERVED_CALL: s.open |= 1u << k; break;
        case OBSERVED_POINT: s.wrong = take_effect(m, x, &s, k); break;
        default: s.wrong = give_back(m, x, &s, k);
        }
        if (!s.wrong) match_open(m, x, &s);
        assert(!((s.marked | s.matched) & ~s.open) && !(s.marked & s.matched));
    }
    observer_runs_add(out, &s);
}

static observed_mood mood(void *self, const void *now) {
    (void)self;
    uint32_t wrong = ((const points_state *)now)->wrong;
    return wrong == POINTS_RIGHT ? MOOD_GOOD : wrong == POINTS_MANY ? MOOD_LOST : MOOD_BAD_POINT;
}

static void complaint(void *self, const void *now, text *why) {
    (void)self;
    static const char *const said[] = {
        [POINTS_RIGHT] = "",
        [POINTS_ILLEGAL] = "an operation cannot return what it returned when it takes effect at its mark",
        [POINTS_MISSING] = "an operation that changes the object returned without a mark",
        [POINTS_OUTSIDE] = "a mark outside of its operation",
        [POINTS_UNSEEN] = "no state during an operation that changes nothing explains its result",
        [POINTS_MANY] = "the object has several outcomes at a mark"};
    text_add(why, said[((const points_state *)now)->wrong]);
}

static bool is_exact(void *self, const observed *x) {
    (void)self;
    return !x->o->type->may_end && !criterion_is_together(&x->o->criterion);
}

const observer_kind observer_points = {
    .name = "points",
    .summary = "fixed linearization points: plumb_linearizes_here() says where; what changes nothing needs no mark "
               "(any object)",
    .needs_points = true,
    .state_size = sizeof(points_state),
    .open = open_points,
    .close = close_points,
    .prepare = prepare,
    .start = start,
    .observe = observe,
    .mood = mood,
    .complaint = complaint,
    .is_exact = is_exact,
};
