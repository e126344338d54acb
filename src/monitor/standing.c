#include "monitor/standing.h"

#include "base/mem.h"

#include <stdlib.h>

#ifdef PLUMB_SELF_CHECKS
void standing_check(const standing *s) {
    assert(s->now.n);
    for (uint64_t rest = s->open; rest; rest &= rest - 1) {
        const unsigned k = slot_lowest(rest);
        assert(s->slot[k]->mine == k && s->slot[k]->part == s->part);
    }
    for (uint32_t i = 0; i < s->now.n; i++) {
        const uint32_t *words = s->now.word + s->now.start[i];
        assert(s->now.start[i + 1] - s->now.start[i] >= 2);
        const uint64_t ended = words[0] | (uint64_t)words[1] << 32;
        assert(!(ended & ~s->open) && s->now.start[i + 1] - s->now.start[i] >= 2 + slots_in(ended));
    }
}
#else
void standing_check(const standing *s) { (void)s; }
#endif

void standing_init(standing *s, monitor_part *p) {
    s->part = p;
    s->o = part_object(p);
    ways_init(&s->now);
    ways_init(&s->work);
    ways_init(&s->next);
    state first = {0};
    s->o->type->init(s->o, &first);
    /* does not begin at the beginning: no evidence */
    if (!state_equal(&first, &p->rest)) s->returned = STANDING_RECENT;
    state_free(&first);
}

void standing_free(standing *s) {
    ways_free(&s->now);
    ways_free(&s->work);
    ways_free(&s->next);
    state_free(&s->state);
    free(s->draft);
}

uint32_t *standing_draft(standing *s, uint32_t words) {
    if (words > s->draft_room) {
        s->draft_room = 2 * words;
        s->draft = MEM_GROW(s->draft, uint32_t, s->draft_room);
    }
    return s->draft;
}

void standing_call(standing *s, open_operation *op) {
    if (~s->open == 0) {
        part_undecided(s->part, "more than %d operations are open at once", STANDING_SLOTS);
        return;
    }
    standing_check(s);
    op->mine = slot_lowest(~s->open);
    assert(op->mine < STANDING_SLOTS);
    s->slot[op->mine] = op;
    s->open |= slot_bit((unsigned)op->mine);
}

void standing_return(standing *s, const open_operation *op) {
    assert(s->next.n && s->open & slot_bit((unsigned)op->mine) && s->slot[op->mine] == op);
    ways_swap(&s->now, &s->next);
    s->open &= ~slot_bit((unsigned)op->mine);
    standing_check(s);
    if (s->returned < STANDING_RECENT) s->recent[s->returned] = op->op;
    s->returned++;
}

void standing_forget(standing *s, open_operation *op) {
    assert(s->open & slot_bit((unsigned)op->mine) && s->slot[op->mine] == op);
    s->open &= ~slot_bit((unsigned)op->mine);
    standing_check(s);
    open_operation_free(s->part, op);
}

bool standing_too_many(standing *s) {
    uint32_t most = part_options(s->part)->max_ways;
    if (s->work.n <= most) return false;
    part_undecided(s->part, "more than %u ways things can stand, with %u operations open at once", most,
                   slots_in(s->open));
    return true;
}

void standing_show(standing *s, const monitored *last) {
    if (s->returned >= STANDING_RECENT) return;
    for (uint32_t i = 0; i < s->returned; i++) part_pattern(s->part, &s->recent[i]);
    for (uint64_t rest = s->open; rest; rest &= rest - 1) part_pattern(s->part, &s->slot[slot_lowest(rest)]->op);
    if (last) part_pattern(s->part, last);
}

void standing_store(standing *s, store *to) {
    STORE(to, s->open);
    STORE(to, s->recent);
    STORE(to, s->returned);
    ways_store(to, &s->now);
    for (uint64_t rest = s->open; rest && !to->bad; rest &= rest - 1)
        store_open(to, s->part, &s->slot[slot_lowest(rest)]);
    if (!to->bad) standing_check(s);
}

size_t standing_memory(const standing *s) {
    return ways_memory(&s->now) + ways_memory(&s->work) + ways_memory(&s->next) + s->draft_room * sizeof *s->draft;
}
