/* Threads of the running execution: created, run, ended; and the end of the execution. */
#ifndef PLUMB_EXPLORE_INSIDE_THREAD_LIFE_H
#define PLUMB_EXPLORE_INSIDE_THREAD_LIFE_H

#include "explore/inside/fiber.h"

void threads_reset(void);
void threads_run_main(int (*main)(int, char **, char **), int argc, char **argv, char **envp);
void threads_run_scenario(const scenario *s);
bool threads_use_main(void);
fiber *thread_first(void); /* of an execution from its start */
fiber *thread_start(void *(*run)(void *), int (*run_c11)(void *), void *argument, size_t stack);
void thread_joined(void);         /* one that was created */
_Noreturn void thread_ends(void); /* the fiber's body has returned */
_Noreturn void execution_end(ending e);

/* An execution is running, not only being prepared. */
bool execution_running(void);
void execution_run(fiber *first);

#endif
