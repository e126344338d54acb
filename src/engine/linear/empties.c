#include "engine/linear/empties.h"
#include "engine/self_check.h"

#include "base/mem.h"

void empties_init(empties *s, const inventory *c) {
    *s = (empties){.c = c, .good = NO_INDEX, .cut = MEM_ARRAY(empty_cut, c->empties)};
}

void empties_free(empties *s) { free(s->cut); }

bool empties_place(empties *s, uint32_t empty, outcome *out) {
    uint32_t position = s->c->empty[empty];
    if (s->good == NO_INDEX || s->good < s->c->call[position]) {
        inventory_violation_empty(s->c, empty, out);
        return false;
    }
    assert(s->cuts < s->c->empties && s->good < s->c->ret[position]);
    assert(!s->cuts || s->cut[s->cuts - 1].gap <= s->good);
    s->cut[s->cuts++] = (empty_cut){s->good, position};
    if (s->good_left > s->assigned) s->assigned = s->good_left;
    return true;
}
