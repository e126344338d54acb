/* Theorem 8.2: announce, apply, publish, then judge what has been published, oneself, before the answer is handed on.
 *
 * Of all threads that were answered "verified", take the one whose publication (a sequentially consistent store) was
 * the last: its round began after all of them were published, so its sketch has them all; the sketch's intervals lie
 * inside those that the callers saw; and it was found linearizable. So the history that was handed out is.
 *
 * Memory is bounded by leaving behind members that have not read for long: an owner that needs a chunk again ends their
 * epoch, then writes. A member looks at its epoch after reading, and discards what it has read if the epoch has ended.
 * The member that left it behind gives it a copy of its own knowledge; one that finds no gift asks for one, and all
 * members look for requests after each of their own operations. The last seat that is inside is not left behind: what
 * it knows would be lost for all. One that knows nothing itself waits for it, up to PATIENCE. */
#include "runtime/knowledge.h"

#include "base/digest.h"
#include "base/budget.h"
#include "base/mem.h"
#include "base/sized.h"
#include "object/trust.h"

#include <plumbline/segments.h>

#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOAD_STRONGLY(p) __atomic_load_n(&(p), __ATOMIC_SEQ_CST)
#define STORE_STRONGLY(p, v) __atomic_store_n(&(p), v, __ATOMIC_SEQ_CST)

enum { STANDARD_THREADS = 16, LEAST_CHUNKS = 4, STANDARD_CHUNKS = (4 << 20) / LOG_CHUNK_BYTES };
#define STANDARD_LAG (UINT64_C(1) << 20)
/* seconds, after which an answer is unverified: priority queues only, the others need none */
#define LONGEST_DECISION 0.02
/* the same where all operations are decided again: theories, and criteria other than the object's own */
#define LONGEST_DECISION_OF_ALL 1.0

/* seconds that a member without knowledge waits for the last one that has some */
#define PATIENCE 5.0

enum asking { ASKS_NOT, ASKS, IS_BEING_GIVEN };
enum { TRIES = 3, LOCK_TRIES = 10000, WAIT_STEP = 50 /* microseconds */ };

typedef struct seat { /* one for each slot, and one for the knowledge of members that left */
    _Alignas(128) uint32_t taken;
    uint32_t asks;   /* enum asking */
    uint64_t epoch;  /* times 2; odd: it knows nothing, and is not waited for */
    knowledge *gift; /* of no use when its epoch has ended */
    uint64_t *read;  /* by slot: has read the chunks before this place */
    uint64_t digest; /* of what its owners were answered, once they have left */
    /* Its owner has left, and what it knew is in `gift`, for the next one: to copy what is known for each thread that
     * comes would cost more with every value that there ever was. */
    uint32_t vacant;
} seat;

struct plumb_guard {
    plumb_recorder *r;
    checker_options options;
    error error;
    seat *seat;
    uint32_t seats;                /* the last one is the deposit: a gift for those who come later */
    _Alignas(128) uint32_t asking; /* how many ask */
    uint32_t expelling;            /* a member decides whether another one may be left behind */
    uint32_t blind;                /* something was not recorded: nothing can be verified any more */
    uint32_t turned_away;          /* a thread found no place: it may use the object all the same */
    pthread_mutex_t lock;          /* of joining and leaving */
    pthread_key_t here;            /* the calling thread's membership */
    bool has_key;
};

struct plumb_member {
    plumb_guard *g;
    log_writer *w;
    seat *seat;
    uint32_t number;
    uint64_t digest, asked; /* of what was answered; and of the open call */
    knowledge *know;        /* NULL: was left behind */
    uint64_t sequence;      /* sum of the chunks it stood in when it last said what it has read */
    bool refused;
    bool exhausted; /* memory ran out for what it knew, and no other member has given it anything since */
    const char *why;
    char said[480];
    plumb_guard_status counts;
};

/* ---- who has read what ---- */

static void say_read(seat *s, const sketch *k) {
    assert(k->cursors <= k->m->header->slots);
    for (uint32_t i = 0; i < k->cursors; i++) __atomic_store_n(&s->read[i], k->cursor[i].place, __ATOMIC_RELEASE);
}

/* Only when a cursor has entered another chunk: writers ask by chunks. */
static void say_read_now_and_then(plumb_member *me) {
    const sketch *k = &me->know->sketch;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->cursors; i++) sum += k->cursor[i].place / LOG_CHUNK_RECORDS;
    if (sum == me->sequence) return;
    me->sequence = sum;
    say_read(me->seat, k);
}

/* ---- gifts ---- */

static void ask(plumb_member *me) {
    uint32_t before = ASKS_NOT;
    if (__atomic_load_n(&me->seat->gift, __ATOMIC_SEQ_CST)) return;
    if (__atomic_compare_exchange_n(&me->seat->asks, &before, ASKS, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        __atomic_fetch_add(&me->g->asking, 1, __ATOMIC_SEQ_CST);
}

/* Only one at a time may give to a seat. */
static bool leave_asking(plumb_guard *g, seat *s, uint32_t to) {
    uint32_t before = ASKS;
    if (__atomic_compare_exchange_n(&s->asks, &before, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        __atomic_fetch_sub(&g->asking, 1, __ATOMIC_SEQ_CST);
        return true;
    }
    return before == ASKS_NOT &&
           __atomic_compare_exchange_n(&s->asks, &before, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Epochs end and begin one at a time: two that are inside do not leave each other behind, and one is not left behind
 * because of another that does not come in after all. Held for a few instructions; a thread that died
 * in the middle of them is not waited for. */
static void lock_expelling(plumb_guard *g) {
    for (uint32_t i = 0; i < LOCK_TRIES; i++) {
        uint32_t unlocked = 0;
        if (__atomic_compare_exchange_n(&g->expelling, &unlocked, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
        sched_yield();
    }
}

/* A seat that is out comes in again: with what `k` knows, in a new epoch. It counts as having read what the giver has
 * read before it knows of it, so that nothing is written over in between; not when the giver has been left behind
 * meanwhile. */
static bool come_in(plumb_guard *g, seat *to, knowledge *k, const seat *giver, uint64_t giver_epoch) {
    uint64_t out = LOAD_STRONGLY(to->epoch);
    if (!(out & 1)) return false;
    k->epoch = out + 1;
    assert(to != giver && !(giver_epoch & 1)); /* who gives was inside when it copied */
    for (uint32_t i = 0; i < g->seats - 1; i++) __atomic_store_n(&to->read[i], 0, __ATOMIC_RELEASE);
    say_read(to, &k->sketch);
    lock_expelling(g);
    bool in = LOAD_STRONGLY(giver->epoch) == giver_epoch &&
              __atomic_compare_exchange_n(&to->epoch, &out, k->epoch, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    uint64_t inside = k->epoch;
    if (in && LOAD_STRONGLY(giver->epoch) != giver_epoch) { /* the lock was not to be had */
        __atomic_compare_exchange_n(&to->epoch, &inside, inside + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        in = false;
    }
    STORE_STRONGLY(g->expelling, 0);
    return in;
}

static bool give(plumb_member *me, seat *to) {
    error e = {0};
    assert(me->know && to != me->seat);
    knowledge *copy = knowledge_copy(me->know, &e);
    if (!copy) return true; /* no memory: who asks goes on asking */
    bool mine = leave_asking(me->g, to, IS_BEING_GIVEN);
    if (mine) {
        if (come_in(me->g, to, copy, me->seat, me->know->epoch))
            copy = __atomic_exchange_n(&to->gift, copy, __ATOMIC_SEQ_CST);
        STORE_STRONGLY(to->asks, ASKS_NOT);
    }
    knowledge_free(copy);
    return mine;
}

/* A member that leaves needs its knowledge no more: given without a copy. */
static bool hand_over(plumb_member *me, seat *to) {
    knowledge *k = me->know;
    const uint64_t epoch = k->epoch;
    if (!leave_asking(me->g, to, IS_BEING_GIVEN)) return false;
    if (come_in(me->g, to, k, me->seat, epoch)) {
        me->know = NULL;
        knowledge_free(__atomic_exchange_n(&to->gift, k, __ATOMIC_SEQ_CST));
    } else {
        k->epoch = epoch;
    }
    STORE_STRONGLY(to->asks, ASKS_NOT);
    return true;
}

static void give_to_those_who_ask(plumb_member *me) {
    if (__builtin_expect(!__atomic_load_n(&me->g->asking, __ATOMIC_RELAXED), 1)) return;
    for (uint32_t i = 0; i < me->g->seats - 1; i++)
        if (&me->g->seat[i] != me->seat && __atomic_load_n(&me->g->seat[i].asks, __ATOMIC_RELAXED) == ASKS)
            give(me, &me->g->seat[i]);
}

static void take_gift(plumb_member *me) {
    if (me->know) return;
    me->know = __atomic_exchange_n(&me->seat->gift, NULL, __ATOMIC_SEQ_CST);
    me->sequence = 0;
}

static seat *deposit_of(plumb_guard *g) { return &g->seat[g->seats - 1]; }

/* A copy of what is kept there, unless another member is changing it. */
static void take_copy(plumb_member *me, seat *from) {
    error e = {0};
    if (me->know || from == me->seat || !leave_asking(me->g, from, IS_BEING_GIVEN)) return;
    if (from->gift && from->gift->epoch == LOAD_STRONGLY(from->epoch) &&
        leave_asking(me->g, me->seat, IS_BEING_GIVEN)) {
        me->know = knowledge_copy(from->gift, &e);
        me->sequence = 0;
        if (me->know && !come_in(me->g, me->seat, me->know, from, from->gift->epoch)) {
            knowledge_free(me->know);
            me->know = NULL;
        }
        STORE_STRONGLY(me->seat->asks, ASKS_NOT);
    }
    STORE_STRONGLY(from->asks, ASKS_NOT);
}

static void take_deposit(plumb_member *me) {
    take_copy(me, deposit_of(me->g));
    for (uint32_t i = 0; i < me->g->seats - 1 && !me->know; i++)
        if (LOAD_STRONGLY(me->g->seat[i].vacant)) take_copy(me, &me->g->seat[i]);
}

/* ---- reading ---- */

/* The logs were read in one epoch: nothing was written over meanwhile. */
static bool is_up_to_date(const plumb_member *me) {
    assert(!(me->know->epoch & 1)); /* knowledge is of an epoch inside */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return LOAD_STRONGLY(me->seat->epoch) == me->know->epoch;
}

static void forget(plumb_member *me) {
    knowledge_free(me->know);
    me->know = NULL;
    me->counts.expelled++;
}

/* Memory ran out in its own knowledge: it is out, as one that was left behind, until another one gives it some. */
static void lose_knowledge(plumb_member *me) {
    uint64_t epoch = me->know->epoch;
    __atomic_compare_exchange_n(&me->seat->epoch, &epoch, epoch + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    forget(me);
    me->exhausted = true;
}

static bool read_published(plumb_member *me, verdict *v) {
    for (unsigned i = 0; i < TRIES; i++) {
        if (!me->know) {
            take_gift(me);
            take_deposit(me);
        }
        if (!me->know) break;
        *v = knowledge_round(me->know);
        if (me->know->exhausted) {
            lose_knowledge(me);
            break;
        }
        if (is_up_to_date(me)) {
            me->exhausted = false;
            me->w->extra = false;
            return true;
        }
        forget(me);
    }
    ask(me);
    me->w->extra = true;
    return false;
}

/* ---- who is left behind ---- */

static bool is_behind(const seat *s, uint32_t slot, uint64_t place) {
    return LOAD_STRONGLY(s->taken) && !(LOAD_STRONGLY(s->epoch) & 1) &&
           __atomic_load_n(&s->read[slot], __ATOMIC_ACQUIRE) <= place;
}

static bool another_is_inside(const plumb_guard *g, const seat *s) {
    for (uint32_t i = 0; i < g->seats; i++)
        if (&g->seat[i] != s && LOAD_STRONGLY(g->seat[i].taken) && !LOAD_STRONGLY(g->seat[i].vacant) &&
            !(LOAD_STRONGLY(g->seat[i].epoch) & 1))
            return true;
    return false;
}

static bool knows(const plumb_member *me) { return me->know && is_up_to_date(me); }

/* False: it is the last one inside, and the caller is not. */
static bool end_epoch(plumb_member *me, seat *s, uint64_t epoch, bool even_the_last) {
    assert(!(epoch & 1) && s >= me->g->seat && s < me->g->seat + me->g->seats);
    lock_expelling(me->g);
    bool may = even_the_last || (s != me->seat && knows(me)) || another_is_inside(me->g, s);
    if (may) __atomic_compare_exchange_n(&s->epoch, &epoch, epoch + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    STORE_STRONGLY(me->g->expelling, 0);
    return may;
}

/* Until it has passed, has given what it knows, or another one is inside. The caller asks for a gift meanwhile. */
static void wait_for_last(plumb_member *me, const seat *s, uint32_t slot, uint64_t place) {
    verdict v;
    double until = clock_seconds() + PATIENCE;
    while (!read_published(me, &v)) {
        if (!is_behind(s, slot, place) || another_is_inside(me->g, s) || clock_seconds() > until) return;
        usleep(WAIT_STEP);
    }
    say_read(me->seat, &me->know->sketch);
}

static void leave_behind(plumb_member *me, seat *s, uint32_t slot, uint64_t place, uint64_t epoch) {
    if (LOAD_STRONGLY(s->vacant)) { /* who needed it has copied it */
        end_epoch(me, s, epoch, true);
        return;
    }
    if (!end_epoch(me, s, epoch, false)) {
        wait_for_last(me, s, slot, place);
        if (!is_behind(s, slot, place) || LOAD_STRONGLY(s->epoch) != epoch) return;
        end_epoch(me, s, epoch, true);
    }
    if (s != me->seat && me->know) give(me, s);
}

/* What is written over is gone for those who come later: they find it in the deposit. */
static bool keep_for_others(plumb_member *me) {
    seat *s = deposit_of(me->g);
    if (LOAD_STRONGLY(s->epoch) & 1 && me->know) give(me, s);
    return true;
}

/* With `force`, members that are behind are left behind instead of waited for. A member that enters with another one's
 * knowledge might have been passed over: all seats are looked at again until none had to be left behind. */
static bool all_members_passed(void *context, uint32_t slot, uint64_t place, bool force) {
    plumb_member *me = context;
    plumb_guard *g = me->g;
    verdict v;
    /* a member needs knowledge to give before it leaves others behind */
    if (force && read_published(me, &v)) say_read(me->seat, &me->know->sketch);
    for (uint32_t look = 0; look <= 2 * g->seats; look++) {
        bool behind = false;
        for (uint32_t i = 0; i < g->seats; i++) {
            seat *s = &g->seat[i];
            uint64_t epoch = LOAD_STRONGLY(s->epoch);
            if (epoch & 1 || !is_behind(s, slot, place)) continue;
            if (!force) return false;
            leave_behind(me, s, slot, place, epoch);
            behind = true;
        }
        if (!behind) return keep_for_others(me);
    }
    return false;
}

/* ---- answers ---- */

static plumb_answer unverified(plumb_member *me, const char *why) {
    assert(why);
    me->why = why;
    me->counts.unverified++;
    return PLUMB_UNVERIFIED;
}

/* As long as the member is there, whatever becomes of what it knows. */
static const char *keep_reason(plumb_member *me, const char *why) {
    snprintf(me->said, sizeof me->said, "%s", why);
    return me->said;
}

static plumb_answer refuse(plumb_member *me) {
    if (!me->refused) me->why = keep_reason(me, me->know->check->type->reason(me->know->check));
    me->refused = true;
    me->counts.refused++;
    return PLUMB_REFUSED;
}

static const char NOT_ALL_GUARDED[] =
    "not linearizable by what is known, but a thread found no place in the guard and may have used the object";

static plumb_answer judge_published(plumb_member *me) {
    verdict v = VERDICT_UNDECIDED;
    const char *misuse = recording_misuse(&me->g->r->shared);
    if (misuse) return unverified(me, misuse);
    if (me->refused) return refuse(me);
    if (LOAD_STRONGLY(me->g->blind)) return unverified(me, "an operation was too large to be recorded");
    if (!read_published(me, &v))
        return unverified(me, me->exhausted ? "out of memory: what this thread knew is lost"
                                            : "this thread was left behind and has not heard from another one yet");
    if (LOAD_STRONGLY(me->g->blind)) return unverified(me, "an operation was too large to be recorded");
    if (me->know->sketch.damaged) return unverified(me, "the logs are damaged");
    assert(me->know && v <= VERDICT_UNDECIDED);
    say_read_now_and_then(me);
    if (v == VERDICT_VIOLATION && LOAD_STRONGLY(me->g->turned_away)) return unverified(me, NOT_ALL_GUARDED);
    if (v == VERDICT_VIOLATION) return refuse(me);
    if (v == VERDICT_UNDECIDED) return unverified(me, keep_reason(me, me->know->check->type->reason(me->know->check)));
    give_to_those_who_ask(me);
    if (knowledge_passed_over(me->know, me->number))
        return unverified(me, "this operation was open for so long that it counts as pending");
    me->counts.verified++;
    return PLUMB_VERIFIED;
}

static void see_whether_recorded(plumb_member *me) {
    if (__builtin_expect(me->w->fast.unseen == PLUMB_DARK, 0))
        STORE_STRONGLY(me->g->blind, 1); /* before the object is called */
}

void plumb_guard_call(plumb_member *me, int which, const plumb_value *arg, size_t args) {
    if (!me) return;
    me->asked = digest_call(me->digest, (unsigned)which, args);
    for (size_t i = 0; arg && i < args && i < HISTORY_MAX_ARGS; i++) me->asked = digest_of_value(me->asked, &arg[i]);
    plumb_call(&me->w->fast, which, arg, args);
    see_whether_recorded(me);
}

/* More than a plain word, and not misuse. */
static bool is_wide(plumb_word word) {
    return __builtin_expect(!plumb_word_is_plain(word), 0) && word != PLUMB_WORD_TOO_WIDE;
}

void plumb_guard_call_word(plumb_member *me, int which, unsigned args, plumb_word arg) {
    if (!me) return;
    if (args && is_wide(arg)) {
        const plumb_value wide = plumb_int(wide_word_int(arg));
        plumb_guard_call(me, which, &wide, args);
        return;
    }
    me->asked = digest_call(me->digest, (unsigned)which, args);
    if (args) me->asked = digest_of_word(me->asked, arg);
    guarded_call_word(me->w, which, args, arg);
    see_whether_recorded(me);
}

plumb_answer plumb_guard_ret(plumb_member *me, plumb_value result) {
    if (!me) return PLUMB_UNVERIFIED;
    me->digest = digest_of_value(me->asked, &result);
    plumb_ret(&me->w->fast, result);
    return judge_published(me);
}

/* No other thread has ever joined, and one that joins now has not recorded anything (docs/RUNTIME.md, "Alone"): the
 * round finds this thread's operation, or the usual way is needed. */
static bool judge_alone(plumb_member *me) {
    if (!me->know || me->refused || LOAD_STRONGLY(me->g->blind)) return false;
    bool good = knowledge_round_alone(me->know, plumb_done(me->w->fast.shared));
    if (__builtin_expect(me->know->exhausted, 0)) lose_knowledge(me);
    return good && is_up_to_date(me) && !knowledge_passed_over(me->know, me->number);
}

plumb_answer plumb_guard_ret_word(plumb_member *me, plumb_word result) {
    if (!me) return PLUMB_UNVERIFIED;
    if (is_wide(result)) return plumb_guard_ret(me, plumb_int(wide_word_int(result)));
    plumb_log *l = &me->w->fast;
    if (__builtin_expect(!l->shared, 0)) record_revive(me->w);
    uint64_t announced = plumb_announced(l->shared);
    bool recorded = plumb_can_complete(l, l->shared, announced);
    me->digest = digest_of_word(me->asked, result);
    plumb_ret_word(l, result);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* whether it is alone is asked after the publication */
    if (recorded && plumb_is_alone(l->shared) && judge_alone(me)) {
        me->counts.verified++;
        return PLUMB_VERIFIED;
    }
    if (recorded) make_visible(me->w, &l->shared->done, announced); /* before others' logs are read */
    return judge_published(me);
}

plumb_answer plumb_guard_fail(plumb_member *me) {
    if (!me) return PLUMB_UNVERIFIED;
    plumb_ret_fail(&me->w->fast);
    return judge_published(me);
}

plumb_answer plumb_guard_unknown(plumb_member *me) {
    if (!me) return PLUMB_UNVERIFIED;
    plumb_ret_unknown(&me->w->fast);
    return judge_published(me);
}

uint64_t plumb_guard_digest(const plumb_member *me) { return me ? me->digest : 0; }

unsigned plumb_guard_number(const plumb_member *me) { return me ? me->number : UINT32_MAX; }

const char *plumb_guard_reason(const plumb_member *me) {
    if (!me) return "this thread has no place in the guard";
    return me->why ? me->why : "";
}

static bool path_is_given(const plumb_member *me, const char *call, const char *path) {
    return path || record_misuse(&me->g->r->shared, "%s: the path is NULL; expected that of a file", call);
}

bool plumb_guard_witness(plumb_member *me, const char *path) {
    error e = {0};
    if (!me || !path_is_given(me, "plumb_guard_witness", path) || !me->refused || !me->know) return false;
    bool good = knowledge_write_witness(me->know, path, &e);
    if (me->know->exhausted) lose_knowledge(me);
    return good;
}

static bool nothing_is_gone(const plumb_guard *g) {
    for (uint32_t i = 0; i < g->seats - 1; i++)
        if (LOAD_STRONGLY(g->r->shared.slot[i].recycled)) return false;
    return true;
}

bool plumb_guard_certificate(plumb_member *me, const char *path) {
    error e = {0};
    if (!me || !path_is_given(me, "plumb_guard_certificate", path)) return false;
    me->why = "the beginning of the logs has been written over";
    if (!nothing_is_gone(me->g)) return false;
    bool good = certify_published(&me->g->r->shared, &me->g->options.criterion, path, &e);
    if (!nothing_is_gone(me->g)) return false;
    if (!good) snprintf(me->said, sizeof me->said, "%s", e.what);
    me->why = good ? "" : me->said;
    return good;
}

void plumb_guard_look(const plumb_member *me, plumb_guard_status *out) {
    if (!status_has_size(out, "plumb_guard_look", NULL)) return;
    plumb_guard_status s = me ? me->counts : (plumb_guard_status){0};
    checker_counts c = {0};
    if (me && me->know) me->know->check->type->look(me->know->check, &c);
    s.excused = c.excused;
    s.memory = c.memory;
    give_sized(out, &s, sizeof s);
}

/* ---- joining and leaving ---- */

/* The seat is out from now on. Gifts to it must be barred (leave_asking), or it may come in again. */
static void make_seat_out(seat *s) {
    uint64_t epoch = LOAD_STRONGLY(s->epoch);
    while (!(epoch & 1) &&
           !__atomic_compare_exchange_n(&s->epoch, &epoch, epoch + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    assert(LOAD_STRONGLY(s->epoch) & 1);
}

/* A gift to the seat's previous owner may still be on its way: it must not bring the seat in while its new owner
 * begins,
 * or chunks count as read that it has not read. */
static void take_seat(plumb_member *me) {
    while (!leave_asking(me->g, me->seat, IS_BEING_GIVEN)) sched_yield();
    STORE_STRONGLY(me->seat->vacant, 0);
    make_seat_out(me->seat);
    knowledge_free(__atomic_exchange_n(&me->seat->gift, NULL, __ATOMIC_SEQ_CST));
    memset(me->seat->read, 0, (me->g->seats - 1) * sizeof *me->seat->read);
    STORE_STRONGLY(me->seat->taken, 1);
}

static void enter_from_beginning(plumb_member *me) {
    me->know->epoch = LOAD_STRONGLY(me->seat->epoch) + 1;
    assert(!(me->know->epoch & 1) && LOAD_STRONGLY(me->seat->asks) == IS_BEING_GIVEN);
    STORE_STRONGLY(me->seat->epoch, me->know->epoch);
}

/* What the seat's owner before knew, if no other member has gone on without it: nothing is copied. */
static bool follow(plumb_member *me) {
    seat *s = me->seat;
    if (!LOAD_STRONGLY(s->vacant)) return false;
    while (!leave_asking(me->g, s, IS_BEING_GIVEN)) sched_yield();
    knowledge *k = s->gift;
    const bool inside = k && k->epoch == LOAD_STRONGLY(s->epoch);
    if (inside) {
        me->know = __atomic_exchange_n(&s->gift, NULL, __ATOMIC_SEQ_CST);
        STORE_STRONGLY(s->vacant, 0);
    }
    STORE_STRONGLY(s->asks, ASKS_NOT);
    return inside;
}

/* A new member reads everything while it is still there; else takes the deposit; else asks. */
static void find_out(plumb_member *me) {
    plumb_guard *g = me->g;
    error e = {0};
    if (follow(me)) return;
    take_seat(me);
    if (nothing_is_gone(g)) {
        me->know = knowledge_new(&g->r->shared, &g->options, &e);
        if (me->know) enter_from_beginning(me);
        else me->exhausted = true;
    }
    STORE_STRONGLY(me->seat->asks, ASKS_NOT);
    if (me->know) {
        knowledge_round(me->know);
        me->exhausted = me->know->exhausted;
        if (!me->exhausted && nothing_is_gone(g) && is_up_to_date(me)) return;
        uint64_t epoch = me->know->epoch;
        __atomic_compare_exchange_n(&me->seat->epoch, &epoch, epoch + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        knowledge_free(me->know);
        me->know = NULL;
    }
    take_deposit(me);
    if (!me->know) ask(me);
}

/* False: misuse. */
static bool is_guard(const plumb_guard *g, const char *call) {
    return g || call_misuse(NULL, "%s: the guard is NULL; expected what plumb_guard_open returned", call);
}

plumb_member *plumb_guard_join(plumb_guard *g) {
    if (!is_guard(g, "plumb_guard_join") || g->error.code) return NULL;
    plumb_member *me = mem_shell(sizeof *me);
    plumb_log *l = me ? record_join_slot(g->r) : NULL;
    if (!l) {
        STORE_STRONGLY(g->turned_away, 1);
        mem_foreign_free(me);
        return NULL;
    }
    me->g = g;
    me->w = (log_writer *)(void *)l;
    me->number = me->w->number;
    assert(me->number < g->seats - 1); /* the last seat is the deposit */
    me->seat = &g->seat[me->number];
    assert(!LOAD_STRONGLY(me->seat->taken) || LOAD_STRONGLY(me->seat->vacant));
    me->digest = me->seat->digest;
    me->w->guarded = true;
    me->w->passed = all_members_passed;
    me->w->context = me;
    me->w->quota = g->r->shared.header->chunk_limit / (g->seats - 1) / 2;
    pthread_mutex_lock(&g->lock);
    find_out(me);
    pthread_mutex_unlock(&g->lock);
    return me;
}

static void renew_deposit(plumb_member *me) {
    seat *s = deposit_of(me->g);
    uint64_t epoch = LOAD_STRONGLY(s->epoch);
    if (!(epoch & 1))
        __atomic_compare_exchange_n(&s->epoch, &epoch, epoch + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    while (is_up_to_date(me) && !hand_over(me, s)) sched_yield();
}

/* For those who come later: in the deposit when that is empty, else in its own seat. True: the seat stays inside. */
static bool leave_knowledge(plumb_member *me) {
    if (!me->know || me->refused || !is_up_to_date(me)) return false;
    if (LOAD_STRONGLY(deposit_of(me->g)->epoch) & 1) {
        renew_deposit(me);
        return false;
    }
    say_read(me->seat, &me->know->sketch);
    STORE_STRONGLY(me->seat->vacant, 1);
    knowledge_free(__atomic_exchange_n(&me->seat->gift, me->know, __ATOMIC_SEQ_CST));
    me->know = NULL;
    return true;
}

/* Leaving may wait. */
void plumb_guard_leave(plumb_member *me) {
    if (!me) return;
    plumb_guard *g = me->g;
    if (g->has_key && pthread_getspecific(g->here) == me) pthread_setspecific(g->here, NULL);
    pthread_mutex_lock(&g->lock);
    record_abandon(me->w);
    while (!leave_asking(g, me->seat, IS_BEING_GIVEN)) sched_yield();
    take_gift(me);
    me->seat->digest = me->digest;
    if (!leave_knowledge(me)) {
        knowledge_free(me->know);
        make_seat_out(me->seat);
        STORE_STRONGLY(me->seat->taken, 0);
    }
    STORE_STRONGLY(me->seat->asks, ASKS_NOT);
    pthread_mutex_unlock(&g->lock);
    plumb_record_leave(&me->w->fast);
    mem_foreign_free(me);
}

static void leave_at_end(void *me) { plumb_guard_leave(me); }

plumb_member *plumb_guard_here(plumb_guard *g) {
    if (!is_guard(g, "plumb_guard_here") || g->error.code || !g->has_key) return NULL;
    plumb_member *me = pthread_getspecific(g->here);
    if (me) return me;
    me = plumb_guard_join(g);
    pthread_setspecific(g->here, me);
    return me;
}

/* ---- opening and closing ---- */

static bool make_seats(plumb_guard *g, uint32_t threads) {
    g->seat = mem_shell(((size_t)threads + 1) * sizeof *g->seat);
    if (!g->seat) return error_set(&g->error, EXIT_INTERNAL, "out of memory in plumb_guard_open");
    g->seats = threads + 1;
    for (uint32_t i = 0; i < g->seats; i++) {
        g->seat[i].read = mem_shell(threads * sizeof *g->seat[i].read);
        if (!g->seat[i].read) return error_set(&g->error, EXIT_INTERNAL, "out of memory in plumb_guard_open");
        g->seat[i].epoch = 1;
        g->seat[i].digest = DIGEST_START;
    }
    deposit_of(g)->taken = 1;
    return true;
}

/* What is handed out when there is no memory for anything. It is never written to. */
static const plumb_guard no_guard = {.error = {.code = EXIT_INTERNAL, .what = "out of memory in plumb_guard_open"}};

/* Those that are decided as operations come and that every beginning of a right history satisfies. */
static bool criterion_can_be_guarded(const criterion *c, error *e) {
    bool can = c->kind == CRITERION_LINEARIZABLE || c->kind == CRITERION_OUT_OF_ORDER || c->kind == CRITERION_STALE ||
               criterion_is_quasi(c) || criterion_is_of_reads(c) || criterion_is_together(c);
    return can || error_set(e, EXIT_USAGE,
                            "criterion %s cannot be guarded; expected linearizable, quasi, out-of-order, stale, "
                            "regular, safe, set-linearizable or interval-linearizable",
                            criterion_type_of(c->kind)->name);
}

plumb_guard *plumb_guard_open(const plumb_guard_options *options) {
    plumb_guard *g = mem_shell(sizeof *g);
    if (!g) return (plumb_guard *)(uintptr_t)&no_guard;
    plumb_guard_options o = {.struct_size = sizeof o};
    take_sized(&o, options, sizeof o);
    if (!o.threads) o.threads = STANDARD_THREADS;
    uint64_t quota = o.bytes ? o.bytes / o.threads / LOG_CHUNK_BYTES / 2 : STANDARD_CHUNKS;
    if (quota < LEAST_CHUNKS) quota = LEAST_CHUNKS;
    plumb_record_options how = {.struct_size = sizeof how,
                                .object = o.object,
                                .init = o.init,
                                .clock = o.clock,
                                .threads = o.threads,
                                .bytes = 2 * quota * o.threads * LOG_CHUNK_BYTES,
                                .ring = true,
                                .no_fence = o.no_fence};
    options_have_size(options, "plumb_guard_open", &g->error);
    g->r = plumb_record_open(&how);
    g->options = (checker_options){.max_lag = o.max_lag ? o.max_lag : STANDARD_LAG, .seconds = LONGEST_DECISION};
    pthread_mutex_init(&g->lock, NULL);
    g->has_key = pthread_key_create(&g->here, leave_at_end) == 0;
    if (g->error.code || !make_seats(g, o.threads)) return g;
    if (g->r->error.code) {
        g->error = g->r->error;
        return g;
    }
    if (o.criterion && !criterion_parse(o.criterion, &g->options.criterion, &g->error)) return g;
    if (!criterion_can_be_guarded(&g->options.criterion, &g->error)) return g;
    if (theory_file_named(o.object) || o.criterion) g->options.seconds = LONGEST_DECISION_OF_ALL;
    trust_file(o.object); /* the program names it, the log only repeats that */
    knowledge *trial = knowledge_new(&g->r->shared, &g->options, &g->error); /* can the object be judged at all? */
    knowledge_free(trial);
    return g;
}

const char *plumb_guard_error(const plumb_guard *g) {
    if (!is_guard(g, "plumb_guard_error")) return "plumb_guard_error: the guard is NULL";
    return g->error.code ? g->error.what : plumb_record_error(g->r);
}

plumb_segments *plumb_guard_segments(plumb_guard *g, const plumb_segments_options *o) {
    return plumb_record_segments(g ? g->r : NULL, o);
}

int plumb_guard_method(const plumb_guard *g, const char *name) {
    return is_guard(g, "plumb_guard_method") && g->r ? plumb_record_method(g->r, name) : -1;
}

void plumb_guard_close(plumb_guard *g) {
    if (!g || g == &no_guard) return;
    if (g->has_key) {
        plumb_guard_leave(pthread_getspecific(g->here));
        pthread_key_delete(g->here);
    }
    for (uint32_t i = 0; i < g->seats; i++) {
        knowledge_free(g->seat[i].gift);
        mem_foreign_free(g->seat[i].read);
    }
    plumb_record_close(g->r);
    pthread_mutex_destroy(&g->lock);
    mem_foreign_free(g->seat);
    mem_foreign_free(g);
}
