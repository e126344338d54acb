/* What weakens a claim of coverage: a counter for each limit of coverage.def. The stages of an exploration count what
 * they cut, assume or limit; results of processes and programs are joined; the report is made from the value alone. */
#ifndef PLUMB_EXPLORE_MODEL_COVERAGE_H
#define PLUMB_EXPLORE_MODEL_COVERAGE_H

#include "explore/model/talk.h"

typedef struct coverage {
#define LIMIT(name, ...) uint64_t name;
#include "explore/model/coverage.def"
} coverage;

typedef enum limit_kind { LIMIT_CUT, LIMIT_MODEL, LIMIT_PROGRAMS } limit_kind;
typedef enum limit_join { LIMIT_SUM, LIMIT_MOST } limit_join;

typedef struct coverage_limit {
    const char *name;
    limit_kind kind;
    limit_join join;
    const char *one, *many;
    size_t offset;
} coverage_limit;

extern const coverage_limit coverage_limits[];
extern const unsigned coverage_limits_n;

uint64_t coverage_get(const coverage *c, const coverage_limit *l);
bool coverage_has(const coverage *c, limit_kind kind); /* one of that kind is in force */
void coverage_join(coverage *into, const coverage *from);
/* The better known of two: what an earlier turn of the same program counted is not added up. */
void coverage_keep(coverage *into, const coverage *before);
void coverage_send(const coverage *c, text *line); /* the fields of a line "limits" */
void coverage_take(coverage *c, const talk_line *l);

#endif
