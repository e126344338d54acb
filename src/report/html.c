#include "report/html.h"

#include "format/output.h"
#include "report/escape.h"
#include "report/html_columns.h"
#include "report/html_parts.h"
#include "report/page_files.h"

#include <assert.h>
#include <string.h>

picture picture_of(const char *file, const history *h, const object *o, const judgement *j) {
    assert(!h == !o);
    picture p = {.file = file, .h = h, .o = o, .verdict = j->verdict};
    const decision *d = &j->decision;
    if (d->engine) p.decided_by = d->engine->name;
    if (j->verdict == VERDICT_LINEARIZABLE && j->witness_checked) p.witness = &d->witness;
    if (j->verdict == VERDICT_VIOLATION) p.core = &j->core;
    if (j->verdict == VERDICT_UNDECIDED) p.reason = d->stopped != STOP_NONE ? stop_reason_text(d->stopped) : d->why;
    return p;
}

/* ---- the pieces of the template ---- */

static void put_style(const picture *p, text *out) {
    (void)p;
    text_add(out, page_style);
}
static void put_script(const picture *p, text *out) {
    (void)p;
    text_add(out, page_script);
}
static void put_style_hash(const picture *p, text *out) {
    (void)p;
    text_add(out, page_style_hash);
}
static void put_script_hash(const picture *p, text *out) {
    (void)p;
    text_add(out, page_script_hash);
}
static void put_file(const picture *p, text *out) { escape_xml_string(out, p->file); }
static void put_class(const picture *p, text *out) { text_add(out, verdict_text(p->verdict)); }
static const char *asked(const picture *p) { return p->criterion ? p->criterion : "linearizable"; }

static void put_verdict(const picture *p, text *out) {
    if (p->label) {
        escape_xml_string(out, p->label);
        return;
    }
    escape_xml_string(out, p->verdict == VERDICT_LINEARIZABLE ? asked(p) : verdict_text(p->verdict));
}

/* A theory or a plug-in is named by its file: the folder says nothing here. */
static void put_object(const char *name, text *out) {
    const char *slash = strrchr(name, '/');
    escape_xml_string(out, slash ? slash + 1 : name);
}

static void put_headline(const picture *p, text *out) {
    if (p->headline) {
        escape_xml_string(out, p->headline);
        return;
    }
    if (p->verdict == VERDICT_LINEARIZABLE) text_add(out, "This is a ");
    else if (p->verdict == VERDICT_VIOLATION) text_add(out, "This is not a ");
    else text_add(out, "It is not known yet whether this is a ");
    escape_xml_string(out, asked(p));
    text_add(out, p->verdict == VERDICT_LINEARIZABLE ? " history of a " : " ");
    put_object(p->o->name, out);
    if (p->verdict == VERDICT_UNDECIDED && p->reason) {
        text_add(out, ": ");
        escape_xml_string(out, p->reason);
    }
}

static void put_history_facts(const picture *p, text *out) {
    assert(p->o && p->h->pending <= p->h->n);
    text_printf(out, "<li>%u operation%s</li><li>%u pending</li>", p->h->n, p->h->n == 1 ? "" : "s", p->h->pending);
    if (p->h->client) text_printf(out, "<li>%u client%s</li>", p->h->clients, p->h->clients == 1 ? "" : "s");
    if (p->core) text_printf(out, "<li>core of %u</li>", p->core->n);
    if (p->o->type->summary) {
        text_add(out, "<li>");
        put_object(p->o->type->name, out);
        text_add(out, ": ");
        escape_xml_string(out, p->o->type->summary);
        text_add(out, "</li>");
    }
    if (p->decided_by) {
        text_add(out, "<li>decided by ");
        escape_xml_string(out, p->decided_by);
        text_add(out, "</li>");
    }
}

static void put_facts(const picture *p, text *out) {
    if (p->h) put_history_facts(p, out);
    for (uint32_t k = 0; k < p->facts; k++) {
        text_add(out, "<li>");
        escape_xml_string(out, p->fact[k]);
        text_add(out, "</li>");
    }
}

static void put_whole(const picture *p, text *out) { text_add(out, p->h ? "" : " hidden"); }

static void put_evidence(const picture *p, text *out) {
    assert(!p->core || p->verdict == VERDICT_VIOLATION);
    if (p->core) html_violation(p, "What went wrong", out);
    if (p->relaxation) html_relaxation(p, out);
    if (p->verdict == VERDICT_LINEARIZABLE && p->witness) html_witness(p, out);
    if (p->steps) html_interleaving(p->steps, out);
}

static void put_data(const picture *p, text *out) {
    if (!p->h) return;
    text directory = {0}, packed = {0};
    column_sources from = {.h = p->h, .o = p->o, .cut = RANK_NEVER};
    if (p->verdict == VERDICT_LINEARIZABLE && p->witness && !p->witness->begins) {
        from.order = p->witness->op;
        from.ordered = p->witness->n;
    }
    if (p->core) {
        from.core = p->core->op;
        from.core_n = p->core->n;
        from.cut = p->core->cut;
    }
    html_columns(&from, &directory, &packed);
    text_add(out, "<script type=\"application/json\" id=\"directory\">");
    text_bytes(out, directory.at, directory.size);
    text_add(out, "</script>\n<script type=\"application/octet-stream\" id=\"columns\">");
    text_bytes(out, packed.at, packed.size);
    text_add(out, "</script>");
    text_free(&directory);
    text_free(&packed);
}

static const struct page_piece {
    const char *name;
    void (*put)(const picture *p, text *out);
} pieces[] = {{"STYLE-HASH", put_style_hash},
              {"SCRIPT-HASH", put_script_hash},
              {"STYLE", put_style},
              {"SCRIPT", put_script},
              {"FILE", put_file},
              {"VERDICT", put_verdict},
              {"CLASS", put_class},
              {"HEADLINE", put_headline},
              {"FACTS", put_facts},
              {"TRY", html_try},
              {"EVIDENCE", put_evidence},
              {"WHOLE", put_whole},
              {"DATA", put_data}};

/* The template is src/report/page/page.html; @NAME@ stands for a piece. */
void html_page(const picture *p, text *out) {
    for (const char *at = page_html; *at;) {
        const char *mark = strchr(at, '@');
        if (!mark) {
            text_add(out, at);
            return;
        }
        text_bytes(out, at, (size_t)(mark - at));
        const char *end = strchr(mark + 1, '@');
        const struct page_piece *found = NULL;
        for (size_t k = 0; end && k < sizeof pieces / sizeof *pieces; k++)
            if (strlen(pieces[k].name) == (size_t)(end - mark - 1) &&
                !memcmp(pieces[k].name, mark + 1, (size_t)(end - mark - 1)))
                found = &pieces[k];
        if (found) found->put(p, out);
        else text_char(out, '@');
        at = found ? end + 1 : mark + 1;
    }
}

bool html_write(const char *path, const picture *p, error *e) {
    output *out = output_open(path, e);
    if (!out) return false;
    html_page(p, output_text(out));
    return output_close(out);
}
