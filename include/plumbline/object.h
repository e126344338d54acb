/* Your own object for Plumbline, in C (or C++): what operations there are, and what each does to a state.
 *
 *     #include <plumbline/object.h>
 *
 *     typedef struct { int64_t n; } counter;
 *     enum { INC, GET };
 *     static const plumb_method methods[] = {{"inc"}, {"get"}};
 *
 *     static plumb_value apply(void *state, const plumb_operation *op, void *context) {
 *         counter *c = (counter *)state;
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

#include <plumbline/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- operations ---- */

enum plumb_arguments { PLUMB_TAKES_INTEGERS, PLUMB_TAKES_VALUES };
enum plumb_returns {
    PLUMB_RETURNS_VALUE, /* what apply returns and what the history has are compared as they are */
    PLUMB_RETURNS_NOTHING,
    PLUMB_RETURNS_BOOL, /* 1 and 0 are true and false */
    PLUMB_RETURNS_INTEGER,
    PLUMB_RETURNS_REMOVED /* a value or empty (also written none) */
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

/* ---- the object ---- */

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

    /* What an operation does: one of these three is needed. On a result that cannot be, the state may be left
     * anyhow. */
    plumb_value (*apply)(void *state, const plumb_operation *op, void *context); /* does it, says what it returns */
    /* can op with op->result happen? Then does it. */
    bool (*step)(void *state, const plumb_operation *op, void *context);
    /* Outcome number `choice` (0, 1, ...) of an operation that has several. */
    enum plumb_step (*step_nth)(void *state, const plumb_operation *op, uint32_t choice, plumb_value *result,
                                void *context);

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
    /* Texts for reports, written like snprintf: the state ("3 of 5"), and why op cannot come next ("the count is
     * 3"). */
    int (*describe)(const void *state, char *text, size_t size, void *context);
    int (*why)(const void *state, const plumb_operation *op, char *text, size_t size, void *context);

    /* Several operations that take effect together, for what no order of them can explain: two that exchange something,
     * a pop that takes what a push brings at that moment. `op` are the n that take part in one step (at most 64); bit i
     * of `begins` says that op[i] begins in it, of `ends` that it ends in it, and then result[i] receives what it
     * returns. Choices are as of step_nth; op[i].result is PLUMB_UNKNOWN for a pending one. The order of `op` means
     * nothing, and one operation alone, which begins and ends, does what it does otherwise. With this function,
     * histories are asked to be set-linearizable (every operation begins and ends in one step), or, if operations may
     * last, interval-linearizable: plumb-check(1), docs/CRITERIA.md. */
    enum plumb_step (*together)(void *state, const plumb_operation *op, uint32_t n, uint64_t begins, uint64_t ends,
                                uint32_t choice, plumb_value *result, void *context);
    uint32_t together_most; /* operations in one step, at most; 0: any number. Saves trying more. */
    /* 1: operations may last for several steps; `op` has them in all from their beginning to their end */
    uint32_t together_lasts;
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
