#include "report/exploration_page.h"

#include "report/interleaving_view.h"
#include "report/html.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FACTS_MOST = 24 };

/* ---- the words ---- */

typedef struct page_words {
    text headline, ending, again, schedule, numbers, notes;
    const char *fact[FACTS_MOST];
    uint32_t facts;
} page_words;

static void words_free(page_words *w) {
    text *all[] = {&w->headline, &w->ending, &w->again, &w->schedule, &w->numbers, &w->notes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) text_free(all[i]);
}

/* Each line is a fact. */
static void add_facts(page_words *w, text *lines) {
    for (char *p = lines->at; p && *p && w->facts < FACTS_MOST;) {
        char *end = strchr(p, '\n');
        if (end) *end = 0;
        if (*p) w->fact[w->facts++] = p;
        p = end ? end + 1 : NULL;
    }
}

static void say_failure(const exploration *r, page_words *w) {
    const campaign_result *found = &r->hunt->failure.answer.result;
    if (found->failure == FAILURE_VIOLATION) {
        text_printf(&w->ending,
                    "No order explains what these operations returned: not linearizable with respect to %s.",
                    r->object ? r->object : "its object");
        return;
    }
    exploration_failure(r, &w->headline);
    exploration_failure(r, &w->ending);
}

static void say_numbers(const exploration *r, page_words *w) {
    const hunt *h = r->hunt;
    if (h->failed && h->failure.threads) text_printf(&w->numbers, "threads: %s\n", h->failure.threads);
    if (r->x && r->x->ops && r->object) text_add(&w->numbers, "client 1 is thread 1, and so on\n");
    if (h->shrunk_from) {
        exploration_part(h, &w->numbers);
        text_char(&w->numbers, '\n');
    }
    if (h->executions) {
        unsigned preemptions = h->failure.answer.result.failing_preemptions;
        if (h->failed) text_add(&w->numbers, "found after ");
        exploration_numbers(h, &w->numbers);
        if (h->failed && !(r->how && r->how->messages))
            text_printf(&w->numbers, ", with %u preemption%s", preemptions, preemptions == 1 ? "" : "s");
    }
}

static void say_nothing_found(const exploration *r, int code, page_words *w) {
    if (!r->hunt->programs) { /* a replay */
        text_add(&w->headline, "This schedule no longer fails");
        return;
    }
    text_add(&w->headline,
             code == EXIT_LINEARIZABLE
                 ? "No violation. Covered: "
                 : "No violation was found, but not everything was covered that was asked for. Covered: ");
    if (exploration_contradicts(r)) {
        text_clear(&w->headline);
        text_add(&w->headline, "The claimed progress is contradicted; no other violation. Covered: ");
    }
    exploration_coverage(r, &w->headline);
    text second = {0};
    exploration_second(r, &second);
    if (second.size) text_printf(&w->headline, ". %s%s", r->second ? "Covered: " : "", second.at);
    text_free(&second);
}

static void words_make(page_words *w, const exploration *r, const saved_schedule *saved, int code) {
    static const colours plain = {"", "", "", "", ""};
    if (r->hunt->failed) say_failure(r, w);
    else say_nothing_found(r, code, w);
    say_numbers(r, w);
    exploration_notes(r, &plain, &w->notes);
    add_facts(w, &w->numbers);
    add_facts(w, &w->notes);
    if (saved) schedule_text(saved, &w->schedule);
    if (r->schedule) exploration_replay(r, &w->again);
}

/* ---- the page ---- */

static picture picture_explored(const exploration *r, const page_words *w, int code) {
    static const explained none;
    const explained *found = r->why ? r->why : &none;
    const hunt *h = r->hunt;
    assert(!found->judged || (found->h && found->o));
    bool violates = h->failed && h->failure.answer.result.failure == FAILURE_VIOLATION;
    picture p = {.file = r->name, .h = found->h, .o = found->o};
    if (found->judged) p = picture_of(r->name, found->h, found->o, &found->j);
    if (!violates || !found->o) { /* the page is about the execution, whatever its history is */
        p.verdict = code == EXIT_LINEARIZABLE ? VERDICT_LINEARIZABLE
                    : code == EXIT_VIOLATION  ? VERDICT_VIOLATION
                                              : VERDICT_UNDECIDED;
        if (h->failed) p.label = h->failure.answer.died ? "no verdict" : failure_name(h->failure.answer.result.failure);
        else if (code == EXIT_LINEARIZABLE) p.label = "no violation";
        p.headline = text_str(violates ? &w->ending : &w->headline);
    }
    assert(w->facts <= FACTS_MOST);
    p.fact = w->fact;
    p.facts = w->facts;
    return p;
}

bool exploration_page(const char *path, const exploration *r, const saved_schedule *saved, const char *binary, int code,
                      error *e) {
    page_words w = {0};
    told_execution told = {0};
    words_make(&w, r, saved, code);
    picture p = picture_explored(r, &w, code);
    if (r->x && (r->x->steps || r->x->ops)) {
        told_execution_make(&told, r->x, r->debug, binary);
        told.view.ending = w.ending.size ? w.ending.at : NULL;
        told.view.schedule = w.schedule.size ? w.schedule.at : NULL;
        told.view.again = w.again.size ? w.again.at : NULL;
        p.steps = &told.view;
    }
    bool good = html_write(path, &p, e);
    told_execution_free(&told);
    words_free(&w);
    return good;
}
