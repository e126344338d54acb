#include "explore/model/coverage.h"

#include <assert.h>
#include <string.h>

const coverage_limit coverage_limits[] = {
#define LIMIT(field, is, joins, single, several) \
    {.name = #field, \
     .kind = LIMIT_##is, \
     .join = LIMIT_##joins, \
     .one = single, \
     .many = several, \
     .offset = offsetof(coverage, field)},
#include "explore/model/coverage.def"
};
const unsigned coverage_limits_n = sizeof coverage_limits / sizeof *coverage_limits;

static uint64_t *counter(coverage *c, const coverage_limit *l) { return (uint64_t *)((char *)c + l->offset); }

uint64_t coverage_get(const coverage *c, const coverage_limit *l) {
    uint64_t n;
    memcpy(&n, (const char *)c + l->offset, sizeof n);
    return n;
}

bool coverage_has(const coverage *c, limit_kind kind) {
    for (unsigned i = 0; i < coverage_limits_n; i++)
        if (coverage_limits[i].kind == kind && coverage_get(c, &coverage_limits[i])) return true;
    return false;
}

void coverage_join(coverage *into, const coverage *from) {
    for (const coverage_limit *l = coverage_limits; l < coverage_limits + coverage_limits_n; l++) {
        uint64_t *n = counter(into, l), more = coverage_get(from, l);
        if (l->join == LIMIT_SUM) *n += more;
        else if (more > *n) *n = more;
    }
}

void coverage_keep(coverage *into, const coverage *before) {
    for (const coverage_limit *l = coverage_limits; l < coverage_limits + coverage_limits_n; l++) {
        uint64_t *n = counter(into, l), was = coverage_get(before, l);
        if (was > *n) *n = was;
    }
}

void coverage_send(const coverage *c, text *line) {
    for (unsigned i = 0; i < coverage_limits_n; i++) talk_int(line, (int64_t)coverage_get(c, &coverage_limits[i]));
}

void coverage_take(coverage *c, const talk_line *l) {
    for (unsigned i = 0; i < coverage_limits_n; i++) {
        int64_t n = talk_get_int(l, i + 1);
        *counter(c, &coverage_limits[i]) = n > 0 ? (uint64_t)n : 0;
    }
}
