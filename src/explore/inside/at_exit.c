/* Destructors of static objects and handlers of atexit. What a constructor registers is as old as the process, and libc
 * runs it too, at the very end; what an execution registers ends with the execution. They run inside of one where the
 * memory that they free would else be taken for a leak. */
#include "explore/inside/at_exit.h"
#include "explore/inside/failures.h"
#include "explore/inside/fiber.h"
#include "explore/inside/hooks.h"
#include "explore/inside/real.h"
#include "explore/inside/reset.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/start.h"

enum { HANDLERS_MAX = 1024 };

typedef struct exit_handler {
    void (*run)(void *);
    void *object;
} exit_handler;

static exit_handler born[HANDLERS_MAX] PROCESS_STATE;
static unsigned born_count PROCESS_STATE;
static exit_handler registered[HANDLERS_MAX] COPIED_STATE;
static uint32_t registered_count EXECUTION_STATE;

void exits_copy(tape *t) {
    if (UNLIKELY(registered_count)) tape_copy(t, registered, registered_count * sizeof *registered);
}

void exits_hash(hash128 *h) {
    if (UNLIKELY(registered_count)) hash128_bytes(h, registered, registered_count * sizeof *registered);
}

/* Streams are libstdc++'s, and are not put back. */
static bool concerns_program(const exit_handler *h) {
    if (program_owns((uintptr_t)h->run)) return true;
    return program_variable((uintptr_t)h->object) && (uintptr_t)h->run != symbol_address("_ZNSt8ios_base4InitD1Ev");
}

int __cxa_atexit(void (*run)(void *), void *object, void *of);
EXPORT int __cxa_atexit(void (*run)(void *), void *object, void *of) {
    const exit_handler h = {run, object};
    if (INSIDE && concerns_program(&h)) {
        if (registered_count == HANDLERS_MAX)
            fail(FAILURE_UNMODELLED, "more than %d functions to run at exit", HANDLERS_MAX);
        registered[registered_count++] = h;
        return 0;
    }
    if (program_constructing() && born_count < HANDLERS_MAX) born[born_count++] = h;
    const mode before = mode_aside();
    const int result = REAL(__cxa_atexit)(run, object, of);
    mode_back(before);
    return result;
}

void at_exit_run(void) {
    while (registered_count) {
        const exit_handler h = registered[--registered_count];
        h.run(h.object);
    }
    for (unsigned i = born_count; i-- > 0;)
        if (concerns_program(&born[i])) born[i].run(born[i].object);
}
