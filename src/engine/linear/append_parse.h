/* What a key can hold when operations append to it: strings, taken apart into what was put there and the pieces that
 * were appended. A *content* is what one update left, behind another content or on its own. Where every string can be
 * taken apart in one way only, a read tells its writers, in their order. */
#ifndef PLUMB_ENGINE_LINEAR_APPEND_PARSE_H
#define PLUMB_ENGINE_LINEAR_APPEND_PARSE_H

#include "engine/engine.h"

#define NO_CONTENT UINT32_MAX

typedef struct key_content {
    uint32_t before; /* content that was appended to; NO_CONTENT: none was, or the key was absent */
    uint32_t writer; /* position in p->op; NO_CONTENT: it is the initial one */
    bool appended;
} key_content;

typedef enum parse_answer {
    PARSE_CONTENT,
    PARSE_NEVER,   /* no updates make this string: a violation when it was read */
    PARSE_TWICE,   /* one append would have to have happened behind two contents: a violation */
    PARSE_UNKNOWN, /* it can be taken apart in more than one way */
} parse_answer;

typedef struct append_parse append_parse;

/* `written[i]`: what update i puts there or appends, VALUE_UNKNOWN for operations that are no update or write none;
 * `appends[i]`: it is an append. `may_be_absent`: an append may come when the key is absent. */
append_parse *append_parse_new(const problem *p, const value *written, const bool *appends, bool may_be_absent);
void append_parse_free(append_parse *a);
parse_answer append_parse_value(append_parse *a, value v, uint32_t *content);
const key_content *append_parse_at(const append_parse *a, uint32_t content);
/* The content that update i wrote, as far as strings were asked for; NO_CONTENT: none. */
uint32_t append_parse_of(const append_parse *a, uint32_t i);

#endif
