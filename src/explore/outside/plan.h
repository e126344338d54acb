/* What `plumb explore` is to do, from its options and from what the test declares. */
#ifndef PLUMB_EXPLORE_OUTSIDE_PLAN_H
#define PLUMB_EXPLORE_OUTSIDE_PLAN_H

#include "explore/outside/explore_settings.h"
#include "explore/outside/programs.h"
#include "explore/outside/session.h"
#include "object/criterion.h"

enum { PLAN_PROGRAMS = 64 };

typedef struct plan {
    const char *threads[PLAN_PROGRAMS];
    unsigned threads_n;
    program_space space;
    bool makes_programs, has_symmetry;
    const char *object;  /* NULL: assertions only */
    const char *init;    /* its initial value; NULL: what the object says */
    criterion criterion; /* what histories are asked to be */
    text notes;          /* lines about the test itself */
} plan;

/* `asked`: what histories are asked to be. */
bool plan_make(const explore_settings *s, const criterion *asked, const declarations *d, plan *p, error *e);
void plan_free(plan *p);
/* An option, or what the test declares, that execution graphs, or store buffers, are not for; NULL: there is none. */
const char *graphs_lack(const explore_settings *s, const declarations *d);
const char *buffers_lack(const explore_settings *s);

#endif
