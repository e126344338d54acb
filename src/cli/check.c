/* plumb check: is this history linearizable? */
#include "base/mem.h"
#include "base/whole_file.h"
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/criterion_option.h"
#include "cli/initial_option.h"
#include "cli/inputs.h"
#include "cli/standard_output.h"
#include "cli/supervise.h"
#include "engine/saturate/saturation.h"
#include "report/write.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ROW(...) OPTION_ROW(check_settings, __VA_ARGS__)

static const option options[] = {
    ROW(object, OBJECT_OPTION, .letter = 'o', .standard = "what the file or its methods say",
        .more =
            "A name that `plumb objects` lists, with parameters where it has some (queue(capacity=8)), or a plug-in "
            "(./spec.so)."),
    ROW(init, INIT_OPTION),
    ROW(engine, "engine", TEXT, .letter = 'e', .argument = "E", .complete = "engines", .standard = "auto",
        .help = "decide with exactly this engine",
        .more = "With settings where it has some: counting(k=4). When it cannot decide the history, the answer is "
                "undecided and says why."),
    ROW(removal, REMOVAL_OPTION, .more = "The same as --engine 'saturate(removal=RULE)'."),
    ROW(criterion, CRITERION_OPTION,
        .more =
            "linearizable, quasi(K), quasi(ahead=D,overtaken=M), out-of-order(D,L); of objects whose operations take "
            "effect together, "
            "set-linearizable (set), interval-linearizable (interval); and, to compare small histories "
            "with the paper's readings, aligned(K), literal(K), all-events(K)."),
    ROW(quasi, "quasi", TEXT, .letter = 'k', .argument = "K", .help = "short for --criterion 'quasi(K)'",
        .more = "One number, or ahead=D,overtaken=M."),
    ROW(measure, "measure", FLAG, .help = "find the smallest K for which the history is quasi(K)",
        .more = "With the operations that force it, and how often elements were overtaken in the order that was found. "
                "Exit 0 when it was found, 1 when there is none, 2 when only bounds are known."),
    ROW(format, FORMAT_OPTION, .standard = "by the contents", .help = "the format of the input"),
    ROW(independent, INDEPENDENT_OPTION,
        .more = "Jepsen's independent keys cannot be told from plain vectors, so it has to be said."),
    ROW(on_fail, ON_FAIL_OPTION,
        .more = "cas=observe keeps a failed compare-and-set as one that returned false. May be given several times."),
    ROW(timeout, TIMEOUT_OPTION, .help = "seconds for each input (also 500ms, 2m, 1h); then undecided"),
    ROW(memory, MEMORY_OPTION,
        .more = "The resident memory of the process is meant. Of several inputs the one that needs most is given up "
                "first."),
    ROW(threads, "threads", COUNT, .letter = 'j', .argument = "N", .min = 1, .max = 1024,
        .standard = "the number of cores", .help = "threads for inputs and their independent parts"),
    ROW(json, "json", FLAG, .help = "print one JSON object for each input, one a line"),
    ROW(junit, "junit", TEXT, .argument = "FILE", .complete = "file", .help = "write a JUnit report to FILE as well"),
    ROW(sarif, "sarif", TEXT, .argument = "FILE", .complete = "file", .help = "write a SARIF report to FILE as well",
        .more = "For editors and code scanning: a violation stands at the line of the last operation of its core."),
    ROW(github, "github", FLAG, .help = "print annotations for GitHub's workflows as well"),
    ROW(certificate, "certificate", TEXT, .letter = 'c', .argument = "FILE", .complete = "file",
        .help = "write history and evidence to FILE, for `plumb certify`", .more = "For a single input."),
    ROW(proof, "proof", TEXT, .argument = "FILE", .complete = "file",
        .help = "with --engine symbolic: write a proof of a violation to FILE",
        .more = "The clauses in DIMACS form and a DRAT proof that they are unsatisfiable, for `plumb certify`. For a "
                "single input."),
    ROW(html, HTML_OPTION, .help = "write a page that shows the verdict and why to FILE",
        .more = "For a single input. See *plumb-view*(1)."),
    ROW(verbose, "verbose", FLAG, .letter = 'v',
        .help = "say which engines were passed over and why; explain every violation of several inputs"),
    ROW(quiet, QUIET_OPTION, .help = "results only: no talk on standard error"),
    ROW(evidence, "evidence", CHOICE, .argument = "HOW", .choices = EVIDENCE_WORDS, .standard = "full",
        .help = "how much may be spent on evidence",
        .more = "full: a core of a violation within 4 times what deciding took (2 seconds at least), and as much again "
                "to decide it a second time. quick: within what deciding took (0.05 seconds at least) for both; the "
                "core may be larger. none: no core, and the witness is not replayed: the verdict is the engine's "
                "word."),
    ROW(color, COLOR_OPTION,
        .more = "auto follows NO_COLOR, CLICOLOR_FORCE and CLICOLOR, in this order, then the terminal."),
    CLUSTER_ROWS(ROW),
    ROW(resume, "resume", TEXT, .argument = "NAME", .help = "with --cluster: go on with a run that was interrupted",
        .more = "Its name is said when it begins. Inputs and options have to be the same."),
    {0}};

/* ---- what the settings mean ---- */

static bool find_engine(const check_settings *c, job_settings *s, error *e) {
    if (c->engine && strcmp(c->engine, "auto") && !engine_parse(c->engine, &s->engine, s->setting, e)) return false;
    if (!c->removal) return true;
    int place = s->engine ? engine_setting_named(s->engine, "removal") : -1;
    if (place < 0) return error_set(e, EXIT_USAGE, "--removal is for --engine saturate");
    s->setting[place] = c->removal;
    return true;
}

static bool find_format(const char *name, const format **out, error *e) {
    return !name || !strcmp(name, "auto") || format_named(name, out, e);
}

static bool on_fail_word(const char *word, size_t n, text *observe, error *e) {
    const char *equals = memchr(word, '=', n);
    size_t what = equals ? n - (size_t)(equals - word) - 1 : 0;
    if (equals && equals > word && what == 4 && !memcmp(equals + 1, "drop", 4)) return true;
    if (equals && equals > word && what == 7 && !memcmp(equals + 1, "observe", 7)) {
        if (observe->size) text_char(observe, ' ');
        text_bytes(observe, word, (size_t)(equals - word));
        return true;
    }
    return error_set(e, EXIT_USAGE, "--on-fail %.*s: expected METHOD=observe or METHOD=drop", (int)n, word);
}

static bool on_fail(const text *given, text *observe, error *e) {
    for (const char *w = text_str(given); *w;) {
        size_t n = strcspn(w, " ,");
        if (!on_fail_word(w, n, observe, e)) return false;
        w += n + strspn(w + n, " ,");
    }
    return true;
}

/* A plug-in's code must run under supervision, so only the names of built-in objects are tried here. */
static bool object_known(const check_settings *c, const criterion *asked, error *e) {
    if (c->certificate && asked->kind == CRITERION_LOCAL)
        return error_set(e, EXIT_USAGE, "there are no certificates for criterion local");
    if (!c->object || strchr(c->object, '/') || strchr(c->object, '.')) return true;
    object *o = object_open(c->object, c->init, e);
    bool good = o && object_relax(o, asked, e);
    object_close(o);
    return good;
}

static unsigned terminal_columns(void) {
    struct winsize w;
    const char *columns = getenv("COLUMNS");
    unsigned n = columns ? (unsigned)atoi(columns) : 0;
    if (!n && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0) n = w.ws_col;
    if (!n) n = 80;
    return n < 40 ? 40 : n > 132 ? 132 : n;
}

/* Without a limit a hard history would take the machine down; so there always is one. */
static size_t standard_memory(void) {
    unsigned long long kilobytes = 0;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1) break;
    if (f) fclose(f);
    return (size_t)kilobytes * 1024 / 4 * 3;
}

bool check_understand(check_settings *c, job_settings *s, text *observe, error *e) {
    if (!initial_option(c->init, &c->initial, &c->init, e)) return false;
    if (!criterion_asked(c->criterion, c->quasi, c->measure, &s->criterion, e)) return false;
    s->measure = c->measure;
    if (!find_engine(c, s, e) || !find_format(c->format, &s->read.format, e)) return false;
    if (!on_fail(&c->on_fail, observe, e) || !object_known(c, &s->criterion, e)) return false;
    s->object = c->object;
    s->init = c->init;
    s->read.independent = c->independent;
    s->read.observe = observe->size ? observe->at : NULL;
    s->timeout = c->timeout;
    s->memory = c->memory ? c->memory : standard_memory();
    s->certificate = c->certificate;
    s->evidence = (evidence_wish)c->evidence;
    if (s->evidence == EVIDENCE_NONE && (c->certificate || c->proof || c->html || c->measure))
        return error_set(e, EXIT_USAGE,
                         "--evidence none leaves nothing to write into a certificate, a proof, a page "
                         "or a measurement");
    s->proof = c->proof;
    if (c->proof && (!s->engine || strcmp(s->engine->name, "symbolic")))
        return error_set(e, EXIT_USAGE, "--proof is for --engine symbolic");
    s->html = c->html;
    s->wishes = (report_wishes){.witness = c->json,
                                .digest = c->json || c->certificate || c->verbose,
                                .lines = c->sarif || c->github,
                                .columns = terminal_columns()};
    return true;
}

/* ---- reporting ---- */

static void say_page(const char *path, bool written, text *out) {
    text_add(out, written ? "the page is " : "no page was written to ");
    text_printable(out, path);
    text_char(out, '\n');
}

void check_report_one(void *context, uint32_t i, const report *r) {
    check_reporter *p = context;
    text out = {0}, talk = {0};
    (void)i;
    assert(r); /* every job ends with a report, its own or the supervisor's */
    p->code = exit_code_worse(p->code, report_exit_code(r));
    if (p->c->verbose && r->talk.size) text_bytes(&talk, r->talk.at, r->talk.size);
    if (p->c->wrote) *p->c->wrote = r->page;
    if (p->c->html && !p->c->quiet && !r->error.code) say_page(p->c->html, r->page, &talk);
    bool decided = !r->error.code && r->verdict != VERDICT_UNDECIDED;
    if (p->c->certificate && !decided && !p->c->quiet && !r->error.code)
        text_add(&talk, "no certificate was written: there is no verdict\n");
    if (p->c->certificate && r->digest && !p->c->quiet && decided)
        text_printf(&talk, "the certificate is of history %016llx\n", (unsigned long long)r->digest);
    else if (p->c->verbose && r->digest && !p->c->quiet)
        text_printf(&talk, "the history is %016llx\n", (unsigned long long)r->digest);
    if (r->error.code) text_printf(&talk, "%s%s%s\n", p->talk_colours->bad, r->error.what, p->talk_colours->off);
    if (p->c->json) {
        report_json(r, &out);
    } else if (!r->error.code || p->several) {
        text file = {0};
        text_printable(&file, r->file);
        bool names_file = r->error.code && !strncmp(r->error.what, text_str(&file), file.size);
        if (p->several && !names_file) text_printf(&out, "%s: ", text_str(&file));
        text_free(&file);
        if (names_file) text_printf(&out, "%s%s%s\n", p->colours->bad, r->error.what, p->colours->off);
        else if (p->c->brief || (p->several && !p->c->verbose)) report_line(r, p->colours, &out);
        else report_full(r, p->colours, p->c->verbose, &out);
        if (p->several && p->c->verbose) text_char(&out, '\n');
    }
    if (p->c->github) report_github(r, &out);
    if (!p->several || p->c->verbose || p->c->json) emit(STDERR_FILENO, text_str(&talk), talk.size);
    bool page_there = p->c->html && !strcmp(p->c->html, "-"); /* then nothing else goes to standard output */
    emit(page_there ? STDERR_FILENO : STDOUT_FILENO, text_str(&out), out.size);
    text_free(&out);
    text_free(&talk);
}

static const report **all_reports(const job *jobs, uint32_t n) {
    const report **r = MEM_ARRAY(const report *, n);
    for (uint32_t i = 0; i < n; i++) r[i] = job_report(&jobs[i]);
    return r;
}

typedef void write_reports(const report *const *r, uint32_t n, text *out);

static int write_file(const char *path, write_reports *form, const report *const *r, uint32_t n) {
    text out = {0};
    error e = {0};
    form(r, n, &out);
    bool good = whole_file_write(path, out.at, out.size, &e);
    text_free(&out);
    return good ? 0 : complain(&e);
}

void check_report_all(check_reporter *p, const report *const *r, uint32_t n) {
    if (p->several && !p->c->json) {
        text out = {0};
        report_summary(r, n, p->colours, &out);
        emit(STDOUT_FILENO, out.at, out.size);
        text_free(&out);
    }
    if (p->c->junit) p->code = exit_code_worse(p->code, write_file(p->c->junit, report_junit, r, n));
    if (p->c->sarif) p->code = exit_code_worse(p->code, write_file(p->c->sarif, report_sarif, r, n));
}

static void conclude(check_reporter *p, const job *jobs, uint32_t n) {
    const report **r = all_reports(jobs, n);
    check_report_all(p, r, n);
    free(r);
}

check_reporter check_reporter_make(const check_settings *c, const inputs *in) {
    return (check_reporter){.c = c,
                            .several = in->n > 1 || in->any_directory,
                            .colours = colours_choose((colour_wish)c->color, STDOUT_FILENO),
                            .talk_colours = colours_choose((colour_wish)c->color, STDERR_FILENO)};
}

static void say_gathered(const inputs *in) {
    text out = {0};
    text_bytes(&out, in->about.at, in->about.size);
    for (uint32_t i = 0; i < in->skipped_n; i++) {
        text_add(&out, "skipped ");
        text_printable(&out, in->skipped[i]);
        text_add(&out, ": no reader recognises it\n");
    }
    emit(STDERR_FILENO, text_str(&out), out.size);
    text_free(&out);
}

/* ---- running ---- */

static unsigned cores(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (unsigned)n;
}

static int check_inputs(const check_settings *c, job_settings *s, const inputs *in) {
    unsigned threads = c->threads ? (unsigned)c->threads : cores();
    unsigned workers = threads < in->n ? threads : in->n;
    assert(workers > 0);
    s->threads = threads / workers;
    job *jobs = MEM_ARRAY(job, in->n);
    for (uint32_t i = 0; i < in->n; i++) job_init(&jobs[i], in->path[i], in->independent[i]);
    check_reporter p = check_reporter_make(c, in);
    supervision run = {
        .jobs = jobs, .n = in->n, .settings = s, .workers = workers, .finished = check_report_one, .context = &p};
    run.progress = !c->quiet && isatty(STDERR_FILENO);
    run.say_understood = !c->quiet && (!p.several || c->verbose);
    supervised end = supervise(&run);
    conclude(&p, jobs, in->n);
    if (end.signal) p.code = 128 + end.signal;
    if (end.left_behind) { /* their threads still use what would be freed now */
        _exit(standard_output_end(p.code));
    }
    for (uint32_t i = 0; i < in->n; i++) job_free(&jobs[i]);
    free(jobs);
    return p.code;
}

static int check_operands(check_settings *c, job_settings *s, char **operand, unsigned operands) {
    inputs in;
    error e = {0};
    inputs_gather(&in, operand, operands);
    if (!c->quiet) say_gathered(&in);
    int code;
    if ((c->certificate || c->proof || c->html) && in.n > 1) {
        error_set(&e, EXIT_USAGE, "%s is for a single input, and there are %u",
                  c->certificate ? "--certificate"
                  : c->proof     ? "--proof"
                                 : "a page",
                  in.n);
        code = complain(&e);
    } else if (in.n == 0) {
        error_set(&e, EXIT_BAD_INPUT, "%s: no file in it is a history that a reader recognises", operand[0]);
        code = complain(&e);
    } else if (c->cluster.url) {
        code = check_on_cluster(c, s, &in);
    } else {
        code = check_inputs(c, s, &in);
    }
    inputs_free(&in);
    return code;
}

int check_files(check_settings *c, char **operand, unsigned operands) {
    job_settings s = {0};
    error e = {0};
    text observe = {0};
    supervise_signals();
    int code = check_understand(c, &s, &observe, &e) ? check_operands(c, &s, operand, operands) : complain(&e);
    text_free(&observe);
    text_free(&c->on_fail);
    text_free(&c->initial);
    return code;
}

static int run_check(void *settings, char **operand, unsigned operands) {
    return check_files(settings, operand, operands);
}

COMMAND(
    check, "[OPTION]... FILE...", "tell whether recorded histories are linearizable, and why not", options,
    check_settings,
    .about =
        "FILE may be a file, a directory (a run of Jepsen, or every file that a reader recognises), or - for standard\n"
        "input; gzip and zstd are taken off. Exit: 0 linearizable, 1 violation, 2 undecided, 64 usage, 65 bad input,\n"
        "66 cannot open, 70 internal error, 130 interrupted; of several inputs, the worst counts.",
    .min_operands = 1, .max_operands = UINT32_MAX);
