#include "evidence/proof.h"

#include "base/mem.h"
#include "engine/symbolic/symbolic.h"
#include "evidence/certificate.h"
#include "evidence/rup.h"
#include "format/format.h"
#include "format/output.h"
#include "format/token.h"
#include "object/trust.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "c plumb.proof/1 "
#define INITIAL "c init "
enum { MOST_VARIABLES = 1 << 28, LINE = 512 };

/* ---- writing ---- */

static size_t count_clauses(const literals *l) {
    size_t count = 0;
    for (size_t i = 0; i < l->n; i++) count += l->at[i] == 0;
    return count;
}

static void write_clauses(output *out, const literals *l) {
    assert(l->n == 0 || l->at[l->n - 1] == 0); /* the last clause is ended */
    for (size_t i = 0; i < l->n; i++) {
        text_int(output_text(out), l->at[i]);
        text_char(output_text(out), l->at[i] ? ' ' : '\n');
        if (!l->at[i]) output_flush(out);
    }
}

static bool write_file(const char *path, const object *o, const literals *said, const literals *learned, int variables,
                       error *e) {
    output *out = output_open(path, e);
    if (!out) return false;
    text_printf(output_text(out), MAGIC "%s\np cnf %d %zu\n", o->name, variables, count_clauses(said));
    if (o->init_text) {
        text_add(output_text(out), INITIAL);
        text_json(output_text(out), o->init_text, strlen(o->init_text));
        text_char(output_text(out), '\n');
    }
    write_clauses(out, said);
    text_add(output_text(out), "c proof\n");
    write_clauses(out, learned);
    text_add(output_text(out), "0\n");
    return output_close(out);
}

bool proof_write(const char *path, const history *h, const object *o, const judgement *j, budget *b, error *e) {
    problem p = {.h = h, .o = o, .op = j->decision.part, .n = j->decision.part_n, .budget = b};
    literals said = {0}, learned = {0};
    text why_not = {0};
    int variables = 0;
    bool good = symbolic_refutation(&p, &said, &learned, &variables, &why_not);
    if (!good)
        error_set(e, EXIT_INTERNAL, "%s: no proof: %s", path,
                  why_not.size ? text_str(&why_not) : "the clauses have a model");
    good = good && write_file(path, o, &said, &learned, variables, e);
    literals_free(&said);
    literals_free(&learned);
    text_free(&why_not);
    return good;
}

/* ---- reading ---- */

typedef struct proof_file {
    char object[LINE];
    char *init; /* NULL: none */
    int variables;
    literals said, steps;
} proof_file;

bool proof_is(const char *path) {
    char start[sizeof MAGIC] = "";
    FILE *f = fopen(path, "r");
    bool yes = f && fgets(start, sizeof start, f) && !strcmp(start, MAGIC);
    if (f) fclose(f);
    return yes;
}

static void keep(literals *l, int x) {
    if (l->n == l->room) l->at = MEM_GROW(l->at, literal, l->room = l->room ? 2 * l->room : 1024);
    l->at[l->n++] = x;
}

/* The numbers of one line. A deletion is passed over: what is known stays known. */
static bool read_clause(char *line, literals *to) {
    char *at = line, *end;
    if (*at == 'd') return true;
    for (;;) {
        long x = strtol(at, &end, 10);
        if (end == at || x < -MOST_VARIABLES || x > MOST_VARIABLES) return false;
        keep(to, (int)x);
        at = end;
        if (x == 0) return at[strspn(at, " \t\r\n")] == 0;
    }
}

/* A comment to other tools. */
static bool read_init(proof_file *p, const char *at, size_t n) {
    tokens t = {0};
    token k, end;
    tokens_init_line(&t, DIALECT_JSON, at, n, 1);
    bool good = !p->init && tokens_next(&t, &k) == TOKEN_STRING && !memchr(k.at, 0, k.size);
    if (good) {
        p->init = mem_zero(k.size + 1, 1);
        memcpy(p->init, k.at, k.size);
        good = tokens_next(&t, &end) == TOKEN_END;
    }
    tokens_free(&t);
    return good;
}

static bool read_lines(FILE *f, proof_file *p, const char *path, error *e) {
    char *line = NULL;
    size_t room = 0, number = 2;
    literals *to = &p->said;
    bool good = true;
    for (ssize_t n; good && (n = getline(&line, &room, f)) > 0;) {
        number++;
        if (!strcmp(line, "c proof\n")) {
            to = &p->steps;
        } else if (!strncmp(line, INITIAL, strlen(INITIAL))) {
            good = read_init(p, line + strlen(INITIAL), (size_t)n - strlen(INITIAL));
            if (!good) error_set(e, EXIT_BAD_INPUT, "%s:%zu: expected one initial value, in quotes", path, number);
        } else if (line[0] != 'c') {
            good = read_clause(line, to);
            if (!good)
                error_set(e, EXIT_BAD_INPUT, "%s:%zu: not a clause; expected numbers that end with 0", path, number);
        }
    }
    mem_foreign_free(line);
    if (good && to != &p->steps)
        return error_set(e, EXIT_BAD_INPUT, "%s:%zu: the file ends; expected 'c proof'", path, number);
    return good;
}

static bool read_proof(const char *path, proof_file *p, error *e) {
    char line[LINE];
    size_t clauses;
    FILE *f = fopen(path, "r");
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "%s: %s", path, strerror(errno));
    bool good = fgets(line, sizeof line, f) && sscanf(line, MAGIC "%511s", p->object) == 1;
    if (!good) error_set(e, EXIT_BAD_INPUT, "%s:1: no proof; expected '" MAGIC "' and an object", path);
    good = good && fgets(line, sizeof line, f) && sscanf(line, "p cnf %d %zu", &p->variables, &clauses) == 2 &&
           p->variables >= 0 && p->variables <= MOST_VARIABLES;
    if (!good && !e->code)
        error_set(e, EXIT_BAD_INPUT, "%s:2: expected 'p cnf' and the numbers of variables and clauses", path);
    good = good && read_lines(f, p, path, e);
    if (good && count_clauses(&p->said) != clauses)
        good = error_set(e, EXIT_BAD_INPUT, "%s: %zu clauses; expected %zu", path, count_clauses(&p->said), clauses);
    fclose(f);
    return good;
}

/* ---- checking ---- */

static bool same_clauses(const literals *a, const literals *b) {
    return a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof *a->at);
}

/* Does some part of the history have these clauses? */
static bool are_of(const proof_file *p, const history *h, const object *o) {
    partition *parts = object_partition(o, h);
    bool found = false;
    budget b;
    budget_init(&b, 0, 0);
    for (uint32_t k = 0; k < parts->count && !found; k++) {
        problem part = {.h = h, .o = o, .budget = &b};
        literals said = {0};
        text why_not = {0};
        int variables;
        part.op = partition_ops(parts, k, &part.n);
        found = symbolic_refutation(&part, &said, NULL, &variables, &why_not) && same_clauses(&said, &p->said);
        literals_free(&said);
        text_free(&why_not);
    }
    partition_free(parts);
    return found;
}

/* 0: they are; else the exit code, with the error or the report set. */
static int compare(const proof_file *p, const char *history_path, text *report, error *e) {
    history *h = format_read(history_path, &(read_options){0}, NULL, e);
    object *o = h ? object_open_from_data(p->object, p->init, e) : NULL;
    int code = o && object_bind(o, h, history_path, e) ? EXIT_LINEARIZABLE : e->code;
    if (!code && !certify_init(p->init, history_init(h, p->object, NULL), history_path, report)) {
        code = EXIT_VIOLATION;
    } else if (!code && !are_of(p, h, o)) {
        text_printf(report, "refused: the clauses are not those of %s\n", history_path);
        code = EXIT_VIOLATION;
    }
    history_free(h);
    object_close(o);
    return code;
}

static void say_whose(const proof_file *p, const char *history_path, text *report) {
    text_printf(report, "they are those of %s for object %s", history_path, p->object);
    if (p->init) {
        text_add(report, " from ");
        text_printable(report, p->init);
    }
    text_char(report, '\n');
}

static int check(const proof_file *p, const char *history_path, text *report, error *e) {
    size_t used;
    text wrong = {0};
    int code = history_path ? compare(p, history_path, report, e) : EXIT_LINEARIZABLE;
    if (code) return code;
    if (rup_check(p->said.at, p->said.n, p->steps.at, p->steps.n, p->variables, &used, &wrong)) {
        text_printf(report, "holds: %zu clauses over %d variables are unsatisfiable, %zu steps checked; ",
                    count_clauses(&p->said), p->variables, used);
        if (history_path) say_whose(p, history_path, report);
        else text_printf(report, "whose clauses they are was not looked at (--history)\n");
    } else {
        text_printf(report, "refused: %s\n", text_str(&wrong));
        code = EXIT_VIOLATION;
    }
    text_free(&wrong);
    return code;
}

int proof_certify(const char *path, const char *history_path, text *report, error *e) {
    proof_file p = {0};
    int code = read_proof(path, &p, e) ? check(&p, history_path, report, e) : e->code;
    literals_free(&p.said);
    literals_free(&p.steps);
    free(p.init);
    return code;
}
