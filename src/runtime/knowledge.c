#include "runtime/knowledge.h"

#include "base/mem.h"
#include "theory/theory_object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void on_call(void *context, sketched *op) {
    knowledge *k = context;
    k->check->type->call(k->check, op);
}

static void on_return(void *context, sketched *op) {
    knowledge *k = context;
    k->check->type->ret(k->check, op);
}

static uint32_t on_whole(void *context, const uint64_t *record, uint32_t n) {
    const knowledge *k = context;
    return k->check->type->whole ? k->check->type->whole(k->check, record, n) : 0;
}

/* ---- making; all that a knowledge has is of its own pool, whichever thread uses it ---- */

typedef struct knowledge_making {
    knowledge *k, *from; /* NULL: new */
    recording *m;
    const checker_options *options;
    error *e;
} knowledge_making;

static void prepare(const knowledge_making *a, values *v) {
    const log_header *h = a->m->header;
    knowledge *k = a->k;
    k->values = v;
    sketch_init(&k->sketch, a->m, k->values, &(sketch_sink){k, on_call, on_return});
    k->sketch.whole = on_whole;
    k->sketch.member = true;
    const criterion *asked = a->from ? &a->from->o->criterion : &a->options->criterion;
    object *o = specification_from_data(h->object, h->init[0] ? h->init + 1 : NULL, a->e);
    if (o && !object_relax(o, asked, a->e)) {
        object_close(o);
        o = NULL;
    }
    k->o = o;
    if (o) object_use_values(o, k->values);
}

static void make_new(void *argument) {
    const knowledge_making *a = argument;
    prepare(a, values_new());
    if (a->k->o) a->k->check = checker_new(a->k->o, a->m->header->slots, a->options, a->e);
}

/* Cursors point into the logs, which both share, and at places that are this one's own. */
static void make_copy(void *argument) {
    const knowledge_making *a = argument;
    knowledge *k = a->k, *from = a->from;
    prepare(a, values_copy(from->values));
    if (!k->o) return; /* a plug-in's file that is gone */
    sketch own = k->sketch;
    uint32_t slots = own.m->header->slots;
    assert(from->check && from->sketch.cursors <= slots);
    k->check = from->check->type->copy(from->check, k->o);
    k->sketch = from->sketch;
    k->sketch.values = own.values;
    k->sketch.sink = own.sink;
    k->sketch.scanner = own.scanner;
    k->sketch.cursor = own.cursor;
    memcpy(own.cursor, from->sketch.cursor, slots * sizeof *own.cursor);
    for (uint32_t i = 0; i < slots; i++) own.cursor[i].op.mine = &own.cursor[i].mine;
}

static knowledge *make(knowledge_making *a, void (*body)(void *argument)) {
    knowledge *k = a->k = mem_shell(sizeof *k);
    if (k) pool_init(&k->pool);
    if (k && pool_run(&k->pool, body, a)) {
        if (k->check) return k;
        knowledge_free(k);
        return NULL;
    }
    mem_foreign_free(k);
    error_set(a->e, EXIT_INTERNAL, "out of memory in the guard");
    return NULL;
}

knowledge *knowledge_new(recording *m, const checker_options *options, error *e) {
    return make(&(knowledge_making){.m = m, .options = options, .e = e}, make_new);
}

knowledge *knowledge_copy(knowledge *from, error *e) {
    return make(&(knowledge_making){.from = from, .m = from->sketch.m, .e = e}, make_copy);
}

static void free_parts(void *argument) {
    knowledge *k = argument;
    checker_free(k->check);
    sketch_free(&k->sketch);
    object_close(k->o);
    values_free(k->values);
}

void knowledge_free(knowledge *k) {
    if (!k) return;
    if (!k->exhausted) pool_run(&k->pool, free_parts, k);
    assert(k->pool.lost || pool_is_empty(&k->pool));
    pool_drop(&k->pool);
    mem_foreign_free(k);
}

/* ---- rounds ---- */

typedef struct knowledge_round_made {
    knowledge *k;
    uint64_t next;
    verdict v;
    bool alone;
} knowledge_round_made;

static void read_and_judge(void *argument) {
    knowledge_round_made *r = argument;
    sketch_round(&r->k->sketch);
    r->v = r->k->check->type->settle(r->k->check);
}

verdict knowledge_round(knowledge *k) {
    assert(k->check && k->sketch.member && !k->exhausted);
    knowledge_round_made r = {.k = k};
    if (pool_run(&k->pool, read_and_judge, &r)) return r.v;
    k->exhausted = true;
    return VERDICT_UNDECIDED;
}

static void judge_alone(void *argument) {
    knowledge_round_made *r = argument;
    knowledge *k = r->k;
    checker *c = k->check;
    const uint64_t *record = c->verdict == VERDICT_LINEARIZABLE ? sketch_round_alone(&k->sketch, r->next) : NULL;
    if (!record) return;
    if (!on_whole(k, record, 1)) {
        sketched *op = sketch_decode_plain(&k->sketch, record);
        c->type->call(c, op);
        c->type->ret(c, op);
    }
    r->alone = c->type->settle(c) == VERDICT_LINEARIZABLE;
}

bool knowledge_round_alone(knowledge *k, uint64_t next) {
    assert(k->sketch.member && next > 0 && !k->exhausted);
    knowledge_round_made r = {.k = k, .next = next};
    if (pool_run(&k->pool, judge_alone, &r)) return r.alone;
    k->exhausted = true;
    return false;
}

/* ---- evidence ---- */

typedef struct witness_writing {
    knowledge *k;
    const char *path;
    error *e;
    bool good;
} witness_writing;

static void write_witness(void *argument) {
    witness_writing *w = argument;
    w->good = checker_write_witness(w->k->check, w->path, w->e);
}

bool knowledge_write_witness(knowledge *k, const char *path, error *e) {
    witness_writing w = {k, path, e, false};
    if (pool_run(&k->pool, write_witness, &w)) return w.good;
    k->exhausted = true;
    return error_set(e, EXIT_INTERNAL, "out of memory in plumb_guard_witness");
}
