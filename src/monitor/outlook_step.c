/* The ways that lead on from those an outlook has: by open operations, and by pending ones where they matter. */
#include "monitor/outlook_inside.h"

enum { MOST_WANTED = 256, MOST_WORDS = 1 << 22, ENOUGH_WAYS = 1024, FEW_OTHERS = 64, MOST_TEXTS = 4 };

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
    step_result r = all->kinds.at[kind].count ? STEP_LEGAL_MORE : STEP_ILLEGAL;
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

/* ---- what operations look for ---- */

typedef struct wanting {
    value v[MOST_WANTED];
    int n;        /* LOOKS_FOR_ANY: any pending operation may matter */
    bool another; /* any value but the one that is there */
} wanting;

/* Is this value written again by an operation that is open, or may be by a pending one? */
static bool may_come_again(const outlooks *all, const outlook *f, uint64_t who, value v) {
    if (value_map_find(&all->kinds.by_value, v) != VALUE_MAP_ABSENT) return true;
    for (uint64_t rest = who & ~f->observers; rest; rest &= rest - 1) {
        const value brought = brought_value(all->o, &f->view[slot_lowest(rest)]);
        if (brought == v || brought == VALUE_UNKNOWN) return true;
    }
    return false;
}

/* One that looks for another value than the one that is there can wait for it until it returns, unless that value may
 * go and come again before. */
static bool add_wanted(const outlooks *all, const outlook *f, uint64_t who, unsigned s, unsigned returning,
                       wanting *w) {
    value *v = w->v + w->n;
    int more = wanted_values(all->o, &f->view[s], v, MOST_WANTED - 2 - w->n);
    if (more == LOOKS_FOR_ANOTHER) {
        w->another |= s == returning || may_come_again(all, f, who & ~slot_bit(s), v[0]);
        more = 0;
    }
    if (more == LOOKS_FOR_ANY || w->n + more > MOST_WANTED - 4) return false;
    w->n += more;
    return true;
}

/* What a pending operation looks for that brings about something wanted. */
static bool add_wanted_by_kind(const outlooks *all, const pending_kind *k, wanting *w) {
    value need[2];
    int more = k->count ? wanted_values(all->o, &k->view, need, 2) : 0;
    if (more == LOOKS_FOR_ANY) return false;
    for (int j = 0; j < more; j++) {
        int at = 0;
        while (at < w->n && w->v[at] != need[j]) at++;
        if (at < w->n) continue;
        if (w->n == MOST_WANTED) return false;
        w->v[w->n++] = need[j];
    }
    return true;
}

/* The values that operations which have yet to take effect look for, and those that pending ones bringing these about
 * look for. */
static void all_wanted(const outlooks *all, const outlook *f, uint64_t who, unsigned returning, wanting *w) {
    bool known = true;
    w->n = 0;
    w->another = false;
    for (uint64_t rest = who; rest && known; rest &= rest - 1)
        known = add_wanted(all, f, who, slot_lowest(rest), returning, w);
    for (int i = 0; i < w->n && known; i++)
        for (uint32_t k = value_map_find(&all->kinds.by_value, w->v[i]); k != NO_KIND; k = all->kinds.at[k].next)
            known = known && add_wanted_by_kind(all, &all->kinds.at[k], w);
    if (!known) w->n = LOOKS_FOR_ANY;
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

bool outlooks_many_pending(const outlooks *all) {
    uint64_t n = 0;
    for (uint32_t k = all->kinds.n; k-- > 0 && n <= MOST_SUMMANDS;) n += all->kinds.at[k].count;
    return n > MOST_SUMMANDS;
}

/* How many pending operations the way used. */
static uint64_t used_by(const prospects *w, uint32_t i) {
    uint64_t n = 0;
    if (prospects_dropped(w, i)) return 0;
    prospect c = prospects_at(w, i);
    for (uint32_t k = 0; k < c.used_n; k++) n += c.used[2 * k + 1];
    return n;
}

static bool is_wanted(const wanting *w, value v) {
    for (int i = 0; i < w->n; i++)
        if (w->v[i] == v) return true;
    return false;
}

/* Could it be used only to have another value there? */
static bool would_do(const outlooks *all, uint32_t i, uint32_t k, const wanting *w) {
    const pending_kind *kind = &all->kinds.at[k];
    if (!kind->count || !kind_overwrites(all->o, kind) || is_wanted(w, kind->brings)) return false;
    prospect c = prospects_at(&all->work, i);
    return prospect_used(&c, k) < kind->count && c.state[0] != kind->brings;
}

/* Another value is wanted, whichever. Of many, those of the writes that timed out first and which nothing looks for: of
 * two that nothing ever looks for, either will do. They are gone then, and if something looks for them later, another
 * one would have been better: not all ways are there any more. */
static void extend_by_another(outlooks *all, const outlook *f, uint32_t i, const wanting *w) {
    uint32_t found = 0, tried = 0;
    if (prospects_dropped(&all->work, i)) return;
    for (uint32_t k = 0; k < all->kinds.n && found <= FEW_OTHERS; k++) found += would_do(all, i, k, w);
    for (uint32_t k = 0; k < all->kinds.n && found > FEW_OTHERS && tried < 2; k++) {
        if (prospects_dropped(&all->work, i)) return;
        if (!would_do(all, i, k, w) || all->wanted_later(all->asked, all->kinds.at[k].brings)) continue;
        all->left_out = true;
        extend_by_kind(all, f, i, k);
        tried++;
    }
    for (uint32_t k = 0; k < all->kinds.n && !tried; k++)
        if (all->kinds.at[k].brings != VALUE_UNKNOWN) extend_by_kind(all, f, i, k);
}

static void extend_by_wanted(outlooks *all, const outlook *f, uint32_t i, const wanting *w) {
    if (w->n == LOOKS_FOR_ANY) {
        for (uint32_t k = 0; k < all->kinds.n; k++)
            if (all->kinds.at[k].brings != VALUE_UNKNOWN) extend_by_kind(all, f, i, k);
        return;
    }
    for (int v = 0; v < w->n; v++)
        for (uint32_t k = value_map_find(&all->kinds.by_value, w->v[v]); k != NO_KIND; k = all->kinds.at[k].next)
            extend_by_kind(all, f, i, k);
    if (w->another) extend_by_another(all, f, i, w);
}

/* ---- keys to which operations append ---- */

/* Behind a pending operation that writes or appends a text, all that the key holds up to the next write has that text
 * in it. While nothing that is known looks for such a text, it may as well not have happened, or come later. */
static bool is_in_text(outlooks *all, uint32_t kind) {
    pending_kind *k = &all->kinds.at[kind];
    if (k->asked != all->round) k->in_text = all->text_wanted(all->asked, &k->view);
    k->asked = all->round;
    return k->in_text;
}

static bool one_appends(const outlooks *all, const outlook *f, uint64_t who) {
    for (uint64_t rest = who & ~f->observers; rest; rest &= rest - 1)
        if (operation_appends(all->o, &f->view[slot_lowest(rest)])) return true;
    return false;
}

/* The kinds whose text is in one that is looked for: found once a round, and again when there are more kinds. */
static void find_texts(outlooks *all) {
    if (all->texts_of == all->round && all->texts_among == all->kinds.n) return;
    all->texts_of = all->round;
    all->texts_among = all->kinds.n;
    all->texts_n = 0;
    if (all->texts_room < all->kinds.n) all->texts = MEM_GROW(all->texts, uint32_t, all->texts_room = 2 * all->kinds.n);
    for (uint32_t k = 0; k < all->kinds.n; k++)
        if (is_in_text(all, k)) all->texts[all->texts_n++] = k;
}

/* Any append makes another value of what is there: one that no text shows, which may have been overwritten. */
static void extend_by_append(outlooks *all, const outlook *f, uint32_t i) {
    for (uint32_t k = 0; k < all->kinds.n && !prospects_dropped(&all->work, i); k++) {
        const pending_kind *kind = &all->kinds.at[k];
        const prospect c = prospects_at(&all->work, i);
        if (!operation_appends(all->o, &kind->view) || prospect_used(&c, k) >= kind->count) continue;
        if (is_in_text(all, k)) continue; /* tried already */
        extend_by_kind(all, f, i, k);
        return;
    }
}

static void extend_by_texts(outlooks *all, const outlook *f, uint32_t i, unsigned returning) {
    const bool enough = used_by(&all->work, i) >= all->used_least + MOST_TEXTS;
    all->left_out = true;
    find_texts(all);
    for (uint32_t t = 0; t < all->texts_n && !enough; t++)
        if (all->kinds.at[all->texts[t]].count) extend_by_kind(all, f, i, all->texts[t]);
    wanting w = {0};
    if (prospects_dropped(&all->work, i)) return;
    if (wanted_values(all->o, &f->view[returning], w.v, 2) != LOOKS_FOR_ANOTHER) return;
    extend_by_another(all, f, i, &w);
    if (!enough) extend_by_append(all, f, i);
}

static void extend_by_pending(outlooks *all, const outlook *f, uint32_t i, uint64_t who, unsigned returning) {
    if (!all->kinds.n) return;
    if (object_is_sum(all->o)) {
        outlook_extend_by_sums(all, f, i, who, returning);
        return;
    }
    const bool appends = is_named(all->o, "kv") && (all->kinds.any_n || one_appends(all, f, who));
    if (appends && outlooks_many_pending(all)) {
        extend_by_texts(all, f, i, returning);
        return;
    }
    for (uint32_t k = 0; k < all->kinds.any_n; k++) {
        uint32_t kind = all->kinds.any[k];
        if (!all->kinds.at[kind].count) continue;
        if (operation_only_takes(all->o, &all->kinds.at[kind].view)) extend_by_taker(all, f, i, kind, who);
        else extend_by_kind(all, f, i, kind);
    }
    if (!all->kinds.by_value.n) return;
    wanting w = {.n = LOOKS_FOR_ANY};
    if (!appends) all_wanted(all, f, who, returning, &w); /* what an append makes depends on all that was there */
    extend_by_wanted(all, f, i, &w);
}

static uint64_t extenders(const outlooks *all, const outlook *f, uint32_t i, unsigned returning) {
    const uint64_t done = prospects_at(&all->work, i).done;
    return all->some_are_apart ? outlook_may_come_before(all, f, done, returning) : f->open & ~done;
}

static void extend_by_open(outlooks *all, const outlook *f, uint32_t i, unsigned returning) {
    const uint64_t done = prospects_at(&all->work, i).done, who = extenders(all, f, i, returning);
    for (uint64_t rest = who & ~f->observers; rest; rest &= rest - 1) {
        unsigned s = slot_lowest(rest);
        if (f->ahead[s] & ~done || (s != returning && outlook_can_wait(all, f, f->open & ~done, s))) continue;
        extend_by(all, f, i, s);
    }
}

typedef struct closing {
    outlooks *all;
    outlook *f;
    unsigned s;     /* the operation that returns */
    uint32_t found; /* ways on which it has taken effect */
} closing;

/* What every way has used before this event does not count against what it may use at this one. */
static void count_used(outlooks *all, const outlook *f) {
    all->used_least = UINT64_MAX;
    for (uint32_t i = 0; i < f->now.n; i++) {
        const uint64_t used = used_by(&f->now, i);
        if (!prospects_dropped(&f->now, i) && used < all->used_least) all->used_least = used;
    }
}

/* From way `from` on: by open operations unless those before `extended` were by them already, and by pending ones. */
static outlook_end close_from(closing *x, uint32_t from, uint32_t extended, bool pending) {
    outlooks *all = x->all;
    for (uint32_t i = from; i < all->work.n; i++) {
        if (prospects_dropped(&all->work, i)) continue;
        if (prospects_at(&all->work, i).done & slot_bit(x->s)) {
            x->found++;
            continue;
        }
        if (all->left_out && x->found > ENOUGH_WAYS) continue; /* they are not all anyway */
        if (i >= extended) extend_by_open(all, x->f, i, x->s);
        if (pending && !prospects_dropped(&all->work, i))
            extend_by_pending(all, x->f, i, extenders(all, x->f, i, x->s), x->s);
        if (prospects_left(&all->work) > all->most || all->work.words > MOST_WORDS) return OUTLOOK_TOO_MANY;
    }
    return OUTLOOK_GOES_ON;
}

/* Sums of many pending operations make up almost any difference: a last resort, unless asked to be thorough. */
outlook_end outlook_close_under(outlooks *all, outlook *f, unsigned s) {
    closing x = {.all = all, .f = f, .s = s};
    const bool many = object_is_sum(all->o) && outlooks_many_pending(all);
    all->work.sparing = f->now.sparing = many;
    all->left_out |= many;
    count_used(all, f);
    prospects_clear(&all->work);
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!prospects_dropped(&f->now, i)) begin_with(all, f, i);
    if (!many || all->thorough) return close_from(&x, 0, 0, true);
    if (close_from(&x, 0, 0, false) == OUTLOOK_TOO_MANY) return OUTLOOK_TOO_MANY;
    return x.found ? OUTLOOK_GOES_ON : close_from(&x, 0, all->work.n, true);
}
