#include "monitor/store.h"

#include "monitor/frame.h"

void store_raw(store *s, void *p, size_t size) {
    if (!s->loading) {
        text_bytes(&s->out, p, size);
    } else if (s->bad || s->left < size) {
        s->bad = true;
        memset(p, 0, size);
    } else {
        assert(size <= s->left);
        memcpy(p, s->in, size);
        s->in += size;
        s->left -= size;
    }
}

void store_array(store *s, void **p, size_t size, uint64_t n, uint64_t room) {
    assert(s->loading || n <= room);
    if (s->loading) {
        *p = NULL;
        if (s->bad || n > room || n * size > s->left || room > UINT64_C(1) << 40) s->bad = true;
        else if (room) *p = mem_zero(room, size);
    }
    if (n && *p) store_raw(s, *p, n * size);
}

void store_state(store *s, state *w) {
    uint32_t n = w->n;
    STORE(s, n);
    if (s->loading && n * sizeof *w->w > s->left) s->bad = true;
    if (s->bad) return;
    if (s->loading) state_reserve(w, n);
    w->n = n;
    if (n) store_raw(s, w->w, n * sizeof *w->w);
}

void store_map(store *s, value_map *m) {
    STORE(s, m->slots);
    STORE(s, m->n);
    if (s->loading) free(m->slot);
    STORE_ARRAY(s, m->slot, m->slots, m->slots);
}

void store_open(store *s, monitor_part *p, open_operation **op) {
    open_operation copy = {0};
    if (!s->loading) copy = **op;
    STORE(s, copy);
    if (!s->loading) return;
    *op = copy.pending ? NULL : monitor_find_open(s->m, copy.op.number);
    if (!copy.pending) {
        s->bad |= !*op;
        return;
    }
    *op = open_operation_new(s->m);
    **op = (open_operation){
        .op = copy.op, .tick = copy.tick, .part = p, .mine = copy.mine, .pending = true, .stand_in = true};
}

void store_open_operations(store *s, monitor_part *p, open_operations *l) {
    uint32_t n = l->n;
    STORE(s, n);
    if (!s->loading) {
        for (open_operation *op = l->first; op; op = op->after, n--) store_open(s, p, &op);
        assert(!n);
        return;
    }
    *l = (open_operations){0};
    for (uint32_t i = 0; i < n && !s->bad; i++) {
        open_operation *op = NULL;
        store_open(s, p, &op);
        if (op) open_operations_add(l, op);
    }
}
