/* Who judges the events of a sketch. A checker knows the verdict after every event it was given: exactly, as the
 * monitors of src/monitor do, or `undecided` with the reason. One thread uses it at a time. */
#ifndef PLUMB_RUNTIME_CHECKER_H
#define PLUMB_RUNTIME_CHECKER_H

#include "engine/engine.h"
#include "runtime/sketch.h"

typedef struct checker checker;

typedef struct checker_options {
    uint64_t max_lag;     /* an operation open for more events than this is excused: pending for ever; 0: no limit */
    uint64_t check_after; /* see monitor_options */
    double seconds;       /* see monitor_options */
    bool general;         /* the monitors of the house, whatever the object */
    bool sees_all;        /* every operation from the beginning on: monitors that need that may be chosen */
    criterion criterion;  /* what is asked of the object; zero: its own */
} checker_options;

typedef struct checker_counts {
    uint64_t excused;  /* operations */
    uint64_t unjudged; /* operations that returned while the state was not known */
    size_t memory;     /* bytes */
} checker_counts;

typedef struct checker_type {
    const char *name;
    void (*call)(checker *c, sketched *op);
    void (*ret)(checker *c, sketched *op); /* op->late: it was excused */
    /* Records of operations whose calls and returns follow each other with nothing in between (sketch.h): takes the
     * first ones, and says how many; the next one has to come by the two above. NULL: all have to. */
    uint32_t (*whole)(checker *c, const uint64_t *record, uint32_t n);
    void (*drop)(checker *c, sketched *op); /* as if it had never been called */
    /* Operations took place that it was not told of, and all have ended: it judges again once an operation tells the
     * state. False: it cannot. NULL: the same. */
    bool (*lose)(checker *c, const char *why);
    /* decides what was put off; undecided while `verdict` is not: only for now */
    verdict (*settle)(checker *c);
    checker *(*copy)(checker *c, const object *o); /* the other object's values are a copy of this one's */
    const char *(*reason)(const checker *c);
    void (*look)(const checker *c, checker_counts *out);
    /* Operations that are a violation by themselves, bound to *own (the caller closes it), or to the checker's object
     * when that is NULL. NULL: they are forgotten. */
    history *(*evidence)(checker *c, object **own);
    void (*free)(checker *c);
} checker_type;

/* The functions of a checker type that its file names as they are named here. */
#define CHECKER_FUNCTIONS \
    .call = take_call, .ret = take_return, .drop = drop, .settle = settle, .copy = copy, .reason = reason, \
    .look = look, .evidence = evidence, .free = free_checker

struct checker {
    const checker_type *type;
    const object *o;
    verdict verdict;
    bool keeps_all; /* most operations: memory without a bound */
};

static inline unsigned record_method(const uint64_t *record) { return (unsigned)(log_load(&record[2]) & LOG_METHOD); }
static inline unsigned record_nargs(const uint64_t *record) {
    return (unsigned)((log_load(&record[2]) & LOG_ARGUMENTS) >> 5);
}

/* What a remove returns when it found nothing, and an add when it took place. */
static inline bool result_is_nothing(uint64_t res) { return res == PLUMB_WORD_EMPTY || res == PLUMB_WORD_NONE; }
static inline bool result_is_added(uint64_t res) { return res == PLUMB_WORD_NONE || res == PLUMB_WORD_TRUE; }

/* The object has its values and outlives the checker. NULL with the error set when the object cannot be monitored. */
checker *checker_new(const object *o, uint32_t clients, const checker_options *options, error *e);
checker *monitor_checker_new(const object *o, uint32_t clients, const checker_options *options, error *e);

bool queue_checker_fits(const object *o);
checker *queue_checker_new(const object *o, uint32_t clients, const checker_options *options);
bool stack_checker_fits(const object *o);
checker *stack_checker_new(const object *o, uint32_t clients, const checker_options *options);

static inline void checker_free(checker *c) {
    if (c) c->type->free(c);
}

/* A certificate of the violation that the checker has found, decided again by the engines. */
bool checker_write_witness(checker *c, const char *path, error *e);

value word_as_value(values *t, uint64_t word);

#endif
