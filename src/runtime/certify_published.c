/* A certificate of what the logs hold: the operations with the recovered intervals, and a witness found by the
 * engines. */
#include "runtime/knowledge.h"

#include "evidence/compact.h"
#include "history/builder.h"
#include "theory/theory_object.h"

#include <assert.h>
#include <string.h>

typedef struct published_gathering {
    builder *b;
    const log_header *h;
    unsigned method[LOG_METHODS];
    bool good;
} published_gathering;

static void add(published_gathering *g, const sketched *op, bool back) {
    value arg[HISTORY_MAX_ARGS], name = value_int(builder_values(g->b), op->client);
    for (unsigned i = 0; i < op->nargs; i++) arg[i] = word_as_value(builder_values(g->b), op->arg[i]);
    call_record call = {
        .client = name, .method = g->method[op->method], .key = VALUE_NONE, .arg = arg, .nargs = op->nargs};
    assert(op->method < g->h->methods && op->nargs <= HISTORY_MAX_ARGS && (!back || op->call < op->ret));
    value res = back ? word_as_value(builder_values(g->b), op->res) : VALUE_UNKNOWN;
    g->good = g->good && builder_operation(g->b, &call, (int64_t)op->call, back ? (int64_t)op->ret : STAMP_NEVER, res);
}

static void on_call(void *context, sketched *op) { (void)context, (void)op; }

static void on_return(void *context, sketched *op) {
    if (op->outcome != LOG_FAILED) add(context, op, op->outcome == LOG_RETURNED);
}

static history *gather(recording *m, error *e) {
    published_gathering g = {.b = builder_new("guard", e), .h = m->header, .good = true};
    sketch s;
    for (uint32_t i = 0; i < m->header->methods; i++)
        g.method[i] = builder_method(g.b, m->header->method[i], strlen(m->header->method[i]), 0);
    sketch_init(&s, m, builder_values(g.b), &(sketch_sink){&g, on_call, on_return});
    sketch_round(&s);
    for (uint64_t i = 0; i < s.cursors; i++)
        if (s.cursor[i].open) add(&g, &s.cursor[i].op, false);
    history *h = g.good && !s.damaged ? builder_finish(g.b) : NULL;
    sketch_free(&s);
    builder_free(g.b);
    return h;
}

static bool certify_logs(recording *m, const criterion *asked, const char *path, error *e) {
    const log_header *head = m->header;
    history *h = gather(m, e);
    object *o = h ? specification_from_data(head->object, head->init[0] ? head->init + 1 : NULL, e) : NULL;
    judgement j = {0};
    budget b;
    budget_init(&b, 60, 0);
    bool good = o && object_relax(o, asked, e) && object_bind(o, h, "guard", e) &&
                judge(h, o, &(judge_options){0}, &b, NULL, &j, e);
    /* steps are no order */
    bool in_order = j.verdict == VERDICT_LINEARIZABLE && j.witness_checked && !j.decision.witness.begins;
    if (good && in_order) good = compact_write(path, h, o, &j.decision.witness, e);
    else if (good) good = certificate_write(path, h, o, &j, e);
    if (!good && !e->code) error_set(e, EXIT_INTERNAL, "the logs are damaged");
    judgement_free(&j);
    history_free(h);
    object_close(o);
    return good;
}

typedef struct certifying {
    recording *m;
    const criterion *asked;
    const char *path;
    error *e;
    bool good;
} certifying;

static void run(void *argument) {
    certifying *c = argument;
    c->good = certify_logs(c->m, c->asked, c->path, c->e);
}

bool certify_published(recording *m, const criterion *asked, const char *path, error *e) {
    mem_pool pool;
    certifying c = {m, asked, path, e, false};
    pool_init(&pool);
    bool enough = pool_run(&pool, run, &c);
    assert(pool.lost || pool_is_empty(&pool));
    pool_drop(&pool);
    if (enough) return c.good;
    e->code = 0; /* of what is gone */
    return error_set(e, EXIT_INTERNAL, "out of memory in plumb_guard_certificate");
}
