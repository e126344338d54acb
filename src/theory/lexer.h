/* The words of a theory file. An item (axiom, method, ...) begins in the first column of a line; lines that begin with
 * a blank go on with it. # begins a comment. */
#ifndef PLUMB_THEORY_LEXER_H
#define PLUMB_THEORY_LEXER_H

#include "base/error.h"

typedef enum theory_token_kind {
    TOKEN_NAME, /* forall, add, pqueue-max */
    TOKEN_NUMBER,
    TOKEN_STRING, /* "..." without the quotes */
    TOKEN_SYMBOL, /* ( ) , . : = != < -> <-> & | ^ ! - + */
    TOKEN_END,
} theory_token_kind;

typedef struct theory_token {
    theory_token_kind kind;
    bool begins_item;
    const char *at;
    uint32_t length;
    uint32_t line, column; /* from 1 */
} theory_token;

typedef struct token_list {
    const char *file;
    theory_token *token; /* the last one is TOKEN_END */
    uint32_t count;
} token_list;

bool lex(const char *source, const char *file, token_list *out, error *e);
void token_list_free(token_list *l);

bool token_is(const theory_token *t, const char *word);
/* "file:line:column: what found; expected ..." Returns false. */
bool token_error(const token_list *l, const theory_token *t, const char *expected, error *e);
bool token_complain(const token_list *l, const theory_token *t, error *e, const char *format, ...) TEXT_FORMAT(4, 5);

#endif
