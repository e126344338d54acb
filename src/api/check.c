/* Checking through the front door. */
#include "api/api.h"

#include "base/mem.h"
#include "report/write.h"
#include "object/trust.h"
#include "theory/theory_object.h"

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
    if (h->h->object_hint) return object_open_from_data(h->h->object_hint, init, e);
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
    return object_relax(o, c, e) && (!o->relaxed || !o->type->check || o->type->check(o, h->h, h->name, e));
}

/* No object says what it is of, and there is nothing to judge. */
static bool nothing_to_judge(const plumb_history *h, const char *name, const wishes *w, report *r) {
    char why[160];
    if (h->o || name || h->h->n || h->h->object_hint) return false;
    history_say_nothing_judged(h->h, why, sizeof why);
    text_add(&r->reason, why);
    report_criterion(r, &w->criterion);
    r->operations = r->pending = 0;
    return true;
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
    free(o.relaxed);
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

plumb_result *plumb_check(plumb_history *h, const char *object_name, const plumb_check_options *options) {
    plumb_result *p = MEM_NEW(plumb_result);
    report *r = p->report = report_new(h->name);
    wishes w;
    r->format = h->format;
    r->read_seconds = h->read_seconds;
    if (!api_history_complete(h)) r->error = h->error;
    else if (take_options(options, &w, &r->error) && !nothing_to_judge(h, object_name, &w, r) &&
             bind(h, object_name, w.init, &r->error))
        judge_into(h, &w, r);
    finish(p);
    return p;
}

plumb_verdict plumb_result_verdict(const plumb_result *r) {
    static const plumb_verdict outward[] = {PLUMB_LINEARIZABLE, PLUMB_VIOLATION, PLUMB_UNDECIDED};
    assert(r->report->verdict < sizeof outward / sizeof *outward);
    return r->report->error.code ? PLUMB_ERROR : outward[r->report->verdict];
}

const char *plumb_result_reason(const plumb_result *r) {
    return r->report->error.code ? r->report->error.what : text_str(&r->report->reason);
}

const char *plumb_result_explanation(const plumb_result *r) { return text_str(&r->explanation); }
const char *plumb_result_object(const plumb_result *r) { return r->report->object ? r->report->object : ""; }
const char *plumb_result_engine(const plumb_result *r) { return r->report->engine ? r->report->engine : ""; }
const char *plumb_result_json(const plumb_result *r) { return text_str(&r->json); }

const uint32_t *plumb_result_core(const plumb_result *r, size_t *n) {
    *n = r->report->core_n;
    return r->report->has_core ? r->report->core : NULL;
}

const uint32_t *plumb_result_witness(const plumb_result *r, size_t *n) {
    *n = r->report->witness_n;
    return r->report->has_witness ? r->report->witness : NULL;
}

void plumb_result_free(plumb_result *r) {
    if (!r) return;
    report_free(r->report);
    text_free(&r->explanation);
    text_free(&r->json);
    free(r);
}
