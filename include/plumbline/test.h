/* A test for `plumb explore`, in C or C++: what the operations are, and what the threads do.
 *
 *     #include <plumbline/test.h>
 *     #include "my_queue.h"
 *
 *     static queue *q;
 *     PLUMB_OBJECT("queue")
 *     PLUMB_SETUP { q = queue_new(); }
 *     PLUMB_TEARDOWN { queue_free(q); }
 *     PLUMB_OP(enq, v) { queue_enqueue(q, (int)v); return plumb_none(); }
 *     PLUMB_OP(deq) { int v; return queue_dequeue(q, &v) ? plumb_int(v) : plumb_empty(); }
 *     PLUMB_THREADS("enq(1) : enq(2) deq | deq")
 *
 *     $ plumb explore my_test.c my_queue.c
 *
 * Operations are declared once; calls and returns are recorded for you. The operations before the colon happen first,
 * one after the other; then each list between bars is run by a thread of its own; operations behind another colon
 * happen when the threads have ended: "enq(1) : enq(2) | deq : deq". Every execution starts from a clean memory:
 * globals, heap and thread-local variables are as they were before the first one. Without PLUMB_THREADS `plumb explore`
 * makes up the threads itself (--operations, --threads, --length).
 *
 * A program with a `main` of its own needs none of this: its threads and assertions are explored as they stand, and
 * PLUMB_CALL records the operations that are to be checked. */
#ifndef PLUMBLINE_TEST_H
#define PLUMBLINE_TEST_H

#include <plumbline/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- declarations: at file scope, no semicolon needed ---- */

/* PLUMB_OP(name), PLUMB_OP(name, a), ... up to three arguments, each an int64_t in the body that follows. The body is
 * the operation: it calls the code under test and returns what the operation returned, as a plumb_value. */
#define PLUMB_OP(...) PLUMB_PICK_(__VA_ARGS__, PLUMB_OP3_, PLUMB_OP2_, PLUMB_OP1_, PLUMB_OP0_, 0)(__VA_ARGS__)

/* "queue", "stack", "./spec.so", ...; --object wins */
#define PLUMB_OBJECT(text) PLUMB_ITEM_(PLUMB_ITEM_OBJECT, text, 0, 0)
/* what a register holds before the first write: "0"; --init wins */
#define PLUMB_INITIAL(text) PLUMB_ITEM_(PLUMB_ITEM_INITIAL, text, 0, 0)
#define PLUMB_THREADS(text) PLUMB_ITEM_(PLUMB_ITEM_THREADS, text, 0, 0) /* several are several tests */

/* before each execution, one thread */
#define PLUMB_SETUP PLUMB_BODY_(PLUMB_ITEM_SETUP, PLUMB_UNIQUE_(plumb_setup_))
/* after the threads have ended */
#define PLUMB_TEARDOWN PLUMB_BODY_(PLUMB_ITEM_TEARDOWN, PLUMB_UNIQUE_(plumb_teardown_))
/* before teardown: assert what must hold */
#define PLUMB_FINAL PLUMB_BODY_(PLUMB_ITEM_FINAL, PLUMB_UNIQUE_(plumb_final_))
/* Holds whenever no operation is running: { return condition; } */
#define PLUMB_INVARIANT PLUMB_CHECK_(PLUMB_UNIQUE_(plumb_invariant_))

/* The handler of an asynchronous signal: it may come to each thread between any two of its accesses to memory, once in
 * an execution (--signals). Several are several signals. */
#define PLUMB_SIGNAL PLUMB_BODY_(PLUMB_ITEM_SIGNAL, PLUMB_UNIQUE_(plumb_signal_))

/* Contracts of an operation: generated tests keep them, and written ones that break them are refused. */
/* Single producer, single consumer. Several operations are one role, of the same thread: PLUMB_ONE_THREAD(add, remove)
 * is one writer that does both. Several roles are several PLUMB_ONE_THREAD. */
#define PLUMB_ONE_THREAD(...) PLUMB_ITEM_(PLUMB_ITEM_ONE_THREAD, #__VA_ARGS__, 0, 0)
/* It waits while there is nothing to take out, or no room to put something in: no test is generated in which it would
 * wait for ever. */
#define PLUMB_WAITS(op) PLUMB_ITEM_(PLUMB_ITEM_WAITS, #op, 0, 0)
/* The code treats values as opaque: threads that do the same up to the values are interchangeable. */
#define PLUMB_VALUES_INTERCHANGEABLE PLUMB_ITEM_(PLUMB_ITEM_SYMMETRY, "", 0, 0)

/* ---- inside operations and threads ---- */

/* One of 0..n-1, n at most 255: all are explored. Timeouts, spurious failures, a bit that is being written. */
unsigned plumb_choose(unsigned n);
/* What this execution came to, in words: plumb_outcome("r1=%d r2=%d", r1, r2). At the end, when all other threads were
 * joined: in PLUMB_FINAL, or at the end of main. The report lists every text with its number of executions. */
void plumb_outcome(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Fails the execution when the condition does not hold; assert() does as well. */
#define plumb_assert(condition) ((condition) ? (void)0 : plumb_assert_failed(#condition, __FILE__, __LINE__))
/* A double-word compare-and-swap as one step, as some algorithms assume. */
bool plumb_dcas(volatile uint64_t *a, uint64_t old_a, uint64_t new_a, volatile uint64_t *b, uint64_t old_b,
                uint64_t new_b);
/* The operation that this thread is running takes effect with the step before this. Only `plumb explore --monitor
 * points` looks. */
void plumb_linearizes_here(void);
/* At the head of a loop: an iteration that fails has changed nothing that the next one looks at. Taken on trust, and
 * the report says so. */
void plumb_pure_loop(void);
/* In a program with its own threads: runs a declared operation and records it. PLUMB_CALL(deq), PLUMB_CALL(enq, 1). */
#define PLUMB_CALL(...) PLUMB_PICK_(__VA_ARGS__, PLUMB_CALL3_, PLUMB_CALL2_, PLUMB_CALL1_, PLUMB_CALL0_, 0)(__VA_ARGS__)

/* ---- what the macros above are made of ---- */

enum plumb_item_kind {
    PLUMB_ITEM_OPERATION,
    PLUMB_ITEM_OBJECT,
    PLUMB_ITEM_THREADS,
    PLUMB_ITEM_SETUP,
    PLUMB_ITEM_TEARDOWN,
    PLUMB_ITEM_FINAL,
    PLUMB_ITEM_INVARIANT,
    PLUMB_ITEM_ONE_THREAD,
    PLUMB_ITEM_SYMMETRY,
    PLUMB_ITEM_INITIAL,
    PLUMB_ITEM_WAITS,
    PLUMB_ITEM_SIGNAL
};

typedef struct plumb_item {
    uint32_t kind; /* enum plumb_item_kind */
    uint32_t nargs;
    const char *text; /* name of an operation, object, threads */
    const char *file;
    uint32_t line;
    plumb_value (*run)(const int64_t *arg);
    struct plumb_item *next; /* the runtime's */
} plumb_item;

void plumb_item_register(plumb_item *item); /* before main */
plumb_value plumb_operation_run(plumb_item *item, const int64_t *arg);
void plumb_assert_failed(const char *condition, const char *file, int line);

#define PLUMB_PICK_(a, b, c, d, chosen, ...) chosen
#define PLUMB_JOIN2_(a, b) a##b
#define PLUMB_JOIN_(a, b) PLUMB_JOIN2_(a, b)
#define PLUMB_UNIQUE_(a) PLUMB_JOIN_(a, __COUNTER__)

#define PLUMB_REGISTER_(id, kind, text, nargs, run) \
    static plumb_item PLUMB_JOIN_(plumb_item_, id) = {kind, nargs, text, __FILE__, __LINE__, run, NULL}; \
    __attribute__((constructor)) static void PLUMB_JOIN_(plumb_register_, id)(void) { \
        plumb_item_register(&PLUMB_JOIN_(plumb_item_, id)); \
    }

#define PLUMB_ITEM_(kind, text, nargs, run) PLUMB_REGISTER_(PLUMB_UNIQUE_(at_), kind, text, nargs, run)

#define PLUMB_BODY_(kind, id) \
    static void PLUMB_JOIN_(id, _body)(void); \
    static plumb_value PLUMB_JOIN_(id, _run)(const int64_t *a) { \
        (void)a; \
        PLUMB_JOIN_(id, _body)(); \
        return plumb_none(); \
    } \
    PLUMB_REGISTER_(id, kind, "", 0, PLUMB_JOIN_(id, _run)) \
    static void PLUMB_JOIN_(id, _body)(void)
#define PLUMB_CHECK_(id) \
    static bool PLUMB_JOIN_(id, _body)(void); \
    static plumb_value PLUMB_JOIN_(id, _run)(const int64_t *a) { \
        (void)a; \
        return plumb_bool(PLUMB_JOIN_(id, _body)()); \
    } \
    PLUMB_REGISTER_(id, PLUMB_ITEM_INVARIANT, "", 0, PLUMB_JOIN_(id, _run)) \
    static bool PLUMB_JOIN_(id, _body)(void)

#define PLUMB_OP0_(name) \
    static plumb_value plumb_op_##name(void); \
    static plumb_value plumb_run_##name(const int64_t *a) { \
        (void)a; \
        return plumb_op_##name(); \
    } \
    PLUMB_REGISTER_(op_##name, PLUMB_ITEM_OPERATION, #name, 0, plumb_run_##name) \
    static plumb_value plumb_op_##name(void)
#define PLUMB_OP1_(name, x) \
    static plumb_value plumb_op_##name(int64_t x); \
    static plumb_value plumb_run_##name(const int64_t *a) { return plumb_op_##name(a[0]); } \
    PLUMB_REGISTER_(op_##name, PLUMB_ITEM_OPERATION, #name, 1, plumb_run_##name) \
    static plumb_value plumb_op_##name(int64_t x)
#define PLUMB_OP2_(name, x, y) \
    static plumb_value plumb_op_##name(int64_t x, int64_t y); \
    static plumb_value plumb_run_##name(const int64_t *a) { return plumb_op_##name(a[0], a[1]); } \
    PLUMB_REGISTER_(op_##name, PLUMB_ITEM_OPERATION, #name, 2, plumb_run_##name) \
    static plumb_value plumb_op_##name(int64_t x, int64_t y)
#define PLUMB_OP3_(name, x, y, z) \
    static plumb_value plumb_op_##name(int64_t x, int64_t y, int64_t z); \
    static plumb_value plumb_run_##name(const int64_t *a) { return plumb_op_##name(a[0], a[1], a[2]); } \
    PLUMB_REGISTER_(op_##name, PLUMB_ITEM_OPERATION, #name, 3, plumb_run_##name) \
    static plumb_value plumb_op_##name(int64_t x, int64_t y, int64_t z)

static inline plumb_value plumb_call_(plumb_item *item, int64_t x, int64_t y, int64_t z) {
    int64_t arg[3];
    arg[0] = x;
    arg[1] = y;
    arg[2] = z;
    return plumb_operation_run(item, arg);
}
#define PLUMB_CALL0_(name) plumb_call_(&plumb_item_op_##name, 0, 0, 0)
#define PLUMB_CALL1_(name, x) plumb_call_(&plumb_item_op_##name, (x), 0, 0)
#define PLUMB_CALL2_(name, x, y) plumb_call_(&plumb_item_op_##name, (x), (y), 0)
#define PLUMB_CALL3_(name, x, y, z) plumb_call_(&plumb_item_op_##name, (x), (y), (z))

#ifdef __cplusplus
}
#endif
#endif
