/* Which pending removes took which values: tries assignments of tokens to candidates until one fits, within a limit of
 * work. First a guess: the next token takes what stands in the way of the first failure, until nothing fails. Then all
 * of them. A token called earlier can do all that a later one can, so k values are always taken by the k earliest
 * tokens. */
#ifndef PLUMB_ENGINE_LINEAR_TOKENS_H
#define PLUMB_ENGINE_LINEAR_TOKENS_H

#include "engine/linear/inventory.h"

typedef struct token_trial {
    inventory *c;
    const uint32_t *candidate; /* values left inside that may have to be taken */
    uint32_t candidates;
    bool more_is_better;                 /* taking one more value never hurts: only the largest assignments are tried */
    bool (*fits)(struct token_trial *t); /* with the tokens assigned in c */
    /* After a trial that failed: the candidate that most likely has to be taken next, NO_INDEX: no guess. */
    uint32_t (*guess)(struct token_trial *t);
    void *context;
    outcome *out;
    uint64_t work; /* events looked at so far */
    uint32_t size; /* of the assignments tried now */
} token_trial;

typedef enum token_answer { TOKENS_FIT, TOKENS_DO_NOT_FIT, TOKENS_GAVE_UP } token_answer;

/* TOKENS_FIT leaves the assignment in c. */
token_answer tokens_try(token_trial *t);

#endif
