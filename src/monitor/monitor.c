/* The frame around the monitors: choosing one, numbering of events, what is known after them. */
#include "monitor/frame.h"

#include "base/words.h"

#include <inttypes.h>
#include <stdio.h>

enum { STANDARD_WAYS = 1 << 16 };

/* ---- the list of monitors ---------------------------------------------------------------------------------------- */

static const monitor_type *const types[] = {
#define MONITOR(name) &monitor_##name,
#include "monitor/monitors.def"
#undef MONITOR
};

static const monitor_type *choose(const object *o, const monitor_options *options) {
    bool general = options && options->general;
    const char *name = options ? options->type : NULL;
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        const monitor_type *t = types[i];
        /* the others know the strict object by its name, the frontier too where it says what can wait */
        if (o->relaxed && t != &monitor_whole && t != &monitor_regular) continue;
        if (general && !o->relaxed && t != &monitor_frontier && t != &monitor_together) continue;
        if (t->from_the_beginning && options && (options->go_on || options->has_gaps)) continue;
        if (name ? strcmp(name, t->name) != 0 : t->by_name_only) continue;
        if (t->objects && words_find(t->objects, o->type->name, strlen(o->type->name)) < 0) continue;
        if (!t->accepts || t->accepts(o)) return t;
    }
    return NULL;
}

/* ---- making and freeing ---- */

monitor *monitor_new(const object *o, const monitor_options *options, error *e) {
    const monitor_type *t = choose(o, options);
    if (!t) {
        if (options && options->type)
            error_set(e, EXIT_USAGE, "monitor %s does not know object %s", options->type, o->name);
        else
            error_set(e, EXIT_USAGE, "object %s cannot be monitored; expected one %s", o->name,
                      criterion_is_together(&o->criterion) ? "whose operations take effect one at a time"
                                                           : "whose histories may end after every operation");
        return NULL;
    }
    if (!object_check_init(o, NULL, e)) return NULL;
    if (o->relaxed && options && (options->sample > 1 || options->go_on)) {
        error_set(e, EXIT_USAGE, "criterion %s is about all elements from the beginning; expected it without %s",
                  criterion_type_of(o->criterion.kind)->name, options->go_on ? "going on" : "sampling");
        return NULL;
    }
    if (options && options->sample > 1 && !monitor_can_sample(o)) {
        error_set(e, EXIT_USAGE, "object %s cannot be sampled; expected one with keys, elements or values of its own",
                  o->name);
        return NULL;
    }
    monitor *m = MEM_NEW(monitor);
    m->o = o;
    m->type = t;
    if (options) m->options = *options;
    if (!m->options.max_ways) m->options.max_ways = STANDARD_WAYS;
    m->slots = 64;
    m->slot = mem_zero(m->slots, sizeof(monitor_part *));
    m->verdict = VERDICT_LINEARIZABLE;
    m->bad = MOMENT_NEVER;
    return m;
}

void monitor_free(monitor *m) {
    if (!m) return;
    for (uint32_t i = 0; i < m->slots; i++)
        for (monitor_part *p = m->slot[i], *next; p; p = next) {
            next = p->next_in_slot;
            part_free(p);
        }
    opens_free(m);
    findings_free(m);
    free(m->unsettled);
    free(m->slot);
    state_free(&m->scratch);
    free(m);
}

/* ---- events ---- */

open_operation *monitor_call(monitor *m, const monitor_call_record *call) {
    open_operation *op = open_operation_new(m);
    op->op = (monitored){.number = m->calls++,
                         .call = m->events++,
                         .ret = MOMENT_NEVER,
                         .client = call->client,
                         .method = call->method,
                         .nargs = call->nargs,
                         .key = call->key,
                         .res = VALUE_UNKNOWN};
    memcpy(op->op.arg, call->arg, sizeof op->op.arg);
    op->pending = op->given_up = op->stand_in = op->left_out = op->from_before = false;
    op->part = NULL;
    op->mine = 0;
    opens_link(m, op);
    if (m->verdict != VERDICT_LINEARIZABLE) return op;
    if (!monitor_samples_call(m, &op->op)) {
        m->left_out++;
        return op;
    }
    op->part = part_of(m, &op->op);
    part_call(op->part, op);
    monitor_give_up_oldest(m);
    opens_check(m);
    return op;
}

static verdict end_operation(monitor *m, open_operation *op, journal_kind kind, value res) {
    moment at = m->events;
    m->events++;
    if (op->given_up) { /* what it says comes too late */
        op->given_up = false;
        if (!op->part) open_operation_give_back(m, op);
        return m->verdict;
    }
    if (m->verdict != VERDICT_LINEARIZABLE || !op->part) { /* not judged */
        opens_unlink(m, op);
        open_operation_give_back(m, op);
        return m->verdict;
    }
    if (kind == JOURNAL_PEND) { /* the part's monitor has it from now on */
        opens_unlink(m, op);
        part_end(op->part, kind, op, at);
    } else {
        if (kind == JOURNAL_RETURN) {
            op->op.ret = at;
            op->op.res = res;
        }
        part_end(op->part, kind, op, at);
        opens_unlink(m, op); /* only now: a replay has to find it */
        open_operation_give_back(m, op);
    }
    monitor_give_up_oldest(m);
    if (m->verdict == VERDICT_VIOLATION) monitor_found_violation(m);
    opens_check(m);
    return m->verdict;
}

verdict monitor_return(monitor *m, open_operation *op, value res) { return end_operation(m, op, JOURNAL_RETURN, res); }
verdict monitor_fail(monitor *m, open_operation *op) {
    m->failed += !op->given_up;
    return end_operation(m, op, JOURNAL_DROP, VALUE_UNKNOWN);
}
verdict monitor_info(monitor *m, open_operation *op) { return end_operation(m, op, JOURNAL_PEND, VALUE_UNKNOWN); }

verdict monitor_never_returns(monitor *m, open_operation *op) {
    if (m->verdict != VERDICT_LINEARIZABLE || op->given_up) return m->verdict;
    if (m->lasting++ == 0) m->first_lasting = op->op.call;
    opens_unlink(m, op);
    part_end(op->part, JOURNAL_PEND, op, m->events - 1);
    opens_check(m);
    return m->verdict;
}

void monitor_ends(monitor *m) {
    while (m->oldest && m->verdict == VERDICT_LINEARIZABLE) {
        open_operation *op = m->oldest;
        if (op->part) monitor_never_returns(m, op);
        else opens_unlink(m, op);
    }
}

/* The return of an operation that was given up before the checkpoint: no caller holds it any more. */
verdict monitor_late(monitor *m) {
    m->events++;
    return m->verdict;
}

/* ---- what is known ---- */

verdict monitor_verdict(const monitor *m) { return m->verdict; }
uint64_t monitor_unjudged(const monitor *m, const char **why) {
    uint64_t n = m->unjudged;
    *why = m->unjudged_why;
    for (uint32_t i = 0; i < m->slots; i++)
        for (const monitor_part *p = m->slot[i]; p; p = p->next_in_slot)
            if (p->type->unjudged) n += p->type->unjudged(p->self, why);
    return n;
}

const char *monitor_doubt(monitor *m) {
    const char *why, *now = monitor_doubt_now(m);
    uint64_t unjudged = monitor_unjudged(m, &why);
    if (m->doubt[0]) now = m->doubt;
    if (!unjudged) return now;
    snprintf(m->doubt_now, sizeof m->doubt_now, "%" PRIu64 " operation%s not judged: %s%s%s", unjudged,
             unjudged == 1 ? " was" : "s were", why, *now ? "; " : "", now);
    return m->doubt_now;
}

const char *monitor_doubt_now(const monitor *m) {
    const char *doubt = NULL;
    for (uint32_t i = 0; i < m->unsettled_n && !doubt; i++) {
        const monitor_part *p = m->unsettled[i];
        doubt = p->type->doubt ? p->type->doubt(p->self) : NULL;
    }
    return doubt ? doubt : "";
}

const char *monitor_reason(const monitor *m) { return m->reason; }
moment monitor_bad_event(const monitor *m) { return m->bad; }
const char *monitor_name(const monitor *m) { return m->type->name; }
const object *monitor_object(const monitor *m) { return m->o; }

const monitored *monitor_pattern(const monitor *m, uint32_t *n) {
    *n = m->verdict == VERDICT_VIOLATION ? m->pattern_n : 0;
    return m->pattern;
}

void monitor_look(const monitor *m, monitor_status *out) {
    *out = (monitor_status){.events = m->events,
                            .operations = m->calls,
                            .open = m->open + m->lasting,
                            .given_up = m->given_up,
                            .failed = m->failed,
                            .parts = m->parts};
    out->sampled = m->calls - m->left_out;
    out->memory = sizeof *m + m->slots * sizeof *m->slot + m->pattern_room * sizeof *m->pattern;
    out->memory += opens_memory(m);
    if (m->lasting) out->lag = m->events - m->first_lasting;
    if (m->oldest && m->events - m->oldest->op.call > out->lag) out->lag = m->events - m->oldest->op.call;
    for (uint32_t i = 0; i < m->slots; i++)
        for (const monitor_part *p = m->slot[i]; p; p = p->next_in_slot) {
            out->live += p->type->live(p->self);
            out->memory += sizeof *p + p->type->memory(p->self) + journal_memory(p->journal);
        }
}
