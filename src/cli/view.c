/* plumb view: a page that shows a history, its verdict, and why. */
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/initial_option.h"
#include "cli/view.h"
#include "evidence/certificate.h"
#include "report/html.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

typedef struct view_settings {
    const char *object, *init, *format, *output;
    bool independent, open, quiet;
    text on_fail;
    double timeout;
    uint64_t memory;
} view_settings;

#define ROW(...) OPTION_ROW(view_settings, __VA_ARGS__)

static const option options[] = {
    ROW(output, OUTPUT_OPTION, .letter = 'o',
        .standard = "the input's name with .html behind it, in the current directory",
        .help = "where to write the page; - is standard output"),
    ROW(open, "open", FLAG, .help = "show the page in the browser",
        .more = "$BROWSER is started, or xdg-open where that is not set."),
    ROW(object, OBJECT_OPTION, .standard = "what the file or its methods say"),
    ROW(init, INIT_OPTION),
    ROW(format, FORMAT_OPTION, .standard = "by the contents", .help = "the format of the input"),
    ROW(independent, INDEPENDENT_OPTION),
    ROW(on_fail, ON_FAIL_OPTION),
    ROW(timeout, TIMEOUT_OPTION, .help = "seconds for the verdict (also 500ms, 2m, 1h); then undecided"),
    ROW(memory, MEMORY_OPTION),
    ROW(quiet, QUIET_OPTION, .help = "no talk on standard error"),
    {0}};

/* ---- certificates ---- */

/* What can be read only once is left alone, and taken for a history. */
static bool is_certificate(const char *path) {
    static const char beginning[] = "{\"plumb\":\"certificate/";
    error unread = {0};
    const char *p;
    struct stat kind;
    input *in = !stat(path, &kind) && S_ISREG(kind.st_mode) ? input_open(path, &unread) : NULL;
    if (!in) return false;
    bool is =
        input_peek(in, &p, sizeof beginning - 1) == sizeof beginning - 1 && !memcmp(p, beginning, sizeof beginning - 1);
    input_close(in);
    return is;
}

/* What the certificate claims is shown only when the independent checker agrees. */
static picture picture_of_certificate(const char *path, certificate *c, int checked) {
    picture p = {.file = path,
                 .h = c->h,
                 .o = c->o,
                 .verdict = c->verdict,
                 .decided_by = "the certificate's evidence, checked again"};
    if (checked == EXIT_UNDECIDED) {
        p.verdict = VERDICT_UNDECIDED;
        p.reason = c->h->n ? "the certificate says violation, but its core is too large to be decided again"
                           : "nothing was judged (the history has no operations)";
        return p;
    }
    c->core.checked_by = "oracle";
    if (c->verdict == VERDICT_LINEARIZABLE) p.witness = &c->witness;
    else p.core = &c->core;
    return p;
}

int view_certificate(const char *path, const char *named, const char *trusted, const char *page, error *e) {
    text said = {0};
    certificate c;
    input *in = input_open(path, e);
    if (!in) return complain(e);
    int code = certificate_read(in, trusted, &c, e) ? certificate_check(&c, &said) : complain(e);
    if (!e->code && code != EXIT_VIOLATION) { /* not refused */
        picture p = picture_of_certificate(named, &c, code);
        code = code == EXIT_UNDECIDED ? code : c.verdict == VERDICT_VIOLATION ? EXIT_VIOLATION : EXIT_LINEARIZABLE;
        if (!html_write(page, &p, e)) code = complain(e);
    } else if (!e->code) {
        error_set(e, EXIT_BAD_INPUT, "%s: %s", path, text_str(&said)); /* a refused certificate has nothing to show */
        code = complain(e);
    }
    if (!e->code) fputs(text_str(&said), stderr);
    text_free(&said);
    certificate_free(&c);
    input_close(in);
    return code;
}

/* ---- the page ---- */

static void standard_output(const char *path, text *out) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    text_printf(out, "%s.html", strcmp(path, "-") ? name : "history");
}

static int show(const char *page) {
    extern char **environ;
    const char *browser = getenv("BROWSER");
    if (!browser || !*browser) browser = "xdg-open";
    char *argument[] = {(char *)browser, (char *)page, NULL};
    pid_t child;
    int status = 0, failed = posix_spawnp(&child, browser, NULL, NULL, argument, environ);
    if (!failed && !strcmp(browser, "xdg-open")) waitpid(child, &status, 0); /* it leaves at once; a browser may stay */
    if (!failed && !status) return 0;
    fprintf(stderr, "plumb: cannot start %s; open %s yourself\n", browser, page);
    return EXIT_CANNOT_OPEN;
}

static void say_page(const char *page) {
    text name = {0};
    text_printable(&name, page);
    fprintf(stderr, "the page is %s\n", text_str(&name));
    text_free(&name);
}

static int write_page(view_settings *v, const char *path, const char *page, bool *wrote, error *e) {
    if (is_certificate(path)) {
        int code = view_certificate(path, path, v->object, page, e);
        *wrote = !e->code;
        if (*wrote && !v->quiet) say_page(page);
        return code;
    }
    check_settings c = {.object = v->object,
                        .init = v->init,
                        .format = v->format,
                        .independent = v->independent,
                        .on_fail = v->on_fail,
                        .timeout = v->timeout,
                        .memory = v->memory,
                        .quiet = v->quiet,
                        .html = page,
                        .brief = true,
                        .wrote = wrote};
    return check_files(&c, (char *[]){(char *)path}, 1);
}

static int run_view(void *settings, char **operand, unsigned operands) {
    view_settings *v = settings;
    error e = {0};
    text page = {0};
    (void)operands;
    if (v->output) text_add(&page, v->output);
    else standard_output(operand[0], &page);
    bool wrote = false;
    int code = write_page(v, operand[0], text_str(&page), &wrote, &e);
    if (wrote && v->open) {
        int shown = show(text_str(&page));
        if (shown) code = shown;
    }
    text_free(&page);
    return code;
}

COMMAND(view, "[OPTION]... FILE", "write a page that shows a history, its verdict, and why", options, view_settings,
        .about = "FILE is a history or a certificate. The page is one HTML file that needs nothing else.\n"
                 "Exit: as of plumb check: 0 linearizable, 1 violation, 2 undecided, 65 bad input, 66 cannot open.",
        .min_operands = 1, .max_operands = 1);
