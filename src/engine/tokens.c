#include "engine/tokens.h"

#include <stdio.h>

enum { WORK_LIMIT = 1 << 26 }; /* events: about a second */

static token_answer try_from(token_trial *t, uint32_t token) {
    inventory *c = t->c;
    if (token == t->size) {
        t->work += c->events;
        if (t->work > WORK_LIMIT || budget_check_clock(c->p->budget)) return TOKENS_GAVE_UP;
        return t->fits(t) ? TOKENS_FIT : TOKENS_DO_NOT_FIT;
    }
    for (uint32_t i = 0; i < t->candidates; i++) {
        uint32_t v = t->candidate[i];
        if (is_removed(c, v)) continue;
        inventory_assign(c, token, v);
        token_answer answer = try_from(t, token + 1);
        if (answer == TOKENS_FIT) return answer;
        inventory_unassign(c, token, v);
        if (answer == TOKENS_GAVE_UP) return answer;
    }
    return TOKENS_DO_NOT_FIT;
}

static void say_gave_up(const token_trial *t) {
    t->out->stopped = budget_why(t->c->p->budget);
    snprintf(t->out->why, sizeof t->out->why, "%u pending removes may have taken %u values in too many ways", t->c->tokens, t->candidates);
}

token_answer tokens_try(token_trial *t) {
    uint32_t most = t->candidates < t->c->tokens ? t->candidates : t->c->tokens;
    for (t->size = t->more_is_better ? most : 1; t->size <= most; t->size++) {
        token_answer answer = t->size ? try_from(t, 0) : TOKENS_DO_NOT_FIT;
        if (answer == TOKENS_GAVE_UP) say_gave_up(t);
        if (answer != TOKENS_DO_NOT_FIT) return answer;
    }
    return TOKENS_DO_NOT_FIT;
}
