/* The condition of a litmus test: x=1, 0:r0=2, /\, \/, ~, not, parentheses, true. It is read anew for each outcome. */
#include "explore/outside/litmus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NESTED_MOST = 200 };

typedef struct condition_reader {
    litmus_reader r;
    litmus *l;           /* names are added; NULL: they are known */
    const char *outcome; /* NULL: only read */
    unsigned depth;
} condition_reader;

static bool either(condition_reader *c, bool *holds);

/* The value of a name in "0:r0=1 x=2". */
static bool value_is(const condition_reader *c, const char *name, long wanted) {
    const size_t n = strlen(name);
    for (const char *p = c->outcome; p; p = strchr(p, ' ')) {
        p += *p == ' ';
        if (!strncmp(p, name, n) && p[n] == '=') return strtol(p + n + 1, NULL, 10) == wanted;
    }
    return false;
}

static bool compares(condition_reader *c, int thread, const char *word, bool *holds) {
    char name[LITMUS_WORD + 12];
    long wanted;
    const bool differs = litmus_sign(&c->r, "!=") || litmus_sign(&c->r, "<>");
    if (!differs)
        (void)(litmus_sign(&c->r, "==") || litmus_sign(&c->r, "=") || litmus_wrong(&c->r, word, "x=1 or 0:r0=1"));
    if (c->r.e->code) return false;
    if (!litmus_number(&c->r, &wanted)) return litmus_wrong(&c->r, "a value that is no number", "x=1 or 0:r0=1");
    if (thread >= 0) snprintf(name, sizeof name, "%d:%s", thread, word);
    else snprintf(name, sizeof name, "%s", word);
    *holds = c->outcome && value_is(c, name, wanted) != differs;
    litmus_name *n = c->l ? litmus_add(&c->r, c->l, thread, word) : NULL;
    if (n) n->observed = true;
    return !c->l || n;
}

static bool atom(condition_reader *c, bool *holds) {
    char word[LITMUS_WORD];
    long thread = -1;
    const bool bracket = litmus_sign(&c->r, "[");
    if (!bracket && litmus_number(&c->r, &thread) &&
        (thread < 0 || thread >= LITMUS_THREADS || !litmus_sign(&c->r, ":")))
        return litmus_wrong(&c->r, "a number that is no thread's", "0:r0 with a thread below 16");
    if (!litmus_word(&c->r, word) || (bracket && !litmus_sign(&c->r, "]")))
        return litmus_wrong(&c->r, "a condition that is not understood", "x=1, 0:r0=1, /\\, \\/, ~ and parentheses");
    if (thread < 0 && !bracket && (!strcmp(word, "true") || !strcmp(word, "false"))) {
        *holds = !strcmp(word, "true");
        return true;
    }
    return compares(c, (int)thread, word, holds);
}

static bool negates(condition_reader *c) {
    const litmus_reader before = c->r;
    char word[LITMUS_WORD];
    if (litmus_sign(&c->r, "~")) return true;
    if (litmus_word(&c->r, word) && !strcmp(word, "not")) return true;
    c->r = before;
    return false;
}

static bool factor(condition_reader *c, bool *holds) {
    if (++c->depth > NESTED_MOST) return litmus_wrong(&c->r, "parentheses in parentheses", "fewer than 200");
    bool good;
    if (negates(c)) {
        good = factor(c, holds);
        *holds = good && !*holds;
    } else if (litmus_sign(&c->r, "(")) {
        good = either(c, holds) && (litmus_sign(&c->r, ")") || litmus_wrong(&c->r, "a parenthesis that is open", ")"));
    } else {
        good = atom(c, holds);
    }
    c->depth--;
    return good;
}

static bool both(condition_reader *c, bool *holds) {
    bool good = factor(c, holds);
    while (good && litmus_sign(&c->r, "/\\")) {
        bool other = false;
        good = factor(c, &other);
        *holds = *holds && other;
    }
    return good;
}

static bool either(condition_reader *c, bool *holds) {
    bool good = both(c, holds);
    while (good && litmus_sign(&c->r, "\\/")) {
        bool other = false;
        good = both(c, &other);
        *holds = *holds || other;
    }
    return good;
}

/* On one line, with one blank where there were blanks or comments: what is read again is what was read. */
static void condition_keep(litmus *l, const litmus_reader *begin, const char *to) {
    litmus_reader r = *begin;
    while (r.at < to) {
        const char *before = r.at;
        litmus_skip(&r);
        if (r.at >= to) break;
        if (r.at > before && l->condition.size) text_char(&l->condition, ' ');
        text_char(&l->condition, *r.at++);
    }
}

bool litmus_condition(litmus_reader *r, litmus *l) {
    condition_reader c = {.r = *r, .l = l};
    bool holds;
    litmus_skip(&c.r);
    const litmus_reader begin = c.r;
    if (!either(&c, &holds)) return false;
    condition_keep(l, &begin, c.r.at);
    *r = c.r;
    litmus_skip(r);
    return !*r->at || litmus_wrong(r, "something behind the condition", "the end of the file");
}

bool litmus_holds(const litmus *l, const char *outcome, bool *holds, error *e) {
    condition_reader c = {.r = {.path = l->name, .at = text_str(&l->condition), .line = 1, .e = e}, .outcome = outcome};
    return either(&c, holds);
}

const char *litmus_quantifier(const litmus *l) {
    return l->asks == LITMUS_EXISTS ? "exists" : l->asks == LITMUS_NOT_EXISTS ? "~exists" : "forall";
}

/* What was not run could still be otherwise. */
void litmus_answer(const litmus *l, uint64_t positive, uint64_t negative, bool all, text *out) {
    const bool is_sure = all || (l->asks == LITMUS_FORALL ? negative > 0 : positive > 0);
    const bool holds = l->asks == LITMUS_EXISTS ? positive > 0 : l->asks == LITMUS_FORALL ? !negative : !positive;
    text_printf(out, "%s %" PRIu64 " %" PRIu64 ", %s",
                positive && negative ? "Sometimes"
                : !all               ? "undecided"
                : positive           ? "Always"
                                     : "Never",
                positive, negative, is_sure ? holds ? "Ok" : "No" : "undecided");
}
