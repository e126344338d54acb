/* How relaxed a history is: the smallest k, how far and how often elements were overtaken in the order that was found,
 * and why no smaller k will do. */
#include "report/html_parts.h"

#include "report/plot.h"

#include <assert.h>
#include <stdio.h>

static void tell_bounds(const relaxation *r, text *out) {
    if (r->low == r->high)
        text_printf(out, "<p>The smallest k for which this history is quasi(k) is %u.</p>\n", r->high);
    else
        text_printf(
            out,
            "<p>It is quasi(%u), and not quasi(k) for any k below %u; which k is the smallest was not decided.</p>\n",
            r->high, r->low);
}

/* The core that refuses low - 1, as the object under that criterion sees it. */
static void tell_below(const picture *p, text *out) {
    const relaxation *r = p->relaxation;
    if (r->below.verdict != VERDICT_VIOLATION) return;
    assert(r->low > 0); /* or nothing would have been refused */
    char asked[32];
    object less = *p->o;
    less.criterion.limit[0] = less.criterion.limit[1] = r->low - 1;
    snprintf(asked, sizeof asked, "quasi(%u)", r->low - 1);
    picture refused = {.file = p->file,
                       .h = p->h,
                       .o = &less,
                       .verdict = VERDICT_VIOLATION,
                       .criterion = asked,
                       .core = &r->below.core};
    html_violation(&refused, "Why no smaller k will do", out);
}

void html_relaxation(const picture *p, text *out) {
    const relaxation *r = p->relaxation;
    if (!r->bounded) return;
    assert(r->low <= r->high);
    text_add(out, "<section id=\"relaxation\"><h2>How relaxed it is</h2>\n");
    tell_bounds(r, out);
    text_add(out, "<div class=\"figures\">\n");
    plot_distribution("Displacement: elements ahead of what was taken out",
                      "elements ahead, in the order that was found", r->ahead.times, r->ahead.n, out);
    plot_distribution("Lateness: how often an element was overtaken", "times, in the order that was found",
                      r->overtaken.times, r->overtaken.n, out);
    text_add(out, "</div></section>\n");
    tell_below(p, out);
}
