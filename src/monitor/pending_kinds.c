#include "monitor/pending_kinds.h"

#include "base/words.h"

static inline bool is_named(const object *o, const char *name) { /* asked often: mostly the first letter says no */
    return o->type->name[0] == name[0] && !strcmp(o->type->name, name);
}

/* Objects of which a pending operation may as well take effect right before the operation that looks for what it brings
 * about: what it did to the state until then, no operation saw. Not those whose elements stand in a line, where it
 * matters when one was put in. */
static bool waits_until_wanted(const object *o) {
    static const char names[] = "register swmr-register cas-register kv max-register snapshot multiset";
    if (is_named(o, "multiset") && o->parameter[0]) return false; /* it may be full */
    return words_find(names, o->type->name, strlen(o->type->name)) >= 0;
}

value brought_value(const object *o, const operation *op) {
    if (!waits_until_wanted(o)) return VALUE_UNKNOWN;
    if (is_named(o, "snapshot")) return op->arg[1] == VALUE_NONE ? VALUE_UNKNOWN : op->arg[1];
    if (is_named(o, "multiset")) return object_method(o, op)->role & ROLE_ADDS ? op->arg[0] : VALUE_UNKNOWN;
    return o->type->brings ? o->type->brings(o, op) : VALUE_UNKNOWN;
}

/* A scan looks for every value in it. */
static int values_in_scan(const object *o, const operation *op, value *v, int room) {
    size_t n = 0;
    if (op->res == VALUE_UNKNOWN) return LOOKS_FOR_ANY;
    if (value_kind_of(o->values, op->res) != KIND_TUPLE) return LOOKS_FOR_ANY;
    const value *cell = value_as_tuple(o->values, op->res, &n);
    if (n > (size_t)room) return LOOKS_FOR_ANY;
    for (size_t i = 0; i < n; i++) v[i] = cell[i];
    return (int)n;
}

static bool compares(const object *o, const operation *op) {
    return (is_named(o, "cas-register") || is_named(o, "kv")) && !strcmp(object_method(o, op)->name, "cas");
}

bool kind_overwrites(const object *o, const pending_kind *k) {
    return (is_named(o, "cas-register") || is_named(o, "kv")) && k->brings != VALUE_UNKNOWN && !compares(o, &k->view);
}

int wanted_values(const object *o, const operation *op, value *v, int room) {
    if (op->res == VALUE_FALSE && compares(o, op)) {
        v[0] = op->arg[0];
        return LOOKS_FOR_ANOTHER;
    }
    bool observes = object_method(o, op)->role & ROLE_OBSERVES;
    if (is_named(o, "snapshot")) return observes ? values_in_scan(o, op, v, room) : 0;
    if (is_named(o, "multiset")) {
        if (object_method(o, op)->role & ROLE_ADDS) return 0;
        if (op->res == VALUE_UNKNOWN) return LOOKS_FOR_ANY;
        v[0] = op->nargs ? op->arg[0] : op->res;
        return op->res != VALUE_EMPTY && op->res != VALUE_FALSE;
    }
    value two[2];
    if (op->res == VALUE_UNKNOWN && observes) return LOOKS_FOR_ANY;
    int n = o->type->looks_for ? o->type->looks_for(o, op, two) : LOOKS_FOR_ANY;
    for (int i = 0; i < n; i++) v[i] = two[i];
    return n;
}

/* ---- texts that are made of others ---- */

bool operation_appends(const object *o, const operation *op) {
    return is_named(o, "kv") && !strcmp(object_method(o, op)->name, "append");
}

static void add_text(const object *o, value v, text *out) {
    size_t n;
    if (v == VALUE_NONE || v == VALUE_UNKNOWN) return;
    if (value_kind_of(o->values, v) != KIND_BYTES) {
        value_print(o->values, v, out);
        return;
    }
    const char *at = value_as_bytes(o->values, v, &n);
    text_bytes(out, at, n);
}

void operation_piece(const object *o, const operation *op, text *out) {
    add_text(o, operation_appends(o, op) ? op->arg[0] : brought_value(o, op), out);
}

bool operation_found_text(const object *o, const operation *op, text *out) {
    value v[2];
    int n = operation_appends(o, op) ? 0 : wanted_values(o, op, v, 2);
    if (n > 0) add_text(o, v[0], out);
    return n > 0;
}

/* ---- finding ---- */

bool object_is_sum(const object *o) { return is_named(o, "counter") || is_named(o, "fetch-add"); }

static int64_t added_by(const object *o, const operation *op) {
    value res;
    state s = {0};
    state_reserve(&s, 2);
    s.n = 2;
    state_put_int(&s, 0, 0);
    o->type->step(o, &s, op, 0, &res);
    const int64_t sum = state_int(&s, 0);
    state_free(&s);
    return sum;
}

static uint32_t hash_of(const object *o, const operation *op) {
    if (object_is_sum(o)) return (uint32_t)hash_mix((uint64_t)added_by(o, op));
    uint64_t h = hash_pair((uint64_t)op->method << 8 | op->nargs, op->key);
    for (unsigned a = 0; a < op->nargs; a++) h = hash_pair(h, op->arg[a]);
    return (uint32_t)(o->type->sees_clients ? hash_pair(h, op->client) : h);
}

static bool is_kind(const object *o, const operation *a, const operation *b) {
    if (object_is_sum(o)) return added_by(o, a) == added_by(o, b); /* inc() and add(1) */
    if (a->method != b->method || a->nargs != b->nargs || a->key != b->key) return false;
    for (unsigned i = 0; i < a->nargs; i++)
        if (a->arg[i] != b->arg[i]) return false;
    return !o->type->sees_clients || a->client == b->client;
}

static void enter(pending_kinds *k, const object *o, uint32_t i) {
    uint32_t at = hash_of(o, &k->at[i].view) & (k->slots - 1);
    while (k->slot[at]) at = (at + 1) & (k->slots - 1);
    k->slot[at] = i + 1;
    pending_kind *kind = &k->at[i];
    kind->next = NO_KIND;
    if (kind->brings == VALUE_UNKNOWN) {
        if (k->any_n == k->any_room)
            k->any = MEM_GROW(k->any, uint32_t, k->any_room = k->any_room ? 2 * k->any_room : 8);
        k->any[k->any_n++] = i;
        return;
    }
    uint32_t first = value_map_find(&k->by_value, kind->brings);
    if (first == VALUE_MAP_ABSENT) {
        value_map_add(&k->by_value, kind->brings, i);
        return;
    }
    kind->next = k->at[first].next;
    k->at[first].next = i;
}

static void enter_all(pending_kinds *k, const object *o, uint32_t slots) {
    free(k->slot);
    k->slots = slots;
    k->slot = mem_zero(slots, sizeof *k->slot);
    free(k->by_value.slot);
    k->by_value = (value_map){0};
    k->any_n = 0;
    for (uint32_t i = 0; i < k->n; i++) enter(k, o, i);
}

/* A try that was pending and took effect did what the method without a try does: tryrlock, rlock. */
static void without_try(const object *o, operation *op) {
    const char *name = object_method(o, op)->name;
    static const char locks[] = "lock rwlock semaphore";
    if (words_find(locks, o->type->name, strlen(o->type->name)) < 0 || strncmp(name, "try", 3)) return;
    op->method = (uint8_t)object_type_own_method(o->type, name + 3);
}

/* A client whose operation is pending for ever does nothing any more: which of them it was that took a lock makes no
 * difference. Unless it was only given up: then that client may unlock. */
static operation as_kind(const object *o, const operation *op, bool goes_on) {
    operation view = *op;
    view.res = VALUE_UNKNOWN;
    view.call = view.index = 0;
    view.ret = RANK_NEVER;
    without_try(o, &view);
    bool locks = is_named(o, "lock") || is_named(o, "rwlock");
    if (!o->type->sees_clients || (locks && !goes_on && !strstr(object_method(o, op)->name, "unlock")))
        view.client = UINT32_MAX - 1;
    return view;
}

uint32_t pending_kinds_of(pending_kinds *k, const object *o, const operation *op, bool goes_on) {
    operation view = as_kind(o, op, goes_on);
    if (2 * (k->n + 1) > k->slots) enter_all(k, o, k->slots ? 2 * k->slots : 16);
    for (uint32_t at = hash_of(o, &view) & (k->slots - 1); k->slot[at]; at = (at + 1) & (k->slots - 1))
        if (is_kind(o, &k->at[k->slot[at] - 1].view, &view)) return k->slot[at] - 1;
    if (k->n == k->room) k->at = MEM_GROW(k->at, pending_kind, k->room = k->room ? 2 * k->room : 8);
    k->at[k->n] = (pending_kind){.view = view, .brings = brought_value(o, &view)};
    if (object_is_sum(o)) k->at[k->n].adds = added_by(o, &view);
    enter(k, o, k->n);
    return k->n++;
}

void pending_kinds_recall(pending_kinds *k) {
    for (uint32_t i = 0; i < k->n; i++) {
        k->at[i].count += k->at[i].spent;
        k->at[i].spent = 0;
    }
}

void pending_kinds_compact(pending_kinds *k, const object *o) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n; i++)
        if (k->at[i].count || k->at[i].spent) k->at[n++] = k->at[i];
    if (n == k->n) return;
    k->n = n;
    enter_all(k, o, k->slots);
}

void pending_kinds_free(pending_kinds *k) {
    free(k->at);
    free(k->slot);
    free(k->by_value.slot);
    free(k->any);
    *k = (pending_kinds){0};
}

size_t pending_kinds_memory(const pending_kinds *k) {
    return k->room * sizeof *k->at + k->slots * sizeof *k->slot + value_map_memory(&k->by_value) +
           k->any_room * sizeof *k->any;
}

void pending_kinds_store(pending_kinds *k, const object *o, store *s) {
    uint32_t n = k->n;
    STORE(s, n);
    if (s->loading) pending_kinds_free(k);
    if (!n) return;
    STORE_ARRAY(s, k->at, n, n);
    if (!s->loading || s->bad || !k->at) return;
    k->n = k->room = n;
    uint32_t slots = 16;
    while (slots < 2 * n + 2) slots *= 2;
    enter_all(k, o, slots);
}
