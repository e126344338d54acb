/* Plug-ins with one defect each: which one is chosen when compiling (tests/CMakeLists.txt). The self-test has to find
 * all. */
#include <plumbline/object.h>

#include <stdlib.h>
#include <string.h>

enum { ADD, GET };

typedef struct cell { /* what a state with a pointer points to */
    int64_t n;
} cell;

#if defined DEFECT_shallow_copy || defined DEFECT_bad_hash || defined DEFECT_bad_equal || defined DEFECT_no_hash
#define WITH_POINTER
typedef struct counter {
    cell *cell;
    int64_t parity;
} counter;
#else
typedef struct counter {
    int64_t n;
    char touched; /* and seven bytes of padding */
} counter;
#endif

static const plumb_method methods[] = {
    [ADD] = {.name = "add", .min_args = 1, .max_args = 1, .returns = PLUMB_RETURNS_NOTHING},
    [GET] =
        {
            .name = "get",
            .returns = PLUMB_RETURNS_INTEGER,
            .readonly = 1,
#ifdef DEFECT_bad_arity
            .max_args = 9,
#endif
        },
};

#ifdef WITH_POINTER
static void init(void *state, void *context) {
    (void)context;
#ifdef DEFECT_shallow_copy
    static cell cells[1024]; /* there is no moment to free them */
    static unsigned used;
    cells[used++ % 1024].n = 0;
    ((counter *)state)->cell = &cells[(used - 1) % 1024];
#else
    ((counter *)state)->cell = calloc(1, sizeof(cell));
#endif
}

static void copy(void *to, const void *from, void *context) {
    (void)context;
    const counter *c = from;
    *(counter *)to = *c;
#ifndef DEFECT_shallow_copy
    ((counter *)to)->cell = malloc(sizeof(cell));
    *((counter *)to)->cell = *c->cell;
#endif
}

static bool equal(const void *a, const void *b, void *context) {
    (void)context;
    const counter *x = a, *y = b;
#ifdef DEFECT_bad_equal
    return x->cell->n % 2 == y->cell->n % 2;
#else
    return x->cell->n == y->cell->n;
#endif
}

#ifndef DEFECT_no_hash
static uint64_t hash(const void *state, void *context) {
    (void)context;
    const counter *c = state;
#ifdef DEFECT_bad_hash
    return (uint64_t)(uintptr_t)c->cell;
#elif defined DEFECT_bad_equal
    return (uint64_t)(c->cell->n % 2);
#else
    return (uint64_t)c->cell->n;
#endif
}
#endif

static void release(void *state, void *context) {
    (void)context;
#ifdef DEFECT_shallow_copy
    (void)state;
#else
    free(((counter *)state)->cell);
#endif
}
#endif

#if defined DEFECT_padding
/* Builds the next state in a variable of which it sets only the fields. */
__attribute__((noinline)) static void store(counter *c, int64_t n) {
    volatile char local[sizeof(counter)];
    memcpy((char *)local + offsetof(counter, n), &n, sizeof n);
    local[offsetof(counter, touched)] = 1;
    for (size_t i = 0; i < sizeof local; i++) ((char *)c)[i] = local[i];
}
#endif

static plumb_value apply(void *state, const plumb_operation *op, void *context) {
    counter *c = state;
    (void)context;
#ifdef WITH_POINTER
    if (op->method == GET) return plumb_int(c->cell->n);
    c->cell->n += op->arg[0].as.integer;
#else
    if (op->method == GET) {
#if defined DEFECT_hidden_variable
        static int64_t calls;
        return plumb_int(c->n + calls++ / 1000);
#elif defined DEFECT_random
        return plumb_int(c->n + rand() % 2);
#elif defined DEFECT_readonly
        c->n++;
#elif defined DEFECT_wrong_kind
        return plumb_bytes("many", 4);
#endif
        return plumb_int(c->n);
    }
#if defined DEFECT_global_state
    static int64_t total; /* the state is outside of the state */
    total += op->arg[0].as.integer;
    c->n = total;
#elif defined DEFECT_padding
    store(c, c->n + op->arg[0].as.integer);
#elif defined DEFECT_overrun
    c[1].n = 7;
#else
    c->n += op->arg[0].as.integer;
#endif
#endif
    return plumb_none();
}

#ifdef DEFECT_parts
static plumb_value partition(const plumb_operation *op, void *context) {
    (void)context;
    return op->nargs ? op->arg[0] : plumb_none();
}
#endif

#ifdef DEFECT_endless
static enum plumb_step step_nth(void *state, const plumb_operation *op, uint32_t choice, plumb_value *result,
                                void *context) {
    *result = apply(state, op, context);
    (void)choice;
    return PLUMB_LEGAL_MORE;
}
#endif

#ifdef DEFECT_disagreement
static bool step(void *state, const plumb_operation *op, void *context) {
    plumb_value result = apply(state, op, context);
    return op->result.kind == PLUMB_UNKNOWN ||
           (op->result.kind == result.kind && op->result.as.integer == result.as.integer + 1);
}
#endif

#if defined DEFECT_together_order || defined DEFECT_together_alone || defined DEFECT_together_hidden
#define TOGETHER
/* One after the other, in the order they happen to have; alone one too many; and with something kept outside of the
 * state. */
static enum plumb_step together(void *state, const plumb_operation *op, uint32_t n, uint64_t begins, uint64_t ends,
                                uint32_t choice, plumb_value *result, void *context) {
    static int64_t calls;
    int64_t extra = 0;
    (void)begins;
    (void)ends;
    calls++;
#if defined DEFECT_together_alone
    extra = n == 1;
#elif defined DEFECT_together_hidden
    extra = calls / 100;
#endif
    if (choice) return PLUMB_ILLEGAL;
#ifndef DEFECT_together_order
    for (uint32_t i = 0; i < n; i++) /* all adds, then all gets */
        if (op[i].method == ADD) apply(state, &op[i], context);
#endif
    for (uint32_t i = 0; i < n; i++) {
#ifndef DEFECT_together_order
        if (op[i].method == ADD) continue;
#endif
        result[i] = apply(state, &op[i], context);
        if (op[i].method == GET) result[i].as.integer += extra;
    }
    return PLUMB_LEGAL;
}
#endif

#ifdef DEFECT_no_definition
const plumb_object definition = {
#else
const plumb_object plumb_object_definition = {
#endif
#ifdef DEFECT_no_size
    .struct_size = 8,
#else
    .struct_size = sizeof(plumb_object),
#endif
    .name = "broken",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .state_size = sizeof(counter),
    .apply = apply,
#ifdef WITH_POINTER
    .init = init,
    .copy = copy,
    .equal = equal,
    .release = release,
#ifndef DEFECT_no_hash
    .hash = hash,
#endif
#endif
#ifdef DEFECT_parts
    .partition = partition,
#endif
#ifdef DEFECT_endless
    .step_nth = step_nth,
#endif
#ifdef DEFECT_disagreement
    .step = step,
#endif
#ifdef TOGETHER
    .together = together,
#endif
};
