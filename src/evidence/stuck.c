/* Orders of a core that begin well and can go no further. */
#include "evidence/facts.h"

enum { STUCK_STEPS = 20000 };

typedef struct stuck_walk {
    const object *o;
    const history *only;
    operation op[ORACLE_MAX_OPERATIONS];
    uint32_t before[ORACLE_MAX_OPERATIONS];
    uint32_t path[ORACLE_MAX_OPERATIONS], n, completed;
    uint32_t steps;
    fact *best;
    uint32_t best_completed;
    bool found, finished; /* the latter: this is no violation */
} stuck_walk;

static void remember(stuck_walk *w) {
    bool better =
        !w->found || w->completed > w->best_completed || (w->completed == w->best_completed && w->n < w->best->path_n);
    if (!better) return;
    w->found = true;
    w->best_completed = w->completed;
    memcpy(w->best->path, w->path, w->n * sizeof *w->path);
    w->best->path_n = w->n;
}

/* Completed operations are tried first: what then remains to be seen of the pending ones is that they do not help. */
static void extend(stuck_walk *w, uint32_t done, const replay *now) {
    bool dead = true;
    replay next;
    replay_init(&next, w->o);
    if (w->completed == w->only->n - w->only->pending && replay_may_end(now)) w->finished = true;
    for (uint32_t k = 0; k < 2 * w->only->n && !w->finished; k++) {
        uint32_t i = k % w->only->n;
        if (history_pending(w->only, i) != (k >= w->only->n) || done >> i & 1 || w->before[i] & ~done) continue;
        if (++w->steps > STUCK_STEPS) {
            dead = false;
            break;
        }
        replay_copy(&next, now);
        if (replay_step(&next, &w->op[i]) != REPLAY_DONE) continue;
        dead = false;
        w->path[w->n++] = i;
        w->completed += !history_pending(w->only, i);
        extend(w, done | 1u << i, &next);
        w->completed -= !history_pending(w->only, i);
        w->n--;
    }
    if (dead && !w->finished) remember(w);
    replay_free(&next);
}

bool facts_find_stuck(const object *o, const history *only, fact *out) {
    if (only->n == 0 || only->n > ORACLE_MAX_OPERATIONS) return false;
    *out = (fact){.kind = FACT_STUCK};
    stuck_walk w = {.o = o, .only = only, .best = out};
    for (uint32_t i = 0; i < only->n; i++) {
        history_operation(only, i, &w.op[i]);
        for (uint32_t j = 0; j < only->n; j++)
            if (history_before(only, j, i)) w.before[i] |= 1u << j;
    }
    replay first;
    replay_init(&first, o);
    extend(&w, 0, &first);
    replay_free(&first);
    return w.found && !w.finished;
}

void stuck_replay(const history *only, const fact *f, replay *r, uint32_t *done) {
    *done = 0;
    for (uint32_t k = 0; k < f->path_n; k++) {
        operation op;
        history_operation(only, f->path[k], &op);
        replay_step(r, &op);
        *done |= 1u << f->path[k];
    }
}

bool stuck_may_come_next(const history *only, uint32_t done, uint32_t i) {
    if (done >> i & 1) return false;
    for (uint32_t j = 0; j < only->n; j++)
        if (history_before(only, j, i) && !(done >> j & 1)) return false;
    return true;
}
