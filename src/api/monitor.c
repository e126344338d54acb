/* Monitors through the front door. */
#include <plumbline/monitor.h>

#include "api/api.h"
#include "base/mem.h"
#include "monitor/event_feed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct plumb_monitor {
    error error;
    builder *b;
    event_feed *feed;
    uint32_t event; /* stands for the line in messages */
};

plumb_monitor *plumb_monitor_new(const char *name, const plumb_monitor_options *options) {
    plumb_monitor *m = MEM_NEW(plumb_monitor);
    feed_options how = {.object = name};
    if (options && API_GIVEN(options, init)) how.init = options->init;
    if (options && API_GIVEN(options, max_lag)) how.monitor.max_lag = options->max_lag;
    if (options && API_GIVEN(options, check_after)) how.monitor.check_after = options->check_after;
    m->b = builder_new("monitor", &m->error);
    m->feed = event_feed_new(m->b, &how, &m->error);
    if (!options_have_size(options, "plumb_monitor_new", &m->error)) return m;
    if (!name) error_set(&m->error, EXIT_USAGE, "no object; expected its name");
    else event_feed_open(m->feed);
    return m;
}

void plumb_monitor_free(plumb_monitor *m) {
    if (!m) return;
    event_feed_free(m->feed);
    builder_free(m->b);
    free(m);
}

static plumb_verdict so_far(const plumb_monitor *m) {
    if (m->error.code) return PLUMB_ERROR;
    assert(event_feed_monitor(m->feed)); /* without an error it was opened */
    /* the same order: LINEARIZABLE, VIOLATION, UNDECIDED */
    return (plumb_verdict)monitor_verdict(event_feed_monitor(m->feed));
}

plumb_verdict plumb_monitor_call(plumb_monitor *m, int64_t client, const char *name, const plumb_value *arg,
                                 size_t args) {
    if (so_far(m) != PLUMB_LINEARIZABLE) return so_far(m);
    values *t = builder_values(m->b);
    value few[HISTORY_MAX_ARGS], *inside = args > HISTORY_MAX_ARGS ? MEM_ARRAY(value, args) : few;
    for (size_t i = 0; i < args; i++) inside[i] = api_value(t, &arg[i]);
    uint32_t line = ++m->event;
    call_record call = {.client = value_int(t, client),
                        .method = builder_method(m->b, name, strlen(name), line),
                        .key = VALUE_NONE,
                        .arg = inside,
                        .nargs = args,
                        .line = line};
    builder_call(m->b, &call);
    if (inside != few) free(inside);
    return so_far(m);
}

plumb_verdict plumb_monitor_return(plumb_monitor *m, int64_t client, plumb_value result) {
    if (so_far(m) != PLUMB_LINEARIZABLE) return so_far(m);
    values *t = builder_values(m->b);
    builder_return(m->b, value_int(t, client), api_value(t, &result), ++m->event);
    return so_far(m);
}

plumb_verdict plumb_monitor_fail(plumb_monitor *m, int64_t client) {
    if (so_far(m) == PLUMB_LINEARIZABLE) builder_fail(m->b, value_int(builder_values(m->b), client), ++m->event);
    return so_far(m);
}

plumb_verdict plumb_monitor_info(plumb_monitor *m, int64_t client) {
    if (so_far(m) == PLUMB_LINEARIZABLE) builder_info(m->b, value_int(builder_values(m->b), client), ++m->event);
    return so_far(m);
}

/* What happened is nothing: no call, or only failed ones. */
static bool judged_nothing(const plumb_monitor *m) {
    monitor_status s;
    monitor_look(event_feed_monitor(m->feed), &s);
    return s.operations == s.failed;
}

plumb_verdict plumb_monitor_settle(plumb_monitor *m) {
    if (so_far(m) == PLUMB_LINEARIZABLE) monitor_settle(event_feed_monitor(m->feed));
    return so_far(m) == PLUMB_LINEARIZABLE && judged_nothing(m) ? PLUMB_UNDECIDED : so_far(m);
}

const char *plumb_monitor_reason(const plumb_monitor *m) {
    if (m->error.code) return m->error.what;
    if (so_far(m) == PLUMB_LINEARIZABLE && judged_nothing(m))
        return "nothing was judged (the history has no operations)";
    return monitor_reason(event_feed_monitor(m->feed));
}

uint64_t plumb_monitor_bad_event(const plumb_monitor *m) {
    return so_far(m) == PLUMB_VIOLATION ? monitor_bad_event(event_feed_monitor(m->feed)) : UINT64_MAX;
}

size_t plumb_monitor_pattern(const plumb_monitor *m, uint64_t *number, size_t room) {
    uint32_t n = 0;
    if (so_far(m) != PLUMB_VIOLATION) return 0;
    const monitored *op = monitor_pattern(event_feed_monitor(m->feed), &n);
    assert(!n || op);
    for (uint32_t i = 0; i < n && i < room; i++) number[i] = op[i].number;
    return n;
}

static monitor_status status_of(const plumb_monitor *m) {
    monitor_status s = {0};
    if (event_feed_monitor(m->feed)) monitor_look(event_feed_monitor(m->feed), &s);
    return s;
}

uint64_t plumb_monitor_events(const plumb_monitor *m) { return status_of(m).events; }
uint64_t plumb_monitor_lag(const plumb_monitor *m) { return status_of(m).lag; }
size_t plumb_monitor_memory(const plumb_monitor *m) { return status_of(m).memory; }
