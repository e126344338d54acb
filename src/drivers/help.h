/* What drivers have in common: words of values, addresses, times. Drivers know the public headers only. */
#ifndef PLUMB_DRIVERS_HELP_H
#define PLUMB_DRIVERS_HELP_H

#include <plumbline/driver.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { WORD_SIZE = 64 };

/* The load's values are integers: the number as text; none is "". Values of other kinds are not drawn. */
static inline const char *word_of(const plumb_value *v, char word[WORD_SIZE]) {
    word[0] = '\0';
    if (v->kind == PLUMB_INT) snprintf(word, WORD_SIZE, "%" PRId64, v->as.integer);
    return word;
}

/* What the names of this run begin with: a service that runs already may hold what another run has left, and every
 * object begins as a new one. */
static char run_name[24] = "plumb";

static inline void name_run(const plumb_world *w) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (w->at) snprintf(run_name, sizeof run_name, "plumb-%llx", (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

/* "plumb-7", or "plumb" where there is one object only. */
static inline const char *name_of_key(const plumb_value *key, char word[WORD_SIZE]) {
    if (key->kind == PLUMB_INT) snprintf(word, WORD_SIZE, "%s-%" PRId64, run_name, key->as.integer);
    else snprintf(word, WORD_SIZE, "%s", run_name);
    return word;
}

static inline plumb_value value_of_word(const char *word) { return plumb_int(strtoll(word, NULL, 10)); }

static inline enum plumb_outcome outcome_because(enum plumb_outcome o, char *why, size_t size, const char *said) {
    snprintf(why, size, "%s", said);
    return o;
}

/* HOST:PORT; false: it is not that. */
static inline bool split_address(const char *at, char host[WORD_SIZE], int *port) {
    const char *colon = strrchr(at, ':');
    if (!colon || (size_t)(colon - at) >= WORD_SIZE) return false;
    snprintf(host, WORD_SIZE, "%.*s", (int)(colon - at), at);
    *port = atoi(colon + 1);
    return *port > 0 && *port < 65536;
}

static inline struct timeval timeval_of(double seconds) {
    return (struct timeval){.tv_sec = (time_t)seconds,
                            .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)};
}

#define DRIVER_EXPORT __attribute__((visibility("default")))

#endif
