/* Kind `count`: A_k, the history seen through its last k levels of order (engine/general/weaken.h has the levels). All
 * that is kept is how many operations of each type lie in each interval of levels; after every return, arithmetic on
 * these numbers says whether there is an object with such operations. No linearization anywhere (Bouajjani, Emmi, Enea,
 * Hamza, POPL 2015).
 *
 * Within a level all calls come before all returns. A value is certainly inside in the middle of level t when its
 * insert ended below t and its remove begins above t; middles are the best moments, so they are the only ones looked
 * at. */
#include "observe/labels.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_K = 4, LEVELS = MOST_K + 1, OPEN = LEVELS /* has not ended */, NEVER = 100 };
enum { INSERTS /* and misses, which are things of their own */, REMOVES, SEES, COUNTED_ROLES };

typedef struct count_observer {
    labels l;
    labels_family family;
    bool is_stack;
    unsigned k;
} count_observer;

typedef struct count_state {
    uint8_t count[LABELS_THINGS][COUNTED_ROLES][LEVELS][LEVELS + 1]; /* thing, role, first and last level */
    uint8_t unknown[LEVELS];            /* open operations that may remove anything, by first level */
    uint8_t first[OBSERVED_OPERATIONS]; /* of open operations */
    uint8_t top, returned, bad;
} count_state;

static void *open_count(const object *o, unsigned k) {
    count_observer *m = MEM_NEW(count_observer);
    assert(k <= MOST_K);
    m->k = k;
    m->family = labels_family_of(o);
    m->is_stack = !strcmp(o->type->name, "stack");
    return m;
}

static void close_count(void *self) { free(self); }

static bool prepare(void *self, const observed *x, text *why) {
    count_observer *m = self;
    return labels_make(&m->l, x, why);
}

static void start(void *self, observer_runs *out) {
    (void)self;
    count_state s;
    memset(&s, 0, sizeof s);
    observer_runs_add(out, &s);
}

/* ---- counting ---- */

#ifdef PLUMB_SELF_CHECKS
/* Of things there are, with a first level up to the top and a last one that is not before it; how many. */
static uint32_t count_all(const count_observer *m, const count_state *s) {
    uint32_t n = 0;
    for (unsigned i = 0; i < LEVELS; i++) {
        n += s->unknown[i];
        assert(!s->unknown[i] || i <= s->top);
        for (unsigned v = 0; v < LABELS_THINGS; v++)
            for (unsigned r = 0; r < COUNTED_ROLES; r++)
                for (unsigned j = 0; j <= OPEN; j++) {
                    assert(!s->count[v][r][i][j] || (v < m->l.things && i <= j && (j == OPEN || j <= s->top)));
                    n += s->count[v][r][i][j];
                }
    }
    return n;
}

static void check_counts(const count_observer *m, const count_state *s, uint32_t operations) {
    assert(s->top <= m->k && count_all(m, s) <= operations);
}

static void check_slid(const count_observer *m, const count_state *before, const count_state *after) {
    uint32_t counted = 0;
    for (unsigned v = 0; v < m->l.things; v++)
        for (unsigned r = 0; r < COUNTED_ROLES; r++)
            for (unsigned i = 0; i < LEVELS; i++)
                for (unsigned j = 0; j <= OPEN; j++)
                    counted += (uint32_t)before->count[v][r][i][j] - after->count[v][r][i][j];
    for (unsigned i = 0; i < LEVELS; i++) counted += (uint32_t)before->unknown[i] - after->unknown[i];
    assert(!counted && after->top + 1 == before->top);
}
#else
static void check_counts(const count_observer *m, const count_state *s, uint32_t operations) {
    (void)m, (void)s, (void)operations;
}
static void check_slid(const count_observer *m, const count_state *before, const count_state *after) {
    (void)m, (void)before, (void)after;
}
#endif

static unsigned lower(unsigned level) { return level ? level - 1 : 0; }

/* The two lowest levels become one. */
static void slide(const count_observer *m, count_state *s) {
    count_state t = *s;
    memset(t.count, 0, m->l.things * sizeof *t.count);
    memset(t.unknown, 0, sizeof t.unknown);
    for (unsigned i = 0; i < LEVELS; i++) {
        t.unknown[lower(i)] = (uint8_t)(t.unknown[lower(i)] + s->unknown[i]);
        for (unsigned v = 0; v < m->l.things; v++)
            for (unsigned r = 0; r < COUNTED_ROLES; r++)
                for (unsigned j = i; j <= OPEN; j++) {
                    uint8_t *to = &t.count[v][r][lower(i)][j == OPEN ? OPEN : lower(j)];
                    *to = (uint8_t)(*to + s->count[v][r][i][j]);
                }
    }
    for (unsigned i = 0; i < OBSERVED_OPERATIONS; i++) t.first[i] = (uint8_t)lower(t.first[i]);
    t.top--;
    check_slid(m, s, &t);
    *s = t;
}

/* What it returns says which type it is: while it runs it may be of any. (Of a set everything would be unknown then:
 * there the result that it is going to have counts from the start, which is sound for executions that are known to
 * their end.) */
static bool is_unknown_while_open(const count_observer *m, uint32_t k) {
    if (m->family == FAMILY_LOCK) return false;
    return m->l.pending_remove[k] || (m->family != FAMILY_SET && m->l.role[k] != DOES_INSERT);
}

static unsigned counted_role(const count_observer *m, uint32_t k) {
    return m->l.role[k] == DOES_REMOVE ? REMOVES : m->l.role[k] == DOES_SEE ? SEES : INSERTS;
}

static void call(const count_observer *m, count_state *s, uint32_t k) {
    if (s->returned && ++s->top > m->k) slide(m, s);
    s->returned = false;
    assert(s->top <= m->k);
    s->first[k] = s->top;
    if (is_unknown_while_open(m, k)) s->unknown[s->top]++;
    else if (m->l.of[k] != NO_THING) s->count[m->l.of[k]][counted_role(m, k)][s->top][OPEN]++;
}

static void give_back(const count_observer *m, count_state *s, uint32_t k) {
    unsigned i = s->first[k], r = counted_role(m, k);
    assert(i <= s->top);
    assert(!is_unknown_while_open(m, k) || s->unknown[i]);
    assert(is_unknown_while_open(m, k) || m->l.of[k] == NO_THING || s->count[m->l.of[k]][r][i][OPEN]);
    s->returned = true;
    s->first[k] = 0;
    if (is_unknown_while_open(m, k)) s->unknown[i]--;
    else if (m->l.of[k] != NO_THING) s->count[m->l.of[k]][r][i][OPEN]--;
    if (m->l.of[k] != NO_THING) s->count[m->l.of[k]][r][i][s->top]++;
}

/* ---- arithmetic ---- */

typedef struct role_interval { /* of the operations of one thing in one role */
    int count, ended;
    int first, last; /* of the only one, or of any: the earliest first, the latest last (NEVER: open) */
    int latest_first, earliest_last;
} role_interval;

static role_interval role_interval_of(const count_state *s, unsigned thing, unsigned role) {
    role_interval p = {.first = NEVER, .last = -1, .latest_first = -1, .earliest_last = NEVER};
    for (int i = 0; i <= s->top; i++)
        for (int j = i; j <= OPEN; j = j == s->top ? OPEN : j + 1) {
            int c = s->count[thing][role][i][j], last = j == OPEN ? NEVER : j;
            if (!c) continue;
            p.count += c;
            p.ended += j == OPEN ? 0 : c;
            if (i < p.first) p.first = i;
            if (i > p.latest_first) p.latest_first = i;
            if (last > p.last) p.last = last;
            if (last < p.earliest_last) p.earliest_last = last;
        }
    return p;
}

typedef struct value_interval { /* a value: when it comes and when it goes */
    int in_first, in_last, out_first, out_last;
    bool is_here, is_gone; /* its insert was called; its remove returned */
} value_interval;

typedef struct value_intervals {
    value_interval value[LABELS_THINGS];
    int n;
} value_intervals;

/* False: something is wrong already. `hole`: from this level on an open operation may have removed what is left. */
static bool look(const count_observer *m, const count_state *s, int hole, value_intervals *p) {
    p->n = 0;
    for (unsigned t = 0; t < m->l.things; t++) {
        if (m->l.is_miss[t]) continue;
        role_interval in = role_interval_of(s, t, INSERTS), out = role_interval_of(s, t, REMOVES);
        if (!in.count && !out.count) continue;
        if (out.ended && (!in.count || out.earliest_last < in.first)) return false;
        if (out.count > 1) return false;
        assert(p->n < LABELS_THINGS && in.ended <= in.count && out.ended <= out.count);
        p->value[p->n++] = (value_interval){.in_first = in.first,
                                            .in_last = in.last,
                                            .out_first = out.count ? out.first : hole,
                                            .out_last = out.last,
                                            .is_here = in.count,
                                            .is_gone = out.ended};
    }
    return true;
}

static bool covered_at(const value_intervals *p, const bool *left_out, int t) {
    for (int v = 0; v < p->n; v++)
        if (!(left_out && left_out[v]) && p->value[v].in_last < t && t < p->value[v].out_first) return true;
    return false;
}

static bool covered(const value_intervals *p, const bool *left_out, int from, int to) {
    for (int t = from; t <= to; t++)
        if (!covered_at(p, left_out, t)) return false;
    return true;
}

static bool misses_fit(const count_observer *m, const count_state *s, const value_intervals *p) {
    for (unsigned t = 0; t < m->l.things; t++) {
        role_interval miss = m->l.is_miss[t] ? role_interval_of(s, t, INSERTS) : (role_interval){0};
        if (miss.ended && covered(p, NULL, miss.first, miss.last)) return false;
    }
    return true;
}

static bool queue_fits(const value_intervals *p) {
    for (int a = 0; a < p->n; a++)
        for (int b = 0; b < p->n; b++)
            if (p->value[a].in_last < p->value[b].in_first && p->value[b].is_gone &&
                p->value[b].out_last < p->value[a].out_first)
                return false;
    return true;
}

/* A value that can be below all the others is taken away; none may be left. */
static bool stack_fits(const value_intervals *p) {
    bool away[LABELS_THINGS];
    int left = 0;
    for (int v = 0; v < p->n; v++) left += !(away[v] = p->value[v].in_last >= p->value[v].out_first);
    for (bool changed = true; changed && left;) {
        changed = false;
        for (int v = 0; v < p->n; v++) {
            const value_interval *i = &p->value[v];
            if (away[v] || covered(p, away, i->in_first, i->in_last) ||
                (i->is_gone && covered(p, away, i->out_first, i->out_last)))
                continue;
            away[v] = changed = true;
            left--;
        }
    }
    return !left;
}

/* From which level on an open operation may have removed anything. */
static int hole_of(const count_state *s) {
    for (int i = 0; i < LEVELS; i++)
        if (s->unknown[i]) return i;
    return NEVER;
}

static bool container_fits(const count_observer *m, const count_state *s) {
    value_intervals p;
    if (!look(m, s, hole_of(s), &p) || !misses_fit(m, s, &p)) return false;
    return m->is_stack ? stack_fits(&p) : queue_fits(&p);
}

static bool lock_fits(const count_observer *m, const count_state *s) {
    value_intervals p;
    if (!look(m, s, NEVER, &p)) return false;
    for (int a = 0; a < p.n; a++)
        for (int b = 0; b < a; b++)
            if (p.value[a].in_last < p.value[b].out_first && p.value[b].in_last < p.value[a].out_first &&
                p.value[a].is_here && p.value[b].is_here)
                return false;
    return true;
}

static int least(int a, int b) { return a < b ? a : b; }
static int greatest(int a, int b) { return a > b ? a : b; }

static bool register_fits(const count_observer *m, const count_state *s) {
    int ends[LABELS_THINGS], begins[LABELS_THINGS];
    for (unsigned t = 0; t < m->l.things; t++) {
        role_interval in = role_interval_of(s, t, INSERTS), out = role_interval_of(s, t, REMOVES);
        bool initial = t == m->l.initial;
        if (!initial && out.ended && (!in.count || out.earliest_last < in.first)) return false;
        ends[t] = initial ? -1 : least(in.earliest_last, out.earliest_last);
        begins[t] = greatest(in.latest_first, out.latest_first);
        for (unsigned u = 0; u < t; u++)
            if (ends[t] < begins[u] && ends[u] < begins[t]) return false;
    }
    return true;
}

/* One element: in from `since` to `until` for certain, by the operations that add, remove or see it. */
static bool set_fits(const count_observer *m, const count_state *s) {
    int since = NEVER, until = -1;
    for (unsigned t = 0; t < m->l.things; t++) {
        if (m->l.is_miss[t]) continue;
        role_interval in = role_interval_of(s, t, INSERTS), out = role_interval_of(s, t, REMOVES),
                      sees = role_interval_of(s, t, SEES);
        int needed = least(out.earliest_last, sees.earliest_last);
        if (needed != NEVER && (!in.count || needed < in.first)) return false;
        if (out.count > 1 || (out.count && out.last < sees.latest_first)) return false;
        since = least(in.earliest_last, sees.earliest_last);
        until = greatest(out.count ? out.first : hole_of(s), sees.latest_first);
    }
    for (unsigned t = 0; t < m->l.things; t++) {
        role_interval miss = m->l.is_miss[t] ? role_interval_of(s, t, INSERTS) : (role_interval){0};
        if (miss.ended && since < miss.first && miss.last < until) return false;
    }
    return true;
}

static bool fits(const count_observer *m, const count_state *s) {
    switch (m->family) {
    case FAMILY_REGISTER: return register_fits(m, s);
    case FAMILY_LOCK: return lock_fits(m, s);
    case FAMILY_SET: return set_fits(m, s);
    default: return container_fits(m, s);
    }
}

static void observe(void *self, const observed *x, const void *now, uint32_t e, observer_runs *out) {
    const count_observer *m = self;
    count_state s;
    memcpy(&s, now, sizeof s);
    if (!s.bad && e < x->events) {
        if (x->event[e].what == OBSERVED_CALL) call(m, &s, x->event[e].op);
        if (x->event[e].what == OBSERVED_RETURN) {
            give_back(m, &s, x->event[e].op);
            s.bad = !fits(m, &s);
        }
        check_counts(m, &s, x->n);
    }
    observer_runs_add(out, &s);
}

static observed_mood mood(void *self, const void *now) {
    (void)self;
    return ((const count_state *)now)->bad ? MOOD_BAD : MOOD_GOOD;
}

const observer_kind observer_count = {
    .name = "count",
    .summary = "A_k: operations of each type counted in the last k intervals, membership by arithmetic (queue, stack, "
               "register, lock, set)",
    .takes_k = true,
    .state_size = sizeof(count_state),
    .fits = labels_fit,
    .open = open_count,
    .close = close_count,
    .prepare = prepare,
    .start = start,
    .observe = observe,
    .mood = mood,
};
