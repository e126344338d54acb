/* A monitor to and from a checkpoint (checkpoint.c does the file). */
#include "monitor/frame.h"
#include "monitor/store.h"

static void store_opens(monitor *m, store *s) {
    uint64_t n = m->open;
    STORE(s, n);
    open_operation *op = m->oldest;
    for (uint64_t i = 0; i < n && !s->bad; i++) {
        if (s->loading) op = open_operation_new(m);
        open_operation copy = s->loading ? (open_operation){0} : *op;
        STORE(s, copy);
        if (!s->loading) {
            op = op->newer;
            continue;
        }
        *op = (open_operation){.op = copy.op, .tick = copy.tick, .mine = copy.mine};
        opens_link(m, op);
        if (!s->bad && monitor_samples_call(m, &op->op)) op->part = part_of(m, &op->op);
    }
}

static void store_journal(journal **at, store *s) {
    bool some = *at != NULL;
    STORE(s, some);
    if (s->loading) {
        journal_free(*at);
        *at = some ? journal_new() : NULL;
    }
    if (!some) return;
    journal *j = *at;
    STORE(s, j->n);
    STORE(s, j->room);
    STORE(s, j->calls);
    STORE(s, j->call_room);
    STORE_ARRAY(s, j->entry, j->n, j->room);
    STORE_ARRAY(s, j->op, j->calls, j->call_room);
}

static void store_part(monitor_part *p, store *s) {
    bool frontier = p->type == &monitor_frontier;
    STORE(s, frontier);
    if (frontier && p->type != &monitor_frontier) {
        p->type->destroy(p->self);
        p->type = &monitor_frontier;
        p->self = p->type->create(p);
    }
    STORE(s, p->tick);
    STORE(s, p->open);
    store_state(s, &p->rest);
    store_journal(&p->journal, s);
    STORE(s, p->pended_n);
    if (s->loading) {
        free(p->pended);
        p->pended_room = p->pended_n;
    }
    STORE_ARRAY(s, p->pended, p->pended_n, p->pended_n);
    p->type->store(p->self, s);
    part_note_unsettled(p);
}

bool monitor_can_be_kept(const monitor *m) { return m->type->store != NULL; }

/* What was found: once there is a verdict, the parts are as the last event left them, in the middle of something, and
 * are not looked at any more. */
static void store_findings(monitor *m, store *s) {
    uint32_t found = m->verdict, n = m->pattern_n;
    STORE(s, found);
    STORE(s, m->bad);
    STORE(s, m->reason);
    STORE(s, m->doubt);
    STORE(s, m->unjudged);
    STORE(s, m->unjudged_why);
    STORE(s, m->lost);
    STORE(s, n);
    STORE_ARRAY(s, m->pattern, n, n);
    if (!s->loading) return;
    s->bad |=
        found > VERDICT_UNDECIDED || !memchr(m->reason, 0, sizeof m->reason) || !memchr(m->doubt, 0, sizeof m->doubt);
    m->verdict = s->bad ? VERDICT_UNDECIDED : (verdict)found;
    m->pattern_n = m->pattern_room = s->bad || !m->pattern ? 0 : n;
}

/* Open operations first: they make their parts, and the parts refer to them. */
static void store_parts(monitor *m, store *s) {
    uint32_t parts = m->parts;
    STORE(s, parts);
    m->parts_kept = parts; /* loading: none of them is forgotten on the way */
    if (!s->loading) parts_check(m, parts);
    store_opens(m, s);
    if (s->loading) {
        for (uint32_t i = 0; i < parts && !s->bad; i++) {
            monitored about = {.key = VALUE_NONE};
            value element = VALUE_NONE;
            STORE(s, about.key);
            STORE(s, element);
            if (!s->bad) store_part(part_named(m, about.key, element), s);
        }
        if (s->bad) return;
        parts_check(m, parts);
        opens_check(m);
        return;
    }
    for (uint32_t i = 0; i < m->slots; i++)
        for (monitor_part *p = m->slot[i]; p; p = p->next_in_slot) {
            STORE(s, p->key);
            STORE(s, p->element);
            store_part(p, s);
        }
}

void monitor_store(monitor *m, store *s) {
    STORE(s, m->events);
    STORE(s, m->calls);
    STORE(s, m->given_up);
    STORE(s, m->left_out);
    STORE(s, m->failed);
    STORE(s, m->lasting);
    STORE(s, m->first_lasting);
    store_findings(m, s);
    if (!s->bad && m->verdict == VERDICT_LINEARIZABLE) store_parts(m, s);
}
