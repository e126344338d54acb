/* The parts of a history that are judged one by one: of each key, of each element, or one of everything. */
#include "monitor/frame.h"

#include <stdio.h>

#ifdef PLUMB_SELF_CHECKS
void parts_check(const monitor *m, uint32_t parts) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->slots; i++)
        for (const monitor_part *p = m->slot[i]; p; p = p->next_in_slot, n++)
            assert(p->m == m && ((uint32_t)hash_pair(p->key, p->element) & (m->slots - 1)) == i);
    assert(n == parts);
}
#else
void parts_check(const monitor *m, uint32_t parts) { (void)m, (void)parts; }
#endif

/* ---- parts that may have put something off ---- */

void part_note_unsettled(monitor_part *p) {
    monitor *m = p->m;
    if (p->unsettled || (!p->type->settle && !p->type->doubt)) return;
    if (m->unsettled_n == m->unsettled_room) {
        m->unsettled_room = m->unsettled_room ? 2 * m->unsettled_room : 8;
        m->unsettled = MEM_GROW(m->unsettled, monitor_part *, m->unsettled_room);
    }
    m->unsettled[m->unsettled_n++] = p;
    p->unsettled = m->unsettled_n;
}

static void forget_unsettled(monitor_part *p) {
    monitor *m = p->m;
    if (!p->unsettled) return;
    assert(p->unsettled <= m->unsettled_n && m->unsettled[p->unsettled - 1] == p);
    monitor_part *last = m->unsettled[--m->unsettled_n];
    last->unsettled = p->unsettled;
    m->unsettled[p->unsettled - 1] = last;
    p->unsettled = 0;
}

/* ---- the end of a part ---- */

static void keep_doubt(monitor *m, const monitor_part *p) {
    const char *doubt = p->type->doubt && !m->doubt[0] ? p->type->doubt(p->self) : NULL, *why = NULL;
    if (doubt) snprintf(m->doubt, sizeof m->doubt, "%s", doubt);
    if (p->type->unjudged) m->unjudged += p->type->unjudged(p->self, &why);
    if (why && !m->unjudged_why[0]) snprintf(m->unjudged_why, sizeof m->unjudged_why, "%s", why);
}

void part_free(monitor_part *p) {
    keep_doubt(p->m, p);
    forget_unsettled(p);
    p->type->destroy(p->self);
    journal_free(p->journal);
    state_free(&p->rest);
    free(p->pended);
    if (p->grey) grey_free(p->grey);
    free(p->grey);
    free(p);
}

/* ---- which part an operation belongs to ---- */

static value element_of(const monitor *m, const monitored *op) {
    const object_type *t = m->o->type;
    if (t->parts_by_arg) return op->arg[0];
    if (!t->part) return VALUE_NONE;
    operation view = {.client = op->client,
                      .method = op->method,
                      .nargs = op->nargs,
                      .key = op->key,
                      .res = VALUE_UNKNOWN,
                      .ret = RANK_NEVER};
    memcpy(view.arg, op->arg, sizeof view.arg);
    return t->part(m->o, &view);
}

static uint32_t slot_of(const monitor *m, value key, value element) {
    return (uint32_t)hash_pair(key, element) & (m->slots - 1);
}

/* Is it as it was in the beginning? */
static bool part_is_forgettable(monitor *m, monitor_part *p) {
    if (p->open || !p->type->rest(p->self, &m->scratch)) return false;
    state first = {0};
    m->o->type->init(m->o, &first);
    bool same = state_equal(&first, &m->scratch);
    state_free(&first);
    return same;
}

/* Parts that are as in the beginning need not be kept. */
static void sweep_parts(monitor *m) {
    for (uint32_t i = 0; i < m->slots; i++)
        for (monitor_part **at = &m->slot[i]; *at;) {
            monitor_part *p = *at;
            if (!part_is_forgettable(m, p)) {
                at = &p->next_in_slot;
                continue;
            }
            *at = p->next_in_slot;
            part_free(p);
            m->parts--;
        }
    m->recent = NULL;
    m->parts_kept = m->parts;
    parts_check(m, m->parts);
}

static void grow_slots(monitor *m) {
    monitor_part **old = m->slot;
    uint32_t slots = m->slots;
    m->slots *= 2;
    m->slot = mem_zero(m->slots, sizeof(monitor_part *));
    for (uint32_t i = 0; i < slots; i++)
        for (monitor_part *p = old[i], *next; p; p = next) {
            next = p->next_in_slot;
            uint32_t at = slot_of(m, p->key, p->element);
            p->next_in_slot = m->slot[at];
            m->slot[at] = p;
        }
    free(old);
    parts_check(m, m->parts);
}

static monitor_part *part_new(monitor *m, value key, value element) {
    if (m->parts > 2 * m->parts_kept + 1024) sweep_parts(m);
    if (m->parts >= m->slots) grow_slots(m);
    monitor_part *p = MEM_NEW(monitor_part);
    p->m = m;
    p->type = m->type;
    p->key = key;
    p->element = element;
    if (m->type->hands_over) p->journal = journal_new();
    m->o->type->init(m->o, &p->rest);
    uint32_t at = slot_of(m, key, element);
    p->next_in_slot = m->slot[at];
    m->slot[at] = p;
    m->parts++;
    p->self = p->type->create(p);
    if (m->lost[0]) frontier_lose(p->self, m->lost, NULL, 0);
    part_note_unsettled(p);
    return p;
}

monitor_part *part_named(monitor *m, value key, value element) {
    monitor_part *p = m->recent;
    if (p && p->key == key && p->element == element) return p;
    for (p = m->slot[slot_of(m, key, element)]; p; p = p->next_in_slot)
        if (p->key == key && p->element == element) break;
    m->recent = p ? p : part_new(m, key, element);
    assert(m->recent->key == key && m->recent->element == element && m->recent->m == m);
    return m->recent;
}

monitor_part *part_of(monitor *m, const monitored *op) { return part_named(m, op->key, element_of(m, op)); }

const object *part_object(const monitor_part *p) { return p->m->o; }
moment part_now(const monitor_part *p) { return p->m->events - 1; }
const monitor_options *part_options(const monitor_part *p) { return &p->m->options; }
