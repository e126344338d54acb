#include "runtime/watch.h"

#include "base/mem.h"
#include "object/trust.h"
#include "runtime/record/outsiders.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_STRONGLY(p) __atomic_load_n(&(p), __ATOMIC_SEQ_CST)
/* bytes of values that are no words: then everything is forgotten, as after a dark time */
enum { MOST_VALUES = 256 << 20, MOST_KEPT = 256 << 20 /* bytes */ };

/* ---- samples ---- */

/* All operations of a key that is not in the sample are left out: of kv and set those are histories of their own. */
static bool is_outside(const watch *w, const sketched *op) {
    if (!op->nargs) return false;
    const uint64_t word = op->arg[0];
    const uint64_t hash =
        (word & 7) == LOG_HANDLE ? log_sample_hash(w->values, (value)(word >> 3)) : plumb_sample_hash(word);
    return hash > w->sampled;
}

bool watch_can_adapt(const watch *w) {
    const object *o = w->o;
    bool by_key = !o->parameter[0] && (!strcmp(o->type->name, "kv") || !strcmp(o->type->name, "set"));
    return by_key && w->m->header->version >= LOG_SHRINKS;
}

/* Operations that are open now were judged as such; what they return will not be looked at. */
static void leave_open_ones(watch *w) {
    for (uint64_t i = 0; i < w->sketch.cursors; i++) {
        log_cursor *c = &w->sketch.cursor[i];
        if (!c->open || w->left_out[i] || c->op.stale || !is_outside(w, &c->op)) continue;
        sketched ended = c->op;
        ended.outcome = LOG_UNKNOWN;
        w->left_out[i] = true;
        w->check->type->ret(w->check, &ended);
    }
}

/* Nothing of the keys that leave the sample is judged from here on; only then do writers hear of it. Whatever they
 * leave out is of such a key, so that no operation is missing of one that is judged. */
static void make_sample_smaller(watch *w) {
    log_header *h = w->m->header;
    w->sampled >>= 1;
    leave_open_ones(w);
    __atomic_store_n(&h->sampled, w->sampled, __ATOMIC_SEQ_CST);
    __atomic_store_n(&h->sample, UINT64_MAX / w->sampled, __ATOMIC_SEQ_CST);
}

enum { LOOK_EVERY = 1 << 10 /* events */, SMALLEST_SHARE = 20 /* bits */ };

/* In the midst of a round, too, since a round lasts for as long as there is something to read. Writers hear of a
 * smaller sample at once: only if there is still more and more to read, it was not small enough. */
static void look_behind(watch *w) {
    if (w->sketch.events % LOOK_EVERY > 1 || w->state != WATCH_CHECKING) return;
    const uint64_t room = w->m->header->chunk_limit * LOG_CHUNK_RECORDS, behind = sketch_behind(&w->sketch);
    sketch_publish(&w->sketch); /* what was read can be written over */
    if (behind < room / 8) w->too_far = room / 4;
    if (behind < w->too_far || behind < room / 4 || w->sampled >> (64 - SMALLEST_SHARE) == 0) return;
    w->too_far = behind + room / 32;
    make_sample_smaller(w);
}

uint64_t watch_sample(const watch *w) {
    uint64_t one_of = UINT64_MAX / w->sampled;
    return one_of > 1 ? one_of : 0;
}

/* ---- events ---- */

static void on_call(void *context, sketched *op) {
    watch *w = context;
    if (w->adapt) look_behind(w);
    if (w->sampled < UINT64_MAX && (w->left_out[op->client] = is_outside(w, op))) return;
    if (w->state == WATCH_CHECKING) w->check->type->call(w->check, op);
    else if (w->state == WATCH_GREY) resync_call(&w->resync, op);
}

/* Only words: other values go with the table that they are in, in the next dark period. */
static bool is_all_words(const sketched *op) {
    for (unsigned i = 0; i < op->nargs; i++)
        if ((op->arg[i] & 7) == LOG_HANDLE) return false;
    return true;
}

static void hear_of_ghost(watch *w, const sketched *op) {
    reader_hears_of_ghost(&w->reader);
    if (w->timed_out_n < WATCH_TIMED_OUT && is_all_words(op)) w->timed_out[w->timed_out_n++] = *op;
}

static void on_return(void *context, sketched *op) {
    watch *w = context;
    if (op->outcome == LOG_UNKNOWN) hear_of_ghost(w, op);
    if (w->left_out[op->client]) {
        w->left_out[op->client] = false;
        if (!op->stale) return;
    }
    switch (w->state) {
    case WATCH_CHECKING:
        w->check->type->ret(w->check, op);
        w->counts.checked++;
        break;
    case WATCH_GREY: {
        uint64_t grey = w->resync.grey;
        resync_return(&w->resync, op);
        w->counts.checked += grey == w->resync.grey;
        if (resync_is_over(&w->resync)) w->state = WATCH_CHECKING;
        break;
    }
    default: w->counts.skipped++; break;
    }
}

static uint32_t on_whole(void *context, const uint64_t *record, uint32_t n) {
    watch *w = context;
    if (w->state != WATCH_CHECKING || !w->check->type->whole || w->adapt) return 0;
    n = w->check->type->whole(w->check, record, n);
    w->counts.checked += n;
    return n;
}

static void on_stale(void *context, sketched *op) { resync_stale(&((watch *)context)->resync, op); }

/* ---- the dark ---- */

static uint64_t unjudged_by(const checker *c) {
    checker_counts counts = {0};
    if (c) c->type->look(c, &counts);
    return counts.unjudged;
}

static bool new_checker(watch *w) {
    uint64_t unjudged = unjudged_by(w->check);
    w->resync.grey += unjudged;
    w->counts.checked -= unjudged < w->counts.checked ? unjudged : w->counts.checked;
    checker_free(w->check);
    w->check = NULL;
    if (w->o) object_close(w->o);
    if (w->values) values_free(w->values);
    w->values = values_new();
    w->sketch.values = w->values;
    const log_header *h = w->m->header;
    w->o = object_open_from_data(h->object, h->init[0] ? h->init + 1 : NULL, &w->error);
    if (!w->o) return false;
    if (h->methods != w->o->type->method_count) /* another program's file may say anything */
        return error_set(&w->error, EXIT_BAD_INPUT, "the log has %u methods; expected those of object %s", h->methods,
                         w->o->name);
    object_use_values(w->o, w->values);
    w->check = checker_new(w->o, h->slots, &w->options, &w->error);
    return w->check != NULL;
}

/* A kv that has come with more than a cell's operations is judged by the general monitor. */
static resync_kind kind_now(const watch *w) { return resync_kind_of(w->o, w->options.general); }

/* The state is not known; judging begins again when that is possible. */
static void lose_state(watch *w) {
    assert(w->state != WATCH_OVER);
    w->state = WATCH_BLIND;
    w->doubtful = true;
    w->was_clean = false;
    w->options.sees_all = false;
    w->options.general |= kind_now(w) == RESYNC_TOLD; /* no other monitor can be told a state */
    if (!new_checker(w) || kind_now(w) == RESYNC_NEVER) w->state = WATCH_OVER;
}

static void darken(watch *w) {
    lose_state(w);
    w->counts.darkenings++;
    /* what the others record now is of no use */
    if (w->m->header->ring && reader_is_alone(&w->reader))
        __atomic_store_n(&w->m->header->want_dark, 1, __ATOMIC_SEQ_CST);
}

/* Read after the logs: an operation that was not recorded and had an effect on anything read there had its flag set
 * before. Its thread may have come after the round began: with SNAPSHOT, what it did is no reason for others to get
 * later stamps. */
static bool read_flags(watch *w) {
    BETWEEN_LOADS(); /* the logs were read before */
    bool clean = outsiders_are_out(w->m->header, w->outsider_calls) && w->sampled == log_sampled(w->m->header);
    w->sampled =
        log_sampled(w->m->header); /* another reader made the sample smaller: too late to leave out the others */
    w->outsider_calls = outsider_calls(w->m->header);
    uint64_t used = LOAD_STRONGLY(w->m->header->used);
    for (uint64_t i = 0; i < used && i < w->m->header->slots; i++) {
        uint64_t flag = LOAD_STRONGLY(w->m->slot[i].dark);
        if (flag != w->dark[i] || flag & 1) clean = false;
        w->dark[i] = flag;
    }
    return clean;
}

static uint64_t all_ghosts(const watch *w) {
    uint64_t n = w->reader.ghosts + log_load(&w->m->header->outsiders.ghosts);
    for (uint64_t i = 0; i < w->sketch.cursors; i++) n += log_load(&w->m->slot[i].ghosts);
    return n;
}

/* What timed out before the dark is pending after it, too: then it need not be waited for. */
static void hand_timed_out(watch *w) {
    uint64_t mine = 0;
    for (uint32_t i = 0; i < w->timed_out_n; i++) {
        sketched op = w->timed_out[i];
        op.client = 0; /* has nothing open in a new checker, and goes on under another name */
        op.mine = &mine;
        op.stale = false;
        w->check->type->call(w->check, &op);
        w->check->type->ret(w->check, &op);
    }
}

/* The whole round, its cut included, came after the flags were found clean, and found them clean again. */
static void begin_again(watch *w) {
    assert(w->state == WATCH_BLIND && w->was_clean && w->doubtful && w->check);
    const resync_kind kind = kind_now(w);
    const bool told = kind == RESYNC_TOLD;
    const uint64_t ghosts = all_ghosts(w);
    assert(w->timed_out_n <= ghosts);
    resync_begin(&w->resync, kind, w->check, told ? ghosts - w->timed_out_n : ghosts);
    if (told) hand_timed_out(w);
    memset(w->left_out, 0, w->m->header->slots * sizeof *w->left_out);
    sketch_restart(&w->sketch, on_stale); /* calls that come now belong to the dark */
    resync_begun(&w->resync);
    w->state = WATCH_GREY;
}

/* Whatever was found: what is recorded is not what happened. */
static bool was_misused(watch *w) {
    const char *what = recording_misuse(w->m);
    if (!what) return false;
    w->state = WATCH_OVER;
    w->verdict = VERDICT_UNDECIDED;
    snprintf(w->reason, sizeof w->reason, "the recorder was misused: %.*s", LOG_MISUSE_TEXT - 1, what);
    return true;
}

/* Of the first violations the reasons are kept. */
static void list_violation(watch *w) {
    if (!w->violation) w->violation = mem_zero(WATCH_LISTED, sizeof *w->violation);
    if (w->violations < WATCH_LISTED) snprintf(w->violation[w->violations], sizeof *w->violation, "%s", w->reason);
    w->violations++;
}

static void say_what_is_assumed(watch *w) {
    const size_t n = strlen(w->reason);
    if (w->verdict != VERDICT_VIOLATION || w->resync.kind != RESYNC_CONTAINER) return;
    snprintf(w->reason + n, sizeof w->reason - n,
             " (assumed: no value that was put in after the dark was inside from before)");
}

/* With go_on a violation is told and listed, and the object is in an unknown state from there on. */
static void conclude(watch *w) {
    if (!w->check || w->check->verdict == VERDICT_LINEARIZABLE) return;
    w->verdict = w->check->verdict;
    snprintf(w->reason, sizeof w->reason, "%s", w->check->type->reason(w->check));
    say_what_is_assumed(w);
    if (w->verdict == VERDICT_VIOLATION) {
        list_violation(w);
        if (w->found) w->found(w, w->context);
    }
    if (w->verdict == VERDICT_VIOLATION && w->go_on) {
        w->verdict = VERDICT_LINEARIZABLE;
        lose_state(w);
    } else {
        w->state = WATCH_OVER;
    }
}

/* What was read may have been written over meanwhile: it counts for nothing. */
static uint64_t come_back(watch *w) {
    assert(w->reader.seat != READER_NO_SEAT); /* only readers of a ring are expelled */
    if (!w->outside) {
        w->outside = true;
        w->counts.expelled++;
        if (w->state != WATCH_OVER) darken(w);
    }
    if (!reader_come_back(&w->reader)) return 0;
    w->outside = false;
    sketch_enter_again(&w->sketch);
    return 1;
}

/* In a dark period all is forgotten, and other monitors follow that keep less. */
static bool is_too_much(const watch *w) {
    if (values_memory(w->values) > MOST_VALUES) return true;
    checker_counts c = {0};
    if (w->check->keeps_all) w->check->type->look(w->check, &c);
    return c.memory > MOST_KEPT;
}

uint64_t watch_round(watch *w) {
    uint64_t events = w->outside ? 0 : sketch_round(&w->sketch);
    w->counts.rounds++;
    if (w->outside || !reader_is_inside(&w->reader)) return come_back(w);
    bool clean = read_flags(w);
    if (!was_misused(w) && w->sketch.damaged && w->state != WATCH_OVER) {
        w->state = WATCH_OVER;
        w->verdict = VERDICT_UNDECIDED;
        snprintf(w->reason, sizeof w->reason, "the logs are damaged");
    }
    if (w->state == WATCH_CHECKING || w->state == WATCH_GREY) {
        w->options.general |= w->resync.lost && w->resync.kind == RESYNC_CELL;
        if (!clean || w->resync.lost || is_too_much(w)) darken(w);
        else conclude(w);
    } else if (w->state == WATCH_BLIND) {
        if (clean && w->was_clean) begin_again(w);
        else if (events < 2 * LOG_CHUNK_RECORDS) __atomic_store_n(&w->m->header->want_dark, 0, __ATOMIC_SEQ_CST);
    } else if (w->m->header->want_dark) {
        __atomic_store_n(&w->m->header->want_dark, 0, __ATOMIC_SEQ_CST);
    }
    assert(w->state == WATCH_OVER || w->check);
    assert(w->state != WATCH_CHECKING || w->check->verdict == VERDICT_LINEARIZABLE);
    w->was_clean = clean;
    sketch_publish(&w->sketch);
    return events;
}

/* ---- what is known ---- */

static verdict settle(watch *w) {
    if (w->state != WATCH_CHECKING && w->state != WATCH_GREY) return w->verdict;
    assert(w->check);
    verdict now = w->check->type->settle(w->check);
    conclude(w);
    w->doubtful |= unjudged_by(w->check) > 0;
    return now;
}

void watch_settle(watch *w) { settle(w); }

static void say_what_was_not_judged(watch *w) {
    unsigned long long threads = log_load(&w->m->header->outsiders.threads);
    bool missed = outsider_calls(w->m->header) != 0;
    watch_counts c;
    watch_look(w, &c);
    int n = snprintf(w->reason, sizeof w->reason,
                     "%llu operations were not judged: they came in %llu dark periods, or right after",
                     (unsigned long long)(c.dark + c.skipped + c.grey), (unsigned long long)c.darkenings);
    if (missed && threads) snprintf(w->reason + n, sizeof w->reason - (size_t)n, "; %llu threads had no slot", threads);
}

/* A violation stays one, whatever came after it. */
static verdict say_first_violation(watch *w) {
    int n = snprintf(w->reason, sizeof w->reason, "%s", w->violation[0]);
    if (w->violations > 1 && n < (int)sizeof w->reason)
        snprintf(w->reason + n, sizeof w->reason - (size_t)n, " (the first of %llu violations)",
                 (unsigned long long)w->violations);
    return w->verdict = VERDICT_VIOLATION;
}

verdict watch_verdict(watch *w) {
    if (was_misused(w)) return w->verdict;
    verdict now = settle(w);
    if (w->violations) return say_first_violation(w);
    if (now == VERDICT_UNDECIDED && w->verdict == VERDICT_LINEARIZABLE) {
        w->verdict = VERDICT_UNDECIDED;
        snprintf(w->reason, sizeof w->reason, "%s", w->check->type->reason(w->check));
    }
    if (w->verdict == VERDICT_LINEARIZABLE && w->sketch.unread) {
        w->verdict = VERDICT_UNDECIDED;
        snprintf(w->reason, sizeof w->reason,
                 "the system refuses the barrier (membarrier) that shows what running threads have recorded: not all "
                 "of it was judged");
    }
    if (w->verdict == VERDICT_LINEARIZABLE && !w->doubtful && !w->counts.checked) {
        w->verdict = VERDICT_UNDECIDED;
        snprintf(w->reason, sizeof w->reason, "nothing was judged: no operation was recorded that has returned");
    }
    if (w->verdict == VERDICT_LINEARIZABLE && w->doubtful) {
        w->verdict = VERDICT_UNDECIDED;
        if (w->counts.darkenings || !w->check) say_what_was_not_judged(w);
        else snprintf(w->reason, sizeof w->reason, "%s", w->check->type->reason(w->check));
    }
    return w->verdict;
}

const char *watch_reason(const watch *w) { return w->error.code ? w->error.what : w->reason; }

void watch_look(const watch *w, watch_counts *out) {
    *out = w->counts;
    out->grey = w->resync.grey;
    out->dark = outsider_calls(w->m->header);
    for (uint64_t i = 0; i < w->sketch.cursors; i++) {
        out->dark += log_load(&w->m->slot[i].lost);
        out->open += w->sketch.cursor[i].open;
    }
    out->behind = sketch_behind(&w->sketch);
    checker_counts c = {0};
    if (w->check) w->check->type->look(w->check, &c);
    out->excused = c.excused;
    out->grey += c.unjudged;
    out->checked -= c.unjudged < out->checked ? c.unjudged : out->checked;
    out->memory = c.memory;
}

bool watch_write_witness(watch *w, const char *path, error *e) {
    if (w->check && w->check->verdict == VERDICT_VIOLATION) return checker_write_witness(w->check, path, e);
    return error_set(e, EXIT_UNDECIDED, "there is no violation");
}

/* ---- making ---- */

bool watch_init(watch *w, recording *m, const checker_options *options) {
    *w = (watch){.m = m, .options = *options, .verdict = VERDICT_LINEARIZABLE, .reader = {.seat = READER_NO_SEAT}};
    sketch_init(&w->sketch, m, NULL, &(sketch_sink){w, on_call, on_return});
    w->sketch.whole = on_whole;
    w->dark = mem_zero(m->header->slots, sizeof *w->dark);
    w->left_out = mem_zero(m->header->slots, sizeof *w->left_out);
    w->sampled = log_sampled(m->header);
    w->options.sees_all = true; /* or the dark begins at once */
    if (!new_checker(w) || !reader_join(&w->reader, m, &w->error)) return false;
    w->sketch.seat = w->reader.seat;
    if (!w->reader.from_the_beginning) darken(w);
    return true;
}

void watch_free(watch *w) {
    reader_leave(&w->reader);
    checker_free(w->check);
    resync_free(&w->resync);
    sketch_free(&w->sketch);
    object_close(w->o);
    values_free(w->values);
    FREE_ALL(w->dark, w->left_out, w->violation);
}
