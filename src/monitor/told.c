#include "monitor/told.h"

#include "base/words.h"
#include "monitor/ways.h"

typedef bool told(const object *o, const operation *op, state *s);

static bool is_method(const object *o, const operation *op, const char *names) {
    const char *name = object_method(o, op)->name;
    return words_find(names, name, strlen(name)) >= 0;
}

static bool observes(const object *o, const operation *op) { return object_method(o, op)->role & ROLE_OBSERVES; }

static bool holds(state *s, value v) {
    state_set(s, &v, 1);
    return true;
}

static bool sums_to(const object *o, state *s, int64_t sum) {
    o->type->init(o, s);
    state_put_int(s, 0, sum);
    return true;
}

static bool is_empty_string(const values *t, value v) {
    size_t n;
    if (value_kind_of(t, v) != KIND_BYTES) return false;
    value_as_bytes(t, v, &n);
    return n == 0;
}

/* What was there stays; true and false say whether it put, or are what was there. */
static bool told_by_putting(const operation *op, state *s) {
    if (op->res == VALUE_UNKNOWN || op->res == VALUE_TRUE || op->res == VALUE_FALSE) return false;
    return holds(s, op->res == VALUE_NONE ? op->arg[0] : op->res);
}

/* Registers and one key: what was read or written. "" may be the string, or that there is nothing. */
static bool told_by_cell(const object *o, const operation *op, state *s) {
    if (is_method(o, op, "cas")) return op->res == VALUE_TRUE && holds(s, op->arg[1]);
    if (is_method(o, op, "contains")) return op->res == VALUE_FALSE && holds(s, VALUE_NONE);
    if (is_method(o, op, "putifabsent")) return told_by_putting(op, s);
    if (is_method(o, op, "write put swap getandset")) return holds(s, op->arg[0]);
    if (is_method(o, op, "delete")) return holds(s, VALUE_NONE);
    if (!observes(o, op) || op->res == VALUE_UNKNOWN) return false;
    return !(o->type->keyed && is_empty_string(o->values, op->res)) && holds(s, op->res);
}

static bool told_by_max_register(const object *o, const operation *op, state *s) {
    return observes(o, op) && op->res != VALUE_UNKNOWN && holds(s, op->res);
}

static bool is_integer(const object *o, value v) {
    return v != VALUE_UNKNOWN && value_kind_of(o->values, v) == KIND_INT;
}

/* What changes a counter says, if anything, the new sum. */
static bool told_by_counter(const object *o, const operation *op, state *s) {
    return is_integer(o, op->res) && sums_to(o, s, value_as_int(o->values, op->res));
}

static bool told_by_fetch_add(const object *o, const operation *op, state *s) {
    if (!is_integer(o, op->res)) return false;
    uint64_t sum = (uint64_t)value_as_int(o->values, op->res);
    if (!observes(o, op)) sum += (uint64_t)value_as_int(o->values, op->arg[0]);
    return sums_to(o, s, (int64_t)sum);
}

/* From the beginning by one step: as the object itself writes the state down. */
static bool reached_by(const object *o, operation op, state *s) {
    value res;
    op.res = VALUE_UNKNOWN;
    o->type->init(o, s);
    return o->type->step(o, s, &op, 0, &res) == STEP_LEGAL;
}

/* One element: in it or not. */
static bool told_by_set(const object *o, const operation *op, state *s) {
    bool in = is_method(o, op, "add") || (is_method(o, op, "contains") && op->res == VALUE_TRUE);
    if (op->res == VALUE_UNKNOWN && observes(o, op)) return false;
    o->type->init(o, s);
    operation add = *op;
    add.method = (uint8_t)object_type_own_method(o->type, "add");
    return !in || reached_by(o, add, s);
}

static bool told_by_lock(const object *o, const operation *op, state *s) {
    if (is_method(o, op, "unlock wunlock")) {
        o->type->init(o, s);
        return true;
    }
    if (is_method(o, op, "trylock trywlock") ? op->res == VALUE_TRUE : is_method(o, op, "lock wlock"))
        return reached_by(o, *op, s);
    return false;
}

static bool told_by_semaphore(const object *o, const operation *op, state *s) {
    const uint32_t none = 0;
    if (!is_method(o, op, "tryacquire") || op->res != VALUE_FALSE) return false;
    state_set(s, &none, 1);
    return true;
}

static bool told_by_snapshot(const object *o, const operation *op, state *s) {
    size_t n;
    if (!observes(o, op) || op->res == VALUE_UNKNOWN || value_kind_of(o->values, op->res) != KIND_TUPLE) return false;
    const value *cell = value_as_tuple(o->values, op->res, &n);
    o->type->init(o, s);
    for (size_t i = 0; i < n; i++) {
        value res;
        operation update = {.method = (uint8_t)object_type_own_method(o->type, "update"),
                            .nargs = 2,
                            .key = op->key,
                            .arg = {value_int(o->values, (int64_t)i), cell[i]},
                            .res = VALUE_UNKNOWN};
        if (cell[i] != VALUE_NONE && o->type->step(o, s, &update, 0, &res) != STEP_LEGAL) return false;
        cell = value_as_tuple(o->values, op->res, &n); /* a new value may have moved it */
    }
    return true;
}

/* Nothing is inside: it was found so, or everything was taken out. */
static bool says_empty(const object *o, const operation *op) {
    size_t n;
    if (is_method(o, op, "clear")) return true;
    if (op->res == VALUE_UNKNOWN) return false;
    if (is_method(o, op, "drain")) return true;
    if (is_method(o, op, "isempty")) return op->res == VALUE_TRUE;
    if (is_method(o, op, "size")) return op->res == value_int(o->values, 0);
    if (is_method(o, op, "keys read")) return value_list(o->values, op->res, &n), n == 0;
    return (object_method(o, op)->role & ROLE_REMOVES) && !op->nargs && op->res == VALUE_EMPTY;
}

static bool told_by_emptiness(const object *o, const operation *op, state *s) {
    if (!says_empty(o, op)) return false;
    o->type->init(o, s);
    return true;
}

/* Each element that was read is added to nothing. */
static bool told_by_whole_set(const object *o, const operation *op, state *s) {
    size_t n;
    if (!is_method(o, op, "read")) return told_by_emptiness(o, op, s);
    if (op->res == VALUE_UNKNOWN) return false;
    value_list(o->values, op->res, &n);
    o->type->init(o, s);
    for (size_t i = 0; i < n; i++) {
        operation add = {.method = (uint8_t)object_type_own_method(o->type, "add"), .nargs = 1, .res = VALUE_UNKNOWN};
        value res;
        add.arg[0] = value_list(o->values, op->res, &n)[i];
        if (o->type->step(o, s, &add, 0, &res) != STEP_LEGAL) return false;
    }
    return true;
}

static bool told_by_decision(const object *o, const operation *op, state *s) {
    (void)o;
    return op->res != VALUE_UNKNOWN && holds(s, op->res);
}

/* The object says it itself. */
static bool told_by_object(const object *o, const operation *op, state *s) {
    return op->res != VALUE_UNKNOWN && o->type->told(o, op, s);
}

/* NULL: no operation does. */
static told *teller_of(const object *o) {
    static const struct {
        const char *names;
        told *tells;
    } objects[] = {
        {"register swmr-register cas-register kv wide-register wide-kv", told_by_cell},
        {"max-register", told_by_max_register},
        {"counter", told_by_counter},
        {"fetch-add", told_by_fetch_add},
        {"set", told_by_set},
        {"lock rwlock", told_by_lock},
        {"semaphore", told_by_semaphore},
        {"snapshot", told_by_snapshot},
        {"queue stack deque multiset pqueue-max pqueue-min pqueue-max-fifo pqueue-min-fifo", told_by_emptiness},
        {"wide-queue wide-stack wide-deque wide-multiset whole-kv", told_by_emptiness},
        {"wide-pqueue-max wide-pqueue-min wide-pqueue-max-fifo wide-pqueue-min-fifo", told_by_emptiness},
        {"whole-set", told_by_whole_set},
        {"consensus", told_by_decision},
        {"bank", told_by_object},
    };
    const char *name = o->type->name;
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++)
        if (words_find(objects[i].names, name, strlen(name)) >= 0) return objects[i].tells;
    return NULL;
}

bool object_tells_state(const object *o) { return teller_of(o); }

bool operation_tells_state(const object *o, const monitored *m, state *s) {
    told *tells = teller_of(o);
    operation op = monitored_view(m);
    return tells && tells(o, &op, s);
}
