#include "runtime/resync.h"

#include "monitor/told.h"

#include <assert.h>
#include <string.h>

/* may return something unknown */
enum resync_mark { MARK_CLEAR = 1, /* began after everything of the dark had ended */ MARK_OLD = 2, MARK_LEFT_OUT = 4 };

static bool is_one_of(const char *name, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, list[i])) return true;
    return false;
}

resync_kind resync_kind_of(const object *o, bool by_telling) {
    static const char *const containers[] = {"queue", "stack", "deque", "multiset", "pqueue-max", "pqueue-min"};
    static const char *const cells[] = {"register", "swmr-register", "kv"};
    static const char *const stateless[] = {"exchanger", "elimination"};
    const char *name = o->type->name;
    if (is_one_of(name, stateless, 2)) return RESYNC_QUIET;
    if (is_one_of(name, containers, 6) && !o->parameter[0]) return RESYNC_CONTAINER;
    if (is_one_of(name, cells, 3) && !by_telling) return RESYNC_CELL;
    return object_tells_state(o) ? RESYNC_TOLD : RESYNC_NEVER;
}

/* An operation that began in the dark may have taken effect before others that were not recorded: what it says tells
 * nothing. */
static void lose_when_clear(resync *r) {
    if (r->kind != RESYNC_TOLD || r->stale || r->settled) return;
    r->settled = true;
    r->lost |= !r->to->type->lose || !r->to->type->lose(r->to, "they came in a dark period, or right after");
}

void resync_begin(resync *r, resync_kind kind, checker *to, uint64_t ghosts) {
    const object *o = to->o;
    word_set_free(&r->known);
    *r = (resync){.kind = kind == RESYNC_CONTAINER && r->repeats ? RESYNC_ALONE : kind,
                  .fifo = !strcmp(o->type->name, "queue"),
                  .keyed = o->type->keyed,
                  .repeats = r->repeats,
                  .to = to,
                  .grey = r->grey};
    assert(r->kind != RESYNC_NEVER);
    r->stale = ghosts;
}

void resync_begun(resync *r) { lose_when_clear(r); }

void resync_free(resync *r) { word_set_free(&r->known); }

static unsigned role(const resync *r, const sketched *op) { return r->to->o->type->methods[op->method].role; }
static void hand_call(resync *r, sketched *op) { r->to->type->call(r->to, op); }
static void hand_return(resync *r, sketched *op) { r->to->type->ret(r->to, op); }

static void leave_aside(resync *r, sketched *op) {
    assert(!(*op->mine & MARK_LEFT_OUT)); /* the checker has seen its call */
    r->grey++;
    r->to->type->drop(r->to, op);
}

static bool ended_for_good(const sketched *op) { return op->outcome == LOG_RETURNED || op->outcome == LOG_FAILED; }

/* ---- containers ---- */

/* A remove that is open may take something known; an add's value is unknown. */
static void stale_container(resync *r, sketched *op) {
    *op->mine = MARK_OLD;
    if (role(r, op) & ROLE_REMOVES) hand_call(r, op);
    else *op->mine |= MARK_LEFT_OUT;
    r->old++;
}

/* Of one value two may be inside: then it does not tell which of them comes out. */
static void now_known(resync *r, const sketched *op) {
    if (word_set_find(&r->known, op->arg[0], 0)) r->repeats = r->lost = true;
    word_set_add(&r->known, op->arg[0], 0)->mark = (uint32_t)*op->mine;
}

static void call_container(resync *r, sketched *op) {
    if (op->nargs != ((role(r, op) & ROLE_ADDS) ? 1 : 0)) r->lost = true;
    *op->mine = (r->stale ? 0 : MARK_CLEAR) | (r->settled ? 0 : MARK_OLD);
    r->old += !r->settled;
    if (role(r, op) & ROLE_ADDS) now_known(r, op);
    hand_call(r, op);
}

static void removed(resync *r, sketched *op) {
    if (result_is_nothing(op->res)) {
        if (*op->mine & MARK_CLEAR) r->settled = true;
        if (op->stale) leave_aside(r, op);
        else hand_return(r, op);
        return;
    }
    word_entry *e = word_set_find(&r->known, op->res, 0);
    if (e) {
        if (r->fifo && e->mark & MARK_CLEAR) r->settled = true;
        word_set_remove(&r->known, e);
    } else if (*op->mine & MARK_OLD) {
        leave_aside(r, op);
        return;
    }
    hand_return(r, op);
}

static void return_container(resync *r, sketched *op) {
    assert(!(*op->mine & MARK_OLD) || r->old > 0);
    if (*op->mine & MARK_OLD) r->old--;
    if (*op->mine & MARK_LEFT_OUT) r->grey++;
    else if (op->outcome == LOG_RETURNED && (role(r, op) & ROLE_REMOVES)) removed(r, op);
    else hand_return(r, op);
}

/* ---- containers whose values repeat ---- */

static void call_alone(resync *r, sketched *op) {
    r->alone = !r->stale && !r->old;
    r->old++;
    *op->mine = MARK_LEFT_OUT;
}

static void return_alone(resync *r, sketched *op) {
    const bool removes = role(r, op) & ROLE_REMOVES;
    r->grey++;
    if (r->alone && removes && op->outcome == LOG_RETURNED && result_is_nothing(op->res)) r->settled = true;
    r->alone = false;
    r->old -= !op->stale && ended_for_good(op);
}

/* ---- registers and kv ---- */

static uint64_t key_of(const resync *r, const sketched *op) { return r->keyed ? op->arg[0] : 0; }

static void call_cell(resync *r, sketched *op) {
    const char *name = r->to->o->type->methods[op->method].name;
    bool reads = role(r, op) & ROLE_OBSERVES;
    *op->mine = r->stale ? 0 : MARK_CLEAR;
    if (!reads && strcmp(name, "write") && strcmp(name, "put") && strcmp(name, "delete")) r->lost = true;
    if (reads && !word_set_find(&r->known, key_of(r, op), 1)) *op->mine |= MARK_LEFT_OUT;
    else hand_call(r, op);
}

static void return_cell(resync *r, sketched *op) {
    if (*op->mine & MARK_LEFT_OUT) {
        r->grey++;
        return;
    }
    hand_return(r, op);
    bool writes = !(role(r, op) & ROLE_OBSERVES);
    if (writes && *op->mine & MARK_CLEAR && op->outcome == LOG_RETURNED) word_set_add(&r->known, key_of(r, op), 1);
}

/* ---- objects with no state of their own ---- */

/* One that meets an operation of the dark may have met it: nothing can be said until none is open that did, or that met
 * one that did, and so on. */
static void call_quietly(resync *r, sketched *op) {
    if (!r->stale && !r->old) r->settled = true;
    *op->mine = r->settled ? 0 : MARK_LEFT_OUT;
    r->old += !r->settled;
    if (r->settled) hand_call(r, op);
}

/* One that never ends may meet others for ever. */
static void return_quietly(resync *r, sketched *op) {
    if (!(*op->mine & MARK_LEFT_OUT)) {
        hand_return(r, op);
        return;
    }
    r->grey++;
    r->old -= !op->stale && ended_for_good(op);
}

/* ---- all ---- */

void resync_stale(resync *r, sketched *op) {
    assert(op->stale);
    r->stale++;
    *op->mine = MARK_LEFT_OUT;
    if (r->kind == RESYNC_CONTAINER) stale_container(r, op);
}

void resync_call(resync *r, sketched *op) {
    assert(!op->stale && op->method < r->to->o->type->method_count);
    if (r->kind == RESYNC_CONTAINER) call_container(r, op);
    else if (r->kind == RESYNC_CELL) call_cell(r, op);
    else if (r->kind == RESYNC_ALONE) call_alone(r, op);
    else if (r->kind == RESYNC_QUIET) call_quietly(r, op);
    else {
        *op->mine = 0;
        hand_call(r, op);
    }
}

void resync_return(resync *r, sketched *op) {
    assert(!op->stale || r->stale > 0);
    if (op->stale && ended_for_good(op)) r->stale--;
    if (r->kind == RESYNC_TOLD) {
        if (op->stale) r->grey++;
        else if (!r->settled && op->outcome == LOG_RETURNED) leave_aside(r, op); /* the checker knows no state yet */
        else hand_return(r, op);
        lose_when_clear(r);
    } else if (r->kind == RESYNC_CONTAINER) return_container(r, op);
    else if (r->kind == RESYNC_ALONE) return_alone(r, op);
    else if (r->kind == RESYNC_QUIET) return_quietly(r, op);
    else return_cell(r, op);
}

/* A register without keys is known for good with the first write; of kv there may always be a key that was not written
 * since. */
bool resync_is_over(const resync *r) {
    if (r->kind == RESYNC_TOLD || r->kind == RESYNC_QUIET || r->kind == RESYNC_ALONE) return r->settled;
    if (r->kind == RESYNC_CONTAINER) return r->settled && !r->old;
    return r->kind == RESYNC_CELL && !r->keyed && r->known.n;
}
