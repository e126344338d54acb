#include "bench/roundup.h"

#include "base/budget.h"
#include "base/mem.h"
#include "bench/measure.h"
#include "engine/portfolio.h"
#include "explore/outside/serial_phase.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUEUE "corpus/relaxed/quasi_queue.c"
#define STACK "corpus/relaxed/quasi_stack.c"
#define PQUEUE "corpus/relaxed/quasi_pqueue.c"
#define SCAL(name) "corpus/relaxed/" name ".c"

/* What the paper says of a row: "6", "0.2", "16/16", "61", "2.5". */
typedef struct published {
    const char *serial, *serial_seconds, *histories, *checks, *seconds;
} published;

typedef struct row {
    const char *name, *calls;
    const char *file, *flags, *golden, *golden_flags, *object;
    int k; /* -1: linearizability */
    const char *threads;
    bool violation;
    published paper;
} row;

#define Q22 "enq(1) enq(2) : enq(3) deq | enq(4) deq : deq deq"
#define Q33_4 "enq(1) enq(2) : enq(3) deq enq(4) | enq(5) deq deq : deq deq"
#define Q23 "enq(1) enq(2) : enq(3) deq | enq(4) deq deq : deq"
#define Q33 "enq(1) : enq(2) deq enq(3) | enq(4) deq deq : deq"
#define Q34 "enq(1) deq enq(2) | enq(3) deq enq(4) deq : deq"
#define Q44 "enq(1) enq(2) deq deq | enq(3) enq(4) deq deq"
#define S22 "push(1) push(2) : push(3) pop | push(4) pop : pop pop"
#define S22_EMPTY "push(1) pop : pop push(2) | push(3) pop : pop pop"
#define S22_FAR "push(1) push(2) push(3) : push(4) pop | push(5) pop : pop"
#define P22 "insert(4) insert(2) : insert(1) deletemin | insert(3) deletemin : deletemin deletemin"

static const row linearizability[] = {
    {"IQueue",
     "2*2+0",
     SCAL("iqueue"),
     "",
     "corpus/michael_scott_queue.c",
     "",
     "queue",
     -1,
     "enq(1) deq | enq(2) deq",
     true,
     {"3", "0.1", "2/6", "13", "0.3"}},
    {"Herlihy/Wing queue",
     "2*2+0",
     "corpus/herlihy_wing_queue.c",
     "",
     "corpus/michael_scott_queue.c",
     "",
     "queue",
     -1,
     "enq(1) deq | enq(2) deq",
     false,
     {"3", "0.1", "0/4", "9", "0.2"}},
    {"Quasi Queue", "2*2+4", QUEUE, "", QUEUE, "-DK=0", "queue", -1, Q22, true, {"6", "0.2", "16/16", "61", "2.5"}},
    {"Quasi Queue",
     "3*3+4",
     QUEUE,
     "",
     QUEUE,
     "-DK=0",
     "queue",
     -1,
     Q33_4,
     true,
     {"20", "1.1", "64/64", "505", "43.7"}},
    {"Quasi Queue", "2*3+3", QUEUE, "", QUEUE, "-DK=0", "queue", -1, Q23, true, {"10", "0.4", "24/32", "169", "8.3"}},
    {"Quasi Queue", "3*3+2", QUEUE, "", QUEUE, "-DK=0", "queue", -1, Q33, true, {"20", "0.8", "108/118", "1033", "83"}},
    {"Quasi Queue",
     "3*4+1",
     QUEUE,
     "",
     QUEUE,
     "-DK=0",
     "queue",
     -1,
     Q34,
     true,
     {"35", "1.6", "149/198", "2260", "308"}},
    {"Quasi Queue",
     "4*4+0",
     QUEUE,
     "",
     QUEUE,
     "-DK=0",
     "queue",
     -1,
     Q44,
     true,
     {"70", "2.6", "274/476", "8484", "2254"}},
    {"Quasi Queue b1",
     "2*2+4",
     QUEUE,
     "-DBUG_FAR",
     QUEUE,
     "-DK=0",
     "queue",
     -1,
     Q22,
     true,
     {"6", "0.3", "91/91", "409", "17.8"}},
    {"Quasi Queue b2",
     "2*2+4",
     QUEUE,
     "-DBUG_TWICE",
     QUEUE,
     "-DK=0",
     "queue",
     -1,
     Q22,
     true,
     {"6", "0.3", "91/91", "409", "18.1"}},
    {"Quasi Queue b3",
     "2*2+4",
     QUEUE,
     "-DBUG_EMPTY",
     QUEUE,
     "-DK=0",
     "queue",
     -1,
     Q22,
     true,
     {"6", "0.3", "141/141", "653", "26.9"}},
    {"Quasi Stack b1",
     "2*2+4",
     STACK,
     "-DBUG_EMPTY",
     STACK,
     "-DK=0",
     "stack",
     -1,
     S22_EMPTY,
     true,
     {"6", "0.3", "9/9", "34", "1.6"}},
    {"Quasi Stack b2",
     "2*2+4",
     STACK,
     "-DBUG_FAR",
     STACK,
     "-DK=0",
     "stack",
     -1,
     S22_FAR,
     true,
     {"6", "0.3", "16/16", "61", "2.5"}},
    {"Quasi Stack", "2*2+4", STACK, "", STACK, "-DK=0", "stack", -1, S22, false, {"6", "0.3", "0/16", "61", "2.5"}},
    {"Quasi Priority Queue",
     "2*2+4",
     PQUEUE,
     "",
     PQUEUE,
     "-DK=0",
     "pqueue-min",
     -1,
     P22,
     true,
     {"6", "0.5", "16/16", "61", "4.9"}},
    {"Quasi Priority Queue b2",
     "2*2+4",
     PQUEUE,
     "-DBUG_FAR",
     PQUEUE,
     "-DK=0",
     "pqueue-min",
     -1,
     P22,
     true,
     {"6", "0.5", "125/125", "532", "27.0"}},
};

static const row quasi[] = {
    {"Quasi Queue", "2*2+4", QUEUE, "", QUEUE, "-DK=0", "queue", 2, Q22, false, {"6", "0.2", "0/16", "1708", "2.9"}},
    {"Quasi Queue",
     "3*3+4",
     QUEUE,
     "",
     QUEUE,
     "-DK=0",
     "queue",
     2,
     Q33_4,
     false,
     {"20", "1.1", "0/64", "73730", "333"}},
    {"Quasi Queue", "2*3+3", QUEUE, "", QUEUE, "-DK=0", "queue", 2, Q23, false, {"10", "0.4", "0/32", "4732", "9.6"}},
    {"Quasi Queue", "3*3+2", QUEUE, "", QUEUE, "-DK=0", "queue", 2, Q33, false, {"20", "0.8", "0/118", "28924", "94"}},
    {"Quasi Queue", "3*4+1", QUEUE, "", QUEUE, "-DK=0", "queue", 2, Q34, false, {"35", "1.6", "0/198", "63280", "340"}},
    {"Quasi Queue",
     "4*4+0",
     QUEUE,
     "",
     QUEUE,
     "-DK=0",
     "queue",
     2,
     Q44,
     false,
     {"70", "2.6", "0/476", "237552", "2456"}},
    {"Quasi Queue (qfactor=3)",
     "2*3+3",
     QUEUE,
     "-DK=3",
     QUEUE,
     "-DK=0",
     "queue",
     3,
     Q23,
     false,
     {"10", "0.4", "0/32", "8112", "14.9"}},
    {"Quasi Queue (qfactor=3)",
     "3*3+2",
     QUEUE,
     "-DK=3",
     QUEUE,
     "-DK=0",
     "queue",
     3,
     Q33,
     false,
     {"20", "0.8", "0/118", "49584", "156"}},
    {"Quasi Queue (qfactor=3)",
     "3*4+1",
     QUEUE,
     "-DK=3",
     QUEUE,
     "-DK=0",
     "queue",
     3,
     Q34,
     false,
     {"35", "1.6", "0/198", "108480", "615"}},
    {"Quasi Queue (qfactor=3)",
     "4*4+0",
     QUEUE,
     "-DK=3",
     QUEUE,
     "-DK=0",
     "queue",
     3,
     Q44,
     false,
     {"70", "2.6", "0/476", "407232", "4172"}},
    {"Quasi Queue b1",
     "2*2+4",
     QUEUE,
     "-DBUG_FAR",
     QUEUE,
     "-DK=0",
     "queue",
     2,
     Q22,
     true,
     {"6", "0.3", "41/91", "11452", "20.1"}},
    {"Quasi Queue b2",
     "2*2+4",
     QUEUE,
     "-DBUG_TWICE",
     QUEUE,
     "-DK=0",
     "queue",
     2,
     Q22,
     true,
     {"6", "0.3", "91/91", "11452", "20.2"}},
    {"Quasi Queue b3",
     "2*2+4",
     QUEUE,
     "-DBUG_EMPTY",
     QUEUE,
     "-DK=0",
     "queue",
     2,
     Q22,
     true,
     {"6", "0.3", "73/141", "18284", "31.0"}},
    {"Quasi Stack b1",
     "2*2+4",
     STACK,
     "-DBUG_EMPTY",
     STACK,
     "-DK=0",
     "stack",
     2,
     S22_EMPTY,
     true,
     {"6", "0.3", "9/9", "2108", "3.5"}},
    {"Quasi Stack b2",
     "2*2+4",
     STACK,
     "-DBUG_FAR",
     STACK,
     "-DK=0",
     "stack",
     2,
     S22_FAR,
     true,
     {"6", "0.3", "6/16", "1708", "2.8"}},
    {"Quasi Stack", "2*2+4", STACK, "", STACK, "-DK=0", "stack", 2, S22, false, {"6", "0.3", "0/16", "1708", "2.8"}},
    {"Quasi Priority Queue",
     "2*2+4",
     PQUEUE,
     "",
     PQUEUE,
     "-DK=0",
     "pqueue-min",
     2,
     P22,
     false,
     {"6", "0.5", "0/16", "1708", "4.7"}},
    {"Quasi Priority Queue b2",
     "2*2+4",
     PQUEUE,
     "-DBUG_FAR",
     PQUEUE,
     "-DK=0",
     "pqueue-min",
     2,
     P22,
     true,
     {"6", "0.5", "54/125", "6384", "20.0"}},
};

#define ENQ5 "enq(1) enq(2) enq(3) enq(4) enq(5) "
#define DEQ5 "deq deq deq deq deq"
#define ENQ_DEQ ENQ5 "enq(6) : enq(7) | deq : " DEQ5 " deq"
#define ENQ_ENQ ENQ5 ": enq(6) | enq(7) : " DEQ5 " deq deq"
#define DEQ_DEQ ENQ5 "enq(6) enq(7) : deq | deq : " DEQ5
#define PUSH5 "push(1) push(2) push(3) push(4) push(5) "
#define POP5 "pop pop pop pop pop"
#define PUSH_POP PUSH5 "push(6) : push(7) | pop : " POP5 " pop"
#define PUSH_PUSH PUSH5 ": push(6) | push(7) : " POP5 " pop pop"
#define POP_POP PUSH5 "push(6) push(7) : pop | pop : " POP5
/* the top segment, the third of three slots each, has been emptied */
#define PUSH_POP_TOP_EMPTY PUSH5 "push(6) push(7) pop : push(8) | pop : pop pop pop pop"
#define GOLDEN_QUEUE "corpus/michael_scott_queue.c"
#define GOLDEN_STACK "corpus/treiber_stack.c"
#define SCAL_QUEUE(name, file, flags, wrong_same, p1, p2, p3) \
    {name " (enq+deq)", "1*1+12", file, flags, GOLDEN_QUEUE, "", "queue", 2, ENQ_DEQ, false, p1}, \
        {name " (enq+enq)", "1*1+12", file, flags, GOLDEN_QUEUE, "", "queue", 2, ENQ_ENQ, wrong_same, p2}, { \
        name " (deq+deq)", "1*1+12", file, flags, GOLDEN_QUEUE, "", "queue", 2, DEQ_DEQ, wrong_same, p3 \
    }
#define P(...) \
    { __VA_ARGS__ }

static const row scal[] = {
    SCAL_QUEUE("sl-queue", SCAL("single_thread_queue"), "", true, P("2", "0.38", "0/2", "1032", "1.61"),
               P("2", "0.37", "1/2", "1032", "1.78"), P("2", "0.37", "4/8", "5160", "7.21")),
    {"t-stack (push+pop)", "1*1+12", GOLDEN_STACK, "", GOLDEN_STACK, "", "stack", 2, PUSH_POP, false,
     P("2", "0.58", "0/8", "5160", "7.77")},
    {"t-stack (push+push)", "1*1+12", GOLDEN_STACK, "", GOLDEN_STACK, "", "stack", 2, PUSH_PUSH, false,
     P("2", "0.59", "0/8", "5160", "7.78")},
    {"t-stack (pop+pop)", "1*1+12", GOLDEN_STACK, "", GOLDEN_STACK, "", "stack", 2, POP_POP, false,
     P("2", "0.56", "0/8", "5160", "7.63")},
    SCAL_QUEUE("ms-queue", GOLDEN_QUEUE, "", false, P("2", "0.76", "0/3", "1720", "2.94"),
               P("2", "0.79", "0/31", "20984", "32.47"), P("2", "0.76", "0/12", "7912", "12.33")),
    SCAL_QUEUE("rd-queue", SCAL("random_dequeue_queue"), "-DK=2", false, P("2", "0.90", "0/5", "3096", "5.97"),
               P("2", "0.91", "0/31", "20984", "37.83"), P("2", "0.87", "0/4", "2408", "7.31")),
    SCAL_QUEUE("bk-queue", SCAL("bounded_k_fifo_queue"), "-DK=2", false, P("2", "1.27", "0/29", "19608", "34.45"),
               P("2", "1.30", "0/41", "27864", "50.98"), P("2", "1.22", "0/24", "16168", "28.11")),
    SCAL_QUEUE("ubk-queue", SCAL("k_fifo_queue"), "-DK=2", false, P("2", "2.42", "0/21", "14104", "35.71"),
               P("2", "1.86", "0/41", "27864", "61.94"), P("2", "1.84", "0/52", "35432", "68.21")),
    {"k-stack (push+pop)", "1*1+12", SCAL("k_stack"), "-DK=2 -DBUG_COMMIT", GOLDEN_STACK, "", "stack", 2,
     PUSH_POP_TOP_EMPTY, true, P("2", "1.55", "11/69", "47128", "89")},
    {"k-stack (push+push)", "1*1+12", SCAL("k_stack"), "-DK=2 -DBUG_COMMIT", GOLDEN_STACK, "", "stack", 2, PUSH_PUSH,
     false, P("2", "1.69", "0/12", "7192", "15.13")},
    {"k-stack (pop+pop)", "1*1+12", SCAL("k_stack"), "-DK=2 -DBUG_COMMIT", GOLDEN_STACK, "", "stack", 2, POP_POP, false,
     P("2", "1.62", "0/8", "5160", "9.46")},
    {"k-stack corrected", "1*1+12", SCAL("k_stack"), "-DK=2", GOLDEN_STACK, "", "stack", 2, PUSH_POP_TOP_EMPTY, false,
     P("", "", "", "", "")},
};

#define Q66 "enq(1) enq(2) enq(3) deq deq deq | enq(4) enq(5) enq(6) deq deq deq"
#define Q66_MIXED "enq(1) deq enq(2) deq enq(3) deq | enq(4) deq enq(5) deq enq(6) deq"
#define NOTHING P("", "", "", "", "")

static const row beyond[] = {
    {"Quasi Queue, 3 threads", "2*2*2", QUEUE, "", QUEUE, "-DK=0", "queue", 2, "enq(1) deq | enq(2) deq | enq(3) deq",
     false, NOTHING},
    {"Quasi Queue, 3 threads", "3*3*3", QUEUE, "", QUEUE, "-DK=0", "queue", 2,
     "enq(1) deq deq | enq(2) enq(3) deq | enq(4) deq deq : deq", false, NOTHING},
    {"Quasi Queue", "6*6", QUEUE, "", QUEUE, "-DK=0", "queue", 2, Q66, false, NOTHING},
    {"Quasi Queue", "6*6 mixed", QUEUE, "", QUEUE, "-DK=0", "queue", 2, Q66_MIXED, false, NOTHING},
    {"Quasi Queue (k=4)", "6*6", QUEUE, "-DK=4", QUEUE, "-DK=0", "queue", 4, Q66, false, NOTHING},
    {"Quasi Queue (k=8)", "6*6", QUEUE, "-DK=8", QUEUE, "-DK=0", "queue", 8, Q66, false, NOTHING},
    {"Quasi Queue (k=8)", "6*6 mixed", QUEUE, "-DK=8", QUEUE, "-DK=0", "queue", 8, Q66_MIXED, false, NOTHING},
    {"Quasi Queue (k=8) for k=1", "6*6 mixed", QUEUE, "-DK=8", QUEUE, "-DK=0", "queue", 1, Q66_MIXED, true, NOTHING},
    {"Quasi Stack (k=2), 3 threads", "3*3*3", STACK, "-DK=2", STACK, "-DK=0", "stack", 2,
     "push(1) pop pop | push(2) push(3) pop | push(4) pop pop : pop", false, NOTHING},
    {"Quasi Priority Queue, 3 threads", "3*3*3", PQUEUE, "", PQUEUE, "-DK=0", "pqueue-min", 2,
     "insert(3) deletemin deletemin | insert(2) insert(4) deletemin | insert(1) deletemin deletemin : deletemin", false,
     NOTHING},
    {"ubk-queue (k=1)", "2*2+3", SCAL("k_fifo_queue"), "", GOLDEN_QUEUE, "", "queue", 1,
     "enq(1) enq(2) : enq(3) deq | enq(4) deq : deq deq", false, NOTHING},
    {"bk-queue (k=1)", "2*2+3", SCAL("bounded_k_fifo_queue"), "", GOLDEN_QUEUE, "", "queue", 1,
     "enq(1) enq(2) : enq(3) deq | enq(4) deq : deq deq", false, NOTHING},
    {"k-stack (k=1)", "2*2+3", SCAL("k_stack"), "", GOLDEN_STACK, "", "stack", 1,
     "push(1) push(2) push(3) : push(4) pop | pop push(5) : pop pop pop", false, NOTHING},
};

/* ---- running ---- */

static const char *command, *folder;
static FILE *kept;

static void both(const char *words) {
    fputs(words, stdout);
    fflush(stdout);
    if (kept) fputs(words, kept);
}

static bool compile(const char *file, const char *flags, const char *as) {
    char line[512];
    snprintf(line, sizeof line, "%s cc -O2 -g -Iinclude %s %s -o %s/%s", command, flags, file, folder, as);
    if (!system(line)) return true;
    fprintf(stderr, "bench: %s\n", line);
    return false;
}

typedef struct outcome_of_row {
    serial_count serial;
    double serial_cpu, cpu;
    campaign_result r;       /* with every reduction: what `plumb explore` does */
    uint64_t histories, bad; /* distinct ones, listed */
    bool all_listed;
    object *o;
    const char *method[2];
} outcome_of_row;

/* One history as the explorer lists it: "thread,method,argument,returned-before,result ...". */
static history *history_of(const outcome_of_row *x, const char *line, error *e) {
    executed_operation op[OPERATIONS_MAX];
    uint64_t before[OPERATIONS_MAX], set[OPERATIONS_MAX];
    uint32_t n = 0, sets = 0;
    for (const char *p = line; *p; n++) {
        unsigned thread, number;
        int used = 0;
        op[n] = (executed_operation){.first = NO_STEP, .last = NO_STEP};
        sscanf(p, "%u,%u,%" SCNd64 ",%" SCNx64 ",%n", &thread, &number, &op[n].arg[0], &before[n], &used);
        size_t length = strcspn(p + used, " ");
        op[n].thread = thread;
        op[n].method = (char *)(uintptr_t)x->method[number];
        op[n].nargs = number == 0;
        op[n].result = length ? strndup(p + used, length) : NULL;
        p += (size_t)used + length;
        p += *p == ' ';
        set[n] = before[n];
    }
    /* The sets of what returned before a call form a chain: their places in it are times. */
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i; k > 0 && __builtin_popcountll(set[k - 1]) > __builtin_popcountll(set[k]); k--) {
            uint64_t swapped = set[k];
            set[k] = set[k - 1];
            set[k - 1] = swapped;
        }
    for (uint32_t i = 0; i < n; i++)
        if (!i || set[i] != set[sets - 1]) set[sets++] = set[i];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t called = 0, returned = 0;
        while (set[called] != before[i]) called++;
        while (returned < sets && !(set[returned] >> i & 1)) returned++;
        op[i].call_at = OPERATIONS_MAX * 2 * called + OPERATIONS_MAX + i;
        op[i].return_at = OPERATIONS_MAX * 2 * returned + i;
    }
    execution all = {.op = op, .ops = n};
    history *h = execution_history(&all, "bench", e);
    for (uint32_t i = 0; i < n; i++) free(op[i].result);
    return h;
}

static void judge_listed(void *context, const char *line) {
    outcome_of_row *x = context;
    error e = {0};
    budget b;
    decision d;
    if (!line) {
        x->histories = x->bad = 0;
        return;
    }
    history *h = history_of(x, line, &e);
    budget_init(&b, 10, 0);
    if (h && object_bind(x->o, h, "bench", &e)) {
        decide(h, x->o, &(decide_options){0}, &b, NULL, &d);
        x->histories++;
        x->bad += d.verdict == VERDICT_VIOLATION;
        decision_free(&d);
    } else fprintf(stderr, "bench: %s: %s\n", line, e.what);
    history_free(h);
}

static bool session_once(const char *binary, const run_request *how, campaign_result *r) {
    char path[128];
    char *argv[] = {path, NULL};
    error e = {0};
    run_answer a = {0};
    snprintf(path, sizeof path, "%s/%s", folder, binary);
    session *s = session_open(path, argv, &e);
    bool good = s && session_run(s, how, NULL, NULL, &a, &e) && !a.died;
    if (!good) fprintf(stderr, "bench: %s: %s\n", how->threads, e.code ? e.what : a.result.message);
    *r = a.result;
    run_answer_free(&a);
    session_close(s);
    return good;
}

static bool phase_one(const row *w, outcome_of_row *x) {
    char path[128], binary[128];
    char *argv[] = {binary, NULL};
    error e = {0};
    run_answer failed = {0};
    snprintf(path, sizeof path, "%s/runs.serial", folder);
    snprintf(binary, sizeof binary, "%s/golden", folder);
    unlink(path);
    double before = measure_children();
    serial_phase_options o = {
        .path = path, .binary = binary, .argv = argv, .how = {.steps = 2000, .filter = true}, .same_as = x->o};
    serial_phase *s = serial_phase_open(&o, &e);
    bool good = s && serial_phase_make(s, w->threads, 60, &x->serial, &failed, &e) == SERIAL_MADE;
    serial_phase_close(s);
    x->serial_cpu = measure_children() - before;
    unlink(path);
    if (!good) fprintf(stderr, "bench: %s: phase 1: %s\n", w->name, e.what);
    return good;
}

static bool phase_two(const row *w, outcome_of_row *x) {
    char asked[32];
    snprintf(asked, sizeof asked, w->k < 0 ? "linearizable" : "quasi(%d)", w->k);
    run_request how = {.threads = w->threads,
                       .object = w->object,
                       .criterion = asked,
                       .strategy = "dpor",
                       .all = true,
                       .symmetry = true,
                       .trust_loops = true,
                       .filter = true,
                       .steps = 2000,
                       .seconds = 150};
    double before = measure_children();
    if (!session_once("test", &how, &x->r)) return false;
    x->cpu = measure_children() - before;
    return true;
}

/* Every distinct history of every interleaving, nothing assumed, each decided by itself. Not timed. */
static bool list_histories(const row *w, outcome_of_row *x) {
    campaign_result r;
    run_request how = {.threads = w->threads,
                       .strategy = "dpor",
                       .filter = true,
                       .steps = 2000,
                       .seconds = 3,
                       .history = judge_listed,
                       .context = x};
    bool good = session_once("test", &how, &r);
    x->all_listed = r.complete;
    return good;
}

static bool open_object(const row *w, outcome_of_row *x) {
    error e = {0};
    criterion c = {.kind = w->k < 0 ? CRITERION_LINEARIZABLE : CRITERION_QUASI,
                   .limit = {(uint32_t)(w->k < 0 ? 0 : w->k), (uint32_t)(w->k < 0 ? 0 : w->k)}};
    x->o = object_open(w->object, NULL, &e);
    x->method[0] = x->o->type->methods[0].name;
    x->method[1] = x->o->type->methods[1].name;
    return object_relax(x->o, &c, &e);
}

static bool print_row(const row *w, const outcome_of_row *x) {
    char line[400], serial[48], histories[64], seconds[64];
    bool violation = x->r.failure == FAILURE_VIOLATION,
         right = violation == w->violation && (violation || x->r.complete),
         quick = x->cpu + x->serial_cpu < 2 || !*w->paper.seconds;
    snprintf(serial, sizeof serial, "%" PRIu64 " [%s]", x->serial.orders, w->paper.serial);
    snprintf(histories, sizeof histories, "%s%" PRIu64 "/%" PRIu64 " [%s]", x->all_listed ? "" : ">", x->bad,
             x->histories, w->paper.histories);
    snprintf(seconds, sizeof seconds, "%.3f + %.3f s [%s + %s]", x->serial_cpu, x->cpu, w->paper.serial_seconds,
             w->paper.seconds);
    snprintf(line, sizeof line, "%-32s %-10s %-13s %-12s serial %-11s histories %-24s traces %7" PRIu64 " [%s]  %s%s\n",
             w->name, w->calls, w->k < 0 ? "linearizable" : "quasi",
             !violation ? x->r.complete ? "all right" : "undecided" : "VIOLATION", serial, histories, x->r.executions,
             w->paper.checks, seconds, right ? quick ? "" : "  SLOW" : "  NOT AS PUBLISHED");
    both(line);
    return right;
}

static bool run_row(const row *w) {
    outcome_of_row x = {0};
    bool good =
        compile(w->file, w->flags, "test") && compile(w->golden, w->golden_flags, "golden") && open_object(w, &x);
    good = good && phase_one(w, &x) && phase_two(w, &x) && list_histories(w, &x) && print_row(w, &x);
    object_close(x.o);
    return good;
}

static bool run_rows(const char *title, const row *rows, unsigned n) {
    bool good = true;
    both(title);
    for (unsigned i = 0; i < n; i++) good &= run_row(&rows[i]);
    return good;
}

/* Figures 8 and 9: histories that are looked at, and time, when nothing is recognized as seen before (every
 * interleaving is run and checked), when every trace is run once, and with interchangeable threads and pure loops
 * besides. */
static bool run_reductions(const row *rows, unsigned n) {
    both("\nFigures 8 and 9: executions that are run and checked, CPU seconds: every interleaving (> a million were "
         "not enough); one for each trace; with interchangeable threads and pure loops\n");
    for (unsigned i = 0; i < n; i++) {
        char line[300];
        uint64_t executions[3];
        double cpu[3];
        bool complete[3];
        if (!compile(rows[i].file, rows[i].flags, "test")) return false;
        for (unsigned k = 0; k < 3; k++) {
            campaign_result r;
            run_request how = {.threads = rows[i].threads,
                               .object = rows[i].object,
                               .criterion = "quasi(2)",
                               .strategy = k ? "dpor" : "dfs",
                               .all = true,
                               .filter = true,
                               .steps = 2000,
                               .executions = 1000000,
                               .seconds = 100,
                               .each_history = !k,
                               .symmetry = k == 2,
                               .trust_loops = k == 2};
            double before = measure_children();
            if (!session_once("test", &how, &r)) return false;
            cpu[k] = measure_children() - before;
            executions[k] = r.executions;
            complete[k] = r.complete;
        }
        snprintf(line, sizeof line,
                 "%-24s %s%9" PRIu64 " %7.3f s    %s%9" PRIu64 " %7.3f s    %s%9" PRIu64 " %7.3f s\n", rows[i].name,
                 complete[0] ? " " : ">", executions[0], cpu[0], complete[1] ? " " : ">", executions[1], cpu[1],
                 complete[2] ? " " : ">", executions[2], cpu[2]);
        both(line);
    }
    return true;
}

#define ROWS(table) table, sizeof table / sizeof *table

bool roundup_tables(const char *plumb, const char *scratch, FILE *results) {
    command = plumb;
    folder = scratch;
    kept = results;
    both("Ours, then [as published]. serial: orders of the operations; histories: violating/all distinct ones, by "
         "interval order, nothing assumed; traces: executions that phase 2 needs\n"
         "(published: sequentializations, quasi permutations); CPU seconds of phase 1 + phase 2, one process, every "
         "trace checked, no stop at the first violation\n");
    bool good = run_rows("\nTable II: linearizability\n", ROWS(linearizability));
    good &= run_rows("\nTable III: quasi linearizability, k = 2 where nothing is said\n", ROWS(quasi));
    good &= run_rows("\nTable V: Scal, k = 2\n", ROWS(scal));
    good &= run_rows("\nBeyond\n", ROWS(beyond));
    good &= run_reductions(ROWS(scal));
    char path[128];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, i ? "golden" : "test");
        unlink(path);
    }
    return good;
}
