#include "explore/inside/check.h"

#include "explore/inside/attributes.h"

/* The heap is as large as the program wants it: it is counted now and then. */
enum { HEAP_EVERY = 64 };

void machine_check(void) {
    static uint32_t calls PROCESS_STATE;
    fibers_check();
    scheduler_check();
    record_check();
    races_check();
    if (++calls % HEAP_EVERY == 0) heap_check_counts();
}
