/* A literal: a variable or, negative, its negation; or one of two constants. */
#ifndef PLUMB_ENGINE_SYMBOLIC_LITERAL_H
#define PLUMB_ENGINE_SYMBOLIC_LITERAL_H

#include <stddef.h>

typedef int literal;
enum { LIT_TRUE = 1 << 30, LIT_FALSE = -LIT_TRUE };

typedef struct literals { /* clauses one after another, each ended by 0 */
    literal *at;
    size_t n, room;
} literals;

void literals_add(literals *l, literal x);
void literals_free(literals *l);

#endif
