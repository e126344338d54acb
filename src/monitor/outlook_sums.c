/* Pending operations of objects whose state is a sum: which of them together make up a difference. */
#include "monitor/outlook_inside.h"

enum { MOST_SUMS = 4, MOST_TRIES = 400 };

typedef struct summing { /* pending operations that together add up to a difference */
    outlooks *all;
    const outlook *f;
    uint32_t way;
    uint32_t kind[MOST_SUMMANDS];
    uint32_t n, found, tries;
    bool more; /* there may be others than those that were found */
} summing;

static int64_t summand(outlooks *all, uint32_t kind) {
    value res;
    state_reserve(&all->state, 2);
    all->state.n = 2;
    state_put_int(&all->state, 0, 0);
    all->o->type->step(all->o, &all->state, &all->kinds.at[kind].view, 0, &res);
    return state_int(&all->state, 0);
}

static int64_t state_sum(const prospect *c) {
    assert(c->n == 2);
    return (int64_t)((uint64_t)c->state[0] | (uint64_t)c->state[1] << 32);
}

static void add_sum(summing *x, int64_t sum) {
    prospect c = prospects_at(&x->all->work, x->way);
    uint32_t *used = MEM_ARRAY(uint32_t, 2 * ((size_t)c.used_n + MOST_SUMMANDS) + 1), pairs = c.used_n;
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
        int64_t by = summand(x->all, k);
        if (!by) continue;
        x->kind[x->n++] = k;
        find_sums(x, k, left - by, sum);
        x->n--;
    }
}

/* One or two of them. */
static void find_short_sums(summing *x, int64_t left, int64_t sum) {
    const uint32_t kinds = x->all->kinds.n;
    x->more = true;
    for (uint32_t a = 0; a < kinds && x->found < MOST_SUMS; a++) {
        prospect c = prospects_at(&x->all->work, x->way);
        uint32_t used = prospect_used(&c, a), count = x->all->kinds.at[a].count;
        if (used >= count) continue;
        int64_t by = summand(x->all, a);
        x->kind[0] = a;
        x->n = 1;
        if (by == left) {
            x->found++;
            add_sum(x, sum);
            continue;
        }
        for (uint32_t b = a; b < kinds && x->found < MOST_SUMS; b++) {
            c = prospects_at(&x->all->work, x->way);
            if (prospect_used(&c, b) + (a == b) >= x->all->kinds.at[b].count || by + summand(x->all, b) != left)
                continue;
            x->kind[1] = b;
            x->n = 2;
            x->found++;
            add_sum(x, sum);
            x->n = 1;
        }
    }
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
    const bool few = outlooks_pending_left(all) <= MOST_SUMMANDS;
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
        if (few || x.found) continue;
        x.more = false;
        x.n = 0;
        find_sums(&x, 0, left, need);
    }
}

bool object_is_sum(const object *o) { return is_named(o, "counter") || is_named(o, "fetch-add"); }
