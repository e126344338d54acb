/* Pending operations of objects whose state is a sum: which of them together make up a difference. */
#include "monitor/outlook_inside.h"

enum { MOST_SUMS = 4, MOST_TRIES = 400, MOST_AT_ONCE = 16, MOST_KINDS = 64 };

typedef struct summing { /* pending operations that together add up to a difference */
    outlooks *all;
    const outlook *f;
    uint32_t way;
    uint32_t kind[MOST_AT_ONCE];
    uint32_t n, found, tries;
    bool more; /* there may be others than those that were found */
} summing;

static int64_t state_sum(const prospect *c) {
    assert(c->n == 2);
    return (int64_t)((uint64_t)c->state[0] | (uint64_t)c->state[1] << 32);
}

static void add_sum(summing *x, int64_t sum) {
    prospect c = prospects_at(&x->all->work, x->way);
    uint32_t *used = MEM_ARRAY(uint32_t, 2 * ((size_t)c.used_n + MOST_AT_ONCE) + 1), pairs = c.used_n;
    if (pairs) memcpy(used, c.used, 2 * pairs * sizeof *used);
    for (uint32_t k = 0; k < x->n; k++) {
        uint32_t at = 0;
        while (at < pairs && used[2 * at] < x->kind[k]) at++;
        if (at == pairs || used[2 * at] != x->kind[k]) {
            memmove(used + 2 * at + 2, used + 2 * at, 2 * (pairs - at) * sizeof *used);
            used[2 * at] = x->kind[k];
            used[2 * at + 1] = 0;
            pairs++;
        }
        used[2 * at + 1]++;
    }
    prospect with = {.used = used, .used_n = pairs, .maybe = c.maybe};
    uint64_t done = c.done;
    state_put_int(&x->all->state, 0, sum);
    outlook_reach(x->all, x->f, &with, done, NO_KIND);
    free(used);
}

/* Kinds from the k-th on, each as often as there are some left. */
static void find_sums(summing *x, uint32_t k, int64_t left, int64_t sum) {
    if (left == 0) {
        x->found++;
        add_sum(x, sum);
        return;
    }
    for (; k < x->all->kinds.n && !x->more; k++) {
        prospect c = prospects_at(&x->all->work, x->way);
        uint32_t used = prospect_used(&c, k);
        for (uint32_t i = 0; i < x->n; i++) used += x->kind[i] == k;
        if (used >= x->all->kinds.at[k].count) continue;
        if (x->n == MOST_SUMMANDS || x->found == MOST_SUMS || ++x->tries > MOST_TRIES) {
            x->more = true;
            return;
        }
        int64_t by = x->all->kinds.at[k].adds;
        if (!by) continue;
        x->kind[x->n++] = k;
        find_sums(x, k, left - by, sum);
        x->n--;
    }
}

static uint32_t left_of(const summing *x, uint32_t kind) {
    prospect c = prospects_at(&x->all->work, x->way);
    const uint32_t used = prospect_used(&c, kind), count = x->all->kinds.at[kind].count;
    return used < count ? count - used : 0;
}

static void found_sum(summing *x, uint32_t n, int64_t sum) {
    x->n = n;
    x->found++;
    add_sum(x, sum);
}

static void find_single(summing *x, int64_t left, int64_t sum) {
    for (uint32_t a = 0; a < x->all->kinds.n && !x->found; a++) {
        if (x->all->kinds.at[a].adds != left || !left_of(x, a)) continue;
        x->kind[0] = a;
        found_sum(x, 1, sum);
    }
}

/* Of one sign, or of two: an increment and a decrement that make up a difference are both gone then. */
static void find_pairs(summing *x, int64_t left, int64_t sum, bool one_sign) {
    const pending_kind *kind = x->all->kinds.at;
    for (uint32_t a = 0; a < x->all->kinds.n && x->found < MOST_SUMS; a++) {
        const uint32_t of_a = left_of(x, a);
        if (!of_a || ((kind[a].adds < 0) == (left < 0)) != one_sign) continue;
        for (uint32_t b = one_sign ? a : 0; b < x->all->kinds.n && x->found < MOST_SUMS; b++) {
            if ((uint64_t)kind[a].adds + (uint64_t)kind[b].adds != (uint64_t)left) continue;
            if ((one_sign && (kind[b].adds < 0) != (left < 0)) || left_of(x, b) < 1u + (a == b)) continue;
            x->kind[0] = a;
            x->kind[1] = b;
            found_sum(x, 2, sum);
        }
    }
}

static uint64_t size_of(int64_t by) { return by < 0 ? 0 - (uint64_t)by : (uint64_t)by; }

typedef struct sized_kinds { /* kinds of one sign, the largest first */
    uint32_t at[MOST_KINDS];
    uint32_t n;
} sized_kinds;

static void sort_by_size(const summing *x, bool negative, sized_kinds *m) {
    const pending_kind *kind = x->all->kinds.at;
    m->n = 0;
    for (uint32_t k = 0; k < x->all->kinds.n && m->n < MOST_KINDS; k++) {
        if (!kind[k].adds || (kind[k].adds < 0) != negative || !left_of(x, k)) continue;
        uint32_t at = m->n++;
        for (; at && size_of(kind[m->at[at - 1]].adds) < size_of(kind[k].adds); at--) m->at[at] = m->at[at - 1];
        m->at[at] = k;
    }
}

/* So much of kinds from the k-th on, each as often as it goes, then less often. */
static bool make_up(summing *x, const sized_kinds *m, uint32_t k, uint64_t left, int64_t sum) {
    if (!left) {
        found_sum(x, x->n, sum);
        return true;
    }
    for (; k < m->n && x->n < MOST_AT_ONCE && ++x->tries <= MOST_TRIES; k++) {
        const uint64_t size = size_of(x->all->kinds.at[m->at[k]].adds);
        uint32_t had = 0;
        for (uint32_t i = 0; i < x->n; i++) had += x->kind[i] == m->at[k];
        if (size > left || had >= left_of(x, m->at[k])) continue;
        x->kind[x->n++] = m->at[k];
        if (make_up(x, m, k, left - size, sum)) return true;
        x->n--;
    }
    return false;
}

/* Any number of one sign, and one of the other if that does not do. */
static void find_long_sum(summing *x, int64_t left, int64_t sum) {
    sized_kinds m;
    sort_by_size(x, left < 0, &m);
    x->n = x->tries = 0;
    if (make_up(x, &m, 0, size_of(left), sum)) return;
    for (uint32_t k = 0; k < x->all->kinds.n && !x->found; k++) {
        const int64_t by = x->all->kinds.at[k].adds;
        if (!by || (by < 0) == (left < 0) || !left_of(x, k)) continue;
        x->kind[0] = k;
        x->n = 1;
        x->tries = 0;
        make_up(x, &m, 0, size_of(left) + size_of(by), sum);
    }
}

/* One or two of them; more, when those do not do. */
static void find_short_sums(summing *x, int64_t left, int64_t sum) {
    x->more = true;
    find_single(x, left, sum);
    find_pairs(x, left, sum, true);
    if (!x->found || x->all->thorough) find_pairs(x, left, sum, false);
    if (!x->found) find_long_sum(x, left, sum);
}

/* The sum that an operation with a result needs before it. */
static bool needed_sum(outlooks *all, operation op, int64_t *need) {
    if (value_kind_of(all->o->values, op.res) != KIND_INT) return false;
    *need = value_as_int(all->o->values, op.res);
    if (!is_named(all->o, "counter")) return true;
    value res; /* it says the new sum */
    op.res = VALUE_UNKNOWN;
    state_reserve(&all->state, 2);
    all->state.n = 2;
    state_put_int(&all->state, 0, 0);
    all->o->type->step(all->o, &all->state, &op, 0, &res);
    *need = (int64_t)((uint64_t)*need - (uint64_t)state_int(&all->state, 0));
    return true;
}

void outlook_extend_by_sums(outlooks *all, const outlook *f, uint32_t i, uint64_t who, unsigned returning) {
    const bool few = !outlooks_many_pending(all);
    int64_t need;
    for (uint64_t rest = few ? 0 : who & ~f->observers; rest; rest &= rest - 1) {
        prospect c = prospects_at(&all->work, i);
        if (needed_sum(all, f->view[slot_lowest(rest)], &need) && need == state_sum(&c)) {
            all->left_out = true;
            who = slot_bit(returning);
            break;
        }
    }
    for (uint64_t rest = who; rest && !prospects_dropped(&all->work, i); rest &= rest - 1) {
        if (!needed_sum(all, f->view[slot_lowest(rest)], &need)) continue;
        prospect c = prospects_at(&all->work, i);
        int64_t left = (int64_t)((uint64_t)need - (uint64_t)state_sum(&c));
        if (!left) continue;
        summing x = {.all = all, .f = f, .way = i};
        if (few) find_sums(&x, 0, left, need);
        else find_short_sums(&x, left, need);
        all->left_out |= x.more;
    }
}
