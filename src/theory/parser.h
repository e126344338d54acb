/* What the parser's files share: parse.c reads items, parse_formula.c formulas. */
#ifndef PLUMB_THEORY_PARSER_H
#define PLUMB_THEORY_PARSER_H

#include "theory/lexer.h"
#include "theory/theory.h"

enum { MAX_DEFINITIONS = 64, MAX_DEPTH = 100, MAX_FORMULAS = 200000 };

typedef struct scope_entry {
    const theory_token *name;
    uint8_t slot;
} scope_entry;

typedef struct definition { /* define NAME(v, ...): the formula is read again wherever the name is used */
    const theory_token *name;
    const token_list *list;
    uint32_t parameters[8]; /* places of their names */
    unsigned count;
    uint32_t body;
} definition;

typedef struct parser {
    theory *t;
    const token_list *list;
    uint32_t at;
    error *e;
    scope_entry scope[THEORY_SLOTS];
    unsigned scoped; /* entries visible */
    unsigned hidden; /* entries below this one are not: inside a definition */
    unsigned slots;  /* in use */
    unsigned depth, formulas;
    definition definition[MAX_DEFINITIONS];
    unsigned definitions;
    const char *given; /* parameters, "(3)"; "": none */
    bool labels_only;  /* in match: b and match are not allowed */
} parser;

static inline const theory_token *current(const parser *p) { return &p->list->token[p->at]; }
/* The end of the item ends every formula. */
static inline bool at_item_end(const parser *p) { return current(p)->begins_item; }
bool accept_word(parser *p, const char *word);
bool expect_word(parser *p, const char *word, const char *expected);
bool expect_integer(parser *p, int64_t *out);         /* a number, a parameter, sums of them */
bool expect_leading_integer(parser *p, int64_t *out); /* the same up to what is something else */

void *arena_alloc(theory *t, size_t size); /* freed with the theory */
char *arena_string(theory *t, const char *s, size_t n);

/* A formula up to the end of the item; NULL: error set. */
formula *parse_formula(parser *p);
bool scope_push(parser *p, const theory_token *name, uint8_t slot);

/* normal.c */
const formula *formula_normal(theory *t, const formula *f); /* NULL: larger than MAX_FORMULAS */
void theory_set_guards(theory *t);
/* Is the formula true or false whatever else is known, when the operation in `slot` has method number `has`? */
bool formula_is_decided(const theory *t, const formula *f, uint8_t slot, unsigned has);
bool formula_is_false(const theory *t, const formula *f, uint8_t slot, unsigned has);

#endif
