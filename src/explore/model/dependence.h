/* When two steps of different threads do not commute: by the roles they play at a place both touch.
 *
 * Release then acquire is ORDERED: the acquire was not possible before. That is not so of semaphores, which may have
 * been available all along: there every pair of acquire and release races. Nor of steps that only try: they could have
 * failed. */
#ifndef PLUMB_EXPLORE_MODEL_DEPENDENCE_H
#define PLUMB_EXPLORE_MODEL_DEPENDENCE_H

#include "explore/model/step.h"

#include <assert.h>

enum { PLACE_ROLES = PLACE_DRAIN + 1 };
extern const uint8_t role_dependence[PLACE_ROLES][PLACE_ROLES]; /* [earlier][later] */

static inline bool places_overlap(const place *a, const place *b) {
    return a->address < b->address + b->size + !b->size && b->address < a->address + a->size + !a->size;
}

static inline bool kind_is_semaphore(uint8_t kind) {
    return kind == STEP_ACQUIRE || kind == STEP_TRYACQUIRE || kind == STEP_RELEASE;
}

static inline bool kind_tries(uint8_t kind) {
    return kind == STEP_TRYLOCK || kind == STEP_TRYRDLOCK || kind == STEP_TRYACQUIRE;
}

static inline dependence place_dependence(const place *earlier, const place *later) {
    assert(earlier->role < PLACE_ROLES && later->role < PLACE_ROLES);
    assert(!role_dependence[earlier->role][later->role] == !role_dependence[later->role][earlier->role] ||
           earlier->role >= PLACE_ACQUIRE); /* only acquire and release tell which came first */
    return places_overlap(earlier, later) ? (dependence)role_dependence[earlier->role][later->role] : INDEPENDENT;
}

static inline bool is_release_and_acquire(const place *a, const place *b) {
    return places_overlap(a, b) && ((a->role == PLACE_RELEASE && b->role == PLACE_ACQUIRE) ||
                                    (a->role == PLACE_ACQUIRE && b->role == PLACE_RELEASE));
}

/* Of the places and kinds alone. */
static inline dependence places_dependent(const place earlier[2], uint8_t earlier_kind, const place later[2],
                                          uint8_t later_kind) {
    dependence d = place_dependence(&earlier[0], &later[0]);
    if (earlier[1].role | later[1].role)
        for (unsigned i = 1; i < 4; i++) {
            dependence other = place_dependence(&earlier[i >> 1], &later[i & 1]);
            if (other > d) d = other;
        }
    if (d == ORDERED && kind_tries(later_kind)) d = RACING;
    if (kind_is_semaphore(earlier_kind) && is_release_and_acquire(&earlier[0], &later[0])) d = RACING;
    assert(earlier[0].role != PLACE_WRITE || !later[0].role || !places_overlap(&earlier[0], &later[0]) || d == RACING);
    assert(later[0].role != PLACE_WRITE || !earlier[0].role || !places_overlap(&earlier[0], &later[0]) || d == RACING);
    assert(earlier[0].role > PLACE_READ || later[0].role > PLACE_READ || earlier[1].role || later[1].role ||
           d == INDEPENDENT); /* reads commute */
    return d;
}

#endif
