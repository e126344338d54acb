#include "engine/general/single_writer.h"

#include "engine/order_log.h"
#include "engine/self_check.h"
#include "object/register.h"

#include <stdio.h>

bool single_writer_gather(const problem *p, single_writer *s, outcome *out) {
    *s = (single_writer){.write = MEM_ARRAY(write_op, p->n + 1), .read = MEM_ARRAY(read_op, p->n + 1), .writes = 1};
    s->write[0] = (write_op){.op = UINT32_MAX, .v = p->o->init};
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i], call = p->h->call[op] + 1, ret = p->h->ret[op];
        if (ret != RANK_NEVER) ret++;
        if (p->h->method[op] == REGISTER_READ) {
            if (ret != RANK_NEVER)
                s->read[s->reads++] = (read_op){.op = op, .call = call, .ret = ret, .v = p->h->res[op]};
            continue;
        }
        if (s->write[s->writes - 1].ret > call) {
            snprintf(out->why, sizeof out->why, "two writes overlap");
            return false;
        }
        s->write[s->writes++] = (write_op){.op = op, .call = call, .ret = ret, .v = p->h->arg[0][op]};
    }
    assert(s->reads + s->writes <= p->n + 1);
    for (uint32_t w = 1; w < s->writes; w++) assert(s->write[w - 1].ret <= s->write[w].call);
    for (uint32_t r = 1; r < s->reads; r++) assert(s->read[r - 1].call < s->read[r].call);
    return true;
}

void single_writer_free(single_writer *s) {
    free(s->write);
    free(s->read);
}

void single_writer_witness(const single_writer *s, outcome *out) {
    uint32_t *start = mem_zero(s->writes + 1, sizeof *start), n = s->reads + s->writes - 1;
    for (uint32_t r = 0; r < s->reads; r++) start[s->read[r].write + 1]++;
    for (uint32_t w = 0; w < s->writes; w++) start[w + 1] += start[w] + (w > 0); /* the initial write has no place */
    assert(start[s->writes] == n);
    order_log_init(&out->witness, n);
    out->witness.n = n;
    for (uint32_t w = 1; w < s->writes; w++) {
        out->witness.op[start[w]] = s->write[w].op;
        out->witness.res[start[w]++] = VALUE_NONE;
    }
    for (uint32_t r = 0; r < s->reads; r++) {
        uint32_t at = start[s->read[r].write]++;
        assert(at < n && s->write[s->read[r].write].v == s->read[r].v);
        out->witness.op[at] = s->read[r].op;
        out->witness.res[at] = s->read[r].v;
    }
    free(start);
}
