/* Litmus tests in herd's C dialect (`C NAME { init } P0(...) {...} ... exists (...)`), read as they are: the threads
 * become a C program whose outcomes are what the condition looks at, and the condition is answered from these. */
#ifndef PLUMB_EXPLORE_OUTSIDE_LITMUS_H
#define PLUMB_EXPLORE_OUTSIDE_LITMUS_H

#include "base/error.h"
#include "explore/model/world.h"

enum { LITMUS_THREADS = 16, LITMUS_NAMES = 64, LITMUS_WORD = 48 };

typedef enum litmus_asks { LITMUS_EXISTS, LITMUS_NOT_EXISTS, LITMUS_FORALL } litmus_asks;

typedef struct litmus_name {
    int thread;                 /* of a register; -1: a place in memory */
    char name[LITMUS_WORD];     /* as it is written */
    char type[2 * LITMUS_WORD]; /* of a place: what a pointer to it points to; of a register: its own */
    long first;                 /* its initial value */
    bool observed;              /* outcomes have it */
    bool atomic;
} litmus_name;

typedef struct litmus {
    char name[LITMUS_WORD];
    litmus_asks asks;
    text condition; /* of one line, without the quantifier */
    text code[LITMUS_THREADS];
    text parameters[LITMUS_THREADS]; /* declarations at the head of a thread */
    unsigned threads;
    litmus_name at[LITMUS_NAMES]; /* places and registers */
    unsigned names;
} litmus;

bool is_litmus(const char *path);
/* False: what is not understood, with its line (exit 65). Must be freed in either case. */
bool litmus_read(litmus *l, const char *path, error *e);
bool litmus_parse(litmus *l, const char *path, const char *bytes, error *e);
void litmus_free(litmus *l);
void litmus_program(const litmus *l, text *out); /* in C */

/* Does the condition hold of an outcome, "0:r0=1 x=2"? NULL: only whether it can be read. */
bool litmus_holds(const litmus *l, const char *outcome, bool *holds, error *e);

/* "Sometimes 1 3, Ok": of so many executions it holds, of so many it does not. `all`: there are no others. */
void litmus_answer(const litmus *l, uint64_t positive, uint64_t negative, bool all, text *out);
const char *litmus_quantifier(const litmus *l);

/* ---- between its parts ---- */

typedef struct litmus_reader {
    const char *path, *at;
    unsigned line;
    bool in_code; /* where (* is no comment */
    error *e;
} litmus_reader;

bool litmus_wrong(litmus_reader *r, const char *what, const char *expected); /* false */
void litmus_skip(litmus_reader *r);                                          /* blanks and comments */
bool litmus_word(litmus_reader *r, char out[LITMUS_WORD]); /* an identifier; false: there is none, nothing is read */
bool litmus_sign(litmus_reader *r, const char *sign);      /* the same */
bool litmus_number(litmus_reader *r, long *out);
litmus_name *litmus_find(litmus *l, int thread, const char *name); /* NULL: there is none */
litmus_name *litmus_add(litmus_reader *r, litmus *l, int thread, const char *name);
bool litmus_thread(litmus_reader *r, litmus *l); /* litmus_thread.c: P0 (...) { ... } */
bool litmus_type_begins(const char *word);
/* Names of a condition become observed ones. */
bool litmus_condition(litmus_reader *r, litmus *l);

#endif
