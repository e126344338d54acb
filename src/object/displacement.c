/* The readings of the paper's definitions 3 and 4 that measure how far operations are displaced (docs/CRITERIA.md,
 * "readings for comparison"). The run r' is right iff some run r'' of the strict object, made of the same operations
 * and a drain, is at most K away:
 *
 *     literal     the n-th removal of r' is at place n-K .. n+K among the removals of r''; adds keep their order among
 *                 themselves, and may stand anywhere between the removals
 *     aligned     the same, and r'' has adds, removals and empties where r' has them
 *     all-events  the n-th operation of r' is at place n-K .. n+K of r''
 *
 * That is no property of a state, so the state is r' itself, and only the end of the run is judged, by trying all r''.
 * For small histories: these are here to be compared with. */
#include "object/relax.h"

#include <assert.h>

enum { KIND, ELEMENT, WIDTH };
enum { ADDED, REMOVED, FOUND_EMPTY };
enum { MOST_OPERATIONS = 12, MOST = 2 * MOST_OPERATIONS }; /* of a history; of a run with its drain */

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static bool inside(const state *s, value v) {
    int count = 0;
    for (uint32_t i = 0; i < s->n; i += WIDTH)
        if (s->w[i + ELEMENT] == v) count += s->w[i] == ADDED ? 1 : s->w[i] == REMOVED ? -1 : 0;
    return count > 0;
}

static bool is_empty(const state *s) {
    int count = 0;
    for (uint32_t i = 0; i < s->n; i += WIDTH) count += s->w[i] == ADDED ? 1 : s->w[i] == REMOVED ? -1 : 0;
    return count == 0;
}

static void append(state *s, uint32_t kind, value v) {
    state_push(s, kind);
    state_push(s, v);
}

/* A pending removal takes something that is inside, or finds nothing. */
static step_result step_pending(state *s, uint32_t choice, value *res) {
    *res = VALUE_EMPTY;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i += WIDTH) {
        if (s->w[i] != ADDED || !inside(s, s->w[i + ELEMENT]) || choice-- > 0) continue;
        *res = s->w[i + ELEMENT];
        append(s, REMOVED, *res);
        return STEP_LEGAL_MORE;
    }
    if (choice) return STEP_ILLEGAL;
    append(s, FOUND_EMPTY, VALUE_EMPTY);
    return STEP_LEGAL;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    bool removes = object_method(o, op)->role & ROLE_REMOVES;
    if (removes && op->res == VALUE_UNKNOWN) return step_pending(s, choice, res);
    if (choice || op->res == VALUE_FULL) return STEP_ILLEGAL;
    *res = removes ? op->res : VALUE_NONE;
    bool sane = !removes || (op->res == VALUE_EMPTY ? is_empty(s) : inside(s, op->res));
    if (!sane && o->criterion.kind == CRITERION_ALIGNED) return STEP_ILLEGAL;
    append(s, !removes ? ADDED : op->res == VALUE_EMPTY ? FOUND_EMPTY : REMOVED, removes ? op->res : op->arg[0]);
    return STEP_LEGAL;
}

/* ---- is there a run of the strict object near enough? ---- */

typedef struct strict_run {
    const object *o;
    const uint32_t *w; /* r' with its drain */
    uint32_t n;
    uint32_t place[MOST]; /* by operation: its place in r', or among the removals of r' */
    uint32_t used;
    value line[MOST]; /* the strict object's elements, oldest first */
    uint32_t elements;
    uint32_t adds, removals; /* of r'' so far */
} strict_run;

static bool far(uint32_t a, uint32_t b, uint32_t limit) { return (a > b ? a - b : b - a) > limit; }

static bool near_enough(const strict_run *r, uint32_t i, uint32_t place) {
    uint32_t kind = r->w[i * WIDTH], limit = r->o->criterion.limit[0];
    if (r->o->criterion.kind == CRITERION_ALL_EVENTS) return !far(i, place, limit);
    if (r->o->criterion.kind == CRITERION_ALIGNED && kind != r->w[place * WIDTH]) return false;
    return kind == ADDED ? r->place[i] == r->adds : !far(r->place[i], r->removals, limit);
}

/* Where in the line the strict object would take v from now; MOST: it would not. */
static uint32_t strict_place(const strict_run *r, value v) {
    uint32_t at = MOST;
    if (r->o->type->better) {
        for (uint32_t i = r->elements; i-- > 0;) {
            if (r->o->type->better(r->o, r->line[i], v) > 0) return MOST;
            bool oldest =
                !r->o->type->oldest_among_equals || i == 0 || r->o->type->better(r->o, r->line[i - 1], v) != 0;
            if (r->line[i] == v && oldest) at = i;
        }
        return at;
    }
    bool newest = false;
    for (unsigned m = 0; m < r->o->type->method_count; m++)
        if (r->o->type->methods[m].role & ROLE_REMOVES) newest = relax_at_right(r->o, m);
    uint32_t head = newest ? r->elements - 1 : 0;
    return r->elements && r->line[head] == v ? head : MOST;
}

static bool complete(strict_run *r, uint32_t place);

static bool go_on_with(strict_run *r, uint32_t i, uint32_t place) {
    uint32_t kind = r->w[i * WIDTH];
    value v = r->w[i * WIDTH + ELEMENT];
    if (!near_enough(r, i, place)) return false;
    if (kind == FOUND_EMPTY && r->elements) return false;
    uint32_t at = kind == REMOVED ? strict_place(r, v) : 0;
    if (at == MOST) return false;
    strict_run next = *r;
    next.used |= 1u << i;
    if (kind == ADDED) {
        next.line[next.elements++] = v;
        next.adds++;
    } else {
        next.removals++;
    }
    if (kind == REMOVED) memmove(next.line + at, next.line + at + 1, (--next.elements - at) * sizeof *next.line);
    return complete(&next, place + 1);
}

static bool complete(strict_run *r, uint32_t place) {
    assert((uint32_t)__builtin_popcount(r->used) == place); /* each operation once */
    if (place == r->n) return true;
    for (uint32_t i = 0; i < r->n; i++)
        if (!(r->used >> i & 1) && go_on_with(r, i, place)) return true;
    return false;
}

static bool near_strict_run(const object *o, const state *s) {
    assert(s->n % WIDTH == 0 && s->n / WIDTH <= MOST);
    strict_run r = {.o = o, .w = s->w, .n = s->n / WIDTH};
    uint32_t adds = 0, removals = 0;
    for (uint32_t i = 0; i < r.n; i++) r.place[i] = s->w[i * WIDTH] == ADDED ? adds++ : removals++;
    return complete(&r, 0);
}

/* What is left inside is removed in the end, in any order. */
static bool drained(const object *o, state *s) {
    bool left = false, found = false;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n && !found; i += WIDTH) {
        value v = s->w[i + ELEMENT];
        bool first = true;
        for (uint32_t j = 0; j < i; j += WIDTH) first &= s->w[j] != ADDED || s->w[j + ELEMENT] != v;
        if (s->w[i] != ADDED || !first || !inside(s, v)) continue;
        left = true;
        append(s, REMOVED, v);
        found = drained(o, s);
        s->n = n;
    }
    return left ? found : near_strict_run(o, s);
}

static bool may_end(const object *o, const state *s) {
    state copy = {0};
    state_copy(&copy, s);
    bool good = drained(o, &copy);
    state_free(&copy);
    return good;
}

static bool check(const object *o, const history *h, const char *file, error *e) {
    if (h->n <= MOST_OPERATIONS) return true;
    return error_set(e, EXIT_USAGE, "%s: criterion %s tries all permutations; expected at most %d operations", file,
                     criterion_type_of(o->criterion.kind)->name, MOST_OPERATIONS);
}

static void describe(const object *o, const state *s, text *out) {
    static const char sign[] = {[ADDED] = '+', [REMOVED] = '-', [FOUND_EMPTY] = '-'};
    text_char(out, '[');
    for (uint32_t i = 0; i < s->n; i += WIDTH) {
        text_printf(out, "%s%c", i ? " " : "", sign[s->w[i]]);
        value_print(o->values, s->w[i + ELEMENT], out);
    }
    text_char(out, ']');
}

void relax_displacement(object_type *t) {
    t->init = init;
    t->step = step;
    t->may_end = may_end;
    t->check = check;
    t->describe = describe;
    t->why_not = NULL;
    t->leave_out = NULL;
    t->changes_nothing = NULL;
    t->brings = NULL;
    t->looks_for = NULL;
}
