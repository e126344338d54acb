/* `plumb monitor` on arbitrary bytes, in whatever format they look like: the input is refused with one line and exit
 * code 65, or judged; and what it says of a whole input `plumb check` does not contradict. A first byte below 32 is the
 * object, where the input says none. */
#include "evidence/judge.h"
#include "format/format.h"
#include "monitor/event_feed.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 2000, CHECKED_OPERATIONS = 12 };

typedef struct monitored_bytes {
    const char *object;
    const uint8_t *p;
    size_t n;
    const format *format;
} monitored_bytes;

static void require(int condition) {
    if (!condition) abort();
}

/* `whole`: what was read to its end before it was fed; the monitor's values are in it. */
static bool read_into(const monitored_bytes *x, builder *b, event_feed *feed, history **whole, error *e) {
    read_options how = {0};
    input *in = input_memory("fuzz", x->p, x->n, e);
    bool good = x->format->read(in, b, &how) && !e->code; /* false without an error: the verdict is final */
    if (good && feed && builder_has_operations(b)) {
        builder_redirect(b, NULL);
        *whole = builder_finish(b);
        if (*whole) event_feed_history(feed, *whole, "fuzz");
    }
    input_close(in);
    return !e->code;
}

static bool monitor_says(const monitored_bytes *x, verdict *out) {
    error e = {0};
    builder *b = builder_new("fuzz", &e);
    event_feed *feed = event_feed_new(b, &(feed_options){.object = x->object}, &e);
    history *whole = NULL;
    bool good = read_into(x, b, feed, &whole, &e);
    monitor *m = event_feed_monitor(feed);
    if (good && m) monitor_settle(m);
    if (m) *out = monitor_verdict(m);
    require(good || (e.code == EXIT_BAD_INPUT && !strchr(e.what, '\n')) || e.code == EXIT_UNDECIDED);
    bool doubtful = m && *monitor_doubt(m);
    event_feed_free(feed);
    builder_free(b);
    history_free(whole);
    return good && m && !doubtful;
}

static bool check_says(const monitored_bytes *x, verdict *out) {
    error e = {0};
    budget budget;
    builder *b = builder_new("fuzz", &e);
    history *h = read_into(x, b, NULL, NULL, &e) ? builder_finish(b) : NULL;
    object *o = h && x->object && h->n <= CHECKED_OPERATIONS ? object_open(x->object, NULL, &e) : NULL;
    judgement j;
    budget_init(&budget, 1, 0);
    bool good =
        o && object_bind(o, h, "fuzz", &e) && judge(h, o, &(judge_options){.quick = true}, &budget, NULL, &j, &e);
    if (good) {
        *out = j.verdict;
        judgement_free(&j);
    }
    object_close(o);
    history_free(h);
    builder_free(b);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    static const char *const objects[] = {"queue",    "stack", "register", "set",
                                          "snapshot", "kv",    "lock",     "cas-register"};
    error e = {0};
    if (!n || n > LONGEST) return 0;
    monitored_bytes x = {.p = p, .n = n};
    if (*p < 32) x = (monitored_bytes){.object = objects[*p % 8], .p = p + 1, .n = n - 1};
    input *in = input_memory("fuzz", x.p, x.n, &e);
    x.format = format_sniff_live(in, &e);
    input_close(in);
    verdict online = VERDICT_UNDECIDED, whole = VERDICT_UNDECIDED;
    if (!x.format || !monitor_says(&x, &online) || online == VERDICT_UNDECIDED || !check_says(&x, &whole)) return 0;
    require(whole == online || whole == VERDICT_UNDECIDED);
    return 0;
}
