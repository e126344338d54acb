/* The patterns, as they are described. Letters are numbered from 0 here and from 1 for people.
 *
 * Completeness, for histories in which every value is inserted at most once and nothing that removes is pending:
 *   empty     a smallest chain of values that cover an interval has at most two of them inside at once
 *   queue     Henzinger, Sezgin, Vafeiadis, "Aspect-oriented linearizability proofs", CONCUR 2013
 *   stack     a set of values is stuck when each has a push or a pop without a moment that no value of the set
 *             covers; a history without fresh, repeated and empty violations is linearizable iff no set is stuck
 *             (engine/linear/stack_block.h). Smallest stuck sets get larger with the number of threads, so this one has
 *             to count
 *   register  Gibbons, Korach, "Testing shared memories", 1997: clusters of a write and its reads conflict in pairs
 *   lock      sections can be shrunk to what lies between the return of the lock and the call of the unlock
 *   set       one element at a time, and one successful add of it: it goes in as late as its add and the operations
 *             that see it allow, and out as early as its remove and these allow; the patterns say that this is no
 *             order (fresh, late) or that an operation does not find it in between (absent) */
#include "observe/pattern.h"

#include "base/mem.h"
#include "object/object.h"
#include "observe/pattern_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CALL(...) \
    { false, __VA_ARGS__ }
#define RETURN(...) \
    { true, __VA_ARGS__ }
#define EVENTS(n, ...) .event = {__VA_ARGS__}, .events = n

enum {
    INSERT = 1 << DOES_INSERT,
    REMOVE = 1 << DOES_REMOVE,
    MISS = 1 << DOES_MISS,
    SEE = 1 << DOES_SEE,
    EITHER = INSERT | REMOVE
};

/* What is removed and never inserted is inserted, in thought, after the end. */
#define FRESH(what, says) \
    { \
        .object = what, .name = "fresh", .sentence = says, .letter = {LETTER_VALUE}, \
        EVENTS(2, RETURN(REMOVE, 0, 0), CALL(INSERT, 0, 1)) \
    }
#define REPEATED(what, says) \
    { \
        .object = what, .name = "repeated", .sentence = says, .letter = {LETTER_VALUE}, \
        EVENTS(2, RETURN(REMOVE, 0, 0), RETURN(REMOVE, 0, 1)) \
    }
#define EMPTY(what, says) \
    { \
        .object = what, .name = "empty", .sentence = says, .letter = {LETTER_MISS, LETTER_VALUES}, .covers = 2, \
        .blocked = {{DOES_MISS, 0}}, .blocks = 1, .most = 2, .most_is_enough = true \
    }

static const pattern patterns[] = {
    FRESH("queue", "a value is dequeued before it is enqueued"),
    REPEATED("queue", "a value is dequeued twice"),
    {.object = "queue",
     .name = "order",
     .sentence = "1 is enqueued before 2, and 2 is dequeued before 1",
     .letter = {LETTER_VALUE, LETTER_VALUE},
     EVENTS(4, RETURN(INSERT, 0, 0), CALL(INSERT, 1, 1), RETURN(REMOVE, 1, 0), CALL(REMOVE, 0, 4))},
    EMPTY("queue", "a dequeue finds nothing though at each moment some value 2 is certainly inside"),
    FRESH("stack", "a value is popped before it is pushed"),
    REPEATED("stack", "a value is popped twice"),
    {.object = "stack",
     .name = "order",
     .sentence = "while a 1 is popped, and while a 2 is pushed, one of these values is certainly inside: each would "
                 "have to be below the others",
     .letter = {LETTER_VALUES, LETTER_VALUES},
     .covers = 3,
     .blocked = {{DOES_REMOVE, 0}, {DOES_INSERT, 1}},
     .blocks = 2,
     .most = 5},
    EMPTY("stack", "a pop finds nothing though at each moment some value 2 is certainly inside"),
    FRESH("register", "a value is read before it is written"),
    {.object = "register",
     .name = "order",
     .sentence = "1 is there before 2, and 2 before 1",
     .letter = {LETTER_VALUE, LETTER_VALUE},
     EVENTS(4, RETURN(EITHER, 0, 0), CALL(EITHER, 1, 1), RETURN(EITHER, 1, 0), CALL(EITHER, 0, 4))},
    FRESH("lock", "a client unlocks what it does not hold"),
    {.object = "lock",
     .name = "order",
     .sentence = "two clients hold the lock at once",
     .letter = {LETTER_VALUE, LETTER_VALUE},
     EVENTS(4, RETURN(INSERT, 0, 0), CALL(REMOVE, 1, 1), RETURN(INSERT, 1, 0), CALL(REMOVE, 0, 4))},
    {.object = "set",
     .name = "fresh",
     .sentence = "an element is removed or found before it is added",
     .letter = {LETTER_VALUE},
     EVENTS(2, RETURN(REMOVE | SEE, 0, 0), CALL(INSERT, 0, 1))},
    REPEATED("set", "an element that was added once is removed twice"),
    {.object = "set",
     .name = "late",
     .sentence = "an element is found after it was removed",
     .letter = {LETTER_VALUE},
     EVENTS(2, RETURN(REMOVE, 0, 0), CALL(SEE, 0, 1))},
    {.object = "set",
     .name = "absent",
     .sentence = "an element is not found though it was added or found before, and is removed or found after",
     .letter = {LETTER_VALUE, LETTER_MISS},
     EVENTS(4, RETURN(INSERT | SEE, 0, 0), CALL(MISS, 1, 1), RETURN(MISS, 1, 2), CALL(REMOVE | SEE, 0, 4))},
};

const pattern *pattern_at(unsigned i) { return i < sizeof patterns / sizeof *patterns ? &patterns[i] : NULL; }

pattern_set *pattern_set_of(const char *name) {
    pattern_set *s = MEM_NEW(pattern_set);
    const pattern *p;
    s->object = mem_string(name);
    s->name = mem_string(name);
    for (unsigned i = 0; (p = pattern_at(i)); i++)
        if (!strcmp(p->object, name)) s->at[s->count++] = *p;
    assert(s->count <= PATTERN_SET);
    if (s->count) return s;
    pattern_set_free(s);
    return NULL;
}

pattern_set *pattern_set_open(const char *what, error *e) {
    if (pattern_file_named(what)) return pattern_file_open(what, e);
    pattern_set *s = pattern_set_of(what);
    if (!s)
        error_set(e, EXIT_USAGE,
                  "there are no bad patterns for object %s; expected queue, stack, register, lock, set or a file whose "
                  "name ends in .pattern",
                  what);
    return s;
}

void pattern_set_free(pattern_set *s) {
    if (!s) return;
    FREE_ALL(s->object, s->name, s->words);
    free(s);
}

const char *pattern_role_name(const char *of, pattern_role r) {
    static const struct {
        const char *object, *role[PATTERN_ROLES];
    } name[] = {{"queue", {"enq", "deq", "deq(empty)", ""}},
                {"stack", {"push", "pop", "pop(empty)", ""}},
                {"register", {"write", "read", "", ""}},
                {"lock", {"lock", "unlock", "", ""}},
                {"set", {"add", "remove", "absent", "found"}}};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(name[i].object, of)) return name[i].role[r];
    return "?";
}

void pattern_symbol_print(const pattern *p, unsigned symbol, text *out) {
    unsigned letter = symbol % PATTERN_LETTERS, role = symbol / PATTERN_LETTERS % PATTERN_ROLES;
    text_printf(out, "%s %s", symbol / PATTERN_LETTERS / PATTERN_ROLES ? "return" : "call",
                pattern_role_name(p->object, (pattern_role)role));
    if (role != DOES_MISS) text_printf(out, "(%u)", letter + 1);
}
