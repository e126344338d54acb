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
};
#undef I
#undef O
#undef R

dependence steps_dependent(const step *earlier, const step *later) {
    return places_dependent(earlier->at, earlier->kind, later->at, later->kind);
}

uintptr_t step_second_word(const step *s) {
    assert(s->size <= 16);
    bool both = s->kind == STEP_CAS && (s->at[1].role == PLACE_READ || s->at[1].role == PLACE_WRITE);
    return both ? s->at[1].address : s->size == 16 ? s->at[0].address + 8 : 0;
}

bool step_is_effective(const step *s) { return s->at[0].role > PLACE_READ || s->at[1].role > PLACE_READ; }

const char *step_kind_name(step_kind k) {
    static const char *const name[STEP_KINDS] = {
        [STEP_NOTHING] = "nothing",
        [STEP_READ] = "read",
        [STEP_WRITE] = "write",
        [STEP_UPDATE] = "update",
        [STEP_CAS] = "cas",
        [STEP_FREE] = "free",
        [STEP_LOCK] = "lock",
        [STEP_TRYLOCK] = "trylock",
        [STEP_UNLOCK] = "unlock",
        [STEP_RDLOCK] = "rdlock",
        [STEP_TRYRDLOCK] = "tryrdlock",
        [STEP_WAIT] = "wait",
        [STEP_WAKE] = "wake",
        [STEP_SIGNAL] = "signal",
        [STEP_BARRIER] = "barrier",
        [STEP_ACQUIRE] = "acquire",
        [STEP_TRYACQUIRE] = "tryacquire",
        [STEP_RELEASE] = "release",
        [STEP_JOIN] = "join",
        [STEP_YIELD] = "yield",
        [STEP_FENCE] = "fence",
        [STEP_FUTEX_WAIT] = "futex-wait",
        [STEP_FUTEX_WAKE] = "futex-wake",
        [STEP_ONCE] = "once",
    };
    assert((unsigned)k >= STEP_KINDS || name[k]);
    return (unsigned)k < STEP_KINDS ? name[k] : "?";
}
