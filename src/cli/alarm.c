#include "cli/alarm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_VIOLATIONS = 100000 };

void alarm_files_free(alarm_files *f) {
    text_free(&f->certificate);
    text_free(&f->page);
}

void alarm_news_set(alarm_news *n, const char *object, const char *reason) {
    alarm_news_free(n);
    text_add(&n->object, object);
    text_add(&n->reason, reason);
}

void alarm_news_free(alarm_news *n) {
    text_free(&n->object);
    text_free(&n->reason);
}

static void name_files(const char *folder, unsigned n, alarm_files *out) {
    alarm_files_free(out);
    text_printf(&out->certificate, "%s/violation-%u.certificate", folder, n);
    text_printf(&out->page, "%s/violation-%u.html", folder, n);
}

static bool exists(const text *name) { return !access(text_str(name), F_OK); }

bool alarm_files_in(const char *folder, alarm_files *out, error *e) {
    if ((mkdir(folder, 0777) && errno != EEXIST) || access(folder, W_OK | X_OK))
        return error_set(e, EXIT_CANNOT_OPEN, "%s: %s", folder, strerror(errno));
    for (unsigned n = 1; n <= MOST_VIOLATIONS; n++) {
        name_files(folder, n, out);
        if (!exists(&out->certificate) && !exists(&out->page)) return true;
    }
    return error_set(e, EXIT_CANNOT_OPEN, "%s: holds %d violations already", folder, MOST_VIOLATIONS);
}

static void tell_file(const char *name, const text *file) {
    if (file->size && exists(file)) setenv(name, text_str(file), 1);
    else unsetenv(name);
}

static void become_hook(const char *command, const alarm_news *news, const alarm_files *files) {
    setenv("PLUMB_OBJECT", text_str(&news->object), 1);
    setenv("PLUMB_REASON", text_str(&news->reason), 1);
    tell_file("PLUMB_CERTIFICATE", &files->certificate);
    tell_file("PLUMB_PAGE", &files->page);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void alarm_run_hook(const char *command, const alarm_news *news, const alarm_files *files) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (!child) become_hook(command, news, files);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (child < 0) fprintf(stderr, "plumb: --hook: %s\n", strerror(errno));
    else if (WIFSIGNALED(status)) fprintf(stderr, "plumb: --hook was ended by signal %d\n", WTERMSIG(status));
    else if (WEXITSTATUS(status)) fprintf(stderr, "plumb: --hook ended with %d\n", WEXITSTATUS(status));
}
