/* More words of containers, said in terms of their adds and removals: peek is what a removal would return, size and
 * isempty count, drain takes out everything and returns it in the order of its removals, clear takes out everything.
 *
 * An object with these words is a type of its own (`wide-queue`), which binding takes instead of the plain one when a
 * history has them (object_type.wider): what knows a queue by its name knows nothing of them. */
#ifndef PLUMB_OBJECT_WIDE_H
#define PLUMB_OBJECT_WIDE_H

#include "object/object.h"

typedef enum wide_word { WORD_PEEK, WORD_SIZE, WORD_ISEMPTY, WORD_DRAIN, WORD_CLEAR } wide_word;

enum { WIDE_WORDS = 6 }; /* at most; a deque has two peeks */

struct wide_words {
    unsigned first; /* method: those below it add and remove */
    struct {
        wide_word word;
        uint8_t removal; /* peek and drain: the method that says what is next */
    } at[WIDE_WORDS];    /* by method, from `first` on */
    /* of the methods below `first` */
    step_result (*step)(const object *o, state *s, const operation *op, uint32_t choice, value *res);
    void (*why_not)(const object *o, const state *s, const operation *op, text *out); /* NULL: the state says it */
};

/* The methods' lines in a table, in this order. */
#define WIDE_PEEK(name, aliases) \
    { name, aliases, 0, 0, ARG_VALUE, RESULT_REMOVED, ROLE_OBSERVES }
#define WIDE_COUNTS \
    {"size", "length count len", 0, 0, ARG_VALUE, RESULT_INT, ROLE_OBSERVES}, { \
        "isempty", "empty", 0, 0, ARG_VALUE, RESULT_BOOL, ROLE_OBSERVES \
    }
#define WIDE_EMPTIES \
    {"drain", "drainall popall takeall", 0, 0, ARG_VALUE, RESULT_ANY, 0}, { \
        "clear", "reset", 0, 0, ARG_VALUE, RESULT_VOID, 0 \
    }

/* The fields of an object_type. */
#define WIDE_FIELDS(its_words) \
    .words = &(its_words), .step = wide_step, .changes_nothing = wide_changes_nothing, .leave_out = wide_leave_out, \
    .why_not = wide_why_not, .check_operation = wide_check_operation

step_result wide_step(const object *o, state *s, const operation *op, uint32_t choice, value *res);
bool wide_changes_nothing(const object *o, const operation *op);
void wide_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out);
void wide_why_not(const object *o, const state *s, const operation *op, text *out);
int wide_looks_for(const object *o, const operation *op, value v[2]);
bool wide_check_operation(const object *o, const operation *op, text *wrong);
uint32_t wide_all_words(const object *o, const state *s); /* `elements` where each word of the state is one */

/* After a criterion has changed the step of a copy of the type: the words are said in terms of the relaxed removals.
 * They are returned; to be freed. */
wide_words *wide_relax(object_type *t);

#endif
