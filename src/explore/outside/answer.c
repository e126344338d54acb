#include "explore/outside/answer.h"

#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *strategy_kept(const char *name) {
    const strategy_type *t = strategy_find(name);
    return t ? t->name : "?";
}

static void take_counts(campaign_result *r, const talk_line *l) {
    r->executions = (uint64_t)talk_get_int(l, 1);
    r->steps = (uint64_t)talk_get_int(l, 2);
    r->histories = (uint64_t)talk_get_int(l, 3);
    r->violations = (uint64_t)talk_get_int(l, 4);
    r->seconds = talk_get_real(l, 5);
    r->estimate = talk_get_real(l, 6);
    r->states = (uint64_t)talk_get_int(l, 7);
}

static void take_stage(campaign_result *r, const talk_line *l) {
    if (r->stages == STAGES_MAX) return;
    r->stage[r->stages++] = (stage_result){.strategy = strategy_kept(talk_get(l, 1)),
                                           .bound = (unsigned)talk_get_int(l, 2),
                                           .exhausted = talk_get_int(l, 3),
                                           .executions = (uint64_t)talk_get_int(l, 4),
                                           .steps = (uint64_t)talk_get_int(l, 5),
                                           .pruned = (uint64_t)talk_get_int(l, 6),
                                           .assumed = (uint64_t)talk_get_int(l, 7),
                                           .cut_off = (uint64_t)talk_get_int(l, 8),
                                           .seconds = talk_get_real(l, 9)};
}

bool is_failure_kind(int64_t k) { return k >= FAILURE_NONE && k < FAILURE_KINDS; }

static bool take_result(campaign_result *r, const talk_line *l, error *e) {
    if (!is_failure_kind(talk_get_int(l, 4)) || talk_get_int(l, 2) < -1)
        return error_set(e, EXIT_INTERNAL, "the program answers with a result that there is not");
    r->complete = talk_get_int(l, 1);
    r->preemptions = (int)talk_get_int(l, 2);
    r->stopped = talk_get_int(l, 3);
    r->failure = (failure_kind)talk_get_int(l, 4);
    snprintf(r->message, sizeof r->message, "%s", talk_get(l, 5));
    r->failed_at = (uint64_t)talk_get_int(l, 6);
    r->failing_preemptions = (unsigned)talk_get_int(l, 7);
    return true;
}

static void take_note(run_answer *a, const char *note) {
    size_t old = a->notes ? strlen(a->notes) : 0, more = strlen(note);
    assert(!old || a->notes[old - 1] == '\n');
    a->notes = MEM_GROW(a->notes, char, old + more + 2);
    memcpy(a->notes + old, note, more);
    memcpy(a->notes + old + more, "\n", 2);
}

static void take_outcome(run_answer *a, const talk_line *l) {
    told_outcome *o = outcomes_add(&a->outcomes, talk_get(l, 1), (uint64_t)talk_get_int(l, 2));
    if (!o->schedule) o->schedule = mem_string(talk_get(l, 3));
}

static void take_order(run_answer *a, const talk_line *l) {
    const order_site site = {(uintptr_t)talk_get_int(l, 1), (uint8_t)talk_get_int(l, 2), (uint8_t)talk_get_int(l, 3)};
    a->order = MEM_GROW(a->order, order_site, a->orders + 1);
    a->order[a->orders++] = site;
}

/* Of two lines the last counts. */
static void take_word(char **word, const talk_line *l) {
    free(*word);
    *word = mem_string(talk_get(l, 1));
}

/* The code becomes an exit status: one that there is not is a fault of the other side. */
void answer_error_take(const talk_line *l, error *e) {
    const int64_t code = talk_get_int(l, 1);
    error_set(e, code > 0 && code <= EXIT_INTERRUPTED ? (int)code : EXIT_INTERNAL, "%s", talk_get(l, 2));
}

bool run_answer_take(run_answer *a, const talk_line *l, error *e) {
    const char *tag = l->field[0];
    if (!strcmp(tag, "counts")) take_counts(&a->result, l);
    else if (!strcmp(tag, "stage")) take_stage(&a->result, l);
    else if (!strcmp(tag, "limits")) coverage_take(&a->result.limits, l);
    else if (!strcmp(tag, "result")) take_result(&a->result, l, e);
    else if (!strcmp(tag, "schedule")) take_word(&a->schedule, l);
    else if (!strcmp(tag, "work")) take_word(&a->work, l);
    else if (!strcmp(tag, "note")) take_note(a, talk_get(l, 1));
    else if (!strcmp(tag, "outcome")) take_outcome(a, l);
    else if (!strcmp(tag, "order")) take_order(a, l);
    else if (!strcmp(tag, "died")) a->died = true;
    else if (!strcmp(tag, "error")) answer_error_take(l, e);
    return !strcmp(tag, "end");
}

/* ---- the reverse ---- */

static void send_counts(const campaign_result *r, text *out) {
    talk_begin(out, "counts");
    talk_int(out, (int64_t)r->executions);
    talk_int(out, (int64_t)r->steps);
    talk_int(out, (int64_t)r->histories);
    talk_int(out, (int64_t)r->violations);
    talk_real(out, r->seconds);
    talk_real(out, r->estimate);
    talk_int(out, (int64_t)r->states);
    talk_end(out);
}

static void send_stage(const stage_result *r, text *out) {
    talk_begin(out, "stage");
    talk_text(out, r->strategy);
    talk_int(out, r->bound);
    talk_int(out, r->exhausted);
    talk_int(out, (int64_t)r->executions);
    talk_int(out, (int64_t)r->steps);
    talk_int(out, (int64_t)r->pruned);
    talk_int(out, (int64_t)r->assumed);
    talk_int(out, (int64_t)r->cut_off);
    talk_real(out, r->seconds);
    talk_end(out);
}

static void send_result(const campaign_result *r, text *out) {
    talk_begin(out, "result");
    talk_int(out, r->complete);
    talk_int(out, r->preemptions);
    talk_int(out, r->stopped);
    talk_int(out, r->failure);
    talk_text(out, r->message);
    talk_int(out, (int64_t)r->failed_at);
    talk_int(out, r->failing_preemptions);
    talk_end(out);
}

static void send_word(const char *tag, const char *word, text *out) {
    if (!word) return;
    talk_begin(out, tag);
    talk_text(out, word);
    talk_end(out);
}

static void send_notes(const char *notes, text *out) {
    while (notes && *notes) {
        const size_t n = strcspn(notes, "\n");
        char *line = mem_copy(notes, n + 1);
        line[n] = '\0';
        send_word("note", line, out);
        free(line);
        notes += n + (notes[n] == '\n');
    }
}

static void send_outcomes(const outcome_list *l, text *out) {
    for (uint32_t i = 0; i < l->n; i++) {
        talk_begin(out, "outcome");
        talk_text(out, l->at[i].what);
        talk_int(out, (int64_t)l->at[i].executions);
        talk_text(out, l->at[i].schedule ? l->at[i].schedule : "");
        talk_end(out);
    }
}

static void send_orders(const run_answer *a, text *out) {
    for (unsigned i = 0; i < a->orders; i++) {
        talk_begin(out, "order");
        talk_int(out, (int64_t)a->order[i].pc);
        talk_int(out, a->order[i].role);
        talk_int(out, a->order[i].order);
        talk_end(out);
    }
}

void run_answer_send(const run_answer *a, text *out) {
    send_counts(&a->result, out);
    for (unsigned i = 0; i < a->result.stages; i++) send_stage(&a->result.stage[i], out);
    talk_begin(out, "limits");
    coverage_send(&a->result.limits, out);
    talk_end(out);
    send_outcomes(&a->outcomes, out);
    send_orders(a, out);
    send_notes(a->notes, out);
    send_result(&a->result, out);
    send_word("schedule", a->schedule, out);
    send_word("work", a->work, out);
    if (a->died) send_word("died", "", out);
    text_add(out, "end\n");
}

bool run_answer_read(char *lines, run_answer *out, error *e) {
    *out = (run_answer){.result = {.preemptions = -1}};
    for (char *at = lines, *end; (end = strchr(at, '\n')); at = end + 1) {
        talk_line l;
        *end = '\0';
        if (!talk_split(at, &l)) break;
        if (run_answer_take(out, &l, e)) return e->code == 0;
    }
    return error_set(e, EXIT_BAD_INPUT, "the answer is not whole");
}

void run_answer_free(run_answer *a) {
    outcomes_free(&a->outcomes);
    free(a->order);
    free(a->schedule);
    free(a->work);
    free(a->notes);
    *a = (run_answer){0};
}
