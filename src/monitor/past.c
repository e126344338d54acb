#include "monitor/past.h"

#include "evidence/recall.h"
#include "monitor/store.h"

/* A busy time leaves no room behind: there may be many parts, one for each key. */
static void empty_room(evidence_past *p) {
    p->n = 0;
    if (p->room <= PAST_RENEWED) return;
    free(p->op);
    p->op = NULL;
    p->room = 0;
}

void past_begin(evidence_past *p, const state *from) {
    state_copy(&p->from, from);
    empty_room(p);
    p->forgotten = false;
}

void past_forget(evidence_past *p) {
    empty_room(p);
    p->forgotten = true;
}

void past_add(evidence_past *p, const monitored *op) {
    if (p->forgotten) return;
    if (p->n == PAST_MOST) {
        past_forget(p);
        return;
    }
    if (p->n == p->room) p->op = MEM_GROW(p->op, monitored, p->room = p->room ? 2 * p->room : 4);
    p->op[p->n++] = *op;
}

/* Before all operations of the part that are remembered: at times, and with numbers, of those that are not. */
static bool show_state(const evidence_past *p, monitor_part *part) {
    const object *o = part_object(part);
    recalled told = {0};
    bool good = recall_state(o, &p->from, part->key, &told);
    const uint64_t first = p->n ? p->op[0].number : UINT64_MAX;
    const moment before = p->n ? p->op[0].call : part_now(part);
    good = good && (!told.n || (told.n <= first && 2 * (moment)told.n <= before));
    for (uint32_t i = 0; i < told.n && good; i++) {
        const operation *op = &told.op[i];
        monitored m = {.number = i,
                       .call = 2 * (moment)i,
                       .ret = 2 * (moment)i + 1,
                       .client = told.client[i],
                       .method = op->method,
                       .nargs = op->nargs,
                       .key = op->key,
                       .res = op->res};
        memcpy(m.arg, op->arg, sizeof m.arg);
        part_pattern(part, &m);
    }
    recalled_free(&told);
    return good;
}

bool past_show(const evidence_past *p, monitor_part *part) {
    if (p->forgotten || !show_state(p, part)) return false;
    for (uint32_t i = 0; i < p->n; i++) part_pattern(part, &p->op[i]);
    return true;
}

void past_store(evidence_past *p, store *s) {
    STORE(s, p->n);
    STORE(s, p->room);
    STORE(s, p->forgotten);
    store_state(s, &p->from);
    if (s->loading) free(p->op);
    STORE_ARRAY(s, p->op, p->n, p->room);
}

size_t past_memory(const evidence_past *p) { return p->room * sizeof *p->op + p->from.n * sizeof *p->from.w; }

void past_free(evidence_past *p) {
    free(p->op);
    state_free(&p->from);
}
