/* Operations in words: for screen readers, and for browsers that do not run scripts. */
#include "report/html_parts.h"

#include "evidence/label.h"
#include "report/escape.h"

#include <assert.h>
#include <inttypes.h>

enum { ENDS_SHOWN = 100, OPEN_ROWS = 16 };

void html_operation(const history *h, const object *o, uint32_t i, text *out) {
    text label = {0};
    label_numbered(o, h, i, &label);
    text_printf(out, "<a class=\"op\" href=\"#op=%u\" data-op=\"%u\">", history_number(h, i), history_number(h, i));
    escape_xml(out, label.at, label.size);
    text_add(out, "</a>");
    text_free(&label);
}

void html_state(const replay *r, size_t columns, text *out) {
    assert(r->n > 0); /* a replay always stands somewhere */
    text all = {0};
    if (r->n == 1) object_describe(r->o, &r->now[0], &all);
    else text_printf(&all, "one of %u states", r->n);
    label_shorten(&all, columns, out);
}

static void table_row(const history *h, const object *o, uint32_t i, uint32_t cut, text *out) {
    text client = {0};
    text_add(out, "<tr><td>");
    if (h->client) label_value(o, history_client_name(h, i), &client);
    escape_xml(out, text_str(&client), client.size);
    text_add(out, "</td><td>");
    html_operation(h, o, i, out);
    text_add(out, "</td><td>");
    history_print_time(h, history_call_time(h, i), out);
    text_add(out, "</td><td>");
    if (history_pending(h, i)) text_add(out, "never");
    else history_print_time(h, history_ret_time(h, i), out);
    if (!history_pending(h, i) && h->ret[i] > cut) text_add(out, " (later)");
    text_add(out, "</td>");
    if (h->line) text_printf(out, "<td>%u</td>", h->line[i]);
    text_add(out, "</tr>\n");
    text_free(&client);
}

void html_operation_table(const history *h, const object *o, const uint32_t *op, uint32_t n, uint32_t cut,
                          const char *caption, text *out) {
    const char *clock = history_times_are_events(h) ? "at event" : "at";
    text_printf(out, "<details%s><summary>%s</summary>\n", n <= OPEN_ROWS ? " open" : "", caption);
    text_printf(out,
                "<table class=\"operations\"><caption>%s</caption><thead><tr><th scope=\"col\">client</th><th "
                "scope=\"col\">operation</th>",
                caption);
    text_printf(out, "<th scope=\"col\">called %s</th><th scope=\"col\">returned %s</th>", clock, clock);
    if (h->line) text_add(out, "<th scope=\"col\">line</th>");
    text_add(out, "</tr></thead><tbody>\n");
    for (uint32_t k = 0; k < n; k++) {
        if (k == ENDS_SHOWN && n > 2 * ENDS_SHOWN) {
            text_printf(out, "<tr><td colspan=\"5\">%u operations between these are left out of this table</td></tr>\n",
                        n - 2 * ENDS_SHOWN);
            k = n - ENDS_SHOWN;
        }
        assert(op[k] < h->n);
        table_row(h, o, op[k], cut, out);
    }
    text_add(out, "</tbody></table></details>\n");
}
