#include "cli/progress.h"

#include "cli/supervise.h"

#include <assert.h>
#include <unistd.h>

enum { LINE_WIDTH = 78 };

static void one_job(const job *j, text *out) {
    double seconds = clock_seconds() - j->started;
    uint32_t operations = atomic_load(&j->operations);
    if (operations == UNKNOWN_COUNT)
        text_printf(out, "reading: %.1f MB, %.1f s", (double)atomic_load(&j->bytes) * 1e-6, seconds);
    else
        text_printf(out, "deciding: %u of %u operations linearized, %.1f s", atomic_load(&j->furthest), operations,
                    seconds);
}

static const job *first_running(const job *jobs, uint32_t n, uint32_t *ended) {
    const job *first = NULL;
    *ended = 0;
    assert(n > 0);
    for (uint32_t i = 0; i < n; i++) {
        int phase = atomic_load(&jobs[i].phase);
        if (phase > JOB_RUNNING) ++*ended;
        else if (phase == JOB_RUNNING && !first) first = &jobs[i];
    }
    return first;
}

void progress_show(progress *p, const job *jobs, uint32_t n) {
    double now = clock_seconds();
    uint32_t ended;
    if (p->first <= 0) p->first = now;
    if (now - p->first < 0.3 || now - p->last < 0.1) return; /* short work needs no progress */
    const job *j = first_running(jobs, n, &ended);
    if (!j) return;
    text line = {0};
    if (n > 1) {
        text_printf(&line, "%u of %u files; ", ended, n);
        text_printable(&line, j->path);
        text_add(&line, ": ");
    }
    one_job(j, &line);
    emit(STDERR_FILENO, "\r", 1);
    emit(STDERR_FILENO, line.at, line.size < LINE_WIDTH ? line.size : LINE_WIDTH);
    emit(STDERR_FILENO, "\033[K", 3);
    text_free(&line);
    p->last = now;
    p->shown = true;
}

void progress_clear(progress *p) {
    if (p->shown) emit(STDERR_FILENO, "\r\033[K", 4);
    p->shown = false;
}

void progress_status(const job *jobs, uint32_t n) {
    text lines = {0};
    uint32_t ended;
    if (!first_running(jobs, n, &ended)) text_printf(&lines, "plumb: %u of %u files done\n", ended, n);
    for (uint32_t i = 0; i < n; i++) {
        if (atomic_load(&jobs[i].phase) != JOB_RUNNING) continue;
        text_add(&lines, "plumb: ");
        text_printable(&lines, jobs[i].path);
        text_add(&lines, ": ");
        one_job(&jobs[i], &lines);
        text_char(&lines, '\n');
    }
    emit(STDERR_FILENO, text_str(&lines), lines.size);
    text_free(&lines);
}
