/* Measures `plumb check` end to end, reading included, on generated histories, beside merely parsing the same file in the
 * same run. Prints a table, appends it to bench/results, and draws how cost grows.
 *
 *     plumb_bench PLUMB [TABLE ...]     tables: search fast growth online quasi relaxation violin explore roundup coverage overhead report; default: all; `report` runs nothing
 *     plumb_bench --parse FILE          reads the file and does nothing else (run by itself)
 */
#include "bench/coverage.h"
#include "bench/explore.h"
#include "bench/measure.h"
#include "bench/online.h"
#include "bench/overhead.h"
#include "bench/plot.h"
#include "bench/quasi.h"
#include "bench/relaxation.h"
#include "bench/report.h"
#include "bench/roundup.h"
#include "bench/single_writer.h"
#include "bench/violin.h"

#include "base/budget.h"
#include "format/format.h"
#include "generate/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct shape {
    const char *name;
    const char *object;
    const char *engine;    /* NULL: auto */
    const char *format;
    uint32_t operations, clients, keys;
    double overlap;
    const char *mutation;  /* NULL: linearizable */
    double target;         /* seconds asked for; 0: none */
    const char *peer;      /* what the best known tool needs for the same, as published in the project's issues */
} shape;

static const shape search_shapes[] = {
    {"register, 4 clients", "register", "search", "plumb-jsonl", 100000, 4, 1, 0.5, NULL, 0.2, "2.2 s, 2.2 GB"},
    {"register, 4 clients, violation", "register", "search", "plumb-jsonl", 100000, 4, 1, 0.5, "stale-read", 0.2, ""},
    {"register, 4 clients", "register", "search", "plumb-jsonl", 1000000, 4, 1, 0.5, NULL, 2.5, "out of memory at 16 GB"},
    {"register, 4 clients, violation", "register", "search", "plumb-jsonl", 1000000, 4, 1, 0.5, "stale-read", 2.5, ""},
    {"register, 8 clients", "register", "search", "plumb-jsonl", 100000, 8, 1, 0.5, NULL, 1.0, "11.8 s, 10.4 GB"},
    {"register, 8 clients, violation", "register", "search", "plumb-jsonl", 100000, 8, 1, 0.5, "stale-read", 1.0, ""},
    {"kv, 64 keys", "kv", "search", "plumb-jsonl", 1000000, 4, 64, 0.5, NULL, 0.6, "5.9 s, 2.3 GB"},
    {"kv, 64 keys, violation", "kv", "search", "plumb-jsonl", 1000000, 4, 64, 0.5, "stale-read", 0.6, ""},
    {"set, 64 keys", "set", "search", "plumb-jsonl", 1000000, 4, 64, 0.5, NULL, 0.6, "4.9 s"},
    {"set, 64 keys, violation", "set", "search", "plumb-jsonl", 1000000, 4, 64, 0.5, "phantom-value", 0.6, ""},
};

static const shape fast_shapes[] = {
    {"queue", "queue", NULL, "operation-list", 1000000, 4, 1, 0.5, NULL, 0.20, "1.15 s"},
    {"queue, violation", "queue", NULL, "operation-list", 1000000, 4, 1, 0.5, "wrong-order", 0.20, ""},
    {"stack", "stack", NULL, "operation-list", 1000000, 4, 1, 0.5, NULL, 0.30, "2.25 s"},
    {"stack, violation", "stack", NULL, "operation-list", 1000000, 4, 1, 0.5, "wrong-order", 0.30, ""},
    {"priority queue", "pqueue-max", NULL, "operation-list", 1000000, 4, 1, 0.5, NULL, 0.30, "1.55 s"},
    {"priority queue, violation", "pqueue-max", NULL, "operation-list", 1000000, 4, 1, 0.5, "wrong-order", 0.30, ""},
    {"set", "set", NULL, "operation-list", 1000000, 4, 64, 0.5, NULL, 0.15, "0.71 s"},
    {"set, violation", "set", NULL, "operation-list", 1000000, 4, 64, 0.5, "phantom-value", 0.15, ""},
    {"register", "register", NULL, "operation-list", 1000000, 4, 1, 0.5, NULL, 0.20, "no tool"},
    {"register, violation", "register", NULL, "operation-list", 1000000, 4, 1, 0.5, "stale-read", 0.20, ""},
};

static const char *plumb, *self;
static char scratch[] = "/tmp/plumb-bench-XXXXXX";

typedef struct result {
    cost parse, check;
} result;

static bool fail(const error *e) {
    fprintf(stderr, "bench: %s\n", e->what);
    return false;
}

static bool make_file(const shape *s, const char *path) {
    error e = {0};
    object *o = object_open(s->object, NULL, &e);
    if (!o) return fail(&e);
    generate_options options;
    generate_standard(o, &options);
    options.operations = s->operations;
    options.clients = s->clients;
    options.keys = s->keys;
    options.overlap = s->overlap;
    options.mutation = s->mutation ? mutation_find(s->mutation) : NULL;
    if (s->mutation && !options.mutation) {
        error_set(&e, EXIT_USAGE, "unknown mutation %s", s->mutation);
        return fail(&e);
    }
    history *h = generate(o, &options, &e);
    bool good = h && format_write(path, format_find(s->format), h, o, &e);
    history_free(h);
    object_close(o);
    return good || fail(&e);
}

/* In a process of its own: what it needed would otherwise count as the peak of whoever is measured next. */
static bool make_file_apart(const shape *s, const char *path) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(make_file(s, path) ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0;
}

static bool run_shape(const shape *s, result *r) {
    char path[64];
    snprintf(path, sizeof path, "%s/history", scratch);
    if (!make_file_apart(s, path)) return false;
    unsigned runs = s->operations >= 10000000 ? 1 : 3;
    char *parse[] = {(char *)(uintptr_t)self, "--parse", path, NULL};
    char *check[] = {(char *)(uintptr_t)plumb, "check", "--threads", "1", "--object", (char *)(uintptr_t)s->object, "--engine",
                     (char *)(uintptr_t)(s->engine ? s->engine : "auto"), "--quiet", "--timeout", "100", path, NULL};
    r->parse = measure_best(parse, runs);
    r->check = measure_best(check, runs);
    unlink(path);
    int expected = s->mutation ? EXIT_VIOLATION : EXIT_LINEARIZABLE;
    if (r->check.exit_code == expected && r->parse.exit_code == 0) return true;
    fprintf(stderr, "bench: %s: exit code %d where %d was expected\n", s->name, r->check.exit_code, expected);
    return false;
}

static void line(FILE *f, const shape *s, const result *r) {
    fprintf(f, "%-32s %9" PRIu32 "  %7.3f s  %6.0f MB  %6.1f B/op  %5.2f x parse  %6.0f ns/op", s->name, s->operations, r->check.cpu,
            r->check.peak_mb, r->check.peak_mb * 1048576 / s->operations, r->check.cpu / r->parse.cpu, r->check.cpu * 1e9 / s->operations);
    if (s->target > 0) fprintf(f, "  asked %.2f s %s", s->target, r->check.cpu <= s->target ? "ok" : "MISSED");
    if (s->peer && *s->peer) fprintf(f, "  [%s]", s->peer);
    fputc('\n', f);
}

static void machine(FILE *f) {
    char name[128] = "unknown processor", buffer[256];
    FILE *cpu = fopen("/proc/cpuinfo", "r");
    while (cpu && fgets(buffer, sizeof buffer, cpu))
        if (sscanf(buffer, "model name : %127[^\n]", name) == 1) break;
    if (cpu) fclose(cpu);
    time_t now = time(NULL);
    strftime(buffer, sizeof buffer, "%Y-%m-%d", gmtime(&now));
    fprintf(f, "# %s, %s, %ld cores, plumb %s\n", buffer, name, sysconf(_SC_NPROCESSORS_ONLN), PLUMB_VERSION);
}

static bool run_table(const char *name, const char *title, const shape *s, size_t count) {
    char path[64];
    snprintf(path, sizeof path, "bench/results/%s.txt", name);
    FILE *results = fopen(path, "a");
    bool good = true;
    printf("%s: CPU seconds, reading included, one core; best of 3\n", title);
    if (results) machine(results);
    for (size_t i = 0; i < count; i++) {
        result r;
        if (!run_shape(&s[i], &r)) {
            good = false;
            continue;
        }
        line(stdout, &s[i], &r);
        fflush(stdout);
        if (results) line(results, &s[i], &r);
    }
    if (results) fclose(results);
    return good;
}

/* ---- growth --------------------------------------------------------------------------------------------------------- */

static bool grow(const shape *base, uint32_t from, uint32_t to, const char *written_as, series *time, FILE *results) {
    shape s = *base;
    s.target = 0;
    s.peer = "";
    s.format = written_as;
    for (uint32_t n = from; n <= to && n; n *= 10) {
        result r;
        s.operations = n;
        if (!run_shape(&s, &r)) return false;
        time->x[time->n] = n;
        time->y[time->n++] = r.check.cpu > 1e-4 ? r.check.cpu : 1e-4;
        line(stdout, &s, &r);
        fflush(stdout);
        if (results) line(results, &s, &r);
    }
    return true;
}

static bool run_growth(void) {
    static const unsigned picks[] = {0, 4, 6, 8};
    series search_time[4] = {0}, fast_time[5] = {0};
    FILE *results = fopen("bench/results/growth.txt", "a");
    bool good = true;
    if (results) machine(results);
    printf("growth of search, 10^3 to 10^6 operations\n");
    for (unsigned i = 0; i < 4; i++) {
        search_time[i].name = search_shapes[picks[i]].name;
        good &= grow(&search_shapes[picks[i]], 1000, 1000000, "plumb-jsonl", &search_time[i], results);
    }
    plot_write("bench/results/growth-search.svg", "plumb check --engine search", "operations", "CPU seconds", search_time, 4);
    const char *most = getenv("PLUMB_BENCH_MOST"); /* 100000000 for the long run */
    uint32_t limit = most ? (uint32_t)strtoul(most, NULL, 10) : 10000000;
    printf("growth of the near-linear engines, 10^4 to %" PRIu32 " operations, binary format\n", limit);
    for (unsigned i = 0; i < 5; i++) {
        fast_time[i].name = fast_shapes[2 * i].name;
        good &= grow(&fast_shapes[2 * i], 10000, limit, "plumb-binary", &fast_time[i], results);
    }
    plot_write("bench/results/growth-fast.svg", "plumb check, near-linear engines", "operations", "CPU seconds", fast_time, 5);
    if (results) fclose(results);
    return good;
}

typedef bool make_table(FILE *results);

static bool online(FILE *results) { return online_table(results); }
static bool explore(FILE *results) { return explore_table(plumb, scratch, results); }
static bool quasi(FILE *results) { return quasi_table(plumb, scratch, results); }
static bool relaxation(FILE *results) { return relaxation_table(plumb, scratch, results); }
static bool violin(FILE *results) { return violin_tables(results) && single_writer_table(results); }
static bool roundup(FILE *results) { return roundup_tables(plumb, scratch, results); }
static bool coverage(FILE *results) { return coverage_table(plumb, scratch, results); }
static bool overhead(FILE *results) { return overhead_table(plumb, scratch, results); }

/* Into its own file below bench/results. */
static bool run_recorded(const char *file, make_table *make) {
    char path[64];
    snprintf(path, sizeof path, "bench/results/%s.txt", file);
    FILE *results = fopen(path, "a");
    if (results) machine(results);
    bool good = make(results);
    if (results) fclose(results);
    return good;
}

static int parse_only(const char *path) {
    error e = {0};
    const format *used;
    history *h = format_read(path, &(read_options){0}, &used, &e);
    if (!h) fail(&e);
    history_free(h);
    return e.code;
}

#define TABLE(name, title, shapes) run_table(name, title, shapes, sizeof shapes / sizeof *shapes)

static bool wanted(int argc, char **argv, const char *name) {
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], name)) return true;
    return argc <= 2;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--parse")) return parse_only(argv[2]);
    if (argc < 2) {
        fprintf(stderr, "usage: plumb_bench PLUMB [search] [fast] [growth] [online] [quasi] [relaxation] [violin] [explore] [roundup] [coverage] [overhead] [report]\n");
        return EXIT_USAGE;
    }
    self = argv[0];
    plumb = argv[1];
    if (!mkdtemp(scratch)) {
        perror("bench: scratch folder");
        return EXIT_CANNOT_OPEN;
    }
    bool good = true;
    if (wanted(argc, argv, "search")) good &= TABLE("search", "general search", search_shapes);
    if (wanted(argc, argv, "fast")) good &= TABLE("fast", "near-linear engines", fast_shapes);
    if (wanted(argc, argv, "growth")) good &= run_growth();
    static const struct {
        const char *name, *file;
        make_table *make;
    } tables[] = {{"online", "online", online}, {"quasi", "quasi", quasi}, {"relaxation", "relaxation", relaxation}, {"violin", "violin", violin}, {"explore", "explore", explore},
                  {"roundup", "roundup", roundup}, {"coverage", "reachability-coverage", coverage}, {"overhead", "reachability-overhead", overhead}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (wanted(argc, argv, tables[i].name)) good &= run_recorded(tables[i].file, tables[i].make);
    good &= bench_report("bench/results", "bench/report.html");
    rmdir(scratch);
    return good ? 0 : 1;
}
