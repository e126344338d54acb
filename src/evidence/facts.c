#include "evidence/facts.h"

enum { QUESTION_STEPS = 20000, QUESTIONS = 1500, FIRST_QUESTION_STEPS = 1000000, TIME_FACTS_MAX = 8, PAIRS_FROM = 32 };
/* of all questions but the first; what can be explained takes a few thousand, at most 40,000 were seen */
enum { STEPS = 100000 };
enum { QUESTIONS_TOGETHER = 40 }; /* steps of several operations cost more */

typedef struct order {
    uint32_t a, b; /* a comes before b */
} order;

typedef struct inquiry {
    const object *o;
    history *loose;     /* the core's operations, all of them overlapping */
    uint32_t questions; /* left */
    uint64_t steps;     /* taken by all but the first */
    facts *out;
} inquiry;

/* The same operations with all calls before all returns: no order is left in it. */
static history *without_order(const history *only) {
    uint32_t all[ORACLE_MAX_OPERATIONS];
    for (uint32_t i = 0; i < only->n; i++) all[i] = i;
    history *loose = history_select(only, all, only->n, RANK_NEVER);
    for (uint32_t i = 0; i < loose->n; i++) {
        loose->call[i] = i;
        if (loose->ret[i] != RANK_NEVER) loose->ret[i] = loose->n + i;
    }
    return loose;
}

/* Is there surely no order that the object allows and that agrees with these? */
static bool impossible_within(inquiry *q, const order *given, uint32_t n, uint64_t steps) {
    uint32_t before[ORACLE_MAX_OPERATIONS] = {0};
    for (uint32_t k = 0; k < n; k++) before[given[k].b] |= 1u << given[k].a;
    return oracle_linearizable_with(q->o, q->loose, before, steps, &q->steps) == ORACLE_NO;
}

static bool impossible(inquiry *q, const order *given, uint32_t n) {
    if (q->questions == 0 || q->steps > STEPS) return false;
    q->questions--;
    return impossible_within(q, given, n, QUESTION_STEPS);
}

fact *facts_add(facts *f, fact_kind kind, uint32_t a, uint32_t b, uint32_t from) {
    if (f->n == FACTS_MAX) return NULL;
    fact *new_fact = &f->fact[f->n++];
    *new_fact = (fact){.kind = kind, .a = a, .b = b, .from = from};
    return new_fact;
}

/* ---- the times that matter ---- */

/* Those that concern pending operations come first: they are the first to be tried without, since they are harder to
 * follow. */
static uint32_t all_time_orders(const history *only, order *list) {
    uint32_t n = 0;
    for (int completed = 0; completed < 2; completed++)
        for (uint32_t a = 0; a < only->n; a++)
            for (uint32_t b = 0; b < only->n; b++)
                if (history_before(only, a, b) && history_pending(only, b) == !completed) list[n++] = (order){a, b};
    return n;
}

/* One or two that are impossible already: the shortest stories. */
static uint32_t find_few(inquiry *q, order *list, uint32_t n) {
    if (impossible(q, list, 0)) return 0;
    for (uint32_t i = n; i-- > 0;)
        if (impossible(q, &list[i], 1)) {
            list[0] = list[i];
            return 1;
        }
    for (uint32_t i = n; i-- > 0 && n <= PAIRS_FROM;)
        for (uint32_t j = i; j-- > 0;) {
            order pair[] = {list[j], list[i]};
            if (!impossible(q, pair, 2)) continue;
            memcpy(list, pair, sizeof pair);
            return 2;
        }
    return n;
}

/* Leaves out list[at .. at+count) when the rest is impossible still. */
static uint32_t try_without(inquiry *q, order *list, uint32_t n, uint32_t at, uint32_t count) {
    order rest[ORACLE_MAX_OPERATIONS * ORACLE_MAX_OPERATIONS];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < n; k++)
        if (k < at || k >= at + count) rest[kept++] = list[k];
    if (!impossible(q, rest, kept)) return n;
    memcpy(list, rest, kept * sizeof *list);
    return kept;
}

/* More orders are more impossible, so one pass with single ones leaves a smallest set. */
static uint32_t smallest_impossible(inquiry *q, order *list, uint32_t n) {
    for (uint32_t size = n; size > 0; size = size > n ? n : size / 2)
        for (uint32_t at = 0; at < n;) {
            uint32_t less = try_without(q, list, n, at, size);
            if (less == n) at += size;
            n = less;
        }
    return n;
}

/* ---- what follows ---- */

typedef struct premise {
    order o;
    uint32_t fact; /* its number */
} premise;

static bool forces(inquiry *q, const premise *given, uint32_t n, order conclusion) {
    order list[TIME_FACTS_MAX + 1];
    for (uint32_t k = 0; k < n; k++) list[k] = given[k].o;
    list[n] = (order){conclusion.b, conclusion.a};
    return impossible(q, list, n + 1);
}

static uint32_t facts_of(const premise *given, uint32_t n) {
    uint32_t set = 0;
    for (uint32_t k = 0; k < n; k++) set |= 1u << given[k].fact;
    return set;
}

/* One premise alone may force something with which the others still force the goal: a step in between. */
static bool find_step(inquiry *q, premise *given, uint32_t n, uint32_t at, order goal) {
    const history *only = q->out->only;
    premise changed[TIME_FACTS_MAX];
    memcpy(changed, given, n * sizeof *given);
    for (uint32_t a = 0; a < only->n; a++)
        for (uint32_t b = 0; b < only->n; b++) {
            if (a == b || history_pending(only, a) || history_pending(only, b) || history_before(only, a, b)) continue;
            if (a == goal.a && b == goal.b) continue;
            changed[at].o = (order){a, b};
            if (!forces(q, &given[at], 1, changed[at].o) || forces(q, NULL, 0, changed[at].o)) continue;
            if (!forces(q, changed, n, goal)) continue;
            changed[at].fact = q->out->n;
            if (!facts_add(q->out, FACT_FORCED, a, b, 1u << given[at].fact)) return false;
            given[at] = changed[at];
            return true;
        }
    return false;
}

static order latest(const history *only, order *list, uint32_t *n) {
    uint32_t best = 0;
    for (uint32_t k = 1; k < *n; k++)
        if (only->call[list[k].b] > only->call[list[best].b]) best = k;
    order chosen = list[best];
    memmove(list + best, list + best + 1, (*n - best - 1) * sizeof *list);
    --*n;
    return chosen;
}

/* The latest of the times says a before b. By the smallest set's making, the others force b before a. */
static void contradict(inquiry *q, order *times, uint32_t n) {
    facts *f = q->out;
    premise given[TIME_FACTS_MAX];
    order last = latest(f->only, times, &n), goal = {last.b, last.a};
    for (uint32_t k = 0; k < n; k++) {
        given[k] = (premise){times[k], f->n};
        facts_add(f, FACT_TIME, times[k].a, times[k].b, 0);
    }
    for (uint32_t k = 0; k < n && n > 1; k++) find_step(q, given, n, k, goal);
    facts_add(f, FACT_FORCED, goal.a, goal.b, facts_of(given, n));
    facts_add(f, FACT_TIME, last.a, last.b, 0);
    facts_add(f, FACT_NO_ORDER, 0, 0, 3u << (f->n - 2));
}

/* Where operations take effect together, one that does not come after another need not come before it: nothing is
 * forced. What stays true is that the times allow no sequence of steps. */
static void list_times(inquiry *q, const order *times, uint32_t n) {
    uint32_t from = 0;
    for (uint32_t k = 0; k < n; k++) {
        from |= 1u << q->out->n;
        facts_add(q->out, FACT_TIME, times[k].a, times[k].b, 0);
    }
    facts_add(q->out, FACT_NO_ORDER, 0, 0, from);
}

/* ---- all of it ---- */

static void find_contradiction(inquiry *q, const history *h, const object *o, const core *c) {
    order times[ORACLE_MAX_OPERATIONS * ORACLE_MAX_OPERATIONS];
    uint32_t n = all_time_orders(q->out->only, times);
    if (!impossible_within(q, times, n, FIRST_QUESTION_STEPS)) return;
    q->steps = 0;
    n = find_few(q, times, n);
    if (n > 2) n = smallest_impossible(q, times, n);
    if (n == 0) {
        if (!facts_find_value(h, o, c, q->out)) facts_find_over(h, o, c, q->out);
        facts_add(q->out, FACT_NO_ORDER, 0, 0, 0);
    } else if (n <= TIME_FACTS_MAX && criterion_is_together(&o->criterion)) {
        list_times(q, times, n);
    } else if (n <= TIME_FACTS_MAX) {
        contradict(q, times, n);
    }
}

void facts_find(const history *h, const object *o, const core *c, facts *out) {
    object begun = core_object(o, c); /* where values came from is asked of the whole history instead */
    *out = (facts){.only = history_select(h, c->op, c->n, c->cut)};
    if (out->only->n > ORACLE_MAX_OPERATIONS || !criterion_keeps_time(&o->criterion)) return; /* they are about times */
    inquiry q = {.o = &begun, .loose = without_order(out->only), .questions = QUESTIONS, .out = out};
    if (criterion_is_together(&o->criterion)) q.questions = QUESTIONS_TOGETHER;
    find_contradiction(&q, h, o, c);
    history_free(q.loose);
    fact stuck;
    bool plain = out->n && (out->fact[0].kind <= FACT_OVER && out->fact[0].kind >= FACT_NEVER_IN);
    if (criterion_is_together(&o->criterion)) return; /* that is about orders */
    if (!plain && out->n < FACTS_MAX && facts_find_stuck(&begun, out->only, &stuck)) out->fact[out->n++] = stuck;
}

void facts_free(facts *f) {
    history_free(f->only);
    *f = (facts){0};
}
