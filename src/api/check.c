/* Checking through the front door. */
#include "api/api.h"

#include "base/mem.h"
#include "report/write.h"
#include "object/trust.h"
#include "theory/theory_object.h"
#include "object/relax.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct wishes {
    const char *init;
    criterion criterion;
    judge_options judge;
    int64_t setting[ENGINE_SETTINGS];
    double seconds;
    size_t memory;
    unsigned columns;
} wishes;

static bool take_options(const plumb_check_options *given, wishes *w, error *e) {
    *w = (wishes){.columns = 80};
    if (!given) return true;
    if (!options_have_size(given, "plumb_check", e)) return false;
    if (API_GIVEN(given, init)) w->init = given->init;
    if (API_GIVEN(given, seconds)) w->seconds = given->seconds;
    if (API_GIVEN(given, memory)) w->memory = given->memory;
    if (API_GIVEN(given, threads)) w->judge.decide.threads = given->threads;
    if (API_GIVEN(given, columns) && given->columns) w->columns = given->columns;
    if (API_GIVEN(given, criterion) && given->criterion && !criterion_parse(given->criterion, &w->criterion, e))
        return false;
    if (!API_GIVEN(given, engine) || !given->engine) return true;
    w->judge.decide.setting = w->setting;
    return engine_parse(given->engine, &w->judge.decide.engine, w->setting, e);
}

static object *open_object(plumb_history *h, const char *name, const char *init, error *e) {
    init = history_init(h->h, name, init);
    if (name) return specification_open(name, init, e);
    if (h->h->object_hint) return specification_from_data(h->h->object_hint, init, e);
    const object_type *t = object_infer(h->h, h->name, e);
    return t ? object_open(t->name, init, e) : NULL;
}

/* A history is bound once; later checks have to mean the same object. */
static bool bind(plumb_history *h, const char *name, const char *init, error *e) {
    assert(h->h && !h->building); /* the history is complete */
    object *o = h->o && !name ? NULL : open_object(h, name, init, e);
    if (h->o) {
        bool same = !name || (o && !strcmp(o->name, h->o->name));
        if (!same) error_set(e, EXIT_USAGE, "the history is bound to object %s already", h->o->name);
        object_close(o);
        return same;
    }
    if (!o) return false;
    if (!object_bind(o, h->h, h->name, e)) {
        object_close(o);
        h->error = *e; /* half bound: of no further use */
        return false;
    }
    h->o = o;
    return true;
}

/* The history stays bound to the strict object; a criterion is for one check. */
static bool relax(const plumb_history *h, const criterion *c, object *o, error *e) {
    assert(h->o && !h->o->relaxed);
    *o = *h->o;
    o->relaxed = NULL;
    o->words = NULL;
    o->excused = NULL;
    if (c->kind == CRITERION_SPURIOUS || c->kind == CRITERION_SEQUENTIAL || c->kind == CRITERION_LOCAL ||
        criterion_is_of_reads(c))
        return error_set(e, EXIT_USAGE, "criterion %s is for `plumb check`; the library does not take it",
                         criterion_type_of(c->kind)->name);
    return object_relax(o, c, e) && (!o->relaxed || !o->type->check || o->type->check(o, h->h, h->name, e));
}

/* No object says what it is of, and there is nothing to judge. */
static bool has_nothing(const plumb_history *h, const char *name) {
    return !h->o && !name && !h->h->n && !h->h->object_hint;
}

static void say_nothing_judged(const plumb_history *h, const wishes *w, report *r) {
    char why[160];
    history_say_nothing_judged(h->h, why, sizeof why);
    text_add(&r->reason, why);
    report_criterion(r, &w->criterion);
    r->operations = r->pending = 0;
}

static void judge_into(plumb_history *h, const wishes *w, report *r) {
    object o;
    budget b;
    judgement found = {0};
    budget_init(&b, w->seconds, w->memory);
    assert(!r->error.code && h->h->pending <= h->h->n);
    r->operations = h->h->n;
    r->pending = h->h->pending;
    r->object = mem_string(h->o->name);
    report_wishes keep = {.witness = true, .columns = w->columns};
    bool relaxed = relax(h, &w->criterion, &o, &r->error);
    report_criterion(r, relaxed ? &o.criterion : &w->criterion);
    if (relaxed && judge(h->h, &o, &w->judge, &b, NULL, &found, &r->error)) report_take(r, h->h, &o, &found, &keep);
    judgement_free(&found);
    relax_free(&o);
}

static void finish(plumb_result *p) {
    report *r = p->report;
    assert(!p->explanation.size && !p->json.size);
    assert(!r->has_core || r->core_n > 0);
    assert(!(r->has_core && r->has_witness)); /* one or the other proves the verdict */
    text_bytes(&p->explanation, r->diagram.at, r->diagram.size);
    text_bytes(&p->explanation, r->sentences.at, r->sentences.size);
    report_json(r, &p->json);
}

/* ---- in three steps, so that memory that runs out costs no more than it must ---- */

typedef struct check_request {
    plumb_history *h;
    const char *object;
    const plumb_check_options *options;
    plumb_result *p;
    wishes w;
    error error;
    bool nothing; /* to judge */
} check_request;

/* In the history's pool: it is complete and bound from now on. */
static void prepare(void *argument) {
    check_request *c = argument;
    if (!api_history_complete(c->h)) {
        c->error = c->h->error;
    } else if (take_options(c->options, &c->w, &c->error)) {
        c->nothing = has_nothing(c->h, c->object);
        if (!c->nothing) bind(c->h, c->object, c->w.init, &c->error);
    }
}

static const char *name_of(const plumb_history *h) { return h && h->name ? h->name : "history"; }

/* In the result's pool: the history stays as it is. */
static void judge_history(void *argument) {
    check_request *c = argument;
    report *r = c->p->report = report_new(name_of(c->h));
    r->error = c->error;
    if (c->h) r->format = c->h->format;
    if (c->h) r->read_seconds = c->h->read_seconds;
    if (!r->error.code && c->nothing) say_nothing_judged(c->h, &c->w, r);
    else if (!r->error.code) judge_into(c->h, &c->w, r);
    finish(c->p);
}

static const char no_memory[] = "out of memory in plumb_check";

/* When there was no memory for more. */
static void say_undecided(void *argument) {
    check_request *c = argument;
    report *r = c->p->report = report_new(name_of(c->h));
    text_add(&r->reason, no_memory);
    finish(c->p);
}

static void forget(plumb_result *p) {
    p->report = NULL;
    p->explanation = p->json = (text){0};
}

static bool prepared(check_request *c) {
    if (!c->h) {
        call_misuse(&c->error, "plumb_check: the history is NULL");
        return true;
    }
    if (c->h->error.code) {
        c->error = c->h->error;
        return true;
    }
    if (api_run(&c->h->pool, &c->h->error, "plumb_check", prepare, c)) return true;
    api_history_forget(c->h);
    return false;
}

/* What is handed out when there is no memory for anything. It is never written to. */
static const plumb_result exhausted = {.report = NULL};

plumb_result *plumb_check(plumb_history *h, const char *object_name, const plumb_check_options *options) {
    plumb_result *p = mem_shell(sizeof *p);
    if (!p) return (plumb_result *)(uintptr_t)&exhausted;
    check_request c = {.h = h, .object = object_name, .options = options, .p = p};
    pool_init(&p->pool);
    if (prepared(&c) && pool_run(&p->pool, judge_history, &c)) return p;
    forget(p);
    if (!pool_run(&p->pool, say_undecided, &c)) forget(p);
    return p;
}

/* ---- results ---- */

/* False: misuse. */
static bool is_result(const plumb_result *r, const char *call) {
    return r || call_misuse(NULL, "%s: the result is NULL; expected what plumb_check returned", call);
}

plumb_verdict plumb_result_verdict(const plumb_result *r) {
    static const plumb_verdict outward[] = {PLUMB_LINEARIZABLE, PLUMB_VIOLATION, PLUMB_UNDECIDED};
    if (!is_result(r, "plumb_result_verdict")) return PLUMB_ERROR;
    if (!r->report) return PLUMB_UNDECIDED;
    assert(r->report->verdict < sizeof outward / sizeof *outward);
    return r->report->error.code ? PLUMB_ERROR : outward[r->report->verdict];
}

const char *plumb_result_reason(const plumb_result *r) {
    if (!is_result(r, "plumb_result_reason")) return "plumb_result_reason: the result is NULL";
    if (!r->report) return no_memory;
    return r->report->error.code ? r->report->error.what : text_str(&r->report->reason);
}

const char *plumb_result_explanation(const plumb_result *r) {
    return is_result(r, "plumb_result_explanation") ? text_str(&r->explanation) : "";
}

const char *plumb_result_object(const plumb_result *r) {
    return is_result(r, "plumb_result_object") && r->report && r->report->object ? r->report->object : "";
}

const char *plumb_result_engine(const plumb_result *r) {
    return is_result(r, "plumb_result_engine") && r->report && r->report->engine ? r->report->engine : "";
}

const char *plumb_result_json(const plumb_result *r) {
    static const char nothing[] = "{\"schema\":\"" REPORT_SCHEMA "\",\"file\":null,\"object\":null,\"engine\":null,"
                                  "\"criterion\":null,\"operations\":null,\"pending\":null,\"verdict\":\"undecided\","
                                  "\"reason\":\"out of memory in plumb_check\",\"seconds\":0,\"core\":null,"
                                  "\"witness\":null,\"error\":null}\n";
    if (!is_result(r, "plumb_result_json")) return "";
    return r->report ? text_str(&r->json) : nothing;
}

const uint32_t *plumb_result_core(const plumb_result *r, size_t *n) {
    bool there = is_result(r, "plumb_result_core") && r->report && r->report->has_core;
    if (n) *n = there ? r->report->core_n : 0;
    else call_misuse(NULL, "plumb_result_core: the number is NULL; expected where it is to be written");
    return there ? r->report->core : NULL;
}

const uint32_t *plumb_result_witness(const plumb_result *r, size_t *n) {
    bool there = is_result(r, "plumb_result_witness") && r->report && r->report->has_witness;
    if (n) *n = there ? r->report->witness_n : 0;
    else call_misuse(NULL, "plumb_result_witness: the number is NULL; expected where it is to be written");
    return there ? r->report->witness : NULL;
}

static void free_parts(void *argument) {
    plumb_result *r = argument;
    report_free(r->report);
    text_free(&r->explanation);
    text_free(&r->json);
}

void plumb_result_free(plumb_result *r) {
    if (!r || r == &exhausted) return;
    pool_run(&r->pool, free_parts, r);
    assert(r->pool.lost || pool_is_empty(&r->pool));
    pool_drop(&r->pool);
    mem_foreign_free(r);
}
