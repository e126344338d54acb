/* Registers and the get and put of a key (docs/ALGORITHMS.md, register): exact after every event while no value is
 * written again before it is dead; time logarithmic in the writes since the oldest open operation.
 *
 * A cluster is a write with the reads that returned its value; f is its first return, s its last call. The history is a
 * violation iff a read returns what was not written yet, or two clusters have f < s' and f' < s. Only returns change f
 * and s; a first return is later than every call, so that a violation comes with a later return that raises s: of the
 * other clusters that had returned by then, is there one with s' > f?
 *
 * Clusters are numbered by f. Those with f before the oldest open call are folded into the two largest s; a folded
 * cluster that another one's s has passed is dead: every read of it that is still to return is a violation. */
#include "monitor/store.h"
#include "object/initial.h"
#include "object/register.h"

#define NOWHERE UINT64_MAX
enum { GRAVES = 256, KEY_GRAVES = 4 }; /* of a register, of one key of many */

typedef struct monitored_cluster {
    value v;
    bool called; /* has a write: all but the initial value's */
    bool folded;
    uint64_t place;               /* in the order of f; NOWHERE: nothing has returned */
    moment f, s;                  /* on the part's clock */
    monitored write, first, last; /* the write, the operation that set f, and the one that set s */
} monitored_cluster;

typedef struct peak { /* a folded cluster with a large s */
    moment s;
    uint64_t place;
    monitored_cluster who;
} peak;

typedef struct register_clusters {
    monitor_part *part;
    value_map where; /* value -> cluster */
    monitored_cluster *cluster;
    uint32_t clusters, room, unused_n;
    uint32_t *unused;
    open_operations open;
    uint64_t places, base; /* places given so far; those before base are folded */
    uint32_t *at;          /* cluster by place, from base on: a ring */
    moment *tree;          /* largest s: leaves tree[ring + i] */
    uint64_t ring;
    peak top[2];      /* of different clusters */
    uint32_t *folded; /* folded clusters that are alive */
    uint32_t folded_n, folded_room;
    monitored_cluster *grave; /* those that died last: for evidence */
    uint64_t graves;
    uint32_t graveyard;
} register_clusters;

/* ---- what holds after each event ---- */

#ifdef PLUMB_SELF_CHECKS
/* Places are in the order of first returns; each node of the tree has the largest s below it. */
static void check_places(const register_clusters *r) {
    assert(r->base <= r->places && r->places - r->base <= r->ring + (r->ring == 0));
    for (uint64_t p = r->base; p < r->places; p++) {
        const monitored_cluster *c = &r->cluster[r->at[p & (r->ring - 1)]];
        assert(c->place == p && !c->folded && r->tree[r->ring + (p & (r->ring - 1))] == c->s);
        assert(p == r->base || r->cluster[r->at[(p - 1) & (r->ring - 1)]].f < c->f);
    }
    for (uint64_t i = 1; i < r->ring; i++)
        assert(r->tree[i] == (r->tree[2 * i] > r->tree[2 * i + 1] ? r->tree[2 * i] : r->tree[2 * i + 1]));
}

static void check_clusters(const register_clusters *r) {
    check_places(r);
    assert(r->where.n == r->clusters - r->unused_n && r->folded_n <= r->where.n);
    for (uint32_t i = 0; i < r->folded_n; i++) {
        const monitored_cluster *c = &r->cluster[r->folded[i]];
        assert(c->folded && c->place < r->base && value_map_find(&r->where, c->v) == r->folded[i]);
        assert(c->s <= r->top[0].s && (c->place == r->top[0].place || c->s <= r->top[1].s));
    }
    assert(r->top[0].s >= r->top[1].s && (r->top[0].place != r->top[1].place || r->top[0].place == NOWHERE));
    for (const open_operation *op = r->open.first; op; op = op->after)
        assert(op->tick <= r->part->tick && (!op->before || op->before->tick < op->tick));
}
#else
static void check_clusters(const register_clusters *r) { (void)r; }
#endif

/* ---- clusters ---- */

static uint32_t new_cluster(register_clusters *r) {
    if (r->unused_n) return r->unused[--r->unused_n];
    if (r->clusters == r->room) {
        r->room = r->room ? 2 * r->room : 8;
        r->cluster = MEM_GROW(r->cluster, monitored_cluster, r->room);
        r->unused = MEM_GROW(r->unused, uint32_t, r->room);
    }
    return r->clusters++;
}

static void bury(register_clusters *r, uint32_t c) {
    if (!r->grave) r->grave = MEM_ARRAY(monitored_cluster, r->graveyard);
    assert(r->cluster[c].folded && value_map_find(&r->where, r->cluster[c].v) == c && r->unused_n < r->clusters);
    r->grave[r->graves++ % r->graveyard] = r->cluster[c];
    value_map_remove(&r->where, r->cluster[c].v);
    r->unused[r->unused_n++] = c;
}

/* ---- the largest s by place ---- */

static void set_s(register_clusters *r, uint64_t place, moment s) {
    uint64_t i = r->ring + (place & (r->ring - 1));
    for (r->tree[i] = s; i > 1; i /= 2) {
        moment larger = r->tree[i] > r->tree[i ^ 1] ? r->tree[i] : r->tree[i ^ 1];
        if (r->tree[i / 2] == larger) break;
        r->tree[i / 2] = larger;
    }
}

static void grow_ring(register_clusters *r) {
    uint64_t ring = r->ring ? 2 * r->ring : 8;
    uint32_t *at = MEM_ARRAY(uint32_t, ring);
    moment *tree = mem_zero(2 * ring, sizeof *tree);
    for (uint64_t p = r->base; p < r->places; p++) {
        uint32_t c = r->at[p & (r->ring - 1)];
        at[p & (ring - 1)] = c;
        tree[ring + (p & (ring - 1))] = r->cluster[c].s;
    }
    for (uint64_t i = ring - 1; i; i--) tree[i] = tree[2 * i] > tree[2 * i + 1] ? tree[2 * i] : tree[2 * i + 1];
    free(r->at);
    free(r->tree);
    r->at = at;
    r->tree = tree;
    r->ring = ring;
}

static void give_place(register_clusters *r, uint32_t c) {
    assert(r->cluster[c].place == NOWHERE && r->cluster[c].f != MOMENT_NEVER);
    if (r->places - r->base == r->ring) grow_ring(r);
    r->cluster[c].place = r->places;
    r->at[r->places & (r->ring - 1)] = c;
    set_s(r, r->places++, r->cluster[c].s);
}

/* A cluster among places from..to-1 whose s is above f; NONE when there is none. The ring is split where it wraps. */
static uint32_t above_in_leaves(const register_clusters *r, uint64_t low, uint64_t high, moment f) {
    for (uint64_t l = low + r->ring, h = high + r->ring; l < h; l /= 2, h /= 2) {
        uint64_t hit = 0;
        if (l & 1 && r->tree[l++] > f) hit = l - 1;
        else if (h & 1 && r->tree[--h] > f) hit = h;
        if (!hit) continue;
        while (hit < r->ring) hit = r->tree[2 * hit] > f ? 2 * hit : 2 * hit + 1;
        assert(r->tree[hit] > f && r->cluster[r->at[hit - r->ring]].s == r->tree[hit]);
        return r->at[hit - r->ring];
    }
    return VALUE_MAP_ABSENT;
}

static uint32_t above(const register_clusters *r, uint64_t from, uint64_t to, moment f) {
    if (from < r->base) from = r->base;
    if (from >= to) return VALUE_MAP_ABSENT;
    uint64_t low = from & (r->ring - 1), high = low + (to - from);
    assert(to <= r->places && to - from <= r->ring);
    if (high <= r->ring) return above_in_leaves(r, low, high, f);
    uint32_t c = above_in_leaves(r, low, r->ring, f);
    return c != VALUE_MAP_ABSENT ? c : above_in_leaves(r, 0, high - r->ring, f);
}

/* ---- folding ---- */

static void raise_peak(register_clusters *r, const monitored_cluster *c) {
    if (r->top[0].place == c->place) {
        r->top[0] = (peak){c->s, c->place, *c};
    } else if (c->s > r->top[0].s) {
        r->top[1] = r->top[0];
        r->top[0] = (peak){c->s, c->place, *c};
    } else if (c->s > r->top[1].s) {
        r->top[1] = (peak){c->s, c->place, *c};
    }
    assert(r->top[0].s >= r->top[1].s && c->s <= r->top[0].s);
}

static const peak *peak_of_others(const register_clusters *r, const monitored_cluster *c) {
    return &r->top[r->top[0].place == c->place];
}

static void fold(register_clusters *r, uint32_t c) {
    assert(!r->cluster[c].folded && r->cluster[c].place != NOWHERE);
    r->cluster[c].folded = true;
    if (r->folded_n == r->folded_room) {
        r->folded_room = r->folded_room ? 2 * r->folded_room : 8;
        r->folded = MEM_GROW(r->folded, uint32_t, r->folded_room);
    }
    r->folded[r->folded_n++] = c;
    raise_peak(r, &r->cluster[c]);
}

static void settle(register_clusters *r) {
    moment oldest = r->open.first ? r->open.first->tick : r->part->tick + 1;
    for (; r->base < r->places && r->cluster[r->at[r->base & (r->ring - 1)]].f < oldest; r->base++) {
        uint32_t c = r->at[r->base & (r->ring - 1)];
        set_s(r, r->base, 0);
        fold(r, c);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->folded_n; i++) {
        uint32_t c = r->folded[i];
        if (peak_of_others(r, &r->cluster[c])->s > r->cluster[c].f) bury(r, c);
        else r->folded[kept++] = c;
    }
    r->folded_n = kept;
    check_clusters(r);
}

/* ---- evidence ---- */

static void show(register_clusters *r, const monitored_cluster *c) {
    if (c->called) part_pattern(r->part, &c->write);
    if (c->f && c->first.number != c->write.number) part_pattern(r->part, &c->first);
    if (c->s && c->last.number != c->write.number) part_pattern(r->part, &c->last);
}

static void say_stale(register_clusters *r, const monitored_cluster *x, const monitored_cluster *y,
                      const monitored *read) {
    part_violation(r->part, "a value is read after another value had taken its place");
    show(r, x);
    show(r, y);
    part_pattern(r->part, read);
}

/* The value has no cluster: it was never written, or it is dead. */
static void say_unknown(register_clusters *r, const monitored *read) {
    for (uint64_t i = r->graves; i-- > 0 && r->graves - i <= r->graveyard;) {
        const monitored_cluster *x = &r->grave[i % r->graveyard];
        if (x->v != read->res) continue;
        say_stale(r, x, &peak_of_others(r, x)->who, read);
        return;
    }
    part_violation(r->part, "a value is read that was never written, or whose place another value has taken long ago");
    part_pattern(r->part, read);
}

/* ---- events ---- */

/* The result of a get that found nothing may be written as the empty string. */
static value read_value(const register_clusters *r, value res) {
    const object *o = part_object(r->part);
    if (!o->type->keyed || value_map_find(&r->where, res) != VALUE_MAP_ABSENT ||
        value_kind_of(o->values, res) != KIND_BYTES)
        return res;
    size_t n;
    value_as_bytes(o->values, res, &n);
    return n ? res : VALUE_NONE;
}

static bool writes(const register_clusters *r, const monitored *op) {
    return !(part_object(r->part)->type->methods[op->method].role & ROLE_OBSERVES);
}

static void call_register(void *self, open_operation *op) {
    register_clusters *r = self;
    if (!writes(r, &op->op)) {
        op->mine = r->places; /* clusters that had returned before: those in earlier places */
        open_operations_add(&r->open, op);
        return;
    }
    if (value_map_find(&r->where, op->op.arg[0]) != VALUE_MAP_ABSENT) {
        part_hand_over(r->part, "a value is written again while it may be read");
        return;
    }
    open_operations_add(&r->open, op);
    uint32_t c = new_cluster(r);
    r->cluster[c] = (monitored_cluster){.v = op->op.arg[0],
                                        .called = true,
                                        .place = NOWHERE,
                                        .f = MOMENT_NEVER,
                                        .s = op->tick,
                                        .write = op->op,
                                        .last = op->op};
    value_map_add(&r->where, op->op.arg[0], c);
    op->mine = c;
}

static void first_return(register_clusters *r, uint32_t c, const monitored *op) {
    assert(r->cluster[c].f == MOMENT_NEVER && r->cluster[c].s <= r->part->tick);
    r->cluster[c].f = r->part->tick;
    r->cluster[c].first = *op;
    give_place(r, c);
}

static bool check(register_clusters *r, const monitored_cluster *x, const open_operation *op) {
    const peak *p = peak_of_others(r, x);
    assert(p->place != x->place && op->mine <= r->places);
    if (p->s > x->f) {
        say_stale(r, x, &p->who, &op->op);
        return false;
    }
    uint64_t own = x->folded ? 0 : x->place;
    uint32_t y = above(r, r->base, own < op->mine ? own : op->mine, x->f);
    if (y == VALUE_MAP_ABSENT) y = above(r, x->folded ? r->base : own + 1, op->mine, x->f);
    if (y == VALUE_MAP_ABSENT) return true;
    say_stale(r, x, &r->cluster[y], &op->op);
    return false;
}

/* False: a violation, after which the peaks are not kept up. */
static bool read_returns(register_clusters *r, open_operation *op) {
    uint32_t c = value_map_find(&r->where, read_value(r, op->op.res));
    if (c == VALUE_MAP_ABSENT) {
        say_unknown(r, &op->op);
        return false;
    }
    monitored_cluster *x = &r->cluster[c];
    bool first = x->place == NOWHERE;
    assert(first == (x->f == MOMENT_NEVER));
    if (op->tick > x->s) {
        x->s = op->tick;
        x->last = op->op;
        if (!first && !check(r, x, op)) return false;
        if (!first && x->folded) raise_peak(r, x);
        else if (!first) set_s(r, x->place, x->s);
    }
    if (first) first_return(r, c, &op->op);
    return true;
}

static void return_register(void *self, open_operation *op) {
    register_clusters *r = self;
    open_operations_remove(&r->open, op);
    if (writes(r, &op->op)) {
        uint32_t c = (uint32_t)op->mine;
        if (c != VALUE_MAP_ABSENT) { /* its cluster is alive: an open write holds the horizon */
            assert(r->cluster[c].write.number == op->op.number && value_map_find(&r->where, op->op.arg[0]) == c);
            r->cluster[c].write = op->op;
            if (r->cluster[c].last.number == op->op.number) r->cluster[c].last = op->op;
            if (r->cluster[c].place == NOWHERE) first_return(r, c, &op->op);
        }
    } else if (!read_returns(r, op)) return;
    settle(r);
}

/* A write that was not read may as well not have happened; one that was read happened, whatever becomes of it. */
static void pend_register(void *self, open_operation *op) {
    register_clusters *r = self;
    open_operations_remove(&r->open, op);
    open_operation_free(r->part, op);
    settle(r);
}

static void drop_register(void *self, open_operation *op) {
    register_clusters *r = self;
    open_operations_remove(&r->open, op);
    if (writes(r, &op->op)) {
        uint32_t c = (uint32_t)op->mine;
        if (r->cluster[c].place == NOWHERE) {
            value_map_remove(&r->where, r->cluster[c].v);
            r->unused[r->unused_n++] = c;
        } else {
            part_violation(r->part, "a value was read whose write did not happen");
            part_pattern(r->part, &r->cluster[c].first);
        }
    }
    settle(r);
}

/* ---- making ---- */

static void *create(monitor_part *p) {
    register_clusters *r = MEM_NEW(register_clusters);
    const object *o = part_object(p);
    r->part = p;
    r->graveyard = p->key == VALUE_NONE ? GRAVES : KEY_GRAVES;
    r->top[0].place = r->top[1].place = NOWHERE;
    uint32_t c = new_cluster(r);
    r->cluster[c] = (monitored_cluster){.v = object_initial(o, p->key), .place = r->places++};
    r->base = r->places;
    value_map_add(&r->where, r->cluster[c].v, c);
    fold(r, c);
    return r;
}

static void destroy(void *self) {
    register_clusters *r = self;
    free(r->where.slot);
    free(r->cluster);
    free(r->unused);
    free(r->at);
    free(r->tree);
    free(r->folded);
    free(r->grave);
    free(r);
}

/* With nothing open, the last value is one whose f no other s has passed: those alive. Unread pending writes are alive
 * too. */
static bool rest(void *self, state *s) {
    register_clusters *r = self;
    if (r->where.n != 1 || r->folded_n != 1) return false;
    state_set(s, &r->cluster[r->folded[0]].v, 1);
    return true;
}

static void store_register(void *self, store *s) {
    register_clusters *r = self;
    monitor_part *p = r->part;
    register_clusters before = *r;
    STORE(s, *r);
    r->part = p;
    if (s->loading) {
        free(before.where.slot);
        free(before.cluster);
        free(before.unused);
        free(before.folded);
        r->where = (value_map){0};
    }
    store_map(s, &r->where);
    STORE_ARRAY(s, r->cluster, r->clusters, r->room);
    STORE_ARRAY(s, r->unused, r->unused_n, r->room);
    STORE_ARRAY(s, r->at, r->ring, r->ring);
    STORE_ARRAY(s, r->tree, 2 * r->ring, 2 * r->ring);
    STORE_ARRAY(s, r->folded, r->folded_n, r->folded_room);
    uint32_t graves = r->grave ? r->graveyard : 0;
    STORE(s, graves);
    STORE_ARRAY(s, r->grave, graves, graves);
    store_open_operations(s, p, &r->open);
    if (!s->bad) check_clusters(r);
}

static uint64_t live(const void *self) {
    const register_clusters *r = self;
    return r->where.n + r->open.n;
}

static size_t memory(const void *self) {
    const register_clusters *r = self;
    return sizeof *r + value_map_memory(&r->where) + r->room * (sizeof *r->cluster + sizeof *r->unused) +
           r->ring * (sizeof *r->at + 2 * sizeof *r->tree) + r->folded_room * sizeof *r->folded +
           (r->grave ? r->graveyard * sizeof *r->grave : 0);
}

/* write and read, put and get: what else a key-value store can do depends on what was there. */
static bool knows(const object *o, const monitored *op) {
    return !o->type->keyed || (o->type->methods[op->method].role & ROLE_OBSERVES) ||
           !strcmp(o->type->methods[op->method].name, "put");
}

MONITOR_RECORD(monitor_register, "register",
               "registers, get and put: exact after every event while values are told apart",
               .objects = "register swmr-register kv", .hands_over = true, .knows = knows, .create = create,
               .destroy = destroy, .call = call_register, .ret = return_register, .pend = pend_register,
               .drop = drop_register, .rest = rest, .store = store_register, .live = live, .memory = memory);
