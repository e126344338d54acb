/* A key of a store to which operations append, where what was read can be taken apart in one way (append_parse.h).
 *
 * An append that a read contains is a compare-and-set, from the content before it to the content with it: between the
 * two no other update took effect, or the read would show it. An append that no read contains may take effect wherever
 * a write of a value that is never read may: what the key holds behind it is not seen before the next put or delete.
 * So the part is decided as one of reads, writes and compare-and-sets, every content a number (chain_linear.c), with
 * the same orders. docs/proofs/others.md has the proof. */
#include "engine/linear/append_parse.h"
#include "engine/pattern.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum append_role { KEY_GET, KEY_PUT, KEY_DELETE, KEY_APPEND, KEY_CAS, KEY_OTHER } append_role;

typedef struct appends {
    const problem *p;
    append_role role[OBJECT_METHODS];
    uint8_t put, cas; /* their numbers */
    value *written;   /* by position */
    bool *is_append;
    append_parse *parse;
    uint32_t numbers; /* contents and unread ones so far */
    /* the same part without appends */
    history h;
    object o;
    uint32_t *op;
} appends;

static append_role role_named(const char *name) {
    static const char *const names[] = {"get", "put", "delete", "append", "cas"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name)) return (append_role)i;
    return KEY_OTHER;
}

static append_role role_of(const appends *a, uint32_t i) { return a->role[a->p->h->method[a->p->op[i]]]; }
static value argument(const appends *a, uint32_t i, unsigned k) { return a->p->h->arg[k][a->p->op[i]]; }
static value result(const appends *a, uint32_t i) { return a->p->h->res[a->p->op[i]]; }
static bool is_pending(const appends *a, uint32_t i) { return history_pending(a->p->h, a->p->op[i]); }

static bool is_empty_string(const values *t, value v) {
    size_t n = 1;
    if (v >= VALUE_INTERNED && value_kind_of(t, v) == KIND_BYTES) value_as_bytes(t, v, &n);
    return n == 0;
}

static bool refuse(const char *why, outcome *out) {
    snprintf(out->why, sizeof out->why, "%s", why);
    return false;
}

/* ---- what is written ---- */

/* Compare-and-sets that failed, or may have, ask about contents that no operation saw. */
static bool gather_one(appends *a, uint32_t i, bool *absent, outcome *out) {
    append_role r = role_of(a, i);
    a->written[i] = VALUE_UNKNOWN;
    if (r == KEY_CAS && result(a, i) != VALUE_TRUE) return refuse("a compare-and-set failed or is pending", out);
    if (r == KEY_PUT || r == KEY_APPEND) a->written[i] = argument(a, i, 0);
    else if (r == KEY_CAS) a->written[i] = argument(a, i, 1);
    a->is_append[i] = r == KEY_APPEND;
    *absent |= r == KEY_DELETE || a->written[i] == VALUE_NONE;
    if (a->written[i] == VALUE_NONE && r == KEY_APPEND) return refuse("nothing is appended", out);
    if (is_empty_string(a->p->h->values, a->written[i])) return refuse("an empty string is written", out);
    return true;
}

static bool gather(appends *a, outcome *out) {
    const problem *p = a->p;
    bool absent = p->o->init == VALUE_NONE;
    if (is_empty_string(p->h->values, p->o->init)) return refuse("the initial value is an empty string", out);
    for (uint32_t i = 0; i < p->n; i++)
        if (!gather_one(a, i, &absent, out) || problem_stopped(p, i)) return false;
    a->parse = append_parse_new(p, a->written, a->is_append, absent);
    return true;
}

/* ---- what was observed ---- */

static bool observes(const appends *a, uint32_t i) {
    append_role r = role_of(a, i);
    return r == KEY_CAS || (r == KEY_GET && !is_pending(a, i));
}

static value seen(const appends *a, uint32_t i) {
    value v = role_of(a, i) == KEY_CAS ? argument(a, i, 0) : result(a, i);
    return role_of(a, i) == KEY_GET && is_empty_string(a->p->h->values, v) ? VALUE_NONE : v;
}

static value number_of(const appends *a, uint32_t content) { return value_int(a->p->h->values, content); }

/* The content that operation i saw, as a value of the history without appends. */
static bool take_observed(appends *a, uint32_t i, outcome *out) {
    uint32_t content;
    value v = seen(a, i), *to = role_of(a, i) == KEY_CAS ? &a->h.arg[0][i] : &a->h.res[i];
    *to = VALUE_NONE;
    if (v == VALUE_NONE) return true;
    switch (append_parse_value(a->parse, v, &content)) {
    case PARSE_CONTENT: *to = number_of(a, content); return true;
    case PARSE_UNKNOWN: return refuse("a value can be taken apart into appended ones in several ways", out);
    case PARSE_NEVER:
    case PARSE_TWICE: outcome_violation(out, a->p->h->ret[a->p->op[i]]); return false;
    }
    return false;
}

/* ---- the part without appends ---- */

static void begin_history(appends *a) {
    const problem *p = a->p;
    history *h = &a->h;
    size_t n = (size_t)p->n + 1;
    *h = (history){.n = p->n, .events = p->h->events, .values = p->h->values, .values_shared = true};
    h->call = MEM_ARRAY(uint32_t, n);
    h->ret = MEM_ARRAY(uint32_t, n);
    h->method = MEM_ARRAY(uint8_t, n);
    h->nargs = MEM_ARRAY(uint8_t, n);
    h->res = MEM_ARRAY(value, n);
    for (unsigned k = 0; k < 2; k++) h->arg[k] = MEM_ARRAY(value, n);
    a->op = MEM_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i];
        a->op[i] = i;
        h->call[i] = p->h->call[op];
        h->ret[i] = p->h->ret[op];
        h->method[i] = p->h->method[op];
        h->nargs[i] = p->h->nargs[op];
        h->res[i] = p->h->res[op];
        h->pending += h->ret[i] == RANK_NEVER;
        for (unsigned k = 0; k < 2; k++) h->arg[k][i] = p->h->arg[k] ? p->h->arg[k][op] : VALUE_NONE;
    }
}

/* What no operation observed is a number of its own. */
static void take_update(appends *a, uint32_t i, uint32_t *unread) {
    history *h = &a->h;
    uint32_t content = append_parse_of(a->parse, i);
    bool observed = content != NO_CONTENT;
    value number = number_of(a, observed ? content : (*unread)++), *to = &h->arg[role_of(a, i) == KEY_CAS][i];
    if (a->written[i] == VALUE_NONE) number = VALUE_NONE;
    *to = number;
    if (role_of(a, i) != KEY_APPEND) return;
    h->method[i] = a->put;
    if (!observed) return;
    uint32_t before = append_parse_at(a->parse, content)->before;
    h->method[i] = a->cas;
    h->nargs[i] = 2;
    h->arg[0][i] = before == NO_CONTENT ? VALUE_NONE : number_of(a, before);
    h->arg[1][i] = number;
    if (!is_pending(a, i)) h->res[i] = VALUE_TRUE;
}

static bool translate(appends *a, outcome *out) {
    const problem *p = a->p;
    begin_history(a);
    for (uint32_t i = 0; i < p->n; i++)
        if (observes(a, i) && (!take_observed(a, i, out) || problem_stopped(p, i))) return false;
    uint32_t unread = 2 * p->n + 1; /* above all contents */
    for (uint32_t i = 0; i < p->n; i++)
        if (a->written[i] != VALUE_UNKNOWN) take_update(a, i, &unread);
    uint32_t initial = append_parse_of(a->parse, p->n);
    a->o = *p->o;
    if (p->o->init != VALUE_NONE) a->o.init = number_of(a, initial == NO_CONTENT ? unread : initial);
    return true;
}

/* ---- deciding ---- */

static void name_as_in_history(const appends *a, outcome *out) {
    witness *w = &out->witness;
    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t i = w->op[k];
        w->op[k] = a->p->op[i];
        if (w->res) w->res[k] = is_pending(a, i) ? VALUE_NONE : result(a, i); /* pending gets are left out */
    }
    free(out->pattern); /* of the other history: what reads tell of appends is not in it */
    out->pattern = NULL;
    out->pattern_n = 0;
}

static void decide_as_chains(appends *a, outcome *out) {
    problem without = *a->p;
    without.h = &a->h;
    without.o = &a->o;
    without.op = a->op;
    without.setting = NULL;
    engine_find("chain-linear")->decide(&without, out);
    name_as_in_history(a, out);
}

static void appends_free(appends *a) {
    if (a->parse) append_parse_free(a->parse);
    free(a->written);
    free(a->is_append);
    free(a->op);
    free(a->h.call);
    free(a->h.ret);
    free(a->h.method);
    free(a->h.nargs);
    free(a->h.res);
    free(a->h.arg[0]);
    free(a->h.arg[1]);
}

static void roles_of(const problem *p, append_role *role) {
    for (unsigned m = 0; m < p->o->type->method_count; m++) role[m] = role_named(p->o->type->methods[m].name);
}

static void decide(const problem *p, outcome *out) {
    appends a = {.p = p,
                 .put = (uint8_t)object_type_own_method(p->o->type, "put"),
                 .cas = (uint8_t)object_type_own_method(p->o->type, "cas"),
                 .written = MEM_ARRAY(value, p->n),
                 .is_append = mem_zero(p->n, sizeof *a.is_append)};
    roles_of(p, a.role);
    if (gather(&a, out) && translate(&a, out)) decide_as_chains(&a, out);
    if (out->verdict == VERDICT_UNDECIDED && budget_spent(p->budget)) outcome_stopped(p, out);
    appends_free(&a);
}

static bool accepts(const problem *p, text *why_not) {
    append_role role[OBJECT_METHODS];
    bool any = false;
    roles_of(p, role);
    for (uint32_t i = 0; i < p->n; i++) {
        append_role r = role[p->h->method[p->op[i]]];
        any |= r == KEY_APPEND;
        if (r != KEY_OTHER) continue;
        text_printf(why_not, "does not decide %s", p->o->type->methods[p->h->method[p->op[i]]].name);
        return false;
    }
    if (!any) text_add(why_not, "is for keys that are appended to");
    return any;
}

ENGINE_RECORD(engine_append_linear, "append-linear",
              "keys with appends of different values: what was read tells the order of its writers", .growth = "n",
              .objects = "kv", .promises = PROMISES_SOUND | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR,
              .accepts = accepts, .decide = decide);
