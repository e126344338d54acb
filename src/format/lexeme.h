/* The small pieces that EDN and JSON have in common: bytes in blocks that may end anywhere, words, numbers, strings.
 * Used by the tokenizer (token.h) only. */
#ifndef PLUMB_FORMAT_LEXEME_H
#define PLUMB_FORMAT_LEXEME_H

#include "base/text.h"

enum { LEXEME_MAX = 64 << 20 }; /* a longer string or word is bad input */

/* The next block of bytes, 0 at the end. It stays valid until the next call. */
typedef size_t more_bytes(void *context, const char **p);

typedef struct lexer {
    const char *p, *end;
    more_bytes *more;
    void *context;
    bool ended;
    uint32_t line;
    text gathered;  /* a lexeme that does not lie in one block as it is */
    const char *at; /* the last lexeme: in the block or gathered */
    size_t size;
    int64_t integer;
    char wrong[160]; /* what is wrong; empty: nothing */
    uint32_t wrong_line;
} lexer;

/* Records what is wrong at this line (the first time) and returns false. */
bool lexer_wrong(lexer *x, const char *format, ...) TEXT_FORMAT(2, 3);

bool lexer_refill(lexer *x); /* false at the end */
static inline int lexer_peek(lexer *x) { return x->p < x->end || lexer_refill(x) ? (unsigned char)*x->p : -1; }
static inline int lexer_take(lexer *x) { return x->p < x->end || lexer_refill(x) ? (unsigned char)*x->p++ : -1; }

typedef enum number_kind { NUMBER_NOT, NUMBER_INT, NUMBER_OTHER } number_kind;

/* Bytes up to the next delimiter: symbols, keywords, numbers. */
bool lexer_word(lexer *x);
/* A string behind its opening quote. */
bool lexer_string(lexer *x, bool json);
/* An EDN character behind its backslash, as UTF-8. */
bool lexer_char(lexer *x);
/* What number the last word is. Integers that fit go to `integer`; an N behind them is cut off. */
number_kind lexer_number(lexer *x, bool json);

#endif
