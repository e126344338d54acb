/* What was explored and what was found, for a terminal. */
#include "report/exploration.h"

#include "explore/outside/session.h"
#include "base/words.h"
#include "object/serial_object.h"
#include "report/report.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count(uint64_t n, const char *one, const char *many, text *out) {
    char digits[32], spaced[48];
    int size = snprintf(digits, sizeof digits, "%" PRIu64, n), j = 0;
    for (int i = 0; i < size; i++) {
        if (i && (size - i) % 3 == 0) spaced[j++] = ',';
        spaced[j++] = digits[i];
    }
    spaced[j] = 0;
    text_printf(out, "%s %s", spaced, n == 1 ? one : many);
}

/* Not modelled, or a program that does not repeat itself, is no verdict about the object. */
static bool no_verdict(const hunt *h) {
    failure_kind k = h->failure.answer.result.failure;
    return h->failed && (h->failure.answer.died || k == FAILURE_UNMODELLED || k == FAILURE_DIVERGED);
}

progress_claim exploration_claim(const exploration *r) {
    const char *word = r->how && r->how->progress ? r->how->progress : "none";
    int found = words_find(RUN_PROGRESS, word, strlen(word));
    assert(found >= CLAIM_NONE && found <= CLAIM_WAIT_FREE);
    return (progress_claim)found;
}

/* Waiting contradicts every claim, repeating only that of wait-freedom. */
static bool contradicts(const exploration *r, const char *note, size_t n) {
    progress_claim claim = exploration_claim(r);
    if (claim == CLAIM_NONE || strncmp(note, "progress:", 9)) return false;
    return claim == CLAIM_WAIT_FREE || memmem(note, n, PROGRESS_WAITS, strlen(PROGRESS_WAITS));
}

bool exploration_contradicts(const exploration *r) {
    for (const char *p = text_str(&r->hunt->notes); *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (contradicts(r, p, strcspn(p, "\n"))) return true;
    return false;
}

int exploration_exit_code(const exploration *r) {
    const hunt *h = r->hunt;
    assert(h);
    if (h->failed) return no_verdict(h) ? EXIT_UNDECIDED : EXIT_VIOLATION;
    if (exploration_contradicts(r)) return EXIT_VIOLATION;
    /* what was written down must be covered */
    bool something = h->complete + h->bounded > 0, enough = h->made ? something : something && !h->begun;
    return enough ? EXIT_LINEARIZABLE : EXIT_UNDECIDED;
}

/* ---- what is proven ---- */

/* A clause of the coverage: "every interleaving of 12 test programs". */
static void cover(const char *what, uint64_t programs, bool only, bool *any, text *out) {
    if (!programs) return;
    text_printf(out, "%s%s", *any ? "; " : "", what);
    if (!only) {
        text_add(out, " of ");
        count(programs, "test program", "test programs", out);
    }
    *any = true;
}

/* "; 3 places use weaker orders, whose reorderings were not explored" */
static void add_limits(const coverage *c, limit_kind kind, const char *before, const char *between, text *out) {
    for (unsigned i = 0; i < coverage_limits_n; i++) {
        const coverage_limit *l = &coverage_limits[i];
        uint64_t n = coverage_get(c, l);
        if (l->kind != kind || !n) continue;
        text_add(out, before);
        count(n, l->one, l->many, out);
        before = between;
    }
}

static const char *model_words(const char *model) {
    static const char *const words[][2] = {{"rc11", "RC11"}, {"ra", "release/acquire"}, {"tso", "x86-TSO"}};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(model, words[i][0])) return words[i][1];
    return "sequential consistency";
}

static void coverage_of(const exploration *r, const hunt *h, const run_request *how, text *out) {
    char bound[160];
    assert(h->programs == h->complete + h->bounded + h->begun);
    assert(!h->bounded || h->preemptions >= 0);
    bool any = false, only = h->programs == 1 && !h->made;
    const bool graphs = how && how->messages, within = coverage_has(&h->limits, LIMIT_CUT);
    const char *all = graphs      ? within ? "all executions within limits" : "every execution"
                      : h->states ? within ? "all states within limits" : "every state"
                      : within    ? "all interleavings within limits"
                                  : "every interleaving";
    const char *some = graphs      ? "some executions"
                       : h->states ? "some states"
                                   : "some interleavings, no bound exhausted";
    snprintf(bound, sizeof bound, "%s with at most %d preemption%s, and more", all, h->preemptions,
             h->preemptions == 1 ? "" : "s");
    cover(all, h->complete, only, &any, out);
    cover(bound, h->bounded, only, &any, out);
    char begun[64];
    snprintf(begun, sizeof begun, "%s%s", some, only || h->states || graphs ? "" : ",");
    cover(begun, h->begun, only, &any, out);
    if (!any) text_add(out, "nothing");
    else if (graphs || (how && how->model && !strcmp(how->model, "tso")))
        text_printf(out, " under %s", model_words(how->model));
    else if (h->limits.weak_orders || h->limits.assembly || h->limits.races_seen || r->second)
        text_add(out, " under sequential consistency");
    add_limits(&h->limits, LIMIT_CUT, "; ", "; ", out);
    add_limits(&h->limits, LIMIT_MODEL, "; ", "; ", out);
    if (h->made && h->largest) {
        text_printf(out, "; programs of up to %u operations%s", h->largest, h->all_programs ? ", all there are" : "");
        add_limits(&h->limits, LIMIT_PROGRAMS, " with at most ", ", ", out);
    }
}

void exploration_coverage(const exploration *r, text *out) { coverage_of(r, r->hunt, r->how, out); }

void exploration_second(const exploration *r, text *out) {
    if (r->second) coverage_of(r, r->second, r->second_how, out);
    else if (r->refused && *r->refused) {
        text_printf(out, "not looked at under %s: ", r->second_how->model);
        message_words(NULL, r->debug, r->refused, out);
    }
}

void exploration_numbers(const hunt *h, text *out) {
    count(h->executions, "execution", "executions", out);
    if (h->blocked) text_printf(out, " (%" PRIu64 " blocked)", h->blocked);
    if (h->states) {
        text_add(out, ", ");
        count(h->states, "state", "states", out);
    }
    if (h->histories) {
        text_add(out, ", ");
        count(h->histories, "distinct history", "distinct histories", out);
    }
    text_printf(out, ", %.*f s", h->seconds < 10 ? 2 : 0, h->seconds);
}

/* States are told apart by numbers of 128 bits: of n that differ, some two have the same with at most this chance. */
static void note_collisions(const hunt *h, const colours *c, text *out) {
    if (!h->states) return;
    const double n = (double)h->states, chance = n * n / 0x1p129;
    text_printf(out,
                "%snote: states are told apart by hashes of 128 bits: that any two of them met by chance has a "
                "probability below %.0e%s\n",
                c->dim, chance < 1e-99 ? 1e-99 : 1.5 * chance, c->off);
}

/* Code addresses in a note, "@4013a4", become file and line. */
static void add_note(debug_info *d, const char *p, size_t n, text *out) {
    for (const char *end = p + n; p < end;) {
        char *behind = (char *)(uintptr_t)p + 1;
        uintptr_t pc = *p == '@' ? (uintptr_t)strtoull(p + 1, &behind, 16) : 0;
        code_place c = pc && d ? debug_info_line(d, pc) : (code_place){0};
        if (c.file) code_place_write(&c, out);
        else text_bytes(out, p, (size_t)(behind - p));
        p = behind;
    }
}

/* Different addresses may be the same line: each readable note once. */
void exploration_notes(const exploration *r, const colours *c, text *out) {
    text all = {0};
    note_collisions(r->hunt, c, out);
    for (const char *p = text_str(&r->hunt->notes); *p;) {
        size_t n = strcspn(p, "\n");
        text one = {0};
        if (!strncmp(p, "progress:", 9) && !contradicts(r, p, n)) {
            p += n + (p[n] == '\n');
            continue;
        }
        text_printf(&one, "%snote: ", c->dim);
        add_note(r->debug, p, n, &one);
        text_printf(&one, "%s\n", c->off);
        if (!strstr(text_str(&all), one.at)) text_add(&all, one.at);
        text_free(&one);
        p += n + (p[n] == '\n');
    }
    text_add(out, text_str(&all));
    text_free(&all);
}

/* ---- a failure ---- */

/* "queue", "its serial runs (queue.serial)". */
static void object_words(const exploration *r, text *out) {
    if (!r->object) text_add(out, "its object");
    else if (serial_named(r->object)) text_printf(out, "serial runs (%.*s)", (int)strcspn(r->object, ":"), r->object);
    else text_add(out, r->object);
}

static void violation_words(const exploration *r, text *out) {
    if (r->measured.asked) text_add(out, ": not quasi(k) for any k");
    else text_printf(out, ": not %s", r->criterion ? r->criterion : "linearizable");
    text_add(out, " with respect to ");
    object_words(r, out);
}

static void say_failure(const exploration *r, const colours *c, text *out) {
    const program_result *f = &r->hunt->failure;
    const campaign_result *found = &f->answer.result;
    text_printf(out, "%s%s%s", no_verdict(r->hunt) ? c->doubt : c->bad,
                f->answer.died ? "the program did not survive" : failure_name(found->failure), c->off);
    if (found->failure == FAILURE_VIOLATION) violation_words(r, out);
    else if (found->message[0]) {
        text_add(out, ": ");
        message_words(r->x, r->debug, found->message, out);
    }
}

void exploration_failure(const exploration *r, text *out) {
    static const colours plain = {"", "", "", "", ""};
    say_failure(r, &plain, out);
}

void exploration_part(const hunt *h, text *out) {
    text_printf(out,
                h->parts_left ? "a part of a program of %u operations; not every smaller part was explored to its end"
                              : "the smallest part of a program of %u operations that still fails",
                h->shrunk_from);
}

static void add_headline(const exploration *r, const colours *c, text *out) {
    const program_result *f = &r->hunt->failure;
    say_failure(r, c, out);
    text_char(out, '\n');
    if (f->threads) text_printf(out, "threads: %s\n", f->threads);
    if (!r->hunt->shrunk_from) return;
    text_printf(out, "%s(", c->dim);
    exploration_part(r->hunt, out);
    text_printf(out, ")%s\n", c->off);
}

static unsigned lines_of(const text *t) {
    unsigned n = 0;
    for (size_t i = 0; i < t->size; i++) n += t->at[i] == '\n';
    return n;
}

/* As much of it as fits on the page, as few lines as there must be when nothing does. */
static void add_interleaving(const exploration *r, const interleaving_wishes *w, unsigned other_lines, text *out) {
    interleaving_wishes fitting = *w;
    text steps = {0};
    for (;; fitting.lines /= 2) {
        text_clear(&steps);
        interleaving_print(r->x, r->debug, &fitting, &steps);
        if (w->full || !w->rows || !fitting.lines || lines_of(&steps) + other_lines <= w->rows) break;
    }
    text_printf(out, "\nthe interleaving%s:\n%s", w->full ? "" : " (--full shows every step)", text_str(&steps));
    text_free(&steps);
}

enum { FRAME_LINES = 6 }; /* the empty ones, headings, numbers, how to replay */

/* x86-TSO: an operation that returned with stores in the buffer is over for other threads when these are in memory. */
static void add_judged(const execution *x, text *out) {
    uint32_t buffered = 0;
    for (uint32_t o = 0; o < x->ops; o++) buffered += x->op[o].buffered;
    if (!buffered) {
        text_add(out, "Every operation had its stores in memory when it returned: that is the real time of x86-TSO.\n");
        return;
    }
    count(buffered, "operation", "operations", out);
    text_add(out,
             " returned with stores in the buffer. That is the real time of the interleaving below; no order of all "
             "operations is right either in which each comes behind those whose stores were in memory before it "
             "began.\n");
}

/* Why the execution is what it is said to be, and its steps. `other_lines` come besides. */
static void add_evidence(const exploration *r, const interleaving_wishes *w, unsigned other_lines, text *out) {
    if (r->why && r->why->diagram.size) text_printf(out, "\n%s", r->why->diagram.at);
    if (r->why && r->why->sentences.size) {
        text_printf(out, "\n%s", r->why->sentences.at);
        /* explained as an interleaving, judged by happens-before (explore/campaign/trace_check.h) */
        if (r->how && r->how->messages)
            text_printf(out,
                        "That is the real time of the interleaving below. Under %s no order of all operations that "
                        "extends happens-before is right either.\n",
                        model_words(r->how->model));
        else if (r->x && r->how && !strcmp(r->how->model, "tso")) add_judged(r->x, out);
    }
    if (r->x && r->x->steps) add_interleaving(r, w, lines_of(out) + other_lines + FRAME_LINES, out);
}

static void add_specification(const exploration *r, text *out) {
    if (r->specification.size) text_printf(out, "specification: %s\n", r->specification.at);
}

/* As a shell takes it: a name with blanks is one word. */
static void add_shell_word(const char *word, text *out) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+=:@%,-";
    if (!word[strspn(word, plain)]) {
        text_add(out, word);
        return;
    }
    char one[2] = {0};
    text inside = {0};
    for (; (one[0] = *word); word++) text_add(&inside, *word == '\'' ? "'\\''" : one);
    text_char(out, '\'');
    text_printable(out, text_str(&inside));
    text_char(out, '\'');
    text_free(&inside);
}

void exploration_replay(const exploration *r, text *out) {
    text_printf(out, "plumb replay %s", r->asks_trust ? "--trust " : "");
    add_shell_word(r->schedule, out);
}

static void add_replay(const exploration *r, text *out) {
    if (!r->schedule) return;
    text_add(out, "replay: ");
    exploration_replay(r, out);
    text_add(out, REPLAYS_IN_GDB ? " (--gdb stops in it)\n" : "\n");
}

/* The lines of the other model. */
static void add_second(const exploration *r, text *out) {
    text second = {0};
    exploration_second(r, &second);
    if (second.size) text_printf(out, "%s%s", r->second ? "covered: " : "", second.at);
    if (r->second) {
        text_add(out, " (");
        exploration_numbers(r->second, out);
        text_add(out, r->hunt->failed ? "), no violation\n" : ")\n");
    } else if (second.size) text_char(out, '\n');
    text_free(&second);
}

static void add_failure(const exploration *r, const interleaving_wishes *w, text *out) {
    text notes = {0};
    add_headline(r, w->colours, out);
    exploration_notes(r, w->colours, &notes);
    add_evidence(r, w, lines_of(&notes), out);
    if (r->hunt->executions) {
        text_printf(out, "\nfound after ");
        exploration_numbers(r->hunt, out);
        const unsigned switches = r->hunt->failure.answer.result.failing_preemptions;
        /* graphs have no order of steps that could be preempted */
        if (r->how && r->how->messages) text_char(out, '\n');
        else text_printf(out, ", with %u preemption%s\n", switches, switches == 1 ? "" : "s");
    }
    if (r->second) add_second(r, out);
    add_specification(r, out);
    add_replay(r, out);
    text_add(out, text_str(&notes));
    text_free(&notes);
}

static void add_measure(const exploration *r, const interleaving_wishes *w, text *out) {
    const measured *m = &r->measured;
    bool sure = exploration_exit_code(r) == EXIT_LINEARIZABLE;
    text_printf(out, "%s%squasi(%u)%s: %s\n", sure ? w->colours->good : w->colours->doubt, sure ? "" : "at least ",
                m->k, w->colours->off, sure ? "no explored history needs more" : "not enough was explored to say more");
    assert(m->asked && (!m->forced || m->k > 0));
    if (!m->forced) return;
    text_printf(out, "not %s:", m->below);
    if (m->forced->threads) text_printf(out, " threads: %s", m->forced->threads);
    text_char(out, '\n');
    add_evidence(r, w, 0, out);
    text_char(out, '\n');
}

static void verdict_line(const exploration *r, const colours *c, text *out) {
    bool sure = exploration_exit_code(r) == EXIT_LINEARIZABLE;
    text_printf(out, "%s%s%s", sure ? c->good : c->doubt, sure ? "no violation" : "undecided", c->off);
    if (sure && r->criterion) text_printf(out, " of %s", r->criterion);
    text_char(out, '\n');
}

static uint64_t executions_of(const outcome_list *l, const char *what) {
    for (uint32_t i = 0; i < l->n; i++)
        if (!strcmp(l->at[i].what, what)) return l->at[i].executions;
    return 0;
}

void outcomes_table(const char *const *model, const outcome_list *const *of, unsigned models, text *out) {
    outcome_list all = {0};
    size_t widest = strlen("outcomes");
    for (unsigned m = 0; m < models; m++)
        for (uint32_t i = 0; i < of[m]->n; i++) outcomes_add(&all, of[m]->at[i].what, 0);
    outcomes_sort(&all);
    for (uint32_t i = 0; i < all.n; i++)
        if (strlen(all.at[i].what) + 2 > widest) widest = strlen(all.at[i].what) + 2;
    if (all.n) text_printf(out, "%-*s", (int)widest, "outcomes");
    for (unsigned m = 0; m < models && all.n; m++) text_printf(out, "%10s", model[m]);
    for (uint32_t i = 0; i < all.n; i++) {
        text_printf(out, "\n  %-*s", (int)widest - 2, all.at[i].what);
        for (unsigned m = 0; m < models; m++) text_printf(out, "%10" PRIu64, executions_of(of[m], all.at[i].what));
    }
    if (all.n) text_char(out, '\n');
    outcomes_free(&all);
}

static void add_outcomes(const exploration *r, text *out) {
    const char *models[] = {r->how ? r->how->model : "sc", r->second ? r->second_how->model : NULL};
    const outcome_list *lists[] = {&r->hunt->outcomes, r->second ? &r->second->outcomes : NULL};
    outcomes_table(models, lists, r->second ? 2 : 1, out);
}

void exploration_answer(const exploration *r, const hunt *h, text *out) {
    uint64_t count[2] = {0};
    error ignored = {0};
    for (uint32_t i = 0; i < h->outcomes.n; i++) {
        bool holds = false;
        litmus_holds(r->litmus, h->outcomes.at[i].what, &holds, &ignored);
        count[holds] += h->outcomes.at[i].executions;
    }
    const bool all = h->complete == h->programs && !coverage_has(&h->limits, LIMIT_CUT);
    litmus_answer(r->litmus, count[true], count[false], all, out);
}

/* As herd has it: how often it holds and does not, and whether that is what the quantifier asks for. */
static void add_answers(const exploration *r, text *out) {
    if (!r->litmus) return;
    text_printf(out, "condition %s %s\n", litmus_quantifier(r->litmus), text_str(&r->litmus->condition));
    for (unsigned i = 0; i < (r->second ? 2 : 1); i++) {
        const run_request *how = i ? r->second_how : r->how;
        text_printf(out, "  under %s: ", how ? how->model : "sc");
        exploration_answer(r, i ? r->second : r->hunt, out);
        text_char(out, '\n');
    }
}

void exploration_text(const exploration *r, const interleaving_wishes *w, text *out) {
    const colours *c = w->colours;
    if (r->hunt->failed) {
        add_failure(r, w, out);
    } else {
        if (exploration_contradicts(r))
            text_printf(out, "%snot %s%s (the notes say why); no other violation\n", c->bad, r->how->progress, c->off);
        else if (r->measured.asked) add_measure(r, w, out);
        else verdict_line(r, c, out);
        if (exploration_claim(r) != CLAIM_NONE && !exploration_contradicts(r))
            text_printf(out, "nothing seen contradicts that it is %s\n", r->how->progress);
        text_add(out, "covered: ");
        exploration_coverage(r, out);
        text_char(out, '\n');
        exploration_numbers(r->hunt, out);
        text_char(out, '\n');
        add_second(r, out);
        add_specification(r, out);
        add_outcomes(r, out);
        add_answers(r, out);
        add_replay(r, out);
        if (r->hunt->passed_again)
            text_add(out, "the schedule that failed last time was tried first and no longer fails\n");
        exploration_notes(r, c, out);
    }
}
