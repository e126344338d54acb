/* Assembly text, AT&T syntax, taken apart: a line into statements, an instruction into prefixes, mnemonic and
 * operands. */
#ifndef PLUMB_EXPLORE_COMPILE_STATEMENT_H
#define PLUMB_EXPLORE_COMPILE_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct text_piece { /* of a text that lives elsewhere */
    const char *at;
    size_t size;
} text_piece;

bool piece_is(text_piece p, const char *word);
bool piece_starts(text_piece p, const char *word);
bool piece_has(text_piece p, const char *word);
text_piece piece_trim(text_piece p);
text_piece piece_from(text_piece p, size_t skip);

typedef enum statement_kind {
    STATEMENT_LABEL,
    STATEMENT_DIRECTIVE,
    STATEMENT_ASSIGNMENT,
    STATEMENT_INSTRUCTION
} statement_kind;

enum { OPERANDS_MAX = 6 };
/* one bit each, in the order of prefix_names */
enum prefix {
    PREFIX_LOCK = 1,
    PREFIX_REP = 2,
    PREFIX_REPE = 4,
    PREFIX_REPZ = 8,
    PREFIX_REPNE = 16,
    PREFIX_REPNZ = 32,
    PREFIX_ANY_REP = 62,
};

typedef struct statement {
    statement_kind kind;
    text_piece whole; /* without prefixes */
    unsigned prefixes;
    text_piece mnemonic; /* empty when the statement consists of prefixes only; the name of a label or directive */
    text_piece operand[OPERANDS_MAX];
    unsigned operands; /* OPERANDS_MAX + 1: too many */
} statement;

/* Copies a line without comments into `room` (at least as long as the line, plus one). `in_comment` carries a comment
 * that spans lines from one line to the next. */
text_piece line_strip(text_piece line, bool *in_comment, char *room);
/* The next statement of a stripped line; false at its end. */
bool statement_next(text_piece *rest, statement *s);
const char *prefix_name(unsigned i); /* NULL behind the last */

#endif
