#include "scale/runner.h"

#include "base/budget.h"
#include "base/mem.h"
#include "drive/process_tree.h"
#include "explore/compile/places.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAME_BLOB = 'b', FRAME_UNIT = 'u', FRAME_DONE = 'd', FRAME_REFUSED = 'r' };
enum { FRAME_HEAD = 9, TICK_MILLISECONDS = 50, WORDS_MOST = 64, PATH_ROOM = 4096 };
#define FRAME_MOST (UINT64_C(1) << 32)
#define TMPFS_BYTES "2147483648"
#define SHARED_BYTES "67108864"
#define WEIGH_SECONDS 0.5
#define FILE_BYTES (UINT64_C(1) << 31)
enum { PROCESSES_MOST = 512, SANDBOX_USER = 65534, DESCRIPTORS_MOST = 65536 };

struct runner {
    runner_settings s;
    pid_t pid; /* 0: not running */
    int to, from;
    char folder[64];
    text has; /* names of blobs, one after the other */
};

/* ---- frames ---- */

static bool write_whole(int fd, const void *p, size_t n) {
    const char *at = p;
    while (n) {
        const ssize_t done = write(fd, at, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

static bool read_whole(int fd, void *p, size_t n) {
    char *at = p;
    while (n) {
        const ssize_t done = read(fd, at, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

static bool send_frame(int fd, char kind, const void *p, size_t n) {
    unsigned char head[FRAME_HEAD] = {(unsigned char)kind};
    const uint64_t size = n;
    memcpy(head + 1, &size, sizeof size);
    return write_whole(fd, head, sizeof head) && write_whole(fd, p, n);
}

static bool receive_frame(int fd, char *kind, text *out) {
    unsigned char head[FRAME_HEAD];
    uint64_t size;
    text_clear(out);
    if (!read_whole(fd, head, sizeof head)) return false;
    *kind = (char)head[0];
    memcpy(&size, head + 1, sizeof size);
    if (size > FRAME_MOST) return false;
    for (uint64_t left = size; left;) {
        char block[65536];
        const size_t n = left < sizeof block ? (size_t)left : sizeof block;
        if (!read_whole(fd, block, n)) return false;
        text_bytes(out, block, n);
        left -= n;
    }
    return true;
}

/* ---- the sandbox ---- */

typedef struct argument_list {
    const char *word[WORDS_MOST];
    unsigned n;
} argument_list;

static void add_words(argument_list *a, const char *const *words) {
    for (; *words && a->n + 1 < WORDS_MOST; words++) a->word[a->n++] = *words;
    assert(!*words); /* a sandbox with a word less would be another one */
    a->word[a->n] = NULL;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The root is for reading; what users keep is not there at all, but for the folders of the command and its
 * libraries. */
static void add_sandbox(argument_list *a, const char *command_folder, const char *library_folder) {
    add_words(a, WORDS("bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent",
                       "--new-session", "--cap-drop", "ALL", "--uid", "65534", "--gid", "65534"));
    add_words(a, WORDS("--ro-bind", "/", "/", "--dev", "/dev", "--size", SHARED_BYTES, "--tmpfs", "/dev/shm", "--proc",
                       "/proc"));
    add_words(a, WORDS("--tmpfs", "/home", "--tmpfs", "/root", "--tmpfs", "/run", "--tmpfs", "/var/tmp", "--size",
                       TMPFS_BYTES, "--tmpfs", "/tmp"));
    add_words(a, WORDS("--ro-bind", command_folder, command_folder, "--ro-bind", library_folder, library_folder));
    add_words(a, WORDS("--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/tmp", "--chdir", "/"));
}

static bool folder_of(const char *path, char out[PATH_ROOM]) {
    const char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) >= PATH_ROOM) return false;
    snprintf(out, PATH_ROOM, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return true;
}

static bool own_places(char command[PATH_ROOM], char command_folder[PATH_ROOM], char library_folder[PATH_ROOM]) {
    text runtime = {0};
    error ignored = {0};
    const ssize_t n = readlink("/proc/self/exe", command, PATH_ROOM - 1);
    if (n <= 0) return false;
    command[n] = '\0';
    if (!folder_of(command, command_folder)) return false;
    if (!place_of_runtime(&runtime, &ignored) || !folder_of(text_str(&runtime), library_folder))
        snprintf(library_folder, PATH_ROOM, "%s", command_folder);
    text_free(&runtime);
    return true;
}

/* In the child, between fork and exec. A user namespace gives root of outside no other rights than root has: files of
 * root would be read, and settings of the kernel written. So it is entered as user 65534, who owns nothing. */
static bool become_nobody(void) {
    return geteuid() != 0 || (!setgroups(0, NULL) && !setgid(SANDBOX_USER) && !setuid(SANDBOX_USER));
}

/* The connections of the worker are not for what it runs. */
static void close_all_but_standard(void) {
    if (!syscall(SYS_close_range, 3u, ~0u, 0u)) return;
    for (int fd = 3; fd < DESCRIPTORS_MOST; fd++) close(fd);
}

bool runner_sandbox_works(error *e) {
    argument_list a = {0};
    char command[PATH_ROOM], command_folder[PATH_ROOM], library_folder[PATH_ROOM];
    int status = 0;
    if (!own_places(command, command_folder, library_folder)) return error_set(e, EXIT_INTERNAL, "who am I?");
    add_sandbox(&a, command_folder, library_folder);
    add_words(&a, WORDS("/bin/true"));
    const pid_t pid = fork();
    if (!pid) {
        const int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDERR_FILENO);
        close_all_but_standard();
        if (!become_nobody()) _exit(126);
        execvp(a.word[0], (char *const *)(uintptr_t)a.word);
        _exit(127);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    return error_set(e, EXIT_CANNOT_OPEN,
                     WIFEXITED(status) && WEXITSTATUS(status) == 127
                         ? "bwrap is not there (package bubblewrap): a worker runs code that it is sent; --unsandboxed "
                           "runs it as it is"
                         : "bwrap does not work here (user namespaces? or, as root, a folder of plumb that user 65534 "
                           "cannot reach?): a worker runs code that it is sent; --unsandboxed runs it as it is");
}

/* ---- the process ---- */

runner *runner_new(const runner_settings *s) {
    runner *r = MEM_NEW(runner);
    r->s = *s;
    r->to = r->from = -1;
    return r;
}

static void remove_folder(const char *folder) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (*folder && system(command)) return;
}

static void end_process(runner *r) {
    assert(!r->pid == (r->to < 0) && (r->to < 0) == (r->from < 0));
    if (r->pid) {
        kill(-r->pid, SIGKILL);
        kill(r->pid, SIGKILL);
        while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR) {}
        close(r->to);
        close(r->from);
    }
    r->pid = 0;
    r->to = r->from = -1;
    text_clear(&r->has);
    if (!r->s.sandbox) remove_folder(r->folder);
}

void runner_free(runner *r) {
    end_process(r);
    text_free(&r->has);
    free(r);
}

/* In the child, between fork and exec. */
static _Noreturn void become_runner(const runner *r, int in, int out) {
    argument_list a = {0};
    char command[PATH_ROOM], command_folder[PATH_ROOM], library_folder[PATH_ROOM], memory[32];
    setpgid(0, 0);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    if (!own_places(command, command_folder, library_folder)) _exit(127);
    close_all_but_standard();
    if (r->s.sandbox && !become_nobody()) _exit(126);
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)r->s.memory);
    if (r->s.sandbox) add_sandbox(&a, command_folder, library_folder);
    add_words(&a, WORDS(command, "worker", "--inside", r->folder));
    if (r->s.memory) add_words(&a, WORDS("--memory", memory));
    execvp(a.word[0], (char *const *)(uintptr_t)a.word);
    _exit(127);
}

static bool start_process(runner *r, text *why) {
    int down[2], up[2];
    if (r->pid) return true;
    assert(r->to < 0 && r->from < 0 && !r->has.size); /* nothing is left of the one before */
    snprintf(r->folder, sizeof r->folder, "/tmp/plumb-runner-XXXXXX");
    if (!r->s.sandbox && !mkdtemp(r->folder)) {
        text_printf(why, "%s: %s", r->folder, strerror(errno));
        return false;
    }
    if (r->s.sandbox) snprintf(r->folder, sizeof r->folder, "/tmp/plumb-runner"); /* in a /tmp of its own */
    if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC)) {
        text_add(why, "no pipe");
        return false;
    }
    const pid_t pid = fork();
    if (!pid) become_runner(r, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    if (pid < 0) {
        close(down[1]);
        close(up[0]);
        text_add(why, "no process");
        return false;
    }
    r->to = down[1];
    r->from = up[0];
    r->pid = pid;
    return true;
}

bool runner_has(const runner *r, const char *blob) {
    return r->pid && r->has.size && strstr(text_str(&r->has), blob) != NULL;
}

void runner_give(runner *r, const char *blob, const void *p, size_t n) {
    text all = {0}, why = {0};
    assert(strlen(blob) == SHA256_HEX - 1); /* names stand one after the other in `has` */
    if (start_process(r, &why)) {
        text_add(&all, blob);
        text_bytes(&all, p, n);
        if (send_frame(r->to, FRAME_BLOB, all.at, all.size)) text_add(&r->has, blob);
    }
    text_free(&all);
    text_free(&why);
}

static void say_death(runner *r, text *out) {
    int status = 0;
    pid_t gone = 0;
    text_clear(out);
    for (unsigned i = 0; i < 100 && !(gone = waitpid(r->pid, &status, WNOHANG)); i++) usleep(10000);
    if (gone != r->pid) text_add(out, "did not answer");
    else if (WIFSIGNALED(status)) text_printf(out, "died of signal %d", WTERMSIG(status));
    else text_printf(out, "ended with exit code %d", WEXITSTATUS(status));
    if (gone == r->pid) {
        close(r->to);
        close(r->from);
        r->pid = 0;
        r->to = r->from = -1;
    }
    end_process(r);
}

static runner_end end_late(runner *r, double seconds, text *out) {
    end_process(r);
    text_clear(out);
    text_printf(out, "did not end within %.0f s", seconds);
    return RUNNER_DIED;
}

static runner_end end_large(runner *r, text *out) {
    end_process(r);
    text_clear(out);
    text_printf(out, "took, all its processes together, more than %.0f MB", (double)r->s.memory / 1e6);
    return RUNNER_DIED;
}

static runner_end await_answer(runner *r, double seconds, const _Atomic int *stop, text *out) {
    const double until = clock_seconds() + seconds;
    double weigh = clock_seconds() + WEIGH_SECONDS;
    char kind = 0;
    assert(r->pid > 0 && r->from >= 0);
    for (;;) {
        struct pollfd ready = {.fd = r->from, .events = POLLIN};
        const int n = poll(&ready, 1, TICK_MILLISECONDS);
        if (n > 0) break;
        const double now = clock_seconds();
        if (seconds > 0 && now > until) return end_late(r, seconds, out);
        if (stop && atomic_load(stop)) {
            end_process(r);
            text_clear(out);
            return RUNNER_STOPPED;
        }
        if (!r->s.memory || now < weigh) continue;
        weigh = now + WEIGH_SECONDS;
        if (tree_resident(r->pid) > r->s.memory) return end_large(r, out);
    }
    if (receive_frame(r->from, &kind, out) && (kind == FRAME_DONE || kind == FRAME_REFUSED))
        return kind == FRAME_DONE ? RUNNER_DONE : RUNNER_REFUSED;
    say_death(r, out);
    return RUNNER_DIED;
}

runner_end runner_work(runner *r, const void *unit_bytes, size_t n, double seconds, const _Atomic int *stop,
                       text *out) {
    text_clear(out);
    if (!start_process(r, out)) return RUNNER_DIED;
    if (send_frame(r->to, FRAME_UNIT, unit_bytes, n)) return await_answer(r, seconds, stop, out);
    say_death(r, out);
    return RUNNER_DIED;
}

/* ---- inside ---- */

static void limit(unsigned which, uint64_t most) {
    struct rlimit now;
    if (getrlimit(which, &now)) return;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) return;
    now.rlim_cur = now.rlim_max = most;
    setrlimit(which, &now);
}

static void keep_blob(const char *folder, const text *frame) {
    char path[PATH_ROOM], name[SHA256_HEX];
    const size_t head = SHA256_HEX - 1;
    if (frame->size < head) return;
    snprintf(name, sizeof name, "%.*s", (int)head, frame->at);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    if (fd < 0) return;
    write_whole(fd, frame->at + head, frame->size - head);
    close(fd);
}

static bool work_on(const text *frame, const char *folder, const unit_kind *kinds, text *out, error *e) {
    unit u;
    if (!unit_unpack(text_str(frame), frame->size, &u)) return error_set(e, EXIT_BAD_INPUT, "it is no unit of work");
    for (; kinds->name; kinds++)
        if (!strcmp(kinds->name, u.kind)) return kinds->work(&u, folder, out, e);
    return error_set(e, EXIT_BAD_INPUT, "this worker knows no unit of kind '%s': of another version?", u.kind);
}

int runner_serve(const char *folder, uint64_t memory, const unit_kind *kinds) {
    text frame = {0}, out = {0};
    char kind;
    const int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), questions = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    if (getuid() == SANDBOX_USER) dup2(nowhere, STDERR_FILENO); /* nor is it for the terminal of the worker */
    dup2(STDERR_FILENO, STDOUT_FILENO);                         /* what a unit prints is no answer */
    signal(SIGPIPE, SIG_IGN);
    mkdir(folder, 0700);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, FILE_BYTES);
    if (getuid() == SANDBOX_USER) limit(RLIMIT_NPROC, PROCESSES_MOST); /* else all processes of the user count */
    if (memory) limit(RLIMIT_AS, memory);
    while (receive_frame(questions, &kind, &frame)) {
        error e = {0};
        if (kind == FRAME_BLOB) {
            keep_blob(folder, &frame);
            continue;
        }
        text_clear(&out);
        const bool done = work_on(&frame, folder, kinds, &out, &e);
        if (!done) text_clear(&out);
        if (!done) text_printf(&out, "%d %s", e.code, e.what);
        if (!send_frame(answers, done ? FRAME_DONE : FRAME_REFUSED, text_str(&out), out.size)) break;
    }
    text_free(&frame);
    text_free(&out);
    return 0;
}
