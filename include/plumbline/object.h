/* Your own object for Plumbline, in C (or C++): what operations there are, and what each does to a state.
 *
 *     #include <plumbline/object.h>
 *
 *     typedef struct { int64_t n; } counter;
 *     enum { INC, GET };
 *     static const plumb_method methods[] = {{"inc"}, {"get"}};
 *
 *     static plumb_value apply(void *state, const plumb_operation *op, void *context) {
 *         counter *c = state;
 *         if (op->method == INC) return c->n++, plumb_none();
 *         return plumb_int(c->n);
 *     }
 *     const plumb_object plumb_object_definition = {
 *         .struct_size = sizeof(plumb_object), .name = "my-counter", .methods = methods, .method_count = 2,
 *         .state_size = sizeof(counter), .apply = apply,
 *     };
 *
 *     $ cc -shared -fPIC -o counter.so counter.c $(pkg-config --cflags plumbline)
 *     $ plumb check --object ./counter.so history.jsonl
 *
 * Write `apply` as you would write the object for one thread: run the operation, change the state, return the result. A
 * state without pointers is copied, compared and hashed by its bytes. `apply` must be a function of the state and the
 * operation: no random numbers, no globals, no clock. This is tested whenever the plug-in is loaded.
 *
 * Instead of the variable a plug-in may export  const plumb_object *plumb_object_get(void).
 * Functions may be called by several threads at once, on different states. */
#ifndef PLUMBLINE_OBJECT_H
#define PLUMBLINE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- values ---------------------------------------------------------------------------------------------------------- */

enum plumb_kind {
    PLUMB_NONE,    /* no value: nothing was returned, nil, null */
    PLUMB_EMPTY,   /* a remove found nothing */
    PLUMB_FULL,    /* an add found no room */
    PLUMB_UNKNOWN, /* the result of an operation that never returned */
    PLUMB_BOOL,
    PLUMB_INT,
    PLUMB_BYTES,
    PLUMB_TUPLE,
    PLUMB_NEVER    /* only as the result of apply: the operation cannot happen in this state (unlock of a free lock) */
};

/* Values handed to you live as long as the history, and equal ones have equal pointers, so a plumb_value may be kept in a
 * state and compared by its bytes. Values that you return are copied at once. */
typedef struct plumb_value {
    uint32_t kind;
    uint32_t size; /* of bytes and tuples; else 0 */
    union {
        int64_t integer; /* PLUMB_INT; PLUMB_BOOL: 0 or 1 */
        const char *bytes;
        const struct plumb_value *item;
    } as;
} plumb_value;

static inline plumb_value plumb_constant(uint32_t kind) {
    plumb_value v;
    v.kind = kind;
    v.size = 0;
    v.as.integer = 0;
    return v;
}
static inline plumb_value plumb_int(int64_t i) {
    plumb_value v = plumb_constant(PLUMB_INT);
    v.as.integer = i;
    return v;
}
static inline plumb_value plumb_bool(bool b) {
    plumb_value v = plumb_constant(PLUMB_BOOL);
    v.as.integer = b;
    return v;
}
static inline plumb_value plumb_bytes(const char *p, uint32_t size) {
    plumb_value v = plumb_constant(PLUMB_BYTES);
    v.size = size;
    v.as.bytes = p;
    return v;
}
static inline plumb_value plumb_tuple(const plumb_value *item, uint32_t size) {
    plumb_value v = plumb_constant(PLUMB_TUPLE);
    v.size = size;
    v.as.item = item;
    return v;
}
static inline plumb_value plumb_none(void) { return plumb_constant(PLUMB_NONE); }
static inline plumb_value plumb_empty(void) { return plumb_constant(PLUMB_EMPTY); }
static inline plumb_value plumb_full(void) { return plumb_constant(PLUMB_FULL); }
static inline plumb_value plumb_never(void) { return plumb_constant(PLUMB_NEVER); }

/* ---- operations ------------------------------------------------------------------------------------------------------ */

enum plumb_arguments { PLUMB_TAKES_INTEGERS, PLUMB_TAKES_VALUES };
enum plumb_returns {
    PLUMB_RETURNS_VALUE,   /* what apply returns and what the history has are compared as they are */
    PLUMB_RETURNS_NOTHING,
    PLUMB_RETURNS_BOOL,    /* 1 and 0 are true and false */
    PLUMB_RETURNS_INTEGER,
    PLUMB_RETURNS_REMOVED  /* a value or empty (also written none) */
};

typedef struct plumb_method {
    const char *name;
    const char *aliases;         /* blank-separated; may be NULL */
    uint32_t min_args, max_args; /* at most 3 */
    uint32_t arguments;          /* enum plumb_arguments: a history with others is refused before you see it */
    uint32_t returns;            /* enum plumb_returns */
    uint32_t readonly;           /* 1: never changes the state */
} plumb_method;

typedef struct plumb_operation {
    uint32_t method; /* index into methods */
    uint32_t client; /* who called: 0, 1, 2, ... */
    uint32_t nargs;
    plumb_value arg[3];
    plumb_value result; /* for step: PLUMB_UNKNOWN when it is pending; apply and step_nth never see one */
} plumb_operation;

/* ---- the object ------------------------------------------------------------------------------------------------------ */

enum plumb_step { PLUMB_ILLEGAL, PLUMB_LEGAL, PLUMB_LEGAL_MORE /* there is at least one more choice */ };

typedef struct plumb_object {
    size_t struct_size; /* sizeof(plumb_object) */
    const char *name;
    const char *summary; /* may be NULL */
    const plumb_method *methods;
    uint32_t method_count;
    uint32_t sees_clients; /* 1: the functions look at op->client */
    size_t state_size;     /* in bytes */
    void *context;         /* handed to every function */

    /* Makes the initial state, in memory that is all zeros. NULL: it is all zeros. */
    void (*init)(void *state, void *context);

    /* What an operation does: one of these three is needed. On a result that cannot be, the state may be left anyhow. */
    plumb_value (*apply)(void *state, const plumb_operation *op, void *context); /* does it, says what it returns */
    bool (*step)(void *state, const plumb_operation *op, void *context); /* can op with op->result happen? Then does it. */
    /* Outcome number `choice` (0, 1, ...) of an operation that has several. */
    enum plumb_step (*step_nth)(void *state, const plumb_operation *op, uint32_t choice, plumb_value *result, void *context);

    /* For states with pointers: copy, equal and hash, all three; release if there is something to free. */
    void (*copy)(void *to, const void *from, void *context); /* `to` is all zeros */
    bool (*equal)(const void *a, const void *b, void *context);
    uint64_t (*hash)(const void *state, void *context);
    void (*release)(void *state, void *context);

    /* ---- all that follows is optional ---- */
    /* Operations with different keys are independent of each other: each key has a state of its own. */
    plumb_value (*partition)(const plumb_operation *op, void *context);
    /* By its result, this operation leaves every state it fits as it is (a failed compare-and-set). */
    bool (*readonly)(const plumb_operation *op, void *context);
    /* Texts for reports, written like snprintf: the state ("3 of 5"), and why op cannot come next ("the count is 3"). */
    int (*describe)(const void *state, char *text, size_t size, void *context);
    int (*why)(const void *state, const plumb_operation *op, char *text, size_t size, void *context);
} plumb_object;

#if defined(__GNUC__)
#define PLUMB_EXPORT __attribute__((visibility("default")))
#else
#define PLUMB_EXPORT
#endif

extern PLUMB_EXPORT const plumb_object plumb_object_definition;
PLUMB_EXPORT const plumb_object *plumb_object_get(void);

#ifdef __cplusplus
}
#endif
#endif
