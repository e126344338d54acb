/* Told when all other threads were joined: no snapshot is taken behind it, so nothing has to be put back. */
#include "explore/inside/outcome.h"

#include "explore/inside/failures.h"
#include "explore/inside/fiber.h"
#include "explore/inside/steps.h"

#include <plumbline/test.h>
#include <stdarg.h>
#include <stdio.h>

static bool told PROCESS_STATE;

void outcome_reset(void) { explored_world.outcome[0] = 0; }
bool outcomes_are_told(void) { return told; }

EXPORT void plumb_outcome(const char *format, ...) {
    world *w = &explored_world;
    if (mode_now() == OUTSIDE) return;
    if (w->live & ~thread_bit(fiber_now()->number))
        fail(FAILURE_MISUSE, "plumb_outcome at %#lx while other threads run; expected it when all were joined",
             (unsigned long)CALLER);
    const mode before = mode_aside();
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(w->outcome, sizeof w->outcome, format, arguments);
    va_end(arguments);
    if (length >= OUTCOME_ROOM) /* two that differ only behind it would be one */
        fail(FAILURE_MISUSE, "plumb_outcome at %#lx with %d characters; expected fewer than %d", (unsigned long)CALLER,
             length, OUTCOME_ROOM);
    for (char *c = w->outcome; *c; c++)
        if (*c == '\n') *c = ' ';
    told = true;
    mode_back(before);
}
