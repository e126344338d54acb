#include "bench/quasi.h"

#include "bench/measure.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct row {
    const char *object;
    unsigned operations, clients, k; /* what it is built for */
    const char *overlap;
    int asked_k;   /* decided for k + this */
    double target; /* CPU seconds asked for, reading included; 0: none */
} row;

static const row rows[] = {
    /* what was asked for */
    {"queue", 100000, 4, 8, "0.66", 0, 0.2},
    {"queue", 100000, 4, 8, "1", 0, 0.2},
    {"queue", 100000, 8, 8, "0.66", 0, 3},
    {"queue", 100000, 8, 8, "1", 0, 3},
    {"queue", 100000, 4, 8, "1", -1, 0.1},
    {"queue", 100000, 8, 8, "1", -1, 0.1},
    {"pqueue-max", 100000, 4, 8, "0.66", 0, 0.2},
    {"pqueue-max", 100000, 4, 8, "1", 0, 0.2},
    {"pqueue-max", 100000, 8, 8, "1", 0, 3},
    {"pqueue-max", 100000, 4, 8, "1", -1, 0.1},
    {"stack", 100000, 4, 8, "0.66", 0, 30},
    {"stack", 100000, 4, 8, "1", 0, 30},
    {"stack", 100000, 4, 8, "0.66", -1, 0},
    /* growth in operations */
    {"queue", 1000, 4, 8, "0.66", 0, 0},
    {"queue", 10000, 4, 8, "0.66", 0, 0},
    {"queue", 1000000, 4, 8, "0.66", 0, 0},
    {"stack", 1000, 4, 8, "0.66", 0, 0},
    {"stack", 10000, 4, 8, "0.66", 0, 0},
    {"pqueue-max", 1000, 4, 8, "0.66", 0, 0},
    {"pqueue-max", 10000, 4, 8, "0.66", 0, 0},
    {"pqueue-max", 1000000, 4, 8, "0.66", 0, 0},
    /* in k */
    {"queue", 100000, 4, 0, "0.66", 0, 0},
    {"queue", 100000, 4, 2, "0.66", 0, 0},
    {"queue", 100000, 4, 32, "0.66", 0, 0},
    {"stack", 100000, 4, 0, "0.66", 0, 0},
    {"stack", 100000, 4, 2, "0.66", 0, 0},
    {"pqueue-max", 100000, 4, 0, "0.66", 0, 0},
    {"pqueue-max", 100000, 4, 2, "0.66", 0, 0},
    /* in clients */
    {"queue", 100000, 2, 8, "0.66", 0, 0},
    {"queue", 100000, 16, 8, "0.66", 0, 0},
    {"stack", 100000, 2, 8, "0.66", 0, 0},
    {"pqueue-max", 100000, 2, 8, "0.66", 0, 0},
};

static void line(FILE *f, const row *r, const cost *c) {
    static const char *const verdict[] = {"quasi", "violation", "undecided"};
    fprintf(
        f,
        "%-11s %8u operations  %2u clients  overlap %-4s  built for k = %-2u asked k = %-2d  %-9s  %7.3f s  %5.0f MB",
        r->object, r->operations, r->clients, r->overlap, r->k, (int)r->k + r->asked_k, verdict[c->exit_code], c->cpu,
        c->peak_mb);
    if (r->target > 0) fprintf(f, "  asked %.2f s %s", r->target, c->cpu <= r->target ? "ok" : "MISSED");
    fputc('\n', f);
}

static bool run_row(const char *plumb, const char *scratch, const row *r, cost *c) {
    char path[128], operations[16], clients[16], k[16], asked[16];
    snprintf(path, sizeof path, "%s/quasi.jsonl", scratch);
    snprintf(operations, sizeof operations, "%u", r->operations);
    snprintf(clients, sizeof clients, "%u", r->clients);
    snprintf(k, sizeof k, "%u", r->k);
    snprintf(asked, sizeof asked, "%d", (int)r->k + r->asked_k);
    char *make[] = {(char *)(uintptr_t)plumb,
                    "generate",
                    "--object",
                    (char *)(uintptr_t)r->object,
                    "--ops",
                    operations,
                    "--threads",
                    clients,
                    "--overlap",
                    (char *)(uintptr_t)r->overlap,
                    "--relax",
                    k,
                    "--output",
                    path,
                    NULL};
    char *check[] = {(char *)(uintptr_t)plumb,
                     "check",
                     "--threads",
                     "1",
                     "--quasi",
                     asked,
                     "--quiet",
                     "--timeout",
                     "100",
                     path,
                     NULL};
    cost made = measure(make);
    *c = measure_best(check, r->target > 0 && r->target < 1 ? 9 : 2);
    unlink(path);
    int expected = r->asked_k < 0 ? 1 : 0;
    if (made.exit_code == 0 && (c->exit_code == expected || c->exit_code == 2)) return true;
    fprintf(stderr, "bench: quasi %s: exit code %d where %d was expected\n", r->object, c->exit_code, expected);
    return false;
}

bool quasi_table(const char *plumb, const char *scratch, FILE *results) {
    bool good = true;
    printf("quasi(k): CPU seconds, reading and evidence included, one core; best of 2, of 9 where less than a second "
           "is asked for\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cost c;
        if (!run_row(plumb, scratch, &rows[i], &c)) {
            good = false;
            continue;
        }
        line(stdout, &rows[i], &c);
        fflush(stdout);
        if (results) line(results, &rows[i], &c);
    }
    return good;
}
