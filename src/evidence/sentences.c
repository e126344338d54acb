/* The wording of facts (facts.h). Nothing is found out here. */
#include "evidence/explain.h"

#include "base/mem.h"
#include "evidence/label.h"
#include "evidence/replay.h"

enum { PATH_SHOWN = 8, REFUSED_SHOWN = 3 };

typedef struct speaker {
    const history *h;
    const object *o;
    const history *only;
    const facts *f;
    text *out;
    mentions *mentioned; /* may be NULL */
} speaker;

static void mention_from(const speaker *s, size_t from, uint32_t number) {
    mentions *m = s->mentioned;
    if (!m) return;
    if (m->n == m->room) m->at = MEM_GROW(m->at, mention, m->room = m->room ? 2 * m->room : 16);
    m->at[m->n++] = (mention){.from = from, .to = s->out->size, .number = number};
}

static void say_operation_of(const speaker *s, const history *h, uint32_t i) {
    size_t from = s->out->size;
    label_numbered(s->o, h, i, s->out);
    mention_from(s, from, history_number(h, i));
}

static void say_operation(const speaker *s, uint32_t i) { say_operation_of(s, s->only, i); }

static void say_number(const speaker *s, uint32_t i) {
    size_t from = s->out->size;
    text_printf(s->out, "#%u", history_number(s->only, i));
    mention_from(s, from, history_number(s->only, i));
}

static void say_object(const speaker *s) { object_spoken(s->o, s->out); }

static void say_time(const speaker *s, int64_t time) {
    text_add(s->out, history_times_are_events(s->only) ? " (event " : " (at ");
    history_print_time(s->only, time, s->out);
    text_char(s->out, ')');
}

static void say_times(const speaker *s, const fact *f) {
    say_operation(s, f->a);
    text_add(s->out, " returned");
    say_time(s, history_ret_time(s->only, f->a));
    text_add(s->out, " before ");
    say_operation(s, f->b);
    text_add(s->out, " was called");
    say_time(s, history_call_time(s->only, f->b));
}

/* "Since #0 comes before #1 and #4 before #5, " */
static void say_premises(const speaker *s, uint32_t from) {
    bool first = true;
    for (uint32_t k = 0; k < s->f->n; k++) {
        if (!(from >> k & 1)) continue;
        const fact *f = &s->f->fact[k];
        text_add(s->out, first ? "Since " : " and ");
        say_number(s, f->a);
        text_add(s->out, first ? " comes before " : " before ");
        say_number(s, f->b);
        first = false;
    }
    if (!first) text_add(s->out, ", ");
}

static void say_forced(const speaker *s, const fact *f) {
    say_premises(s, f->from);
    text_printf(s->out, "%s every order of these operations that the ", f->from ? "in" : "In");
    say_object(s);
    text_add(s->out, " allows, ");
    say_operation(s, f->a);
    text_add(s->out, " comes before ");
    say_operation(s, f->b);
    text_add(s->out, ".\n");
}

static void say_too_often(const speaker *s, const fact *f) {
    const char *separator = " (";
    label_value(s->o, f->v, s->out);
    text_printf(s->out, " was taken out %u times", f->taken);
    for (uint32_t i = 0; i < s->only->n; i++) {
        operation op;
        history_operation(s->only, i, &op);
        if (op.res != f->v || !(object_method(s->o, &op)->role & ROLE_REMOVES)) continue;
        text_add(s->out, separator);
        say_operation(s, i);
        separator = ", ";
    }
    text_add(s->out, "), but put in only ");
    if (f->put == 1) text_add(s->out, "once.\n");
    else text_printf(s->out, "%u times.\n", f->put);
}

static void say_never_in(const speaker *s, const fact *f) {
    operation op;
    history_operation(s->only, f->a, &op);
    say_operation(s, f->a);
    text_add(s->out, object_method(s->o, &op)->role & ROLE_REMOVES ? ": no operation puts in "
                                                                   : ": no operation was called with ");
    label_value(s->o, f->v, s->out);
    if (s->o->type->takes_init && !s->o->type->keyed && !s->o->init_text) {
        text_add(s->out, ", and no initial value was given for the ");
        say_object(s);
    }
    text_add(s->out, ".\n");
}

static void say_too_early(const speaker *s, const fact *f) {
    say_operation(s, f->a);
    text_add(s->out, " returned");
    say_time(s, history_ret_time(s->only, f->a));
    text_add(s->out, " before any operation with ");
    label_value(s->o, f->v, s->out);
    text_add(s->out, " was called: the first is ");
    say_operation_of(s, s->h, f->first);
    say_time(s, history_call_time(s->h, f->first));
    text_add(s->out, ".\n");
}

static void say_stale(const speaker *s, const fact *f) {
    text_add(s->out, "Of the operations that bring about ");
    label_value(s->o, f->v, s->out);
    text_add(s->out, " and were called before ");
    say_operation(s, f->a);
    text_add(s->out, " returned, the last to return was ");
    say_operation_of(s, s->h, f->first);
    say_time(s, history_ret_time(s->h, f->first));
    text_add(s->out, "; then ");
    say_operation_of(s, s->h, f->second);
    text_add(s->out, " was called");
    say_time(s, history_call_time(s->h, f->second));
    text_add(s->out, " and returned");
    say_time(s, history_ret_time(s->h, f->second));
    text_add(s->out, " before ");
    say_number(s, f->a);
    text_add(s->out, " was called");
    say_time(s, history_call_time(s->only, f->a));
    text_add(s->out, ".\n");
}

static void say_over(const speaker *s, const fact *f) {
    uint32_t last = 0;
    for (uint32_t k = 0; k < f->path_n; k++) {
        if (k) text_add(s->out, k + 1 < f->path_n ? ", " : " and ");
        say_operation_of(s, s->h, f->path[k]);
        if (history_ret_time(s->h, f->path[k]) > history_ret_time(s->h, f->path[last])) last = k;
    }
    text_add(s->out, " returned");
    say_time(s, history_ret_time(s->h, f->path[last]));
    text_add(s->out, " before ");
    say_operation(s, f->a);
    text_add(s->out, " was called");
    say_time(s, history_call_time(s->only, f->a));
    text_add(s->out, ", and no other operation that matters to it was called before it returned.\n");
}

/* ---- a beginning that leads nowhere ---- */

static void say_path(const speaker *s, const fact *f, const replay *r) {
    text_add(s->out, "For example, after ");
    uint32_t skip = f->path_n > PATH_SHOWN ? f->path_n - PATH_SHOWN : 0;
    if (skip) text_printf(s->out, "%u other operation%s, ", skip, skip == 1 ? "" : "s");
    for (uint32_t k = skip; k < f->path_n; k++) {
        if (k > skip) text_add(s->out, ", ");
        say_operation(s, f->path[k]);
    }
    if (r->n == 1) {
        text_add(s->out, " the state is ");
        object_describe(s->o, &r->now[0], s->out);
    }
    text_add(s->out, ": ");
}

static void say_refused(const speaker *s, const replay *r, uint32_t i, const char *when) {
    say_operation(s, i);
    text_printf(s->out, " cannot come %s", when);
    if (r->n != 1) return;
    operation op;
    history_operation(s->only, i, &op);
    text_add(s->out, " (");
    object_why_not(s->o, &r->now[0], &op, s->out);
    text_char(s->out, ')');
}

static void say_stuck(const speaker *s, const fact *f) {
    uint32_t done, refused = 0;
    replay r;
    replay_init(&r, s->o);
    stuck_replay(s->only, f, &r, &done);
    if (f->path_n) say_path(s, f, &r);
    for (uint32_t i = 0; i < s->only->n; i++) {
        if (!stuck_may_come_next(s->only, done, i)) continue;
        if (refused++ >= REFUSED_SHOWN) continue;
        if (refused > 1) text_add(s->out, "; ");
        say_refused(s, &r, i, f->path_n ? "next" : "first");
    }
    if (refused > REFUSED_SHOWN) text_printf(s->out, "; nor can any of %u others", refused - REFUSED_SHOWN);
    if (refused == 0) {
        text_add(s->out, "the ");
        say_object(s);
        text_add(s->out, " may not end there");
    }
    text_add(s->out, ".\n");
    replay_free(&r);
}

/* What the others left, and why the one operation cannot come behind them. */
static void say_after_over(const speaker *s, const core *c, const fact *f) {
    fact stuck;
    facts none = {0};
    history *all = over_history(s->h, c, f);
    speaker of_all = {.h = s->h, .o = s->o, .only = all, .f = &none, .out = s->out, .mentioned = s->mentioned};
    if (facts_find_stuck(s->o, all, &stuck)) say_stuck(&of_all, &stuck);
    history_free(all);
}

static const char *orders(const speaker *s) {
    return criterion_is_together(&s->o->criterion) ? "sequence of steps" : "order";
}

static void say_fact(const speaker *s, uint32_t k) {
    const fact *f = &s->f->fact[k];
    bool contradicts = k + 1 < s->f->n && f[1].kind == FACT_NO_ORDER && f[1].from;
    switch (f->kind) {
    case FACT_TIME:
        if (contradicts && k) text_add(s->out, "But ");
        say_times(s, f);
        text_printf(s->out, contradicts ? ": no %s is left.\n" : ".\n", orders(s));
        break;
    case FACT_FORCED: say_forced(s, f); break;
    case FACT_NO_ORDER:
        if (f->from || s->only->n <= 1) break;
        text_add(s->out, "The ");
        say_object(s);
        text_printf(s->out, " allows no %s of these operations, whatever their times.\n", orders(s));
        break;
    case FACT_NEVER_IN: say_never_in(s, f); break;
    case FACT_TOO_EARLY: say_too_early(s, f); break;
    case FACT_STALE: say_stale(s, f); break;
    case FACT_OVER: say_over(s, f); break;
    case FACT_TOO_OFTEN: say_too_often(s, f); break;
    case FACT_STUCK: say_stuck(s, f); break;
    }
}

/* ---- what the core is ---- */

static void say_cut(const speaker *s, const core *c) {
    const history *h = s->h;
    uint32_t later = 0, last = UINT32_MAX;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t ret = h->ret[c->op[i]];
        later += ret != RANK_NEVER && ret > c->cut;
        if (ret == c->cut) last = c->op[i];
    }
    if (later == 0 || last == UINT32_MAX) return;
    text_add(s->out, "That shows when ");
    say_operation_of(s, h, last);
    text_add(s->out, history_times_are_events(h) ? " returns (event " : " returns (at ");
    history_print_time(h, history_ret_time(h, last), s->out);
    text_add(s->out, "): ");
    text_printf(s->out, "what returns later (%u of these) is pending there.\n", later);
}

static void say_settled(const speaker *s, const core *c) {
    if (!c->settled) return;
    state begins = {0};
    text described = {0};
    s->o->type->init(s->o, &begins);
    text_add(s->out, "When ");
    say_operation_of(s, s->h, c->op[0]);
    text_add(s->out, " was called, all that was called before and is left out here had returned, and the state was ");
    object_describe(s->o, &begins, &described);
    label_shorten(&described, 60, s->out);
    text_add(s->out, ".\n");
    state_free(&begins);
}

static void say_checked(const history *h, const core *c, text *out) {
    const char *these = c->n == 1 ? "this" : "these", *are = c->n == 1 ? "is" : "are",
               *selves = c->n == 1 ? "itself" : "themselves";
    if (c->settled) selves = c->n == 1 ? "itself from there on" : "themselves from there on";
    const char *of = h->n == 1 ? "operation" : "operations";
    if (c->checked_by) {
        bool oracle = !strcmp(c->checked_by, "oracle");
        text_printf(out, "re-checked: %s %u of %u %s %s a violation by %s (decided again by %s%s)", these, c->n, h->n,
                    of, are, selves, oracle ? "the " : "engine ", c->checked_by);
    } else {
        text_printf(
            out,
            "not re-checked: %s %u of %u %s %s a violation by %s, but nothing else could decide that a second time",
            these, c->n, h->n, of, are, selves);
    }
    text_add(out, c->minimal ? ", and nothing more can be left out.\n" : "; more could perhaps be left out.\n");
}

void explain_facts(const history *h, const object *o, const core *c, const facts *f, text *out, mentions *mentioned) {
    object begun = core_object(o, c);
    speaker s = {.h = h, .o = &begun, .only = f->only, .f = f, .out = out, .mentioned = mentioned};
    say_settled(&s, c);
    if (!criterion_keeps_time(&o->criterion))
        text_printf(out, "No order of these operations that keeps each client's own is a run of the %s.\n",
                    object_noun(o));
    for (uint32_t k = 0; k < f->n; k++) {
        say_fact(&s, k);
        if (f->fact[k].kind == FACT_OVER) say_after_over(&s, c, &f->fact[k]);
    }
    say_cut(&s, c);
    say_checked(h, c, out);
}

void explain_sentences(const history *h, const object *o, const core *c, text *out) {
    facts f;
    facts_find(h, o, c, &f);
    explain_facts(h, o, c, &f, out, NULL);
    facts_free(&f);
}
