/* The frame around the monitors: numbering of events, open operations, the parts they belong to, the verdict. */
#include "monitor/checkpoint.h"

#include "base/words.h"
#include "monitor/grey.h"
#include "monitor/journal.h"
#include "monitor/store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { CHUNK = 64, STANDARD_WAYS = 1 << 16 };

typedef struct chunk {
    struct chunk *next;
    open_operation at[CHUNK];
} chunk;

struct monitor {
    const object *o;
    const monitor_type *type; /* for new parts */
    monitor_options options;
    moment events;
    uint64_t calls, open, given_up, failed;
    uint64_t left_out; /* by sampling */
    monitor_violation *violation;
    uint32_t violations, violation_room;
    uint64_t lasting; /* open, and known never to return */
    moment first_lasting;
    monitor_part *recent;     /* the part of the last event */
    monitor_part *found_by;   /* the violation */
    monitor_part **unsettled; /* parts that may have put something off, or are in doubt */
    uint32_t unsettled_n, unsettled_room;
    monitor_part **slot;
    uint32_t slots, parts, parts_kept;
    open_operation *oldest, *newest;
    chunk *chunks;
    open_operation *unused; /* linked by `newer` */
    verdict verdict;
    moment bad;
    char reason[240];
    monitored *pattern;
    uint32_t pattern_n, pattern_room;
    state scratch;
    char doubt[160];   /* of parts that are gone */
    uint64_t unjudged; /* the same */
    char unjudged_why[100];
    char doubt_now[320];
    char lost[100]; /* why no part begins at the beginning; "": they do */
};

/* Open operations are linked both ways, by the order of their calls. */
#ifdef PLUMB_SELF_CHECKS
static void check_open(const monitor *m) {
    uint64_t n = 0;
    const open_operation *before = NULL;
    for (const open_operation *op = m->oldest; op; before = op, op = op->newer, n++) {
        assert(op->older == before && !op->pending && !op->given_up && !op->stand_in);
        assert(op->op.number < m->calls && op->op.call < m->events);
        assert(!before || (before->op.number < op->op.number && before->op.call < op->op.call));
    }
    assert(before == m->newest && n == m->open);
}

static void check_parts(const monitor *m, uint32_t parts) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->slots; i++)
        for (const monitor_part *p = m->slot[i]; p; p = p->next_in_slot, n++)
            assert(p->m == m && ((uint32_t)hash_pair(p->key, p->element) & (m->slots - 1)) == i);
    assert(n == parts);
}
#else
static void check_open(const monitor *m) { (void)m; }
static void check_parts(const monitor *m, uint32_t parts) { (void)m, (void)parts; }
#endif

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
        if (general && t != &monitor_frontier && t != &monitor_together) continue;
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
            error_set(e, EXIT_USAGE,
                      "object %s cannot be monitored; expected one whose operations take effect one at a time",
                      o->name);
        return NULL;
    }
    if (!object_check_init(o, NULL, e)) return NULL;
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

static void keep_doubt(monitor *m, const monitor_part *p) {
    const char *doubt = p->type->doubt && !m->doubt[0] ? p->type->doubt(p->self) : NULL, *why = NULL;
    if (doubt) snprintf(m->doubt, sizeof m->doubt, "%s", doubt);
    if (p->type->unjudged) m->unjudged += p->type->unjudged(p->self, &why);
    if (why && !m->unjudged_why[0]) snprintf(m->unjudged_why, sizeof m->unjudged_why, "%s", why);
}

static void note_unsettled(monitor_part *p) {
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

static void part_free(monitor_part *p) {
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

void monitor_free(monitor *m) {
    if (!m) return;
    for (uint32_t i = 0; i < m->slots; i++)
        for (monitor_part *p = m->slot[i], *next; p; p = next) {
            next = p->next_in_slot;
            part_free(p);
        }
    for (chunk *c = m->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    for (uint32_t i = 0; i < m->violations; i++) free(m->violation[i].pattern);
    free(m->violation);
    free(m->unsettled);
    free(m->slot);
    free(m->pattern);
    state_free(&m->scratch);
    free(m);
}

/* ---- open operations ---- */

static open_operation *open_operation_new(monitor *m) {
    if (!m->unused) {
        chunk *c = mem_zero(1, sizeof *c);
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

static void give_back(monitor *m, open_operation *op) {
    op->newer = m->unused;
    m->unused = op;
}

/* A given-up operation is still held by the caller, who lets go of it with its return. */
void open_operation_free(monitor_part *p, open_operation *op) {
    assert(op->pending && op->part == p); /* others are freed by the frame */
    op->part = NULL;
    if (!op->given_up) give_back(p->m, op);
}

static void link_newest(monitor *m, open_operation *op) {
    assert(!m->newest || m->newest->op.number < op->op.number);
    op->older = m->newest;
    op->newer = NULL;
    if (m->newest) m->newest->newer = op;
    else m->oldest = op;
    m->newest = op;
    m->open++;
}

static void unlink_open(monitor *m, open_operation *op) {
    assert(m->open && (op->older ? op->older->newer == op : m->oldest == op));
    assert(op->newer ? op->newer->older == op : m->newest == op);
    if (op->older) op->older->newer = op->newer;
    else m->oldest = op->newer;
    if (op->newer) op->newer->older = op->older;
    else m->newest = op->older;
    m->open--;
}

const monitored *open_operation_view(const open_operation *op) { return &op->op; }
bool open_operation_given_up(const open_operation *op) { return op->given_up; }

/* ---- parts ---- */

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
    check_parts(m, m->parts);
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
    check_parts(m, m->parts);
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
    note_unsettled(p);
    return p;
}

static monitor_part *part_named(monitor *m, value key, value element) {
    monitor_part *p = m->recent;
    if (p && p->key == key && p->element == element) return p;
    for (p = m->slot[slot_of(m, key, element)]; p; p = p->next_in_slot)
        if (p->key == key && p->element == element) break;
    m->recent = p ? p : part_new(m, key, element);
    assert(m->recent->key == key && m->recent->element == element && m->recent->m == m);
    return m->recent;
}

static monitor_part *part_of(monitor *m, const monitored *op) { return part_named(m, op->key, element_of(m, op)); }

const object *part_object(const monitor_part *p) { return p->m->o; }
moment part_now(const monitor_part *p) { return p->m->events - 1; }
const monitor_options *part_options(const monitor_part *p) { return &p->m->options; }

/* ---- verdicts ---- */

static void settle(monitor *m, verdict v, const char *format, va_list args) {
    assert(v != VERDICT_LINEARIZABLE && m->events);
    if (m->verdict != VERDICT_LINEARIZABLE) return;
    m->verdict = v;
    m->bad = m->events - 1;
    vsnprintf(m->reason, sizeof m->reason, format, args);
}

void part_violation(monitor_part *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    p->m->found_by = p;
    settle(p->m, VERDICT_VIOLATION, format, args);
    va_end(args);
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

static void begin_again(monitor_part *p);
static void add_to_pattern(monitor *m, const monitored *op);

/* With go_on: noted, and the part that found it begins again, knowing nothing. */
static void found_violation(monitor *m) {
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
    begin_again(m->found_by);
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
        if (m->verdict == VERDICT_VIOLATION && m->options.go_on) found_violation(m);
        p->unsettled = 0;
        if (m->verdict == VERDICT_LINEARIZABLE && !(p->type->doubt && p->type->doubt(p->self))) continue;
        m->unsettled[left++] = p;
        p->unsettled = left;
    }
    m->unsettled_n = left;
    if (m->verdict == VERDICT_VIOLATION) found_violation(m);
    return m->verdict;
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

/* ---- events ---- */

/* ---- sampling ---- */

/* Those of different keys or elements do not matter to each other; all operations of a set of values may leave the
 * history of a container (docs/proofs/monitors.md). */
static bool by_value(const object *o) {
    static const char names[] = "queue stack multiset pqueue-max pqueue-min";
    return words_find(names, o->type->name, strlen(o->type->name)) >= 0 && !o->parameter[0];
}

bool monitor_can_sample(const object *o) { return o->type->keyed || o->type->parts_by_arg || by_value(o); }

static bool samples_value(const monitor *m, value v) {
    if (v == VALUE_EMPTY) return true;
    return hash_mix(v) % m->options.sample == 0;
}

static bool samples_call(const monitor *m, const monitored *op) {
    if (m->options.sample <= 1) return true;
    if (m->o->type->keyed) return samples_value(m, op->key);
    if (m->o->type->parts_by_arg) return samples_value(m, op->arg[0]);
    return !op->nargs || samples_value(m, op->arg[0]); /* of a remove it is known when it returns */
}

/* ---- journals ---- */

static uint32_t longest_journal(const monitor *m) {
    uint32_t most = JOURNAL_MOST / (m->parts ? m->parts : 1);
    return most > JOURNAL_LEAST ? most : JOURNAL_LEAST;
}

static void journal_event(monitor_part *p, journal_kind kind, const monitored *op, moment at) {
    if (!p->journal || (p->journal->n < longest_journal(p->m) && journal_add(p->journal, kind, op, at))) return;
    journal_free(p->journal);
    p->journal = NULL;
}

static void part_call(monitor_part *p, open_operation *op) {
    assert(op->part == p && !op->pending && op->op.ret == MOMENT_NEVER);
    p->open++;
    op->tick = p->tick;
    note_unsettled(p);
    if (p->grey && !grey_takes_call(p->grey, p->m->o, &op->op)) {
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
    return p->m->options.sample > 1 && !op->op.nargs && by_value(p->m->o) && !samples_value(p->m, op->op.res);
}

/* True: the part's monitor is not to see its end. */
static bool end_left_out(monitor_part *p, journal_kind kind, open_operation *op) {
    const bool older = op->from_before, unseen = op->left_out;
    if (unseen && kind == JOURNAL_PEND) {
        op->pending = true;
        open_operation_free(p, op);
    }
    if (unseen && p->grey) p->m->unjudged += kind == JOURNAL_RETURN;
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

static void part_end(monitor_part *p, journal_kind kind, open_operation *op, moment at) {
    assert(op->part == p && p->open && op->tick <= p->tick && op->op.call <= at);
    p->open--;
    note_unsettled(p);
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
    unlink_open(p->m, op);
    part_end(p, JOURNAL_PEND, op, p->m->events - 1);
}

/* One that is not judged stays in its caller's hands. */
static void give_up(monitor *m, open_operation *op) {
    if (op->part) {
        part_give_up(op->part, op);
        return;
    }
    op->given_up = true;
    unlink_open(m, op);
}

static void give_up_oldest(monitor *m) {
    while (m->options.max_lag && m->oldest && m->events - m->oldest->op.call > m->options.max_lag &&
           m->verdict == VERDICT_LINEARIZABLE)
        give_up(m, m->oldest);
}

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
    link_newest(m, op);
    if (m->verdict != VERDICT_LINEARIZABLE) return op;
    if (!samples_call(m, &op->op)) {
        m->left_out++;
        return op;
    }
    op->part = part_of(m, &op->op);
    part_call(op->part, op);
    give_up_oldest(m);
    check_open(m);
    return op;
}

static verdict end_operation(monitor *m, open_operation *op, journal_kind kind, value res) {
    moment at = m->events;
    m->events++;
    if (op->given_up) { /* what it says comes too late */
        op->given_up = false;
        if (!op->part) give_back(m, op);
        return m->verdict;
    }
    if (m->verdict != VERDICT_LINEARIZABLE || !op->part) { /* not judged */
        unlink_open(m, op);
        give_back(m, op);
        return m->verdict;
    }
    if (kind == JOURNAL_PEND) { /* the part's monitor has it from now on */
        unlink_open(m, op);
        part_end(op->part, kind, op, at);
    } else {
        if (kind == JOURNAL_RETURN) {
            op->op.ret = at;
            op->op.res = res;
        }
        part_end(op->part, kind, op, at);
        unlink_open(m, op); /* only now: a replay has to find it */
        give_back(m, op);
    }
    give_up_oldest(m);
    if (m->verdict == VERDICT_VIOLATION) found_violation(m);
    check_open(m);
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
    unlink_open(m, op);
    part_end(op->part, JOURNAL_PEND, op, m->events - 1);
    check_open(m);
    return m->verdict;
}

/* ---- the frontier takes over ---- */

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
        if (stand_in && e->kind != JOURNAL_PEND) give_back(m, x);
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
    note_unsettled(p);
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
static void begin_again(monitor_part *p) {
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
        op->left_out = p->grey->cell || m->o->type->methods[op->op.method].role & ROLE_ADDS;
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
            note_unsettled(p);
        }
}

/* ---- checkpoints (checkpoint.c does the file) ---- */

open_operation *monitor_new_open(monitor *m) { return open_operation_new(m); }

open_operation *monitor_find_open(const monitor *m, uint64_t number) {
    for (open_operation *op = m->newest; op; op = op->older)
        if (op->op.number == number) return op;
    return NULL;
}

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
        link_newest(m, op);
        if (!s->bad && samples_call(m, &op->op)) op->part = part_of(m, &op->op);
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
    note_unsettled(p);
}

bool monitor_can_be_kept(const monitor *m) { return m->type->store != NULL; }

/* What was found: once there is a verdict, the parts are as the last event left them, in the middle of something, and
 * are not looked at any more. */
static void store_found(monitor *m, store *s) {
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
    if (!s->loading) check_parts(m, parts);
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
        check_parts(m, parts);
        check_open(m);
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
    store_found(m, s);
    if (!s->bad && m->verdict == VERDICT_LINEARIZABLE) store_parts(m, s);
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
    for (const chunk *c = m->chunks; c; c = c->next) out->memory += sizeof *c;
    if (m->lasting) out->lag = m->events - m->first_lasting;
    if (m->oldest && m->events - m->oldest->op.call > out->lag) out->lag = m->events - m->oldest->op.call;
    for (uint32_t i = 0; i < m->slots; i++)
        for (const monitor_part *p = m->slot[i]; p; p = p->next_in_slot) {
            out->live += p->type->live(p->self);
            out->memory += sizeof *p + p->type->memory(p->self) + journal_memory(p->journal);
        }
}
