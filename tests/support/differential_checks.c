/* What must hold of every history: see each function. */
#include "evidence/judge.h"
#include "evidence/oracle.h"
#include "evidence/retrial.h"
#include "evidence/witness_check.h"
#include "history/builder.h"
#include "object/leave_out.h"
#include "support/differential.h"

static bool is_linearizable(const object *o, const history *h) { return oracle_linearizable(o, h, 0) == ORACLE_YES; }

static decision decide_with(const object *o, const history *h, const engine *g, unsigned threads) {
    budget b;
    decision d;
    budget_init(&b, 0, 0);
    decide(h, o, &(decide_options){.engine = g, .threads = threads}, &b, NULL, &d);
    return d;
}

static verdict verdict_of(const object *o, const history *h) {
    decision d = decide_with(o, h, NULL, 1);
    verdict v = d.verdict;
    decision_free(&d);
    return v;
}

/* ---- engines ---- */

static void check_witness(const check_run *run, const char *who, const decision *d) {
    text wrong = {0};
    if (!witness_check(run->b->h, run->b->o, &d->witness, &wrong))
        text_printf(run->wrong, "%s: bad witness: %s; ", who, text_str(&wrong));
    text_free(&wrong);
}

/* The operations that an engine says are a violation by themselves are one. */
static void check_pattern(const check_run *run, const char *who, const decision *d) {
    if (!d->pattern_n) return;
    history *part = history_select(run->b->h, d->pattern, d->pattern_n, RANK_NEVER);
    if (is_linearizable(run->b->o, part)) text_printf(run->wrong, "%s: its pattern is linearizable; ", who);
    history_free(part);
}

static bool decides(const engine *g, const object *o) {
    return g->criteria ? g->criteria & CRITERION_BIT(o->criterion.kind) : o->criterion.kind == CRITERION_LINEARIZABLE;
}

static void check_engine(const check_run *run, const engine *g) {
    const char *who = g ? g->name : "portfolio";
    decision d = decide_with(run->b->o, run->b->h, g, 1 + run->seed % 2);
    if (d.verdict == VERDICT_VIOLATION) {
        if (run->linearizable) text_printf(run->wrong, "%s says violation, the oracle linearizable; ", who);
        check_pattern(run, who, &d);
    } else if (d.verdict == VERDICT_LINEARIZABLE) {
        if (!run->linearizable) text_printf(run->wrong, "%s says linearizable, the oracle violation; ", who);
        else if (!g || g->promises & PROMISES_WITNESS) check_witness(run, who, &d);
    } else if (!g || (!g->objects && !g->by_name_only && !g->fits && decides(g, run->b->o))) {
        text_printf(run->wrong, "%s is undecided: %s; ", who, d.why);
    }
    decision_free(&d);
}

static void check_engines(const check_run *run) {
    const engine *g;
    check_engine(run, NULL);
    enum { FEW = 6, SELDOM = 16 }; /* for engines that try every order; that are slow and have tests of their own */
    for (unsigned i = 0; (g = engine_at(i)); i++) {
        bool slow = g->by_name_only || g->fits;
        if (slow && (run->seed % SELDOM || (!g->objects && run->b->h->n > FEW))) continue;
        check_engine(run, g);
    }
}

static void check_retrial(const check_run *run) {
    bool right = retrial_linearizable(run->b->o, run->b->h, NULL) == ORACLE_YES;
    if (right != run->linearizable)
        text_printf(run->wrong, "the retrial says %s, the oracle does not; ", right ? "linearizable" : "violation");
}

/* ---- evidence ---- */

static void check_core(const check_run *run, const core *c) {
    text wrong = {0};
    history *part = history_select(run->b->h, c->op, c->n, c->cut);
    object begun = core_object(run->b->o, c);
    if (is_linearizable(&begun, part)) text_add(run->wrong, "the core is linearizable; ");
    if (!core_check_moves(run->b->h, run->b->o, c, &wrong))
        text_printf(run->wrong, "the core's moves: %s; ", text_str(&wrong));
    if (!c->checked_by) text_add(run->wrong, "the core was not decided a second time; ");
    if (!c->minimal) text_add(run->wrong, "the core is not minimal; ");
    history_free(part);
    text_free(&wrong);
}

static void check_judgement(const check_run *run) {
    budget b;
    error e = {0};
    judgement j;
    budget_init(&b, 0, 0);
    if (!judge(run->b->h, run->b->o, &(judge_options){0}, &b, NULL, &j, &e)) {
        text_printf(run->wrong, "judge: %s; ", e.what);
    } else if (j.verdict == VERDICT_UNDECIDED && run->linearizable && run->b->h->ties) {
        /* the witness swaps operations of one client at a stamp at which several clients go on */
    } else if (j.verdict != (run->linearizable ? VERDICT_LINEARIZABLE : VERDICT_VIOLATION)) {
        text_printf(run->wrong, "judged %s; ", verdict_text(j.verdict));
    } else if (j.verdict == VERDICT_VIOLATION) {
        check_core(run, &j.core);
    }
    judgement_free(&j);
}

/* Of a right history, leaving out what the object says may be left out leaves a right one: cores rest on this. */
static void check_leave_out(const check_run *run, random_source *r) {
    const history *h = run->b->h;
    uint32_t all[RANDOM_MAX_OPERATIONS], kept[RANDOM_MAX_OPERATIONS], n = 0;
    for (uint32_t i = 0; i < h->n; i++) all[i] = i;
    leave_out l;
    object_leave_out(run->b->o, h, all, h->n, &l);
    uint32_t leaving = l.groups ? random_below(r, l.groups + 1) : 0; /* as many as groups: none leaves */
    for (uint32_t i = 0; i < h->n; i++) {
        bool in_group = l.group[i] != GROUP_KEEP && l.group[i] == leaving;
        bool fragile = l.flags[i] & LEAVE_FRAGILE && leaving < l.groups;
        bool alone = l.flags[i] & LEAVE_ALONE && random_chance(r, 0.3);
        if (!in_group && !fragile && !alone) kept[n++] = i;
    }
    leave_out_free(&l);
    history *less = history_select(h, kept, n, RANK_NEVER);
    if (!is_linearizable(run->b->o, less)) text_add(run->wrong, "leaving out what may be left out made a violation; ");
    history_free(less);
}

/* Of a right history, what begins when everything before has returned is right with the initial value that is settled
 * there. */
static void check_settled_part(const check_run *run, const uint32_t *op, uint32_t n) {
    const history *h = run->b->h;
    uint32_t latest = 0;
    for (uint32_t i = 0; i < n; i++) {
        object begun = *run->b->o;
        if (i && latest < h->call[op[i]] && begun.type->settle(run->b->o, h, op, i, &begun.init)) {
            history *rest = history_select(h, op + i, n - i, RANK_NEVER);
            if (!is_linearizable(&begun, rest))
                text_printf(run->wrong, "what begins with operation %u is a violation; ", op[i]);
            history_free(rest);
        }
        if (h->ret[op[i]] > latest) latest = h->ret[op[i]];
    }
}

static void check_settle(const check_run *run) {
    if (!run->b->o->type->settle) return;
    partition *parts = object_partition(run->b->o, run->b->h);
    for (uint32_t p = 0; p < parts->count; p++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        check_settled_part(run, op, n);
    }
    partition_free(parts);
}

/* ---- related histories ---- */

typedef struct change {                    /* how a history differs from the original */
    uint32_t order[RANDOM_MAX_OPERATIONS]; /* of the operations in the file */
    uint32_t rename;                       /* client c becomes (c xor rename) */
    int64_t call[RANDOM_MAX_OPERATIONS], ret[RANDOM_MAX_OPERATIONS];
} change;

static change no_change(const history *h) {
    change c = {0};
    for (uint32_t i = 0; i < h->n; i++) {
        c.order[i] = i;
        c.call[i] = history_call_time(h, i);
        c.ret[i] = history_pending(h, i) ? STAMP_NEVER : history_ret_time(h, i);
    }
    return c;
}

static void put_operation(builder *b, const bound *from, const change *c, uint32_t i) {
    operation op = {0};
    value arg[HISTORY_MAX_ARGS + 1];
    size_t nargs = 0;
    history_operation(from->h, i, &op);
    if (from->o->type->keyed) arg[nargs++] = op.key;
    for (unsigned a = 0; a < op.nargs; a++) arg[nargs++] = op.arg[a];
    const char *name = object_method(from->o, &op)->name;
    call_record call = {.client = value_int(NULL, op.client ^ c->rename),
                        .method = builder_method(b, name, strlen(name), 1),
                        .key = VALUE_NONE,
                        .arg = arg,
                        .nargs = nargs,
                        .line = 1};
    if (!builder_operation(b, &call, c->call[i], c->ret[i], op.res)) abort();
}

/* NULL: no recording can look like this. Only for histories without values of the table (numbers and constants). */
static history *changed(const bound *from, const change *c, object **o) {
    error e = {0};
    builder *b = builder_new("changed", &e);
    for (uint32_t k = 0; k < from->h->n; k++) put_operation(b, from, c, c->order[k]);
    history *h = builder_finish(b);
    builder_free(b);
    *o = object_open(from->o->name, NULL, &e);
    if (h && object_bind(*o, h, "changed", &e)) return h;
    history_free(h);
    object_close(*o);
    return NULL;
}

static bool only_plain_values(const history *h) {
    for (uint32_t i = 0; i < h->n; i++) {
        operation op;
        history_operation(h, i, &op);
        bool plain = op.res < VALUE_INTERNED && op.key < VALUE_INTERNED;
        for (unsigned a = 0; a < op.nargs && a < HISTORY_MAX_ARGS; a++) plain = plain && op.arg[a] < VALUE_INTERNED;
        if (!plain) return false;
    }
    return true;
}

/* Any order in which each client's operations stand as they stood: with equal stamps it is all that tells what came
 * first. */
static void shuffle(const history *h, random_source *r, change *c) {
    for (uint32_t i = h->n; i > 1; i--) {
        uint32_t k = random_below(r, i), swap = c->order[i - 1];
        c->order[i - 1] = c->order[k];
        c->order[k] = swap;
    }
    for (uint32_t i = 1; i < h->n; i++) { /* a name may have several indices */
        for (uint32_t k = 0; k < i; k++) {
            uint32_t a = c->order[k], b = c->order[i];
            if (history_client_name(h, a) != history_client_name(h, b) || a < b) continue;
            c->order[k] = b;
            c->order[i] = a;
        }
    }
}

/* Neither the order of operations in the file nor the names of clients matter. */
static void check_renaming(const check_run *run, random_source *r) {
    const history *h = run->b->h;
    change c = no_change(h);
    object *o;
    shuffle(h, r, &c);
    c.rename = random_below(r, 64);
    history *other = changed(run->b, &c, &o);
    if (!other) return;
    bool ties = h->ties || other->ties; /* which client keeps its order is a matter of the file */
    if (!ties && (verdict_of(o, other) == VERDICT_LINEARIZABLE) != run->linearizable)
        text_add(run->wrong, "another file order or other client names give another verdict; ");
    history_free(other);
    object_close(o);
}

/* Does another operation of its client, written before this one, now come behind it, or one written behind it at the
 * same stamp now come first, because this one lasts? At equal stamps that is no overlap but another order. */
static bool overtakes_its_own(const history *h, const change *c, uint32_t i) {
    for (uint32_t k = 0; k < h->n; k++) {
        if (h->client[k] != h->client[i]) continue;
        if (k < i ? c->call[k] > c->call[i] : k > i && c->call[k] == c->call[i]) return true;
    }
    return false;
}

/* A longer interval allows more, never less. */
static void check_stretching(const check_run *run, random_source *r) {
    const history *h = run->b->h;
    change c = no_change(h);
    object *o;
    uint32_t i = h->n ? random_below(r, h->n) : 0;
    if (!h->n || history_pending(h, i)) return;
    if (random_chance(r, 0.5)) c.ret[i] += 1 + random_below(r, 6);
    else c.call[i] -= 1 + random_below(r, 6);
    if (overtakes_its_own(h, &c, i)) return;
    history *other = changed(run->b, &c, &o);
    if (!other) return;                 /* the client's own next operation is in the way */
    bool ties = h->ties || other->ties; /* one that is gone lets another client keep its order */
    if (!ties && verdict_of(o, other) != VERDICT_LINEARIZABLE)
        text_add(run->wrong, "stretching an interval made a violation; ");
    history_free(other);
    object_close(o);
}

/* The beginning of a right history is right. */
static void check_prefix(const check_run *run, random_source *r) {
    const history *h = run->b->h;
    uint32_t all[RANDOM_MAX_OPERATIONS];
    if (!h->n) return;
    for (uint32_t i = 0; i < h->n; i++) all[i] = i;
    history *prefix = history_select(h, all, h->n, random_below(r, h->events));
    if (verdict_of(run->b->o, prefix) != VERDICT_LINEARIZABLE)
        text_add(run->wrong, "cutting the history made a violation; ");
    history_free(prefix);
}

static void check_related(const check_run *run) {
    random_source r = {.s = ~run->seed};
    if (run->linearizable) {
        check_leave_out(run, &r);
        check_prefix(run, &r);
    }
    if (!only_plain_values(run->b->h)) return;
    check_renaming(run, &r);
    if (run->linearizable) check_stretching(run, &r);
}

void check_everything(const check_run *run) {
    check_engines(run);
    check_retrial(run);
    if (run->linearizable) check_settle(run);
    check_judgement(run);
    check_related(run);
}
