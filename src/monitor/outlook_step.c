/* The ways that lead on from those an outlook has: by open operations, and by pending ones where they matter. */
#include "monitor/outlook_inside.h"

enum { MOST_WANTED = 256, MOST_WORDS = 1 << 22, ENOUGH_WAYS = 64 };

static step_result try_step(outlooks *all, const prospect *c, const operation *op, uint32_t choice) {
    value res;
    state_set(&all->state, c->state, c->n);
    return all->o->type->step(all->o, &all->state, op, choice, &res);
}

void outlook_reach(outlooks *all, const outlook *f, const prospect *c, uint64_t done, uint32_t kind) {
    uint64_t waiting = f->observers & ~done;
    if (!waiting) {
        prospects_add_with(&all->draft, &all->work, c, done, kind, all->state.w, all->state.n);
        return;
    }
    state_copy(&all->kept, &all->state);
    for (; waiting; waiting &= waiting - 1) {
        value res;
        state_copy(&all->state, &all->kept);
        if (all->o->type->step(all->o, &all->state, &f->view[slot_lowest(waiting)], 0, &res) != STEP_ILLEGAL)
            done |= waiting & -waiting;
    }
    prospects_add_with(&all->draft, &all->work, c, done, kind, all->kept.w, all->kept.n);
}

/* Way i as it is, with the observers that fit. */
static void begin_with(outlooks *all, const outlook *f, uint32_t i) {
    prospect c = prospects_at(&f->now, i);
    state_set(&all->state, c.state, c.n);
    outlook_reach(all, f, &c, c.done, NO_KIND);
}

/* The words of a way move when one is added: read it anew for each step. */
static void extend_by(outlooks *all, const outlook *f, uint32_t i, unsigned s) {
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !prospects_dropped(&all->work, i); choice++) {
        prospect c = prospects_at(&all->work, i);
        r = try_step(all, &c, &f->view[s], choice);
        if (r != STEP_ILLEGAL) outlook_reach(all, f, &c, c.done | slot_bit(s), NO_KIND);
    }
}

static void extend_by_kind(outlooks *all, const outlook *f, uint32_t i, uint32_t kind) {
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !prospects_dropped(&all->work, i); choice++) {
        prospect c = prospects_at(&all->work, i);
        const pending_kind *k = &all->kinds.at[kind];
        if (prospect_used(&c, kind) >= k->count) return;
        r = try_step(all, &c, &k->view, choice);
        if (r == STEP_ILLEGAL) return;
        bool changed = all->state.n != c.n || (c.n && memcmp(all->state.w, c.state, c.n * sizeof *c.state));
        if (changed) outlook_reach(all, f, &c, c.done, kind);
    }
}

/* The values that operations which have yet to take effect look for, and those that pending ones bringing these about
 * look for. LOOKS_FOR_ANY: any pending operation may matter. */
static int all_wanted(const outlooks *all, const outlook *f, uint64_t who, value *v) {
    int n = 0;
    for (uint64_t rest = who; rest; rest &= rest - 1) {
        int more = wanted_values(all->o, &f->view[slot_lowest(rest)], v + n, MOST_WANTED - 2 - n);
        if (more == LOOKS_FOR_ANY || n + more > MOST_WANTED - 4) return LOOKS_FOR_ANY;
        n += more;
    }
    for (int i = 0; i < n; i++)
        for (uint32_t k = value_map_find(&all->kinds.by_value, v[i]); k != NO_KIND; k = all->kinds.at[k].next) {
            value need[2];
            int more = all->kinds.at[k].count ? wanted_values(all->o, &all->kinds.at[k].view, need, 2) : 0;
            if (more == LOOKS_FOR_ANY) return LOOKS_FOR_ANY;
            for (int j = 0; j < more; j++) {
                int at = 0;
                while (at < n && v[at] != need[j]) at++;
                if (at < n) continue;
                if (n == MOST_WANTED) return LOOKS_FOR_ANY;
                v[n++] = need[j];
            }
        }
    return n;
}

/* ---- pending operations that take something away ---- */

/* Of a remove of anything, only what it takes matters that another operation did not find. When one found nothing at
 * all, in which order things go does not matter. */
static void extend_by_token(outlooks *all, const outlook *f, uint32_t i, uint32_t kind, const operation *seeker) {
    if (prospects_dropped(&all->work, i)) return;
    prospect c = prospects_at(&all->work, i);
    if (prospect_used(&c, kind) >= all->kinds.at[kind].count) return;
    operation token = all->kinds.at[kind].view;
    if (seeker->nargs) token.res = seeker->arg[0];
    if (try_step(all, &c, &token, 0) != STEP_ILLEGAL) outlook_reach(all, f, &c, c.done, kind);
}

static void extend_by_taker(outlooks *all, const outlook *f, uint32_t i, uint32_t kind, uint64_t who) {
    bool token = is_named(all->o, "multiset") && !all->kinds.at[kind].view.nargs;
    for (uint64_t rest = who; rest; rest &= rest - 1) {
        const operation *seeker = &f->view[slot_lowest(rest)];
        if (!operation_found_nothing(seeker) && seeker->client != all->kinds.at[kind].view.client) continue;
        if (token) {
            extend_by_token(all, f, i, kind, seeker);
            continue;
        }
        extend_by_kind(all, f, i, kind);
        return;
    }
}

/* ---- pending operations ---- */

uint64_t outlooks_pending_left(const outlooks *all) {
    uint64_t n = 0;
    for (uint32_t k = 0; k < all->kinds.n; k++) n += all->kinds.at[k].count;
    return n;
}

/* How many pending operations the way used. */
static uint64_t used_by(const prospects *w, uint32_t i) {
    uint64_t n = 0;
    if (prospects_dropped(w, i)) return 0;
    prospect c = prospects_at(w, i);
    for (uint32_t k = 0; k < c.used_n; k++) n += c.used[2 * k + 1];
    return n;
}

/* Of many pending operations on a key to which some append, at most two are followed at a time: each makes another
 * value of all that were there. Ways are left out then. */
static void extend_by_pending(outlooks *all, const outlook *f, uint32_t i, uint64_t who, unsigned returning) {
    value v[MOST_WANTED];
    if (!all->kinds.n) return;
    if (object_is_sum(all->o)) {
        outlook_extend_by_sums(all, f, i, who, returning);
        return;
    }
    const bool appends = all->kinds.any_n && all->o->type->keyed;
    const bool enough = appends && used_by(&all->work, i) >= 2 && outlooks_pending_left(all) > MOST_SUMMANDS;
    all->left_out |= enough;
    for (uint32_t k = 0; k < all->kinds.any_n && !enough; k++) {
        uint32_t kind = all->kinds.any[k];
        if (operation_only_takes(all->o, &all->kinds.at[kind].view)) extend_by_taker(all, f, i, kind, who);
        else extend_by_kind(all, f, i, kind);
    }
    if (!all->kinds.by_value.n) return;
    /* what an append makes depends on all that was there */
    int n = appends && !enough ? LOOKS_FOR_ANY : all_wanted(all, f, who, v);
    if (n == LOOKS_FOR_ANY) {
        for (uint32_t k = 0; k < all->kinds.n; k++)
            if (all->kinds.at[k].brings != VALUE_UNKNOWN) extend_by_kind(all, f, i, k);
        return;
    }
    for (int w = 0; w < n; w++)
        for (uint32_t k = value_map_find(&all->kinds.by_value, v[w]); k != NO_KIND; k = all->kinds.at[k].next)
            extend_by_kind(all, f, i, k);
}

static void extend(outlooks *all, const outlook *f, uint32_t i, unsigned returning) {
    uint64_t done = prospects_at(&all->work, i).done;
    uint64_t who = all->some_are_apart ? outlook_may_come_before(all, f, done, returning) : f->open & ~done;
    for (uint64_t rest = who & ~f->observers; rest; rest &= rest - 1) {
        unsigned s = slot_lowest(rest);
        if (f->ahead[s] & ~done || (s != returning && outlook_can_wait(all, f, f->open & ~done, s))) continue;
        extend_by(all, f, i, s);
    }
    if (!prospects_dropped(&all->work, i)) extend_by_pending(all, f, i, who, returning);
}

outlook_end outlook_close_under(outlooks *all, outlook *f, unsigned s) {
    prospects_clear(&all->work);
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!prospects_dropped(&f->now, i)) begin_with(all, f, i);
    uint32_t found = 0;
    for (uint32_t i = 0; i < all->work.n; i++) {
        if (prospects_dropped(&all->work, i)) continue;
        if (prospects_at(&all->work, i).done & slot_bit(s)) {
            found++;
            continue;
        }
        if (all->left_out && found > ENOUGH_WAYS) continue; /* they are not all anyway */
        extend(all, f, i, s);
        if (prospects_left(&all->work) > all->most || all->work.words > MOST_WORDS) return OUTLOOK_TOO_MANY;
    }
    return OUTLOOK_GOES_ON;
}
