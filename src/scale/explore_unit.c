/* On a worker: a question to a program under test. */
#include "base/mem.h"
#include "explore/compile/places.h"
#include "explore/outside/answer.h"
#include "scale/explore_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MOST = 256 };

typedef struct explore_question {
    char *line;
    char *argv[ARGUMENTS_MOST + 1];
    talk_line fields;
    run_request r;
} explore_question;

static void question_free(explore_question *q) {
    free(q->line);
    for (char **a = q->argv; *a; a++) free(*a);
}

static bool unpack(wire_reader r, explore_question *q, error *e) {
    *q = (explore_question){.r = run_request_standard};
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

/* The program of the last unit, loaded: the next one is most often of the same. */
typedef struct loaded_program {
    char path[400];
    explore_question q; /* whose argv it was started with */
    session *s;         /* NULL: none is */
} loaded_program;

static loaded_program loaded;

static bool same_words(char *const *a, char *const *b) {
    for (; *a && *b && !strcmp(*a, *b); a++, b++) {}
    return !*a && !*b;
}

static void unload(void) {
    session_close(loaded.s);
    question_free(&loaded.q);
    loaded = (loaded_program){0};
}

/* Takes the question. */
static bool load(const char *path, explore_question *q, error *e) {
    unload();
    snprintf(loaded.path, sizeof loaded.path, "%s", path);
    loaded.q = *q;
    *q = (explore_question){0};
    return (loaded.s = session_open_apart(path, loaded.q.argv, e)) != NULL;
}

/* A process of its own for each unit: what one learns of a program (which memory its threads share) changes how many
 * executions the next one takes, and that must not depend on which units a worker had before. It is a copy of one
 * that has loaded the program. */
bool explore_unit_work(const unit *u, const char *folder, text *out, error *e) {
    char path[400];
    explore_question q;
    run_answer a = {0};
    find_library();
    bool good = unpack(u->body, &q, e) && (u->blobs || error_set(e, EXIT_BAD_INPUT, "the unit has no program"));
    if (good) snprintf(path, sizeof path, "%.300s/%s", folder, u->blob[0]);
    const run_request r = q.r; /* whose words are those of q.line, which is kept if q is */
    if (good && (!loaded.s || strcmp(path, loaded.path) || !same_words(q.argv, loaded.q.argv)))
        good = load(path, &q, e);
    good = good && session_run(loaded.s, &r, NULL, NULL, &a, e);
    if (good) run_answer_send(&a, out);
    if (!good || a.died) unload();
    run_answer_free(&a);
    question_free(&q);
    return good;
}
