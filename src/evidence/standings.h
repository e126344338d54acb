/* Standings: the ways in which things can stand at one moment of a history, for the retrial (retrial.c).
 *
 * A standing is the object's state and which of the open operations have taken effect already: those that return later
 * (`done`) and those that never return (`used`). Of two with the same state and the same `done`, the one that used
 * fewer of the latter can do all that the other can, for a pending operation need not take effect: only that one is
 * kept. */
#ifndef PLUMB_EVIDENCE_STANDINGS_H
#define PLUMB_EVIDENCE_STANDINGS_H

#include "object/state.h"

typedef struct state_store { /* states by number; equal ones have the same */
    uint32_t *word;
    size_t words, room;
    size_t *from; /* by number: where its words begin; one more for the end */
    uint32_t n, numbers_room;
    uint32_t *slot; /* open addressing: number + 1 */
    uint32_t slots;
} state_store;

void state_store_init(state_store *s);
void state_store_free(state_store *s);
uint32_t state_store_add(state_store *s, const state *what);
void state_store_get(const state_store *s, uint32_t number, state *out);

typedef struct standings {
    unsigned done_words, used_words;
    uint64_t *at;    /* each: the state's number, words of `done`, words of `used` */
    uint32_t *chain; /* by standing: another one with the same hash of state and `done`, + 1 */
    uint32_t n, room;
    uint32_t *slot; /* hash: the first of a chain + 1 */
    uint32_t slots;
    uint32_t fixed; /* standings before this one have been looked at: they are not replaced by better ones */
} standings;

void standings_init(standings *s, unsigned done_words, unsigned used_words);
void standings_free(standings *s);
void standings_clear(standings *s);
void standings_add(standings *s, const uint64_t *standing); /* unless there is one that is as good */

static inline unsigned standing_words(const standings *s) { return 1 + s->done_words + s->used_words; }
static inline uint64_t *standing_at(const standings *s, uint32_t i) { return s->at + (size_t)i * standing_words(s); }

#endif
