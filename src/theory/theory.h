/* Theories: an object as axioms of first-order logic over its operations, after Emmi, Enea and Hamza, "Monitoring
 * refinement via symbolic reasoning" (PLDI 2015), section 3. A history of operations with an order b on them is a
 * history of the object iff there is a relation match on the operations under which every axiom holds.
 *
 * A theory is read from text (docs/THEORIES.md has the language, the files of theories/ are the shipped ones). It is a
 * tree of formulas, read-only once parsed, and may be shared by threads. Variables stand for operations and are slots:
 * a quantifier binds the slots first .. first+bound-1, an environment is an array of operations by slot.
 *
 * To use a theory with the histories of some object, bind it (theory_bind): the numbers of its methods and the values
 * of its constants are those of that object and history. */
#ifndef PLUMB_THEORY_THEORY_H
#define PLUMB_THEORY_THEORY_H

#include "object/object.h"

enum {
    THEORY_SLOTS = 32,
    THEORY_METHODS = 32,
    THEORY_CONSTANTS = 64,
    THEORY_AXIOMS = 64,
    THEORY_PARAMETERS = OBJECT_PARAMETERS
};

/* ---- terms: what is said of one operation, or a constant ---- */

typedef enum term_kind {
    TERM_METH,     /* meth(x) */
    TERM_ARG,      /* arg(x), arg2(x), arg3(x) */
    TERM_RET,      /* ret(x) */
    TERM_CLIENT,   /* client(x) */
    TERM_METHOD,   /* a method's name: index into theory.method */
    TERM_CONSTANT, /* a value: index into theory.constant */
} term_kind;

typedef enum sort { SORT_METHOD, SORT_VALUE, SORT_CLIENT } sort;

typedef struct term {
    term_kind kind;
    uint8_t slot;  /* of the operation */
    uint8_t index; /* TERM_ARG: which argument, from 0; TERM_METHOD, TERM_CONSTANT: the number */
} term;

static inline sort term_sort(term t) {
    return t.kind == TERM_METH || t.kind == TERM_METHOD ? SORT_METHOD
           : t.kind == TERM_CLIENT                      ? SORT_CLIENT
                                                        : SORT_VALUE;
}

/* ---- formulas ---- */

typedef enum formula_kind {
    FORMULA_TRUE,
    FORMULA_FALSE,
    FORMULA_BEFORE,  /* b(x, y) */
    FORMULA_MATCH,   /* match(x, y) */
    FORMULA_SAME,    /* x = y, operations */
    FORMULA_EQUAL,   /* left = right, terms of one sort */
    FORMULA_LESS,    /* left < right, values (value_compare) */
    FORMULA_TALLY,   /* a sum of integers, counts and totals is zero, or below zero */
    FORMULA_NOT,     /* part[0] */
    FORMULA_AND,     /* of parts */
    FORMULA_OR,      /* of parts */
    FORMULA_IMPLIES, /* part[0] -> part[1] */
    FORMULA_IFF,
    FORMULA_XOR,
    FORMULA_FORALL, /* over the slots first .. first+bound-1: part[0] */
    FORMULA_EXISTS,
} formula_kind;

/* One summand of a tally. What is no integer makes the tally false, whatever its sign. */
typedef enum summand_kind {
    SUMMAND_TERM,  /* a term */
    SUMMAND_COUNT, /* count(x. F): how many operations are such */
    SUMMAND_TOTAL, /* sum(x. F, T): the sum of T over them */
} summand_kind;

typedef struct summand {
    summand_kind kind;
    bool minus;
    uint8_t slot, part; /* x, and which part of the formula F is */
    term term;
    uint32_t where; /* as of the sides of a comparison */
} summand;

typedef struct formula formula;
struct formula {
    formula_kind kind;
    uint8_t x, y;         /* slots */
    uint8_t first, bound; /* of a quantifier */
    uint32_t parts;
    term left, right;
    formula **part;
    /* Of a quantifier, for each bound slot: the methods (bits, by theory number) of operations that can make a
     * difference. The body is true (forall) or false (exists) of every operation with another method. */
    uint32_t *guard;
    /* Of a quantifier: match atoms without which the body is true (forall) or false (exists). So where one of the two
     * operations is known, only those that may match it can make a difference as the other. */
    const formula **needed;
    uint32_t needs;
    /* FORMULA_EQUAL and FORMULA_LESS: where it is written, and, for each side, the methods of operations for which the
     * comparison can make a difference (mistakes.c). */
    uint32_t line, column;
    uint32_t where[2];
    summand *summand; /* FORMULA_TALLY */
    uint32_t summands;
    bool below; /* zero: the sum is less; otherwise it is equal */
};

typedef struct axiom {
    char *name, *file;
    const formula *as_written;
    const formula *normal; /* the same with negation at atoms only, and no ->, <->, ^ */
    bool of_order;         /* one of the shipped order's, word for word: true of every sequence */
} axiom;

/* ---- the theory ---- */

typedef enum constant_kind {
    CONSTANT_VALUE,
    CONSTANT_INIT /* the object's initial value */,
    CONSTANT_INT,
    CONSTANT_BYTES
} constant_kind;

typedef struct theory_constant {
    constant_kind kind;
    value special; /* CONSTANT_VALUE: none, empty, full, true, false */
    int64_t integer;
    char *bytes;
} theory_constant;

typedef struct theory {
    char *name;    /* with its parameters: "semaphore(2)" */
    char *source;  /* the text it was read from */
    char *summary; /* may be "" */
    char *objects; /* blank-separated names of built-in objects it describes; may be "" */
    method method[THEORY_METHODS];
    unsigned methods;
    theory_constant constant[THEORY_CONSTANTS];
    unsigned constants;
    parameter parameters[THEORY_PARAMETERS];
    int64_t parameter[THEORY_PARAMETERS];
    /* The label condition: match(x, y) is false where it is false of x (slot MATCH_X) and y (slot MATCH_Y). It speaks
     * of labels and of x = y only. NULL: the theory has no match. */
    const formula *match, *match_normal;
    char *match_file;
    uint32_t match_guard[2]; /* methods that x and y of a pair can have */
    axiom *axiom;
    unsigned axioms;
    bool sees_clients;
    bool counts;    /* it has tallies, which are not made clauses of */
    uint32_t keyed; /* methods (bits) whose first argument is a key, which is not among their arguments then */
    struct theory_arena *arena;
} theory;

enum { MATCH_X = 0, MATCH_Y = 1 };

/* "queue", "semaphore(3)": a shipped one; a path (it ends in .thy): the last theory of that file. NULL: error set. */
theory *theory_open(const char *what, error *e);
/* Mistakes that parsing does not see: an argument or a result that the method does not have, axioms that no history
 * with an operation satisfies. False: error set. Of files, theory_open asks this. */
bool theory_makes_sense(theory *t, const char *file, error *e);
/* `file` begins the messages. `parameters` as in "(3)" or "" . */
theory *theory_parse(const char *source, const char *file, const char *parameters, error *e);
/* The same for the theory of this name instead of the last. */
theory *theory_parse_named(const char *source, const char *file, const char *name, const char *parameters, error *e);
void theory_free(theory *t);
bool theory_named(const char *what); /* is this a path to a theory file? */

/* The shipped files, kept in the program. NULL behind the last. */
typedef struct theory_file {
    const char *name, *source; /* "queue.thy" */
} theory_file;
const theory_file *theory_file_at(unsigned i);
const char *theory_source(const char *name); /* of the file that has the shipped theory of this name; NULL: none */

int theory_method(const theory *t, const char *name);         /* by name or alias; -1: none */
const axiom *theory_axiom(const theory *t, const char *name); /* NULL: none */
/* Are the beginnings of its models models, as far as its words tell? Whatever an axiom asks for is asked for before
 * some operation that is there, so nothing that comes later can supply it. NULL; or the first axiom of which that is
 * not so. */
const axiom *theory_open_ended(const theory *t);
bool theory_is_total(const theory *t); /* is b a total order in all its models? Then they are sequences of operations */

/* ---- bound to an object ---- */

enum { NO_METHOD = 255 };

typedef struct theory_binding {
    const theory *t;
    const object *o;
    uint8_t method[OBJECT_METHODS]; /* by the object's number: the theory's, or NO_METHOD */
    value constant[THEORY_CONSTANTS];
} theory_binding;

/* The object must have its values (object_bind or object_use_values). */
void theory_bind(const theory *t, const object *o, theory_binding *b);
/* left < right: by value_compare, of a tuple [priority ...] its first item. */
bool theory_less(const values *v, value a, value b);
/* Does the theory speak of such operations: method, number of arguments, kind of result? */
bool theory_covers(const theory_binding *b, const operation *op);

/* The shipped theory of this object that speaks of all these operations (h is bound to o); with the object's
 * parameters. NULL: none; `why` receives a clause that says so, "has no theory for ...". For a theory file's own
 * object: a copy of that theory. */
theory *theory_for(const object *o, const history *h, const uint32_t *op, uint32_t n, text *why);

/* ---- printing ---- */
void formula_print(const theory *t, const formula *f, text *out);

#endif
