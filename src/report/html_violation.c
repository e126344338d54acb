/* Why it is a violation, for people: the picture of the core, the sentences, and how far an order gets. */
#include "report/html_parts.h"

#include "evidence/explain.h"
#include "report/escape.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    RELATED_MAX = 6,
    SMALL_CORE = 3,
    CONTEXTS_MAX = 2 * FACTS_MAX + RELATED_MAX,
    ARROWS_MAX = 3 * FACTS_MAX,
    STATE_COLUMNS = 16,
    STATE_COLUMNS_LISTED = 80
};

typedef struct story {
    const picture *p;
    const core *c;
    object o; /* as it is when the core begins */
    facts f;
    fact stuck; /* a beginning that leads nowhere */
    bool has_stuck;
    /* not of the core, but about the same values: a reader will ask about them */
    uint32_t related[RELATED_MAX], relateds;
    text *out;
} story;

/* ---- what was left out, and why that does not matter ---- */

static bool in_core(const story *s, uint32_t i) {
    for (uint32_t k = 0; k < s->c->n; k++)
        if (s->c->op[k] == i) return true;
    return false;
}

/* Values that stand for themselves: not results like true, none or empty. */
static bool tells(value v) { return value_is_small_int(v) || v >= VALUE_INTERNED; }

static bool has_value(const operation *op, value v) {
    for (unsigned a = 0; a < op->nargs; a++)
        if (op->arg[a] == v) return true;
    return op->res == v;
}

static bool shares_value(const story *s, const operation *op) {
    for (uint32_t k = 0; k < s->c->n; k++) {
        operation mine;
        history_operation(s->p->h, s->c->op[k], &mine);
        if (mine.key != op->key) continue;
        for (unsigned a = 0; a < mine.nargs; a++)
            if (tells(mine.arg[a]) && has_value(op, mine.arg[a])) return true;
        if (tells(mine.res) && has_value(op, mine.res)) return true;
    }
    return false;
}

static bool has_reason(const facts *f) {
    for (uint32_t k = 0; k < f->n; k++)
        if (f->fact[k].kind != FACT_STUCK && f->fact[k].kind != FACT_NO_ORDER) return true;
    return false;
}

/* Where there is no reason but that nothing can come next, a core of very few operations says too little: "contains(2)
 * -> true: 2 is not in the set" makes people ask for the add(2) that they remember. The last such that were called
 * before the core's last. */
static void find_related(story *s) {
    const history *h = s->p->h;
    assert(s->c->n > 0);
    if (s->c->n > SMALL_CORE || has_reason(&s->f)) return;
    for (uint32_t i = s->c->op[s->c->n - 1]; i-- > 0 && s->relateds < RELATED_MAX;) {
        operation op;
        history_operation(h, i, &op);
        if (!in_core(s, i) && shares_value(s, &op)) s->related[s->relateds++] = i;
    }
}

static void find_story(story *s) {
    s->o = core_object(s->p->o, s->c);
    facts_find(s->p->h, s->p->o, s->c, &s->f);
    find_related(s);
    for (uint32_t k = 0; k < s->f.n; k++)
        if (s->f.fact[k].kind == FACT_STUCK) {
            s->stuck = s->f.fact[k];
            s->has_stuck = true;
            return;
        }
    s->has_stuck = criterion_keeps_time(&s->o.criterion) && facts_find_stuck(&s->o, s->f.only, &s->stuck);
}

static uint32_t number_in_core(const story *s, uint32_t place) {
    assert(place < s->f.only->n);
    return history_number(s->f.only, place);
}

/* ---- the picture ---- */

static uint32_t find_context(const story *s, uint32_t *op) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->f.n; k++) {
        const fact *f = &s->f.fact[k];
        assert(n + (f->kind == FACT_OVER ? f->path_n : 2) <= CONTEXTS_MAX);
        if (f->kind == FACT_TOO_EARLY || f->kind == FACT_STALE) op[n++] = f->first;
        if (f->kind == FACT_STALE) op[n++] = f->second;
        for (uint32_t i = 0; f->kind == FACT_OVER && i < f->path_n; i++) op[n++] = f->path[i];
    }
    for (uint32_t k = 0; k < s->relateds && n < CONTEXTS_MAX; k++) op[n++] = s->related[k];
    return n;
}

static bool clashes(const story *s, uint32_t k) {
    for (uint32_t j = k + 1; j < s->f.n; j++)
        if (s->f.fact[j].kind == FACT_NO_ORDER) return s->f.fact[j].from >> k & 1;
    return false;
}

static uint32_t find_arrows(const story *s, arrow *a) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->f.n; k++) {
        const fact *f = &s->f.fact[k];
        assert(n + (f->kind == FACT_OVER ? f->path_n : 2) <= ARROWS_MAX);
        uint32_t first = history_number(s->p->h, f->first), second = history_number(s->p->h, f->second);
        switch (f->kind) {
        case FACT_TIME:
        case FACT_FORCED:
            a[n++] = (arrow){number_in_core(s, f->a), number_in_core(s, f->b),
                             f->kind == FACT_TIME ? ARROW_TIME : ARROW_FORCED, clashes(s, k)};
            break;
        case FACT_TOO_EARLY: a[n++] = (arrow){number_in_core(s, f->a), first, ARROW_TIME, true}; break;
        case FACT_STALE:
            a[n++] = (arrow){first, second, ARROW_TIME, false};
            a[n++] = (arrow){second, number_in_core(s, f->a), ARROW_TIME, true};
            break;
        case FACT_OVER:
            for (uint32_t i = 0; i < f->path_n; i++)
                a[n++] = (arrow){history_number(s->p->h, f->path[i]), number_in_core(s, f->a), ARROW_TIME,
                                 i + 1 == f->path_n};
            break;
        default: break;
        }
    }
    return n;
}

/* The beginning that leads nowhere, as points; what could come next is crossed out. */
static void add_attempt(const story *s, scene *view) {
    uint32_t done = 0;
    replay r;
    if (!s->has_stuck) return;
    replay_init(&r, &s->o);
    for (uint32_t k = 0; k < s->stuck.path_n; k++) {
        operation op;
        history_operation(s->f.only, s->stuck.path[k], &op);
        replay_step(&r, &op);
        assert(!(done >> s->stuck.path[k] & 1)); /* each operation once */
        done |= 1u << s->stuck.path[k];
        point *p = scene_point(view, number_in_core(s, s->stuck.path[k]));
        if (p) html_state(&r, STATE_COLUMNS, &p->state);
    }
    replay_free(&r);
    for (uint32_t i = 0; i < s->f.only->n; i++) {
        uint32_t k = scene_bar(view, number_in_core(s, i));
        if (k != UINT32_MAX && stuck_may_come_next(s->f.only, done, i)) view->bar[k].refused = true;
    }
}

static void legend_entry(text *out, const char *sign, const char *says) {
    text_printf(out,
                "<li><svg width=\"34\" height=\"14\" viewBox=\"0 0 34 14\" aria-hidden=\"true\">%s</svg> %s</li>\n",
                sign, says);
}

static void draw_legend(const story *s, const scene *view, const arrow *a, uint32_t arrows) {
    bool time = false, forced = false, clash = false;
    for (uint32_t k = 0; k < arrows; k++) {
        time |= a[k].kind == ARROW_TIME && !a[k].clash;
        forced |= a[k].kind == ARROW_FORCED;
        clash |= a[k].kind == ARROW_TIME && a[k].clash;
    }
    text_add(s->out, "<ul class=\"legend\">\n");
    if (time)
        legend_entry(s->out, "<path class=\"arrow time\" marker-end=\"url(#head)\" d=\"M1 7H31\"/>",
                     "had returned before the other was called");
    if (clash)
        legend_entry(s->out, "<path class=\"arrow time clash\" marker-end=\"url(#head-clash)\" d=\"M1 7H31\"/>",
                     time ? "the same, and this is what breaks it"
                          : "had returned before the other was called: this is what breaks it");
    if (forced)
        legend_entry(s->out, "<path class=\"arrow forced\" marker-end=\"url(#head-forced)\" d=\"M1 7H31\"/>",
                     "would have to come before, by the object's rules");
    if (view->points)
        legend_entry(s->out,
                     "<g class=\"point\"><circle cx=\"17\" cy=\"7\" r=\"6.5\"/><text class=\"place\" x=\"17\" "
                     "y=\"10.5\">1</text></g>",
                     "one order, as far as it goes, with the state after each step");
    if (s->has_stuck)
        legend_entry(s->out, "<path class=\"cross\" d=\"M12 2l10 10m0 -10l-10 10\"/>", "cannot come next in it");
    if (view->tears)
        legend_entry(s->out, "<g class=\"tear\"><path d=\"M15 0l4 3l-4 3l4 3l-4 3\"/></g>",
                     "events that are not shown here");
    if (view->cut_x > 0) legend_entry(s->out, "<path class=\"cut\" d=\"M17 0V14\"/>", "the moment when it shows");
    text_add(s->out, "</ul>\n");
}

static void draw_picture(const story *s) {
    uint32_t context[CONTEXTS_MAX], contexts = find_context(s, context);
    arrow a[ARROWS_MAX];
    uint32_t arrows = find_arrows(s, a);
    scene view;
    scene_open(&view, s->p->h, s->p->o, s->c->op, s->c->n, context, contexts, s->c->cut);
    add_attempt(s, &view);
    scene_place(&view, s->c->cut);
    text_add(s->out, "<div class=\"scroll\">");
    scene_svg(&view, a, arrows, "The operations of the core as intervals of time, a lane for each client", s->out);
    text_add(s->out, "</div>\n");
    if (view.left_out)
        text_printf(
            s->out,
            "<p class=\"note\">%u operations between these are not shown here; the whole view marks them.</p>\n",
            view.left_out);
    draw_legend(s, &view, a, arrows);
    scene_close(&view);
}

/* ---- the sentences ---- */

static void tell_line(const story *s, const text *said, size_t from, size_t to, const mentions *m, uint32_t *next) {
    text_add(s->out, "<li>");
    for (; *next < m->n && m->at[*next].to <= to; ++*next) {
        const mention *at = &m->at[*next];
        assert(from <= at->from && at->from <= at->to); /* ascending, none inside another */
        escape_xml(s->out, said->at + from, at->from - from);
        text_printf(s->out, "<a class=\"op\" href=\"#op=%u\" data-op=\"%u\">", at->number, at->number);
        escape_xml(s->out, said->at + at->from, at->to - at->from);
        text_add(s->out, "</a>");
        from = at->to;
    }
    escape_xml(s->out, said->at + from, to - from);
    text_add(s->out, "</li>\n");
}

static void tell_sentences(const story *s) {
    text said = {0};
    mentions m = {0};
    uint32_t next = 0;
    explain_facts(s->p->h, s->p->o, s->c, &s->f, &said, &m);
    assert(!m.n || m.at[m.n - 1].to <= said.size);
    text_add(s->out, "<ol class=\"sentences\">\n");
    for (size_t from = 0; from < said.size;) {
        size_t to = from;
        while (to < said.size && said.at[to] != '\n') to++;
        tell_line(s, &said, from, to, &m, &next);
        from = to + 1;
    }
    text_add(s->out, "</ol>\n");
    free(m.at);
    text_free(&said);
}

/* The core's own violation implies the history's (evidence/core.h): that is what may be said of the others. */
static void tell_related(const story *s) {
    if (!s->relateds) return;
    text_add(
        s->out,
        "<p class=\"note\">With the same values, but not needed: what is in the core is a violation with or without ");
    for (uint32_t k = s->relateds; k-- > 0;) {
        html_operation(s->p->h, s->p->o, s->related[k], s->out);
        text_add(s->out, k ? ", " : ".</p>\n");
    }
}

/* ---- how far an order gets ---- */

static void tell_step(const story *s, uint32_t i, replay *r) {
    operation op;
    text before = {0}, after = {0};
    history_operation(s->f.only, i, &op);
    html_state(r, STATE_COLUMNS_LISTED, &before);
    replay_step(r, &op);
    html_state(r, STATE_COLUMNS_LISTED, &after);
    text_add(s->out, "<li>");
    html_operation(s->f.only, s->p->o, i, s->out);
    text_add(s->out, " <span class=\"state\">");
    escape_xml(s->out, text_str(&after), after.size);
    text_add(s->out, "</span>");
    if (op.res == VALUE_UNKNOWN && !strcmp(text_str(&before), text_str(&after)))
        text_add(s->out, " <span class=\"note\">changes nothing</span>");
    text_add(s->out, "</li>\n");
    text_free(&before);
    text_free(&after);
}

static void tell_refusal(const story *s, uint32_t i, const replay *r) {
    text_add(s->out, "<li>");
    html_operation(s->f.only, s->p->o, i, s->out);
    text why = {0};
    operation op;
    history_operation(s->f.only, i, &op);
    if (r->n > 1) {
        text_printf(&why, "in none of the %u states that are possible then; in ", r->n);
        object_describe(s->p->o, &r->now[0], &why);
        text_add(&why, ", for example: ");
    }
    object_why_not(s->p->o, &r->now[0], &op, &why);
    text_add(s->out, " <span class=\"why\">");
    escape_xml(s->out, text_str(&why), why.size);
    text_add(s->out, "</span></li>\n");
    text_free(&why);
}

static void tell_attempt(const story *s) {
    uint32_t done = 0, candidates = 0;
    replay r;
    if (!s->has_stuck) return;
    replay_init(&r, &s->o);
    text_add(s->out, "<div class=\"attempt\"><h3>One order, as far as it goes</h3>\n<ol class=\"steps\">\n");
    for (uint32_t k = 0; k < s->stuck.path_n; k++) {
        tell_step(s, s->stuck.path[k], &r);
        done |= 1u << s->stuck.path[k];
    }
    text_printf(s->out, "</ol>\n<p>%s</p>\n<ul class=\"refused\">\n",
                s->stuck.path_n ? "Then nothing can come next:" : "Nothing can come first:");
    for (uint32_t i = 0; i < s->f.only->n; i++)
        if (stuck_may_come_next(s->f.only, done, i)) {
            tell_refusal(s, i, &r);
            candidates++;
        }
    if (candidates == 0) {
        text_add(s->out, "<li>all operations are in it, but the ");
        escape_xml_string(s->out, s->p->o->type->name);
        text_add(s->out, " may not end there</li>\n");
    }
    text_add(s->out, "</ul></div>\n");
    replay_free(&r);
}

void html_violation(const picture *p, const char *heading, text *out) {
    assert(p->core && p->h && p->o);
    story s = {.p = p, .c = p->core, .out = out};
    find_story(&s);
    text_printf(out, "<section id=\"core\"><h2>%s</h2>\n<p class=\"note\">In a ", heading);
    escape_xml_string(out, p->criterion ? p->criterion : "linearizable");
    text_add(out, " history each operation can have taken effect at one moment between its call and its return. Here "
                  "no such moments can be found for "
                  "these operations.</p>\n");
    draw_picture(&s);
    text_add(out, "<div class=\"why-columns\"><div><h3>Why no order is left</h3>\n");
    if (s.f.n == 0)
        text_add(out, "<p>No shorter reason was found with reasonable effort than that these operations are a "
                      "violation by themselves.</p>\n");
    tell_sentences(&s);
    tell_related(&s);
    text_add(out, "</div>\n");
    tell_attempt(&s);
    text_add(out, "</div>\n");
    html_operation_table(p->h, p->o, p->core->op, p->core->n, p->core->cut, "The operations of the core", out);
    text_add(out, "</section>\n");
    facts_free(&s.f);
}
