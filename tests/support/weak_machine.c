/* x86-TSO as a machine (Owens, Sarkar, Sewell 2009): threads, a store buffer each, memory; every state looked at
 * once. */
#include "support/weak_program.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

typedef struct tso_store {
    uint8_t place;
    int8_t value;
} tso_store;

typedef struct tso_state {
    int8_t memory[WEAK_PLACES], reg[WEAK_THREADS][WEAK_REGISTERS];
    tso_store store[WEAK_THREADS][WEAK_CODE];
    uint8_t stores[WEAK_THREADS], pc[WEAK_THREADS];
    uint8_t used; /* of a slot of the table */
} tso_state;

typedef struct tso_search {
    const weak_program *p;
    weak_outcomes *out;
    tso_state *seen;
    size_t n, room;
} tso_search;

static size_t slot_of(const tso_search *x, const tso_state *s) {
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof *s; i++) h = (h ^ ((const uint8_t *)s)[i]) * UINT64_C(0x100000001b3);
    size_t at = (h ^ h >> 29) & (x->room - 1);
    while (x->seen[at].used && memcmp(&x->seen[at], s, sizeof *s)) at = (at + 1) & (x->room - 1);
    return at;
}

static bool is_new(tso_search *x, tso_state *s) {
    s->used = 1;
    if (2 * x->n >= x->room) {
        tso_state *old = x->seen;
        const size_t room = x->room;
        x->room = room ? 2 * room : 1024;
        x->seen = mem_zero(x->room, sizeof *x->seen);
        for (size_t i = 0; i < room; i++)
            if (old[i].used) x->seen[slot_of(x, &old[i])] = old[i];
        free(old);
    }
    const size_t at = slot_of(x, s);
    if (x->seen[at].used) return false;
    x->seen[at] = *s;
    x->n++;
    return true;
}

static int8_t load(const tso_state *s, unsigned t, unsigned from) {
    for (unsigned k = s->stores[t]; k-- > 0;)
        if (s->store[t][k].place == from) return s->store[t][k].value;
    return s->memory[from];
}

/* False: it waits until the buffer is empty. */
static bool execute(tso_state *s, unsigned t, const weak_instruction *i) {
    const int8_t v = (int8_t)(i->value + (i->from == WEAK_NO_REGISTER ? 0 : s->reg[t][i->from]));
    const bool waits = i->op == WEAK_FENCE || i->op == WEAK_STORE ? i->order == ORDER_SC : i->op != WEAK_LOAD;
    if (waits && s->stores[t]) return false;
    int8_t *cell = &s->memory[i->place];
    if (i->op == WEAK_LOAD) s->reg[t][i->to] = load(s, t, i->place);
    else if (i->op == WEAK_STORE && waits) *cell = v;
    else if (i->op == WEAK_STORE) s->store[t][s->stores[t]++] = (tso_store){i->place, v};
    else if (i->op != WEAK_FENCE) {
        const int8_t old = *cell;
        s->reg[t][i->to] = old;
        if (i->op == WEAK_ADD) *cell = (int8_t)(old + v);
        else if (i->op == WEAK_EXCHANGE || old == i->expected) *cell = v;
    }
    s->pc[t]++;
    return true;
}

static void skip(const weak_program *p, tso_state *s, unsigned t) {
    while (s->pc[t] < p->length[t] && p->code[t][s->pc[t]].op == WEAK_SKIP_UNLESS) {
        const weak_instruction *i = &p->code[t][s->pc[t]];
        s->pc[t] = (uint8_t)(s->pc[t] + 1 + (s->reg[t][i->from] == i->expected ? 0 : i->value));
    }
}

static void flush(tso_state *s, unsigned t) {
    s->memory[s->store[t][0].place] = s->store[t][0].value;
    s->stores[t]--;
    memmove(s->store[t], s->store[t] + 1, (WEAK_CODE - 1) * sizeof *s->store[t]);
    s->store[t][WEAK_CODE - 1] = (tso_store){0};
}

static void look(tso_search *x, tso_state s) {
    bool ended = true;
    for (unsigned t = 0; t < x->p->threads; t++) skip(x->p, &s, t);
    if (!is_new(x, &s)) return;
    for (unsigned t = 0; t < x->p->threads; t++) {
        tso_state next = s;
        if (s.pc[t] < x->p->length[t]) {
            ended = false;
            if (execute(&next, t, &x->p->code[t][s.pc[t]])) look(x, next);
        }
        if (!s.stores[t]) continue;
        ended = false;
        next = s;
        flush(&next, t);
        look(x, next);
    }
    if (!ended) return;
    weak_outcome o = {{0}};
    memcpy(o.value, s.reg, sizeof s.reg);
    memcpy(o.value + sizeof s.reg, s.memory, sizeof s.memory);
    weak_outcomes_add(x->out, &o);
}

void weak_buffer_machine(const weak_program *p, weak_outcomes *out) {
    tso_search x = {.p = p, .out = out};
    tso_state first;
    memset(&first, 0, sizeof first);
    look(&x, first);
    free(x.seen);
}
