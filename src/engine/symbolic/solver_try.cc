#include "engine/symbolic/solver_try.h"

#include <new>

bool solver_try(void (*body)(void *argument), void *argument) {
    try {
        body(argument);
        return true;
    } catch (const std::bad_alloc &) { return false; }
}
