#include "explore/outside/session.h"

#include "base/mem.h"
#include "explore/compile/places.h"
#include "explore/outside/answer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that computes ends by itself (inside/failures.c, the watchdog); on a busy machine that takes a while. */
enum { GRACE_MILLISECONDS = 30000, TICK_MILLISECONDS = 200 };

struct session {
    char *binary;
    char *const *argv;
    _Atomic pid_t pid; /* 0: not running */
    int to;
    talk_reader from;
    bool apart;    /* each run is in a copy of the process */
    bool has_many; /* the process has the library for many threads */
    bool internal; /* the process ended because the runtime found itself wrong */
};

/* ---- the library for many threads ---- */

/* Its path, once a program had more threads than the other can tell apart; all sessions of a process are of one
 * program. */
static _Atomic(char *) many_threads;

const char *session_preloads(void) { return many_threads; }

static void take_many_threads(void) {
    text path = {0};
    error e = {0};
    char *none = NULL, *mine = place_of_runtime_many(&path, &e) ? mem_string(text_str(&path)) : NULL;
    if (mine && !atomic_compare_exchange_strong(&many_threads, &none, mine)) free(mine);
    text_free(&path);
}

/* ---- the child ---- */

/* In the child: only what is safe between fork and exec. Its standard output is not ours: a million executions would
 * write. */
static void become_program(const session *s, int in, int out) {
    char words[64];
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    snprintf(words, sizeof words, "in=%d out=%d%s", in, out, s->apart ? " apart" : "");
    setenv("PLUMB_EXPLORE", words, 1);
    if (many_threads) setenv("LD_PRELOAD", many_threads, 1);
    /* what was learned of the memory of shared libraries holds in the next process as well */
    personality(ADDR_NO_RANDOMIZE);
    execv(s->binary, s->argv);
    _exit(127);
}

static bool child_start(session *s, error *e) {
    int down[2], up[2];
    assert(!s->pid);
    if (pipe(down) || pipe(up)) return error_set(e, EXIT_INTERNAL, "cannot make a pipe: %s", strerror(errno));
    fcntl(down[1], F_SETFD, FD_CLOEXEC);
    fcntl(up[0], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) return error_set(e, EXIT_INTERNAL, "cannot start a process: %s", strerror(errno));
    if (pid == 0) become_program(s, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    assert(pid > 0 && down[1] >= 0 && up[0] >= 0);
    s->has_many = many_threads;
    s->pid = pid;
    s->to = down[1];
    talk_reader_init(&s->from, up[0]);
    return true;
}

/* Ends it, and says how it ended when it did so by itself. */
static void child_end(session *s, text *how) {
    int status = 0;
    if (!s->pid) return;
    close(s->to);
    pid_t gone = 0;
    for (int i = 0; i < 50 && !(gone = waitpid(s->pid, &status, WNOHANG)); i++) usleep(2000);
    if (!gone) {
        kill(s->pid, SIGKILL);
        waitpid(s->pid, &status, 0);
        if (how) text_add(how, "did not answer");
    } else if (how) {
        if (WIFSIGNALED(status))
            text_printf(how, "died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
        else text_printf(how, "ended with exit code %d", WEXITSTATUS(status));
        s->internal = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INTERNAL;
    }
    close(s->from.fd);
    talk_reader_free(&s->from);
    s->pid = 0;
}

/* Did it end for want of threads in the library that it has? Then it gets the other. */
static bool needs_many_threads(session *s, failure_kind failure, const char *message) {
    char few[64], buffered[64]; /* every second number is that of a store buffer */
    snprintf(few, sizeof few, TOO_MANY_THREADS, THREADS_MAX);
    snprintf(buffered, sizeof buffered, TOO_MANY_THREADS, THREADS_MAX / 2);
    const bool wants_more = !strcmp(message, few) || !strcmp(message, buffered);
    if (failure != FAILURE_UNMODELLED || !wants_more || s->has_many) return false;
    take_many_threads();
    if (!many_threads) return false;
    child_end(s, NULL);
    return true;
}

static session *open_session(const char *binary, char *const *argv, bool apart, error *e) {
    session *s = MEM_NEW(session);
    s->binary = mem_string(binary);
    s->argv = argv;
    s->apart = apart;
    signal(SIGPIPE, SIG_IGN);
    if (child_start(s, e)) return s;
    session_close(s);
    return NULL;
}

session *session_open(const char *binary, char *const *argv, error *e) { return open_session(binary, argv, false, e); }
session *session_open_apart(const char *binary, char *const *argv, error *e) {
    return open_session(binary, argv, true, e);
}

void session_close(session *s) {
    if (!s) return;
    child_end(s, NULL);
    assert(!s->pid);
    free(s->binary);
    free(s);
}

void session_interrupt(session *s) {
    pid_t pid = s->pid;
    if (pid) kill(pid, SIGINT);
}

static bool ask(session *s, text *question, error *e) {
    assert(question->size && !memchr(question->at, '\n', question->size)); /* one line */
    if (!s->pid && !child_start(s, e)) return false;
    assert(s->pid > 0);
    talk_end(question);
    size_t done = 0;
    while (done < question->size) {
        ssize_t n = write(s->to, question->at + done, question->size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break; /* the answer, or its absence, will tell */
        done += (size_t)n;
    }
    text_free(question);
    return true;
}

/* ---- what it declares ---- */

static bool broken(session *s, const char *during, error *e) {
    text how = {0};
    child_end(s, &how);
    assert(!s->pid && how.size);
    error_set(e, EXIT_INTERNAL, "%s: the program %s while it was asked to %s", s->binary, text_str(&how), during);
    text_free(&how);
    return false;
}

static void take_item(declarations *d, const talk_line *l, error *e) {
    if (talk_get_int(l, 3) < 0 || talk_get_int(l, 3) > OPERATION_ARGS) {
        error_set(e, EXIT_BAD_INPUT, "%s: takes too many arguments; expected at most %d", talk_get(l, 2),
                  OPERATION_ARGS);
        return;
    }
    d->item = MEM_GROW(d->item, declared_item, d->items + 1);
    d->item[d->items++] = (declared_item){.kind = (unsigned)talk_get_int(l, 1),
                                          .words = mem_string(talk_get(l, 2)),
                                          .nargs = (unsigned)talk_get_int(l, 3),
                                          .file = mem_string(talk_get(l, 4)),
                                          .line = (unsigned)talk_get_int(l, 5)};
}

bool session_declarations(session *s, declarations *out, error *e) {
    text question = {0};
    talk_line l;
    *out = (declarations){0};
    talk_begin(&question, "items");
    if (!ask(s, &question, e)) return false;
    for (;;) {
        if (talk_next(&s->from, 10000, &l) != TALK_LINE) return broken(s, "say what it declares", e);
        if (!strcmp(l.field[0], "end")) return e->code == 0;
        if (!strcmp(l.field[0], "error")) answer_error_take(&l, e);
        if (!strcmp(l.field[0], "main")) out->has_main = talk_get_int(&l, 1);
        if (!strcmp(l.field[0], "item")) take_item(out, &l, e);
    }
}

void declarations_free(declarations *d) {
    for (unsigned i = 0; i < d->items; i++) {
        free(d->item[i].words);
        free(d->item[i].file);
    }
    free(d->item);
    *d = (declarations){0};
}

/* ---- a campaign ---- */

static void add_request(text *t, const run_request *r) {
    run_request sent = *r;
    assert(!r->histories || r->history); /* an answer that the caller does not take */
    sent.histories = r->history != NULL;
    run_request_send(&sent, t);
}

static void child_died(session *s, run_answer *a) {
    text how = {0};
    child_end(s, &how);
    assert(!s->pid && !a->died);
    a->died = true;
    a->result.stopped = true;
    snprintf(a->result.message, sizeof a->result.message, "the program %s", text_str(&how));
    text_free(&how);
}

static bool run_once(session *s, const run_request *r, run_progress *progress, void *context, run_answer *out,
                     error *e) {
    text question = {0};
    talk_line l;
    double waited = 0, patience = r->seconds > 0 ? r->seconds * 1000 + GRACE_MILLISECONDS : 0;
    assert(r->seconds >= 0 && !r->choices);
    *out = (run_answer){.result = {.preemptions = -1}};
    talk_begin(&question, "run");
    add_request(&question, r);
    if (!ask(s, &question, e)) return false;
    for (;;) {
        talk_event event = talk_next(&s->from, TICK_MILLISECONDS, &l);
        if (event == TALK_LINE) {
            bool counts = !strcmp(l.field[0], "counts");
            if (r->history && !strcmp(l.field[0], "history")) r->history(r->context, l.n > 1 ? l.field[1] : NULL);
            if (run_answer_take(out, &l, e)) return e->code == 0;
            if (counts && progress) progress(context, &out->result);
            continue;
        }
        waited += TICK_MILLISECONDS;
        if (event == TALK_TIMEOUT && (patience == 0 || waited < patience)) continue;
        child_died(s, out);
        /* the runtime has said why: what it was about to say of the program is not known */
        return !s->internal || error_set(e, EXIT_INTERNAL, "internal error of the explorer: %s", out->result.message);
    }
}

bool session_run(session *s, const run_request *r, run_progress *progress, void *context, run_answer *out, error *e) {
    if (!run_once(s, r, progress, context, out, e)) return false;
    if (!needs_many_threads(s, out->result.failure, out->result.message)) return true;
    run_answer_free(out);
    return run_once(s, r, progress, context, out, e);
}

/* ---- one execution ---- */

void session_replay_question(const run_request *r, const char *choices, text *out) {
    run_request replayed = *r;
    replayed.choices = choices;
    talk_begin(out, "replay");
    add_request(out, &replayed);
}

static bool replay_once(session *s, const run_request *r, const char *choices, execution *out, error *e) {
    text question = {0};
    talk_line l;
    assert(choices);
    *out = (execution){0};
    session_replay_question(r, choices, &question);
    if (!ask(s, &question, e)) return false;
    for (;;) {
        if (talk_next(&s->from, GRACE_MILLISECONDS, &l) != TALK_LINE) return broken(s, "replay a schedule", e);
        const char *tag = l.field[0];
        if (!strcmp(tag, "end")) return e->code == 0;
        if (!strcmp(tag, "error")) answer_error_take(&l, e);
        if (!strcmp(tag, "result") && is_failure_kind(talk_get_int(&l, 4))) {
            free(out->message);
            out->failure = (failure_kind)talk_get_int(&l, 4);
            out->message = mem_string(talk_get(&l, 5));
        }
        execution_take(out, &l);
    }
}

bool session_replay(session *s, const run_request *r, const char *choices, execution *out, error *e) {
    if (!replay_once(s, r, choices, out, e)) return false;
    if (!needs_many_threads(s, out->failure, out->message ? out->message : "")) return true;
    execution_free(out);
    return replay_once(s, r, choices, out, e);
}
