#include "base/mem.h"
#include "cli/interrupt.h"
#include "cli/monitor_run.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum { LOOK_EVERY = 1024 };
#define PROMPT_SECONDS 0.02

static void show_progress(monitor_run *w, double now) {
    monitor_status s;
    monitor_look(event_feed_monitor(w->feed), &s);
    assert(now >= w->looked && w->events >= w->looked_events);
    double rate = (double)(w->events - w->looked_events) / (now - w->looked);
    fprintf(stderr, "\r%" PRIu64 " events, %.0f/s, %" PRIu64 " open, lag %" PRIu64 ", %" PRIu64 " live, %.1f MB\033[K",
            s.events, rate, s.open, s.lag, s.live, (double)s.memory * 1e-6);
    w->shown = true;
    w->looked = now;
    w->looked_events = w->events;
}

void monitor_clear_progress(monitor_run *w) {
    if (w->shown) fputs("\r\033[K", stderr);
    w->shown = false;
}

void monitor_note_violations(monitor_run *w, event_feed *feed) {
    uint32_t n;
    monitor_violations(event_feed_monitor(feed), &n);
    for (; w->found_n < n; w->found_n++) {
        if (w->found_n == w->found_room)
            w->found_line = MEM_GROW(w->found_line, uint32_t, w->found_room = w->found_room ? 2 * w->found_room : 8);
        w->found_line[w->found_n] = event_feed_line(feed);
    }
}

/* So far: open ends are undecided at the end only. Operations that are open are not judged to their end. */
static void publish_metrics(monitor_run *w, const monitor *m) {
    monitor_status s;
    monitor_look(m, &s);
    verdict v = monitor_verdict(m);
    const char *why;
    uint32_t found;
    uint64_t ended = s.operations - s.open, unjudged = monitor_unjudged(m, &why);
    monitor_violations(m, &found);
    metrics_server_publish(w->metrics, &(metrics){.object = monitor_object(m)->name,
                                                  .source = w->path,
                                                  .verdict = v,
                                                  .checked = ended - (unjudged < ended ? unjudged : ended),
                                                  .excused = s.given_up,
                                                  .violations = found + (v == VERDICT_VIOLATION),
                                                  .open = s.open,
                                                  .lag = s.lag,
                                                  .memory = s.memory});
}

/* Monitors that work in batches are asked at every event while events are rare. An answer that took long is not asked
 * for again at once: at most a fifth of the time goes to being early. */
static void be_prompt(monitor_run *w, event_feed *feed) {
    double now = clock_seconds();
    if (now < w->next_settled) return;
    monitor_settle(event_feed_monitor(feed));
    const double after = clock_seconds(), pause = 4 * (after - now);
    w->next_settled = after + (pause > PROMPT_SECONDS ? pause : PROMPT_SECONDS);
}

static void be_seen(monitor_run *w, const monitor *m) {
    bool over = monitor_verdict(m) != VERDICT_LINEARIZABLE;
    if (w->metrics && (over || w->events % LOOK_EVERY == 0 || metrics_server_is_due(w->metrics))) publish_metrics(w, m);
}

bool monitor_save_state(monitor_run *w) {
    monitor_status s;
    monitor *m = event_feed_monitor(w->feed);
    if (monitor_verdict(m) != VERDICT_LINEARIZABLE) return true;
    monitor_look(m, &s);
    return event_feed_save(w->feed, &w->e) && (!w->live || live_part_save(w->live, s.events, &w->e));
}

bool monitor_in_silence(void *context) {
    monitor_run *w = context;
    monitor *m = event_feed_monitor(w->feed);
    if (m && w->live && w->events > w->saved) {
        w->saved = w->events;
        if (!monitor_save_state(w)) return false;
    }
    if (w->terminal && m) show_progress(w, clock_seconds());
    if (m && w->metrics) publish_metrics(w, m);
    return !m || monitor_settle(m) == VERDICT_LINEARIZABLE;
}

bool monitor_after_event(void *context, event_feed *feed) {
    monitor_run *w = context;
    w->events++;
    be_prompt(w, feed);
    be_seen(w, event_feed_monitor(feed));
    if (w->settings->go_on) monitor_note_violations(w, feed);
    if (w->terminal && w->events % LOOK_EVERY == 0) {
        double now = clock_seconds();
        if (now - w->looked > 0.2) show_progress(w, now);
    }
    if (w->settings->checkpoint && w->events % w->settings->every == 0 && !monitor_save_state(w)) return false;
    return !interrupted;
}
