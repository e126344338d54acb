/* What the page calls: a history that it has put into the file system of its memory is judged as `plumb check` does. */
#include "cli/job.h"
#include "object/criterion.h"
#include "report/html_parts.h"
#include "report/write.h"

#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

/* Pages that are shown inside this one need no link to it. */
void html_try(const picture *p, text *out) { (void)p, (void)out; }

static text said[3]; /* as the terminal has it, as --json has it, what was understood */

static const char *given(const char *word) { return word && *word ? word : NULL; }

static const format *format_named(const char *name, error *e) {
    const format *f = given(name) ? format_find(name) : NULL;
    if (given(name) && !f) error_set(e, EXIT_USAGE, "format '%s'; expected one that `plumb formats` lists", name);
    return f;
}

static void say(const report *r, const char *understood) {
    const colours *plain = colours_choose(COLOUR_NEVER, 1);
    for (unsigned i = 0; i < 3; i++) text_clear(&said[i]);
    if (r->error.code) text_add(&said[0], r->error.what);
    else report_full(r, plain, false, &said[0]);
    report_json(r, &said[1]);
    text_add(&said[2], understood ? understood : "");
}

static int refuse(const char *path, const error *e) {
    report *r = report_new(path);
    r->error = *e;
    say(r, NULL);
    int code = report_exit_code(r);
    report_free(r);
    return code;
}

/* The exit code of `plumb check --object O --criterion C --init V --format F --timeout T PATH`; words may be empty.
 * `page`: where to write the page; empty: nowhere. */
EMSCRIPTEN_KEEPALIVE
int web_judge(const char *path, const char *object, const char *criterion_word, const char *init,
              const char *format_word, double seconds, const char *page) {
    error e = {0};
    job_settings s = {.object = given(object), .init = given(init), .threads = 1, .html = given(page)};
    s.wishes = (report_wishes){.witness = true, .columns = 100};
    s.read.format = format_named(format_word, &e);
    if (e.code || (given(criterion_word) && !criterion_parse(criterion_word, &s.criterion, &e)))
        return refuse(path, &e);
    job j;
    job_init(&j, path, false);
    budget_init(&j.budget, seconds, 0);
    j.started = clock_seconds();
    report *r = j.report = job_work(&j, &s);
    atomic_store(&j.phase, JOB_DONE);
    r->seconds = clock_seconds() - j.started;
    say(r, atomic_load(&j.understood));
    int code = report_exit_code(r);
    job_free(&j);
    return code;
}

/* Of the last one: 0, as the terminal shows it; 1, as --json has it; 2, what was understood. */
EMSCRIPTEN_KEEPALIVE
const char *web_text(int which) { return text_str(&said[which]); }

/* The names of the objects, a line each. */
EMSCRIPTEN_KEEPALIVE
const char *web_objects(void) {
    static text names;
    const object_type *t;
    text_clear(&names);
    for (unsigned i = 0; (t = object_type_at(i)); i++) text_printf(&names, "%s\n", t->name);
    return text_str(&names);
}
