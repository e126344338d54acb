#include "engine/linear/counted.h"
#include "engine/self_check.h"

#include <string.h>

enum { INC, DEC, GET, ADD };    /* counter: results are the count after */
enum { FETCH_ADD, FETCH_READ }; /* fetch-add: results are the count before */

static bool is_large(int64_t i) {
    return i >= INT64_C(1) << COUNTING_LIMIT_BITS || i <= -(INT64_C(1) << COUNTING_LIMIT_BITS);
}

static int64_t amount(const problem *p, uint32_t op) {
    return p->h->nargs[op] ? value_as_int(p->h->values, p->h->arg[0][op]) : 1;
}

static bool returns_before(const problem *p) { return p->o->type->method_count == FETCH_READ + 1; }

static bool change_of(const problem *p, uint32_t op, counter_effect *out, text *why_not) {
    unsigned m = p->h->method[op];
    out->observes = returns_before(p) ? m == FETCH_READ : m == GET;
    if (out->observes) return true;
    int64_t by = amount(p, op);
    if (is_large(by) || by == 0) {
        text_add(why_not, by ? "cannot count with amounts that large" : "cannot place an operation that adds 0");
        return false;
    }
    out->change = !returns_before(p) && m == DEC ? -by : by;
    return true;
}

bool counted_of(const problem *p, uint32_t position, counter_effect *out, text *why_not) {
    uint32_t op = p->op[position];
    *out = (counter_effect){0};
    if (!change_of(p, op, out, why_not)) return false;
    value r = p->h->res[op];
    if (r == VALUE_UNKNOWN || r == VALUE_NONE) return true;
    int64_t shown = value_as_int(p->h->values, r),
            start = p->o->init == VALUE_NONE ? 0 : value_as_int(p->h->values, p->o->init);
    if (is_large(shown) || is_large(start)) {
        text_add(why_not, "cannot count with values that large");
        return false;
    }
    assert(out->observes == (out->change == 0));
    out->known = true;
    out->before = shown - start - (returns_before(p) ? 0 : out->change);
    return true;
}

value counted_result(const problem *p, uint32_t position, int64_t before) {
    counter_effect view = {0};
    text unused = {0};
    change_of(p, p->op[position], &view, &unused);
    int64_t start = p->o->init == VALUE_NONE ? 0 : value_as_int(p->h->values, p->o->init);
    return value_int(p->h->values, start + before + (returns_before(p) ? 0 : view.change));
}
