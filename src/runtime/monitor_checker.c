/* The monitors of the house as checkers: words become values, methods are bound to the object. */
#include "monitor/checkpoint.h"
#include "monitor/monitor_evidence.h"
#include "monitor/store.h"
#include "runtime/checker.h"

#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct monitor_checker {
    checker head;
    monitor *m;
    open_operation **open; /* by client */
    uint32_t *name;        /* by client: a thread that goes on after a pending operation is another client */
    uint32_t clients, names;
    uint32_t writer; /* of a single-writer register, plus one */
    bool one_writer, batches;
    checker_options options;
    char wrong[160];
} monitor_checker;

static monitor_checker *self_of(checker *c) { return (monitor_checker *)(void *)c; }

static void bad_event(monitor_checker *c, text *wrong) {
    snprintf(c->wrong, sizeof c->wrong, "%s", text_str(wrong));
    text_free(wrong);
    c->head.verdict = VERDICT_UNDECIDED;
}

static bool check_writer(monitor_checker *c, const operation *op, uint32_t client) {
    if (!c->one_writer || (object_method(c->head.o, op)->role & ROLE_OBSERVES)) return true;
    if (c->writer && c->writer != client + 1) return false;
    c->writer = client + 1;
    return true;
}

static void take_call(checker *head, sketched *s) {
    monitor_checker *c = self_of(head);
    assert(s->client < c->clients && s->nargs <= HISTORY_MAX_ARGS);
    if (head->verdict != VERDICT_LINEARIZABLE) return;
    operation op = {.method = s->method, .nargs = s->nargs, .key = VALUE_NONE, .res = VALUE_UNKNOWN, .ret = RANK_NEVER};
    for (unsigned i = 0; i < HISTORY_MAX_ARGS; i++)
        op.arg[i] = i < s->nargs ? word_as_value(head->o->values, s->arg[i]) : VALUE_NONE;
    text wrong = {0};
    if (!object_bind_call(head->o, &op, &wrong)) {
        bad_event(c, &wrong);
        return;
    }
    if (!check_writer(c, &op, s->client)) {
        text_add(&wrong, "a second thread writes; expected a single writer");
        bad_event(c, &wrong);
        return;
    }
    assert(!c->open[s->client] && c->name[s->client] < c->names); /* one operation open at most */
    monitor_call_record call = {.client = c->name[s->client], .method = op.method, .nargs = op.nargs, .key = op.key};
    memcpy(call.arg, op.arg, sizeof call.arg);
    c->open[s->client] = monitor_call(c->m, &call);
    head->verdict = monitor_verdict(c->m);
}

static void returned(monitor_checker *c, open_operation *open, const sketched *s) {
    const monitored *m = open_operation_view(open);
    operation op = {
        .method = m->method, .nargs = m->nargs, .key = m->key, .res = word_as_value(c->head.o->values, s->res)};
    memcpy(op.arg, m->arg, sizeof op.arg);
    text wrong = {0};
    if (object_bind_return(c->head.o, &op, &wrong)) monitor_return(c->m, open, op.res);
    else bad_event(c, &wrong);
}

static void take_return(checker *head, sketched *s) {
    monitor_checker *c = self_of(head);
    open_operation *open = c->open[s->client];
    if (head->verdict != VERDICT_LINEARIZABLE || !open) return;
    c->open[s->client] = NULL;
    s->late = open_operation_given_up(open);
    switch (s->outcome) {
    case LOG_RETURNED: returned(c, open, s); break;
    case LOG_FAILED: monitor_fail(c->m, open); break;
    default:
        monitor_info(c->m, open);
        c->name[s->client] = c->names++;
        break;
    }
    if (head->verdict == VERDICT_LINEARIZABLE) head->verdict = monitor_verdict(c->m);
}

static void drop(checker *head, sketched *s) {
    monitor_checker *c = self_of(head);
    open_operation *open = c->open[s->client];
    if (head->verdict != VERDICT_LINEARIZABLE || !open) return;
    c->open[s->client] = NULL;
    head->verdict = monitor_fail(c->m, open);
}

static bool lose(checker *head, const char *why) {
    monitor *m = self_of(head)->m;
    if (!monitor_finds_state(m)) return false;
    monitor_lose(m, why);
    return true;
}

static verdict settle(checker *head) {
    monitor_checker *c = self_of(head);
    if (!c->batches || head->verdict != VERDICT_LINEARIZABLE) return head->verdict;
    head->verdict = monitor_settle(c->m);
    return head->verdict == VERDICT_LINEARIZABLE && *monitor_doubt_now(c->m) ? VERDICT_UNDECIDED : head->verdict;
}

/* Open operations that were given up have no owner in the copy: their returns are not looked at there either. A monitor
 * that has its verdict is copied without operations: what comes is not looked at any more. */
static checker *copy(checker *head, const object *o) {
    monitor_checker *from = self_of(head);
    error e = {0};
    checker *made = monitor_checker_new(o, from->clients, &from->options, &e);
    monitor_checker *c = self_of(made);
    assert(made && c->clients == from->clients);
    bool good = monitor_copy(from->m, c->m);
    bool goes_on = head->verdict == VERDICT_LINEARIZABLE && monitor_verdict(c->m) == VERDICT_LINEARIZABLE;
    for (uint32_t i = 0; i < c->clients; i++) {
        c->name[i] = from->name[i];
        if (good && goes_on && from->open[i] && !open_operation_given_up(from->open[i]))
            c->open[i] = monitor_find_open(c->m, open_operation_view(from->open[i])->number);
    }
    c->names = from->names;
    c->writer = from->writer;
    c->head.verdict = good || head->verdict == VERDICT_VIOLATION ? head->verdict : VERDICT_UNDECIDED;
    memcpy(c->wrong, from->wrong, sizeof c->wrong);
    return made;
}

static const char *reason(const checker *head) {
    const monitor_checker *c = (const monitor_checker *)(const void *)head;
    if (*c->wrong) return c->wrong;
    return head->verdict == VERDICT_LINEARIZABLE ? monitor_doubt(c->m) : monitor_reason(c->m);
}

static void look(const checker *head, checker_counts *out) {
    monitor_status s;
    const char *why;
    const monitor *m = ((const monitor_checker *)(const void *)head)->m;
    monitor_look(m, &s);
    *out = (checker_counts){.excused = s.given_up,
                            .unjudged = monitor_unjudged(m, &why),
                            .memory = s.memory + values_memory(head->o->values)};
}

static history *evidence(checker *head, object **own) {
    *own = NULL;
    return monitor_evidence(self_of(head)->m);
}

static void free_checker(checker *head) {
    monitor_checker *c = self_of(head);
    monitor_free(c->m);
    FREE_ALL(c->open, c->name, c);
}

static const checker_type by_monitor = {
    .name = "monitor",
    .call = take_call,
    .ret = take_return,
    .drop = drop,
    .lose = lose,
    .settle = settle,
    .copy = copy,
    .reason = reason,
    .look = look,
    .evidence = evidence,
    .free = free_checker,
};

checker *monitor_checker_new(const object *o, uint32_t clients, const checker_options *options, error *e) {
    monitor_options how = {.max_lag = options->max_lag,
                           .has_gaps = !options->sees_all,
                           .check_after = options->check_after,
                           .general = options->general,
                           .seconds = options->seconds};
    monitor *m = monitor_new(o, &how, e);
    if (!m) return NULL;
    monitor_checker *c = MEM_NEW(monitor_checker);
    c->head = (checker){.type = &by_monitor, .o = o, .verdict = VERDICT_LINEARIZABLE};
    c->head.keeps_all = !strcmp(monitor_name(m), "deque");
    c->m = m;
    c->options = *options;
    c->open = mem_zero(clients, sizeof *c->open);
    c->name = MEM_ARRAY(uint32_t, clients);
    for (uint32_t i = 0; i < clients; i++) c->name[i] = i;
    c->clients = c->names = clients;
    c->batches =
        strcmp(monitor_name(m), "queue") && strcmp(monitor_name(m), "pool") && strcmp(monitor_name(m), "together");
    c->one_writer = !strcmp(o->type->name, "swmr-register");
    return &c->head;
}
