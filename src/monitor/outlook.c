#include "monitor/outlook.h"

enum { HEAD = 3, MOST_WANTED = 256, MOST_WORDS = 1 << 22, ENOUGH_WAYS = 64 };
/* with the number of kinds: there is a better way; it may be none, since what it used is at least what it says */
#define DROPPED 0x80000000u
#define MAYBE 0x40000000u
enum { MOST_VARIANTS = 6 }; /* ways that differ only in what they used */

/* ---- one way ---- */

typedef struct prospect {
    uint64_t done;
    const uint32_t *used; /* pairs: kind, how many */
    uint32_t used_n;      /* pairs */
    const uint32_t *state;
    uint32_t n; /* words of the state */
    bool maybe;
} prospect;

static prospect read_way(const uint32_t *words, size_t n) {
    prospect c = {.done = words[0] | (uint64_t)words[1] << 32, .used = words + HEAD, .used_n = words[2] & ~MAYBE};
    c.maybe = words[2] & MAYBE;
    c.state = c.used + 2 * c.used_n;
    assert(!(words[2] & DROPPED) && HEAD + 2 * (size_t)c.used_n <= n);
    c.n = (uint32_t)(n - HEAD) - 2 * c.used_n;
    return c;
}

static bool is_dropped(const prospects *w, uint32_t i) { return w->word[w->start[i] + 2] & DROPPED; }

static prospect way_at(const prospects *w, uint32_t i) {
    return read_way(w->word + w->start[i], w->start[i + 1] - w->start[i]);
}

static uint64_t way_hash(const prospect *c) {
    return hash_pair(c->done, c->n == 1 ? *c->state : hash_words(c->state, c->n));
}

static bool same_but_for_used(const prospect *a, const prospect *b) {
    return a->done == b->done && a->n == b->n && (!a->n || !memcmp(a->state, b->state, a->n * sizeof *a->state));
}

static uint32_t used_of(const prospect *c, uint32_t kind) {
    for (uint32_t i = 0; i < c->used_n && c->used[2 * i] <= kind; i++)
        if (c->used[2 * i] == kind) return c->used[2 * i + 1];
    return 0;
}

/* a used no more of any kind than b. */
static bool used_no_more(const prospect *a, const prospect *b) {
    if (a->used_n > b->used_n) return false;
    for (uint32_t i = 0; i < a->used_n; i++)
        if (used_of(b, a->used[2 * i]) < a->used[2 * i + 1]) return false;
    return true;
}

/* ---- sets of ways ---- */

static void prospects_init(prospects *w) {
    *w = (prospects){.room = 8, .slots = 32};
    w->start = MEM_ARRAY(size_t, w->room + 1);
    w->start[0] = 0;
    w->slot = mem_zero(w->slots, sizeof *w->slot);
}

static void prospects_free(prospects *w) {
    free(w->word);
    free(w->start);
    free(w->slot);
}

static size_t prospects_memory(const prospects *w) {
    return w->word_room * sizeof *w->word + w->room * sizeof *w->start + w->slots * sizeof *w->slot;
}

static void prospects_clear(prospects *w) {
    enum { FEW = 64 };
    if (w->n == 1 && w->slots > FEW && !is_dropped(w, 0)) {
        prospect c = way_at(w, 0);
        w->slot[(uint32_t)way_hash(&c) & (w->slots - 1)] = 0;
    } else if (w->n) {
        memset(w->slot, 0, w->slots * sizeof *w->slot);
    }
    w->n = w->dropped = 0;
    w->words = 0;
}

static void prospects_rehash(prospects *w) {
    free(w->slot);
    w->slots *= 2;
    w->slot = mem_zero(w->slots, sizeof *w->slot);
    for (uint32_t i = 0; i < w->n; i++) {
        if (is_dropped(w, i)) continue;
        prospect c = way_at(w, i);
        uint32_t at = (uint32_t)way_hash(&c) & (w->slots - 1);
        while (w->slot[at]) at = (at + 1) & (w->slots - 1);
        w->slot[at] = i + 1;
    }
}

static void drop_way(prospects *w, uint32_t i) {
    w->word[w->start[i] + 2] |= DROPPED;
    w->dropped++;
}

/* a makes b needless: it is as sure, and used no more. */
static bool is_as_good(const prospect *a, const prospect *b) { return a->maybe <= b->maybe && used_no_more(a, b); }

/* What both used, at least: in place. */
static size_t common_use(const prospect *other, uint32_t *words, size_t n) {
    uint32_t pairs = 0, had = words[2] & ~MAYBE;
    for (uint32_t k = 0; k < had; k++) {
        uint32_t kind = words[HEAD + 2 * k], many = words[HEAD + 2 * k + 1], less = used_of(other, kind);
        if (!less) continue;
        words[HEAD + 2 * pairs] = kind;
        words[HEAD + 2 * pairs++ + 1] = less < many ? less : many;
    }
    memmove(words + HEAD + 2 * pairs, words + HEAD + 2 * had, (n - HEAD - 2 * had) * sizeof *words);
    words[2] = pairs | MAYBE;
    return n - 2 * (had - pairs);
}

/* Unless there is one that is as good. Those that it is better than are dropped. When there are many that differ only
 * in what they used, the others are put together to one that may be none: it used what they all did. */
static void prospects_add(prospects *w, uint32_t *words, size_t n) {
    prospect c = read_way(words, n);
    const uint32_t home = (uint32_t)way_hash(&c) & (w->slots - 1);
    uint32_t at = home, variants = 0, maybe = UINT32_MAX;
    for (; w->slot[at]; at = (at + 1) & (w->slots - 1)) {
        uint32_t i = w->slot[at] - 1;
        if (is_dropped(w, i)) continue;
        prospect other = way_at(w, i);
        if (!same_but_for_used(&other, &c)) continue;
        if (is_as_good(&other, &c)) return;
        if (is_as_good(&c, &other)) {
            drop_way(w, i);
            continue;
        }
        if (other.maybe) maybe = i;
        else variants++;
    }
    if (c.maybe || variants >= MOST_VARIANTS) {
        if (maybe != UINT32_MAX) {
            prospect other = way_at(w, maybe);
            if (used_no_more(&other, &c)) return; /* it is one of those put together already */
            n = common_use(&other, words, n);
            if (!is_dropped(w, maybe)) drop_way(w, maybe);
        } else {
            words[2] |= MAYBE;
        }
    }
    if (w->words + n > w->word_room) {
        w->word_room = 2 * (w->words + n);
        w->word = MEM_GROW(w->word, uint32_t, w->word_room);
    }
    if (w->n == w->room) {
        w->room *= 2;
        w->start = MEM_GROW(w->start, size_t, w->room + 1);
    }
    memcpy(w->word + w->words, words, n * sizeof *words);
    w->words += n;
    w->slot[at] = ++w->n;
    w->start[w->n] = w->words;
    if (2 * w->n > w->slots) prospects_rehash(w);
}

static void prospects_copy(prospects *to, const prospects *from) {
    prospects_clear(to);
    for (uint32_t i = 0; i < from->n; i++)
        if (!is_dropped(from, i)) prospects_add(to, from->word + from->start[i], from->start[i + 1] - from->start[i]);
}

static bool has_sure(const prospects *w) {
    for (uint32_t i = 0; i < w->n; i++)
        if (!is_dropped(w, i) && !way_at(w, i).maybe) return true;
    return false;
}

/* ---- drafts ---- */

static uint32_t *draft_room(outlooks *all, size_t words) {
    if (words > all->draft_room) all->draft = MEM_GROW(all->draft, uint32_t, all->draft_room = (uint32_t)(2 * words));
    return all->draft;
}

/* The way c with these operations done, one more of a kind used (NO_KIND: none), and the state as given. */
static void add_way(outlooks *all, prospects *to, const prospect *c, uint64_t done, uint32_t kind,
                    const uint32_t *words, uint32_t n) {
    uint32_t *p = draft_room(all, HEAD + 2 * (size_t)c->used_n + 2 + n), pairs = 0;
    bool entered = kind == NO_KIND;
    for (uint32_t i = 0; i < c->used_n; i++) {
        if (!entered && c->used[2 * i] > kind) {
            p[HEAD + 2 * pairs] = kind;
            p[HEAD + 2 * pairs++ + 1] = 1;
            entered = true;
        }
        p[HEAD + 2 * pairs] = c->used[2 * i];
        p[HEAD + 2 * pairs++ + 1] = c->used[2 * i + 1] + (!entered && c->used[2 * i] == kind);
        entered |= c->used[2 * i] == kind;
    }
    if (!entered) {
        p[HEAD + 2 * pairs] = kind;
        p[HEAD + 2 * pairs++ + 1] = 1;
    }
    p[0] = (uint32_t)done;
    p[1] = (uint32_t)(done >> 32);
    p[2] = pairs | (c->maybe ? MAYBE : 0);
    if (n) memcpy(p + HEAD + 2 * pairs, words, n * sizeof *p);
    prospects_add(to, p, HEAD + 2 * (size_t)pairs + n);
}

/* ---- outlooks ---- */

static bool can_be_apart(const object *o);

void outlooks_init(outlooks *all, const object *o, uint32_t most) {
    *all = (outlooks){.o = o, .most = most, .some_are_apart = can_be_apart(o)};
    prospects_init(&all->work);
}

void outlooks_free(outlooks *all) {
    pending_kinds_free(&all->kinds);
    prospects_free(&all->work);
    state_free(&all->state);
    state_free(&all->kept);
    free(all->draft);
    free(all->counted);
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
    add_way(all, &f->now, &nothing, 0, NO_KIND, s->w, s->n);
}

static uint32_t ways_left(const prospects *w) { return w->n - w->dropped; }

bool outlook_is_sure(const outlook *f) { return has_sure(&f->now); }

/* What may be is taken to be. */
void outlook_assume(outlooks *all, outlook *f) {
    prospects_clear(&all->work);
    for (uint32_t i = 0; i < f->now.n; i++) {
        if (is_dropped(&f->now, i)) continue;
        prospect c = way_at(&f->now, i);
        c.maybe = false;
        add_way(all, &all->work, &c, c.done, NO_KIND, c.state, c.n);
    }
    prospects_copy(&f->now, &all->work);
}

bool outlook_is_at_rest(const outlook *f, state *s) {
    if (f->open || ways_left(&f->now) != 1) return false;
    uint32_t i = 0;
    while (is_dropped(&f->now, i)) i++;
    prospect c = way_at(&f->now, i);
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

/* ---- which operations may have to come before another ---- */

static inline bool is_named(const object *o, const char *name) { /* asked often: mostly the first letter says no */
    return o->type->name[0] == name[0] && !strcmp(o->type->name, name);
}

static bool has_method(const object *o, const operation *op, const char *name) {
    return !strcmp(object_method(o, op)->name, name);
}

static bool only_reads_lock(const object *o, const operation *op) {
    return has_method(o, op, "rlock") || has_method(o, op, "runlock");
}

/* Multiset: the element it is about; VALUE_UNKNOWN: any, or all. */
static value element_of(const operation *op) {
    if (op->nargs) return op->arg[0];
    return op->res == VALUE_EMPTY ? VALUE_UNKNOWN : op->res;
}

/* Whatever the state, they can be exchanged, and neither makes the other possible. */
static bool are_apart(const object *o, const operation *a, const operation *b) {
    if (is_named(o, "counter")) return a->res == VALUE_NONE && b->res == VALUE_NONE; /* a get has a result */
    if (is_named(o, "max-register")) return has_method(o, a, "write") && has_method(o, b, "write");
    if (is_named(o, "rwlock")) return a->client != b->client && only_reads_lock(o, a) && only_reads_lock(o, b);
    if (is_named(o, "snapshot"))
        return has_method(o, a, "update") && has_method(o, b, "update") && a->arg[0] != b->arg[0];
    if (is_named(o, "multiset") && !o->parameter[0]) {
        value x = element_of(a), y = element_of(b);
        return x != VALUE_UNKNOWN && y != VALUE_UNKNOWN && x != y;
    }
    return false;
}

/* The operations that have not taken effect and are not apart from this one, or not from one of those, and so on. All
 * others may as well come later. */
static uint64_t that_may_come_before(const outlooks *all, const outlook *f, uint64_t done, unsigned s) {
    uint64_t out = f->open & ~done & ~slot_bit(s), in = slot_bit(s), todo = in;
    while (todo && out) {
        unsigned a = slot_lowest(todo);
        todo &= todo - 1;
        for (uint64_t rest = out; rest; rest &= rest - 1) {
            unsigned b = slot_lowest(rest);
            if (are_apart(all->o, &f->view[a], &f->view[b])) continue;
            in |= slot_bit(b);
            todo |= slot_bit(b);
            out &= ~slot_bit(b);
        }
    }
    return in;
}

static bool can_be_apart(const object *o) {
    static const char *const names[] = {"counter", "max-register", "rwlock", "snapshot", "multiset"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (is_named(o, names[i])) return true;
    return false;
}

/* ---- returns ---- */

static step_result try_step(outlooks *all, const prospect *c, const operation *op, uint32_t choice) {
    value res;
    state_set(&all->state, c->state, c->n);
    return all->o->type->step(all->o, &all->state, op, choice, &res);
}

/* `from`: a way among all->work or another set, by number, since words move when something is added. */
static void reach(outlooks *all, const outlook *f, const prospect *c, uint64_t done, uint32_t kind) {
    /* the state is all->state; observers that fit it take effect at once */
    uint64_t waiting = f->observers & ~done;
    if (!waiting) {
        add_way(all, &all->work, c, done, kind, all->state.w, all->state.n);
        return;
    }
    state_copy(&all->kept, &all->state);
    for (; waiting; waiting &= waiting - 1) {
        value res;
        state_copy(&all->state, &all->kept);
        if (all->o->type->step(all->o, &all->state, &f->view[slot_lowest(waiting)], 0, &res) != STEP_ILLEGAL)
            done |= waiting & -waiting;
    }
    add_way(all, &all->work, c, done, kind, all->kept.w, all->kept.n);
}

/* Way i as it is, with the observers that fit. */
static void begin_with(outlooks *all, const outlook *f, uint32_t i) {
    prospect c = way_at(&f->now, i);
    state_set(&all->state, c.state, c.n);
    reach(all, f, &c, c.done, NO_KIND);
}

/* The words of a way move when one is added: read it anew for each step. */
static void extend_by(outlooks *all, const outlook *f, uint32_t i, unsigned s) {
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !is_dropped(&all->work, i); choice++) {
        prospect c = way_at(&all->work, i);
        r = try_step(all, &c, &f->view[s], choice);
        if (r != STEP_ILLEGAL) reach(all, f, &c, c.done | slot_bit(s), NO_KIND);
    }
}

static void extend_by_kind(outlooks *all, const outlook *f, uint32_t i, uint32_t kind) {
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !is_dropped(&all->work, i); choice++) {
        prospect c = way_at(&all->work, i);
        const pending_kind *k = &all->kinds.at[kind];
        if (used_of(&c, kind) >= k->count) return;
        r = try_step(all, &c, &k->view, choice);
        if (r == STEP_ILLEGAL) return;
        bool changed = all->state.n != c.n || (c.n && memcmp(all->state.w, c.state, c.n * sizeof *c.state));
        if (changed) reach(all, f, &c, c.done, kind);
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

/* A pending lock, acquire or remove makes room for no other operation: it matters only to one that failed, or found
 * nothing, and to what its own client does later, if that goes on. */
static bool only_takes(const object *o, const operation *op) {
    if (is_named(o, "lock") || is_named(o, "rwlock")) return !strstr(object_method(o, op)->name, "unlock");
    if (is_named(o, "semaphore")) return !o->parameter[1] && !has_method(o, op, "release");
    return is_named(o, "multiset") && !o->parameter[0] && object_method(o, op)->role & ROLE_REMOVES;
}

static bool found_nothing(const operation *op) { return op->res == VALUE_FALSE || op->res == VALUE_EMPTY; }

/* Of a remove of anything, only what it takes matters that another operation did not find. When one found nothing at
 * all, in which order things go does not matter. */
static void extend_by_token(outlooks *all, const outlook *f, uint32_t i, uint32_t kind, const operation *seeker) {
    if (is_dropped(&all->work, i)) return;
    prospect c = way_at(&all->work, i);
    if (used_of(&c, kind) >= all->kinds.at[kind].count) return;
    operation token = all->kinds.at[kind].view;
    if (seeker->nargs) token.res = seeker->arg[0];
    if (try_step(all, &c, &token, 0) != STEP_ILLEGAL) reach(all, f, &c, c.done, kind);
}

static void extend_by_taker(outlooks *all, const outlook *f, uint32_t i, uint32_t kind, uint64_t who) {
    bool token = is_named(all->o, "multiset") && !all->kinds.at[kind].view.nargs;
    for (uint64_t rest = who; rest; rest &= rest - 1) {
        const operation *seeker = &f->view[slot_lowest(rest)];
        if (!found_nothing(seeker) && seeker->client != all->kinds.at[kind].view.client) continue;
        if (token) {
            extend_by_token(all, f, i, kind, seeker);
            continue;
        }
        extend_by_kind(all, f, i, kind);
        return;
    }
}

/* ---- pending operations of objects whose state is a sum ---- */

enum { MOST_SUMMANDS = 5, MOST_SUMS = 4, MOST_TRIES = 400 };

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
    prospect c = way_at(&x->all->work, x->way);
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
    reach(x->all, x->f, &with, done, NO_KIND);
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
        prospect c = way_at(&x->all->work, x->way);
        uint32_t used = used_of(&c, k);
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
        prospect c = way_at(&x->all->work, x->way);
        uint32_t used = used_of(&c, a), count = x->all->kinds.at[a].count;
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
            c = way_at(&x->all->work, x->way);
            if (used_of(&c, b) + (a == b) >= x->all->kinds.at[b].count || by + summand(x->all, b) != left) continue;
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

static uint64_t pending_left(const outlooks *all) {
    uint64_t n = 0;
    for (uint32_t k = 0; k < all->kinds.n; k++) n += all->kinds.at[k].count;
    return n;
}

/* Few pending operations: whatever they add up to. Many: where something else leads on, only for the operation that
 * returns, and one or two at once if that does; ways are left out then. */
static void extend_by_sums(outlooks *all, const outlook *f, uint32_t i, uint64_t who, unsigned returning) {
    const bool few = pending_left(all) <= MOST_SUMMANDS;
    int64_t need;
    for (uint64_t rest = few ? 0 : who & ~f->observers; rest; rest &= rest - 1) {
        prospect c = way_at(&all->work, i);
        if (needed_sum(all, f->view[slot_lowest(rest)], &need) && need == state_sum(&c)) {
            all->left_out = true;
            who = slot_bit(returning);
            break;
        }
    }
    for (uint64_t rest = who; rest && !is_dropped(&all->work, i); rest &= rest - 1) {
        if (!needed_sum(all, f->view[slot_lowest(rest)], &need)) continue;
        prospect c = way_at(&all->work, i);
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

static bool is_sum(const object *o) { return is_named(o, "counter") || is_named(o, "fetch-add"); }

/* How many pending operations the way used. */
static uint64_t used_by(const prospects *w, uint32_t i) {
    uint64_t n = 0;
    if (is_dropped(w, i)) return 0;
    prospect c = way_at(w, i);
    for (uint32_t k = 0; k < c.used_n; k++) n += c.used[2 * k + 1];
    return n;
}

/* Of many pending operations on a key to which some append, at most two are followed at a time: each makes another
 * value of all that were there. Ways are left out then. */
static void extend_by_pending(outlooks *all, const outlook *f, uint32_t i, uint64_t who, unsigned returning) {
    value v[MOST_WANTED];
    if (!all->kinds.n) return;
    if (is_sum(all->o)) {
        extend_by_sums(all, f, i, who, returning);
        return;
    }
    const bool appends = all->kinds.any_n && all->o->type->keyed;
    const bool enough = appends && used_by(&all->work, i) >= 2 && pending_left(all) > MOST_SUMMANDS;
    all->left_out |= enough;
    for (uint32_t k = 0; k < all->kinds.any_n && !enough; k++) {
        uint32_t kind = all->kinds.any[k];
        if (only_takes(all->o, &all->kinds.at[kind].view)) extend_by_taker(all, f, i, kind, who);
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

/* ---- open operations that can wait ---- */

static bool one_found_nothing(const outlook *f, uint64_t who) {
    for (uint64_t rest = who; rest; rest &= rest - 1)
        if (found_nothing(&f->view[slot_lowest(rest)])) return true;
    return false;
}

static bool is_int(const object *o, value v) { return v != VALUE_UNKNOWN && value_kind_of(o->values, v) == KIND_INT; }

/* Max-register: no read that has yet to take effect returns what it writes. */
static bool is_not_read(const object *o, const outlook *f, uint64_t who, const operation *write) {
    if (!is_int(o, write->arg[0])) return false;
    for (uint64_t rest = who & f->observers; rest; rest &= rest - 1) {
        const value read = f->view[slot_lowest(rest)].res;
        if (read == write->arg[0] || (read != VALUE_NONE && !is_int(o, read))) return false;
    }
    return true;
}

/* At equal stamps a client's own operations overlap: then its unlock may make room for another lock, before its lock
 * has returned. */
static bool client_does_more(const outlooks *all, const outlook *f, uint64_t undone, unsigned s) {
    const uint32_t client = f->view[s].client;
    if (!all->o->type->sees_clients) return false;
    for (uint64_t rest = undone & ~slot_bit(s); rest; rest &= rest - 1)
        if (f->view[slot_lowest(rest)].client == client) return true;
    for (uint32_t k = 0; k < all->kinds.any_n; k++)
        if (all->kinds.at[all->kinds.any[k]].view.client == client) return true;
    return false;
}

/* It may as well take effect at the moment of its own return: until then it is of use to no operation that is open, and
 * later it hinders none more than now. What is called later and has a use for it finds it still open. */
static bool can_wait(const outlooks *all, const outlook *f, uint64_t undone, unsigned s) {
    const object *o = all->o;
    const operation *op = &f->view[s];
    if (only_takes(o, op)) return !one_found_nothing(f, undone) && !client_does_more(all, f, undone, s);
    return is_named(o, "max-register") && has_method(o, op, "write") && is_not_read(o, f, undone, op);
}

static void extend(outlooks *all, const outlook *f, uint32_t i, unsigned returning) {
    uint64_t done = way_at(&all->work, i).done;
    uint64_t who = all->some_are_apart ? that_may_come_before(all, f, done, returning) : f->open & ~done;
    for (uint64_t rest = who & ~f->observers; rest; rest &= rest - 1) {
        unsigned s = slot_lowest(rest);
        if (f->ahead[s] & ~done || (s != returning && can_wait(all, f, f->open & ~done, s))) continue;
        extend_by(all, f, i, s);
    }
    if (!is_dropped(&all->work, i)) extend_by_pending(all, f, i, who, returning);
}

static bool all_have(const outlook *f, uint64_t slot) {
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!is_dropped(&f->now, i) && !(way_at(&f->now, i).done & slot)) return false;
    return true;
}

static outlook_end close_under(outlooks *all, outlook *f, unsigned s) {
    prospects_clear(&all->work);
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!is_dropped(&f->now, i)) begin_with(all, f, i);
    uint32_t found = 0;
    for (uint32_t i = 0; i < all->work.n; i++) {
        if (is_dropped(&all->work, i)) continue;
        if (way_at(&all->work, i).done & slot_bit(s)) {
            found++;
            continue;
        }
        if (all->left_out && found > ENOUGH_WAYS) continue; /* they are not all anyway */
        extend(all, f, i, s);
        if (ways_left(&all->work) > all->most || all->work.words > MOST_WORDS) return OUTLOOK_TOO_MANY;
    }
    return OUTLOOK_GOES_ON;
}

static bool one_has(const prospects *w, uint64_t slot) {
    for (uint32_t i = 0; i < w->n; i++)
        if (!is_dropped(w, i) && way_at(w, i).done & slot) return true;
    return false;
}

/* The ways in which it has taken effect, without its slot. */
static void take_out(outlooks *all, const prospects *from, prospects *to, unsigned s) {
    prospects_clear(to);
    for (uint32_t i = 0; i < from->n; i++) {
        if (is_dropped(from, i)) continue;
        prospect c = way_at(from, i);
        if (c.done & slot_bit(s)) add_way(all, to, &c, c.done & ~slot_bit(s), NO_KIND, c.state, c.n);
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
    } else if (close_under(all, f, s) == OUTLOOK_TOO_MANY) {
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
        if (is_dropped(&f->now, i)) continue;
        prospect c = way_at(&f->now, i);
        add_way(all, &all->work, &c, c.done | bit, NO_KIND, c.state, c.n);
        if (!observes) add_way(all, &all->work, &c, c.done, NO_KIND, c.state, c.n);
    }
    prospects_copy(&f->now, &all->work);
    return ways_left(&f->now) > all->most ? OUTLOOK_TOO_MANY : OUTLOOK_GOES_ON;
}

/* ---- forgetting ---- */

static uint32_t used_by_all(const outlook *f, uint32_t kind) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < f->now.n && least; i++) {
        if (is_dropped(&f->now, i)) continue;
        prospect c = way_at(&f->now, i);
        uint32_t used = used_of(&c, kind);
        if (used < least) least = used;
    }
    return least;
}

static void unuse(outlooks *all, outlook *f, uint32_t kind, uint32_t many) {
    prospects_clear(&all->work);
    for (uint32_t i = 0; i < f->now.n; i++) {
        if (is_dropped(&f->now, i)) continue;
        size_t n = f->now.start[i + 1] - f->now.start[i];
        const uint32_t *from = f->now.word + f->now.start[i];
        uint32_t *p = draft_room(all, n), pairs = 0;
        const uint32_t had = from[2] & ~MAYBE;
        for (uint32_t k = 0; k < had; k++) {
            uint32_t left = from[HEAD + 2 * k + 1] - (from[HEAD + 2 * k] == kind ? many : 0);
            if (!left) continue;
            p[HEAD + 2 * pairs] = from[HEAD + 2 * k];
            p[HEAD + 2 * pairs++ + 1] = left;
        }
        uint32_t words = (uint32_t)n - HEAD - 2 * had;
        memcpy(p + HEAD + 2 * pairs, from + HEAD + 2 * had, words * sizeof *p);
        p[0] = from[0];
        p[1] = from[1];
        p[2] = pairs | (from[2] & MAYBE);
        prospects_add(&all->work, p, HEAD + 2 * (size_t)pairs + words);
    }
    prospects_copy(&f->now, &all->work);
}

void outlook_forget_used(outlooks *all, outlook *f) {
    enum { FEW = 64 };
    bool some = false;
    uint32_t first = 0;
    while (is_dropped(&f->now, first)) first++;
    for (uint32_t k = 0; k < way_at(&f->now, first).used_n;) {
        prospect c = way_at(&f->now, first);
        uint32_t kind = c.used[2 * k], many = used_by_all(f, kind);
        if (!many) {
            k++;
            continue;
        }
        assert(many <= all->kinds.at[kind].count);
        all->kinds.at[kind].count -= many;
        unuse(all, f, kind, many);
        first = 0;
        k = 0;
    }
    if (all->kinds.n < all->compact_at + FEW) return;
    for (uint32_t i = 0; i < f->now.n && !some; i++) some = !is_dropped(&f->now, i) && way_at(&f->now, i).used_n;
    if (some) return; /* they are named by their numbers */
    pending_kinds_compact(&all->kinds, all->o);
    all->compact_at = 2 * all->kinds.n;
}

/* ---- keeping ---- */

size_t outlook_memory(const outlook *f) { return prospects_memory(&f->now); }

size_t outlooks_memory(const outlooks *all) {
    return pending_kinds_memory(&all->kinds) + prospects_memory(&all->work) + all->draft_room * sizeof *all->draft +
           all->counted_room * sizeof *all->counted;
}

void outlook_store(outlook *f, store *s) {
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
