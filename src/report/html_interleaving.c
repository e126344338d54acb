/* One column for each thread, a row for each step. Without scripts it is a table with every step in it; scripts add the slider,
 * the folding, and the memory as it is at the step. */
#include "report/html_interleaving.h"

#include "report/escape.h"

static const char *const kind_name[] = {"call", "return", "read", "write", "update", "refused", "local"};

static void attribute(text *out, const char *name, const char *s) {
    if (!s) return;
    text_printf(out, " data-%s=\"", name);
    escape_xml_string(out, s);
    text_char(out, '"');
}

static void tell_access(const interleaving_step *s, text *out) {
    text_add(out, "<span class=\"access\">");
    if (s->operation) {
        if (s->number != UINT32_MAX) text_printf(out, "<a class=\"op\" href=\"#op=%u\" data-op=\"%u\">#%u ", s->number, s->number, s->number);
        escape_xml_string(out, s->operation);
        if (s->number != UINT32_MAX) text_add(out, "</a>");
        text_add(out, s->kind == ACCESS_CALL ? " is called" : " returns");
    } else if (s->location) {
        escape_xml_string(out, s->location);
        text_add(out, s->kind == ACCESS_READ ? " is " : s->kind == ACCESS_REFUSED ? " stays " : ": ");
        escape_xml_string(out, s->before ? s->before : "?");
        if (s->after) {
            text_add(out, " &#8594; ");
            escape_xml_string(out, s->after);
        }
    }
    text_add(out, "</span>");
    if (s->source) {
        text_add(out, "<code>");
        escape_xml_string(out, s->source);
        text_add(out, "</code>");
    }
    if (s->file) {
        text_add(out, "<small>");
        escape_xml_string(out, s->file);
        text_printf(out, ":%u</small>", s->line);
    }
}

static void tell_step(const interleaving *i, uint32_t k, text *out) {
    const interleaving_step *s = &i->step[k];
    bool switched = k && i->step[k - 1].thread != s->thread;
    text_printf(out, "<tr class=\"%s%s%s\" data-thread=\"%u\"", kind_name[s->kind], s->dull ? " dull" : "", switched ? " switched" : "", s->thread);
    attribute(out, "location", s->location);
    attribute(out, "before", s->before);
    attribute(out, "after", s->after);
    text_printf(out, "><th scope=\"row\">%u</th>", k + 1);
    for (uint32_t t = 0; t < i->threads; t++) {
        text_add(out, "<td>");
        if (t == s->thread) tell_access(s, out);
        text_add(out, "</td>");
    }
    text_add(out, "</tr>\n");
}

void html_interleaving(const interleaving *i, text *out) {
    text_add(out, "<section id=\"interleaving\"><h2>How it came about</h2>\n<div class=\"step-controls\" hidden>"
                  "<button type=\"button\" id=\"step-back\">back</button> <input type=\"range\" id=\"step\" min=\"1\" aria-label=\"step\"> "
                  "<button type=\"button\" id=\"step-on\">on</button> <output id=\"step-at\"></output> "
                  "<label><input type=\"checkbox\" id=\"step-fold\" checked> fold what touches nothing shared</label></div>\n"
                  "<div class=\"interleaving-columns\"><div class=\"scroll\"><table class=\"interleaving\"><thead><tr><th scope=\"col\">step</th>");
    for (uint32_t t = 0; t < i->threads; t++) {
        text_add(out, "<th scope=\"col\">");
        escape_xml_string(out, i->thread[t]);
        text_add(out, "</th>");
    }
    text_add(out, "</tr></thead><tbody>\n");
    for (uint32_t k = 0; k < i->steps; k++) tell_step(i, k, out);
    text_add(out, "</tbody></table></div><div id=\"memory\" aria-live=\"polite\"></div></div>\n");
    if (i->schedule) {
        text_add(out, "<h3>The schedule</h3><p><button type=\"button\" id=\"copy-schedule\" hidden>copy</button></p><pre id=\"schedule\">");
        escape_xml_string(out, i->schedule);
        text_add(out, "</pre>\n");
    }
    text_add(out, "</section>\n");
}
