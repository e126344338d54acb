/* The order in which the operations can have taken effect, with the object's state after each. */
#include "report/html_parts.h"

#include "base/mem.h"
#include "evidence/label.h"
#include "evidence/steps_check.h"
#include "report/escape.h"

#include <assert.h>
#include <stdlib.h>

enum { STEPS_SHOWN = 100, STATE_COLUMNS = 16, STATE_COLUMNS_LISTED = 80 };

/* Parts of the history have states of their own. */
typedef struct witness_run {
    const picture *p;
    uint32_t *part; /* by operation */
    uint32_t parts;
    replay **at; /* by part; NULL: not begun */
} witness_run;

static void run_open(witness_run *r, const picture *p) {
    partition *parts = object_partition(p->o, p->h);
    *r = (witness_run){.p = p, .part = MEM_ARRAY(uint32_t, p->h->n + 1), .parts = parts->count};
    r->at = mem_zero(parts->count + 1, sizeof *r->at);
    for (uint32_t k = 0; k < parts->count; k++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, k, &n);
        for (uint32_t i = 0; i < n; i++) {
            assert(op[i] < p->h->n);
            r->part[op[i]] = k;
        }
    }
    partition_free(parts);
}

static void run_close(witness_run *r) {
    for (uint32_t k = 0; k < r->parts; k++)
        if (r->at[k]) {
            replay_free(r->at[k]);
            free(r->at[k]);
        }
    free(r->at);
    free(r->part);
}

/* Step k of the witness; false: it is not legal, which the check of the witness has excluded. */
static bool run_step(witness_run *r, uint32_t k, size_t columns, text *after) {
    const witness *w = r->p->witness;
    operation op;
    assert(k < w->n && r->part[w->op[k]] < r->parts);
    history_operation(r->p->h, w->op[k], &op);
    if (w->res) op.res = w->res[k];
    replay **at = &r->at[r->part[w->op[k]]];
    if (!*at) {
        *at = MEM_NEW(replay);
        replay_init(*at, r->p->o);
    }
    if (replay_step(*at, &op) != REPLAY_DONE) return false;
    text all = {0};
    if (r->p->h->key) {
        value_print(r->p->o->values, op.key, &all);
        text_add(&all, ": ");
    }
    html_state(*at, columns, &all);
    label_shorten(&all, columns, after);
    return true;
}

static void draw_picture(const picture *p, text *out) {
    scene view;
    witness_run r;
    uint32_t all[SCENE_POINTS];
    assert(p->h->n <= SCENE_POINTS);
    for (uint32_t i = 0; i < p->h->n; i++) all[i] = i;
    scene_open(&view, p->h, p->o, all, p->h->n, NULL, 0, RANK_NEVER);
    run_open(&r, p);
    for (uint32_t k = 0; k < p->witness->n; k++) {
        point *at = scene_point(&view, history_number(p->h, p->witness->op[k]));
        if (!at || !run_step(&r, k, STATE_COLUMNS, &at->state)) break;
    }
    run_close(&r);
    scene_place(&view, RANK_NEVER);
    text_add(out, "<div class=\"scroll\">");
    scene_svg(&view, NULL, 0, "All operations as intervals of time, with the moment at which each took effect", out);
    text_add(out, "</div>\n");
    scene_close(&view);
}

static void tell_steps(const picture *p, text *out) {
    uint32_t shown = p->witness->n < STEPS_SHOWN ? p->witness->n : STEPS_SHOWN;
    witness_run r;
    run_open(&r, p);
    text_add(out, "<table class=\"witness\"><caption>");
    if (shown < p->witness->n) text_printf(out, "The first %u of %u operations of the order", shown, p->witness->n);
    else text_add(out, "The order");
    text_add(out, "</caption><thead><tr><th scope=\"col\">place</th><th scope=\"col\">operation</th><th "
                  "scope=\"col\">state after it</th></tr></thead><tbody>\n");
    for (uint32_t k = 0; k < shown; k++) {
        text after = {0};
        bool legal = run_step(&r, k, STATE_COLUMNS_LISTED, &after);
        if (legal) {
            text_printf(out, "<tr><td>%u</td><td>", k + 1);
            html_operation(p->h, p->o, p->witness->op[k], out);
            text_add(out, "</td><td class=\"state\">");
            escape_xml(out, text_str(&after), after.size);
            text_add(out, "</td></tr>\n");
        }
        text_free(&after);
        if (!legal) break;
    }
    text_add(out, "</tbody></table>\n");
    run_close(&r);
}

/* Where operations take effect together there is no order to show, but steps. */
static void tell_together(const picture *p, text *out) {
    text steps = {0};
    steps_print(p->h, p->o, p->witness, STEPS_SHOWN, &steps);
    text_add(out, "<section id=\"witness\"><h2>Steps that explain it</h2>\n<p>The operations of a step can have taken "
                  "effect together, one step after the "
                  "other; behind the bar is the state after it. The steps were replayed on the ");
    escape_xml_string(out, p->o->type->name);
    text_add(out, " and compared with the times of calls and returns.</p>\n<pre>");
    escape_xml(out, text_str(&steps), steps.size);
    text_add(out, "</pre></section>\n");
    text_free(&steps);
}

void html_witness(const picture *p, text *out) {
    assert(p->witness && p->h && p->witness->n <= p->h->n);
    if (p->witness->begins) {
        tell_together(p, out);
        return;
    }
    text_add(out, "<section id=\"witness\"><h2>An order that explains it</h2>\n<p>Each operation can have taken effect "
                  "at one moment between its call and its "
                  "return, in this order. It was replayed on the sequential ");
    text spoken = {0};
    object_spoken(p->o, &spoken);
    escape_xml_string(out, text_str(&spoken));
    text_free(&spoken);
    text_add(out, " and compared with the times of calls and returns.</p>\n");
    if (p->h->n <= SCENE_POINTS) draw_picture(p, out);
    text_printf(out, "<details%s><summary>the order, step by step</summary>\n", p->h->n <= SCENE_POINTS ? " open" : "");
    tell_steps(p, out);
    text_add(out, "</details></section>\n");
}
