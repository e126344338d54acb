/* Bad patterns: a violation of a container is a few operations in a bad order, whatever happens around them (Bouajjani,
 * Emmi, Enea, Hamza, ICALP 2015). A pattern is described by what must be seen; the automaton that looks for it is
 * derived.
 *
 * Values are tracked under *letters*; which value gets which letter is a guess, and a value without letter is "any
 * other". Since the implementation does not look at values (data independence), several values may share a letter. */
#ifndef PLUMB_OBSERVE_PATTERN_H
#define PLUMB_OBSERVE_PATTERN_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum pattern_role {
    DOES_INSERT,
    DOES_REMOVE,
    DOES_MISS /* finds nothing */,
    DOES_SEE /* changes nothing, needs it inside */,
    PATTERN_ROLES
} pattern_role;
enum { PATTERN_LETTERS = 2, PATTERN_EVENTS = 8, PATTERN_BLOCKED = 2 };
/* A symbol is call or return, a role, and a letter. */
enum { PATTERN_SYMBOLS = 2 * PATTERN_ROLES * PATTERN_LETTERS };

static inline unsigned pattern_symbol(bool returns, pattern_role role, unsigned letter) {
    return ((unsigned)returns * PATTERN_ROLES + role) * PATTERN_LETTERS + letter;
}

typedef enum letter_kind {
    LETTER_UNUSED,
    LETTER_VALUE,
    LETTER_VALUES /* any number of values */,
    LETTER_MISS /* one operation that found nothing */
} letter_kind;

typedef struct pattern_event {
    bool returns;
    uint8_t roles; /* a bit for each role that is meant */
    uint8_t letter;
    uint8_t after; /* a bit for each event of the pattern that comes before this one */
} pattern_event;

typedef struct blocked_operation { /* one that has no moment when no covering value is certainly inside */
    uint8_t role, letter;
} blocked_operation;

typedef struct pattern {
    const char *object, *name;
    const char *sentence;
    letter_kind letter[PATTERN_LETTERS];
    pattern_event event[PATTERN_EVENTS]; /* all of them are seen, in an order that `after` allows */
    uint8_t events;
    /* letters: inside from the return of the insert to the call of the remove */
    uint8_t covers;
    blocked_operation blocked[PATTERN_BLOCKED]; /* at least one, and each that is begun ends */
    uint8_t blocks;
    uint8_t most; /* how far the automaton counts */
    /* covers beyond that change nothing; otherwise the automaton is lost there */
    bool most_is_enough;
} pattern;

const pattern *pattern_at(unsigned i); /* the program's own; NULL behind the last */
const char *pattern_role_name(const char *of, pattern_role r);

/* All patterns that are looked for at once, about the operations of one object. */
enum { PATTERN_SET = 16 };
typedef struct pattern_set {
    char *object, *name; /* the name is what exported functions begin with */
    pattern at[PATTERN_SET];
    unsigned count;
    char *words; /* that a file's patterns point into; NULL: the program's own */
} pattern_set;

pattern_set *pattern_set_of(const char *name); /* the program's own; NULL: there are none of this object */
/* A file of patterns (pattern_file.h), or as above. NULL: error set. */
pattern_set *pattern_set_open(const char *what, error *e);
void pattern_set_free(pattern_set *s);

/* The automaton: deterministic, complete, minimal. What it does not know (any other value) changes nothing. */
enum {
    AUTOMATON_GOOD /* can never become bad again */,
    AUTOMATON_BAD,
    AUTOMATON_LOST /* cannot count that far */,
    AUTOMATON_START,
    AUTOMATON_STATES = 250
};

typedef struct automaton {
    const pattern *of;
    unsigned states;
    uint8_t next[AUTOMATON_STATES][PATTERN_SYMBOLS];
} automaton;

/* False: it would have more states than that. */
bool automaton_derive(automaton *a, const pattern *p);
/* In the order of the patterns, of a set all of whose patterns have one; to be freed. */
automaton *automata_of(const pattern_set *s);
void automaton_dot(const automaton *a, text *out);
void pattern_symbol_print(const pattern *p, unsigned symbol, text *out); /* "call enq(1)" */

#endif
