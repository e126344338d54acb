#include "evidence/label.h"
#include "evidence/steps_check.h"

typedef struct printer {
    const history *h;
    const object *o;
    uint32_t most, shown, all;
    text *out;
} printer;

/* An operation that is in this step only needs no more words. */
static void print_operation(const printer *p, const together *t, uint32_t i) {
    bool begins = together_begins(t, i), ends = together_ends(t, i);
    label_numbered(p->o, p->h, t->op[i]->index, p->out);
    if (begins && !ends) text_add(p->out, " begins");
    else if (ends && !begins) text_add(p->out, " ends");
    else if (!ends) text_add(p->out, " goes on");
}

static void print_step(void *context, const step_view *v) {
    printer *p = context;
    if (p->all++ >= p->most) return;
    p->shown++;
    text_printf(p->out, "%4u  ", v->number + 1);
    for (uint32_t i = 0; i < v->t->n; i++) {
        if (i) text_add(p->out, "; ");
        print_operation(p, v->t, i);
    }
    if (v->states == 1) {
        text_add(p->out, "   | ");
        object_describe(p->o, &v->after[0], p->out);
    }
    text_char(p->out, '\n');
}

void steps_print(const history *h, const object *o, const witness *w, uint32_t most, text *out) {
    printer p = {.h = h, .o = o, .most = most, .out = out};
    text wrong = {0};
    steps_walk(h, o, w, print_step, &p, &wrong);
    if (p.all > p.shown) text_printf(out, "      and %u more\n", p.all - p.shown);
    text_free(&wrong);
}
