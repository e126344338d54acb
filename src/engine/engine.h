/* Decision procedures. An engine decides one part of a history (problem) and says what it found and why (outcome). What
 * it needs and what it promises is declared in its `engine` record; the choice of an engine is made from these
 * declarations alone (portfolio.h). One file per engine; the list is engines.def. */
#ifndef PLUMB_ENGINE_ENGINE_H
#define PLUMB_ENGINE_ENGINE_H

#include "base/budget.h"
#include "base/error.h"
#include "object/object.h"

typedef enum verdict { VERDICT_LINEARIZABLE, VERDICT_VIOLATION, VERDICT_UNDECIDED } verdict;

typedef struct problem {
    const history *h; /* bound to o */
    const object *o;
    const uint32_t *op; /* the part: operations of h, ascending (so: by call) */
    uint32_t n;
    budget *budget;             /* never NULL */
    _Atomic uint32_t *furthest; /* for progress: most operations linearized at once so far; may be NULL */
    const int64_t *setting;     /* the engine's settings, by their place in its declaration; NULL: the standard ones */
} problem;

/* Operations in an order; those missing are pending ones that did not take effect. */
typedef struct witness {
    uint32_t *op; /* operations of the history */
    value *res;   /* what each returned: for pending ones the assumed result; NULL: none of them is pending */
    uint32_t n;
    /* Of criteria by which operations take effect together: the steps in which each begins and ends; parts one after
     * the other. NULL: each is a step of its own. */
    uint32_t *begins, *ends;
} witness;
#define STEP_NEVER UINT32_MAX /* of a pending operation that begins and does not end */

typedef struct outcome {
    verdict verdict;
    stop_reason stopped; /* when undecided because a budget ran out */
    char why[160];       /* when undecided for another reason: what the engine lacks */
    witness witness;     /* when linearizable */
    /* when violation, from engines that know: operations that alone are a violation, ascending */
    uint32_t *pattern;
    uint32_t pattern_n; /* 0: not known */
    /* when violation: a rank before which the history is linearizable still, as late as is known. A hint of where to
     * cut: cut there, results that come later are unknown, so it need not be a violation yet. */
    uint32_t cut;
    witness prefix; /* when undecided: the longest linearizable beginning that was found */
    uint64_t steps; /* steps of the object tried */
} outcome;

enum engine_needs {
    NEEDS_COMPLETE = 1, /* no pending operations (that matter) */
    NEEDS_DISTINCT = 2, /* no value is added twice */
};
enum engine_promises {
    PROMISES_SOUND = 1,    /* a violation is one */
    PROMISES_COMPLETE = 2, /* linearizable is linearizable, and no third answer but for budgets */
    PROMISES_ONLINE = 4,
    PROMISES_WITNESS = 8,
    PROMISES_PATTERN = 16,
};
/* Engines that know nothing of the object but its step decide every criterion that is a relaxed step. */
#define CRITERIA_STEPWISE \
    (CRITERION_BIT(CRITERION_LINEARIZABLE) | CRITERION_BIT(CRITERION_QUASI) | CRITERION_BIT(CRITERION_OUT_OF_ORDER) | \
     CRITERION_BIT(CRITERION_ALIGNED) | CRITERION_BIT(CRITERION_LITERAL) | CRITERION_BIT(CRITERION_ALL_EVENTS) | \
     CRITERION_BIT(CRITERION_SPURIOUS) | CRITERION_BIT(CRITERION_PRODUCER_FIFO) | CRITERION_BIT(CRITERION_STALE) | \
     CRITERION_BIT(CRITERION_LOCAL) | CRITERION_BIT(CRITERION_BY_METHOD) | CRITERION_BIT(CRITERION_REGULAR) | \
     CRITERION_BIT(CRITERION_SAFE))
typedef enum engine_cost { COST_NEAR_LINEAR, COST_FRONTIER, COST_EXPONENTIAL } engine_cost;

typedef enum all_parts_answer {
    ALL_PARTS_LINEARIZABLE, /* with a witness of the whole history */
    ALL_PARTS_VIOLATION,    /* the part `failed` is one */
    ALL_PARTS_NO,           /* not in this way, or a budget ran out: decide part by part */
} all_parts_answer;

typedef struct engine_setting { /* name(setting=value): shapes what the engine does */
    const char *name;
    const char *words; /* blank-separated values, the first is 0; NULL: an integer */
    int64_t standard, min, max;
    const char *summary;
} engine_setting;
enum { ENGINE_SETTINGS = 3 };

typedef struct engine {
    const char *name;
    const char *summary;
    const char *growth;  /* "n log n" */
    const char *objects; /* blank-separated names; NULL: all */
    unsigned criteria;   /* CRITERION_BIT of each kind it decides; 0: linearizable alone */
    unsigned needs, promises;
    engine_cost cost;
    bool by_name_only; /* never chosen by `auto`: a baseline to compare with */
    /* Would `auto` choose it for this problem, which it accepts? NULL: yes, unless by_name_only. */
    bool (*fits)(const problem *p);
    engine_setting settings[ENGINE_SETTINGS]; /* name NULL: no more */
    /* Can it decide this problem? If not, says why (the needs declared above are checked by the caller where it
     * can). */
    bool (*accepts)(const problem *p, text *why_not); /* NULL: whatever fits the declaration */
    void (*decide)(const problem *p, outcome *out);   /* out is cleared, verdict undecided */
    /* Optional: all parts of a history at once; part[i] is the part of operation i. Saves taking long histories
     * apart. */
    all_parts_answer (*decide_all_parts)(const history *h, const uint32_t *part, uint32_t parts, budget *b, witness *w,
                                         uint32_t *failed);
} engine;

/* The record of an engine: symbol, name, summary, then its other fields. */
#define ENGINE_RECORD(symbol, word, line, ...) const engine symbol = {.name = word, .summary = line, __VA_ARGS__}

const engine *engine_at(unsigned i);         /* NULL behind the last */
const engine *engine_find(const char *name); /* NULL: unknown */
/* "queue-linear", "counting(k=4)": the engine and its settings. False with the error set: no such engine, or no such
 * setting. */
bool engine_parse(const char *what, const engine **g, int64_t setting[ENGINE_SETTINGS], error *e);
int engine_setting_named(const engine *g, const char *name); /* its place; -1: it has no such setting */
int64_t engine_setting_of(const engine *g, const problem *p, unsigned i);
bool engine_knows(const engine *g, const object *o); /* by its declaration */
/* Its declaration fits the problem, and `accepts` does not refuse it. */
bool engine_accepts(const engine *g, const problem *p, text *why_not);

void witness_free(witness *w);
void outcome_init(outcome *out);
void outcome_free(outcome *out);
/* Runs the engine on the problem. When memory runs out in a call of the library (base/pool.h), the outcome says so, and
 * what the engine charged to the problem's budget is given back. */
void engine_decide(const engine *g, const problem *p, outcome *out);
void outcome_out_of_memory(outcome *out); /* whose parts are gone */
const char *verdict_text(verdict v);

#endif
