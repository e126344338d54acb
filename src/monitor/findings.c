/* What the monitors of parts found: the verdict, the first bad event, the operations that show it. */
#include "monitor/frame.h"
#include "monitor/grey.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void settle(monitor *m, verdict v, const char *format, va_list args) {
    assert(v != VERDICT_LINEARIZABLE && m->events);
    if (m->verdict != VERDICT_LINEARIZABLE) return;
    m->verdict = v;
    m->bad = m->events - 1;
    vsnprintf(m->reason, sizeof m->reason, format, args);
}

static void say_what_is_assumed(const monitor_part *p) {
    const size_t n = strlen(p->m->reason);
    if (!p->grey || p->grey->cell || p->grey->repeats) return;
    snprintf(p->m->reason + n, sizeof p->m->reason - n,
             " (assumed: no value that was put in after the first violation was inside before)");
}

void part_violation(monitor_part *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const bool first = p->m->verdict == VERDICT_LINEARIZABLE;
    p->m->found_by = p;
    settle(p->m, VERDICT_VIOLATION, format, args);
    va_end(args);
    if (first) say_what_is_assumed(p);
}

void part_undecided(monitor_part *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    settle(p->m, VERDICT_UNDECIDED, format, args);
    va_end(args);
}

void part_violation_was_at(monitor_part *p, moment at) {
    assert(p->m->verdict == VERDICT_VIOLATION && at <= p->m->bad);
    p->m->bad = at;
}

static void take_violation(monitor *m, monitor_violation *v) {
    free(v->pattern);
    v->event = m->bad;
    memcpy(v->reason, m->reason, sizeof v->reason);
    v->pattern_n = m->pattern_n;
    v->pattern = m->pattern_n ? mem_copy(m->pattern, m->pattern_n * sizeof *m->pattern) : NULL;
}

/* Other parts have events that they have not decided yet: the first bad event may be one of theirs. The part that found
 * the violation is in the middle of something. */
static void find_earlier(monitor *m) {
    monitor_violation first = {0};
    take_violation(m, &first);
    const monitor_part *found_by = m->found_by;
    for (uint32_t i = 0; i < m->unsettled_n; i++) {
        monitor_part *p = m->unsettled[i];
        if (p == found_by || !p->type->settle) continue;
        m->verdict = VERDICT_LINEARIZABLE;
        m->pattern_n = 0;
        p->type->settle(p->self);
        if (m->verdict == VERDICT_VIOLATION && m->bad < first.event) take_violation(m, &first);
    }
    m->verdict = VERDICT_VIOLATION;
    m->bad = first.event;
    memcpy(m->reason, first.reason, sizeof m->reason);
    free(m->pattern);
    m->pattern = first.pattern;
    m->pattern_n = m->pattern_room = first.pattern_n;
}

/* Each operation once, by call. */
static void add_to_pattern(monitor *m, const monitored *op) {
    uint32_t at = m->pattern_n;
    while (at && m->pattern[at - 1].number > op->number) at--;
    if (at && m->pattern[at - 1].number == op->number) return;
    if (m->pattern_n == m->pattern_room) {
        m->pattern_room = m->pattern_room ? 2 * m->pattern_room : 8;
        m->pattern = MEM_GROW(m->pattern, monitored, m->pattern_room);
    }
    memmove(m->pattern + at + 1, m->pattern + at, (m->pattern_n - at) * sizeof *m->pattern);
    m->pattern[at] = *op;
    m->pattern_n++;
    assert(!at || m->pattern[at - 1].number < op->number);
    assert(at + 1 == m->pattern_n || op->number < m->pattern[at + 1].number);
    assert(op->call < m->events && (op->ret == MOMENT_NEVER || (op->call < op->ret && op->ret < m->events)));
}

void part_pattern(monitor_part *p, const monitored *op) { add_to_pattern(p->m, op); }

/* With go_on: noted, and the part that found it begins again, knowing nothing. */
void monitor_found_violation(monitor *m) {
    if (!m->options.go_on) {
        find_earlier(m);
        return;
    }
    if (m->violations == m->violation_room) {
        m->violation_room = m->violation_room ? 2 * m->violation_room : 4;
        m->violation = MEM_GROW(m->violation, monitor_violation, m->violation_room);
    }
    m->violation[m->violations] = (monitor_violation){0};
    take_violation(m, &m->violation[m->violations++]);
    m->verdict = VERDICT_LINEARIZABLE;
    m->bad = MOMENT_NEVER;
    m->pattern_n = 0;
    part_begin_again(m->found_by);
}

void monitor_close_list(monitor *m) {
    if (!m->violations || m->verdict != VERDICT_LINEARIZABLE) return;
    const monitor_violation *first = &m->violation[0];
    m->verdict = VERDICT_VIOLATION;
    m->bad = first->event;
    memcpy(m->reason, first->reason, sizeof m->reason);
    for (uint32_t i = 0; i < first->pattern_n; i++) add_to_pattern(m, &first->pattern[i]);
}

const monitor_violation *monitor_violations(const monitor *m, uint32_t *n) {
    *n = m->violations;
    return m->violation;
}

verdict monitor_settle(monitor *m) {
    if (m->verdict != VERDICT_LINEARIZABLE) return m->verdict;
    uint32_t left = 0;
    for (uint32_t i = 0; i < m->unsettled_n; i++) {
        monitor_part *p = m->unsettled[i];
        if (m->verdict == VERDICT_LINEARIZABLE && p->type->settle) p->type->settle(p->self);
        if (m->verdict == VERDICT_VIOLATION && m->options.go_on) monitor_found_violation(m);
        p->unsettled = 0;
        if (m->verdict == VERDICT_LINEARIZABLE && !(p->type->doubt && p->type->doubt(p->self))) continue;
        m->unsettled[left++] = p;
        p->unsettled = left;
    }
    m->unsettled_n = left;
    if (m->verdict == VERDICT_VIOLATION) monitor_found_violation(m);
    return m->verdict;
}

void findings_free(monitor *m) {
    for (uint32_t i = 0; i < m->violations; i++) free(m->violation[i].pattern);
    free(m->violation);
    free(m->pattern);
}
