#include "drive/live_judge.h"

#include "format/plumb_jsonl.h"

#include <assert.h>
#include <string.h>

static void number_methods(live_judge *j) {
    for (unsigned m = 0; m < j->o->type->method_count; m++) {
        const char *name = j->o->type->methods[m].name;
        j->method[m] = builder_method(j->b, name, strlen(name), 0);
    }
}

static void write_header(live_judge *j) {
    json_heading heading = {.object = j->o->name, .init = j->o->init_text, .tick = 1};
    json_heading_write(&heading, output_text(j->history));
}

bool live_judge_open(live_judge *j, const live_judge_settings *s, error *e) {
    *j = (live_judge){.e = e, .b = builder_new(s->named, e)};
    feed_options how = {.object = s->object, .init = s->init, .monitor = {.go_on = s->go_on}};
    j->feed = event_feed_new(j->b, &how, e);
    if (!event_feed_open(j->feed)) return false;
    j->o = monitor_object(event_feed_monitor(j->feed));
    j->history = output_open(s->history, e);
    if (!j->history) return false;
    number_methods(j);
    write_header(j);
    return true;
}

/* ---- the file ---- */

static void write_call(live_judge *j, const reel_event *e, text *t) {
    const values *v = builder_values(j->b);
    text_add(t, "\"event\":\"call\",\"op\":\"");
    text_add(t, j->o->type->methods[e->method].name);
    text_char(t, '"');
    if (e->key != VALUE_NONE) {
        text_add(t, ",\"key\":");
        json_value(v, e->key, t);
    }
    text_add(t, ",\"args\":[");
    for (unsigned a = 0; a < e->nargs; a++) {
        if (a) text_char(t, ',');
        json_value(v, e->arg[a], t);
    }
    text_char(t, ']');
}

static void write_note(live_judge *j, const reel_event *e, text *t) {
    text_add(t, "{\"event\":\"note\",\"text\":");
    json_value(builder_values(j->b), e->res, t);
    annotation times = {.timed = true, .lasts = e->until > e->time, .time = e->time, .until = e->until};
    json_note_times(&times, t);
}

static void write_event(live_judge *j, const reel_event *e) {
    text *t = output_text(j->history);
    if (e->kind == REEL_NOTE) {
        write_note(j, e, t);
        return;
    }
    text_add(t, "{\"client\":");
    text_int(t, e->client);
    text_char(t, ',');
    if (e->kind == REEL_CALL) write_call(j, e, t);
    else if (e->kind == REEL_RETURN) {
        text_add(t, "\"event\":\"return\",\"res\":");
        json_value(builder_values(j->b), e->res, t);
    } else {
        text_add(t, e->kind == REEL_FAIL ? "\"event\":\"fail\"" : "\"event\":\"info\"");
    }
    text_add(t, ",\"time\":");
    text_int(t, e->time);
    text_add(t, "}\n");
}

/* ---- the monitor ---- */

static bool feed_event(live_judge *j, const reel_event *e, uint32_t line) {
    value client = value_int(builder_values(j->b), e->client);
    builder_time(j->b, e->time);
    switch ((reel_kind)e->kind) {
    case REEL_CALL: {
        call_record call = {client, j->method[e->method], e->key, e->arg, e->nargs, line};
        return builder_call(j->b, &call);
    }
    case REEL_RETURN: return builder_return(j->b, client, e->res, line);
    case REEL_FAIL: return builder_fail(j->b, client, line);
    case REEL_INFO: return builder_info(j->b, client, line);
    case REEL_NOTE: break;
    }
    return true;
}

void live_judge_take(live_judge *j, const reel_event *event, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const reel_event *e = &event[i];
        assert(i == 0 || e->kind == REEL_NOTE || event[i - 1].kind == REEL_NOTE || event[i - 1].time <= e->time);
        assert(e->kind != REEL_CALL || e->method < j->o->type->method_count);
        j->events += e->kind != REEL_NOTE;
        j->notes += e->kind == REEL_NOTE;
        write_event(j, e);
        output_flush(j->history);
        if (j->over || e->kind == REEL_NOTE) continue;
        uint64_t line = j->events + j->notes + 1; /* behind the header */
        if (feed_event(j, e, line < UINT32_MAX ? (uint32_t)line : UINT32_MAX)) j->time = e->time;
        else j->over = true;
    }
    monitor *m = event_feed_monitor(j->feed);
    if (!j->over && monitor_settle(m) != VERDICT_LINEARIZABLE) j->over = true;
}

bool live_judge_finish(live_judge *j) {
    assert(j->history);
    bool good = output_end(j->history, true);
    j->history = NULL;
    return good;
}

void live_judge_close(live_judge *j) {
    if (j->history) output_abandon(j->history);
    event_feed_free(j->feed);
    if (j->b) builder_free(j->b);
}

const monitor *live_judge_monitor(const live_judge *j) { return event_feed_monitor(j->feed); }
