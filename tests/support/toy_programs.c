#include "support/toy_programs.h"

#include <stdlib.h>
#include <string.h>

#define R TOY_R
#define N TOY_N
#define NOTHING TOY_N(-1)

static toy_instruction *put(toy_program *p, unsigned t, toy_op op, unsigned d, toy_operand cell, toy_operand x,
                            toy_operand y) {
    return toy_emit(p, t, op, d, cell, x, y);
}

static void to_here(toy_program *p, unsigned t, toy_instruction *jump) { jump->target = (int16_t)toy_here(p, t); }

static toy_instruction *jump(toy_program *p, unsigned t, toy_op op, toy_operand x, toy_operand y, unsigned target) {
    toy_instruction *i = put(p, t, op, 0, N(0), x, y);
    i->target = (int16_t)target;
    return i;
}

static void spawn_and_join(toy_program *p) {
    for (unsigned t = 1; t < p->threads; t++) put(p, 0, TOY_SPAWN, 0, N(0), N((int)t), NOTHING);
    for (unsigned t = 1; t < p->threads; t++) put(p, 0, TOY_JOIN, 0, N(0), N((int)t), NOTHING);
}

/* ---- structures ---- */

enum { HEAD, TAIL, LOCK, COUNT, DUMMY = 4, ARENAS = 16, ARENA = 24, VALUE_REGISTER = 0, FREE = 6 };

static toy_instruction *field(toy_instruction *i, unsigned offset) {
    i->offset = (uint8_t)offset;
    return i;
}

static void new_node(toy_program *p, unsigned t, int what) {
    put(p, t, TOY_SET, 1, N(0), R(FREE), NOTHING);
    put(p, t, TOY_PLUS, FREE, N(0), R(FREE), N(2));
    put(p, t, TOY_WRITE, 0, R(1), N(what), NOTHING);
}

static void queue_put(toy_program *p, unsigned t, int what) {
    new_node(p, t, what);
    field(put(p, t, TOY_WRITE, 0, R(1), N(0), NOTHING), 1);
    unsigned again = toy_here(p, t);
    put(p, t, TOY_READ, 2, N(TAIL), NOTHING, NOTHING)->loop_head = true;
    field(put(p, t, TOY_READ, 3, R(2), NOTHING, NOTHING), 1);
    put(p, t, TOY_READ, 4, N(TAIL), NOTHING, NOTHING);
    jump(p, t, TOY_JUMP_IF_DIFFERENT, R(2), R(4), again);
    toy_instruction *last = jump(p, t, TOY_JUMP_IF_EQUAL, R(3), N(0), 0);
    put(p, t, TOY_CAS, 5, N(TAIL), R(2), R(3));
    jump(p, t, TOY_JUMP, NOTHING, NOTHING, again);
    to_here(p, t, last);
    field(put(p, t, TOY_CAS, 5, R(2), N(0), R(1)), 1);
    jump(p, t, TOY_JUMP_IF_EQUAL, R(5), N(0), again);
    put(p, t, TOY_CAS, 5, N(TAIL), R(2), R(1));
    put(p, t, TOY_RETURN_NONE, 0, N(0), NOTHING, NOTHING);
}

static void queue_get(toy_program *p, unsigned t, bool broken) {
    unsigned again = toy_here(p, t);
    put(p, t, TOY_READ, 2, N(HEAD), NOTHING, NOTHING)->loop_head = true;
    put(p, t, TOY_READ, 3, N(TAIL), NOTHING, NOTHING);
    field(put(p, t, TOY_READ, 4, R(2), NOTHING, NOTHING), 1);
    put(p, t, TOY_READ, 5, N(HEAD), NOTHING, NOTHING);
    jump(p, t, TOY_JUMP_IF_DIFFERENT, R(2), R(5), again);
    toy_instruction *more = jump(p, t, TOY_JUMP_IF_DIFFERENT, R(2), R(3), 0);
    toy_instruction *empty = jump(p, t, TOY_JUMP_IF_EQUAL, R(4), N(0), 0);
    put(p, t, TOY_CAS, 5, N(TAIL), R(3), R(4));
    jump(p, t, TOY_JUMP, NOTHING, NOTHING, again);
    to_here(p, t, more);
    put(p, t, TOY_READ, 0, R(4), NOTHING, NOTHING);
    if (broken) put(p, t, TOY_WRITE, 0, N(HEAD), R(4), NOTHING);
    else {
        put(p, t, TOY_CAS, 5, N(HEAD), R(2), R(4));
        jump(p, t, TOY_JUMP_IF_EQUAL, R(5), N(0), again);
    }
    toy_instruction *done = jump(p, t, TOY_JUMP, NOTHING, NOTHING, 0);
    to_here(p, t, empty);
    put(p, t, TOY_SET, VALUE_REGISTER, N(0), N(-1), NOTHING);
    to_here(p, t, done);
    put(p, t, TOY_RETURN, 0, N(0), R(VALUE_REGISTER), NOTHING);
}

static void stack_put(toy_program *p, unsigned t, int what) {
    new_node(p, t, what);
    unsigned again = toy_here(p, t);
    put(p, t, TOY_READ, 2, N(HEAD), NOTHING, NOTHING)->loop_head = true;
    field(put(p, t, TOY_WRITE, 0, R(1), R(2), NOTHING), 1);
    put(p, t, TOY_CAS, 5, N(HEAD), R(2), R(1));
    jump(p, t, TOY_JUMP_IF_EQUAL, R(5), N(0), again);
    put(p, t, TOY_RETURN_NONE, 0, N(0), NOTHING, NOTHING);
}

static void stack_get(toy_program *p, unsigned t, int tries) {
    toy_instruction *give_up = NULL;
    put(p, t, TOY_SET, 7, N(0), N(0), NOTHING);
    unsigned again = toy_here(p, t);
    put(p, t, TOY_READ, 2, N(HEAD), NOTHING, NOTHING)->loop_head = tries == 0;
    toy_instruction *empty = jump(p, t, TOY_JUMP_IF_EQUAL, R(2), N(0), 0);
    field(put(p, t, TOY_READ, 3, R(2), NOTHING, NOTHING), 1);
    put(p, t, TOY_CAS, 5, N(HEAD), R(2), R(3));
    toy_instruction *got = jump(p, t, TOY_JUMP_IF_DIFFERENT, R(5), N(0), 0);
    put(p, t, TOY_PLUS, 7, N(0), R(7), N(1));
    if (tries) give_up = jump(p, t, TOY_JUMP_IF_EQUAL, R(7), N(tries), 0);
    jump(p, t, TOY_JUMP, NOTHING, NOTHING, again);
    to_here(p, t, got);
    put(p, t, TOY_READ, 0, R(2), NOTHING, NOTHING);
    toy_instruction *done = jump(p, t, TOY_JUMP, NOTHING, NOTHING, 0);
    to_here(p, t, empty);
    if (give_up) to_here(p, t, give_up);
    put(p, t, TOY_SET, VALUE_REGISTER, N(0), N(-1), NOTHING);
    to_here(p, t, done);
    put(p, t, TOY_RETURN, 0, N(0), R(VALUE_REGISTER), NOTHING);
}

/* A queue of cells behind HEAD and TAIL (indices), under a lock of one kind or another. */
static void locked(toy_program *p, unsigned t, bool spin, bool in) {
    if (in) put(p, t, spin ? TOY_AWAIT_EXCHANGE : TOY_LOCK, 5, N(LOCK), N(1), NOTHING);
    else if (spin) put(p, t, TOY_WRITE, 0, N(LOCK), N(0), NOTHING);
    else put(p, t, TOY_UNLOCK, 0, N(LOCK), NOTHING, NOTHING);
}

static void locked_put(toy_program *p, unsigned t, int what, bool spin) {
    locked(p, t, spin, true);
    put(p, t, TOY_READ, 2, N(TAIL), NOTHING, NOTHING);
    put(p, t, TOY_WRITE, 0, R(2), N(what), NOTHING);
    put(p, t, TOY_PLUS, 2, N(0), R(2), N(1));
    put(p, t, TOY_WRITE, 0, N(TAIL), R(2), NOTHING);
    locked(p, t, spin, false);
    put(p, t, TOY_RETURN_NONE, 0, N(0), NOTHING, NOTHING);
}

static void locked_get(toy_program *p, unsigned t, bool spin) {
    locked(p, t, spin, true);
    put(p, t, TOY_SET, VALUE_REGISTER, N(0), N(-1), NOTHING);
    put(p, t, TOY_READ, 2, N(HEAD), NOTHING, NOTHING);
    put(p, t, TOY_READ, 3, N(TAIL), NOTHING, NOTHING);
    toy_instruction *empty = jump(p, t, TOY_JUMP_IF_EQUAL, R(2), R(3), 0);
    put(p, t, TOY_READ, VALUE_REGISTER, R(2), NOTHING, NOTHING);
    put(p, t, TOY_PLUS, 2, N(0), R(2), N(1));
    put(p, t, TOY_WRITE, 0, N(HEAD), R(2), NOTHING);
    to_here(p, t, empty);
    locked(p, t, spin, false);
    put(p, t, TOY_RETURN, 0, N(0), R(VALUE_REGISTER), NOTHING);
}

static void structure_operation(toy_program *p, toy_model m, unsigned t, char letter, int what) {
    bool adds = letter == 'p';
    put(p, t, TOY_CALL, 0, N(0), N(adds ? 0 : 1), N(adds ? what : -1));
    switch (m) {
    case MODEL_STACK:
    case MODEL_GIVE_UP:
        if (adds) stack_put(p, t, what);
        else stack_get(p, t, m == MODEL_GIVE_UP ? 4 : 0);
        break;
    case MODEL_QUEUE:
    case MODEL_BROKEN_QUEUE:
        if (adds) queue_put(p, t, what);
        else queue_get(p, t, m == MODEL_BROKEN_QUEUE);
        break;
    case MODEL_MUTEX:
    case MODEL_SPIN:
        if (adds) locked_put(p, t, what, m == MODEL_SPIN);
        else locked_get(p, t, m == MODEL_SPIN);
        break;
    }
}

/* Threads with the same letters are interchangeable. */
static void find_groups(toy_program *p, const char *threads) {
    const char *word[TOY_THREADS];
    size_t length[TOY_THREADS];
    for (unsigned t = 1; t < p->threads; t++) {
        word[t] = threads;
        length[t] = strcspn(threads, "|");
        threads += length[t] + (threads[length[t]] == '|');
        p->group[t] = (uint8_t)t;
        for (unsigned o = 1; o < t; o++)
            if (length[o] == length[t] && !strncmp(word[o], word[t], length[t])) p->group[t] = p->group[o];
    }
}

void toy_structure(toy_program *p, toy_model m, const char *threads) {
    memset(p, 0, sizeof *p);
    p->most_steps = 2000;
    p->threads = 2;
    const char *of_threads = strchr(threads, ':') + 1;
    for (const char *c = of_threads; *c; c++) p->threads += *c == '|';
    if (m == MODEL_QUEUE || m == MODEL_BROKEN_QUEUE) p->initial[HEAD] = p->initial[TAIL] = DUMMY;
    if (m == MODEL_MUTEX || m == MODEL_SPIN) p->initial[HEAD] = p->initial[TAIL] = ARENAS;
    for (unsigned t = 0; t < p->threads; t++) put(p, t, TOY_SET, FREE, N(0), N((int)(ARENAS + ARENA * t)), NOTHING);
    for (int i = 0; i < atoi(threads); i++) structure_operation(p, m, 0, 'p', i + 1);
    unsigned t = 1;
    int k = 0;
    for (const char *c = of_threads; *c; c++) {
        if (*c == '|') {
            t++;
            k = 0;
        } else structure_operation(p, m, t, *c, (int)(10 * t) + k++);
    }
    find_groups(p, of_threads);
    spawn_and_join(p);
}

/* ---- random programs ---- */

enum { CELLS = 3, LOCKS = 10, SEMAPHORE = 12, CONDITION = 13, READERS = 14, RESULT = 1 };

typedef struct writer {
    toy_program *p;
    random_source *r;
    toy_flavour flavour;
    unsigned t;
    int value; /* what this thread writes */
} writer;

static uint32_t below(writer *w, uint32_t n) { return random_below(w->r, n); }
static int cell(writer *w) { return (int)below(w, CELLS); }

static void memory(writer *w) {
    toy_program *p = w->p;
    unsigned t = w->t;
    switch (below(w, w->flavour == FLAVOUR_SYMMETRIC ? 7 : 9)) {
    case 0:
    case 1: put(p, t, TOY_READ, RESULT, N(cell(w)), NOTHING, NOTHING); break;
    case 2:
    case 3: put(p, t, TOY_WRITE, 0, N(cell(w)), N(w->value), NOTHING); break;
    case 4: put(p, t, TOY_CAS, 2, N(cell(w)), below(w, 2) ? N(0) : R(RESULT), N(w->value)); break;
    case 5: put(p, t, TOY_EXCHANGE, RESULT, N(cell(w)), N(w->value), NOTHING); break;
    case 6: {
        put(p, t, TOY_READ, 3, N(cell(w)), NOTHING, NOTHING);
        toy_instruction *skip = jump(p, t, below(w, 2) ? TOY_JUMP_IF_EQUAL : TOY_JUMP_IF_DIFFERENT, R(3),
                                     below(w, 2) ? N(0) : R(RESULT), 0);
        put(p, t, TOY_WRITE, 0, N(cell(w)), N(w->value), NOTHING);
        to_here(p, t, skip);
        break;
    }
    case 7: put(p, t, TOY_ADD, RESULT, N(cell(w)), N((int)below(w, 2)), NOTHING); break;
    default: {
        int c = cell(w);
        unsigned again = toy_here(p, t);
        put(p, t, TOY_READ, RESULT, N(c), NOTHING, NOTHING);
        put(p, t, TOY_PLUS, 3, N(0), R(RESULT), N(1));
        put(p, t, TOY_CAS, 2, N(c), R(RESULT), R(3));
        jump(p, t, TOY_JUMP_IF_EQUAL, R(2), N(0), again);
    }
    }
}

static void under_lock(writer *w) {
    toy_program *p = w->p;
    unsigned t = w->t;
    int lock = LOCKS + (int)below(w, 2);
    switch (below(w, 4)) {
    case 0:
    case 1:
        put(p, t, TOY_LOCK, 0, N(lock), NOTHING, NOTHING);
        if (below(w, 4) == 0) {
            put(p, t, TOY_LOCK, 0, N(LOCKS + LOCKS + 1 - lock), NOTHING, NOTHING);
            put(p, t, TOY_UNLOCK, 0, N(LOCKS + LOCKS + 1 - lock), NOTHING, NOTHING);
        } else if (below(w, 2)) memory(w);
        put(p, t, TOY_UNLOCK, 0, N(lock), NOTHING, NOTHING);
        break;
    case 2: {
        put(p, t, TOY_TRYLOCK, RESULT, N(lock), NOTHING, NOTHING);
        toy_instruction *skip = jump(p, t, TOY_JUMP_IF_EQUAL, R(RESULT), N(0), 0);
        put(p, t, TOY_UNLOCK, 0, N(lock), NOTHING, NOTHING);
        to_here(p, t, skip);
        break;
    }
    default:
        if (below(w, 2)) {
            put(p, t, TOY_RDLOCK, 0, N(READERS), NOTHING, NOTHING);
            if (below(w, 2)) put(p, t, TOY_READ, RESULT, N(cell(w)), NOTHING, NOTHING);
            put(p, t, TOY_RDUNLOCK, 0, N(READERS), NOTHING, NOTHING);
        } else {
            put(p, t, TOY_LOCK, 0, N(READERS), NOTHING, NOTHING);
            put(p, t, TOY_UNLOCK, 0, N(READERS), NOTHING, NOTHING);
        }
    }
}

static void waiting(writer *w) {
    toy_program *p = w->p;
    unsigned t = w->t;
    switch (below(w, 5)) {
    case 0: put(p, t, TOY_ACQUIRE, 0, N(SEMAPHORE), NOTHING, NOTHING); break;
    case 1: put(p, t, TOY_RELEASE, 0, N(SEMAPHORE), NOTHING, NOTHING); break;
    case 2:
        put(p, t, TOY_LOCK, 0, N(LOCKS), NOTHING, NOTHING);
        put(p, t, TOY_WAIT, 0, N(CONDITION), NOTHING, N(LOCKS));
        put(p, t, TOY_UNLOCK, 0, N(LOCKS), NOTHING, NOTHING);
        break;
    case 3: put(p, t, TOY_SIGNAL, 0, N(CONDITION), NOTHING, NOTHING); break;
    default:
        put(p, t, TOY_AWAIT_EXCHANGE, RESULT, N(cell(w)), N(1), NOTHING);
        if (below(w, 2)) put(p, t, TOY_WRITE, 0, N(cell(w)), N(0), NOTHING);
    }
}

static void something(writer *w) {
    uint32_t what = below(w, 10);
    if (w->flavour == FLAVOUR_LOCKS && what < 6) under_lock(w);
    else if (w->flavour == FLAVOUR_WAITING && what < 6) waiting(w);
    else if (w->flavour == FLAVOUR_MIXED && what < 2) under_lock(w);
    else if (w->flavour == FLAVOUR_MIXED && what < 4) waiting(w);
    else if (w->flavour == FLAVOUR_MIXED && what == 4) put(w->p, w->t, TOY_CHOOSE, RESULT, N(0), N(2), NOTHING);
    else if (w->flavour == FLAVOUR_MIXED && what == 5)
        put(w->p, w->t, TOY_ASSERT_DIFFERENT, 0, N(0), R(RESULT), N(w->value + 1));
    else memory(w);
}

static void random_operation(writer *w) {
    bool writes = below(w, 2);
    put(w->p, w->t, TOY_CALL, 0, N(0), N(writes ? 0 : 1), writes ? N(w->value) : NOTHING);
    uint32_t simple = below(w, 3);
    if (simple && writes) put(w->p, w->t, TOY_WRITE, 0, N(0), N(w->value), NOTHING);
    else if (simple) put(w->p, w->t, TOY_READ, RESULT, N(0), NOTHING, NOTHING);
    for (uint32_t n = below(w, simple ? 2 : 3); n; n--) something(w);
    put(w->p, w->t, writes ? TOY_RETURN_NONE : TOY_RETURN, 0, N(0), R(RESULT), NOTHING);
}

static void random_thread(writer *w) {
    for (uint32_t n = 1 + below(w, 2); n; n--) random_operation(w);
}

void toy_random(toy_program *p, random_source *r, toy_flavour flavour) {
    memset(p, 0, sizeof *p);
    p->most_steps = 60;
    p->threads = 3 + random_below(r, 2);
    p->initial[SEMAPHORE] = random_below(r, 3);
    writer w = {.p = p, .r = r, .flavour = flavour};
    if (random_below(r, 2)) put(p, 0, TOY_WRITE, 0, N(1), N(3), NOTHING);
    /* threads 1 .. alike */
    unsigned alike = flavour == FLAVOUR_SYMMETRIC ? p->threads - 1 - random_below(r, p->threads - 2) : 0;
    random_source same = *r;
    for (w.t = 1; w.t < p->threads; w.t++) {
        random_source own = same;
        w.value = flavour == FLAVOUR_SYMMETRIC ? (int)(10 * w.t) : (int)w.t;
        w.r = w.t <= alike ? &own : r;
        random_thread(&w);
        if (w.t == alike) *r = own;
        p->group[w.t] = w.t <= alike;
    }
    w.r = r;
    for (unsigned t = 1; t < p->threads; t++) put(p, 0, TOY_SPAWN, 0, N(0), N((int)t), NOTHING);
    if (flavour != FLAVOUR_SYMMETRIC && random_below(r, 3) == 0) { /* the creator does something meanwhile */
        w.t = 0;
        w.value = 7;
        random_operation(&w);
    }
    for (unsigned t = 1; t < p->threads; t++) put(p, 0, TOY_JOIN, 0, N(0), N((int)t), NOTHING);
    if (random_below(r, 4) == 0) {
        w.t = 0;
        w.value = 7;
        random_operation(&w);
    }
}
