/* Finding a core: leave out, cut, and decide what remains, for as long as it stays a violation.
 *
 * Two facts keep this cheap. The moves keep right histories right, so if a history without u is right, it stays right
 * when even more is left out: a unit that could not leave once cannot leave later, and one pass over the units is
 * enough. And most violations are local: before anything is halved, only the few units nearest to where the engine got
 * stuck are kept, then eight times as many, ...
 *
 * First operations are left out of the uncut history (where results that come after the cut are known, and so are the
 * groups), then the cut is brought to the earliest event at which the rest is a violation, then what the cut history
 * allows is left out as well. */
#include "evidence/core.h"

#include "object/leave_out.h"
#include "object/stay.h"

#include <assert.h>

typedef struct reduction {
    const history *h;
    const object *o;
    budget *budget;
    uint32_t *keep; /* what is left: a violation when cut after `cut` */
    uint32_t n;
    uint32_t cut;
    uint32_t focus;         /* where the violation showed: the engine's hint, or the end */
    bool certain;           /* that has been decided here, not only hoped for from the engine's hint */
    bool complete;          /* no question remained open */
    bool spent;             /* no more questions */
    uint64_t effort, limit; /* operations in all decisions so far: the same in every run, as steps are not */
    work_span work;         /* for all of it */
    bool epochs;            /* whole epochs have left */
    core *out;
} reduction;

/* a history worth guessing; what in it is near, before and after; a guess is less than a LITTLE-th */
enum { LONG = 1024, NEAR = 16, LITTLE = 4 };
enum { EFFORT_FACTOR = 3, EFFORT_FLOOR = 6000000, PATIENCE = 2 }; /* one candidate gets half of what is left */
static const double SECONDS_FACTOR = 4, SECONDS_FLOOR = 2;

/* ---- deciding a candidate ---- */

static bool still_violates(reduction *r, const uint32_t *keep, uint32_t n, uint32_t cut) {
    if (n == 0) return false;
    if (r->effort > r->limit || budget_check_clock(r->budget) || work_span_left(&r->work) <= 0) {
        r->spent = true;
        r->complete = false;
        return false;
    }
    budget own;
    budget_init_child(&own, r->budget);
    own.work = work_span_of(work_span_left(&r->work) / PATIENCE);
    history *candidate = history_select(r->h, keep, n, cut);
    decision d;
    decide(candidate, r->o, &(decide_options){.threads = 1}, &own, NULL, &d);
    verdict v = d.verdict;
    r->effort += candidate->n;
    decision_free(&d);
    history_free(candidate);
    if (v == VERDICT_UNDECIDED) r->complete = false;
    return v == VERDICT_VIOLATION;
}

/* The hint was only hoped to be right; once a full decision is due anyway, settle it. */
static void make_certain(reduction *r) {
    if (r->certain) return;
    if (r->cut != RANK_NEVER && !still_violates(r, r->keep, r->n, r->cut)) r->cut = RANK_NEVER;
    r->certain = true;
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
static bool is_subset(const uint32_t *few, uint32_t n, const uint32_t *of, uint32_t m) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < m && k < n; i++) k += of[i] == few[k];
    return k == n;
}
#endif

static void adopt(reduction *r, uint32_t *keep, uint32_t n) {
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    assert(!r->keep || is_subset(keep, n, r->keep, r->n)); /* what has left does not come back */
#endif
    assert(n > 0);
    free(r->keep);
    r->keep = keep;
    r->n = n;
    r->certain = true;
}

/* ---- one pass: what may leave together, and what does ---- */

#define NO_UNIT UINT32_MAX

typedef struct pass {
    reduction *r;
    uint32_t *op; /* what is left, called before the cut of this pass */
    uint32_t n;
    leave_out rule;     /* for these, in the history cut for this pass or not */
    uint8_t *gone;      /* by position in op */
    uint32_t *unit;     /* by position: the unit it leaves with, or NO_UNIT */
    uint8_t *unit_gone; /* by unit */
    uint32_t units;
} pass;

static void ask_rule(pass *p, uint32_t cut) {
    const reduction *r = p->r;
    if (cut == RANK_NEVER) {
        object_leave_out(r->o, r->h, p->op, p->n, &p->rule);
        return;
    }
    history *base = history_select(r->h, p->op, p->n, cut);
    uint32_t *position = MEM_ARRAY(uint32_t, p->n);
    for (uint32_t i = 0; i < p->n; i++) position[i] = i;
    object_leave_out(r->o, base, position, p->n, &p->rule);
    free(position);
    history_free(base);
}

static void pass_init(pass *p, reduction *r, uint32_t cut) {
    *p = (pass){.r = r, .op = MEM_ARRAY(uint32_t, r->n)};
    for (uint32_t i = 0; i < r->n; i++)
        if (r->h->call[r->keep[i]] <= cut) p->op[p->n++] = r->keep[i];
    ask_rule(p, cut);
    p->gone = mem_zero(p->n, 1);
    p->unit = MEM_ARRAY(uint32_t, p->n);
}

static void pass_free(pass *p) {
    free(p->op);
    leave_out_free(&p->rule);
    free(p->gone);
    free(p->unit);
    free(p->unit_gone);
}

static bool stays(const pass *p, uint32_t i) {
    assert(i < p->n && (p->unit[i] == NO_UNIT || p->unit[i] < p->units));
    return !p->gone[i] && (p->unit[i] == NO_UNIT || !p->unit_gone[p->unit[i]]);
}

static uint32_t *what_stays(const pass *p, uint32_t *n) {
    uint32_t *keep = MEM_ARRAY(uint32_t, p->n);
    *n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (stays(p, i)) keep[(*n)++] = p->op[i];
    return keep;
}

static bool violates_without(pass *p) {
    uint32_t n, *keep = what_stays(p, &n);
    bool yes = still_violates(p->r, keep, n, p->r->cut);
    if (yes) p->r->certain = true;
    free(keep);
    return yes;
}

/* Keeps only the nearest `count` of the units in `list`, when that is a violation. */
static bool keep_nearest(pass *p, const uint32_t *list, uint32_t n, uint32_t count) {
    for (uint32_t k = 0; k + count < n; k++) p->unit_gone[list[k]] = 1;
    if (violates_without(p)) return true;
    for (uint32_t k = 0; k + count < n; k++) p->unit_gone[list[k]] = 0;
    return false;
}

static bool leave_chunk(pass *p, const uint32_t *list, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) p->unit_gone[list[k]] = 1;
    if (violates_without(p)) return true;
    for (uint32_t k = 0; k < n; k++) p->unit_gone[list[k]] = 0;
    return false;
}

static uint32_t drop_gone(const pass *p, uint32_t *list, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++)
        if (!p->unit_gone[list[k]]) list[count++] = list[k];
    return count;
}

/* Chunks of halving size, the farthest first, down to single units. */
static void leave_chunks(pass *p, uint32_t *list, uint32_t n) {
    for (uint32_t size = n; size > 0 && !p->r->spent; size /= 2) {
        for (uint32_t at = 0; at < n; at += size) leave_chunk(p, list + at, n - at < size ? n - at : size);
        n = drop_gone(p, list, n);
        if (size > n) size = n;
        assert(n <= p->units);
    }
}

static void forget_gone_units(pass *p) {
    for (uint32_t i = 0; i < p->n; i++) {
        if (!stays(p, i)) p->gone[i] = 1;
        p->unit[i] = NO_UNIT;
    }
}

typedef struct distance {
    uint32_t unit, from; /* how far its nearest operation is from where the violation showed */
} distance;

static int farthest_first(const void *a, const void *b) {
    const distance *x = a, *y = b;
    if (x->from != y->from) return x->from > y->from ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static uint32_t away(uint32_t rank, uint32_t focus) { return rank > focus ? rank - focus : focus - rank; }

/* The units that are left, those near to where the violation showed last. */
static uint32_t *units_by_distance(const pass *p, uint32_t *n) {
    distance *d = MEM_ARRAY(distance, p->units);
    for (uint32_t u = 0; u < p->units; u++) d[u] = (distance){.unit = u, .from = UINT32_MAX};
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->gone[i] || p->unit[i] == NO_UNIT) continue;
        uint32_t from = away(p->r->h->call[p->op[i]], p->r->focus);
        if (from < d[p->unit[i]].from) d[p->unit[i]].from = from;
    }
    uint32_t *list = MEM_ARRAY(uint32_t, p->units);
    qsort(d, p->units, sizeof *d, farthest_first);
    *n = 0;
    for (uint32_t u = 0; u < p->units; u++)
        if (d[u].from != UINT32_MAX) list[(*n)++] = d[u].unit;                  /* else: all of it is gone */
    for (uint32_t u = 1; u < p->units; u++) assert(d[u - 1].from >= d[u].from); /* the nearest last */
    free(d);
    return list;
}

static void minimize(pass *p) {
    p->unit_gone = mem_zero(p->units, 1);
    uint32_t n, *list = units_by_distance(p, &n);
    for (uint32_t count = 8; count < n / 2; count *= 8)
        if (keep_nearest(p, list, n, count)) break;
    n = drop_gone(p, list, n);
    make_certain(p->r);
    leave_chunks(p, list, n);
    free(list);
    forget_gone_units(p);
    free(p->unit_gone);
    p->unit_gone = NULL;
}

/* Once epochs have left, a read may stand without the write it read from, far back in time. Leaving out values as well
 * would end with "2 was never written", which is not what a reader of the file sees; so the write that began the last
 * epoch stays. */
static void minimize_groups(pass *p) {
    if (p->r->epochs && !p->rule.by_epochs) return;
    p->units = p->rule.groups;
    for (uint32_t i = 0; i < p->n; i++) p->unit[i] = p->rule.group[i] == GROUP_KEEP ? NO_UNIT : p->rule.group[i];
    minimize(p);
}

static void minimize_single(pass *p) {
    p->units = 0;
    for (uint32_t i = 0; i < p->n; i++)
        p->unit[i] = !p->gone[i] && p->rule.flags[i] & LEAVE_ALONE ? p->units++ : NO_UNIT;
    minimize(p);
}

/* Groups may leave only after everything fragile has. One unit: all that is fragile, and the groups it is in. */
static bool leave_fragile(pass *p) {
    uint8_t *group = mem_zero(p->rule.groups, 1);
    bool any = false, possible = true;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!(p->rule.flags[i] & LEAVE_FRAGILE)) continue;
        any = true;
        if (p->rule.flags[i] & LEAVE_ALONE) continue;
        if (p->rule.group[i] == GROUP_KEEP) possible = false;
        else group[p->rule.group[i]] = 1;
    }
    if (any && possible) {
        make_certain(p->r);
        p->units = 1;
        p->unit_gone = mem_zero(1, 1);
        for (uint32_t i = 0; i < p->n; i++) {
            bool in_group = p->rule.group[i] != GROUP_KEEP && group[p->rule.group[i]];
            p->unit[i] = in_group || p->rule.flags[i] & LEAVE_FRAGILE ? 0 : NO_UNIT;
        }
        possible = leave_chunk(p, &(uint32_t){0}, 1);
        forget_gone_units(p);
        free(p->unit_gone);
        p->unit_gone = NULL;
    }
    free(group);
    return possible;
}

static core_move *record_move(reduction *r, uint32_t cut) {
    core *c = r->out;
    assert(!c->moves || (cut <= c->move[c->moves - 1].cut && r->n <= c->move[c->moves - 1].n)); /* no way back */
    c->move = MEM_GROW(c->move, core_move, c->moves + 1);
    c->move[c->moves] = (core_move){.cut = cut, .n = r->n, .keep = mem_copy(r->keep, r->n * sizeof *r->keep)};
    return &c->move[c->moves++];
}

/* Leaves out all it can, by the rules for the history cut after `cut`. True when anything left. */
static bool reduce_once(reduction *r, uint32_t cut) {
    pass p;
    pass_init(&p, r, cut);
    if (leave_fragile(&p)) minimize_groups(&p);
    minimize_single(&p);
    for (uint32_t i = 0; i < p.n; i++) p.unit[i] = NO_UNIT;
    uint32_t n, *keep = what_stays(&p, &n), before = r->n;
    bool by_epochs = p.rule.by_epochs;
    adopt(r, keep, n);
    pass_free(&p);
    if (n < before) record_move(r, cut);
    if (n < before && by_epochs) r->epochs = true;
    return n < before;
}

/* ---- the cut ---- */

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns up to the cut, ascending: only a return can make a history a violation. */
static uint32_t *returns(const reduction *r, uint32_t *n) {
    uint32_t *list = MEM_ARRAY(uint32_t, r->n);
    *n = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t ret = r->h->ret[r->keep[i]];
        if (ret != RANK_NEVER && ret <= r->cut) list[(*n)++] = ret;
    }
    qsort(list, *n, sizeof *list, ascending);
    return list;
}

/* Cuts after the earliest return at which the rest is a violation. True when that is earlier than before. */
static bool shorten(reduction *r) {
    uint32_t n, *list = returns(r, &n), before = r->cut;
    if (n == 0) {
        free(list);
        return false;
    }
    uint32_t good = 0, bad = n - 1; /* list[bad] is a violation; below `good` nothing is */
    for (uint32_t back = 1; bad > good; back *= 2) {
        uint32_t at = bad - good > back ? bad - back : good;
        if (!still_violates(r, r->keep, r->n, list[at])) {
            good = at + 1;
            break;
        }
        bad = at;
    }
    while (good < bad) {
        uint32_t middle = good + (bad - good) / 2;
        if (still_violates(r, r->keep, r->n, list[middle])) bad = middle;
        else good = middle + 1;
    }
    r->cut = list[bad];
    assert(r->cut <= before);
    free(list);
    return r->cut < before;
}

/* From here on the history is the cut one: what is called later is gone, and what returns later is pending. */
static void make_cut(reduction *r) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->n; i++)
        if (r->h->call[r->keep[i]] <= r->cut) r->keep[kept++] = r->keep[i];
    assert(kept > 0);
    r->n = kept;
    record_move(r, r->cut);
}

/* ---- what was settled before ---- */

enum { FEW = 8 }; /* are read as they are */

/* The positions at which everything before has returned, ascending. */
static uint32_t *quiet_moments(const reduction *r, uint32_t *n) {
    uint32_t *list = MEM_ARRAY(uint32_t, r->n), latest = 0;
    *n = 0;
    for (uint32_t i = 0; i < r->n && latest != RANK_NEVER; i++) {
        if (i && latest < r->h->call[r->keep[i]]) list[(*n)++] = i;
        if (r->h->ret[r->keep[i]] > latest) latest = r->h->ret[r->keep[i]];
    }
    return list;
}

/* Is what begins at this position a violation, with this as the initial value? */
static bool violates_from(reduction *r, uint32_t position, value init) {
    object begun = *r->o;
    const object *before = r->o;
    begun.init = init;
    r->o = &begun;
    bool yes = still_violates(r, r->keep + position, r->n - position, r->cut);
    r->o = before;
    return yes;
}

/* The last moment from low to high where the state is known; false: there is none, or not among the last of them. */
static bool last_settled(const reduction *r, const uint32_t *list, uint32_t low, uint32_t high, uint32_t *at,
                         value *init) {
    enum { TRIES = 1000 };
    for (uint32_t k = 0; k < TRIES && low + k <= high; k++) {
        *at = high - k;
        if (r->o->type->settle(r->o, r->h, r->keep, list[*at], init)) return true;
    }
    return false;
}

/* All before this position leaves: that is how it was settled. */
static void begin_settled(reduction *r, uint32_t position, value init, object *begun) {
    assert(position > 0 && position < r->n);
    adopt(r, mem_copy(r->keep + position, (r->n - position) * sizeof *r->keep), r->n - position);
    core_move *m = record_move(r, RANK_NEVER);
    m->settled = r->out->settled = true;
    m->init = r->out->init = begun->init = init;
    r->o = begun;
}

/* The latest moment but a few before the violation showed from which it is one. */
static bool settled_near(reduction *r, uint32_t *position, value *init) {
    enum { FARTHER = 8 };
    uint32_t n, *list = quiet_moments(r, &n), at;
    bool found = false;
    while (n && r->h->call[r->keep[list[n - 1]]] > r->focus) n--;
    for (uint32_t back = NEAR; back < n / 2 && !found && !r->spent; back *= FARTHER) {
        found = last_settled(r, list, n - 2 * back, n - back, &at, init) && violates_from(r, list[at], *init);
        if (found) *position = list[at];
    }
    free(list);
    return found;
}

/* Of a long history, at first all but the little that happened near where the violation showed. Something is open
 * nearly always; so what is not near and may leave leaves first, and what only looked is the most of that. */
static void leave_long_settled(reduction *r, object *begun) {
    if (!r->o->type->settle || r->n < LONG) return;
    staying s = object_stay_near(r->o, r->h, r->keep, r->n, r->focus, NEAR, r->n);
    uint32_t *before = r->keep, of = r->n, position;
    value init;
    if (s.op) {
        r->keep = s.op;
        r->n = s.n;
    }
    if (settled_near(r, &position, &init)) {
        if (s.op) record_move(r, RANK_NEVER);
        if (s.op) free(before);
        begin_settled(r, position, init, begun);
        return;
    }
    free(s.op);
    r->keep = before;
    r->n = of;
}

/* Leaves out all that was settled before the latest moment from which the rest is a violation still: if it is from one
 * moment, it is from each earlier one. True when anything left. */
static bool leave_settled(reduction *r, object *begun) {
    if (!r->o->type->settle || r->n <= FEW) return false;
    /* below `low` it is one, from `high` on it is none */
    uint32_t n, *list = quiet_moments(r, &n), low = 0, high = n, best = 0;
    value init = VALUE_NONE, here;
    while (low < high && !r->spent) {
        uint32_t middle = low + (high - low) / 2, at;
        bool known = last_settled(r, list, low, middle, &at, &here),
             violates = known && violates_from(r, list[at], here);
        if (violates) {
            best = list[at];
            init = here;
        }
        if (!known || violates) low = middle + 1;
        else high = at;
    }
    free(list);
    if (best) begin_settled(r, best, init, begun);
    return best > 0;
}

/* ---- where to begin ---- */

/* The engine got no further than the return at `hint`. It knew the results of what was open there, so these returns
 * belong to the violation, and nothing later does. */
static uint32_t cut_behind(const history *h, const uint32_t *op, uint32_t n, uint32_t hint) {
    uint32_t cut = hint;
    if (hint == RANK_NEVER) return hint;
    for (uint32_t i = 0; i < n && h->call[op[i]] < hint; i++)
        if (h->ret[op[i]] != RANK_NEVER && h->ret[op[i]] > cut) cut = h->ret[op[i]];
    return cut;
}

/* Which of the engines that take turns decides is a matter of time; what they say beyond the verdict differs. */
static bool is_one_of_several(const decision *d) { return d->engine && d->engine->cost != COST_NEAR_LINEAR; }

/* What stays with the violation that an engine named or, where it only said how far it came, with what happened near
 * there. */
static staying guess(const reduction *r, const decision *d, uint32_t cut) {
    if (d->pattern_n && !is_one_of_several(d))
        return object_stay_with(r->o, r->h, d->part, d->part_n, d->pattern, d->pattern_n);
    if (cut == RANK_NEVER || d->part_n < LONG) return (staying){0};
    return object_stay_near(r->o, r->h, d->part, d->part_n, cut, NEAR, d->part_n / LITTLE);
}

static bool begin_with_guess(reduction *r, const decision *d, uint32_t cut) {
    staying s = guess(r, d, cut);
    if (!s.op || !still_violates(r, s.op, s.n, RANK_NEVER)) {
        free(s.op);
        return false;
    }
    adopt(r, s.op, s.n);
    record_move(r, RANK_NEVER);
    r->epochs = s.by_epochs;
    return true;
}

/* The earliest event at which the part is a violation: the same whatever the engine said, if that can be decided. */
static uint32_t earliest_cut(reduction *r, const decision *d) {
    r->n = d->part_n;
    r->keep = mem_copy(d->part, d->part_n * sizeof *d->part);
    r->cut = cut_behind(r->h, d->part, d->part_n, d->cut);
    make_certain(r);
    shorten(r);
    uint32_t cut = r->cut;
    free(r->keep);
    r->keep = NULL;
    r->n = 0;
    r->certain = false;
    return cut;
}

static void begin(reduction *r, const decision *d) {
    bool several = is_one_of_several(d);
    uint32_t hint = several ? earliest_cut(r, d) : d->cut;
    r->cut = RANK_NEVER;
    r->focus = hint != RANK_NEVER ? hint : r->h->events;
    if (begin_with_guess(r, d, hint)) return;
    r->n = d->part_n;
    r->keep = mem_copy(d->part, d->part_n * sizeof *d->part);
    r->cut = several ? hint : cut_behind(r->h, d->part, d->part_n, hint);
    r->certain = several;
}

void core_extract(const history *h, const object *o, const decision *d, double seconds, budget *b, core *out) {
    if (!criterion_type_of(o->criterion.kind)->cut_is_sound) { /* then nothing that was done may leave either */
        core_whole(d, out);
        return;
    }
    *out = (core){0};
    reduction r = {.h = h, .o = o, .budget = b, .complete = true, .out = out};
    r.limit = EFFORT_FLOOR + EFFORT_FACTOR * (uint64_t)d->part_n;
    r.work = work_span_of(seconds * SECONDS_FACTOR > SECONDS_FLOOR ? seconds * SECONDS_FACTOR : SECONDS_FLOOR);
    begin(&r, d);
    object begun = *o;
    leave_long_settled(&r, &begun);
    leave_settled(&r, &begun);
    bool changed = true;
    while (changed && !r.spent) {
        changed = false;
        while (!r.spent && reduce_once(&r, RANK_NEVER)) changed = true;
        if (!r.spent && leave_settled(&r, &begun)) changed = true;
        if (!r.spent && shorten(&r)) changed = true;
    }
    make_cut(&r);
    while (!r.spent && reduce_once(&r, r.cut)) {}
    out->op = r.keep;
    out->n = r.n;
    out->cut = r.cut;
    out->epochs = r.epochs;
    out->minimal = r.complete;
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    text wrong = {0};
    assert(core_check_moves(h, o, out, &wrong));
    text_free(&wrong);
#endif
}
