/* Monitors through the front door. */
#include <plumbline/monitor.h>

#include "api/api.h"
#include "base/mem.h"
#include "monitor/event_feed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct plumb_monitor {
    mem_pool pool; /* of all that follows: dropped when memory runs out */
    error error;
    bool exhausted; /* it did: the verdict is undecided from then on */
    builder *b;
    event_feed *feed;
    uint32_t event; /* stands for the line in messages */
};

/* What is handed out when there is no memory for anything. It is never written to. */
static const plumb_monitor nothing = {.error = {.code = EXIT_INTERNAL, .what = "out of memory in plumb_monitor_new"},
                                      .exhausted = true};

static bool run(plumb_monitor *m, const char *call, void (*body)(void *argument), void *argument) {
    if (pool_run(&m->pool, body, argument)) return true;
    m->error.code = 0; /* what it said may be about what is gone */
    m->exhausted = true;
    m->b = NULL;
    m->feed = NULL;
    return error_set(&m->error, EXIT_INTERNAL, "out of memory in %s: what came after it was not judged", call);
}

typedef struct opening {
    plumb_monitor *m;
    const char *object;
    const plumb_monitor_options *options;
} opening;

static void open_monitor(void *argument) {
    const opening *a = argument;
    plumb_monitor *m = a->m;
    const plumb_monitor_options *options = a->options;
    feed_options how = {.object = a->object};
    if (options && API_GIVEN(options, init)) how.init = options->init;
    if (options && API_GIVEN(options, max_lag)) how.monitor.max_lag = options->max_lag;
    if (options && API_GIVEN(options, check_after)) how.monitor.check_after = options->check_after;
    m->b = builder_new("monitor", &m->error);
    m->feed = event_feed_new(m->b, &how, &m->error);
    event_feed_open(m->feed);
}

plumb_monitor *plumb_monitor_new(const char *name, const plumb_monitor_options *options) {
    plumb_monitor *m = mem_shell(sizeof *m);
    if (!m) return (plumb_monitor *)(uintptr_t)&nothing;
    pool_init(&m->pool);
    if (!name) call_misuse(&m->error, "plumb_monitor_new: no object; expected its name");
    else if (options_have_size(options, "plumb_monitor_new", &m->error))
        run(m, "plumb_monitor_new", open_monitor, &(opening){m, name, options});
    return m;
}

static void free_parts(void *argument) {
    plumb_monitor *m = argument;
    if (m->feed) event_feed_free(m->feed);
    if (m->b) builder_free(m->b);
}

void plumb_monitor_free(plumb_monitor *m) {
    if (!m || m == &nothing) return;
    pool_run(&m->pool, free_parts, m);
    assert(m->pool.lost || pool_is_empty(&m->pool));
    pool_drop(&m->pool);
    mem_foreign_free(m);
}

static plumb_verdict so_far(const plumb_monitor *m) {
    if (m->exhausted) return PLUMB_UNDECIDED;
    if (m->error.code) return PLUMB_ERROR;
    assert(event_feed_monitor(m->feed)); /* without an error it was opened */
    /* the same order: LINEARIZABLE, VIOLATION, UNDECIDED */
    return (plumb_verdict)monitor_verdict(event_feed_monitor(m->feed));
}

/* ---- events ---- */

typedef struct monitored_event {
    plumb_monitor *m;
    int64_t client;
    const char *method;
    const plumb_value *arg;
    size_t args;
    const plumb_value *result;
} monitored_event;

/* False: the verdict is final, or there is no monitor. */
static bool goes_on(const plumb_monitor *m, const char *call) {
    if (!m) return call_misuse(NULL, "%s: the monitor is NULL", call);
    return so_far(m) == PLUMB_LINEARIZABLE;
}

/* Runs one event; what came before it, or the object, may not allow it. */
static void take(const char *call, void (*body)(void *argument), monitored_event *x) {
    if (run(x->m, call, body, x) && x->m->error.code) api_refused(call, &x->m->error);
}

static plumb_verdict after(const plumb_monitor *m) { return m ? so_far(m) : PLUMB_ERROR; }

static value client_value(const monitored_event *x) { return value_int(builder_values(x->m->b), x->client); }

static void take_call(void *argument) {
    const monitored_event *x = argument;
    plumb_monitor *m = x->m;
    values *t = builder_values(m->b);
    value few[HISTORY_MAX_ARGS], *inside = x->args > HISTORY_MAX_ARGS ? MEM_ARRAY(value, x->args) : few;
    for (size_t i = 0; i < x->args; i++) inside[i] = api_value(t, &x->arg[i]);
    uint32_t line = ++m->event;
    call_record call = {.client = client_value(x),
                        .method = builder_method(m->b, x->method, strlen(x->method), line),
                        .key = VALUE_NONE,
                        .arg = inside,
                        .nargs = x->args,
                        .line = line};
    builder_call(m->b, &call);
    if (inside != few) free(inside);
}

plumb_verdict plumb_monitor_call(plumb_monitor *m, int64_t client, const char *name, const plumb_value *arg,
                                 size_t args) {
    static const char call[] = "plumb_monitor_call";
    if (goes_on(m, call) && api_call_is_right(call, name, arg, args, &m->error))
        take(call, take_call, &(monitored_event){m, client, name, arg, args, NULL});
    return after(m);
}

static void take_return(void *argument) {
    const monitored_event *x = argument;
    value result = api_value(builder_values(x->m->b), x->result);
    builder_return(x->m->b, client_value(x), result, ++x->m->event);
}

plumb_verdict plumb_monitor_return(plumb_monitor *m, int64_t client, plumb_value result) {
    static const char call[] = "plumb_monitor_return";
    if (goes_on(m, call) && api_value_is_right(call, &result, &m->error))
        take(call, take_return, &(monitored_event){.m = m, .client = client, .result = &result});
    return after(m);
}

static void take_fail(void *argument) {
    const monitored_event *x = argument;
    builder_fail(x->m->b, client_value(x), ++x->m->event);
}

plumb_verdict plumb_monitor_fail(plumb_monitor *m, int64_t client) {
    static const char call[] = "plumb_monitor_fail";
    if (goes_on(m, call)) take(call, take_fail, &(monitored_event){.m = m, .client = client});
    return after(m);
}

static void take_info(void *argument) {
    const monitored_event *x = argument;
    builder_info(x->m->b, client_value(x), ++x->m->event);
}

plumb_verdict plumb_monitor_info(plumb_monitor *m, int64_t client) {
    static const char call[] = "plumb_monitor_info";
    if (goes_on(m, call)) take(call, take_info, &(monitored_event){.m = m, .client = client});
    return after(m);
}

static void settle(void *m) { monitor_settle(event_feed_monitor(((plumb_monitor *)m)->feed)); }

/* What happened is nothing: no call, or only failed ones. */
static bool judged_nothing(const plumb_monitor *m) {
    monitor_status s;
    monitor_look(event_feed_monitor(m->feed), &s);
    return s.operations == s.failed;
}

/* Of operations that took too long to decide; "": none. It may be answered by what comes later. */
static const char *doubt(const plumb_monitor *m) {
    if (so_far(m) != PLUMB_LINEARIZABLE) return "";
    return judged_nothing(m) ? "nothing was judged (the history has no operations)"
                             : monitor_doubt_now(event_feed_monitor(m->feed));
}

plumb_verdict plumb_monitor_settle(plumb_monitor *m) {
    if (goes_on(m, "plumb_monitor_settle")) run(m, "plumb_monitor_settle", settle, m);
    return m && *doubt(m) ? PLUMB_UNDECIDED : after(m);
}

const char *plumb_monitor_reason(const plumb_monitor *m) {
    if (!m) {
        call_misuse(NULL, "plumb_monitor_reason: the monitor is NULL");
        return "plumb_monitor_reason: NULL";
    }
    if (m->error.code) return m->error.what;
    return *doubt(m) ? doubt(m) : monitor_reason(event_feed_monitor(m->feed));
}

static bool is_violation(const plumb_monitor *m, const char *call) {
    if (!m) return call_misuse(NULL, "%s: the monitor is NULL", call);
    return so_far(m) == PLUMB_VIOLATION;
}

uint64_t plumb_monitor_bad_event(const plumb_monitor *m) {
    return is_violation(m, "plumb_monitor_bad_event") ? monitor_bad_event(event_feed_monitor(m->feed)) : UINT64_MAX;
}

size_t plumb_monitor_pattern(const plumb_monitor *m, uint64_t *number, size_t room) {
    uint32_t n = 0;
    if (room && !number) {
        call_misuse(NULL, "plumb_monitor_pattern: no place for %zu numbers", room);
        room = 0;
    }
    if (!is_violation(m, "plumb_monitor_pattern")) return 0;
    const monitored *op = monitor_pattern(event_feed_monitor(m->feed), &n);
    assert(!n || op);
    for (uint32_t i = 0; i < n && i < room; i++) number[i] = op[i].number;
    return n;
}

static monitor_status status_of(const plumb_monitor *m, const char *call) {
    monitor_status s = {0};
    if (!m) call_misuse(NULL, "%s: the monitor is NULL", call);
    if (m && m->feed && event_feed_monitor(m->feed)) monitor_look(event_feed_monitor(m->feed), &s);
    return s;
}

uint64_t plumb_monitor_events(const plumb_monitor *m) { return status_of(m, "plumb_monitor_events").events; }
uint64_t plumb_monitor_lag(const plumb_monitor *m) { return status_of(m, "plumb_monitor_lag").lag; }
size_t plumb_monitor_memory(const plumb_monitor *m) { return status_of(m, "plumb_monitor_memory").memory; }
