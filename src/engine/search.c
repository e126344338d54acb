#include "engine/engine.h"

static void decide_search(const problem *p, outcome *out) {
    (void)p;
    (void)out;
}

const engine engine_search = {
    .name = "search",
    .summary = "depth-first search with memory: any object, any history",
    .growth = "exponential in the number of open operations",
    .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS,
    .cost = COST_EXPONENTIAL,
    .decide = decide_search,
};
