#include "support/differential.h"

#include "evidence/oracle.h"

#include <stdio.h>

enum { ORACLE_STEPS = 400000, MISMATCHES_SHOWN = 3 };

typedef struct entry {
    const char *object;
    object_group group;
} entry;

/* Objects that are not named here are tested with GROUP_OTHERS, so that a new one is never forgotten. */
static const entry entries[] = {
    {"queue", GROUP_CONTAINERS},
    {"queue(capacity=2)", GROUP_CONTAINERS},
    {"stack", GROUP_CONTAINERS},
    {"stack(capacity=2)", GROUP_CONTAINERS},
    {"deque", GROUP_CONTAINERS},
    {"deque(capacity=2)", GROUP_CONTAINERS},
    {"pqueue-max", GROUP_CONTAINERS},
    {"pqueue-min", GROUP_CONTAINERS},
    {"multiset", GROUP_CONTAINERS},
    {"multiset(capacity=2)", GROUP_CONTAINERS},
    {"register", GROUP_REGISTERS},
    {"cas-register", GROUP_REGISTERS},
    {"swmr-register", GROUP_REGISTERS},
    {"max-register", GROUP_REGISTERS},
    {"kv", GROUP_REGISTERS},
    {"set", GROUP_REGISTERS},
    {"counter", GROUP_REGISTERS},
    {"fetch-add", GROUP_REGISTERS},
    {"semaphore", GROUP_OTHERS},
    {"semaphore(2)", GROUP_OTHERS},
    {"semaphore(2, bounded=1)", GROUP_OTHERS},
    {"snapshot", GROUP_OTHERS},
    {"snapshot(3)", GROUP_OTHERS},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static bool exists(const char *object_name) { return object_type_find(object_name, strcspn(object_name, "(")); }

static bool is_named(const object_type *t) {
    for (unsigned i = 0; i < ENTRIES; i++)
        if (object_type_find(entries[i].object, strcspn(entries[i].object, "(")) == t) return true;
    return false;
}

/* The n-th object of all that are tested; NULL behind the last. */
static const char *nth_object(unsigned n, object_group *group) {
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (!exists(entries[i].object) || n--) continue;
        *group = entries[i].group;
        return entries[i].object;
    }
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        if (is_named(t) || !one_by_one(t) || n--) continue;
        *group = GROUP_OTHERS;
        return t->name;
    }
    return NULL;
}

static unsigned object_count(void) {
    unsigned n = 0;
    object_group unused;
    while (nth_object(n, &unused)) n++;
    return n;
}

/* ---- one history ---- */

typedef struct tally {
    unsigned histories, linearizable, undecided, mismatches;
} tally;

/* Empty when all is well, or when the oracle gives up. */
static oracle_answer look(const bound *b, uint64_t seed, check c, text *wrong) {
    oracle_answer a = oracle_linearizable(b->o, b->h, ORACLE_STEPS);
    text_clear(wrong);
    if (a != ORACLE_GAVE_UP) c(&(check_run){.b = b, .seed = seed, .linearizable = a == ORACLE_YES, .wrong = wrong});
    return a;
}

/* Leaves out operations one at a time for as long as something stays wrong. */
static history *smaller(const bound *b, const history *h, uint64_t seed, check c, text *wrong) {
    for (uint32_t out = 0; out < h->n; out++) {
        uint32_t kept[RANDOM_MAX_OPERATIONS], n = 0;
        for (uint32_t i = 0; i < h->n; i++)
            if (i != out) kept[n++] = i;
        history *less = history_select(h, kept, n, RANK_NEVER);
        look(&(bound){.o = b->o, .h = less}, seed, c, wrong);
        if (wrong->size) return less;
        history_free(less);
    }
    return NULL;
}

static void show(const bound *b, uint64_t seed, check c) {
    text wrong = {0}, t = {0};
    history *chain[RANDOM_MAX_OPERATIONS + 1], *h = b->h;
    unsigned length = 0;
    while ((h = smaller(b, h, seed, c, &wrong))) chain[length++] = h; /* each shares values with the one before */
    bound smallest = {.o = b->o, .h = length ? chain[length - 1] : b->h};
    look(&smallest, seed, c, &wrong);
    history_text(&smallest, &t);
    printf("MISMATCH: object %s, PLUMB_SEED=%llu: %s\n%s", b->o->name, (unsigned long long)seed, text_str(&wrong),
           text_str(&t));
    while (length) history_free(chain[--length]);
    text_free(&wrong);
    text_free(&t);
}

static void one_history(const char *object_name, uint64_t seed, check c, tally *t) {
    random_source r = {.s = seed};
    random_shape shape = random_shape_any(&r);
    bound b = random_history(&r, object_name, &shape);
    text wrong = {0};
    oracle_answer a = look(&b, seed, c, &wrong);
    t->histories++;
    t->linearizable += a == ORACLE_YES;
    t->undecided += a == ORACLE_GAVE_UP;
    if (wrong.size && t->mismatches++ < MISMATCHES_SHOWN) show(&b, seed, c);
    text_free(&wrong);
    free_bound(&b);
}

static uint64_t number_from_environment(const char *name, uint64_t otherwise) {
    const char *s = getenv(name);
    return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

static unsigned one_object(const char *object_name, uint64_t count, uint64_t first, check c) {
    tally t = {0};
    for (uint64_t i = 0; i < count; i++) one_history(object_name, first + i * 0x9e3779b97f4a7c15u, c, &t);
    printf("%-20s %8u histories, %3u%% linearizable, %u beyond the oracle, %u mismatches\n", object_name, t.histories,
           t.histories ? (unsigned)(100.0 * t.linearizable / t.histories + 0.5) : 0, t.undecided, t.mismatches);
    fflush(stdout);
    return t.mismatches;
}

static uint64_t histories_wanted(void) {
    const char *sanitized = getenv("PLUMB_FEWER");
    uint64_t soak = number_from_environment("PLUMB_SOAK", 0);
    if (soak) return soak == 1 ? DIFFERENTIAL_SOAK : soak;
    return sanitized && *sanitized ? DIFFERENTIAL_SLICE / 10 : DIFFERENTIAL_SLICE;
}

unsigned differential(object_group group, check c) {
    uint64_t all = histories_wanted(), seed = number_from_environment("PLUMB_SEED", 0);
    uint64_t each = seed ? 1 : all / object_count() + 1;
    unsigned mismatches = 0;
    object_group g;
    const char *name;
    for (unsigned i = 0; (name = nth_object(i, &g)); i++)
        if (g == group) mismatches += one_object(name, each, seed ? seed : 1 + i, c);
    return mismatches;
}
