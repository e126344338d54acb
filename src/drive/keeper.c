#include "drive/keeper.h"

#include "base/mem.h"
#include "drive/keeper_message.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OWNS_NOTHING = 65534 }; /* the user that Linux has for those who own no files */

struct keeper {
    int connection;
    pid_t process;
    bool isolated;
    pthread_mutex_t one_at_a_time;
};

/* ---- beginning ---- */

/* As fork, with namespaces of its own when that is allowed. The child learns whether it has them. */
static pid_t fork_isolated(bool *isolated) {
    long child = geteuid() == 0 ? syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0) : -1;
    *isolated = child >= 0;
    return child >= 0 ? (pid_t)child : fork();
}

/* Mounts of the namespace are its own, and /proc is about its processes. What servers that are killed leave in shared
 * memory goes with it, where that can be had. */
static bool own_mounts(void) {
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) return false;
    mount("plumb-drive", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
    return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0;
}

_Noreturn static void become_keeper(int connection, const char *folder, bool isolated) {
    if (isolated && !own_mounts()) _exit(1); /* its parent tries again without */
    keeper_answer ready = {.good = true};
    if (send(connection, &ready, sizeof ready, 0) < 0) _exit(1);
    keeper_serve(connection, folder, isolated);
}

static bool try_start(keeper *k, const char *folder, bool isolate, error *e) {
    int pair[2];
    keeper_answer ready = {0};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return error_set(e, EXIT_INTERNAL, "drive: no socket pair: %s", strerror(errno));
    fflush(NULL);
    k->isolated = false;
    k->process = isolate ? fork_isolated(&k->isolated) : fork();
    if (k->process < 0) {
        close(pair[0]);
        close(pair[1]);
        return error_set(e, EXIT_INTERNAL, "drive: cannot start a process: %s", strerror(errno));
    }
    if (k->process == 0) {
        close(pair[0]);
        become_keeper(pair[1], folder, isolate && k->isolated);
    }
    close(pair[1]);
    k->connection = pair[0];
    if (recv(k->connection, &ready, sizeof ready, 0) == sizeof ready && ready.good) return true;
    close(k->connection);
    waitpid(k->process, NULL, 0);
    return isolate && try_start(k, folder, false, e);
}

keeper *keeper_start(const char *folder, error *e) {
    keeper *k = MEM_NEW(keeper);
    pthread_mutex_init(&k->one_at_a_time, NULL);
    if (try_start(k, folder, true, e)) return k;
    error_set(e, EXIT_INTERNAL, "drive: the process that owns the servers does not start");
    free(k);
    return NULL;
}

bool keeper_isolated(const keeper *k) { return k->isolated; }

bool server_user(uid_t *user, gid_t *group) {
    const struct passwd *p = geteuid() == 0 ? getpwuid(OWNS_NOTHING) : NULL;
    if (p) {
        *user = p->pw_uid;
        *group = p->pw_gid;
    }
    return p != NULL;
}

/* ---- asking ---- */

static bool send_with_files(int connection, const void *p, size_t n, const int *file, unsigned files) {
    char room[CMSG_SPACE(2 * sizeof(int))] = {0};
    struct iovec part = {(void *)p, n};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    if (files) {
        m.msg_control = room;
        m.msg_controllen = CMSG_SPACE(files * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        *c = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(files * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(c), file, files * sizeof(int));
    }
    return sendmsg(connection, &m, MSG_NOSIGNAL) == (ssize_t)n;
}

static bool ask(keeper *k, const keeper_request *r, const int *file, unsigned files, text *why) {
    keeper_answer a = {0};
    size_t size = offsetof(keeper_request, text) + r->size;
    pthread_mutex_lock(&k->one_at_a_time);
    bool heard = send_with_files(k->connection, r, size, file, files);
    ssize_t n = -1;
    while (heard && (n = recv(k->connection, &a, sizeof a, 0)) < 0 && errno == EINTR) {}
    pthread_mutex_unlock(&k->one_at_a_time);
    if (n == sizeof a && a.good) return true;
    if (why) text_add(why, n == sizeof a ? a.why : "the process that owns the servers has ended");
    return false;
}

static bool add_word(keeper_request *r, const char *word) {
    size_t n = strlen(word) + 1;
    if (r->words >= KEEPER_WORDS || r->size + n > sizeof r->text) return false;
    memcpy(r->text + r->size, word, n);
    r->size += (uint32_t)n;
    r->words++;
    return true;
}

static bool ask_command(keeper *k, keeper_wish wish, const keeper_job *job, text *why) {
    keeper_request *r = MEM_NEW(keeper_request);
    int file[2] = {job->input, job->output};
    r->wish = (uint32_t)wish;
    r->slot = job->slot;
    r->as_server = job->as_server;
    bool fits = add_word(r, job->log ? job->log : "");
    for (const char *const *w = job->argv; *w && fits; w++) fits = add_word(r, *w);
    if (!fits) text_printf(why, "the command of %s is too long", job->argv[0]);
    bool good = fits && ask(k, r, file, wish == KEEPER_RUN && !job->log ? 2 : 0, why);
    free(r);
    return good;
}

bool keeper_run(keeper *k, const keeper_job *job, text *why) { return ask_command(k, KEEPER_RUN, job, why); }
bool keeper_execute(keeper *k, const keeper_job *job, text *why) { return ask_command(k, KEEPER_EXECUTE, job, why); }

static bool ask_short(keeper *k, keeper_wish wish, unsigned slot, int number, text *why) {
    keeper_request r;
    memset(&r, 0, offsetof(keeper_request, text));
    r.wish = (uint32_t)wish;
    r.slot = slot;
    r.signal = number;
    return ask(k, &r, NULL, 0, why);
}

bool keeper_again(keeper *k, unsigned slot, text *why) { return ask_short(k, KEEPER_AGAIN, slot, 0, why); }
bool keeper_lives(keeper *k, unsigned slot, text *why) { return ask_short(k, KEEPER_LIVES, slot, 0, why); }
bool keeper_signal(keeper *k, unsigned slot, int number, text *why) {
    return ask_short(k, KEEPER_SIGNAL, slot, number, why);
}

bool keeper_network(keeper *k, unsigned nodes, bool relayed, text *why) {
    char path[64];
    if (!k->isolated) {
        text_add(why, "it needs root and namespaces of its own");
        return false;
    }
    if (!ask_short(k, KEEPER_NETWORK, nodes, relayed, why)) return false;
    snprintf(path, sizeof path, "/proc/%d/ns/net", (int)k->process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 && setns(file, CLONE_NEWNET) == 0;
    if (!good) text_printf(why, "cannot enter it: %s", strerror(errno));
    if (file >= 0) close(file);
    return good;
}

bool keeper_cut(keeper *k, unsigned from, unsigned to, text *why) {
    return ask_short(k, KEEPER_CUT, from, (int)to, why);
}

bool keeper_impair(keeper *k, unsigned node, unsigned delay, unsigned loss, text *why) {
    assert(delay < 1u << 20 && loss < 128);
    return ask_short(k, KEEPER_IMPAIR, node, (int)(delay * 128 + loss), why);
}

bool keeper_join(keeper *k, text *why) { return ask_short(k, KEEPER_JOIN, 0, 0, why); }

void keeper_end(keeper *k, bool keep) {
    keeper_request r;
    if (!k) return;
    memset(&r, 0, offsetof(keeper_request, text));
    r.wish = KEEPER_END;
    r.keep = keep;
    ask(k, &r, NULL, 0, NULL);
    close(k->connection);
    waitpid(k->process, NULL, 0);
    pthread_mutex_destroy(&k->one_at_a_time);
    free(k);
}
