/* "What if this had returned 2?": a link to the page on which histories are drawn and judged (docs/BROWSER.md), with
 * this one, or its core, behind the #. */
#include "format/plumb_jsonl.h"
#include "report/html_parts.h"

#include <ctype.h>
#include <string.h>

enum { TRIED_MOST = 60 /* operations: what can be drawn */ };

static void add_line(const history *h, uint32_t i, uint32_t cut, text *out) {
    bool returns = !history_pending(h, i) && h->ret[i] <= cut;
    text_char(out, '{');
    json_client(h, i, out);
    json_call(h, i, out);
    text_printf(out, ",\"call\":%u,\"ret\":", h->call[i]);
    if (returns) text_printf(out, "%u,\"res\":", h->ret[i]);
    else text_add(out, "null,\"res\":");
    json_value(h->values, returns ? h->res[i] : VALUE_NONE, out);
    text_add(out, "}\n");
}

/* All of RFC 3986's unreserved characters are themselves. */
static void add_percent(text *out, const char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c < 128 && (isalnum(c) || strchr("-._~", c))) text_char(out, (char)c);
        else text_printf(out, "%%%02X", c);
    }
}

void html_try(const picture *p, text *out) {
    const bool whole = p->h && p->h->n && p->h->n <= TRIED_MOST;
    if (!whole && !(p->h && p->core && p->core->n && p->core->n <= TRIED_MOST)) return;
    text lines = {0};
    json_header(p->h, p->o, &lines);
    if (whole)
        for (uint32_t i = 0; i < p->h->n; i++) add_line(p->h, i, RANK_NEVER, &lines);
    else
        for (uint32_t k = 0; k < p->core->n; k++) add_line(p->h, p->core->op[k], p->core->cut, &lines);
    text_printf(out, "<a id=\"try\" href=\"plumbline.html#history=");
    add_percent(out, lines.at, lines.size);
    text_printf(
        out,
        "\" title=\"draw on, with other answers: needs plumbline.html (make web) beside this page\">what if%s?</a>",
        whole ? "" : " (its core)");
    text_free(&lines);
}
