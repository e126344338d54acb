#include "engine/linear/tokens.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORK_LIMIT = 1 << 26 }; /* events: about a second */

static token_answer try_now(token_trial *t) {
    t->work += t->c->events;
    if (t->work > WORK_LIMIT || budget_check_clock(t->c->p->budget)) return TOKENS_GAVE_UP;
    return t->fits(t) ? TOKENS_FIT : TOKENS_DO_NOT_FIT;
}

static token_answer try_guesses(token_trial *t) {
    uint32_t *taken = MEM_ARRAY(uint32_t, t->c->tokens), n = 0;
    token_answer answer;
    while ((answer = try_now(t)) == TOKENS_DO_NOT_FIT && n < t->c->tokens) {
        uint32_t v = t->guess(t);
        if (v == NO_INDEX) break;
        assert(v < t->c->values && !is_removed(t->c, v));
        taken[n] = v;
        inventory_assign(t->c, n++, v);
    }
    while (answer != TOKENS_FIT && n-- > 0) inventory_unassign(t->c, n, taken[n]);
    free(taken);
    return answer;
}

static token_answer try_from(token_trial *t, uint32_t token) {
    inventory *c = t->c;
    assert(token <= t->size && t->size <= c->tokens);
    if (token == t->size) return try_now(t);
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
    snprintf(t->out->why, sizeof t->out->why, "%u pending removes may have taken %u values in too many ways",
             t->c->tokens, t->candidates);
}

SELF_CHECK static bool no_token_is_assigned(const inventory *c) {
    for (uint32_t k = 0; k < c->tokens; k++)
        if (c->taken[k] != VALUE_UNKNOWN) return false;
    return true;
}

token_answer tokens_try(token_trial *t) {
    uint32_t most = t->candidates < t->c->tokens ? t->candidates : t->c->tokens;
    token_answer answer = try_guesses(t);
    for (t->size = t->more_is_better && most ? most : 1; t->size <= most && answer == TOKENS_DO_NOT_FIT; t->size++)
        answer = try_from(t, 0);
    assert_costly(answer == TOKENS_FIT || no_token_is_assigned(t->c));
    if (answer == TOKENS_GAVE_UP) say_gave_up(t);
    return answer;
}
