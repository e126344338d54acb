#include "cli/replicas.h"

#include "cli/commands.h"
#include "remote/gather.h"
#include "runtime/verifier.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_SECONDS 5.0 /* that a majority is waited for */
enum { PAUSE = 5000 /* microseconds */ };

static bool all_left(const gather *g, uint64_t expected) {
    return g->clients >= (expected ? expected : 1) && !gather_here(g);
}

static void publish_metrics(const gather *g, const replicas_settings *s) {
    bool over = g->verdict != VERDICT_LINEARIZABLE;
    if (!s->metrics || (!over && !metrics_server_is_due(s->metrics))) return;
    checker_counts c = {0};
    if (g->check) g->check->type->look(g->check, &c);
    metrics_server_publish(s->metrics, &(metrics){.object = g->object,
                                                  .source = s->replicas,
                                                  .verdict = g->verdict,
                                                  .checked = g->returned,
                                                  .excused = c.excused,
                                                  .violations = g->verdict == VERDICT_VIOLATION,
                                                  .open = gather_pending(g),
                                                  .memory = c.memory});
}

/* The error is set when a majority is gone. Idle is the time between rounds that brought nothing: while a round waits
 * for a replica that died, the clients may wait for it, too. */
static void watch_to_the_end(gather *g, const replicas_settings *s, error *e) {
    double idle = 0;
    while (g->verdict == VERDICT_LINEARIZABLE && !*s->stop) {
        uint64_t events;
        if (!gather_round(g, &events, e)) return;
        publish_metrics(g, s);
        if (all_left(g, s->clients) || idle > s->idle) return;
        double since = clock_seconds();
        assert(g->verdict == VERDICT_LINEARIZABLE || g->reason[0]); /* a verdict with its reason */
        if (!events) usleep(PAUSE);
        idle = events ? 0 : idle + clock_seconds() - since;
    }
}

/* What was judged before a majority was gone stays judged; what came after is not known. */
static void say_lost(gather *g, const error *e) {
    if (g->verdict != VERDICT_LINEARIZABLE || !e->code) return;
    g->verdict = VERDICT_UNDECIDED;
    snprintf(g->reason, sizeof g->reason, "%s", e->what);
}

/* Nothing was heard, or no operation came to its end: that is no verdict. Nor is what was judged before a signal. */
static void say_partial(gather *g, bool stopped) {
    if (g->verdict != VERDICT_LINEARIZABLE || (g->returned && !stopped)) return;
    g->verdict = VERDICT_UNDECIDED;
    snprintf(g->reason, sizeof g->reason, "%s",
             g->returned ? "interrupted; linearizable so far" : "nothing was judged: no operation has returned");
}

static void add_json(const gather *g, text *out) {
    text_add(out, "{\"schema\":\"plumb.gathered/1\",\"object\":");
    text_json(out, g->object, strlen(g->object));
    text_printf(out, ",\"verdict\":\"%s\",\"clients\":%u,\"checked\":%" PRIu64 ",\"open\":%" PRIu64,
                verdict_text(g->verdict), g->clients, g->returned, gather_pending(g));
    if (g->verdict != VERDICT_LINEARIZABLE) {
        text_add(out, ",\"reason\":");
        text_json(out, g->reason, strlen(g->reason));
    }
    text_add(out, "}\n");
}

static int report(gather *g, const replicas_settings *s) {
    static const int codes[] = {EXIT_LINEARIZABLE, EXIT_VIOLATION, EXIT_UNDECIDED};
    text out = {0};
    error e = {0};
    if (s->json) {
        add_json(g, &out);
    } else {
        text_printf(&out, "%s: ", verdict_text(g->verdict));
        if (g->verdict != VERDICT_LINEARIZABLE) text_printf(&out, "%s; ", g->reason);
        text_printf(&out, "%" PRIu64 " operations of %u clients checked, %" PRIu64 " open\n", g->returned, g->clients,
                    gather_pending(g));
    }
    if (g->verdict == VERDICT_VIOLATION) alarm_news_set(s->news, g->object, g->reason);
    int printed = print_text(&out);
    if (g->verdict == VERDICT_VIOLATION && s->witness && !checker_write_witness(g->check, s->witness, &e)) complain(&e);
    if (printed) return printed;
    return g->verdict != VERDICT_VIOLATION && *s->stop ? EXIT_INTERRUPTED : codes[g->verdict];
}

int watch_replicas(const replicas_settings *s) {
    gather g;
    error e = {0};
    checker_options how = {.max_lag = s->max_lag ? s->max_lag : VERIFIER_MAX_LAG, .general = s->general};
    int code;
    if (gather_open(&g, s->replicas, s->key, ANSWER_SECONDS, &how, &e)) {
        watch_to_the_end(&g, s, &e);
        say_lost(&g, &e);
        say_partial(&g, *s->stop);
        code = report(&g, s);
    } else {
        code = complain(&e);
    }
    gather_close(&g);
    return code;
}
