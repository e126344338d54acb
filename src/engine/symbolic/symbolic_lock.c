/* Lock: a client's acquire with the release that follows it is a hold; of two holds one is over before the other
 * begins; a trylock that failed did so during a hold. */
#include "base/mem.h"
#include "engine/rank_order.h"
#include "engine/symbolic/symbolic.h"
#include "engine/self_check.h"

#include <stdlib.h>

enum { LOCK, UNLOCK, TRYLOCK };
#define NEVER_RELEASED UINT32_MAX
#define NO_HOLD UINT32_MAX

typedef struct encoded_hold {
    uint32_t acquire, release; /* positions; NEVER_RELEASED */
    bool soft;
} encoded_hold;

typedef struct lock_encoding {
    encoding *e;
    encoded_hold *hold; /* by call of the acquire */
    uint32_t holds;
    uint32_t *of;     /* by position: the hold of an acquire or release; NO_HOLD */
    uint32_t *failed; /* trylocks, by call */
    uint32_t fails;
} lock_encoding;

static uint32_t held_from(const lock_encoding *l, uint32_t i) { return l->e->order.ret[l->hold[i].acquire]; }
static uint32_t release_call(const lock_encoding *l, uint32_t i) {
    return l->hold[i].release == NEVER_RELEASED ? RANK_NEVER : l->e->order.call[l->hold[i].release];
}
static uint32_t release_return(const lock_encoding *l, uint32_t i) {
    return l->hold[i].release == NEVER_RELEASED ? RANK_NEVER : l->e->order.ret[l->hold[i].release];
}

/* ---- holds ---- */

/* Who holds the lock cannot acquire it again. */
static bool begin_hold(lock_encoding *l, uint32_t i, uint32_t *current) {
    bool pending = is_pending(l->e, i);
    if (*current != NO_HOLD)
        return pending || encoding_refute(l->e, (const uint32_t[]){l->hold[*current].acquire, i}, 2);
    if (pending && !l->fails) return true; /* only a failed trylock can need it */
    if (pending) {
        l->e->used[i] = cnf_variable(&l->e->cnf);
        if (l->e->p->h->method[operation_at(l->e, i)] == TRYLOCK) encoding_choice(l->e, l->e->used[i], i, VALUE_TRUE);
    }
    assert(l->holds == 0 || l->hold[l->holds - 1].acquire < i);
    l->hold[l->holds] = (encoded_hold){i, NEVER_RELEASED, pending};
    l->of[i] = *current = l->holds++;
    return true;
}

static bool end_hold(lock_encoding *l, uint32_t i, uint32_t *current) {
    bool pending = is_pending(l->e, i);
    if (*current == NO_HOLD) return pending || encoding_refute(l->e, &i, 1);
    if (pending) {
        l->e->used[i] = cnf_variable(&l->e->cnf);
        l->hold[*current].soft = true;
    }
    assert(l->hold[*current].release == NEVER_RELEASED && l->hold[*current].acquire < i);
    l->hold[*current].release = i;
    l->of[i] = *current;
    *current = NO_HOLD;
    return true;
}

static bool gather(lock_encoding *l) {
    encoding *e = l->e;
    const history *h = e->p->h;
    uint32_t *current = MEM_ARRAY(uint32_t, (size_t)h->clients + 1); /* by client */
    for (uint32_t k = 0; k < h->clients; k++) current[k] = NO_HOLD;
    for (uint32_t i = 0; i < e->p->n; i++)
        if (h->res[operation_at(e, i)] == VALUE_FALSE) l->failed[l->fails++] = i;
    bool good = true;
    for (uint32_t i = 0; i < e->p->n && good; i++) {
        uint32_t op = operation_at(e, i), *mine = &current[history_client(h, op)];
        l->of[i] = NO_HOLD;
        if (h->method[op] == UNLOCK) good = end_hold(l, i, mine);
        else if (h->res[op] != VALUE_FALSE) good = begin_hold(l, i, mine);
    }
    free(current);
    return good;
}

/* ---- mutual exclusion ---- */

/* If i begins before j it is over before j begins. */
static void exclude(lock_encoding *l, uint32_t i, uint32_t j) {
    encoding *e = l->e;
    cnf *f = &e->cnf;
    const encoded_hold *a = &l->hold[i], *b = &l->hold[j];
    assert(i != j);
    cnf_begin(f);
    cnf_owner(f, a->acquire);
    cnf_owner(f, b->acquire);
    cnf_literal(f, -e->used[a->acquire]);
    cnf_literal(f, -e->used[b->acquire]);
    cnf_literal(f, -before(&e->order, a->acquire, b->acquire));
    if (a->release != NEVER_RELEASED && !f->holds)
        cnf_literal(f, cnf_both(f, e->used[a->release], before(&e->order, a->release, b->acquire)));
    cnf_end(f);
}

/* i held, certainly, while j was acquired. */
static bool sweep(lock_encoding *l) {
    ranked *all = MEM_ARRAY(ranked, 2 * (size_t)l->holds + 1);
    for (uint32_t i = 0; i < l->holds; i++) all[i] = (ranked){held_from(l, i), i};
    const ranked *by_start = rank_order(all, all + l->holds, l->holds);
    uint32_t k = 0, last = NO_HOLD;
    bool good = true;
    for (uint32_t j = 0; j < l->holds && good; j++) {
        for (; k < l->holds && by_start[k].rank < l->e->order.call[l->hold[j].acquire]; k++) {
            uint32_t i = by_start[k].item;
            if (!l->hold[i].soft && (last == NO_HOLD || release_call(l, i) > release_call(l, last))) last = i;
        }
        if (l->hold[j].soft || last == NO_HOLD || release_call(l, last) < held_from(l, j)) continue;
        good = encoding_refute(l->e, (const uint32_t[]){l->hold[last].acquire, l->hold[j].acquire}, 2);
    }
    free(all);
    return good;
}

static void exclude_from_pair(lock_encoding *l, uint32_t x, uint32_t y) {
    uint32_t i = l->of[x], j = l->of[y];
    if (i == NO_HOLD || j == NO_HOLD || i == j || l->hold[i].soft || l->hold[j].soft) return;
    bool acquires_x = l->hold[i].acquire == x, acquires_y = l->hold[j].acquire == y;
    if (acquires_x && acquires_y) {
        exclude(l, i, j);
        exclude(l, j, i);
    } else if (acquires_x != acquires_y && !overlaps(&l->e->order, l->hold[i].acquire, l->hold[j].acquire)) {
        exclude(l, acquires_x ? j : i, acquires_x ? i : j);
    }
}

static bool exclude_all(lock_encoding *l) {
    const overlap *o = &l->e->order;
    unsigned ticks = 0;
    for (uint32_t y = 0; y < o->n; y++) {
        for (size_t k = o->start[y]; k < o->start[y + 1]; k++) exclude_from_pair(l, o->earlier[k], y);
        if (!encoding_goes_on(l->e, &ticks)) return false;
    }
    for (uint32_t i = 0; i < l->holds; i++) {
        if (!l->hold[i].soft) continue;
        for (uint32_t j = 0; j < l->holds; j++) {
            if (i == j) continue;
            exclude(l, i, j);
            if (!l->hold[j].soft) exclude(l, j, i);
        }
        if (!encoding_goes_on(l->e, &ticks)) return false;
    }
    return true;
}

/* ---- failed trylocks ---- */

/* f is after the acquire, and before the release if there is one that took effect. */
static literal during(lock_encoding *l, uint32_t f, uint32_t i) {
    encoding *e = l->e;
    const encoded_hold *a = &l->hold[i];
    literal begun = cnf_both(&e->cnf, e->used[a->acquire], before(&e->order, a->acquire, f));
    if (a->release == NEVER_RELEASED || begun == LIT_FALSE) return begun;
    literal over = before(&e->order, f, a->release);
    if (e->used[a->release] != LIT_TRUE && over != LIT_TRUE) {
        literal not_over = cnf_variable(&e->cnf);
        cnf_clause(&e->cnf, -not_over, over, -e->used[a->release]);
        over = not_over;
    }
    return cnf_both(&e->cnf, begun, over);
}

static void fail_during_some(lock_encoding *l, uint32_t f, const uint32_t *latest_release) {
    const overlap *o = &l->e->order;
    literal *some = MEM_ARRAY(literal, (size_t)l->holds + 1);
    uint32_t n = 0, last = 0;
    for (uint32_t high = l->holds; last < high;) { /* holds whose acquire was called before f returned */
        uint32_t middle = last + (high - last) / 2;
        if (o->call[l->hold[middle].acquire] < o->ret[f]) last = middle + 1;
        else high = middle;
    }
    for (uint32_t i = last; i-- > 0 && latest_release[i] > o->call[f];)
        if (release_return(l, i) > o->call[f]) some[n++] = during(l, f, i);
    cnf_begin(&l->e->cnf);
    cnf_owner(&l->e->cnf, f);
    for (uint32_t k = 0; k < n; k++) cnf_literal(&l->e->cnf, some[k]);
    cnf_end(&l->e->cnf);
    free(some);
}

static bool fail_all(lock_encoding *l) {
    uint32_t *latest_release = MEM_ARRAY(uint32_t, (size_t)l->holds + 1), latest = 0;
    unsigned ticks = 0;
    bool good = true;
    for (uint32_t i = 0; i < l->holds; i++) {
        if (release_return(l, i) > latest) latest = release_return(l, i);
        latest_release[i] = latest;
    }
    for (uint32_t k = 0; k < l->fails && good; k++) {
        fail_during_some(l, l->failed[k], latest_release);
        good = encoding_goes_on(l->e, &ticks);
    }
    free(latest_release);
    return good;
}

bool encode_lock(encoding *e) {
    lock_encoding l = {.e = e,
                       .hold = MEM_ARRAY(encoded_hold, (size_t)e->p->n + 1),
                       .of = MEM_ARRAY(uint32_t, (size_t)e->p->n + 1),
                       .failed = MEM_ARRAY(uint32_t, (size_t)e->p->n + 1)};
    bool good = gather(&l) && sweep(&l) && exclude_all(&l) && fail_all(&l);
    FREE_ALL(l.hold, l.of, l.failed);
    return good;
}
