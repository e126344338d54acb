/* The SAT solver is C++, and tells that memory ran out by an exception. */
#ifndef PLUMB_ENGINE_SYMBOLIC_SOLVER_TRY_H
#define PLUMB_ENGINE_SYMBOLIC_SOLVER_TRY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs `body`. False: memory ran out in C++ code that it called; what it was about to do was not done. */
bool solver_try(void (*body)(void *argument), void *argument);

#ifdef __cplusplus
}
#endif
#endif
