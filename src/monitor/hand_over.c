/* The frontier takes over from another monitor; a part begins again after a violation, or after a gap. */
#include "monitor/frame.h"

#include <stdio.h>

static open_operation *find_replayed(open_operation **op, uint32_t n, uint64_t number) {
    uint32_t low = 0, high = n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (op[middle]->op.number <= number) low = middle;
        else high = middle;
    }
    assert(low < n && op[low]->op.number == number);
    return op[low];
}

/* Operations that are open still are the caller's; all others are stand-ins for the time of the replay. */
static void replay(monitor_part *p, const journal *j) {
    monitor *m = p->m;
    open_operation **op = MEM_ARRAY(open_operation *, j->calls ? j->calls : 1);
    for (uint32_t c = 0; c < j->calls; c++) {
        assert(!c || j->op[c - 1].number < j->op[c].number);
        op[c] = NULL;
        for (open_operation *x = m->oldest; x && !op[c]; x = x->newer)
            if (x->op.number == j->op[c].number) op[c] = x;
        if (op[c]) continue;
        op[c] = open_operation_new(m);
        *op[c] = (open_operation){.op = j->op[c], .part = p, .stand_in = true};
    }
    for (uint32_t i = 0; i < j->n && m->verdict == VERDICT_LINEARIZABLE; i++) {
        const journal_entry *e = &j->entry[i];
        open_operation *x = e->kind == JOURNAL_CALL ? op[e->call] : find_replayed(op, j->calls, e->number);
        bool stand_in = x->stand_in;
        p->tick++;
        if (e->kind == JOURNAL_CALL) {
            x->tick = p->tick;
            p->type->call(p->self, x);
            continue;
        }
        if (e->kind == JOURNAL_RETURN) {
            x->op.ret = e->at;
            x->op.res = e->res;
            p->type->ret(p->self, x);
        } else if (e->kind == JOURNAL_PEND) {
            x->pending = true;
            p->type->pend(p->self, x);
        } else {
            p->type->drop(p->self, x);
        }
        if (stand_in && e->kind != JOURNAL_PEND) open_operation_give_back(m, x);
    }
    free(op);
}

/* Whatever is open in it, and the event that comes just now. */
static void call_again(monitor_part *p) {
    for (open_operation *op = p->m->oldest; op; op = op->newer) {
        if (op->part != p) continue;
        p->type->call(p->self, op);
        if (op->op.ret != MOMENT_NEVER) p->type->ret(p->self, op);
    }
}

void part_hand_over(monitor_part *p, const char *why) {
    if (p->type == &monitor_frontier) return;
    journal *j = p->journal;
    assert(p->type->hands_over);
    p->journal = NULL;
    p->type->destroy(p->self);
    p->type = &monitor_frontier;
    p->self = p->type->create(p);
    part_note_unsettled(p);
    if (!j) {
        char lost[100];
        snprintf(lost, sizeof lost, "%s, and what came before is forgotten", why);
        frontier_lose(p->self, lost, p->pended, p->pended_n);
        call_again(p);
        return;
    }
    const moment tick = p->tick;
    p->tick = 0;
    replay(p, j);
    assert(p->tick <= tick);
    (void)tick;
    journal_free(j);
}

/* What was pending before still is. Operations that are open are called again if they can take what is known. */
void part_begin_again(monitor_part *p) {
    monitor *m = p->m;
    if (p->type == &monitor_frontier || p->type == &monitor_together) return; /* it has seen to that itself */
    journal_free(p->journal);
    p->journal = NULL;
    p->type->destroy(p->self);
    state_free(&p->rest);
    m->o->type->init(m->o, &p->rest);
    p->self = p->type->create(p);
    p->tick = 0;
    if (!p->grey) p->grey = MEM_NEW(grey);
    grey_begin(p->grey, p, m->calls);
    for (uint32_t i = 0; i < p->pended_n; i++) {
        open_operation *op = open_operation_new(m);
        *op = (open_operation){.op = p->pended[i], .part = p, .tick = ++p->tick, .stand_in = true};
        p->type->call(p->self, op);
        op->pending = true;
        p->tick++;
        p->type->pend(p->self, op);
    }
    for (open_operation *op = m->oldest; op; op = op->newer) {
        if (op->part != p) continue;
        op->from_before = true;
        op->left_out = p->grey->cell || p->grey->repeats || m->o->type->methods[op->op.method].role & ROLE_ADDS;
        op->tick = ++p->tick;
        if (!op->left_out) p->type->call(p->self, op);
    }
}

bool monitor_finds_state(const monitor *m) { return m->type == &monitor_frontier; }

void monitor_lose(monitor *m, const char *why) {
    assert(monitor_finds_state(m));
    snprintf(m->lost, sizeof m->lost, "%s", why);
    for (uint32_t i = 0; i < m->slots; i++)
        for (monitor_part *p = m->slot[i]; p; p = p->next_in_slot) {
            frontier_lose(p->self, why, NULL, 0);
            part_note_unsettled(p);
        }
}
