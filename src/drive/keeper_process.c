/* The keeper's own process: one thread, a table of processes, requests one after the other. */
#include "drive/keeper.h"
#include "drive/keeper_message.h"
#include "drive/node_disk.h"
#include "drive/node_network.h"
#include "drive/process_tree.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXECUTE_SECONDS = 60, GONE_TRIES = 2000 };

typedef struct kept_process {
    pid_t process; /* 0: none runs */
    int status;    /* of the one that ran last */
    bool began;    /* there was one */
    keeper_request job;
} kept_process;

typedef struct keeping {
    int connection;
    const char *folder;
    kept_process *slot[KEEPER_SLOTS];
    node_network network;
} keeping;

/* ---- ends of processes ---- */

static void note_ends(keeping *k) {
    int status;
    for (pid_t p; (p = waitpid(-1, &status, WNOHANG)) > 0;)
        for (unsigned i = 0; i < KEEPER_SLOTS; i++)
            if (k->slot[i] && k->slot[i]->process == p) {
                k->slot[i]->process = 0;
                k->slot[i]->status = status;
            }
}

static void wait_a_millisecond(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

/* Stopped first, so that none of them makes new ones that are not on the list. */
static void kill_tree(keeping *k, pid_t root) {
    tree_signal(root, true, SIGSTOP);
    tree_signal(root, true, SIGSTOP);
    tree_signal(root, true, SIGKILL);
    for (unsigned i = 0; i < GONE_TRIES && tree_signal(root, true, SIGKILL); i++) {
        note_ends(k);
        wait_a_millisecond();
    }
    note_ends(k);
}

static void kill_all(keeping *k) {
    for (unsigned i = 0; i < KEEPER_SLOTS; i++)
        if (k->slot[i] && k->slot[i]->process) kill_tree(k, k->slot[i]->process);
    for (unsigned i = 0; i < GONE_TRIES && tree_signal(getpid(), false, SIGKILL); i++) {
        note_ends(k);
        wait_a_millisecond();
    }
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *f) {
    (void)s, (void)kind, (void)f;
    (void)!remove(path); /* as much as can be */
    return 0;
}

static void remove_folder(const keeping *k) {
    if (!k->folder) return;
    node_disks_unmount(k->folder, KEEPER_NODES);
    nftw(k->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

_Noreturn static void leave(keeping *k, bool keep) {
    kill_all(k);
    if (!keep) remove_folder(k);
    _exit(0);
}

/* ---- starting ---- */

static void become_server_user(void) {
    uid_t user;
    gid_t group;
    if (!server_user(&user, &group)) return;
    if (setgroups(0, NULL) || setgid(group) || setuid(user)) _exit(126);
}

static void use_files(const char *log, const int *file) {
    int in = file ? file[0] : open("/dev/null", O_RDONLY);
    int out = file ? file[1] : *log ? open(log, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
    if (in >= 0) dup2(in, 0);
    if (out >= 0) dup2(out, 1);
    if (out >= 0 && !file) dup2(out, 2);
}

/* In the new process. What goes wrong before the command runs is told through `told`, which closes when it runs. */
_Noreturn static void begin_command(const keeping *k, const keeper_request *r, const int *file, int told) {
    char *argv[KEEPER_WORDS + 1];
    const char *p = r->text;
    sigset_t none;
    for (unsigned i = 0; i < r->words; i++, p += strlen(p) + 1) argv[i] = (char *)p;
    argv[r->words] = NULL;
    setsid();
    use_files(argv[0], file);
    if (!node_network_enter(&k->network, r->slot)) _exit(126);
    if (r->as_server) become_server_user();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* after the user has changed, which would clear it */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int s = 1; s < NSIG; s++) signal(s, SIG_DFL);
    execvp(argv[1], argv + 1);
    int wrong = errno;
    _exit(write(told, &wrong, sizeof wrong) == sizeof wrong ? 127 : 126);
}

static pid_t start_command(const keeping *k, const keeper_request *r, const int *file, keeper_answer *a) {
    int told[2], wrong = 0;
    assert(r->words >= 2);
    const char *name = r->text + strlen(r->text) + 1;
    if (pipe2(told, O_CLOEXEC)) {
        snprintf(a->why, sizeof a->why, "no pipe: %s", strerror(errno));
        return 0;
    }
    pid_t child = fork();
    if (child == 0) begin_command(k, r, file, told[1]);
    close(told[1]);
    ssize_t n = child > 0 ? read(told[0], &wrong, sizeof wrong) : 0;
    close(told[0]);
    if (child > 0 && n == 0) return child;
    if (child > 0) waitpid(child, NULL, 0);
    snprintf(a->why, sizeof a->why, "cannot run %.200s: %s", name, strerror(n > 0 ? wrong : errno));
    return 0;
}

static void run_slot(keeping *k, const keeper_request *r, const int *file, keeper_answer *a) {
    kept_process **s = &k->slot[r->slot];
    if (!*s) *s = calloc(1, sizeof **s);
    if (!*s || (*s)->process) {
        snprintf(a->why, sizeof a->why, *s ? "it runs already" : "no memory");
        return;
    }
    if (r != &(*s)->job) (*s)->job = *r;
    (*s)->began = true;
    (*s)->process = start_command(k, r, file, a);
    a->good = (*s)->process > 0;
}

static void describe_end(int status, char *why, size_t size) {
    if (WIFSIGNALED(status)) snprintf(why, size, "it was ended by signal %d", WTERMSIG(status));
    else snprintf(why, size, "it ended with exit code %d", WEXITSTATUS(status));
}

static void execute(keeping *k, const keeper_request *r, keeper_answer *a) {
    int status = 0;
    pid_t child = start_command(k, r, NULL, a);
    if (!child) return;
    for (unsigned i = 0; i < EXECUTE_SECONDS * 1000; i++, wait_a_millisecond()) {
        if (waitpid(child, &status, WNOHANG) != child) continue;
        a->good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (!a->good) describe_end(status, a->why, sizeof a->why);
        return;
    }
    kill_tree(k, child);
    snprintf(a->why, sizeof a->why, "it did not end within %d s", EXECUTE_SECONDS);
}

/* ---- requests ---- */

static void signal_slot(keeping *k, const keeper_request *r, keeper_answer *a) {
    kept_process *s = k->slot[r->slot];
    a->good = true;
    if (!s || !s->process) {
        a->good = r->signal == SIGKILL;
        snprintf(a->why, sizeof a->why, "it does not run");
    } else if (r->signal == SIGKILL) {
        kill_tree(k, s->process);
    } else {
        tree_signal(s->process, true, r->signal);
    }
}

static void tell_life(const keeping *k, const keeper_request *r, keeper_answer *a) {
    const kept_process *s = k->slot[r->slot];
    a->good = s && s->process;
    if (!a->good && s && s->began) describe_end(s->status, a->why, sizeof a->why);
    else if (!a->good) snprintf(a->why, sizeof a->why, "it was never started");
}

static void serve_one(keeping *k, const keeper_request *r, const int *file, keeper_answer *a) {
    note_ends(k);
    switch ((keeper_wish)r->wish) {
    case KEEPER_RUN: run_slot(k, r, file, a); break;
    case KEEPER_AGAIN:
        if (k->slot[r->slot]) run_slot(k, &k->slot[r->slot]->job, NULL, a);
        else snprintf(a->why, sizeof a->why, "it was never started");
        break;
    case KEEPER_SIGNAL: signal_slot(k, r, a); break;
    case KEEPER_LIVES: tell_life(k, r, a); break;
    case KEEPER_EXECUTE: execute(k, r, a); break;
    case KEEPER_NETWORK:
        a->good = node_network_make(&k->network, r->slot, r->signal != 0, a->why, sizeof a->why);
        break;
    case KEEPER_CUT:
        a->good = node_network_cut(&k->network, r->slot, (unsigned)r->signal, a->why, sizeof a->why);
        break;
    case KEEPER_IMPAIR:
        a->good = node_network_impair(&k->network, r->slot, (unsigned)r->signal / 128, (unsigned)r->signal % 128,
                                      a->why, sizeof a->why);
        break;
    case KEEPER_JOIN: a->good = node_network_join(&k->network, a->why, sizeof a->why); break;
    case KEEPER_END: a->good = true; break;
    }
}

/* The files that came with the request; -1: none. */
static ssize_t receive(int connection, keeper_request *r, int file[2]) {
    char room[CMSG_SPACE(2 * sizeof(int))];
    struct iovec part = {r, sizeof *r};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    file[0] = file[1] = -1;
    ssize_t n = recvmsg(connection, &m, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(2 * sizeof(int)))
        memcpy(file, CMSG_DATA(c), 2 * sizeof(int));
    return n;
}

_Noreturn void keeper_serve(int connection, const char *folder, bool isolated) {
    static keeping k;
    static keeper_request r;
    int file[2];
    k = (keeping){.connection = connection, .folder = folder};
    setsid(); /* Ctrl-C is for plumb, which then ends us in order */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (!isolated) prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (;;) {
        ssize_t n = receive(connection, &r, file);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) leave(&k, false); /* plumb has ended without a word */
        assert((size_t)n >= offsetof(keeper_request, text) && r.slot < KEEPER_SLOTS);
        keeper_answer a = {0};
        bool last = r.wish == KEEPER_END;
        if (last) kill_all(&k);
        serve_one(&k, &r, file[0] >= 0 ? file : NULL, &a);
        for (unsigned i = 0; i < 2; i++)
            if (file[i] >= 0) close(file[i]);
        if (last && !r.keep) remove_folder(&k);
        if (send(connection, &a, sizeof a, MSG_NOSIGNAL) < 0 || last) leave(&k, last && r.keep);
    }
}
