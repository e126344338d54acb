#include "engine/linear/tape.h"

#include "base/mem.h"
#include "engine/value_index.h"

#include <assert.h>
#include <string.h>

void tape_init(operation_tape *t, uint32_t room) {
    *t = (operation_tape){.call = MEM_ARRAY(uint32_t, room),
                          .ret = MEM_ARRAY(uint32_t, room),
                          .position = MEM_ARRAY(uint32_t, room),
                          .v = MEM_ARRAY(value, room),
                          .slot = MEM_ARRAY(uint8_t, room)};
}

void tape_free(operation_tape *t) { FREE_ALL(t->call, t->ret, t->position, t->v, t->slot, t->row); }

void tape_add(operation_tape *t, uint32_t call, uint32_t ret, uint32_t position, value v) {
    assert(ret != RANK_NEVER && call < ret);
    assert(t->n == 0 || t->call[t->n - 1] < call);
    t->call[t->n] = call;
    t->ret[t->n] = ret;
    t->position[t->n] = position;
    t->v[t->n++] = v;
}

static int free_slot(const uint32_t *returns, uint32_t call) {
    for (int s = 0; s < TAPE_SLOTS; s++)
        if (returns[s] <= call) return s; /* ranks differ: equal only where none was there */
    return -1;
}

bool tape_close(operation_tape *t) {
    uint32_t returns[TAPE_SLOTS] = {0}, last[TAPE_SLOTS];
    memset(last, 0xff, sizeof last);
    t->row = MEM_ARRAY(uint32_t, (size_t)(t->n / TAPE_SLOTS + 1) * TAPE_SLOTS);
    for (uint32_t i = 0; i < t->n; i++) {
        int s = free_slot(returns, t->call[i]);
        if (s < 0) return false;
        if (i % TAPE_SLOTS == 0) memcpy(t->row + i, last, sizeof last);
        t->slot[i] = (uint8_t)s;
        returns[s] = t->ret[i];
        last[s] = i;
        if ((unsigned)s >= t->slots) t->slots = (unsigned)s + 1;
    }
    if (t->n % TAPE_SLOTS == 0) memcpy(t->row + t->n, last, sizeof last);
    return true;
}

/* The last operation before `next` in this slot. */
static uint32_t in_slot(const operation_tape *t, uint32_t next, unsigned slot) {
    uint32_t row = next / TAPE_SLOTS * TAPE_SLOTS;
    for (uint32_t i = next; i-- > row;)
        if (t->slot[i] == slot) return i;
    return t->row[row + slot];
}

static void add_choice(const operation_tape *t, tape_choices *c, uint32_t item) {
    assert(c->n < TAPE_SLOTS);
    c->item[c->n++] = item;
    if (t->ret[item] < c->first_return) c->first_return = t->ret[item];
}

void tape_choose(const operation_tape *t, tape_front f, tape_choices *c) {
    c->n = 0;
    c->first_return = RANK_NEVER;
    for (uint64_t left = f.open; left; left &= left - 1) {
        uint32_t item = in_slot(t, f.next, (unsigned)__builtin_ctzll(left));
        assert(item < f.next && t->ret[item] > t->call[f.next - 1]); /* open when the last one was called */
        add_choice(t, c, item);
    }
    for (uint32_t i = f.next; i < t->n && t->call[i] < c->first_return; i++) add_choice(t, c, i);
}

static bool beats(const operation_tape *t, uint32_t a, uint32_t b) {
    return t->v[a] == t->v[b] && t->call[a] < t->call[b] && t->ret[a] < t->ret[b];
}

void tape_keep_best(const operation_tape *t, tape_choices *c) {
    unsigned kept = 0;
    for (unsigned i = 0; i < c->n; i++) {
        bool beaten = false;
        for (unsigned j = 0; j < c->n && !beaten; j++) beaten = beats(t, c->item[j], c->item[i]);
        if (beaten) continue;
        /* what was moved to the front may be looked at again: an equal item beats nothing */
        uint32_t item = c->item[i];
        c->item[i] = c->item[kept];
        c->item[kept++] = item;
    }
    assert(kept > 0 || c->n == 0);
    c->n = kept;
}

tape_front tape_take(const operation_tape *t, tape_front f, uint32_t item) {
    uint64_t bit = 1ULL << t->slot[item];
    if (item < f.next) {
        assert(f.open & bit);
        f.open &= ~bit;
        return f;
    }
    for (; f.next < item; f.next++) {
        assert(!(f.open >> t->slot[f.next] & 1));
        f.open |= 1ULL << t->slot[f.next];
    }
    f.next++;
    return f;
}

uint32_t tape_last_call(const operation_tape *t, tape_front f) { return f.next ? t->call[f.next - 1] : 0; }

static uint32_t count_below(const uint32_t *item, uint32_t n, uint32_t bound) {
    uint32_t low = 0;
    while (low < n) {
        uint32_t middle = low + (n - low) / 2;
        if (item[middle] < bound) low = middle + 1;
        else n = middle;
    }
    return low;
}

uint32_t tape_count_done(const operation_tape *t, tape_front f, const uint32_t *item, uint32_t n) {
    uint32_t before = count_below(item, n, f.next), done = before;
    for (uint64_t left = f.open; left; left &= left - 1) {
        uint32_t open = in_slot(t, f.next, (unsigned)__builtin_ctzll(left)), at = count_below(item, before, open);
        done -= at < before && item[at] == open;
    }
    return done;
}
