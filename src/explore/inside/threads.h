/* Threads of pthreads and C11, as far as the rest of the machine asks (threads.c). */
#ifndef PLUMB_EXPLORE_INSIDE_THREADS_H
#define PLUMB_EXPLORE_INSIDE_THREADS_H

#include "explore/inside/fiber.h"

#include <pthread.h>

void thread_begin(fiber *f);
void thread_run_body(fiber *f); /* what pthread_create or thrd_create was given */
void thread_set_body(fiber *f, void *(*run)(void *), int (*run_c11)(void *), void *argument);
void thread_finish(uintptr_t pc); /* destructors of what belongs to the thread, whose last place that was */
fiber *thread_named(pthread_t name, uintptr_t pc);

void keys_hash(hash128 *h);

#endif
