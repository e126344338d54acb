/* Which open operations have to be tried before another, and which can wait. */
#include "monitor/outlook_inside.h"

static bool has_method(const object *o, const operation *op, const char *name) {
    return !strcmp(object_method(o, op)->name, name);
}

static bool only_reads_lock(const object *o, const operation *op) {
    return has_method(o, op, "rlock") || has_method(o, op, "runlock");
}

/* Multiset: the element it is about; VALUE_UNKNOWN: any, or all. */
static value multiset_element(const operation *op) {
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
        value x = multiset_element(a), y = multiset_element(b);
        return x != VALUE_UNKNOWN && y != VALUE_UNKNOWN && x != y;
    }
    return false;
}

uint64_t outlook_may_come_before(const outlooks *all, const outlook *f, uint64_t done, unsigned s) {
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

bool object_has_apart(const object *o) {
    static const char *const names[] = {"counter", "max-register", "rwlock", "snapshot", "multiset"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (is_named(o, names[i])) return true;
    return false;
}

bool operation_only_takes(const object *o, const operation *op) {
    if (is_named(o, "lock") || is_named(o, "rwlock")) return !strstr(object_method(o, op)->name, "unlock");
    if (is_named(o, "semaphore")) return !o->parameter[1] && !has_method(o, op, "release");
    return is_named(o, "multiset") && !o->parameter[0] && object_method(o, op)->role & ROLE_REMOVES;
}

/* ---- open operations that can wait ---- */

static bool one_found_nothing(const outlook *f, uint64_t who) {
    for (uint64_t rest = who; rest; rest &= rest - 1)
        if (operation_found_nothing(&f->view[slot_lowest(rest)])) return true;
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

bool outlook_can_wait(const outlooks *all, const outlook *f, uint64_t undone, unsigned s) {
    const object *o = all->o;
    const operation *op = &f->view[s];
    if (operation_only_takes(o, op)) return !one_found_nothing(f, undone) && !client_does_more(all, f, undone, s);
    return is_named(o, "max-register") && has_method(o, op, "write") && is_not_read(o, f, undone, op);
}
