#include "explore/strategy/strategy.h"

#include <stddef.h>
#include <string.h>

extern const strategy_type strategy_dfs, strategy_bounded, strategy_dpor, strategy_states, strategy_pct,
    strategy_random, strategy_replay, strategy_serial, strategy_graphs, strategy_graph_replay;

const strategy_type *strategy_at(unsigned i) {
    static const strategy_type *const all[] = {
        &strategy_bounded, &strategy_dpor,   &strategy_dfs,    &strategy_states, &strategy_pct,
        &strategy_random,  &strategy_serial, &strategy_replay, &strategy_graphs, &strategy_graph_replay};
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

const strategy_type *strategy_replays(const strategy_options *o) {
    return o->messages ? &strategy_graph_replay : &strategy_replay;
}

const strategy_type *strategy_find(const char *name) {
    const strategy_type *t;
    for (unsigned i = 0; (t = strategy_at(i)) && strcmp(t->name, name); i++) continue;
    return t;
}
