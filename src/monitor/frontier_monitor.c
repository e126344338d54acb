/* Any object: every way things can stand after the events so far. A way is the set of open operations that have taken
 * effect, and the object's state. At a return, ways in which the operation has not taken effect are extended by open
 * ones until it has; no way left: a violation (docs/MONITORS.md).
 *
 * Events are kept until the outcome of everything that is open at them is known: then it is known with which result an
 * operation takes effect, and there are few ways (outlook.h). What is left is decided on trial, with the operations
 * that are still open as pending ones, after every event while that is cheap, and else in batches. A violation is found
 * at the next decision; the first event that made it is found by bisection.
 *
 * When there are too many ways, or after a violation that the options want to go beyond, the state is lost. What comes
 * is then not judged but counted, until an operation tells the state (told.h). It is known right after that operation
 * took effect; every operation that overlapped it may have come before or after. */
#include "monitor/outlook.h"
#include "monitor/past.h"
#include "monitor/told.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    PROMPT_EVENTS = 4096, /* of a part: for so long it is decided at every return */
    PROMPT_REST = 48,     /* while no more events than this have to be decided on trial */
    BATCH = 256,
    LATE = 1 << 13, /* events: what is open for longer is pending for ever */
    MOST_ON_TRIAL = 1 << 12,
    MOST_OVERLAPPING = 12,
    LOOK_AHEAD = 24, /* events, with this many kinds of pending operations */
    MANY_KINDS = 4,
    MOST_LOST_WAYS = 1 << 17,
    LOST_EVENTS = 1 << 11 /* kept while the state is lost */
};

typedef struct foreseen_event {
    uint32_t op;
    bool is_end; /* a return or a failure; else a call */
    moment at;
} foreseen_event;

typedef struct frontier {
    monitor_part *part;
    const object *o;
    outlooks all;
    outlook base, next, trial;
    foreseen_operation *op; /* those in `event`, and those open in `base`; by call */
    uint32_t ops, op_room;
    foreseen_event *event;
    uint32_t n, room;
    uint64_t first;      /* the number of event[0] */
    uint64_t searched;   /* numbers before this are known to be no violation */
    uint32_t next_check; /* when there are so many events */
    bool lost;
    bool open_question; /* the last events could not be decided on trial */
    uint64_t unjudged;  /* operations that returned while the state was lost */
    uint32_t lost_times;
    uint64_t assumed; /* times that it was not certain that there was a way */
    char lost_why[96];
    text looked_for; /* texts that operations look for, in this round */
    uint64_t looked_for_in;
    evidence_past past; /* the operations before those in `op` */
} frontier;

static uint64_t number_now(const frontier *f) { return f->first + f->n; }

/* ---- runs ---- */

/* By an operation that is kept and has returned. */
static bool is_wanted_later(const void *self, value v) {
    const frontier *f = self;
    for (uint32_t i = 0; i < f->ops; i++) {
        value wanted[2];
        operation view = monitored_view(&f->op[i].op);
        int n = f->op[i].how == ENDS_RETURNED ? wanted_values(f->o, &view, wanted, 2) : 0;
        for (int k = 0; k < n; k++)
            if (wanted[k] == v) return true;
    }
    return false;
}

static bool is_known(const foreseen_operation *op, uint64_t cut) { return op->how == ENDS_RETURNED && op->end <= cut; }

/* All texts that operations which are kept and have returned look for, one behind the other, with a byte between them
 * that tells them apart well enough: at worst a pending operation is tried in vain. */
static const text *texts_looked_for(frontier *f) {
    if (f->looked_for_in == f->all.round) return &f->looked_for;
    f->looked_for_in = f->all.round;
    f->looked_for.size = 0;
    for (uint32_t i = 0; i < f->ops; i++) {
        if (f->op[i].how != ENDS_RETURNED) continue;
        operation view = monitored_view(&f->op[i].op);
        if (operation_found_text(f->o, &view, &f->looked_for)) text_bytes(&f->looked_for, "", 1);
    }
    return &f->looked_for;
}

static bool is_text_wanted(const void *self, const operation *op) {
    frontier *f = (frontier *)(uintptr_t)self;
    const text *all = texts_looked_for(f);
    text piece = {0};
    operation_piece(f->o, op, &piece);
    const bool yes = !piece.size || (all->size && memmem(all->at, all->size, piece.at, piece.size));
    text_free(&piece);
    return yes;
}

/* Events from..to-1, with what was known at event number `cut`. */
static outlook_end run(frontier *f, outlook *x, uint32_t from, uint32_t to, uint64_t cut, uint32_t *where) {
    for (uint32_t e = from; e < to; e++) {
        foreseen_operation *op = &f->op[f->event[e].op];
        outlook_end end = OUTLOOK_GOES_ON;
        *where = e;
        if (op->how == ENDS_DROPPED && op->end <= cut) op->slot = OUTLOOK_SLOTS;
        else if (!f->event[e].is_end) end = outlook_call(&f->all, x, op, is_known(op, cut));
        else if (op->how == ENDS_RETURNED) end = outlook_return(&f->all, x, op);
        if (end != OUTLOOK_GOES_ON) return end;
    }
    return OUTLOOK_GOES_ON;
}

/* The oldest operation that has no outcome; `ops`: none. */
static uint32_t oldest_open(const frontier *f) {
    uint32_t i = 0;
    while (i < f->ops && f->op[i].how != ENDS_NOT_YET) i++;
    return i;
}

/* Its call is not kept: it was open when the state was lost. */
static bool was_called_before(const frontier *f, uint32_t i) { return i < f->ops && f->op[i].call < f->first; }

/* The first event at which something is called of which the outcome is not known, or is open since before the first. */
static uint32_t horizon(const frontier *f) {
    uint32_t e = 0;
    if (f->lost && was_called_before(f, oldest_open(f))) return 0;
    while (e < f->n && (f->event[e].is_end || f->op[f->event[e].op].how != ENDS_NOT_YET)) e++;
    return e;
}

/* ---- forgetting ---- */

static void remember(frontier *f, const foreseen_operation *op) {
    if (op->how != ENDS_DROPPED) past_add(&f->past, &op->op);
}

static bool is_needed(const frontier *f, const foreseen_operation *op) {
    if (op->how == ENDS_NOT_YET || op->call >= f->first) return true;
    return op->how != ENDS_PENDING && op->end >= f->first;
}

static void compact(frontier *f) {
    uint32_t *moved = MEM_ARRAY(uint32_t, f->ops + 1), n = 0;
    for (uint32_t i = 0; i < f->ops; i++) {
        moved[i] = n;
        if (!is_needed(f, &f->op[i])) {
            remember(f, &f->op[i]);
            continue;
        }
        f->op[n] = f->op[i];
        if (f->op[n].open) f->op[n].open->mine = n;
        n++;
    }
    for (uint32_t e = 0; e < f->n; e++) f->event[e].op = moved[f->event[e].op];
    f->ops = n;
    free(moved);
}

static void drop_events(frontier *f, uint32_t n) {
    assert(n <= f->n);
    if (f->n > n) memmove(f->event, f->event + n, (f->n - n) * sizeof *f->event);
    f->n -= n;
    f->first += n;
    if (!f->n || f->ops > f->n + OUTLOOK_SLOTS) compact(f);
}

/* With nothing open and the state known, what came before is no part of any later evidence. */
static void begin_evidence_again(frontier *f) {
    if (f->ops || !past_is_long(&f->past) || !outlook_is_at_rest(&f->base, &f->all.state)) return;
    for (uint32_t k = 0; k < f->all.kinds.n; k++)
        if (f->all.kinds.at[k].count) return;
    past_begin(&f->past, &f->all.state);
}

/* ---- violations ---- */

static bool is_violation_at(frontier *f, uint64_t cut) {
    uint32_t where;
    outlook_copy(&f->trial, &f->base);
    outlook_end end = run(f, &f->trial, 0, (uint32_t)(cut - f->first) + 1, cut, &where);
    outlooks_uncount(&f->all, 0);
    return end == OUTLOOK_NO_WAY;
}

/* A history cut later is a violation if one cut earlier is. */
static uint32_t earliest_event(frontier *f) {
    uint64_t low = f->searched > f->first ? f->searched - f->first : 0, high = f->n - 1;
    if (low > high) low = high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_violation_at(f, f->first + middle)) high = middle;
        else low = middle + 1;
    }
    return (uint32_t)high;
}

static void show_operation(frontier *f, const foreseen_operation *k, uint64_t cut) {
    monitored op = k->op;
    if (k->call > cut || (k->how == ENDS_DROPPED && k->end <= cut)) return;
    if (!is_known(k, cut)) {
        op.ret = MOMENT_NEVER;
        op.res = VALUE_UNKNOWN;
    }
    part_pattern(f->part, &op);
}

static void show_pattern(frontier *f, uint64_t cut) {
    for (uint32_t i = 0; i < f->ops; i++)
        if (!is_needed(f, &f->op[i])) remember(f, &f->op[i]);
    if (!past_show(&f->past, f->part)) return;
    for (uint32_t i = 0; i < f->ops; i++)
        if (is_needed(f, &f->op[i])) show_operation(f, &f->op[i], cut);
}

/* One way, and the operation alone: then it can be said what hinders it. */
static bool say_why(frontier *f, const foreseen_operation *k, text *what) {
    if (f->n != 2 || !outlook_is_at_rest(&f->base, &f->all.state) || f->all.kinds.n) return false;
    operation view = monitored_view(&k->op);
    text_add(what, " cannot take effect: ");
    object_why_not(f->o, &f->all.state, &view, what);
    return true;
}

static void lose(frontier *f, uint32_t events, const char *why);

static void say_violation(frontier *f) {
    outlooks_uncount(&f->all, 0);
    uint32_t e = earliest_event(f);
    const foreseen_operation *k = &f->op[f->event[e].op];
    text what = {0};
    operation view = monitored_view(&k->op);
    if (k->how == ENDS_DROPPED) {
        text_add(&what, "without an operation that did not happen, the results that others returned fit no order");
    } else {
        operation_print(f->o, &view, &what);
        if (!say_why(f, k, &what)) text_add(&what, " fits no order of the operations");
    }
    part_violation(f->part, "%s", text_str(&what));
    text_free(&what);
    part_violation_was_at(f->part, f->event[e].at);
    show_pattern(f, f->first + e);
    if (part_options(f->part)->go_on) lose(f, e + 1, "a violation came before");
}

/* ---- lost ---- */

/* These events are over, and nothing is known of the state after them. What is pending may still take effect. */
static void pass_over(frontier *f, uint32_t events) {
    for (uint32_t e = 0; e < events; e++) {
        const foreseen_operation *op = &f->op[f->event[e].op];
        f->unjudged += f->event[e].is_end && op->how == ENDS_RETURNED;
        if (!f->event[e].is_end && op->how == ENDS_PENDING) outlooks_count(&f->all, &op->op);
    }
    outlooks_keep_count(&f->all);
    drop_events(f, events);
}

/* Events before this one were judged. */
static void lose(frontier *f, uint32_t events, const char *why) {
    const uint64_t before = f->unjudged;
    if (!f->lost_times++) snprintf(f->lost_why, sizeof f->lost_why, "%s", why);
    f->lost = true;
    f->open_question = false;
    outlooks_uncount(&f->all, 0);
    pending_kinds_recall(&f->all.kinds);
    pass_over(f, events);
    f->unjudged = before;
    past_forget(&f->past);
}

void frontier_lose(void *self, const char *why, const monitored *pending, uint32_t n) {
    frontier *f = self;
    lose(f, f->n, why);
    for (uint32_t i = 0; i < n; i++) outlooks_count(&f->all, &pending[i]);
    outlooks_keep_count(&f->all);
}

static bool overlaps(const foreseen_operation *a, const foreseen_operation *x) {
    return a != x && a->call < x->end && (a->how != ENDS_RETURNED || a->end > x->call);
}

static uint32_t overlapping(const frontier *f, const foreseen_operation *x) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->ops; i++) {
        operation view = monitored_view(&f->op[i].op);
        if (f->op[i].how == ENDS_RETURNED && overlaps(&f->op[i], x)) n += !object_changes_nothing(f->o, &view);
    }
    return n;
}

/* Those that x overlaps may have come before it or after it. */
static outlook_end begin_at(frontier *f, uint32_t x, const state *s) {
    const uint64_t from = f->op[x].call, to = f->op[x].end;
    outlook_end end = OUTLOOK_GOES_ON;
    outlook_start(&f->all, &f->next, s);
    for (uint32_t i = 0; i < f->ops && end == OUTLOOK_GOES_ON; i++) {
        foreseen_operation *op = &f->op[i];
        if (op->call >= from || op->how != ENDS_RETURNED || op->end < from) continue;
        end = outlook_call(&f->all, &f->next, op, true);
        if (end == OUTLOOK_GOES_ON) end = outlook_maybe_before(&f->all, &f->next, op);
    }
    for (uint64_t e = from + 1; e <= to && end == OUTLOOK_GOES_ON; e++) {
        const foreseen_event *at = &f->event[e - f->first];
        foreseen_operation *op = &f->op[at->op];
        if (at->op == x || op->how == ENDS_DROPPED) continue;
        if (at->is_end) end = outlook_return(&f->all, &f->next, op);
        else end = outlook_call(&f->all, &f->next, op, op->how == ENDS_RETURNED);
        if (!at->is_end && end == OUTLOOK_GOES_ON && op->how == ENDS_RETURNED)
            end = outlook_maybe_before(&f->all, &f->next, op);
    }
    return end;
}

static bool begin_again_at(frontier *f, uint32_t x, const state *s) {
    for (uint64_t e = f->first; e <= f->op[x].call; e++) { /* pending operations called before it */
        const foreseen_event *at = &f->event[e - f->first];
        if (!at->is_end && f->op[at->op].how == ENDS_PENDING) outlooks_count(&f->all, &f->op[at->op].op);
    }
    if (begin_at(f, x, s) != OUTLOOK_GOES_ON) {
        outlooks_uncount(&f->all, 0);
        return false;
    }
    outlook swapped = f->base;
    f->base = f->next;
    f->next = swapped;
    outlooks_keep_count(&f->all);
    const uint64_t end = f->op[x].end;
    for (uint64_t e = f->first; e <= end; e++) {
        const foreseen_event *at = &f->event[e - f->first];
        f->unjudged += at->is_end && f->op[at->op].how == ENDS_RETURNED && at->op != x;
    }
    f->searched = number_now(f); /* what came after it was looked at: the first bad event may not be told exactly */
    f->lost = false;
    drop_events(f, (uint32_t)(end - f->first) + 1);
    return true;
}

/* The state is known again when an operation tells it that few others overlap, and what those returned is known. */
static bool find_state(frontier *f) {
    const uint32_t known = horizon(f);
    state told = {0};
    for (uint32_t e = 0; e < known && f->lost; e++) {
        const foreseen_operation *x = &f->op[f->event[e].op];
        if (!f->event[e].is_end || x->how != ENDS_RETURNED || x->call < f->first) continue;
        if (!operation_tells_state(f->o, &x->op, &told) || overlapping(f, x) > MOST_OVERLAPPING) continue;
        begin_again_at(f, f->event[e].op, &told);
    }
    state_free(&told);
    if (f->lost && known > LOST_EVENTS) pass_over(f, known - LOST_EVENTS / 2);
    return !f->lost;
}

/* ---- deciding ---- */

static void give_up_late(frontier *f) {
    while (f->n > LATE) {
        const uint32_t i = oldest_open(f);
        if (i == f->ops || number_now(f) - f->op[i].call <= LATE) return;
        open_operation *late = f->op[i].open;
        if (!late || late->stand_in) return;
        part_give_up(f->part, late);
    }
}

/* Where pending operations append, what is read a little later tells whether they did. */
static uint32_t far_enough(const frontier *f) {
    const uint32_t upto = horizon(f),
                   later = f->all.kinds.n > MANY_KINDS && !strcmp(f->o->type->name, "kv") ? LOOK_AHEAD : 0;
    return upto < later ? 0 : upto - later;
}

/* Once more, with more ways: pending operations were spared. */
static bool may_be_thorough(frontier *f) {
    const bool spared = object_is_sum(f->o) && !f->all.thorough;
    f->all.thorough = true;
    return spared;
}

static outlook_end run_known(frontier *f, uint32_t upto, uint32_t *where) {
    outlook_copy(&f->next, &f->base);
    outlook_end end = run(f, &f->next, 0, upto, number_now(f), where);
    if (end != OUTLOOK_TOO_MANY || !may_be_thorough(f)) return end;
    outlooks_uncount(&f->all, 0);
    outlook_copy(&f->next, &f->base);
    return run(f, &f->next, 0, upto, number_now(f), where);
}

static outlook_end decide_rest(frontier *f, uint32_t from, uint32_t *where) {
    const uint32_t most = f->all.most, counted = f->all.counted_n;
    outlook_copy(&f->trial, &f->next);
    if (f->all.most > MOST_ON_TRIAL) f->all.most = MOST_ON_TRIAL;
    outlook_end end = run(f, &f->trial, from, f->n, number_now(f), where);
    if (end == OUTLOOK_TOO_MANY && may_be_thorough(f)) {
        outlooks_uncount(&f->all, counted);
        outlook_copy(&f->trial, &f->next);
        end = run(f, &f->trial, from, f->n, number_now(f), where);
    }
    f->all.most = most;
    if (end != OUTLOOK_NO_WAY) outlooks_uncount(&f->all, counted);
    return end;
}

static void plan_next_check(frontier *f) {
    const uint64_t asked = part_options(f->part)->check_after;
    uint64_t after = f->n / 2 > BATCH ? f->n / 2 : BATCH;
    if (asked) after = asked;
    else if (number_now(f) < PROMPT_EVENTS && f->n <= PROMPT_REST && !f->lost && !f->open_question) after = 1;
    f->next_check = f->n + (uint32_t)after;
}

static void too_many(frontier *f, uint32_t where) {
    char why[96];
    if (~f->next.open == 0) snprintf(why, sizeof why, "more than %d operations were open at once", OUTLOOK_SLOTS);
    else if (f->next.incomplete)
        snprintf(why, sizeof why, "what was pending could have taken effect in too many ways to try them all");
    else snprintf(why, sizeof why, "there were more than %u ways things could stand", f->all.most);
    lose(f, where, why);
}

/* True: the state was lost, before the last events that are kept. */
static bool decide_known(frontier *f) {
    uint32_t where = 0;
    const uint32_t upto = far_enough(f);
    f->all.thorough = false;
    f->all.round++;
    outlook_end end = run_known(f, upto, &where);
    if (end == OUTLOOK_TOO_MANY) {
        too_many(f, where);
        return true;
    }
    if (end == OUTLOOK_GOES_ON && upto < f->n) end = decide_rest(f, upto, &where);
    if (end == OUTLOOK_NO_WAY) {
        say_violation(f);
        return false;
    }
    f->open_question = end == OUTLOOK_TOO_MANY || (upto < f->n && !outlook_is_sure(&f->trial));
    if (!outlook_is_sure(&f->next)) {
        outlook_assume(&f->all, &f->next);
        f->assumed++;
    }
    outlooks_keep_count(&f->all);
    outlook swapped = f->base;
    f->base = f->next;
    f->next = swapped;
    f->searched = number_now(f);
    outlook_forget_used(&f->all, &f->base);
    drop_events(f, upto);
    begin_evidence_again(f);
    return false;
}

/* A state that is lost may be found again in the events that are kept, as often as it costs little to lose it. */
static void decide(frontier *f) {
    uint64_t in_vain = 0;
    give_up_late(f);
    while (in_vain < MOST_LOST_WAYS && (!f->lost || find_state(f)) && decide_known(f)) in_vain += f->all.work.n + f->n;
    plan_next_check(f);
}

static void settle_frontier(void *self) {
    frontier *f = self;
    if (f->n && (f->searched < number_now(f) || f->lost || f->open_question)) decide(f);
}

/* ---- events ---- */

static void add_event(frontier *f, uint32_t op, bool is_end, moment at) {
    if (f->n == f->room) f->event = MEM_GROW(f->event, foreseen_event, f->room = f->room ? 2 * f->room : 8);
    f->event[f->n++] = (foreseen_event){.op = op, .is_end = is_end, .at = at};
}

static void call_frontier(void *self, open_operation *op) {
    frontier *f = self;
    if (f->ops == f->op_room) f->op = MEM_GROW(f->op, foreseen_operation, f->op_room = f->op_room ? 2 * f->op_room : 4);
    op->mine = f->ops;
    f->op[f->ops] = (foreseen_operation){
        .op = op->op, .open = op, .call = number_now(f), .end = NUMBER_NEVER, .slot = OUTLOOK_SLOTS};
    add_event(f, f->ops++, false, op->op.call);
}

static foreseen_operation *end_of(frontier *f, open_operation *op, ends_how how) {
    foreseen_operation *k = &f->op[op->mine];
    assert(op->mine < f->ops && k->open == op && k->how == ENDS_NOT_YET);
    k->op = op->op;
    k->open = NULL;
    k->how = how;
    return k;
}

static void ends(frontier *f, open_operation *op, ends_how how, moment at) {
    foreseen_operation *k = end_of(f, op, how);
    k->end = number_now(f);
    add_event(f, (uint32_t)op->mine, true, at);
    if (f->n >= f->next_check) decide(f);
}

static void return_frontier(void *self, open_operation *op) { ends(self, op, ENDS_RETURNED, op->op.ret); }
static void drop_frontier(void *self, open_operation *op) {
    frontier *f = self;
    f->next_check = 0; /* whatever happened before is judged with it */
    ends(f, op, ENDS_DROPPED, part_now(f->part));
}

static void pend_frontier(void *self, open_operation *op) {
    frontier *f = self;
    const foreseen_operation *k = end_of(f, op, ENDS_PENDING);
    if (k->call < f->first) { /* no event is left that would count it */
        outlooks_count(&f->all, &k->op);
        outlooks_keep_count(&f->all);
    }
    open_operation_free(f->part, op);
}

/* ---- making ---- */

static void *create(monitor_part *p) {
    frontier *f = MEM_NEW(frontier);
    f->part = p;
    f->o = part_object(p);
    outlooks_init(&f->all, f->o, part_options(p)->max_ways);
    f->all.wanted_later = is_wanted_later;
    f->all.text_wanted = is_text_wanted;
    f->all.asked = f;
    outlook_init(&f->base);
    outlook_init(&f->next);
    outlook_init(&f->trial);
    outlook_start(&f->all, &f->base, &p->rest);
    past_begin(&f->past, &p->rest);
    f->next_check = part_options(p)->check_after ? (uint32_t)part_options(p)->check_after : 1;
    return f;
}

static void destroy(void *self) {
    frontier *f = self;
    outlook_free(&f->base);
    outlook_free(&f->next);
    outlook_free(&f->trial);
    outlooks_free(&f->all);
    text_free(&f->looked_for);
    past_free(&f->past);
    free(f->op);
    free(f->event);
    free(f);
}

static bool rest(void *self, state *s) {
    frontier *f = self;
    if (f->n || f->lost || f->unjudged || !outlook_is_at_rest(&f->base, s)) return false;
    for (uint32_t k = 0; k < f->all.kinds.n; k++)
        if (f->all.kinds.at[k].count) return false;
    return true;
}

static void store_frontier(void *self, store *s) {
    frontier *f = self;
    STORE(s, f->ops);
    STORE(s, f->op_room);
    STORE(s, f->n);
    STORE(s, f->room);
    STORE(s, f->first);
    STORE(s, f->searched);
    STORE(s, f->next_check);
    STORE(s, f->lost);
    STORE(s, f->open_question);
    STORE(s, f->unjudged);
    STORE(s, f->lost_times);
    STORE(s, f->assumed);
    STORE(s, f->lost_why);
    past_store(&f->past, s);
    if (s->loading) {
        free(f->op);
        free(f->event);
    }
    STORE_ARRAY(s, f->op, f->ops, f->op_room);
    STORE_ARRAY(s, f->event, f->n, f->room);
    outlook_store(&f->base, s);
    pending_kinds_store(&f->all.kinds, f->o, s);
    for (uint32_t i = 0; i < f->ops && !s->bad; i++)
        if (f->op[i].open) store_open(s, f->part, &f->op[i].open);
}

static uint64_t returned_in_buffer(const frontier *f) {
    uint64_t n = 0;
    for (uint32_t e = 0; e < f->n && f->lost; e++)
        n += f->event[e].is_end && f->op[f->event[e].op].how == ENDS_RETURNED;
    return n;
}

static const char *doubt(const void *self) {
    const frontier *f = self;
    if (f->lost) return "the state is not known again yet";
    return f->open_question ? "the last operations have too many ways things can stand to be decided yet" : NULL;
}

static uint64_t unjudged(const void *self, const char **why) {
    const frontier *f = self;
    uint64_t n = f->unjudged + returned_in_buffer(f) + f->assumed;
    if (n) *why = f->lost_why[0] ? f->lost_why : "what was pending could have taken effect in too many ways";
    return n;
}

static uint64_t live(const void *self) {
    const frontier *f = self;
    return f->ops + (f->base.now.n - f->base.now.dropped);
}

static size_t memory(const void *self) {
    const frontier *f = self;
    return sizeof *f + outlook_memory(&f->base) + outlook_memory(&f->next) + outlook_memory(&f->trial) +
           outlooks_memory(&f->all) + past_memory(&f->past) + f->op_room * sizeof *f->op + f->room * sizeof *f->event;
}

/* Two operations that take effect at one moment are beyond it. */
static bool accepts(const object *o) { return !o->type->may_end && !criterion_is_together(&o->criterion); }

MONITOR_RECORD(monitor_frontier, "frontier",
               "any object: every way things can stand, as far as results are known; the exact event",
               .accepts = accepts, .create = create, .destroy = destroy, .call = call_frontier, .ret = return_frontier,
               .pend = pend_frontier, .drop = drop_frontier, .settle = settle_frontier, .rest = rest,
               .store = store_frontier, .doubt = doubt, .unjudged = unjudged, .live = live, .memory = memory);
