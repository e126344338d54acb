#include "base/whole_file.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_TRIES = 100 };

static bool cannot(const whole_file *f, const char *what, error *e) {
    return error_set(e, EXIT_CANNOT_OPEN, "%s: cannot %s: %s", f->path, what, strerror(errno));
}

static void reset(whole_file *f) {
    pool_forget(&f->cleanup);
    free(f->path);
    free(f->beside);
    *f = (whole_file){.fd = -1};
}

/* The folder of a path: "." where it names none. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = mem_string(slash ? path : ".");
    if (slash) folder[slash == path ? 1 : slash - path] = 0;
    return folder;
}

/* A name in the same folder that no file has, different in every process and at every try. */
static char *name_beside(const char *path, unsigned attempt) {
    const char *slash = strrchr(path, '/');
    text name = {0};
    text_bytes(&name, path, slash ? (size_t)(slash + 1 - path) : 0);
    text_printf(&name, ".plumb-%ld-%u.part", (long)getpid(), attempt);
    return name.at;
}

static bool open_with_name(whole_file *f) {
    for (unsigned i = 0; i < NAME_TRIES; i++) {
        char *name = name_beside(f->path, i);
        f->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (f->fd >= 0) {
            f->beside = name;
            return true;
        }
        int why = errno;
        free(name);
        if ((errno = why) != EEXIST) return false;
    }
    return false;
}

static bool open_beside(whole_file *f) {
    if (access("/proc/self/fd", X_OK) != 0) return open_with_name(f); /* without it, no name could be given later */
    char *folder = folder_of(f->path);
    f->fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    free(folder);
    return f->fd >= 0 || open_with_name(f);
}

/* Where a symbolic link leads, a dangling one too: what is written is what it points at, and it stays a link. */
static char *behind_links(const char *path) {
    enum { MOST_LINKS = 40 };
    char *at = mem_string(path), target[PATH_MAX];
    for (unsigned i = 0; i < MOST_LINKS; i++) {
        ssize_t n = readlink(at, target, sizeof target - 1);
        if (n < 0) break;
        target[n] = 0;
        char *folder = folder_of(at);
        text next = {0};
        text_printf(&next, "%s%s%s", *target == '/' ? "" : folder, *target == '/' ? "" : "/", target);
        free(folder);
        free(at);
        at = next.at;
    }
    return at;
}

static void abandon(void *f) { whole_file_abandon(f); }

bool whole_file_open(whole_file *f, const char *path, error *e) {
    struct stat s;
    *f = (whole_file){.fd = -1};
    bool there = stat(path, &s) == 0, endless = !there && errno == ELOOP;
    f->path = behind_links(path);
    pool_at_failure(&f->cleanup, abandon, f);
    f->direct = there && !S_ISREG(s.st_mode);
    if (endless) errno = ELOOP;
    bool good = f->direct ? (f->fd = open(path, O_WRONLY | O_CLOEXEC)) >= 0
                          : !endless && (!there || access(f->path, W_OK) == 0) && open_beside(f);
    if (good && there && !f->direct) good = fchmod(f->fd, s.st_mode & 07777) == 0;
    assert(!good || f->fd >= 0);
    if (good) return true;
    cannot(f, "create", e);
    whole_file_abandon(f);
    return false;
}

/* A file without a name gets one that is not the final one: a link cannot replace a file, a renaming can. */
static bool give_name(whole_file *f) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", f->fd);
    for (unsigned i = 0; !f->beside && i < NAME_TRIES; i++) {
        char *name = name_beside(f->path, i);
        if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) f->beside = name;
        else free(name);
        if (!f->beside && errno != EEXIST) return false;
    }
    return f->beside && rename(f->beside, f->path) == 0;
}

/* The new name is on the disk as well once its folder is. A file system that cannot flush folders keeps its own
 * rules. */
static void flush_folder(const char *path) {
    char *folder = folder_of(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

static bool close_it(whole_file *f) {
    int fd = f->fd;
    f->fd = -1;
    return close(fd) == 0;
}

bool whole_file_commit(whole_file *f, error *e) {
    assert(f->fd >= 0);
    assert(!f->direct || !f->beside); /* a device has no name beside it */
    bool good = f->direct || (fsync(f->fd) == 0 && give_name(f));
    if (!good) cannot(f, "write", e);
    if (!close_it(f) && good) good = cannot(f, "write", e);
    if (good && !f->direct) flush_folder(f->path);
    if (!good && f->beside) unlink(f->beside);
    reset(f);
    return good;
}

void whole_file_abandon(whole_file *f) {
    if (f->fd >= 0) close(f->fd);
    if (f->beside) unlink(f->beside);
    reset(f);
}

bool write_all_bytes(int fd, const void *bytes, size_t size) {
    for (const char *p = bytes; size;) {
        ssize_t written = write(fd, p, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        assert((size_t)written <= size);
        p += written;
        size -= (size_t)written;
    }
    return true;
}

bool whole_file_write(const char *path, const void *bytes, size_t size, error *e) {
    whole_file f;
    if (strcmp(path, "-") == 0)
        return write_all_bytes(STDOUT_FILENO, bytes, size) ||
               error_set(e, EXIT_CANNOT_OPEN, "<stdout>: cannot write: %s", strerror(errno));
    if (!whole_file_open(&f, path, e)) return false;
    if (write_all_bytes(f.fd, bytes, size)) return whole_file_commit(&f, e);
    cannot(&f, "write", e);
    whole_file_abandon(&f);
    return false;
}
