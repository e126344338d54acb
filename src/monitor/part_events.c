/* What happens in a part: its journal, operations that its monitor is not to see, those that are open for too long. */
#include "monitor/frame.h"

static uint32_t longest_journal(const monitor *m) {
    uint32_t most = JOURNAL_MOST / (m->parts ? m->parts : 1);
    return most > JOURNAL_LEAST ? most : JOURNAL_LEAST;
}

static void journal_event(monitor_part *p, journal_kind kind, const monitored *op, moment at) {
    if (!p->journal || (p->journal->n < longest_journal(p->m) && journal_add(p->journal, kind, op, at))) return;
    journal_free(p->journal);
    p->journal = NULL;
}

void part_call(monitor_part *p, open_operation *op) {
    assert(op->part == p && !op->pending && op->op.ret == MOMENT_NEVER);
    p->open++;
    op->tick = p->tick;
    part_note_unsettled(p);
    if (p->grey && grey_sees_repeat(p->grey, p->m->o, &op->op)) {
        p->grey->repeats = true;
        part_begin_again(p);
        return;
    }
    if (p->grey && !grey_takes_call(p->grey, p->m->o, &op->op)) {
        grey_hears_call(p->grey, &op->op, p->open > 1);
        op->left_out = true;
        return;
    }
    p->tick++;
    op->tick = p->tick;
    journal_event(p, JOURNAL_CALL, &op->op, op->op.call);
    if (p->type->knows && !p->type->knows(p->m->o, &op->op))
        part_hand_over(p, "an operation that only the frontier knows");
    else p->type->call(p->self, op);
}

static void start_journal_again(monitor_part *p) {
    if (p->open || !p->type->hands_over || !p->type->rest(p->self, &p->m->scratch)) return;
    state_copy(&p->rest, &p->m->scratch);
    p->pended_n = 0;
    if (!p->journal) p->journal = journal_new();
    journal_clear(p->journal);
}

static void remember_pended(monitor_part *p, const monitored *op) {
    if (p->pended_n == p->pended_room)
        p->pended = MEM_GROW(p->pended, monitored, p->pended_room = p->pended_room ? 2 * p->pended_room : 4);
    p->pended[p->pended_n++] = *op;
}

static void leave_aside(monitor_part *p, open_operation *op) {
    if (p->type->leave_out) p->type->leave_out(p->self, op);
    else p->type->drop(p->self, op);
}

/* Its value is one that is not judged, or not known. */
static bool is_beyond(const monitor_part *p, journal_kind kind, const open_operation *op) {
    if (kind != JOURNAL_RETURN) return false;
    if (p->grey && !grey_takes_end(p->grey, p->m->o, &op->op)) return true;
    return p->m->options.sample > 1 && !op->op.nargs && samples_by_value(p->m->o) &&
           !monitor_samples_value(p->m, op->op.res);
}

/* True: the part's monitor is not to see its end. */
static bool end_left_out(monitor_part *p, journal_kind kind, open_operation *op) {
    const bool older = op->from_before, unseen = op->left_out;
    if (unseen && kind == JOURNAL_PEND) {
        op->pending = true;
        open_operation_free(p, op);
    }
    if (unseen && p->grey) {
        p->m->unjudged += kind == JOURNAL_RETURN;
        grey_hears_end(p->grey, p->m->o, &op->op, kind == JOURNAL_PEND);
    }
    if (!unseen && is_beyond(p, kind, op)) {
        if (p->grey) p->m->unjudged++;
        else p->m->left_out++;
        p->tick++;
        leave_aside(p, op);
        if (older) grey_old_ended(p->grey, p->m->calls);
        return true;
    }
    /* one that is pending for ever may bring about something unknown at any time */
    if (older && kind != JOURNAL_PEND) grey_old_ended(p->grey, p->m->calls);
    return unseen;
}

void part_end(monitor_part *p, journal_kind kind, open_operation *op, moment at) {
    assert(op->part == p && p->open && op->tick <= p->tick && op->op.call <= at);
    p->open--;
    part_note_unsettled(p);
    if ((p->grey || p->m->options.sample > 1) && end_left_out(p, kind, op)) return;
    p->tick++;
    journal_event(p, kind, &op->op, at);
    if (kind == JOURNAL_PEND) op->pending = true;
    if (kind == JOURNAL_PEND && (p->type->hands_over || p->m->options.go_on)) remember_pended(p, &op->op);
    if (p->type->knows && !p->type->knows(p->m->o, &op->op)) {
        part_hand_over(p, "an operation that only the frontier knows");
        return;
    }
    switch (kind) {
    case JOURNAL_RETURN: p->type->ret(p->self, op); break;
    case JOURNAL_PEND: p->type->pend(p->self, op); break;
    default: p->type->drop(p->self, op); break;
    }
    if (!p->open && p->type->hands_over && (!p->journal || p->journal->n >= JOURNAL_LEAST / 2)) start_journal_again(p);
}

void part_give_up(monitor_part *p, open_operation *op) {
    assert(op->part == p && !op->given_up && !op->stand_in);
    op->given_up = op->op.goes_on = true;
    p->m->given_up++;
    opens_unlink(p->m, op);
    part_end(p, JOURNAL_PEND, op, p->m->events - 1);
}

/* One that is not judged stays in its caller's hands. */
static void give_up(monitor *m, open_operation *op) {
    if (op->part) {
        part_give_up(op->part, op);
        return;
    }
    op->given_up = true;
    opens_unlink(m, op);
}

void monitor_give_up_oldest(monitor *m) {
    while (m->options.max_lag && m->oldest && m->events - m->oldest->op.call > m->options.max_lag &&
           m->verdict == VERDICT_LINEARIZABLE)
        give_up(m, m->oldest);
}
