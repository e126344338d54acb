#include "runtime/knowledge.h"

#include "base/mem.h"
#include "object/trust.h"

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

static knowledge *new_knowledge(recording *m, values *v, error *e) {
    const log_header *h = m->header;
    knowledge *k = MEM_NEW(knowledge);
    k->values = v;
    sketch_init(&k->sketch, m, k->values, &(sketch_sink){k, on_call, on_return});
    k->sketch.whole = on_whole;
    k->sketch.member = true;
    k->o = object_open_from_data(h->object, h->init[0] ? h->init + 1 : NULL, e);
    if (k->o) object_use_values(k->o, k->values);
    return k;
}

knowledge *knowledge_new(recording *m, const checker_options *options, error *e) {
    knowledge *k = new_knowledge(m, values_new(), e);
    if (k->o) k->check = checker_new(k->o, m->header->slots, options, e);
    if (k->check) return k;
    knowledge_free(k);
    return NULL;
}

/* Cursors point into the logs, which both share, and at places that are this one's own. */
knowledge *knowledge_copy(knowledge *from, error *e) {
    knowledge *k = new_knowledge(from->sketch.m, values_copy(from->values), e);
    sketch own = k->sketch;
    uint32_t slots = own.m->header->slots;
    assert(k->o && from->check && from->sketch.cursors <= slots);
    k->check = from->check->type->copy(from->check, k->o);
    k->sketch = from->sketch;
    k->sketch.values = own.values;
    k->sketch.sink = own.sink;
    k->sketch.scanner = own.scanner;
    k->sketch.cursor = own.cursor;
    memcpy(own.cursor, from->sketch.cursor, slots * sizeof *own.cursor);
    for (uint32_t i = 0; i < slots; i++) own.cursor[i].op.mine = &own.cursor[i].mine;
    return k;
}

void knowledge_free(knowledge *k) {
    if (!k) return;
    checker_free(k->check);
    sketch_free(&k->sketch);
    object_close(k->o);
    values_free(k->values);
    free(k);
}

verdict knowledge_round(knowledge *k) {
    assert(k->check && k->sketch.member);
    sketch_round(&k->sketch);
    return k->check->type->settle(k->check);
}

bool knowledge_round_alone(knowledge *k, uint64_t next) {
    checker *c = k->check;
    assert(k->sketch.member && next > 0);
    const uint64_t *record = c->verdict == VERDICT_LINEARIZABLE ? sketch_round_alone(&k->sketch, next) : NULL;
    if (!record) return false;
    if (!on_whole(k, record, 1)) {
        sketched *op = sketch_decode_plain(&k->sketch, record);
        c->type->call(c, op);
        c->type->ret(c, op);
    }
    return c->type->settle(c) == VERDICT_LINEARIZABLE;
}
