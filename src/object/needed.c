/* Which pending operations can matter. A pending operation may as well not have happened, so it is needed only if some
 * other operation would not have been possible without it. Long recordings hold thousands of timed-out writes whose
 * values no operation ever returned: they are found here, before a search tries them in every combination. */
#include "history/value_map.h"
#include "object/object.h"

#include <assert.h>
#include <string.h>

static void set_add(value_map *s, value v) { value_map_set(s, v, 0); }
static bool set_has(const value_map *s, value v) { return value_map_find(s, v) != VALUE_MAP_ABSENT; }

/* What this operation looks for is wanted; false when that may be anything. */
static bool want(const object *o, const operation *op, value_map *wanted) {
    value v[2];
    int count = o->type->looks_for(o, op, v);
    for (int k = 0; k < count; k++) set_add(wanted, v[k]);
    return count != LOOKS_FOR_ANY;
}

/* From what returned to what that may have needed, to what that may have needed, and so on. False: anything may
 * matter. */
static bool spread(const object *o, const history *h, const uint32_t *op, uint32_t n, const uint8_t *candidate,
                   uint8_t *needed) {
    value_map wanted = {0}; /* a set: the numbers mean nothing */
    bool known = true, more = true;
    for (uint32_t i = 0; i < n && known; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (!candidate[i] && view.ret != RANK_NEVER) known = want(o, &view, &wanted);
    }
    while (more && known) {
        more = false;
        for (uint32_t i = 0; i < n && known; i++) {
            if (!candidate[i] || needed[i]) continue;
            operation view;
            history_operation(h, op[i], &view);
            value v = o->type->brings(o, &view);
            if (v != VALUE_UNKNOWN && !set_has(&wanted, v)) continue;
            needed[i] = more = true;
            known = want(o, &view, &wanted);
        }
    }
    free(wanted.slot);
    return known;
}

/* ---- values that are made of others ----
 * Behind a pending operation that writes or appends a text, all that the state holds up to the next write has that text
 * in it. If it is in no text that an operation looks for, nothing looks before that write, and without the pending
 * operation the state behind it is the same. A write of nothing may be what an append needs. */

static const size_t MOST_COMPARED = (size_t)1 << 28; /* bytes: beyond that, anything may matter */

static bool is_join(const object *o, const operation *op) { return !strcmp(object_method(o, op)->name, "append"); }

static bool has_joins(const object *o, const history *h, const uint32_t *op, uint32_t n) {
    int join = object_type_own_method(o->type, "append");
    for (uint32_t i = 0; join >= 0 && i < n; i++)
        if (h->method[op[i]] == join) return true;
    return false;
}

static void add_text(const object *o, value v, text *out) {
    size_t n;
    if (v == VALUE_NONE || v == VALUE_UNKNOWN) return;
    if (value_kind_of(o->values, v) == KIND_BYTES) {
        const char *at = value_as_bytes(o->values, v, &n);
        text_bytes(out, at, n);
    } else {
        value_print(o->values, v, out);
    }
}

static bool contains(const text *all, const text *piece) {
    const char *at = all->at, *end = at + all->size;
    for (; (size_t)(end - at) >= piece->size; at++) {
        at = memchr(at, piece->at[0], (size_t)(end - at) - piece->size + 1);
        if (!at) return false;
        if (!memcmp(at, piece->at, piece->size)) return true;
    }
    return false;
}

static bool want_text(const object *o, const operation *op, text *wanted) {
    value v[2];
    int count = is_join(o, op) ? 0 : o->type->looks_for(o, op, v);
    for (int k = 0; k < count; k++) {
        add_text(o, v[k], wanted);
        text_bytes(wanted, "", 1); /* texts are apart */
    }
    return count != LOOKS_FOR_ANY;
}

static bool is_wanted_text(const object *o, const operation *op, const text *wanted) {
    text piece = {0};
    add_text(o, is_join(o, op) ? op->arg[0] : o->type->brings(o, op), &piece);
    bool yes = !piece.size || contains(wanted, &piece);
    text_free(&piece);
    return yes;
}

static bool spread_texts(const object *o, const history *h, const uint32_t *op, uint32_t n, const uint8_t *candidate,
                         uint8_t *needed) {
    text wanted = {0};
    bool known = true, more = true;
    size_t candidates = 0;
    for (uint32_t i = 0; i < n && known; i++) {
        operation view;
        history_operation(h, op[i], &view);
        candidates += candidate[i];
        if (!candidate[i] && view.ret != RANK_NEVER) known = want_text(o, &view, &wanted);
    }
    while (more && known) {
        more = false;
        known = !wanted.size || candidates <= MOST_COMPARED / wanted.size;
        for (uint32_t i = 0; i < n && known; i++) {
            operation view;
            if (!candidate[i] || needed[i]) continue;
            history_operation(h, op[i], &view);
            if (!is_wanted_text(o, &view, &wanted)) continue;
            needed[i] = more = true;
            known = want_text(o, &view, &wanted);
        }
    }
    text_free(&wanted);
    return known;
}

void object_needed(const object *o, const history *h, const uint32_t *op, uint32_t n, uint8_t *needed) {
    bool pending = false;
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        needed[i] = 1;
        if (!history_pending(h, op[i])) continue;
        history_operation(h, op[i], &view);
        needed[i] = !object_negligible(o, &view);
        pending |= needed[i];
    }
    if (!pending || !o->type->brings || !o->type->looks_for) return;
    uint8_t *candidate = mem_zero(n, 1), *found = mem_zero(n, 1); /* candidates: pending ones that have an effect */
    for (uint32_t i = 0; i < n; i++) candidate[i] = needed[i] && history_pending(h, op[i]);
    bool joins = has_joins(o, h, op, n);
    if ((joins ? spread_texts : spread)(o, h, op, n, candidate, found))
        for (uint32_t i = 0; i < n; i++)
            if (candidate[i]) needed[i] = found[i];
    for (uint32_t i = 0; i < n; i++) assert(needed[i] || history_pending(h, op[i]));
    free(candidate);
    free(found);
}

/* No operation needs a value that none takes out. Only a full container needs whatever fills it. */
value container_brings(const object *o, const operation *op) {
    return object_method(o, op)->role & ROLE_ADDS ? op->arg[0] : VALUE_UNKNOWN;
}

int container_looks_for(const object *o, const operation *op, value v[2]) {
    if (op->res == VALUE_FULL) return LOOKS_FOR_ANY;
    if (!(object_method(o, op)->role & ROLE_REMOVES) || op->res == VALUE_UNKNOWN || op->res == VALUE_EMPTY) return 0;
    v[0] = op->res;
    return 1;
}
