/* Programs for toy worlds: random ones, and models of well-known structures. */
#ifndef PLUMB_TESTS_TOY_PROGRAMS_H
#define PLUMB_TESTS_TOY_PROGRAMS_H

#include "base/random.h"
#include "support/toy_world.h"

typedef enum toy_flavour {
    FLAVOUR_MEMORY,
    FLAVOUR_LOCKS,
    FLAVOUR_WAITING,
    FLAVOUR_MIXED,
    FLAVOUR_SYMMETRIC,
    FLAVOURS
} toy_flavour;
/* Methods are 0, write(v), and 1, read, of a register. */
void toy_random(toy_program *p, random_source *r, toy_flavour flavour);

typedef enum toy_model {
    MODEL_STACK,
    MODEL_QUEUE,
    MODEL_BROKEN_QUEUE,
    MODEL_MUTEX,
    MODEL_SPIN,
    MODEL_GIVE_UP
} toy_model;
/* "1:pg|gp": one put first, then two threads; p put (method 0), g get (method 1). The values put are 10 t + k. */
void toy_structure(toy_program *p, toy_model model, const char *threads);

#endif
