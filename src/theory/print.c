/* Formulas as the language writes them, with every variable named by its slot: x0, x1, ... */
#include "theory/theory.h"

static void print_term(const theory *t, term a, text *out) {
    static const char *const functions[] = {[TERM_METH] = "meth", [TERM_RET] = "ret", [TERM_CLIENT] = "client"};
    if (a.kind == TERM_METHOD) {
        text_add(out, t->method[a.index].name);
    } else if (a.kind == TERM_ARG) {
        static const char *const arguments[] = {"arg", "arg2", "arg3"};
        text_printf(out, "%s(x%u)", arguments[a.index], a.slot);
    } else if (a.kind != TERM_CONSTANT) {
        text_printf(out, "%s(x%u)", functions[a.kind], a.slot);
    } else {
        const theory_constant *c = &t->constant[a.index];
        if (c->kind == CONSTANT_INIT) text_add(out, "init");
        else if (c->kind == CONSTANT_INT) text_int(out, c->integer);
        else if (c->kind == CONSTANT_BYTES) text_printf(out, "\"%s\"", c->bytes);
        else value_print(NULL, c->special, out);
    }
}

static void print_row(const theory *t, const formula *f, const char *sign, text *out) {
    text_char(out, '(');
    for (uint32_t i = 0; i < f->parts; i++) {
        if (i) text_printf(out, " %s ", sign);
        formula_print(t, f->part[i], out);
    }
    text_char(out, ')');
}

static void print_quantifier(const theory *t, const formula *f, text *out) {
    text_add(out, f->kind == FORMULA_FORALL ? "(forall " : "(exists ");
    for (unsigned i = 0; i < f->bound; i++) text_printf(out, "%sx%u", i ? "," : "", f->first + i);
    text_add(out, ". ");
    formula_print(t, f->part[0], out);
    text_char(out, ')');
}

static void print_summand(const theory *t, const formula *f, const summand *s, text *out) {
    if (s->kind == SUMMAND_TERM) {
        print_term(t, s->term, out);
        return;
    }
    text_printf(out, "%s(x%u. ", s->kind == SUMMAND_COUNT ? "count" : "sum", s->slot);
    formula_print(t, f->part[s->part], out);
    if (s->kind == SUMMAND_TOTAL) text_add(out, ", ");
    if (s->kind == SUMMAND_TOTAL) print_term(t, s->term, out);
    text_char(out, ')');
}

static void print_side(const theory *t, const formula *f, bool minus, text *out) {
    const char *before = "";
    for (uint32_t i = 0; i < f->summands; i++) {
        if (f->summand[i].minus != minus) continue;
        text_add(out, before);
        print_summand(t, f, &f->summand[i], out);
        before = " + ";
    }
    if (!*before) text_char(out, '0');
}

/* What is subtracted is added on the other side. */
static void print_tally(const theory *t, const formula *f, text *out) {
    print_side(t, f, false, out);
    text_add(out, f->below ? " < " : " = ");
    print_side(t, f, true, out);
}

void formula_print(const theory *t, const formula *f, text *out) {
    switch (f->kind) {
    case FORMULA_TRUE: text_add(out, "(none = none)"); break;
    case FORMULA_FALSE: text_add(out, "(none != none)"); break;
    case FORMULA_BEFORE: text_printf(out, "b(x%u,x%u)", f->x, f->y); break;
    case FORMULA_MATCH: text_printf(out, "match(x%u,x%u)", f->x, f->y); break;
    case FORMULA_SAME: text_printf(out, "x%u = x%u", f->x, f->y); break;
    case FORMULA_EQUAL:
    case FORMULA_LESS:
        print_term(t, f->left, out);
        text_add(out, f->kind == FORMULA_LESS ? " < " : " = ");
        print_term(t, f->right, out);
        break;
    case FORMULA_TALLY: print_tally(t, f, out); break;
    case FORMULA_NOT:
        text_add(out, "!(");
        formula_print(t, f->part[0], out);
        text_char(out, ')');
        break;
    case FORMULA_AND: print_row(t, f, "&", out); break;
    case FORMULA_OR: print_row(t, f, "|", out); break;
    case FORMULA_IMPLIES: print_row(t, f, "->", out); break;
    case FORMULA_IFF: print_row(t, f, "<->", out); break;
    case FORMULA_XOR: print_row(t, f, "^", out); break;
    case FORMULA_FORALL:
    case FORMULA_EXISTS: print_quantifier(t, f, out); break;
    }
}
