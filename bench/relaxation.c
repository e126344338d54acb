#include "bench/relaxation.h"

#include "bench/measure.h"

#include "base/mem.h"
#include "evidence/measure.h"
#include "format/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { NUMBERS_MOST = 4096, RUNS = 20 };

typedef struct sums {
    uint32_t ahead[NUMBERS_MOST], overtaken[NUMBERS_MOST];
    uint64_t operations;
    /* histories; the largest smallest k; no k will do; not decided in time */
    uint32_t measured, most, unbounded, unknown;
} sums;

static void add_tally(uint32_t *to, const tally *t) {
    for (uint32_t k = 0; k < t->n; k++) to[k < NUMBERS_MOST ? k : NUMBERS_MOST - 1] += t->times[k];
}

static bool take(const char *path, const char *object_name, sums *s) {
    error e = {0};
    history *h = format_read(path, &(read_options){0}, NULL, &e);
    object *o = h ? object_open(object_name, NULL, &e) : NULL;
    relaxation found = {0};
    budget b;
    budget_init(&b, 10, 0);
    bool good = o && object_relax(o, &(criterion){.kind = CRITERION_QUASI}, &e) && object_bind(o, h, path, &e) &&
                measure_relaxation(h, o, &(judge_options){0}, &b, NULL, &found, &e);
    if (good) {
        s->operations += h->n;
        if (found.bounded && found.low == found.high) {
            s->measured++;
            if (found.high > s->most) s->most = found.high;
            add_tally(s->ahead, &found.ahead);
            add_tally(s->overtaken, &found.overtaken);
        } else if (!found.bounded && found.above.verdict == VERDICT_VIOLATION) {
            s->unbounded++;
        } else {
            s->unknown++;
        }
        relaxation_free(&found);
    } else {
        fprintf(stderr, "bench: %s\n", e.what);
    }
    history_free(h);
    object_close(o);
    return good;
}

static void print_tally(FILE *f, const char *name, const char *what, const uint32_t *times) {
    uint32_t n = NUMBERS_MOST;
    while (n && !times[n - 1]) n--;
    if (!n) return;
    fprintf(f, "%s  %s:", name, what);
    for (uint32_t k = 0; k < n; k++) fprintf(f, " %" PRIu32, times[k]);
    fputc('\n', f);
}

static void print_sums(FILE *f, const char *name, const sums *s) {
    fprintf(f,
            "%s  %" PRIu64 " operations  smallest k at most %" PRIu32 " in %" PRIu32 "  none will do in %" PRIu32
            "  not decided in 10 s: %" PRIu32 "\n",
            name, s->operations, s->most, s->measured, s->unbounded, s->unknown);
    print_tally(f, name, "ahead", s->ahead);
    print_tally(f, name, "overtaken", s->overtaken);
}

static void print_both(FILE *results, const char *name, const sums *s) {
    print_sums(stdout, name, s);
    fflush(stdout);
    if (results) print_sums(results, name, s);
}

static bool recorded(FILE *results) {
    static const char *const name[] = {"dq", "rdq", "bkq", "ukq"};
    const char *where = getenv("PLUMB_DATA");
    char path[1024], title[64];
    if (!where) where = "../shared/data";
    if (access(where, R_OK)) return true;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        sums *s = MEM_NEW(sums);
        bool good = true;
        for (unsigned n = 0; n < RUNS && good; n++) {
            snprintf(path, sizeof path, "%s/violin/small/%s/ScalObject-%s.%02u.log", where, name[i], name[i], n);
            good = take(path, "queue", s);
        }
        snprintf(title, sizeof title, "%s, %d recorded runs", name[i], RUNS);
        if (good) print_both(results, title, s);
        free(s);
        if (!good) return false;
    }
    return true;
}

static bool generated(const char *plumb, const char *scratch, FILE *results) {
    static const char *const object_name[] = {"queue", "stack", "pqueue-max"};
    char path[128], title[64];
    snprintf(path, sizeof path, "%s/relaxed.jsonl", scratch);
    for (size_t i = 0; i < sizeof object_name / sizeof *object_name; i++) {
        char *make[] = {(char *)(uintptr_t)plumb,
                        "generate",
                        "--object",
                        (char *)(uintptr_t)object_name[i],
                        "--ops",
                        "10000",
                        "--threads",
                        "4",
                        "--relax",
                        "8",
                        "--output",
                        path,
                        NULL};
        sums *s = MEM_NEW(sums);
        bool good = measure(make).exit_code == 0 && take(path, object_name[i], s);
        unlink(path);
        snprintf(title, sizeof title, "%s, built for k = 8", object_name[i]);
        if (good) print_both(results, title, s);
        free(s);
        if (!good) return false;
    }
    return true;
}

bool relaxation_table(const char *plumb, const char *scratch, FILE *results) {
    printf("displacement and lateness in the orders that --measure finds: how often 0, 1, 2, ... occurred\n");
    return recorded(results) && generated(plumb, scratch, results);
}
