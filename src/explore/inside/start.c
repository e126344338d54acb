/* The way in: libc's start runs the constructors of the program, then main, and in place of main it calls us. What they
 * allocate belongs to the program. */
#include "explore/inside/start.h"
#include "explore/inside/fiber.h"
#include "explore/inside/heap.h"
#include "explore/inside/real.h"

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static main_function *program_main PROCESS_STATE;
static bool constructing PROCESS_STATE;

bool program_constructing(void) { return constructing; }

static int main_inside(int argc, char **argv, char **envp) {
    constructing = false;
    heap_born();
    return explore_main(argc, argv, envp, program_main);
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);
EXPORT int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                             void (*rtld_fini)(void), void *stack_end) {
    char wrong[128]; /* said again when the machine is opened */
    program_main = main;
    fiber_now_is_first();
    constructing = heap_open(wrong, sizeof wrong);
    start_function *start = (start_function *)real_function("__libc_start_main");
    return start(main_inside, argc, argv, init, fini, rtld_fini, stack_end);
}

/* A test that only declares items has no main of its own; the linker finds this one. */
int main(void);
EXPORT int main(void) { return 0; }
