#include "report/report.h"

#include "base/mem.h"
#include "evidence/explain.h"
#include "evidence/history_digest.h"
#include "evidence/steps_check.h"

#include <assert.h>
#include <stdlib.h>

enum { STEPS_SHOWN = 16 };

report *report_new(const char *file) {
    report *r = MEM_NEW(report);
    r->file = mem_string(file);
    r->criterion = mem_string("linearizable");
    r->operations = UNKNOWN_COUNT;
    r->prefix = UNKNOWN_COUNT;
    r->core_cut = RANK_NEVER;
    r->verdict = VERDICT_UNDECIDED;
    return r;
}

void report_free(report *r) {
    if (!r) return;
    FREE_ALL(r->file, r->object, r->criterion, r->witness, r->begins, r->ends, r->core, r->core_line, r->forced,
             r->ahead, r->overtaken, r->unpacked[0], r->unpacked[1], r->unpacked[2]);
    text_free(&r->reason);
    text_free(&r->diagram);
    text_free(&r->together);
    text_free(&r->task);
    text_free(&r->sentences);
    text_free(&r->talk);
    free(r);
}

static uint32_t *numbers(const history *h, const uint32_t *op, uint32_t n) {
    uint32_t *out = MEM_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        assert(op[i] < h->n);
        out[i] = history_number(h, op[i]);
    }
    return out;
}

/* A process can declare a task's computation right once it knows what all have answered; before that, it is right so
 * far. */
static void take_task(report *r, const history *h, const object *o) {
    if (!o->type->together || !o->type->together->one_shot || h->n == 0) return;
    if (h->pending) text_printf(&r->task, "%u of %u have answered: right so far", h->n - h->pending, h->n);
    else text_printf(&r->task, "all %u have answered: the task is solved", h->n);
}

static void take_witness(report *r, const history *h, const object *o, const judgement *j,
                         const report_wishes *wishes) {
    const witness *w = &j->decision.witness;
    assert(w->n <= h->n);
    r->witness_checked = j->witness_checked;
    take_task(r, h, o);
    if (w->begins && j->witness_checked) steps_print(h, o, w, STEPS_SHOWN, &r->together);
    if (!wishes->witness) return;
    r->has_witness = true;
    r->witness_n = w->n;
    r->witness = numbers(h, w->op, r->witness_n);
    if (!w->begins) return;
    r->begins = mem_copy(w->begins, w->n * sizeof *w->begins);
    r->ends = mem_copy(w->ends, w->n * sizeof *w->ends);
}

static void name_cut(report *r, const history *h) {
    r->core_cut_operation = UNKNOWN_COUNT;
    for (uint32_t i = 0; i < h->n && r->core_cut != RANK_NEVER; i++) {
        if (h->call[i] != r->core_cut && h->ret[i] != r->core_cut) continue;
        r->core_cut_operation = history_number(h, i);
        r->core_cut_returns = h->ret[i] == r->core_cut;
    }
}

static uint32_t *lines(const history *h, const uint32_t *op, uint32_t n) {
    if (!h->line) return NULL;
    uint32_t *line = MEM_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) line[i] = h->line[op[i]];
    return line;
}

static void take_core(report *r, const history *h, const object *o, const judgement *j, const report_wishes *wishes) {
    assert(j->core.n > 0 && j->core.n <= h->n);
    r->has_core = true;
    r->core_n = j->core.n;
    r->core = numbers(h, j->core.op, j->core.n);
    r->core_line = lines(h, j->core.op, j->core.n);
    r->core_cut = j->core.cut;
    name_cut(r, h);
    r->core_minimal = j->core.minimal;
    r->core_checked_by = j->core.checked_by;
    explain_diagram(h, o, &j->core, wishes->columns, &r->diagram);
    explain_sentences(h, o, &j->core, &r->sentences);
}

static void take_doubt(report *r, const judgement *j) {
    const decision *d = &j->decision;
    text_add(&r->reason, d->stopped != STOP_NONE ? stop_reason_text(d->stopped)
                         : d->why[0]             ? d->why
                                                 : "no engine gave an answer");
    r->prefix = r->operations ? d->prefix.n : UNKNOWN_COUNT;
}

void report_criterion(report *r, const criterion *c) {
    text name = {0};
    criterion_print(c, &name);
    free(r->criterion);
    r->criterion = name.at;
    r->relaxed = c->kind != CRITERION_LINEARIZABLE;
}

void report_take(report *r, const history *h, const object *o, const judgement *j, const report_wishes *wishes) {
    double begun = clock_seconds();
    const decision *d = &j->decision;
    assert(!r->witness && !r->core); /* taken once */
    r->verdict = j->verdict;
    r->sample = h->sample;
    if (wishes->digest) r->digest = history_digest(h, o);
    r->engine = d->engine ? d->engine->name : NULL;
    r->parts = d->parts;
    r->steps = d->steps;
    r->seconds = j->seconds;
    text_bytes(&r->talk, d->talk.at, d->talk.size);
    switch (j->verdict) {
    case VERDICT_LINEARIZABLE: take_witness(r, h, o, j, wishes); break;
    case VERDICT_VIOLATION:
        if (j->core.n) take_core(r, h, o, j, wishes);
        break;
    case VERDICT_UNDECIDED: take_doubt(r, j); break;
    }
    r->evidence_seconds = j->evidence_seconds + clock_seconds() - begun;
}

static uint32_t *take_tally(const number_counts *t, uint32_t *n) {
    *n = t->n;
    return mem_copy(t->times, t->n * sizeof *t->times);
}

void report_take_measure(report *r, const history *h, const object *o, const relaxation *m,
                         const report_wishes *wishes) {
    report_criterion(r, &o->criterion);
    report_take(r, h, o, &m->above, wishes);
    r->measured = true;
    r->bounded = m->bounded;
    r->seconds = m->seconds;
    if (!m->bounded) return;
    assert(m->low <= m->high);
    r->measure_low = m->low;
    r->measure_high = m->high;
    r->ahead = take_tally(&m->ahead, &r->ahead_n);
    r->overtaken = take_tally(&m->overtaken, &r->overtaken_n);
    r->forced_n = m->below.core.n;
    r->forced = numbers(h, m->below.core.op, r->forced_n);
    if (m->low < m->high) {
        r->verdict = VERDICT_UNDECIDED;
        take_doubt(r, &m->below);
        text_clear(&r->reason);
        text_printf(&r->reason, "quasi(%u), and not quasi of less than %u; which is the smallest was not decided",
                    m->high, m->low);
    }
    if (m->below.verdict != VERDICT_VIOLATION) return;
    assert(m->low > 0); /* quasi(low - 1) was refused */
    object less = *o;
    less.criterion.limit[0] = less.criterion.limit[1] = m->low - 1;
    explain_diagram(h, &less, &m->below.core, wishes->columns, &r->diagram);
    explain_sentences(h, &less, &m->below.core, &r->sentences);
}

int report_exit_code(const report *r) {
    if (r->error.code) return r->error.code;
    static const int code[] = {EXIT_LINEARIZABLE, EXIT_VIOLATION, EXIT_UNDECIDED};
    assert((size_t)r->verdict < sizeof code / sizeof *code);
    return code[r->verdict];
}

int exit_code_worse(int a, int b) {
    static const int worst_first[] = {EXIT_INTERRUPTED, EXIT_INTERNAL,  EXIT_USAGE,     EXIT_BAD_INPUT,
                                      EXIT_CANNOT_OPEN, EXIT_VIOLATION, EXIT_UNDECIDED, EXIT_LINEARIZABLE};
    for (size_t i = 0; i < sizeof worst_first / sizeof *worst_first; i++)
        if (a == worst_first[i] || b == worst_first[i]) return worst_first[i];
    return a;
}

const char *report_outcome(const report *r) {
    switch (r->error.code) {
    case 0: return verdict_text(r->verdict);
    case EXIT_BAD_INPUT: return "bad input";
    case EXIT_CANNOT_OPEN: return "cannot open";
    case EXIT_USAGE: return "usage error";
    default: return "internal error";
    }
}
