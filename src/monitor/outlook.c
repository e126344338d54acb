#include "monitor/outlook_inside.h"

/* ---- outlooks ---- */

void outlooks_init(outlooks *all, const object *o, uint32_t most) {
    *all = (outlooks){.o = o, .most = most, .some_are_apart = object_has_apart(o)};
    prospects_init(&all->work);
}

void outlooks_free(outlooks *all) {
    pending_kinds_free(&all->kinds);
    prospects_free(&all->work);
    state_free(&all->state);
    state_free(&all->kept);
    free(all->draft.word);
    free(all->counted);
    free(all->texts);
}

void outlooks_keep_count(outlooks *all) { all->counted_n = 0; }

void outlooks_uncount(outlooks *all, uint32_t n) {
    while (all->counted_n > n) all->kinds.at[all->counted[--all->counted_n]].count--;
}

void outlook_init(outlook *f) {
    f->open = f->observers = 0;
    f->incomplete = false;
    prospects_init(&f->now);
}

void outlook_free(outlook *f) { prospects_free(&f->now); }

void outlook_copy(outlook *to, const outlook *from) {
    to->open = from->open;
    to->observers = from->observers;
    to->incomplete = from->incomplete;
    for (uint64_t rest = from->open; rest; rest &= rest - 1) {
        unsigned s = slot_lowest(rest);
        to->view[s] = from->view[s];
        to->deadline[s] = from->deadline[s];
        to->ahead[s] = from->ahead[s];
    }
    prospects_copy(&to->now, &from->now);
}

void outlook_start(outlooks *all, outlook *f, const state *s) {
    prospect nothing = {0};
    f->open = f->observers = 0;
    f->incomplete = false;
    prospects_clear(&f->now);
    prospects_add_with(&all->draft, &f->now, &nothing, 0, NO_KIND, s->w, s->n);
}

bool outlook_is_sure(const outlook *f) { return prospects_sure(&f->now); }

/* What may be is taken to be. */
void outlook_assume(outlooks *all, outlook *f) {
    prospects_clear(&all->work);
    for (uint32_t i = 0; i < f->now.n; i++) {
        if (prospects_dropped(&f->now, i)) continue;
        prospect c = prospects_at(&f->now, i);
        c.maybe = false;
        prospects_add_with(&all->draft, &all->work, &c, c.done, NO_KIND, c.state, c.n);
    }
    prospects_copy(&f->now, &all->work);
}

bool outlook_is_at_rest(const outlook *f, state *s) {
    if (f->incomplete || f->open || prospects_left(&f->now) != 1) return false;
    uint32_t i = 0;
    while (prospects_dropped(&f->now, i)) i++;
    prospect c = prospects_at(&f->now, i);
    state_set(s, c.state, c.n);
    return !c.used_n;
}

/* ---- calls ---- */

static bool do_the_same(const object *o, const operation *a, const operation *b) {
    return a->method == b->method && a->res == b->res && a->nargs == b->nargs && a->key == b->key &&
           !memcmp(a->arg, b->arg, sizeof a->arg) && (!o->type->sees_clients || a->client == b->client);
}

/* Those that do the same go by their returns. */
static void line_up(const outlooks *all, outlook *f, unsigned s) {
    f->ahead[s] = 0;
    for (uint64_t rest = f->open & ~f->observers & ~slot_bit(s); rest; rest &= rest - 1) {
        unsigned other = slot_lowest(rest);
        if (!do_the_same(all->o, &f->view[s], &f->view[other])) continue;
        if (f->deadline[s] < f->deadline[other]) f->ahead[other] |= slot_bit(s);
        else f->ahead[s] |= slot_bit(other);
    }
}

static void count_pending(outlooks *all, const operation *view, bool goes_on) {
    uint32_t kind = pending_kinds_of(&all->kinds, all->o, view, goes_on);
    all->kinds.at[kind].count++;
    if (all->counted_n == all->counted_room) {
        all->counted_room = all->counted_room ? 2 * all->counted_room : 8;
        all->counted = MEM_GROW(all->counted, uint32_t, all->counted_room);
    }
    all->counted[all->counted_n++] = kind;
}

void outlooks_count(outlooks *all, const monitored *op) {
    operation view = monitored_view(op);
    view.res = VALUE_UNKNOWN;
    view.ret = RANK_NEVER;
    if (!object_negligible(all->o, &view)) count_pending(all, &view, op->goes_on);
}

outlook_end outlook_call(outlooks *all, outlook *f, foreseen_operation *op, bool known) {
    operation view = monitored_view(&op->op);
    op->slot = OUTLOOK_SLOTS;
    if (!known) {
        view.res = VALUE_UNKNOWN;
        view.ret = RANK_NEVER;
    }
    if (!known && object_negligible(all->o, &view)) return OUTLOOK_GOES_ON;
    if (!known) {
        count_pending(all, &view, op->op.goes_on);
        return OUTLOOK_GOES_ON;
    }
    if (~f->open == 0) return OUTLOOK_TOO_MANY;
    unsigned s = slot_lowest(~f->open);
    op->slot = (uint8_t)s;
    f->view[s] = view;
    f->deadline[s] = op->end;
    f->ahead[s] = 0;
    f->open |= slot_bit(s);
    if (object_changes_nothing(all->o, &view)) f->observers |= slot_bit(s);
    else line_up(all, f, s);
    return OUTLOOK_GOES_ON;
}

/* ---- returns ---- */

static bool all_have(const outlook *f, uint64_t slot) {
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!prospects_dropped(&f->now, i) && !(prospects_at(&f->now, i).done & slot)) return false;
    return true;
}

static bool one_has(const prospects *w, uint64_t slot) {
    for (uint32_t i = 0; i < w->n; i++)
        if (!prospects_dropped(w, i) && prospects_at(w, i).done & slot) return true;
    return false;
}

/* The ways in which it has taken effect, without its slot. */
static void take_out(outlooks *all, const prospects *from, prospects *to, unsigned s) {
    prospects_clear(to);
    for (uint32_t i = 0; i < from->n; i++) {
        if (prospects_dropped(from, i)) continue;
        prospect c = prospects_at(from, i);
        if (c.done & slot_bit(s)) prospects_add_with(&all->draft, to, &c, c.done & ~slot_bit(s), NO_KIND, c.state, c.n);
    }
}

static void free_slot(outlook *f, unsigned s) {
    f->open &= ~slot_bit(s);
    f->observers &= ~slot_bit(s);
    for (uint64_t rest = f->open; rest; rest &= rest - 1) f->ahead[slot_lowest(rest)] &= ~slot_bit(s);
}

outlook_end outlook_return(outlooks *all, outlook *f, const foreseen_operation *op) {
    unsigned s = op->slot;
    if (s == OUTLOOK_SLOTS) return OUTLOOK_GOES_ON;
    assert(f->open & slot_bit(s));
    if (all_have(f, slot_bit(s))) {
        prospects_copy(&all->work, &f->now);
    } else if (outlook_close_under(all, f, s) == OUTLOOK_TOO_MANY) {
        return OUTLOOK_TOO_MANY;
    }
    f->incomplete |= all->left_out;
    all->left_out = false;
    if (f->incomplete && !one_has(&all->work, slot_bit(s))) return OUTLOOK_TOO_MANY;
    take_out(all, &all->work, &f->now, s);
    if (!f->now.n) return OUTLOOK_NO_WAY;
    free_slot(f, s); /* op->slot stays: another outlook may be further back */
    return OUTLOOK_GOES_ON;
}

outlook_end outlook_maybe_before(outlooks *all, outlook *f, const foreseen_operation *op) {
    if (op->slot == OUTLOOK_SLOTS) return OUTLOOK_GOES_ON;
    const uint64_t bit = slot_bit(op->slot);
    bool observes = f->observers & bit; /* it had better be done with: it changes nothing */
    prospects_clear(&all->work);
    for (uint32_t i = 0; i < f->now.n; i++) {
        if (prospects_dropped(&f->now, i)) continue;
        prospect c = prospects_at(&f->now, i);
        prospects_add_with(&all->draft, &all->work, &c, c.done | bit, NO_KIND, c.state, c.n);
        if (!observes) prospects_add_with(&all->draft, &all->work, &c, c.done, NO_KIND, c.state, c.n);
    }
    prospects_copy(&f->now, &all->work);
    return prospects_left(&f->now) > all->most ? OUTLOOK_TOO_MANY : OUTLOOK_GOES_ON;
}

/* ---- forgetting ---- */

static uint32_t used_by_all(const outlook *f, uint32_t kind) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < f->now.n && least; i++) {
        if (prospects_dropped(&f->now, i)) continue;
        prospect c = prospects_at(&f->now, i);
        uint32_t used = prospect_used(&c, kind);
        if (used < least) least = used;
    }
    return least;
}

void outlook_forget_used(outlooks *all, outlook *f) {
    enum { FEW = 8 };
    bool some = false;
    uint32_t first = 0;
    while (prospects_dropped(&f->now, first)) first++;
    for (uint32_t k = 0; k < prospects_at(&f->now, first).used_n;) {
        prospect c = prospects_at(&f->now, first);
        uint32_t kind = c.used[2 * k], many = used_by_all(f, kind);
        if (!many) {
            k++;
            continue;
        }
        assert(many <= all->kinds.at[kind].count);
        all->kinds.at[kind].count -= many;
        if (f->incomplete) all->kinds.at[kind].spent += many;
        prospects_unuse(&all->draft, &f->now, &all->work, kind, many);
        first = 0;
        k = 0;
    }
    if (all->kinds.n < all->compact_at + FEW) return;
    for (uint32_t i = 0; i < f->now.n && !some; i++)
        some = !prospects_dropped(&f->now, i) && prospects_at(&f->now, i).used_n;
    if (some) return; /* they are named by their numbers */
    pending_kinds_compact(&all->kinds, all->o);
    all->compact_at = 2 * all->kinds.n;
}

/* ---- keeping ---- */

size_t outlook_memory(const outlook *f) { return prospects_memory(&f->now); }

size_t outlooks_memory(const outlooks *all) {
    return pending_kinds_memory(&all->kinds) + prospects_memory(&all->work) +
           all->draft.room * sizeof *all->draft.word + all->counted_room * sizeof *all->counted;
}

void outlook_store(outlook *f, store *s) {
    STORE(s, f->incomplete);
    STORE(s, f->open);
    STORE(s, f->observers);
    STORE(s, f->view);
    STORE(s, f->deadline);
    STORE(s, f->ahead);
    STORE(s, f->now.n);
    STORE(s, f->now.room);
    STORE(s, f->now.dropped);
    STORE(s, f->now.slots);
    STORE(s, f->now.words);
    STORE(s, f->now.word_room);
    if (s->loading) prospects_free(&f->now);
    STORE_ARRAY(s, f->now.word, f->now.words, f->now.word_room);
    STORE_ARRAY(s, f->now.start, f->now.n + 1u, f->now.room + 1u);
    STORE_ARRAY(s, f->now.slot, f->now.slots, f->now.slots);
}
