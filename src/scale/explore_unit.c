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

/* A process of its own for each unit: what one learns of a program (which memory its threads share) changes how many
 * executions the next one takes, and that must not depend on which units a worker had before. */
bool explore_unit_work(const unit *u, const char *folder, text *out, error *e) {
    char path[400];
    explore_question q;
    run_answer a = {0};
    session *s = NULL;
    find_library();
    bool good = unpack(u->body, &q, e) && (u->blobs || error_set(e, EXIT_BAD_INPUT, "the unit has no program"));
    if (good) snprintf(path, sizeof path, "%.300s/%s", folder, u->blob[0]);
    good = good && (s = session_open(path, q.argv, e)) && session_run(s, &q.r, NULL, NULL, &a, e);
    if (good) run_answer_send(&a, out);
    session_close(s);
    run_answer_free(&a);
    question_free(&q);
    return good;
}
