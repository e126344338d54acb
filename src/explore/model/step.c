#include "explore/model/dependence.h"

#include <assert.h>
#include <stddef.h>

#define I INDEPENDENT
#define O ORDERED
#define R RACING
const uint8_t role_dependence[PLACE_ROLES][PLACE_ROLES] = {
    /* later:                unused read write acquire shared release release-shared */
    [PLACE_UNUSED] = {I, I, I, I, I, I, I},
    [PLACE_READ] = {I, I, R, R, R, R, R},
    [PLACE_WRITE] = {I, R, R, R, R, R, R},
    /* the release comes after an acquire of its own thread: ordered already */
    [PLACE_ACQUIRE] = {I, R, R, R, R, I, I},
    [PLACE_ACQUIRE_SHARED] = {I, R, R, R, I, I, I},
    [PLACE_RELEASE] = {I, R, R, O, O, I, I},
    [PLACE_RELEASE_SHARED] = {I, R, R, O, I, I, I},
    /* numbers of stores in a buffer meet nothing else */
    [PLACE_ISSUE] = {[PLACE_FLUSH] = O},
    [PLACE_FLUSH] = {[PLACE_ANSWERED] = R, [PLACE_DRAIN] = O},
    [PLACE_ANSWERED] = {[PLACE_FLUSH] = R},
};
#undef I
#undef O
#undef R

uintptr_t step_second_word(const step *s) {
    assert(s->size <= 16);
    bool both = s->kind == STEP_CAS && (s->at[1].role == PLACE_READ || s->at[1].role == PLACE_WRITE);
    return both ? s->at[1].address : s->size == 16 ? s->at[0].address + 8 : 0;
}

static bool role_is_effective(uint8_t role) { return role > PLACE_READ && role <= PLACE_RELEASE_SHARED; }

bool step_is_effective(const step *s) { return role_is_effective(s->at[0].role) || role_is_effective(s->at[1].role); }
