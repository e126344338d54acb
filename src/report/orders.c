#include "report/orders.h"

#include "explore/outside/source_text.h"

#include <ctype.h>
#include <string.h>

static const char *role_name(unsigned role) {
    static const char *const names[] = {"load", "store", "update", "failed compare-and-swap", "fence"};
    return names[role < sizeof names / sizeof *names ? role : 0];
}

static unsigned occurrences(const char *line, const char *what) {
    unsigned n = 0;
    for (const char *p = line; (p = strstr(p, what)); p++) n++;
    return n;
}

static bool ends_a_word(const char *p) { return !isalnum((unsigned char)*p) && *p != '_'; }

/* The line with the order replaced, where it is certain which one that is: the only one that is spelled out, or of a
 * compare-and-swap the first or the second of two. False: it is not. */
static bool line_changed(const order_place *p, const char *line, text *out) {
    static const char *const spellings[] = {"memory_order_", "memory_order::"};
    const unsigned wanted = strstr(line, "compare_exchange") ? 2 : 1;
    const char *old = order_name(p->order), *at = line;
    for (unsigned i = 0; i < 2; i++) {
        if (occurrences(line, spellings[i]) != wanted || p->together == ORDER_NONE) continue;
        at = strstr(line, spellings[i]);
        if (p->role == ORDER_OF_FAILURE) at = strstr(at + 1, spellings[i]);
        at += strlen(spellings[i]);
        if (strncmp(at, old, strlen(old)) || !ends_a_word(at + strlen(old))) return false;
        text_printf(out, "%.*s%s%s", (int)(at - line), line, order_name(p->together), at + strlen(old));
        return true;
    }
    return false;
}

static void add_change(const order_place *p, source_text *sources, text *out) {
    text line = {0}, changed = {0};
    if (p->where.file && source_text_line(sources, p->where.file, p->where.line, &line)) {
        text_printf(out, "  - %s\n", text_str(&line));
        if (line_changed(p, text_str(&line), &changed)) text_printf(out, "  + %s\n", changed.at);
        else if (p->together == ORDER_NONE) text_add(out, "  + (without the fence)\n");
        else text_printf(out, "  + (the %s with memory_order_%s)\n", role_name(p->role), order_name(p->together));
    }
    text_free(&line);
    text_free(&changed);
}

static void add_place(const order_place *p, bool weaker, text *out) {
    if (p->where.file) code_place_write(&p->where, out);
    else text_printf(out, "%#lx", (unsigned long)p->site[0].pc);
    if (p->where.function) text_printf(out, " %s", p->where.function);
    text_printf(out, ": %s, %s", role_name(p->role), order_name(p->order));
    if (p->together != p->order) text_printf(out, " -> %s", order_name(p->together));
    else if (!weaker) text_add(out, " stays");
    else text_add(out, p->alone != p->order ? " stays with the others weakened" : " is needed");
    if (weaker && p->alone != p->together) text_printf(out, " (alone: %s)", order_name(p->alone));
    text_char(out, '\n');
}

/* What a change was looked at for: only what can be weaker, or was made stronger. */
static bool is_of_interest(const orders_advice *a, const order_place *p) {
    const bool weakest = p->order == ORDER_RELAXED && p->role != ORDER_OF_FENCE;
    return a->passes ? !weakest : p->together != p->order;
}

static void add_headline(const orders_advice *a, text *out) {
    unsigned changed = 0, untried = 0;
    for (unsigned i = 0; i < a->places; i++) changed += a->place[i].together != a->place[i].order;
    for (unsigned i = 0; i < a->places && a->passes; i++) untried += !a->place[i].tried;
    if (a->passes && changed) text_printf(out, "orders: %u of %u can be weaker together", changed, a->places);
    else if (a->passes) text_printf(out, "orders: none of %u can be weaker", a->places);
    else if (a->mended) text_printf(out, "orders: %u of %u have to be stronger", changed, a->places);
    else if (a->hopeless) text_add(out, "orders: it fails with seq_cst everywhere: stronger orders do not mend it");
    else text_add(out, "orders: no set of up to 3 that are stronger was found to mend it");
    text_printf(out, " (%u explorations under rc11, %s)\n", a->checks,
                a->exhaustive ? "of every execution" : "not all of every execution: what was not run may fail");
    if (untried) text_printf(out, "orders: there was no time for %u of them\n", untried);
}

void orders_text(const orders_advice *a, const char *binary, text *out) {
    source_text *sources = source_text_new(binary);
    text_char(out, '\n');
    add_headline(a, out);
    for (unsigned i = 0; i < a->places; i++) {
        if (!is_of_interest(a, &a->place[i])) continue;
        add_place(&a->place[i], a->passes, out);
        if (a->place[i].together != a->place[i].order) add_change(&a->place[i], sources, out);
    }
    source_text_free(sources);
}
