#include <plumbline/segments.h>

#include "base/mem.h"
#include "base/pool.h"
#include "runtime/record/outsiders.h"
#include "runtime/record/readers.h"
#include "runtime/window.h"
#include "runtime/worker.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    STANDARD_OPERATIONS = 1 << 16,
    STANDARD_PATIENCE = 10000000, /* microseconds: more than an order takes on a machine that is busy otherwise */
    AHEAD_FOR_EACH = 4,
    MOST_OPERATIONS = 1 << 24,
    PAUSE = 200,
    FEW_EVENTS = 512,
    LONGEST_PATH = 4096
};
#define NOWHERE UINT64_MAX /* of an open operation that is not in the window any more */

struct plumb_segments {
    recording *m;
    plumb_segments_options options;
    char folder[LONGEST_PATH];
    ring_reader reader;
    sketch sketch;
    segment_window window;
    chain_link link;
    uint32_t wait_until; /* so many have returned: it was found that nothing can be cut before */
    background_thread worker;
    plumb_segments_status status; /* under its lock */
    bool sketching;
    mem_pool pool; /* of sketch, window and link: dropped when memory runs out */
    error error;
};

/* What is handed out when there is no memory for anything. It is never written to. */
static const plumb_segments nothing = {
    .error = {.code = EXIT_INTERNAL, .what = "out of memory: no segments are written"}, .status = {.ended = true}};

static bool out_of_memory(plumb_segments *s) {
    s->sketching = false;
    s->sketch = (sketch){0};
    s->window = (segment_window){0};
    s->link = (chain_link){.horizon = -1};
    return error_set(&s->error, EXIT_INTERNAL, "out of memory: there are no more segments");
}

/* ---- events ---- */

static void on_call(void *context, sketched *op) {
    plumb_segments *s = context;
    *op->mine = window_call(&s->window, op, s->sketch.events);
}

static void on_return(void *context, sketched *op) {
    plumb_segments *s = context;
    if (*op->mine != NOWHERE) window_return(&s->window, (uint32_t)*op->mine, op, s->sketch.events);
}

/* What is inside a queue leaves within about twice as many operations as there are values, and only then tells the
 * order in which it came: so the more there is inside, the further is looked ahead. */
static uint64_t enough(const plumb_segments *s) {
    return (uint64_t)s->options.operations + s->options.ahead + AHEAD_FOR_EACH * (uint64_t)s->window.carried;
}

/* An operation that is open for long is pending for ever. */
static void excuse_the_late(plumb_segments *s) {
    for (uint64_t i = 0; i < s->sketch.cursors; i++) {
        log_cursor *c = &s->sketch.cursor[i];
        if (!c->open || c->mine == NOWHERE || (uint64_t)s->window.op[c->mine].call + 4 * enough(s) > s->sketch.events)
            continue;
        assert(c->mine < s->window.n);
        window_excuse(&s->window, (uint32_t)c->mine);
        c->mine = NOWHERE;
    }
}

/* ---- segments ---- */

static void path_of(const plumb_segments *s, uint64_t number, char *room) {
    snprintf(room, LONGEST_PATH + 32, "%s/%012llu" SEGMENT_SUFFIX, s->folder, (unsigned long long)number);
}

static void forget_old(const plumb_segments *s) {
    char path[LONGEST_PATH + 32];
    if (!s->options.keep || s->link.number <= s->options.keep) return;
    path_of(s, s->link.number - s->options.keep - 1, path);
    unlink(path);
}

static void publish_status(plumb_segments *s, uint32_t written) {
    pthread_mutex_lock(&s->worker.lock);
    s->status.segments = s->link.number;
    s->status.operations += written;
    s->status.excused = s->window.excused;
    s->status.memory = s->window.room * sizeof *s->window.op + (s->window.values ? values_memory(s->window.values) : 0);
    s->status.ended = s->error.code != 0;
    pthread_mutex_unlock(&s->worker.lock);
}

static bool write_segment(plumb_segments *s, uint32_t *written) {
    char path[LONGEST_PATH + 32];
    path_of(s, s->link.number, path);
    if (!window_cut(&s->window, path, s->options.operations, &s->link, written, &s->error)) return false;
    assert(*written <= s->options.operations);
    forget_old(s);
    publish_status(s, *written);
    return true;
}

static void forget_written(plumb_segments *s) {
    uint32_t *moved = MEM_ARRAY(uint32_t, (size_t)s->window.n + 1);
    window_renew(&s->window, moved);
    for (uint64_t i = 0; i < s->sketch.cursors; i++) {
        log_cursor *c = &s->sketch.cursor[i];
        assert(!c->open || c->mine == NOWHERE || moved[c->mine] != UINT32_MAX); /* what is open was not written */
        if (c->open && c->mine != NOWHERE) c->mine = moved[c->mine] == UINT32_MAX ? NOWHERE : moved[c->mine];
    }
    s->sketch.values = s->window.values;
    free(moved);
}

/* One order, and all segments that can be cut from it with enough known behind them. When an open operation is in the
 * way, half a segment is waited for: it returns, or is excused. */
static bool write_when_enough(plumb_segments *s) {
    uint32_t written = 0;
    if (s->window.returned < enough(s) || s->window.returned < s->wait_until) return true;
    bool good = window_order(&s->window, &s->error);
    do good = good && write_segment(s, &written);
    while (good && written == s->options.operations && s->window.returned >= enough(s));
    if (good) forget_written(s);
    s->wait_until = written < s->options.operations / 2 ? s->window.returned + s->options.operations / 2 : 0;
    return good;
}

/* What is open now counts as pending. */
static bool write_the_rest(plumb_segments *s) {
    uint32_t written = 1;
    for (uint64_t i = 0; i < s->sketch.cursors; i++)
        if (s->sketch.cursor[i].open && s->sketch.cursor[i].mine != NOWHERE)
            s->window.op[s->sketch.cursor[i].mine].stands = KEPT_PENDING;
    bool good = !s->window.returned || window_order(&s->window, &s->error);
    while (good && written && s->window.returned) good = write_segment(s, &written);
    return good;
}

/* ---- the thread ---- */

static bool something_was_dark(const plumb_segments *s) {
    uint64_t used = __atomic_load_n(&s->m->header->used, __ATOMIC_SEQ_CST);
    if (outsider_calls(s->m->header)) return true;
    for (uint64_t i = 0; i < used && i < s->m->header->slots; i++)
        if (__atomic_load_n(&s->m->slot[i].dark, __ATOMIC_SEQ_CST)) return true;
    return false;
}

static bool read_on(plumb_segments *s, uint64_t *events) {
    *events = sketch_round(&s->sketch);
    if (!reader_is_inside(&s->reader))
        return error_set(&s->error, EXIT_UNDECIDED,
                         "the threads were too fast: they went on without the writer of segments");
    if (something_was_dark(s))
        return error_set(
            &s->error, EXIT_UNDECIDED,
            "an operation was not recorded, for want of room or of a slot: the state is unknown from there on");
    if (recording_misuse(s->m))
        return error_set(&s->error, EXIT_UNDECIDED, "the recorder was misused: %s", recording_misuse(s->m));
    if (s->sketch.damaged) return error_set(&s->error, EXIT_UNDECIDED, "the logs are damaged");
    sketch_publish(&s->sketch);
    excuse_the_late(s);
    return true;
}

static void write_segments(void *context) {
    plumb_segments *s = context;
    bool last = false;
    for (uint64_t events = 1; !(last && !events);) {
        last = worker_should_stop(&s->worker);
        if (!read_on(s, &events) || !write_when_enough(s)) break;
        if (!last && events < FEW_EVENTS) usleep(PAUSE);
    }
    if (!s->error.code && s->sketch.unread)
        error_set(&s->error, EXIT_UNDECIDED, "the system refuses the barrier (membarrier): not all was read");
    if (!s->error.code) write_the_rest(s);
    publish_status(s, 0);
}

static void *run_thread(void *context) {
    plumb_segments *s = context;
    if (!pool_run(&s->pool, write_segments, s)) {
        out_of_memory(s);
        pthread_mutex_lock(&s->worker.lock);
        s->status.ended = true;
        s->status.memory = 0;
        pthread_mutex_unlock(&s->worker.lock);
    }
    reader_leave(&s->reader); /* writers do not wait for it any more */
    return NULL;
}

/* ---- front door ---- */

static bool make_folder(plumb_segments *s) {
    if (!s->options.folder || !*s->options.folder || strlen(s->options.folder) >= LONGEST_PATH)
        return error_set(&s->error, EXIT_USAGE, "no folder for segments; expected one");
    snprintf(s->folder, sizeof s->folder, "%s", s->options.folder);
    if (mkdir(s->folder, 0777) && errno != EEXIST)
        return error_set(&s->error, EXIT_CANNOT_OPEN, "%s: cannot be made: %s", s->folder, strerror(errno));
    DIR *d = opendir(s->folder);
    if (!d) return error_set(&s->error, EXIT_CANNOT_OPEN, "%s: cannot be opened: %s", s->folder, strerror(errno));
    bool has_some = false;
    for (struct dirent *entry; (entry = readdir(d));) has_some = has_some || strstr(entry->d_name, SEGMENT_SUFFIX);
    closedir(d);
    return !has_some || error_set(&s->error, EXIT_USAGE, "%s: there are segments in it; expected none", s->folder);
}

static void take_options(plumb_segments *s, const plumb_segments_options *given) {
    take_sized(&s->options, given, sizeof s->options);
    if (!s->options.operations) s->options.operations = STANDARD_OPERATIONS;
    if (!s->options.ahead) s->options.ahead = s->options.operations;
    if (!s->options.patience) s->options.patience = STANDARD_PATIENCE;
    else if (s->options.patience == PLUMB_NO_PATIENCE) s->options.patience = 0;
    if (s->options.operations > MOST_OPERATIONS) s->options.operations = MOST_OPERATIONS;
    if (s->options.ahead > MOST_OPERATIONS) s->options.ahead = MOST_OPERATIONS;
}

static void begin_sketching(void *argument) {
    plumb_segments *s = argument;
    window_init(&s->window, s->m->header);
    sketch_init(&s->sketch, s->m, s->window.values, &(sketch_sink){s, on_call, on_return});
    s->sketch.seat = s->reader.seat;
    s->sketching = true;
}

static bool start(plumb_segments *s, plumb_recorder *r) {
    if (s->error.code) return false;
    if (r->error.code) return error_set(&s->error, r->error.code, "%s", r->error.what);
    if (!make_folder(s) || !reader_join(&s->reader, s->m, &s->error)) return false;
    if (!s->reader.from_the_beginning)
        return error_set(&s->error, EXIT_UNDECIDED,
                         "the beginning of the logs is gone; expected to be started before the threads");
    reader_asks_for_patience(&s->reader, s->options.patience);
    if (!pool_run(&s->pool, begin_sketching, s)) return out_of_memory(s);
    return worker_start(&s->worker, run_thread, s) ||
           error_set(&s->error, EXIT_INTERNAL, "cannot start the thread that writes segments");
}

plumb_segments *plumb_record_segments(plumb_recorder *r, const plumb_segments_options *given) {
    plumb_segments *s = mem_shell(sizeof *s);
    if (!s) return (plumb_segments *)(uintptr_t)&nothing;
    pool_init(&s->pool);
    s->m = r ? &r->shared : NULL;
    s->reader.seat = READER_NO_SEAT;
    s->link.horizon = -1;
    worker_init(&s->worker);
    if (!r) call_misuse(&s->error, "plumb_record_segments: the recorder or guard is NULL");
    options_have_size(given, "plumb_record_segments", &s->error);
    take_options(s, given);
    if (!start(s, r)) s->status.ended = true;
    return s;
}

/* False: misuse. */
static bool is_writer(const plumb_segments *s, const char *call) {
    return s || call_misuse(NULL, "%s: the segments are NULL; expected what plumb_guard_segments returned", call);
}

void plumb_segments_look(plumb_segments *s, plumb_segments_status *out) {
    if (!is_writer(s, "plumb_segments_look") || !status_has_size(out, "plumb_segments_look", NULL)) return;
    if (s == &nothing) give_sized(out, &s->status, sizeof s->status);
    else worker_tell(&s->worker, out, &s->status, sizeof s->status);
}

bool plumb_segments_stop(plumb_segments *s) {
    if (!is_writer(s, "plumb_segments_stop")) return false;
    if (s != &nothing) worker_stop(&s->worker);
    return !s->error.code;
}

const char *plumb_segments_reason(const plumb_segments *s) {
    if (!is_writer(s, "plumb_segments_reason")) return "plumb_segments_reason: the segments are NULL";
    return s->error.code ? s->error.what : "";
}

static void free_parts(void *argument) {
    plumb_segments *s = argument;
    if (s->sketching) sketch_free(&s->sketch);
    window_free(&s->window);
    chain_link_free(&s->link);
}

void plumb_segments_free(plumb_segments *s) {
    if (!s || s == &nothing) return;
    plumb_segments_stop(s);
    reader_leave(&s->reader);
    pool_run(&s->pool, free_parts, s);
    assert(s->pool.lost || pool_is_empty(&s->pool));
    pool_drop(&s->pool);
    worker_free(&s->worker);
    mem_foreign_free(s);
}
