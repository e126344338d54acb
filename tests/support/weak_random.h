/* Programs of weak_program.h drawn by lot: 2 to 4 threads, every kind of access, every order, values that depend on
 * others. */
#ifndef PLUMB_TESTS_WEAK_RANDOM_H
#define PLUMB_TESTS_WEAK_RANDOM_H

#include "support/weak_program.h"

#ifndef WEAK_UNSEEN /* attributes of a program under test that draws its own */
#define WEAK_UNSEEN __attribute__((unused))
#endif

static uint64_t weak_seed = 1;
WEAK_UNSEEN static unsigned weak_pick(unsigned n) {
    weak_seed = weak_seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(weak_seed >> 33) % n;
}

WEAK_UNSEEN static uint8_t weak_one_of(const uint8_t *orders, unsigned n) { return orders[weak_pick(n)]; }

WEAK_UNSEEN static weak_instruction weak_random_instruction(unsigned registers, unsigned places) {
    static const uint8_t loads[] = {0, 2, 5}, stores[] = {0, 3, 5}, updates[] = {0, 2, 3, 4, 5},
                         fences[] = {2, 3, 4, 5};
    weak_instruction i = {
        .place = (uint8_t)weak_pick(places), .from = WEAK_NO_REGISTER, .value = (int8_t)(1 + weak_pick(3))};
    const unsigned k = weak_pick(20);
    i.op = k < 7    ? WEAK_LOAD
           : k < 13 ? WEAK_STORE
           : k < 15 ? WEAK_ADD
           : k < 16 ? WEAK_EXCHANGE
           : k < 18 ? WEAK_CAS
                    : WEAK_FENCE;
    i.order = i.op == WEAK_LOAD    ? weak_one_of(loads, 3)
              : i.op == WEAK_STORE ? weak_one_of(stores, 3)
              : i.op == WEAK_FENCE ? weak_one_of(fences, 4)
                                   : weak_one_of(updates, 5);
    i.order_failed = weak_one_of(loads, 3);
    i.expected = (int8_t)weak_pick(3);
    i.to = (uint8_t)registers;
    if (registers && i.op != WEAK_LOAD && !weak_pick(3)) i.from = (uint8_t)weak_pick(registers);
    return i;
}

WEAK_UNSEEN static weak_program weak_random_program(void) {
    weak_program p = {.threads = 2 + weak_pick(2)};
    if (!weak_pick(8)) p.threads = 4;
    const unsigned places = 1 + weak_pick(3), longest = p.threads == 2 ? 5 : p.threads == 3 ? 3 : 2;
    for (unsigned t = 0; t < p.threads; t++) {
        unsigned registers = 0;
        for (unsigned n = 1 + weak_pick(longest); p.length[t] < n;) {
            if (registers && p.length[t] + 2 <= n && !weak_pick(5))
                p.code[t][p.length[t]++] = (weak_instruction){.op = WEAK_SKIP_UNLESS,
                                                              .from = (uint8_t)weak_pick(registers),
                                                              .expected = (int8_t)weak_pick(3),
                                                              .value = (int8_t)(1 + weak_pick(2))};
            const weak_instruction i = weak_random_instruction(registers, places);
            if (i.op != WEAK_STORE && i.op != WEAK_FENCE && registers + 1 < WEAK_REGISTERS) registers++;
            p.code[t][p.length[t]++] = i;
        }
    }
    return p;
}

/* The same one for the same numbers. */
WEAK_UNSEEN static weak_program weak_numbered_program(unsigned seed, unsigned number) {
    weak_seed = (uint64_t)seed << 32 | number;
    weak_pick(2);
    return weak_random_program();
}

enum { WEAK_TEXT = 400 };
/* "p3=0.1:2,x:1,": what is not 0. */
WEAK_UNSEEN static void weak_outcome_print(char *to, unsigned number, const weak_outcome *o) {
    to += sprintf(to, "p%u=", number);
    for (unsigned i = 0; i < WEAK_THREADS * WEAK_REGISTERS; i++)
        if (o->value[i]) to += sprintf(to, "%u.%u:%d,", i / WEAK_REGISTERS, i % WEAK_REGISTERS, o->value[i]);
    for (unsigned p = 0; p < WEAK_PLACES; p++)
        if (o->value[WEAK_THREADS * WEAK_REGISTERS + p])
            to += sprintf(to, "x%u:%d,", p, o->value[WEAK_THREADS * WEAK_REGISTERS + p]);
}

#endif
