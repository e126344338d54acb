/* The way in: libc's start calls main only after all constructors, and in place of main it calls us. */
#include "explore/inside/inside.h"

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static main_function *program_main;

static int main_inside(int argc, char **argv, char **envp) { return explore_main(argc, argv, envp, program_main); }

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
EXPORT int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    program_main = main;
    start_function *start = (start_function *)real_function("__libc_start_main");
    return start(main_inside, argc, argv, init, fini, rtld_fini, stack_end);
}

/* A test that only declares items has no main of its own; the linker finds this one. */
int main(void);
EXPORT int main(void) { return 0; }
