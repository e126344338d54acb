/* Operations that are open: their memory, and the list of them by call. */
#include "monitor/frame.h"
#include "monitor/store.h"

enum { CHUNK = 64 };

struct open_chunk {
    open_chunk *next;
    open_operation at[CHUNK];
};

#ifdef PLUMB_SELF_CHECKS
void opens_check(const monitor *m) {
    uint64_t n = 0;
    const open_operation *before = NULL;
    for (const open_operation *op = m->oldest; op; before = op, op = op->newer, n++) {
        assert(op->older == before && !op->pending && !op->given_up && !op->stand_in);
        assert(op->op.number < m->calls && op->op.call < m->events);
        assert(!before || (before->op.number < op->op.number && before->op.call < op->op.call));
    }
    assert(before == m->newest && n == m->open);
}
#else
void opens_check(const monitor *m) { (void)m; }
#endif

open_operation *open_operation_new(monitor *m) {
    if (!m->unused) {
        open_chunk *c = mem_zero(1, sizeof *c);
        c->next = m->chunks;
        m->chunks = c;
        for (unsigned i = 0; i < CHUNK; i++) {
            c->at[i].newer = m->unused;
            m->unused = &c->at[i];
        }
    }
    open_operation *op = m->unused;
    m->unused = op->newer;
    return op;
}

/* A given-up operation is still held by the caller, who lets go of it with its return. */
void open_operation_free(monitor_part *p, open_operation *op) {
    assert(op->pending && op->part == p); /* others are freed by the frame */
    op->part = NULL;
    if (!op->given_up) open_operation_give_back(p->m, op);
}

size_t opens_memory(const monitor *m) {
    size_t n = 0;
    for (const open_chunk *c = m->chunks; c; c = c->next) n += sizeof *c;
    return n;
}

void opens_free(monitor *m) {
    for (open_chunk *c = m->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
}

const monitored *open_operation_view(const open_operation *op) { return &op->op; }
bool open_operation_given_up(const open_operation *op) { return op->given_up; }

open_operation *monitor_find_open(const monitor *m, uint64_t number) {
    for (open_operation *op = m->newest; op; op = op->older)
        if (op->op.number == number) return op;
    return NULL;
}
