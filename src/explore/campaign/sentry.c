#include "explore/campaign/sentry.h"

#include "base/mem.h"
#include "explore/campaign/agreement.h"
#include "explore/model/event_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct sentry {
    object *o;
    const uint8_t *method_of;
    observer *monitor;
    observer *judge;  /* complete: tells wrong marks from a wrong object; NULL: marks do not matter */
    agreement *agree; /* instead of these: all are to agree; NULL: not asked for */
    bool own_patterns;
    observed x;
    text message;
};

bool explored_bind(const object *o, const uint8_t *method_of, values *v, const explored_operation *e, uint32_t index,
                   operation *out) {
    text wrong = {0};
    *out = (operation){.index = index,
                       .ret = e->returned ? 1 : RANK_NEVER,
                       .client = e->thread,
                       .method = method_of[e->method],
                       .nargs = e->nargs,
                       .key = VALUE_NONE,
                       .res = e->returned ? e->result : VALUE_UNKNOWN};
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) out->arg[a] = a < e->nargs ? value_int(v, e->arg[a]) : VALUE_NONE;
    bool good = object_bind_call(o, out, &wrong) && (!e->returned || object_bind_return(o, out, &wrong));
    text_free(&wrong);
    return good;
}

static bool open_monitors(sentry *w, const char *what, error *e) {
    if (!strcmp(what, "agree")) return (w->agree = agreement_open(w->o, &w->message));
    w->monitor = observer_asked(what, w->o, e);
    w->own_patterns = pattern_file_named(what);
    if (w->monitor && observer_needs_points(w->monitor))
        w->judge = observer_open(observer_kind_find("all"), w->o, 0, &w->message);
    return w->monitor;
}

sentry *sentry_open(const char *what, object *o, const uint8_t *method_of, error *e) {
    sentry *w = MEM_NEW(sentry);
    w->o = o;
    w->method_of = method_of;
    if (open_monitors(w, what, e)) {
        assert(!w->agree == (w->monitor != NULL));
        return w;
    }
    if (w->message.size) error_set(e, EXIT_USAGE, "--monitor %s: %s", what, text_str(&w->message));
    sentry_close(w);
    return NULL;
}

void sentry_close(sentry *w) {
    if (!w) return;
    observer_close(w->monitor);
    observer_close(w->judge);
    agreement_close(w->agree);
    text_free(&w->message);
    free(w);
}

bool sentry_needs_points(const sentry *w) { return w->judge; }
const char *sentry_message(const sentry *w) { return text_str(&w->message); }

static bool take_operations(sentry *w, const explored_operation *op, uint32_t n, values *v) {
    text_clear(&w->message);
    if (w->o->values != v) object_use_values(w->o, v);
    w->x.o = w->o;
    w->x.n = n;
    w->x.events = 0;
    if (n > OBSERVED_OPERATIONS) {
        text_printf(&w->message, "more than %d operations", OBSERVED_OPERATIONS);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!explored_bind(w->o, w->method_of, v, &op[i], i, &w->x.op[i])) {
            text_add(&w->message, "a result that the object cannot have");
            return false;
        }
    return true;
}

static sentry_verdict judge_marks(sentry *w) {
    observer_verdict v = observer_run(w->judge, &w->x, NULL, &w->message);
    return v == OBSERVER_BAD ? SENTRY_VIOLATION : v == OBSERVER_GOOD ? SENTRY_ANNOTATION : SENTRY_UNDECIDED;
}

static sentry_verdict decide(sentry *w) {
    if (w->agree) return agreement_check(w->agree, &w->x, &w->message) ? SENTRY_UNDECIDED : SENTRY_DISAGREEMENT;
    const sentry_verdict said[] = {[OBSERVER_GOOD] = SENTRY_GOOD,
                                   [OBSERVER_SILENT] = SENTRY_SILENT,
                                   [OBSERVER_BAD] = w->own_patterns ? SENTRY_PATTERN : SENTRY_VIOLATION,
                                   [OBSERVER_UNDECIDED] = SENTRY_UNDECIDED};
    observer_verdict v = observer_run(w->monitor, &w->x, NULL, &w->message);
    return v == OBSERVER_BAD_POINT ? judge_marks(w) : said[v];
}

sentry_verdict sentry_history(sentry *w, const explored_operation *op, uint32_t n, values *v, const uint32_t *order,
                              uint32_t events) {
    assert(event_order_is_sound(op, n, order, events));
    if (!take_operations(w, op, n, v)) return SENTRY_UNDECIDED;
    assert(events <= OBSERVED_EVENTS && !w->x.events);
    for (uint32_t e = 0; e < events; e++)
        w->x.event[w->x.events++] =
            (observed_event){order[e] & 1 ? OBSERVED_RETURN : OBSERVED_CALL, (uint8_t)(order[e] / 2)};
    return decide(w);
}

/* ---- as it happened ---- */

typedef struct timed_event {
    uint64_t at; /* calls and returns by their position; marks behind the calls and returns that they follow */
    observed_event event;
} timed_event;

static int earlier(const void *a, const void *b) {
    const timed_event *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

sentry_verdict sentry_execution(sentry *w, const world *v) {
    timed_event m[OBSERVED_EVENTS];
    uint32_t n = 0;
    bool twice = false;
    if (!take_operations(w, v->ops, v->op_count, v->values)) return SENTRY_UNDECIDED;
    for (uint32_t i = 0; i < v->op_count; i++) {
        const explored_operation *o = &v->ops[i];
        m[n++] = (timed_event){((uint64_t)o->call_at + 1) << 32, {OBSERVED_CALL, (uint8_t)i}};
        if (o->returned) m[n++] = (timed_event){((uint64_t)o->return_at + 1) << 32, {OBSERVED_RETURN, (uint8_t)i}};
        twice |= o->marks > 1;
        if (o->marks)
            m[n++] = (timed_event){(uint64_t)o->marked_after << 32 | (o->marked_as + 1), {OBSERVED_POINT, (uint8_t)i}};
    }
    assert(n <= OBSERVED_EVENTS);
    qsort(m, n, sizeof *m, earlier);
    for (uint32_t e = 1; e < n; e++) assert(m[e - 1].at < m[e].at); /* each at a moment of its own */
    for (uint32_t e = 0; e < n; e++) w->x.event[w->x.events++] = m[e].event;
    if (!twice) return decide(w);
    text_add(&w->message, "an operation is marked twice");
    return judge_marks(w);
}
