#include "evidence/replay.h"

#include <assert.h>

static state *add_state(replay *r) {
    if (r->n == r->room) {
        uint32_t room = r->room ? r->room * 2 : 2;
        r->now = MEM_GROW(r->now, state, room);
        memset(r->now + r->room, 0, (room - r->room) * sizeof *r->now);
        r->room = room;
    }
    assert(r->n < r->room);
    return &r->now[r->n++];
}

static void drop_if_known(replay *r) {
    for (uint32_t i = 0; i + 1 < r->n; i++)
        if (state_equal(&r->now[i], &r->now[r->n - 1])) {
            r->n--;
            return;
        }
}

void replay_init(replay *r, const object *o) {
    *r = (replay){.o = o};
    o->type->init(o, add_state(r));
}

void replay_copy(replay *to, const replay *from) {
    to->n = 0;
    for (uint32_t i = 0; i < from->n; i++) state_copy(add_state(to), &from->now[i]);
}

void replay_free(replay *r) {
    for (uint32_t i = 0; i < r->room; i++) state_free(&r->now[i]);
    free(r->now);
    *r = (replay){0};
}

/* All outcomes of op in one state. */
static bool successors(const replay *r, const state *from, const operation *op, replay *out) {
    step_result s = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; s == STEP_LEGAL_MORE; choice++) {
        value res;
        state *next = add_state(out);
        state_copy(next, from);
        s = r->o->type->step(r->o, next, op, choice, &res);
        if (s == STEP_ILLEGAL) out->n--;
        else drop_if_known(out);
        if (out->n > REPLAY_MAX_STATES) return false;
    }
    return true;
}

replay_answer replay_step(replay *r, const operation *op) {
    assert(r->n > 0 && r->n <= REPLAY_MAX_STATES);
    replay next = {.o = r->o};
    bool followed = true;
    for (uint32_t i = 0; i < r->n && followed; i++) followed = successors(r, &r->now[i], op, &next);
    if (!followed || next.n == 0) {
        replay_free(&next);
        return followed ? REPLAY_ILLEGAL : REPLAY_TOO_MANY;
    }
    replay_free(r);
    *r = next;
    return REPLAY_DONE;
}

bool replay_may_end(const replay *r) {
    for (uint32_t i = 0; i < r->n; i++)
        if (object_may_end(r->o, &r->now[i])) return true;
    return false;
}
