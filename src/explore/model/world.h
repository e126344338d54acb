/* What a strategy sees of the program that it drives, and what it answers.
 *
 * The *machine* (inside/machine.h) runs the code under test in fibers; whenever every thread stands before its next
 * step it asks the strategy which one goes on. There are other worlds: tests drive strategies with made-up programs. A
 * world promises:
 *   - the same answers give the same execution, step by step;
 *   - `pending[t]` describes the next step of every live thread t, refreshed to the memory as it is now;
 *   - when `pick` is called, `last` is the final description of the step executed just before (whether it failed, its
 *     value);
 *   - steps of a thread that runs alone with no other thread alive are not steps: the world does not ask. (The others
 *     must have been joined: one that merely ended may have raced with what comes now.)
 *   - a driver that was told of an execution's end finds `live`, `enabled`, `pending` and `last` as they were then.
 * Operations: `ops[i].first` and `.last` are the numbers of the steps at which operation i became visible and was last
 * seen (counting executed steps from 0); NO_STEP when it happened while only one thread was alive. */
#ifndef PLUMB_EXPLORE_MODEL_WORLD_H
#define PLUMB_EXPLORE_MODEL_WORLD_H

#include "base/hash128.h"
#include "explore/model/step.h"
#include "history/value.h"

#define NO_STEP UINT32_MAX
enum { OPERATION_ARGS = 3, OPERATIONS_MAX = 64, OUTCOME_ROOM = 1024 };

typedef struct explored_operation {
    uint8_t thread;
    uint8_t method; /* number of the declared operation */
    uint8_t nargs;
    bool returned;
    int64_t arg[OPERATION_ARGS];
    value result;                /* in the values of the world; VALUE_UNKNOWN while it has not returned */
    uint32_t first, last;        /* steps */
    uint32_t call_at, return_at; /* position among all calls and returns of this execution, as it happened */
    uint16_t stores;             /* so many of its thread have to reach memory before it is over for others; 0: none */
    uint32_t marks;              /* how often plumb_linearizes_here() was called in it */
    /* the last of them: after so many calls and returns; its number among all marks */
    uint32_t marked_after, marked_as;
} explored_operation;

typedef enum ending {
    ENDED_WELL,
    ENDED_PRUNED,  /* the strategy asked to stop: nothing new this way */
    ENDED_ASSUMED, /* some thread stopped for good in a pure loop: what it would have done is covered elsewhere */
    ENDED_BOUND,   /* more steps than --steps: cut off, not covered */
    ENDED_BAD,     /* see failure */
    /* the world saw that more memory is shared than it knew: from now on there are more steps. This execution does
     * not count, and a strategy has to begin anew: what it remembers of earlier ones no longer fits */
    ENDED_LEARNED,
} ending;

typedef enum failure_kind {
    FAILURE_NONE,
    FAILURE_ASSERTION,
    FAILURE_DEADLOCK,
    FAILURE_LIVELOCK,
    FAILURE_CRASH,
    FAILURE_EXCEPTION,
    FAILURE_USE_AFTER_FREE,
    FAILURE_DOUBLE_FREE,
    FAILURE_INVALID_FREE,
    FAILURE_LEAK,
    FAILURE_DATA_RACE,
    FAILURE_INVARIANT,
    FAILURE_MISUSE,     /* unlock of a mutex that is not held, join of a thread there is not, ... */
    FAILURE_UNMODELLED, /* the code called something that we do not understand: not a verdict, a refusal (exit 2) */
    /* the program did not repeat itself: internal, or code that looks at the clock or real addresses */
    FAILURE_DIVERGED,
    FAILURE_VIOLATION,  /* found by the check of histories, not by the machine */
    FAILURE_ANNOTATION, /* the linearization points that the code marks do not explain a history that is linearizable */
    FAILURE_PATTERN,    /* a bad pattern of the user's own is in the history */
    FAILURE_KINDS
} failure_kind;

/* A thread has read `value` there; it will find it there again before it does anything that others see, or else the
 * iteration of a loop that it is in fails, which no other thread can see (docs/EXPLORER.md, confirmed reads). */
enum { WINDOWS_MAX = 4 };
typedef struct window {
    uintptr_t address, pc; /* of eight bytes; of the load */
    uint64_t value;
} window;

/* Of a step that was executed without a question: what reductions look at, and the trail up to it. */
enum { PASSED_MAX = 64 };
typedef struct passed_step {
    place at[2];
    uint64_t trail;
    uint8_t kind, flags;
    uint8_t events; /* of its thread, behind it */
} passed_step;

/* Of a pending access, in worlds that keep every write of a place and ask which one is read (CHOICE_OF_MESSAGE): what
 * an execution graph has to know of it. */
typedef struct pending_access {
    uint32_t life; /* how often plain writes, or a free, have begun its place anew */
    uint8_t update, order_failed;
    bool holds;          /* of a lock: another thread had it before the first step at it */
    uint64_t operand[2]; /* what is stored, added, ... */
    uint64_t first[2];   /* the value of its place before every write that is a step */
} pending_access;

/* What a step of an execution graph read, as the numbers of the steps that wrote it, and the newest if that is another
 * one; NO_STEP: what was there before, or none. */
typedef struct read_message {
    uint32_t step, from, newest;
} read_message;

typedef struct world world;
struct world {
    unsigned threads;         /* numbers 0..threads-1 have been created so far */
    thread_set live, enabled; /* enabled is a subset of live */
    step pending[THREADS_MAX];
    uint8_t creator[THREADS_MAX];     /* the thread that created it; its own number for the first */
    uint32_t created_at[THREADS_MAX]; /* number of steps executed when it was created */
    uint8_t group[THREADS_MAX];       /* threads of one group are interchangeable; 0: of none */
    uint8_t windows[THREADS_MAX];     /* that are open, of each thread */
    uint8_t events[THREADS_MAX];      /* calls and returns so far, of each thread, that came with a step of it */
    window window[THREADS_MAX][WINDOWS_MAX];
    pending_access access[THREADS_MAX]; /* of pending accesses, in worlds that ask for messages */
    step last;                          /* the step executed before this question */
    uint32_t steps;                     /* how many were executed so far */
    uint32_t choices;                   /* how many were asked for so far, by worlds that do not ask for known ones */
    /* all of them but the last as one number, of worlds that do not ask for known picks */
    uint64_t trail;
    explored_operation *ops;
    uint32_t op_count;
    struct values *values;
    /* said by a driver that knows (`foresees`): it will pick another thread here in a later execution */
    bool branches;
    /* x86-TSO: the store buffer of thread t is thread THREADS_MAX-1-t, live while there is a store in it */
    bool buffers;
    /* said by such a driver, of its pick: as long as that thread can go on it is picked again */
    bool stays;
    /* said by a strategy: it did not follow threads that yield again and again while others wait */
    bool fair_only;
    /* said by a strategy: a loop that read the same a few times over was taken to wait */
    bool rounds_cut;
    thread_set goes_round; /* these, whose last rounds have read what is newest now */
    uint32_t passed;       /* so many steps before `last` were executed without a question because of that */
    passed_step pass[PASSED_MAX];
    read_message read;          /* of the last step that read a message */
    char outcome[OUTCOME_ROOM]; /* what the test says that this execution came to; empty: nothing */
    ending ending;
    failure_kind failure;
    char message[256]; /* of a failure */
    void *context;     /* the world's own */
    /* The state at a question, for a driver that compares states: where two are equal executions go on alike, their
     * histories apart. NULL: this world cannot say. */
    hash128 (*state)(const world *w);
};

/* Threads have numbers below this one. */
static inline unsigned world_numbers(const world *w) { return w->buffers ? THREADS_MAX : w->threads; }

/* PICK_BLOCKED: whatever could go on waits, as far as the strategy knows: for ever, or in vain? The world decides. */
enum { PICK_STOP = -1, PICK_BLOCKED = -2 };
typedef enum choice_kind {
    CHOICE_OF_TEST,
    CHOICE_OF_MEMORY /* which freed block is used again */,
    CHOICE_OF_SIGNAL,
    /* Which write of its place the last step reads, in modification order, the first value being 0; behind which one a
     * store stands. */
    CHOICE_OF_MESSAGE
} choice_kind;

/* What drives an execution. `pick` returns an enabled thread, or PICK_STOP to end this execution; `choose` one of
 * 0..n-1. The first `knowns` picks are known before: a world may ask for them, or just make them and keep a trail. All
 * of them but the last, and the choices before that one, are as they were in the execution before by this driver: a
 * world that still knows a state on their way may go on from there.
 * Where the driver has said that it stays with a thread, a world may let that thread go on without asking while it is
 * enabled, is not about to yield, and no join is possible. It keeps these steps in `pass` until the driver takes them
 * at the next question, or at the end of the execution. */
typedef struct driver {
    int (*pick)(void *self, world *w);
    unsigned (*choose)(void *self, world *w, unsigned n, choice_kind kind);
    void *self;
    const uint8_t *known;
    uint32_t knowns;
    bool foresees;
    bool stays;    /* with the thread of the last known pick */
    bool compares; /* asks for states */
    /* repeats a schedule, in which stores into buffers and fences may come later than they could (kind_goes_first) */
    bool any_order;
} driver;

/* Runs one execution from a clean start to its end and returns how it ended (also in w->ending). */
typedef ending world_run(world *w, const driver *d);

#endif
