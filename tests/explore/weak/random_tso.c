/* Programs drawn by lot, for x86-TSO. As a test each of them is a choice of its main, and what it came to is its outcome.
 * With -DORACLE this is a program that prints all outcomes that there are, by a machine written for that alone: states
 * with store buffers, each looked at once. Loads and stores are of 1, 4 and 8 bytes, as plain, volatile and atomic
 * accesses and as instructions of assembly. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SEED
#define SEED 1
#endif
#ifndef GROUPS
#define GROUPS 16
#endif
enum { EACH = 64, THREADS = 3, CODE = 5, WORDS = 3 };
/* COPY: of a structure, in one statement; the store of it is an instruction of its own, COPIED */
enum operation { LOAD, STORE, ADD, EXCHANGE, SWAP, FENCE, SKIP, COPY, COPIED };
enum how { RELAXED, ACQUIRE_RELEASE, CONSISTENT, VOLATILE, PLAIN, ASSEMBLY, HOWS };

typedef struct instruction {
    uint8_t operation, how, word, offset, size, value, expected, from; /* from: a register + 1 that is added */
} instruction;
typedef struct program {
    instruction code[THREADS][CODE];
    unsigned length[THREADS], threads;
} program;

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))

static uint64_t row;
UNSEEN static unsigned draw(unsigned n) {
    row = row * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(row >> 33) % n;
}

UNSEEN static instruction draw_instruction(unsigned at, unsigned words, int mixed) {
    const unsigned k = draw(20);
    instruction i = {
        .word = (uint8_t)draw(words), .size = 4, .value = (uint8_t)(1 + draw(3)), .how = (uint8_t)draw(HOWS)};
    i.operation = k < 7     ? LOAD
                  : k < 15  ? STORE
                  : k == 15 ? ADD
                  : k == 16 ? EXCHANGE
                  : k == 17 ? SWAP
                  : k == 18 ? FENCE
                            : SKIP;
    i.expected = (uint8_t)draw(2);
    if (mixed && (i.operation == LOAD || i.operation == STORE)) i.size = (uint8_t)(1u << (3 - draw(3) % 3));
    if (i.size == 2) i.size = 1;
    i.offset = (uint8_t)(i.size == 8 ? 0 : i.size == 4 ? 4 * (mixed ? draw(2) : 0) : draw(8));
    if (i.operation == STORE && at && !draw(3)) i.from = (uint8_t)(1 + draw(at));
    if (i.operation == SKIP) i.from = (uint8_t)(at ? 1 + draw(at) : 0);
    return i;
}

UNSEEN static program draw_program(unsigned number) {
    program p = {.threads = 2};
    row = (uint64_t)SEED << 32 | number;
    draw(2);
    const unsigned words = 1 + draw(WORDS), mixed = !draw(3);
    if (!draw(3)) p.threads = 3;
    for (unsigned t = 0; t < p.threads; t++) {
        p.length[t] = 1 + draw(p.threads == 2 ? CODE : 3);
        for (unsigned k = 0; k < p.length[t]; k++) {
            p.code[t][k] = draw_instruction(k, words, (int)mixed);
            if (k + 1 == p.length[t] || (k && p.code[t][k - 1].operation == SKIP) || draw(8)) continue;
            p.code[t][k] = (instruction){
                .operation = COPY, .word = (uint8_t)draw(words), .size = 8, .value = (uint8_t)draw(words)};
            p.code[t][k + 1] = p.code[t][k];
            p.code[t][++k].operation = COPIED;
        }
    }
    return p;
}

typedef struct outcome {
    uint64_t reg[THREADS][CODE], word[WORDS];
} outcome;

UNSEEN static void print_outcome(char *to, unsigned number, const program *p, const outcome *o) {
    to += sprintf(to, "p%u=", number);
    for (unsigned t = 0; t < p->threads; t++)
        for (unsigned k = 0; k < p->length[t]; k++)
            if (o->reg[t][k]) to += sprintf(to, "%u.%u:%llx,", t, k, (unsigned long long)o->reg[t][k]);
    for (unsigned w = 0; w < WORDS; w++)
        if (o->word[w]) to += sprintf(to, "%c:%llx,", 'x' + (int)w, (unsigned long long)o->word[w]);
}

/* The value of a store is the same in each of its bytes, so that a load of more sees where it comes from. */
UNSEEN static uint64_t spread(uint8_t v, unsigned size) {
    const uint64_t all = v * UINT64_C(0x0101010101010101);
    return size == 8 ? all : all & ((UINT64_C(1) << 8 * size) - 1);
}

#ifdef ORACLE

enum { STORES = CODE };
typedef struct buffered {
    uint8_t word, offset, size, byte[8];
} buffered;
typedef struct state {
    uint8_t memory[WORDS][8];
    uint64_t reg[THREADS][CODE];
    buffered store[THREADS][STORES];
    uint8_t stores[THREADS], pc[THREADS], unused[2];
} state;

static state *seen;
static size_t seen_n, seen_room;
static size_t slot_of(const state *s) {
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof *s; i++) h = (h ^ ((const uint8_t *)s)[i]) * UINT64_C(0x100000001b3);
    size_t at = (h ^ h >> 29) & (seen_room - 1);
    while (seen[at].unused[0] && memcmp(&seen[at], s, sizeof *s)) at = (at + 1) & (seen_room - 1);
    return at;
}
static int is_new(state *s) {
    s->unused[0] = 1;
    if (2 * seen_n >= seen_room) {
        state *old = seen;
        const size_t room = seen_room;
        seen_room = room ? 2 * room : 1024;
        seen = calloc(seen_room, sizeof *seen);
        for (size_t i = 0; i < room; i++)
            if (old[i].unused[0]) seen[slot_of(&old[i])] = old[i];
        free(old);
    }
    const size_t at = slot_of(s);
    if (seen[at].unused[0]) return 0;
    seen[at] = *s;
    return ++seen_n, 1;
}

static void put(state *s, const buffered *b) {
    for (unsigned i = 0; i < b->size; i++) s->memory[b->word][b->offset + i] = b->byte[i];
}

/* 0: it has to wait. */
static int load(const state *s, unsigned t, const instruction *i, uint64_t *out) {
    for (unsigned k = s->stores[t]; k-- > 0;) {
        const buffered *b = &s->store[t][k];
        if (b->word != i->word || b->offset >= i->offset + i->size || i->offset >= b->offset + b->size) continue;
        if (b->offset > i->offset || b->offset + b->size < i->offset + i->size) return 0;
        *out = 0;
        memcpy(out, b->byte + (i->offset - b->offset), i->size);
        return 1;
    }
    *out = 0;
    memcpy(out, s->memory[i->word] + i->offset, i->size);
    return 1;
}

static int step(state *s, unsigned t, const instruction *i) {
    uint32_t old;
    buffered made;
    const unsigned k = s->pc[t];
    const uint8_t v = (uint8_t)(i->value + (i->from ? (uint8_t)s->reg[t][i->from - 1] & 1 : 0));
    uint8_t *cell = s->memory[i->word] + i->offset;
    switch (i->operation) {
    case LOAD:
    case COPY:
        if (!load(s, t, i, &s->reg[t][k])) return 0;
        break;
    case STORE:
        if (i->how == CONSISTENT && s->stores[t]) return 0;
        made = (buffered){.word = i->word, .offset = i->offset, .size = i->size};
        memset(made.byte, v, i->size);
        if (i->how == CONSISTENT) put(s, &made);
        else s->store[t][s->stores[t]++] = made;
        break;
    case COPIED:
        made = (buffered){.word = i->value, .size = 8};
        memcpy(made.byte, &s->reg[t][k - 1], 8);
        s->reg[t][k - 1] = 0;
        s->store[t][s->stores[t]++] = made;
        break;
    case SKIP:
        if (i->from && s->reg[t][i->from - 1] == i->expected) s->pc[t]++;
        break;
    case FENCE:
        if (i->how != ACQUIRE_RELEASE && s->stores[t]) return 0;
        break;
    default:
        if (s->stores[t]) return 0;
        memcpy(&old, cell, 4);
        s->reg[t][k] = old;
        if (i->operation == ADD) old += i->value;
        else if (i->operation == EXCHANGE || old == i->expected) old = i->value;
        memcpy(cell, &old, 4);
    }
    s->pc[t]++;
    return 1;
}

static void look(const program *p, unsigned number, state s) {
    int ended = 1;
    if (!is_new(&s)) return;
    for (unsigned t = 0; t < p->threads; t++) {
        state next = s;
        if (s.pc[t] < p->length[t]) {
            ended = 0;
            if (step(&next, t, &p->code[t][s.pc[t]])) look(p, number, next);
        }
        if (!s.stores[t]) continue;
        ended = 0;
        next = s;
        put(&next, &s.store[t][0]);
        next.stores[t]--;
        memmove(next.store[t], next.store[t] + 1, (STORES - 1) * sizeof *next.store[t]);
        memset(&next.store[t][STORES - 1], 0, sizeof *next.store[t]);
        look(p, number, next);
    }
    if (!ended) return;
    char text[300];
    outcome o;
    memcpy(o.reg, s.reg, sizeof o.reg);
    memcpy(o.word, s.memory, sizeof o.word);
    print_outcome(text, number, p, &o);
    puts(text);
}

int main(void) {
    for (unsigned number = 0; number < GROUPS * EACH; number++) {
        const program p = draw_program(number);
        if (seen) memset(seen, 0, seen_room * sizeof *seen);
        seen_n = 0;
        look(&p, number, (state){0});
    }
    return 0;
}

#else

#include <plumbline/test.h>
#include <pthread.h>

static union cell {
    uint8_t byte[8];
    uint32_t half[2];
    uint64_t all;
} cell[WORDS];
struct both {
    uint32_t half[2];
};
static program chosen;
static outcome result;

#define ACCESSES(name, type, mov) \
    static type load_##name(volatile type *a, unsigned how) { \
        type v; \
        switch (how) { \
        case RELAXED: return __atomic_load_n(a, __ATOMIC_RELAXED); \
        case ACQUIRE_RELEASE: return __atomic_load_n(a, __ATOMIC_ACQUIRE); \
        case CONSISTENT: return __atomic_load_n(a, __ATOMIC_SEQ_CST); \
        case VOLATILE: return *a; \
        case PLAIN: return *(type *)a; \
        default: __asm__ volatile(mov " %1, %0" : "=r"(v) : "m"(*a)); return v; \
        } \
    } \
    static void store_##name(volatile type *a, type v, unsigned how) { \
        switch (how) { \
        case RELAXED: __atomic_store_n(a, v, __ATOMIC_RELAXED); break; \
        case ACQUIRE_RELEASE: __atomic_store_n(a, v, __ATOMIC_RELEASE); break; \
        case CONSISTENT: __atomic_store_n(a, v, __ATOMIC_SEQ_CST); break; \
        case VOLATILE: *a = v; break; \
        case PLAIN: *(type *)a = v; break; \
        default: __asm__ volatile(mov " %1, %0" : "=m"(*a) : "r"(v)); \
        } \
    }
ACCESSES(byte, uint8_t, "movb")
ACCESSES(half, uint32_t, "movl")
ACCESSES(all, uint64_t, "movq")

UNSEEN static int fetch(unsigned t, unsigned k, instruction *out) {
    if (k >= chosen.length[t]) return 0;
    *out = chosen.code[t][k];
    return 1;
}
UNSEEN static void keep(unsigned t, const uint64_t *reg) { memcpy(result.reg[t], reg, sizeof result.reg[t]); }

static uint64_t load(const instruction *i) {
    volatile uint8_t *a = cell[i->word].byte + i->offset;
    if (i->size == 1) return load_byte(a, i->how);
    if (i->size == 4) return load_half((volatile uint32_t *)a, i->how);
    return load_all((volatile uint64_t *)a, i->how);
}
static void store(const instruction *i, uint8_t v) {
    volatile uint8_t *a = cell[i->word].byte + i->offset;
    if (i->size == 1) store_byte(a, (uint8_t)spread(v, 1), i->how);
    else if (i->size == 4) store_half((volatile uint32_t *)a, (uint32_t)spread(v, 4), i->how);
    else store_all((volatile uint64_t *)a, spread(v, 8), i->how);
}
static uint32_t update(const instruction *i) {
    uint32_t *a = &cell[i->word].half[i->offset / 4], v = i->value, old = i->expected;
    if (i->operation == ADD && i->how == ASSEMBLY) {
        __asm__ volatile("lock xaddl %0, %1" : "+r"(v), "+m"(*a) : : "memory");
        return v;
    }
    if (i->operation == EXCHANGE && i->how == ASSEMBLY) {
        __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*a) : : "memory");
        return v;
    }
    if (i->operation == SWAP && i->how == ASSEMBLY) {
        __asm__ volatile("lock cmpxchgl %2, %1" : "+a"(old), "+m"(*a) : "r"(v) : "memory");
        return old;
    }
    if (i->operation == ADD) return __atomic_fetch_add(a, v, __ATOMIC_RELAXED);
    if (i->operation == EXCHANGE) return __atomic_exchange_n(a, v, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(a, &old, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return old;
}
static void fence(unsigned how) {
    if (how == ASSEMBLY) __asm__ volatile("mfence" : : : "memory");
    else if (how == PLAIN) __asm__ volatile("lock; addl $0,-4(%%rsp)" : : : "memory", "cc");
    else __atomic_thread_fence(how == ACQUIRE_RELEASE ? __ATOMIC_ACQ_REL : __ATOMIC_SEQ_CST);
}

static __attribute__((noipa)) void copy_both(struct both *to, const struct both *from) { *to = *from; }
static void copy(const instruction *i) {
    copy_both((struct both *)&cell[i->value], (const struct both *)&cell[i->word]);
}

/* One instruction, then the rest: on a stack that grows no two loads are those of a loop that waits. */
static __attribute__((noinline)) void execute(unsigned t, unsigned k, uint64_t *reg) {
    instruction i;
    unsigned skipped = 0;
    if (!fetch(t, k, &i)) return;
    if (i.operation == LOAD) reg[k] = load(&i);
    else if (i.operation == STORE) store(&i, (uint8_t)(i.value + (i.from ? (uint8_t)reg[i.from - 1] & 1 : 0)));
    else if (i.operation == FENCE) fence(i.how);
    else if (i.operation == SKIP) skipped = i.from && reg[i.from - 1] == i.expected;
    else if (i.operation == COPY) copy(&i);
    else if (i.operation != COPIED) reg[k] = update(&i);
    execute(t, k + 1 + skipped, reg);
    __asm__ volatile("" : : : "memory");
}

static void *run(void *argument) {
    const unsigned t = (unsigned)(uintptr_t)argument;
    uint64_t reg[CODE] = {0};
    execute(t, 0, reg);
    keep(t, reg);
    return NULL;
}

UNSEEN static void choose_program(unsigned number) { chosen = draw_program(number); }
UNSEEN static void told(char *text, unsigned number) {
    for (unsigned w = 0; w < WORDS; w++) result.word[w] = cell[w].all;
    print_outcome(text, number, &chosen, &result);
}

int main(void) {
    char text[300];
    pthread_t t[THREADS];
    const unsigned number = plumb_choose(GROUPS) * EACH + plumb_choose(EACH);
    choose_program(number);
    const unsigned n = chosen.threads;
    for (unsigned k = 0; k < n; k++) pthread_create(&t[k], NULL, run, (void *)(uintptr_t)k);
    for (unsigned k = 0; k < n; k++) pthread_join(t[k], NULL);
    told(text, number);
    plumb_outcome("%s", text);
    return 0;
}
#endif
