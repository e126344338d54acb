/* What operations are operations of. An object is defined in one file of this folder, by one `object_type`: its
 * methods, its sequential step, its partition into independent parts, what may be left out of a core. Everything else
 * (engines, evidence, readers, reports) works from that definition.
 *
 * To add an object: docs/ADDING-AN-OBJECT.md. */
#ifndef PLUMB_OBJECT_OBJECT_H
#define PLUMB_OBJECT_OBJECT_H

#include "base/error.h"
#include "history/history.h"
#include "history/partition.h"
#include "object/criterion.h"
#include "object/state.h"

typedef struct object object;
typedef struct object_type object_type;
typedef struct leave_out leave_out;   /* object/leave_out.h */
typedef struct set_spec set_spec;     /* object/set_spec.h */
typedef struct wide_words wide_words; /* object/wide.h */

typedef enum argument_kind {
    ARG_VALUE,
    ARG_INT,
    ARG_INT_FIRST /* the first is an integer, the others any value */
} argument_kind;

typedef enum result_kind {
    RESULT_VOID,       /* nothing; `false` means `full` where the object can be full */
    RESULT_VALUE,      /* any value */
    RESULT_REMOVED,    /* a value, or `empty` (also written none) */
    RESULT_BOOL,       /* true or false (also written 1 and 0) */
    RESULT_MAYBE_BOOL, /* a boolean, or nothing when the recording did not keep it */
    RESULT_INT,
    RESULT_MAYBE_INT, /* an integer, or nothing when the method is used without its result */
    RESULT_ANY,       /* whatever was returned, as it is: opaque to the checker */
} result_kind;

enum method_role {
    ROLE_ADDS = 1,     /* puts its first argument in */
    ROLE_REMOVES = 2,  /* takes something out and returns it */
    ROLE_OBSERVES = 4, /* never changes the state, whatever its result: pending ones can be ignored */
};

typedef enum method_end { END_LEFT, END_RIGHT } method_end;

typedef struct method {
    const char *name;
    const char *aliases; /* blank-separated; NULL: none */
    uint8_t min_args, max_args;
    argument_kind arg;
    result_kind result;
    unsigned role;
} method;

typedef struct parameter { /* object(name=value): an integer that shapes the object */
    const char *name;
    int64_t standard, min, max;
    const char *summary;
} parameter;

typedef enum step_result {
    STEP_ILLEGAL,    /* this operation with this result cannot happen in this state; the state is garbage now */
    STEP_LEGAL,      /* it happened; the state is the next one */
    STEP_LEGAL_MORE, /* it happened, and the next choice is worth trying as well */
} step_result;

/* Operations of a history in some order. */
typedef struct operation_sequence {
    const history *h;
    const uint32_t *op;
    const value *res; /* by place in the order; NULL: as recorded */
    uint32_t n;
    const uint32_t *part; /* by operation: which of the states it is about; NULL: there is one */
} operation_sequence;

enum { OBJECT_PARAMETERS = 3, OBJECT_METHODS = 32 };

struct object_type {
    const char *name;
    const char *aliases; /* blank-separated; NULL: none */
    const char *noun;    /* as sentences say it; NULL: the name */
    const char *summary;
    const method *methods;
    unsigned method_count;
    parameter parameters[OBJECT_PARAMETERS]; /* name NULL: no more */
    bool named_only;    /* never inferred from method names: they do not tell it from other objects */
    bool inferred_last; /* only when no other object has the methods */
    bool takes_init;    /* --init V makes sense */
    bool keyed;         /* the first argument of every method is the key (kv) */
    bool key_inside;    /* keys that the file tells apart are first arguments: all are in one state */
    bool sees_clients;  /* its step looks at who calls (lock) */
    bool parts_by_arg;  /* operations on different first arguments are independent (set) */
    /* every operation is about one value (object/about.h); all about one may leave together, or all about it stay */
    bool by_value;
    /* of elements that `better` does not tell apart, the one that was added first leaves first */
    bool oldest_among_equals;

    void (*init)(const object *o, state *s); /* of one part: a keyed object's state is that of one key */

    /* One operation takes effect. `op->res` is VALUE_UNKNOWN for a pending one, which may return anything the object
     * allows. `*res` receives the actual result. `choice` counts the possible outcomes of a nondeterministic step from
     * 0 on: each is tried until one is not STEP_LEGAL_MORE. A choice that does not exist is STEP_ILLEGAL. */
    step_result (*step)(const object *o, state *s, const operation *op, uint32_t choice, value *res);

    /* ---- optional ---- */
    /* by its result, it leaves every state it fits as it is (deq -> empty) */
    bool (*changes_nothing)(const object *o, const operation *op);
    /* may a history end here? (exchanger: not half-way) */
    bool (*may_end)(const object *o, const state *s);
    value (*part)(const object *o, const operation *op); /* operations with different ones are independent */
    void (*leave_out)(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out);
    /* These operations have all returned, and nothing else was called: the initial value (`init`) with which the object
     * would be as they leave it, whatever the order they took effect in. False: that cannot be said, or there is no
     * such value. */
    bool (*settle)(const object *o, const history *h, const uint32_t *op, uint32_t n, value *init);
    void (*describe)(const object *o, const state *s, text *out); /* the state as people write it */
    /* why op cannot come next: "the head is 3" */
    void (*why_not)(const object *o, const state *s, const operation *op, text *out);
    /* more that must hold of one operation, bound otherwise; its result is VALUE_UNKNOWN while it is pending. False:
     * `wrong` says what is wrong and what was expected. */
    bool (*check_operation)(const object *o, const operation *op, text *wrong);
    bool (*check_init)(const object *o, text *wrong); /* the same of the initial value */
    /* one argument that stands for several (a map of them): how many; 0: it does not */
    unsigned (*spread)(const values *t, const method *m, value v, value arg[HISTORY_MAX_ARGS]);
    /* more that must hold of the history */
    bool (*check)(const object *o, const history *h, const char *file, error *e);
    void (*close)(object *o);
    /* what several operations do at one moment, or over several; NULL: they take effect one by one */
    const set_spec *together;
    /* of objects that keep their elements by priority: above zero, a leaves before b */
    int (*better)(const object *o, value a, value b);
    /* The same object with more methods, and its name another one: what binding takes it for when a history has them.
     * So engines and monitors that know the object by its name see only the methods they know. */
    const object_type *wider;
    /* With this result, the operation leaves the object in one state only, whatever it was in before: that state.
     * Monitors find the state again by it (monitor/told.h knows those that are not hard to tell). */
    bool (*told)(const object *o, const operation *op, state *s);
    uint32_t (*elements)(const object *o, const state *s); /* of containers: how many are inside */
    /* of wider ones: the methods that are said in terms of the others (`step` is wide_step); NULL: it has none */
    const wide_words *words;

    /* ---- optional: hints that save engines work and never change an answer ---- */
    unsigned step_weight; /* steps of other objects that take as long as one of this; 0: 1 */
    /* By method: at which end it adds or removes. Only of objects whose state is the line of their elements, left to
     * right. */
    const method_end *ends;
    /* What object_run does, with this type's step inside the loop (object/run.h). */
    uint32_t (*run)(const object *o, state *s, const operation_sequence *q);
    /* A key for each operation: the lower, the sooner it is worth trying. Missing: by return. */
    void (*urgency)(const object *o, const history *h, const uint32_t *op, uint32_t n, uint64_t *key);
    /* For a pending operation that matters only to operations looking for the one value it brings about: that value.
     * VALUE_UNKNOWN: cannot be said of this one. */
    value (*brings)(const object *o, const operation *op);
    /* The values without which op might not be possible, up to two: how many; LOOKS_FOR_ANY: any value may matter to
     * it. */
    int (*looks_for)(const object *o, const operation *op, value v[2]);
};

/* The record of an object type: symbol, name, summary, then its other fields. */
#define OBJECT_RECORD(symbol, word, line, ...) const object_type symbol = {.name = word, .summary = line, __VA_ARGS__}

enum { LOOKS_FOR_ANY = -1 };

struct object {
    const object_type *type;
    values *values; /* of the history it is bound to */
    int64_t parameter[OBJECT_PARAMETERS];
    char *init_text; /* as given; NULL: none */
    value init;
    value initial; /* by key: the map of them, and `init` is the same (object/initial.h); none: not by key */
    const object_type *any_key; /* with initial values by key: the type without them */
    object_type *by_key;        /* `type` then, owned */
    char *name;                 /* as reports print it: "queue(capacity=8)" */
    void *extra;                /* a plug-in's or a theory's own */
    criterion criterion;        /* what its histories are asked to be: see object_relax */
    object_type *relaxed;       /* `type` when the criterion made one; NULL: the type is as it was defined */
    wide_words *words;          /* of `relaxed` */
    method *excused;            /* of `relaxed`: its methods (object/spurious.h); NULL: those of the type */
    const object_type *strict;  /* what `relaxed` was made from */
};

/* "queue", "atomic-queue", "queue(capacity=8)", "semaphore(3)", "./spec.so", "queue.serial". `init` may be NULL. For
 * names that the command line or the program gives; those that data gives: object/trust.h. */
object *object_open(const char *what, const char *init, error *e);
/* Is this the name of a theory file? Those are opened by the room of theories (theory/theory_object.h). */
bool theory_file_named(const char *what);
/* Is this the name of a file of bad patterns? Those are no objects (observe/pattern_file.h). */
bool pattern_file_named(const char *what);
void object_close(object *o);
/* From here on the object is judged by this criterion; where it is stepwise, the object's step is the relaxed one. One
 * that was not asked for leaves the object's own: linearizable, or what its set_spec says. Once, before it is bound.
 * False (EXIT_USAGE): the criterion makes no sense for this object. */
bool object_relax(object *o, const criterion *c, error *e);
/* From here on the object is the wider one; its criterion stays. False (EXIT_USAGE): that makes no sense for it. */
bool object_widen(object *o, const object_type *wider, error *e);
const char *object_noun(const object *o); /* "queue", of a wide-queue too */
/* "unknown method 'x' of object queue; expected one of ..." */
void object_unknown_method(const object *o, const char *name, text *out);
/* The object as sentences name it: "queue", "queue under quasi(2)". */
void object_spoken(const object *o, text *out);
const object_type *object_type_find(const char *name, size_t length); /* by name or alias; NULL: unknown */
const object_type *object_type_at(unsigned i);                        /* NULL behind the last */
int object_type_method(const object_type *t, const char *name);       /* its number, by name or alias; -1: unknown */
int object_type_own_method(const object_type *t, const char *name);   /* by its own name only */
/* The type that the history's methods mean (rules in infer.c); NULL and an error that lists the candidates
 * otherwise. */
const object_type *object_infer(const history *h, const char *file, error *e);

/* Ties history and object together: method names become the object's method numbers, arities and kinds of arguments and
 * results are checked (errors name file and line), results are brought to one form. Once for each history. */
bool object_bind(object *o, history *h, const char *file, error *e);
/* The same for one operation of which the method is known, for those who see events as they come: its call, and its
 * result once it has one. False: `wrong` says what is wrong and what was expected. */
bool object_bind_call(const object *o, operation *op, text *wrong);
bool object_bind_return(const object *o, operation *op, text *wrong);
/* The part of binding that needs no history yet: for those who run the object to make one. */
void object_use_values(object *o, values *v);
bool object_check_init(const object *o, const char *file, error *e); /* of an object that has its values; EXIT_USAGE */

/* Could this operation have returned this? A pending one could. */
static inline bool operation_fits(const operation *op, value res) { return op->res == VALUE_UNKNOWN || op->res == res; }
static inline step_result step_if(bool legal) { return legal ? STEP_LEGAL : STEP_ILLEGAL; }

/* One operation after the other takes effect, by choice 0: how many did before one was not STEP_LEGAL. */
uint32_t object_run(const object *o, state *s, const operation_sequence *q);

partition *object_partition(const object *o, const history *h);
/* The same as the number of each operation's part; NULL: all are in one. To be freed. */
uint32_t *object_part_numbers(const object *o, const history *h, uint32_t *count);
const method *object_method(const object *o, const operation *op);

/* True when the operation never changes the state: its method only observes, or its result says so. */
bool object_changes_nothing(const object *o, const operation *op);
/* A pending operation that can be dropped: it has no effect on anything. */
bool object_negligible(const object *o, const operation *op);
/* For each of the part's operations: 0 when it is pending and no linearization needs it (it can be left out of the
 * search for one), 1 otherwise. Never says 0 of an operation that returned. */
void object_needed(const object *o, const history *h, const uint32_t *op, uint32_t n, uint8_t *needed);
/* `brings` and `looks_for` of containers, by the roles of their methods. */
value container_brings(const object *o, const operation *op);
int container_looks_for(const object *o, const operation *op, value v[2]);
bool object_may_end(const object *o, const state *s);
void object_describe(const object *o, const state *s, text *out);
void object_why_not(const object *o, const state *s, const operation *op, text *out);
void operation_print(const object *o, const operation *op, text *out); /* enq(3), deq() -> 3, get(k) -> ? */

#endif
