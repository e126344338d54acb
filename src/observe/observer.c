#include "observe/observer.h"

#include "base/hash.h"
#include "base/table.h"
#include "observe/pattern_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct observer_runs {
    size_t size; /* of a state */
    unsigned char *state;
    uint32_t n, room;
    table known; /* by state; not kept while there are few */
};
enum { FEW = 8 };

struct observer {
    const observer_kind *kind;
    void *self;
    observer_runs now, next;
};

/* ---- sets of flat states ---- */

static void *state_at(const observer_runs *s, uint32_t i) { return s->state + i * s->size; }

/* Each state once; where there are many, all of them are in the table. */
#ifdef PLUMB_SELF_CHECKS
static void check_runs(const observer_runs *s) {
    assert(s->n <= s->room && s->known.count == (s->n >= FEW ? s->n : 0));
    for (uint32_t i = 1; i < s->n && i < FEW; i++)
        for (uint32_t k = 0; k < i; k++) assert(memcmp(s->state + i * s->size, s->state + k * s->size, s->size));
}
#else
static void check_runs(const observer_runs *s) { (void)s; }
#endif

static void clear(observer_runs *s) {
    check_runs(s);
    table_clear(&s->known);
    s->n = 0;
    check_runs(s);
}

static uint32_t run_hash(const void *owner, uint32_t i) {
    const observer_runs *s = owner;
    return (uint32_t)hash_bytes(state_at(s, i), s->size);
}

static bool run_is(const void *owner, uint32_t i, const void *now) {
    const observer_runs *s = owner;
    return !memcmp(state_at(s, i), now, s->size);
}

static bool is_known(const observer_runs *s, const void *now) {
    return table_find(&s->known, (uint32_t)hash_bytes(now, s->size), run_is, s, now) != TABLE_NONE;
}

static bool is_among_few(const observer_runs *s, const void *now) {
    for (uint32_t i = 0; i < s->n; i++)
        if (!memcmp(state_at(s, i), now, s->size)) return true;
    return false;
}

void observer_runs_add(observer_runs *s, const void *now) {
    if (s->n < FEW ? is_among_few(s, now) : is_known(s, now)) return;
    if (s->n == s->room) s->state = mem_resize(s->state, s->room = s->room ? 2 * s->room : 16, s->size);
    memcpy(state_at(s, s->n++), now, s->size);
    for (uint32_t i = s->n == FEW ? 0 : s->n - 1; i < s->n && s->n >= FEW; i++)
        table_add(&s->known, run_hash(s, i), run_hash, s, i);
    assert(s->n <= s->room);
}

static void set_free(observer_runs *s) {
    free(s->state);
    table_free(&s->known);
}

/* ---- kinds ---- */

extern const observer_kind observer_all, observer_points, observer_pattern, observer_count;
static const observer_kind *const kinds[] = {&observer_all, &observer_points, &observer_pattern, &observer_count};

const observer_kind *observer_kind_at(unsigned i) { return i < sizeof kinds / sizeof *kinds ? kinds[i] : NULL; }

const observer_kind *observer_kind_find(const char *name) {
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->name, name)) return kinds[i];
    return NULL;
}

bool observer_parse(const char *what, const observer_kind **kind, unsigned *k, error *e) {
    char name[32] = "";
    size_t length = strcspn(what, ",");
    if (length < sizeof name) memcpy(name, what, length);
    *kind = observer_kind_find(name);
    *k = 2;
    if (!*kind)
        return error_set(
            e, EXIT_USAGE,
            "unknown monitor '%s'; expected all, points, pattern, count,k=N or a file whose name ends in .pattern",
            what);
    if (!what[length]) return true;
    char *end = (char *)(uintptr_t)what;
    unsigned long given = !strncmp(what + length, ",k=", 3) ? strtoul(what + length + 3, &end, 10) : 0;
    if (!(*kind)->takes_k || end == what || *end || end == what + length + 3 || given > 4)
        return error_set(e, EXIT_USAGE, "monitor '%s': expected %s", what,
                         (*kind)->takes_k ? "k=0 to k=4 after the comma" : "nothing after its name");
    *k = (unsigned)given;
    return true;
}

observer *observer_with(const observer_kind *kind, void *self) {
    observer *m = MEM_NEW(observer);
    m->kind = kind;
    m->self = self;
    m->now.size = m->next.size = kind->state_size;
    return m;
}

observer *observer_open(const observer_kind *kind, const object *o, unsigned k, text *why_not) {
    if (kind->fits && !kind->fits(o, why_not)) return NULL;
    return observer_with(kind, kind->open(o, k));
}

static observer *asked_by_kind(const char *what, const object *o, text *why_not, error *e) {
    const observer_kind *kind;
    unsigned k;
    return observer_parse(what, &kind, &k, e) ? observer_open(kind, o, k, why_not) : NULL;
}

static observer *asked_by_file(const char *what, const object *o, text *why_not, error *e) {
    pattern_set *s = pattern_file_open(what, e);
    return s ? observer_of_patterns(s, o, why_not) : NULL;
}

observer *observer_asked(const char *what, const object *o, error *e) {
    text why_not = {0};
    observer *m = pattern_file_named(what) ? asked_by_file(what, o, &why_not, e) : asked_by_kind(what, o, &why_not, e);
    if (!m && why_not.size) error_set(e, EXIT_USAGE, "--monitor %s: %s", what, text_str(&why_not));
    text_free(&why_not);
    return m;
}

bool observer_needs_points(const observer *m) { return m->kind->needs_points; }

void observer_close(observer *m) {
    if (!m) return;
    m->kind->close(m->self);
    set_free(&m->now);
    set_free(&m->next);
    free(m);
}

/* ---- running ---- */

static observed_mood worst(const observer *m, const void **which) {
    observed_mood found = MOOD_GOOD;
    for (uint32_t i = 0; i < m->now.n && found == MOOD_GOOD; i++) {
        *which = state_at(&m->now, i);
        found = m->kind->mood(m->self, *which);
    }
    return found;
}

static void step(observer *m, const observed *x, uint32_t e) {
    clear(&m->next);
    for (uint32_t i = 0; i < m->now.n; i++) m->kind->observe(m->self, x, state_at(&m->now, i), e, &m->next);
    observer_runs swapped = m->now;
    m->now = m->next;
    m->next = swapped;
}

#ifndef NDEBUG
/* Calls, points and returns of operations there are, each at most once, a return behind its call and with a result. */
static bool is_execution(const observed *x) {
    uint32_t called = 0, returned = 0;
    if (x->n > OBSERVED_OPERATIONS || x->events > OBSERVED_EVENTS) return false;
    for (uint32_t e = 0; e < x->events; e++) {
        const uint32_t k = x->event[e].op;
        if (k >= x->n) return false;
        const uint32_t bit = 1u << k;
        if (x->event[e].what == OBSERVED_CALL ? called & bit : x->event[e].what == OBSERVED_RETURN && returned & bit)
            return false;
        if (x->event[e].what == OBSERVED_CALL) called |= bit;
        if (x->event[e].what != OBSERVED_RETURN) continue;
        if (!(called & bit) || x->op[k].res == VALUE_UNKNOWN) return false;
        returned |= bit;
    }
    return true;
}
#endif

static observer_verdict run_part(observer *m, const observed *x, uint32_t *at, text *why) {
    static const observer_verdict said[] = {
        [MOOD_BAD] = OBSERVER_BAD, [MOOD_BAD_POINT] = OBSERVER_BAD_POINT, [MOOD_LOST] = OBSERVER_UNDECIDED};
    const void *which;
    if (m->kind->prepare && !m->kind->prepare(m->self, x, why)) return OBSERVER_UNDECIDED;
    clear(&m->now);
    m->kind->start(m->self, &m->now);
    for (*at = 0; *at <= x->events; ++*at) {
        step(m, x, *at);
        observed_mood found = worst(m, &which);
        if (found == MOOD_GOOD) continue;
        if (m->kind->complaint) m->kind->complaint(m->self, which, why);
        return said[found];
    }
    return m->kind->is_exact && m->kind->is_exact(m->self, x) ? OBSERVER_GOOD : OBSERVER_SILENT;
}

static bool same_part(const object *o, const operation *a, const operation *b) {
    const object_type *t = o->type;
    if (t->part) return t->part(o, a) == t->part(o, b);
    return a->key == b->key && (!t->parts_by_arg || a->arg[0] == b->arg[0]);
}

/* The part of operation `first`; `event` receives which events of the whole these are. */
static uint32_t select_part(const observed *x, uint32_t first, observed *out, uint32_t *event) {
    uint8_t number[OBSERVED_OPERATIONS];
    uint32_t members = 0;
    out->o = x->o;
    out->n = out->events = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        if (!same_part(x->o, &x->op[first], &x->op[i])) continue;
        members |= 1u << i;
        number[i] = (uint8_t)out->n;
        out->op[out->n] = x->op[i];
        out->op[out->n++].index = i;
    }
    for (uint32_t e = 0; e < x->events; e++) {
        if (!(members >> x->event[e].op & 1)) continue;
        event[out->events] = e;
        out->event[out->events++] = (observed_event){x->event[e].what, number[x->event[e].op]};
    }
    event[out->events] = x->events;
    return members;
}

observer_verdict observer_run(observer *m, const observed *x, uint32_t *at, text *why) {
    uint32_t rest = x->n == 32 ? UINT32_MAX : (1u << x->n) - 1, event[OBSERVED_EVENTS + 1], bad_at;
    observer_verdict all = OBSERVER_GOOD;
    assert(is_execution(x));
    while (rest) {
        observed part;
        const uint32_t members = select_part(x, (uint32_t)__builtin_ctz(rest), &part, event);
        assert(members >> __builtin_ctz(rest) & 1 && !(members & ~rest)); /* each operation is in one part */
        assert((uint32_t)__builtin_popcount(members) == part.n && is_execution(&part));
        rest &= ~members;
        observer_verdict v = run_part(m, &part, &bad_at, why);
        if (at) *at = v == OBSERVER_BAD || v == OBSERVER_BAD_POINT ? event[bad_at] : x->events;
        if (v == OBSERVER_BAD || v == OBSERVER_BAD_POINT) return v;
        if (v == OBSERVER_UNDECIDED || all == OBSERVER_GOOD) all = v;
    }
    return all;
}

static int by_rank(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

bool observed_from_history(observed *x, const object *o, const history *h) {
    uint64_t order[2 * OBSERVED_OPERATIONS];
    uint32_t count = 0;
    if (h->n > OBSERVED_OPERATIONS) return false;
    x->o = o;
    x->n = h->n;
    for (uint32_t i = 0; i < h->n; i++) {
        history_operation(h, i, &x->op[i]);
        order[count++] = (uint64_t)h->call[i] << 8 | i << 1;
        if (!history_pending(h, i)) order[count++] = (uint64_t)h->ret[i] << 8 | i << 1 | 1;
    }
    qsort(order, count, sizeof *order, by_rank);
    for (uint32_t e = 1; e < count; e++) assert(order[e - 1] >> 8 <= order[e] >> 8);
    x->events = count;
    for (uint32_t e = 0; e < count; e++)
        x->event[e] =
            (observed_event){order[e] & 1 ? OBSERVED_RETURN : OBSERVED_CALL, (uint8_t)((order[e] & 0xff) >> 1)};
    return true;
}
