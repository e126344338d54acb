#include "explore/compile/file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool read_all(int fd, text *out) {
    char block[65536];
    ssize_t n;
    while ((n = read(fd, block, sizeof block)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text_bytes(out, block, (size_t)n);
    }
    return true;
}

bool file_read(const char *path, text *out) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool good = read_all(fd, out);
    close(fd);
    return good;
}

bool file_write(const char *path, const void *bytes, size_t size, error *e) {
    FILE *f = fopen(path, "we");
    bool good = f && fwrite(bytes, 1, size, f) == size;
    if (f && fclose(f) != 0) good = false;
    return good || error_set(e, EXIT_CANNOT_OPEN, "%s: cannot write: %s", path, strerror(errno));
}

bool file_exists(const char *path) { return access(path, R_OK) == 0; }

const char *file_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void file_stem(text *out, const char *path, const char *extension) {
    const char *base = file_base(path), *dot = strrchr(base, '.');
    text_printf(out, "%.*s%s", (int)(dot && dot != base ? (size_t)(dot - base) : strlen(base)), base, extension);
}

bool scratch_open(scratch_folder *s, error *e) {
    const char *tmp = getenv("TMPDIR");
    snprintf(s->path, sizeof s->path, "%.200s/plumb-cc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(s->path) ||
           error_set(e, EXIT_CANNOT_OPEN, "%s: cannot make a temporary directory: %s", s->path, strerror(errno));
}

void scratch_close(scratch_folder *s) {
    DIR *d = opendir(s->path);
    if (!d) return;
    for (const struct dirent *f; (f = readdir(d));)
        if (f->d_name[0] != '.') unlinkat(dirfd(d), f->d_name, 0);
    closedir(d);
    rmdir(s->path);
}

static int wait_for(pid_t pid) {
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return EXIT_INTERNAL;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool start(const word_list *command, const posix_spawn_file_actions_t *streams, pid_t *pid) {
    assert(command->size && !command->at[command->size]);
    int bad = posix_spawnp(pid, command->at[0], streams, NULL, command->at, environ);
    if (bad) fprintf(stderr, "plumb: cannot run %s: %s\n", command->at[0], strerror(bad));
    return bad == 0;
}

int command_run(const word_list *command) {
    pid_t pid;
    return start(command, NULL, &pid) ? wait_for(pid) : 127;
}

int command_run_silently(const word_list *command) {
    pid_t pid;
    posix_spawn_file_actions_t streams;
    if (posix_spawn_file_actions_init(&streams)) return EXIT_INTERNAL;
    int bad = posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int code = bad ? EXIT_INTERNAL : start(command, &streams, &pid) ? wait_for(pid) : 127;
    posix_spawn_file_actions_destroy(&streams);
    return code;
}
