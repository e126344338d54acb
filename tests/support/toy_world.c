#include "support/toy_world.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct toy_thread {
    unsigned pc;
    int64_t r[TOY_REGISTERS];
    int32_t operation;      /* open; -1: none */
    bool visible;           /* its call has been seen */
    bool waking, signalled; /* behind a wait */
    bool nothing;           /* stands before a step that stands for an operation without any */
    bool joined;
    uint32_t last_step;
    uint32_t heads[4]; /* loop heads passed in this operation since its last effect */
    unsigned head_count;
    bool assumed;
} toy_thread;

typedef struct toy {
    const toy_program *p;
    int64_t cell[TOY_CELLS];
    toy_thread thread[TOY_THREADS];
    explored_operation op[TOY_OPERATIONS];
    uint32_t events;
    uint64_t print;
    const driver *driver;
} toy;

toy_instruction *toy_emit(toy_program *p, unsigned thread, toy_op op, unsigned d, toy_operand cell, toy_operand x,
                          toy_operand y) {
    toy_instruction *i = &p->code[thread][p->length[thread]++];
    *i = (toy_instruction){.op = (uint8_t)op, .d = (uint8_t)d, .cell = cell, .x = x, .y = y};
    return i;
}

unsigned toy_here(const toy_program *p, unsigned thread) { return p->length[thread]; }

static const toy_instruction *at_pc(const toy *m, unsigned t) { return &m->p->code[t][m->thread[t].pc]; }
static int64_t get(const toy_thread *x, toy_operand o) { return o.is_register ? x->r[o.n] : o.n; }

static int64_t *cell_of(toy *m, unsigned t, const toy_instruction *i) {
    int64_t c = get(&m->thread[t], i->cell) + i->offset;
    if (c < 0 || c >= TOY_CELLS) abort();
    return &m->cell[c];
}

/* ---- what comes next ---- */

static void put_place(step *s, unsigned k, const int64_t *cell, place_role role) {
    s->at[k] = (place){.address = (uintptr_t)cell, .size = 8, .role = (uint8_t)role};
}

static void describe_memory(toy *m, unsigned t, const toy_instruction *i, step *s) {
    const toy_thread *x = &m->thread[t];
    int64_t *c = cell_of(m, t, i);
    bool changes = true;
    switch (i->op) {
    case TOY_READ:
        s->kind = STEP_READ;
        changes = false;
        break;
    case TOY_WRITE:
        s->kind = STEP_WRITE;
        put_place(s, 0, c, PLACE_WRITE);
        return;
    case TOY_CAS:
        s->kind = STEP_CAS;
        changes = *c == get(x, i->x);
        s->flags |= changes ? 0 : STEP_FAILED;
        break;
    case TOY_ADD:
        s->kind = STEP_UPDATE;
        changes = get(x, i->x) != 0;
        break;
    default:
        s->kind = STEP_UPDATE;
        changes = *c != get(x, i->x);
        break;
    }
    if (i->op == TOY_AWAIT_EXCHANGE) s->flags |= STEP_WAITS | STEP_AWAIT;
    if (changes) s->flags |= STEP_MARKER;
    put_place(s, 0, c, changes ? PLACE_WRITE : PLACE_READ);
}

static bool describe_lock(toy *m, unsigned t, const toy_instruction *i, step *s) {
    const toy_thread *x = &m->thread[t];
    int64_t *c = cell_of(m, t, i), *mutex = i->y.n >= 0 && !i->y.is_register ? &m->cell[i->y.n] : c;
    switch (i->op) {
    case TOY_LOCK:
        s->kind = STEP_LOCK;
        s->flags = STEP_WAITS | STEP_MARKER;
        put_place(s, 0, c, PLACE_ACQUIRE);
        return *c == 0;
    case TOY_TRYLOCK:
        s->kind = STEP_TRYLOCK;
        s->flags = *c ? STEP_FAILED : STEP_MARKER;
        put_place(s, 0, c, *c ? PLACE_READ : PLACE_ACQUIRE);
        return true;
    case TOY_RDLOCK:
        s->kind = STEP_RDLOCK;
        s->flags = STEP_WAITS | STEP_MARKER;
        put_place(s, 0, c, PLACE_ACQUIRE_SHARED);
        return *c <= 0;
    case TOY_UNLOCK:
    case TOY_RDUNLOCK:
        s->kind = STEP_UNLOCK;
        put_place(s, 0, c, PLACE_RELEASE);
        return true;
    case TOY_WAIT:
        s->kind = x->waking ? STEP_WAKE : STEP_WAIT;
        put_place(s, 0, c, PLACE_WRITE);
        put_place(s, 1, mutex, x->waking ? PLACE_ACQUIRE : PLACE_RELEASE);
        if (x->waking) s->flags = STEP_WAITS;
        return !x->waking || (x->signalled && *mutex == 0);
    case TOY_SIGNAL:
        s->kind = STEP_SIGNAL;
        put_place(s, 0, c, PLACE_WRITE);
        return true;
    case TOY_ACQUIRE:
        s->kind = STEP_ACQUIRE;
        s->flags = STEP_WAITS | STEP_MARKER;
        put_place(s, 0, c, PLACE_ACQUIRE);
        return *c > 0;
    default:
        s->kind = STEP_RELEASE;
        put_place(s, 0, c, PLACE_RELEASE);
        return true;
    }
}

static bool repeats_head(const toy *m, unsigned t, const toy_instruction *i) {
    const toy_thread *x = &m->thread[t];
    if (!m->p->retry || !i->loop_head) return false;
    for (unsigned k = 0; k < x->head_count; k++)
        if (x->heads[k] == x->pc) return true;
    return false;
}

/* The next step of t; true: it can go on. */
static bool describe(toy *m, const world *w, unsigned t, step *s) {
    const toy_instruction *i = at_pc(m, t);
    *s = (step){.pc = 4096 * t + m->thread[t].pc};
    if (m->thread[t].nothing) return true;
    if (repeats_head(m, t, i)) {
        s->flags = STEP_ASSUMED;
        return false;
    }
    if (i->op <= TOY_AWAIT_EXCHANGE) {
        describe_memory(m, t, i, s);
        return i->op != TOY_AWAIT_EXCHANGE || *cell_of(m, t, i) != get(&m->thread[t], i->x);
    }
    if (i->op == TOY_JOIN) {
        s->kind = STEP_JOIN;
        s->value = (uint64_t)i->x.n;
        return !(w->live >> i->x.n & 1) && (unsigned)i->x.n < w->threads;
    }
    if (i->op == TOY_YIELD) {
        s->kind = STEP_YIELD;
        return true;
    }
    return describe_lock(m, t, i, s);
}

/* ---- execution ---- */

static void become_visible(toy *m, world *w, unsigned t, uint32_t at) {
    toy_thread *x = &m->thread[t];
    if (x->operation < 0 || x->visible) return;
    x->visible = true;
    m->op[x->operation].first = at;
    m->op[x->operation].call_at = m->events++;
    w->events[t] = (uint8_t)(w->events[t] + (at != NO_STEP));
}

static void wake_one(toy *m, world *w, const int64_t *cond) {
    unsigned waiter[TOY_THREADS], n = 0;
    for (unsigned t = 0; t < w->threads; t++)
        if ((w->live >> t & 1) && m->thread[t].waking && !m->thread[t].signalled && cell_of(m, t, at_pc(m, t)) == cond)
            waiter[n++] = t;
    if (n) m->thread[waiter[m->driver->choose(m->driver->self, w, n, CHOICE_OF_SIGNAL)]].signalled = true;
}

static void do_memory(toy *m, unsigned t, const toy_instruction *i) {
    toy_thread *x = &m->thread[t];
    int64_t *c = cell_of(m, t, i), old = *c;
    switch (i->op) {
    case TOY_READ: break;
    case TOY_WRITE: *c = get(x, i->x); return;
    case TOY_CAS:
        if (old == get(x, i->x)) *c = get(x, i->y);
        x->r[i->d] = old == get(x, i->x);
        return;
    case TOY_ADD: *c += get(x, i->x); break;
    default: *c = get(x, i->x); break;
    }
    x->r[i->d] = old;
}

static void do_lock(toy *m, world *w, unsigned t, const toy_instruction *i) {
    toy_thread *x = &m->thread[t];
    int64_t *c = cell_of(m, t, i), *mutex = i->y.n >= 0 && !i->y.is_register ? &m->cell[i->y.n] : c;
    switch (i->op) {
    case TOY_LOCK: *c = t + 1; break;
    case TOY_TRYLOCK:
        x->r[i->d] = *c == 0;
        if (!*c) *c = t + 1;
        break;
    case TOY_RDLOCK: --*c; break;
    case TOY_RDUNLOCK: ++*c; break;
    case TOY_UNLOCK: *c = 0; break;
    case TOY_WAIT:
        *mutex = x->waking ? t + 1 : 0;
        if (x->waking) x->signalled = false;
        break;
    case TOY_SIGNAL: wake_one(m, w, c); break;
    case TOY_ACQUIRE: --*c; break;
    default: ++*c; break;
    }
}

static bool is_local(const toy_instruction *i) { return i->op >= TOY_CHOOSE || i->op == TOY_SPAWN; }

/* Runs what no other thread sees, up to the next step. False: the execution ends here. */
static bool advance(toy *m, world *w, unsigned t);

static void spawn(toy *m, world *w, unsigned t, unsigned child) {
    while (w->threads <= child) {
        w->creator[w->threads] = (uint8_t)t;
        w->created_at[w->threads] = w->steps;
        w->group[w->threads] = m->p->group[w->threads];
        w->threads++;
    }
    w->live |= 1u << child;
    advance(m, w, child);
}

static void begin_operation(toy *m, world *w, unsigned t, int64_t method, int64_t argument) {
    if (w->op_count >= TOY_OPERATIONS) abort();
    toy_thread *x = &m->thread[t];
    x->operation = (int32_t)w->op_count++;
    x->visible = false;
    x->head_count = 0;
    m->op[x->operation] = (explored_operation){.thread = (uint8_t)t,
                                               .method = (uint8_t)method,
                                               .nargs = argument >= 0,
                                               .arg = {argument},
                                               .result = VALUE_UNKNOWN,
                                               .first = NO_STEP,
                                               .last = NO_STEP,
                                               .call_at = UINT32_MAX}; /* before its first step it is not there */
}

static void end_operation(toy *m, world *w, unsigned t, value result, uint32_t last) {
    explored_operation *o = &m->op[m->thread[t].operation];
    o->result = result;
    o->returned = true;
    o->last = last;
    o->return_at = m->events++;
    m->thread[t].operation = -1;
    m->thread[t].head_count = 0;
    w->events[t] = (uint8_t)(w->events[t] + (last != NO_STEP));
}

static bool alone(const toy *m, const world *w) {
    if (w->live & (w->live - 1)) return false;
    for (unsigned t = 1; t < w->threads; t++)
        if (!m->thread[t].joined) return false;
    return true;
}

static void execute(toy *m, world *w, unsigned t, bool counted) {
    toy_thread *x = &m->thread[t];
    const toy_instruction *i = at_pc(m, t);
    step s;
    describe(m, w, t, &s);
    become_visible(m, w, t, counted ? w->steps : NO_STEP);
    x->last_step = counted ? w->steps : NO_STEP;
    if (counted) w->steps++;
    if (x->nothing) {
        x->nothing = false;
        w->last = s;
        return;
    }
    if (i->op <= TOY_AWAIT_EXCHANGE) {
        bool effect = s.at[0].role == PLACE_WRITE;
        if (effect) x->head_count = 0;
        else if (i->loop_head && x->head_count < 4) x->heads[x->head_count++] = x->pc;
        do_memory(m, t, i);
    } else if (i->op == TOY_JOIN) m->thread[i->x.n].joined = true;
    else if (i->op != TOY_YIELD) do_lock(m, w, t, i);
    s.value = s.kind == STEP_JOIN ? s.value : s.at[0].address ? (uint64_t) * (int64_t *)s.at[0].address : 0;
    w->last = s;
    m->print = hash_pair(m->print, hash_pair(s.pc, hash_pair(s.value, s.flags)));
    if (i->op == TOY_WAIT && !x->waking) x->waking = true;
    else {
        x->waking = false;
        x->pc++;
    }
}

static bool fail(world *w) {
    w->ending = ENDED_BAD;
    w->failure = FAILURE_ASSERTION;
    snprintf(w->message, sizeof w->message, "assertion failed");
    return false;
}

static bool local_step(toy *m, world *w, unsigned t, const toy_instruction *i) {
    toy_thread *x = &m->thread[t];
    unsigned next = x->pc + 1;
    switch (i->op) {
    case TOY_SPAWN:
        x->pc++;
        spawn(m, w, t, (unsigned)i->x.n);
        return true;
    case TOY_CHOOSE: x->r[i->d] = m->driver->choose(m->driver->self, w, (unsigned)i->x.n, CHOICE_OF_TEST); break;
    case TOY_SET: x->r[i->d] = get(x, i->x); break;
    case TOY_PLUS: x->r[i->d] = get(x, i->x) + get(x, i->y); break;
    case TOY_JUMP_IF_EQUAL:
        if (get(x, i->x) == get(x, i->y)) next = (unsigned)i->target;
        break;
    case TOY_JUMP_IF_DIFFERENT:
        if (get(x, i->x) != get(x, i->y)) next = (unsigned)i->target;
        break;
    case TOY_JUMP: next = (unsigned)i->target; break;
    case TOY_CALL: begin_operation(m, w, t, get(x, i->x), get(x, i->y)); break;
    case TOY_ASSERT_DIFFERENT:
        if (get(x, i->x) == get(x, i->y)) return fail(w);
        break;
    default: {
        bool solo = alone(m, w);
        if (!x->visible && !solo) {
            x->nothing = true;
            return true;
        }
        become_visible(m, w, t, NO_STEP);
        int64_t v = get(x, i->x);
        value result = i->op == TOY_RETURN_NONE ? VALUE_NONE : v < 0 ? VALUE_EMPTY : value_int(w->values, v);
        end_operation(m, w, t, result, x->last_step);
    }
    }
    x->pc = next;
    return true;
}

static bool advance(toy *m, world *w, unsigned t) {
    toy_thread *x = &m->thread[t];
    for (;;) {
        const toy_instruction *i = at_pc(m, t);
        if (x->nothing) return true;
        if (x->pc >= m->p->length[t] || i->op == TOY_END) {
            w->live &= ~(1u << t);
            return true;
        }
        if (is_local(i)) {
            if (!local_step(m, w, t, i)) return false;
        } else if (alone(m, w)) execute(m, w, t, false);
        else return true;
    }
}

static ending finish(world *w, ending e) { return w->ending = e; }

static ending nobody_can(toy *m, world *w) {
    for (unsigned t = 0; t < w->threads; t++)
        if ((w->live >> t & 1) && (w->pending[t].flags & STEP_ASSUMED)) return finish(w, ENDED_ASSUMED);
    (void)m;
    w->failure = FAILURE_DEADLOCK;
    snprintf(w->message, sizeof w->message, "deadlock");
    return finish(w, ENDED_BAD);
}

static void reset(toy *m, world *w) {
    memcpy(m->cell, m->p->initial, sizeof m->cell);
    memset(m->thread, 0, sizeof m->thread);
    for (unsigned t = 0; t < TOY_THREADS; t++) {
        m->thread[t].operation = -1;
        m->thread[t].last_step = NO_STEP;
    }
    m->events = 0;
    m->print = 0;
    w->threads = 1;
    w->live = 1;
    w->enabled = 0;
    w->steps = 0;
    w->op_count = 0;
    memset(w->events, 0, sizeof w->events);
    w->creator[0] = 0;
    w->created_at[0] = 0;
    w->group[0] = m->p->group[0];
    w->failure = FAILURE_NONE;
    w->ending = ENDED_WELL;
}

ending toy_run(world *w, const driver *d) {
    toy *m = w->context;
    reset(m, w);
    m->driver = d;
    if (!advance(m, w, 0)) return w->ending;
    for (;;) {
        if (!w->live) return finish(w, ENDED_WELL);
        w->enabled = 0;
        for (unsigned t = 0; t < w->threads; t++)
            if ((w->live >> t & 1) && describe(m, w, t, &w->pending[t])) w->enabled |= 1u << t;
        if (!w->enabled) return nobody_can(m, w);
        if (w->steps >= m->p->most_steps) return finish(w, ENDED_BOUND);
        int t = d->pick(d->self, w);
        if (t == PICK_STOP) return finish(w, ENDED_PRUNED);
        execute(m, w, (unsigned)t, true);
        if (!advance(m, w, (unsigned)t)) return w->ending;
    }
}

uint64_t toy_fingerprint(const world *w) {
    const toy *m = w->context;
    return hash_pair(m->print, hash_bytes(m->cell, sizeof m->cell));
}

/* All that decides how an execution goes on; numbers of operations and steps do not. */
static hash128 toy_state(const world *w) {
    const toy *m = w->context;
    hash128 h = {w->live, w->threads};
    hash128_bytes(&h, m->cell, sizeof m->cell);
    for (unsigned t = 0; t < w->threads; t++) {
        const toy_thread *x = &m->thread[t];
        const uint64_t flags = (uint64_t)x->visible | (uint64_t)x->waking << 1 | (uint64_t)x->signalled << 2 |
                               (uint64_t)x->nothing << 3 | (uint64_t)x->joined << 4 | (uint64_t)x->assumed << 5;
        hash128_words(&h, x->pc, flags);
        hash128_bytes(&h, x->r, sizeof x->r);
        hash128_bytes(&h, x->heads, x->head_count * sizeof *x->heads);
        hash128_words(&h, x->operation >= 0, x->operation >= 0 ? m->op[x->operation].method : 0);
        if (x->operation >= 0) hash128_bytes(&h, m->op[x->operation].arg, sizeof m->op[0].arg);
    }
    return hash128_done(&h);
}

world *toy_open(const toy_program *p) {
    world *w = MEM_NEW(world);
    toy *m = MEM_NEW(toy);
    m->p = p;
    w->context = m;
    w->ops = m->op;
    w->state = toy_state;
    w->values = values_new();
    return w;
}

void toy_close(world *w) {
    values_free(w->values);
    free(w->context);
    free(w);
}

static void print_operand(toy_operand o) { printf(o.is_register ? " r%d" : " %d", o.n); }

void toy_print(const toy_program *p) {
    static const char *const name[] = {"read",
                                       "write",
                                       "cas",
                                       "add",
                                       "exchange",
                                       "await-exchange",
                                       "lock",
                                       "trylock",
                                       "unlock",
                                       "rdlock",
                                       "rdunlock",
                                       "wait",
                                       "wake",
                                       "signal",
                                       "acquire",
                                       "release",
                                       "spawn",
                                       "join",
                                       "yield",
                                       "choose",
                                       "set",
                                       "plus",
                                       "je",
                                       "jne",
                                       "jmp",
                                       "call",
                                       "return",
                                       "return-none",
                                       "assert-different",
                                       "end"};
    for (unsigned t = 0; t < p->threads; t++) {
        printf("thread %u group %u\n", t, p->group[t]);
        for (unsigned i = 0; i < p->length[t]; i++) {
            const toy_instruction *c = &p->code[t][i];
            printf("  %2u %s%s r%u cell", i, name[c->op], c->loop_head ? "!" : "", c->d);
            print_operand(c->cell);
            printf("+%u x", c->offset);
            print_operand(c->x);
            printf(" y");
            print_operand(c->y);
            printf(" -> %d\n", c->target);
        }
    }
}
