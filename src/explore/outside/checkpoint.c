#include "explore/outside/checkpoint.h"

#include "base/digest.h"
#include "base/mem.h"
#include "base/user_state.h"
#include "base/whole_file.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKPOINT_FIRST_LINE "plumb-checkpoint/2" /* 1 had no seal */

struct checkpoint {
    char *path;
    uint64_t of; /* the program and the options */
    kept_program *program;
    unsigned programs;
    uint64_t executions_before;
};

/* ---- of what ---- */

static bool digest_file(const char *path, uint64_t *digest, error *e) {
    unsigned char block[65536];
    FILE *f = fopen(path, "rb");
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", path, strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) *digest = digest_bytes(*digest, block, n);
    fclose(f);
    return true;
}

/* Time, processes and seeds may be others next time. */
static uint64_t digest_options(uint64_t digest, const run_request *how, char *const *argv) {
    run_request same = *how;
    text words = {0};
    same.seconds = 0;
    same.jobs = same.seed = same.executions = 0;
    same.work = NULL;
    run_request_send(&same, &words);
    digest = digest_bytes(digest, words.at, words.size);
    for (char *const *a = argv + 1; argv[0] && *a; a++) digest = digest_bytes(digest, *a, strlen(*a));
    text_free(&words);
    return digest;
}

/* ---- programs ---- */

static bool same_threads(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

kept_program *checkpoint_program(checkpoint *c, const char *threads) {
    for (unsigned i = 0; i < c->programs; i++)
        if (same_threads(c->program[i].threads, threads)) return &c->program[i];
    c->program = MEM_GROW(c->program, kept_program, c->programs + 1);
    kept_program *p = &c->program[c->programs++];
    *p = (kept_program){.threads = threads ? mem_string(threads) : NULL, .so_far = {.preemptions = -1}};
    return p;
}

static void keep_notes(kept_program *p, const char *notes) {
    if (!notes || (p->notes && !strcmp(p->notes, notes))) return;
    free(p->notes);
    p->notes = mem_string(notes);
}

void checkpoint_turn(checkpoint *c, const char *threads, run_answer *a) {
    kept_program *p = checkpoint_program(c, threads);
    const campaign_result *r = &a->result;
    assert(!p->done && r->failure == FAILURE_NONE);
    const uint64_t executions = p->so_far.executions + r->executions, steps = p->so_far.steps + r->steps;
    p->counted = true;
    p->turns++;
    p->done = !r->stopped && !a->died;
    p->so_far = (campaign_result){.complete = r->complete,
                                  .preemptions = r->preemptions,
                                  .executions = executions,
                                  .steps = steps,
                                  .histories = p->done ? r->histories : 0, /* which ones they are is not kept */
                                  .stopped = r->stopped,
                                  .limits = r->limits};
    free(p->work);
    p->work = a->work;
    a->work = NULL;
    keep_notes(p, a->notes);
}

/* ---- the file ---- */

/* What a checkpoint says was explored is believed: so only what this user wrote is taken up (docs/SECURITY.md). 0:
 * there is no place for a key. */
static uint64_t seal_lines(const text *lines) {
    seal_key key;
    return user_seal_key(&key) ? seal_of(&key, text_str(lines), lines->size) : 0;
}

static void program_write(const kept_program *p, text *out) {
    talk_begin(out, "program");
    talk_int(out, p->threads != NULL);
    talk_text(out, p->threads ? p->threads : "");
    talk_end(out);
    talk_begin(out, "result");
    talk_int(out, p->done);
    talk_int(out, p->so_far.complete);
    talk_int(out, p->so_far.preemptions);
    talk_int(out, (int64_t)p->so_far.executions);
    talk_int(out, (int64_t)p->so_far.steps);
    talk_int(out, (int64_t)p->so_far.histories);
    talk_int(out, p->turns);
    talk_end(out);
    talk_begin(out, "limits");
    coverage_send(&p->so_far.limits, out);
    talk_end(out);
    if (p->notes) {
        talk_begin(out, "notes");
        talk_text(out, p->notes);
        talk_end(out);
    }
    if (p->work) {
        talk_begin(out, "work");
        talk_text(out, p->work);
        talk_end(out);
    }
}

bool checkpoint_write(checkpoint *c, error *e) {
    text all = {0};
    text_printf(&all, CHECKPOINT_FIRST_LINE "\nof\t%" PRIx64 "\n", c->of);
    for (unsigned i = 0; i < c->programs; i++)
        if (c->program[i].turns) program_write(&c->program[i], &all);
    text_printf(&all, "end\t%" PRIx64 "\n", seal_lines(&all));
    bool good = whole_file_write(c->path, all.at, all.size, e);
    text_free(&all);
    return good;
}

static bool result_take(kept_program *p, const talk_line *l) {
    p->done = talk_get_int(l, 1);
    p->so_far.complete = talk_get_int(l, 2);
    p->so_far.preemptions = (int)talk_get_int(l, 3);
    p->so_far.executions = (uint64_t)talk_get_int(l, 4);
    p->so_far.steps = (uint64_t)talk_get_int(l, 5);
    p->so_far.histories = (uint64_t)talk_get_int(l, 6);
    p->turns = (unsigned)talk_get_int(l, 7);
    p->so_far.stopped = !p->done;
    return l->n == 8 && talk_get_int(l, 3) >= -1 && talk_get_int(l, 4) >= 0 && (p->done || !p->so_far.complete);
}

/* What the line says; false: no line of such a file. `now`: the program it is about. */
static bool line_take(checkpoint *c, kept_program **now, const talk_line *l) {
    const char *tag = l->field[0];
    if (!strcmp(tag, "program")) {
        *now = checkpoint_program(c, talk_get_int(l, 1) ? talk_get(l, 2) : NULL);
        return l->n == 3 && !(*now)->turns;
    }
    if (!*now) return false;
    if (!strcmp(tag, "result")) return result_take(*now, l);
    if (!strcmp(tag, "limits")) {
        coverage_take(&(*now)->so_far.limits, l);
        return l->n == coverage_limits_n + 1;
    }
    char **field = !strcmp(tag, "notes") ? &(*now)->notes : !strcmp(tag, "work") ? &(*now)->work : NULL;
    if (!field || *field || l->n != 2) return false;
    *field = mem_string(talk_get(l, 1));
    return true;
}

static bool not_one(const checkpoint *c, unsigned number, const char *expected, error *e) {
    return error_set(e, EXIT_BAD_INPUT, "%s:%u: expected %s", c->path, number, expected);
}

static bool take_end(const checkpoint *c, const text *lines, const talk_line *l, error *e) {
    const uint64_t own = seal_lines(lines);
    return (own && own == talk_get_hex(l, 1)) ||
           error_set(e, EXIT_BAD_INPUT,
                     "%s: the checkpoint was not written by you, or there is no place for a key "
                     "($XDG_STATE_HOME/plumb); what it says was explored would be believed: remove it, or name another "
                     "file",
                     c->path);
}

static bool take_lines(checkpoint *c, FILE *f, error *e) {
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool good = true, ended = false;
    kept_program *now = NULL;
    text before = {0}; /* the lines so far */
    for (ssize_t n; good && (n = getline(&line, &room, f)) >= 0;) {
        talk_line l;
        text_bytes(&before, line, (size_t)n);
        bool whole = n && line[n - 1] == '\n' && strlen(line) == (size_t)n;
        line[strcspn(line, "\n")] = 0;
        number++;
        if (number == 1) {
            good = (whole && !strcmp(line, CHECKPOINT_FIRST_LINE)) ||
                   not_one(c, number, "a checkpoint of plumb explore (" CHECKPOINT_FIRST_LINE ")", e);
            continue;
        }
        good = (whole && talk_split(line, &l)) || not_one(c, number, "a line of a checkpoint", e);
        if (!good) break;
        if (ended) good = not_one(c, number, "nothing behind its end", e);
        else if (number > 2 && !strcmp(l.field[0], "end")) {
            before.size -= (size_t)n;
            good = ended = take_end(c, &before, &l, e);
        } else if (number > 2) good = line_take(c, &now, &l) || not_one(c, number, "a line of a checkpoint", e);
        else if (strcmp(l.field[0], "of") || talk_get_hex(&l, 1) != c->of)
            good = error_set(e, EXIT_BAD_INPUT,
                             "%s: is the checkpoint of another program or of other options; remove it, or name another "
                             "file",
                             c->path);
    }
    if (good && !ended) good = not_one(c, number + 1, "more: the file is not whole", e);
    free(line);
    text_free(&before);
    return good;
}

static bool take_file(checkpoint *c, error *e) {
    FILE *f = fopen(c->path, "r");
    if (!f && errno == ENOENT) return true;
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", c->path, strerror(errno));
    bool good = take_lines(c, f, e);
    fclose(f);
    for (unsigned i = 0; i < c->programs; i++) c->executions_before += c->program[i].so_far.executions;
    return good;
}

checkpoint *checkpoint_open(const char *path, const char *binary, char *const *argv, const run_request *how, error *e) {
    checkpoint *c = MEM_NEW(checkpoint);
    c->path = mem_string(path);
    c->of = digest_options(DIGEST_START, how, argv);
    if (digest_file(binary, &c->of, e) && take_file(c, e)) return c;
    checkpoint_close(c);
    return NULL;
}

void checkpoint_close(checkpoint *c) {
    if (!c) return;
    for (unsigned i = 0; i < c->programs; i++) {
        kept_program *p = &c->program[i];
        FREE_ALL(p->threads, p->work, p->notes);
    }
    FREE_ALL(c->program, c->path, c);
}

uint64_t checkpoint_executions(const checkpoint *c) { return c->executions_before; }
const char *checkpoint_path(const checkpoint *c) { return c->path; }
