/* On a worker: a question to a program under test. The program of the last unit stays, for the next one of its kind. */
#include "base/mem.h"
#include "explore/compile/places.h"
#include "explore/outside/answer.h"
#include "scale/explore_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MOST = 256 };

typedef struct question {
    char *line;
    char *argv[ARGUMENTS_MOST + 1];
    talk_line fields;
    run_request r;
} question;

static void question_free(question *q) {
    free(q->line);
    for (char **a = q->argv; *a; a++) free(*a);
}

static bool unpack(wire_reader r, question *q, error *e) {
    *q = (question){.r = run_request_standard};
    q->line = unpack_string(&r);
    const uint64_t n = wire_number(&r, 4);
    for (uint64_t i = 0; i < n && n <= ARGUMENTS_MOST && !r.bad; i++)
        if (!(q->argv[i] = unpack_string(&r))) break;
    if (!wire_is_done(&r) || !q->line || !q->argv[0]) return error_set(e, EXIT_BAD_INPUT, "the unit is not whole");
    if (!talk_split(q->line, &q->fields)) return error_set(e, EXIT_BAD_INPUT, "the unit has too many fields");
    return run_request_take(&q->r, &q->fields, e);
}

/* The library of here, whatever place the program was linked for. */
static void find_library(void) {
    text path = {0};
    error ignored = {0};
    if (place_of_runtime(&path, &ignored)) {
        char *slash = strrchr(path.at, '/');
        if (slash) *slash = '\0';
        setenv("LD_LIBRARY_PATH", path.at, 1);
    }
    text_free(&path);
}

typedef struct kept_session {
    session *s;
    char binary[SHA256_HEX];
    question first; /* owns the words of argv */
} kept_session;

static bool same_arguments(char *const *a, char *const *b) {
    while (*a && *b && !strcmp(*a, *b)) a++, b++;
    return !*a && !*b;
}

/* Takes the question's words over where it opens a session. */
static bool use_session(kept_session *k, const unit *u, const char *folder, const question *q, error *e) {
    char path[400];
    if (k->s && !strcmp(k->binary, u->blob[0]) && same_arguments(k->first.argv, q->argv)) return true;
    if (k->s) {
        session_close(k->s);
        question_free(&k->first);
    }
    *k = (kept_session){0};
    error ignored = {0};
    unpack(u->body, &k->first, &ignored);
    snprintf(path, sizeof path, "%.300s/%s", folder, u->blob[0]);
    memcpy(k->binary, u->blob[0], sizeof k->binary);
    k->s = session_open(path, k->first.argv, e);
    if (!k->s) question_free(&k->first);
    return k->s != NULL;
}

bool explore_unit_work(const unit *u, const char *folder, text *out, error *e) {
    static kept_session kept;
    question q;
    run_answer a = {0};
    if (!kept.s) find_library();
    bool good = unpack(u->body, &q, e) && (u->blobs || error_set(e, EXIT_BAD_INPUT, "the unit has no program"));
    good = good && use_session(&kept, u, folder, &q, e) && session_run(kept.s, &q.r, NULL, NULL, &a, e);
    if (good) run_answer_send(&a, out);
    run_answer_free(&a);
    question_free(&q);
    return good;
}
