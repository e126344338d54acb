/* One streaming pull tokenizer for JSON (RFC 8259) and EDN (github.com/edn-format/edn). It is fed block by block, holds
 * one token at a time, checks the grammar of the containers as it goes, and nests at most TOKEN_DEPTH deep.
 *
 * In EDN, vectors, lists and sets are all lists (as values, sets are sets), tags are skipped, discarded forms (#_) and
 * comments never show. */
#ifndef PLUMB_FORMAT_TOKEN_H
#define PLUMB_FORMAT_TOKEN_H

#include "format/input.h"
#include "format/lexeme.h"
#include "history/value.h"

/* of everything, and of one value: what binary.c carries, with room to wrap it */
enum { TOKEN_DEPTH = 200, VALUE_DEPTH = 104 };

typedef enum dialect { DIALECT_JSON, DIALECT_EDN } dialect;

typedef enum token_kind {
    TOKEN_END,   /* of everything */
    TOKEN_WRONG, /* bad input: tokens_what() says what */
    TOKEN_MAP,   /* an opening brace: keys and values follow in turn */
    TOKEN_LIST,
    TOKEN_CLOSE,
    TOKEN_STRING,  /* also EDN characters */
    TOKEN_KEYWORD, /* without its colon */
    TOKEN_SYMBOL,
    TOKEN_INT,    /* fits 64 bits */
    TOKEN_NUMBER, /* any other number, as text */
    TOKEN_NIL,
    TOKEN_TRUE,
    TOKEN_FALSE,
} token_kind;

typedef struct token {
    token_kind kind;
    uint32_t line;  /* where it ends */
    const char *at; /* text of strings, keywords, symbols, numbers: valid until the next token */
    size_t size;
    int64_t integer;
} token;

typedef struct tokens {
    lexer x;
    dialect dialect;
    const char *whole; /* what ends at TOKEN_END, for messages: "file", "line" */
    unsigned depth;
    char closer[TOKEN_DEPTH]; /* by depth: the bracket that closes it */
    bool map[TOKEN_DEPTH];
    bool odd[TOKEN_DEPTH];  /* by depth: a map's key waits for its value */
    unsigned char expect;   /* JSON: what may come next */
    unsigned discards;      /* EDN: forms still to be discarded here */
    unsigned discard_depth; /* EDN: inside a discarded container: the depth it was met at, plus one */
    bool tagged;
} tokens;

void tokens_init(tokens *t, dialect d, const char *whole, more_bytes *more, void *context);
void tokens_init_input(tokens *t, dialect d, input *in);
/* A piece of text that lies in memory, line numbers beginning with `line`. May be used again and again. */
void tokens_init_line(tokens *t, dialect d, const char *p, size_t n, uint32_t line);
void tokens_free(tokens *t);

token_kind tokens_next(tokens *t, token *out);
const char *tokens_what(const tokens *t); /* after TOKEN_WRONG */
uint32_t tokens_line(const tokens *t);    /* where that was, or the current line */

/* Reads a form whose first token is `first` up to its end; false after TOKEN_WRONG. */
bool tokens_skip(tokens *t, const token *first);

/* The same, as a value: lists and vectors become tuples, keywords and symbols byte strings. With `reserved`, the
 * keywords :empty and :full, alone or as items of the outermost list, become the constants they name. */
bool tokens_value(tokens *t, const token *first, values *v, bool reserved, value *out);

#endif
