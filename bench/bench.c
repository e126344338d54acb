/* Measures `plumb check` end to end, reading included, on generated histories, beside merely parsing the same file in
 * the same run. Prints a table, appends it to bench/results, and draws how cost grows.
 *
 *     plumb_bench PLUMB [TABLE ...]     tables: search fast growth-search growth online quasi relaxation violin explore
 *     roundup coverage overhead report; default: all; `report` runs nothing plumb_bench --parse FILE...       reads the
 *     files and does nothing else (run by itself) plumb_bench --touch MEGABYTES     asks for so much memory and touches
 *     it (run by itself)
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
#include "base/mem.h"
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
    const char *engine; /* NULL: auto */
    const char *format;
    uint32_t operations, clients, keys;
    double overlap;
    const char *mutation; /* NULL: linearizable */
    double target;        /* seconds asked for; 0: none */
    const char *peer;     /* what the best known tool needs for the same, as published in the project's issues */
} shape;

static const shape search_shapes[] = {
    {"register, 4 clients", "register", "search", "plumb-jsonl", 100000, 4, 1, 0.5, NULL, 0.2, "2.2 s, 2.2 GB"},
    {"register, 4 clients, violation", "register", "search", "plumb-jsonl", 100000, 4, 1, 0.5, "stale-read", 0.2, ""},
    {"register, 4 clients", "register", "search", "plumb-jsonl", 1000000, 4, 1, 0.5, NULL, 2.5,
     "out of memory at 16 GB"},
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
    cost check;   /* of one history: the best of the runs */
    double ratio; /* to only parsing it, run by run: the median, which a busy machine hardly changes */
} result;

enum { MOST_FILES = 1000, MOST_RUNS = 15, MANY = 10000000 };

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

/* In a process of its own: what it needed would otherwise count as the peak of what is measured next. */
static bool make_file_apart(const shape *s, const char *path) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(make_file(s, path) ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0;
}

static void add_words(char **words, unsigned *n, const char *const *more) {
    for (; *more; more++) words[(*n)++] = (char *)(uintptr_t)*more;
}

/* The cost of one of the files, which are all the same. */
static cost measure_files(const char *const *command, const char *path, unsigned files) {
    char *words[MOST_FILES + 16];
    unsigned n = 0;
    add_words(words, &n, command);
    for (unsigned i = 0; i < files; i++) add_words(words, &n, (const char *const[]){path, NULL});
    words[n] = NULL;
    cost c = measure(words);
    c.cpu /= files;
    c.user /= files;
    c.wall /= files;
    return c;
}

/* A virtual machine gets memory from its host when it is touched for the first time, for several times the price of the
 * second time, and gives it back some time after it was used last. So another process touches as much, just before
 * gigabytes are needed. */
static void warm_up(uint32_t operations) {
    enum { BYTES_EACH = 64 };
    if (operations < MANY) return;
    char megabytes[32];
    snprintf(megabytes, sizeof megabytes, "%" PRIu64, (uint64_t)operations * BYTES_EACH >> 20);
    char *const touch[] = {(char *)(uintptr_t)self, "--touch", megabytes, NULL};
    measure(touch);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool run_shape(const shape *s, unsigned files, result *r) {
    char path[64];
    snprintf(path, sizeof path, "%s/history", scratch);
    if (!make_file_apart(s, path)) return false;
    unsigned runs = s->operations >= 10 * MANY ? 2 : s->operations >= MANY ? 7 : MOST_RUNS;
    double ratio[MOST_RUNS];
    bool parsed = true;
    const char *const parse[] = {self, "--parse", NULL};
    const char *const check[] = {plumb,      "check",     "--threads", "1",
                                 "--object", s->object,   "--engine",  s->engine ? s->engine : "auto",
                                 "--quiet",  "--timeout", "3600",      NULL};
    for (unsigned i = 0; i < runs; i++) {
        warm_up(s->operations);
        cost only_parsed = measure_files(parse, path, files);
        warm_up(s->operations);
        cost checked = measure_files(check, path, files);
        parsed &= only_parsed.exit_code == 0;
        ratio[i] = checked.cpu / only_parsed.cpu;
        if (i == 0 || checked.cpu < r->check.cpu || checked.exit_code != r->check.exit_code) r->check = checked;
    }
    qsort(ratio, runs, sizeof *ratio, ascending);
    r->ratio = ratio[runs / 2];
    unlink(path);
    int expected = s->mutation ? EXIT_VIOLATION : EXIT_LINEARIZABLE;
    if (r->check.exit_code == expected && parsed) return true;
    fprintf(stderr, "bench: %s: exit code %d where %d was expected\n", s->name, r->check.exit_code, expected);
    return false;
}

static void line(FILE *f, const shape *s, const result *r) {
    fprintf(f, "%-32s %9" PRIu32 "  %7.3f s  %6.0f MB  %6.1f B/op  %5.2f x parse  %6.0f ns/op, %6.0f user", s->name,
            s->operations, r->check.cpu, r->check.peak_mb, r->check.peak_mb * 1048576 / s->operations, r->ratio,
            r->check.cpu * 1e9 / s->operations, r->check.user * 1e9 / s->operations);
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
    printf("%s: CPU seconds, reading included, one core; best of 15, and the median ratio to only parsing\n", title);
    if (results) machine(results);
    for (size_t i = 0; i < count; i++) {
        result r;
        if (!run_shape(&s[i], 1, &r)) {
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

/* ---- growth ---- */

typedef struct spread {
    double least, most; /* seconds for an operation */
} spread;

static void spread_add(spread *s, double each) {
    if (s->most == 0 || each < s->least) s->least = each;
    if (each > s->most) s->most = each;
}

static void flatness(FILE *f, const char *of, const spread *s) {
    fprintf(f, "%-32s %s: between %.0f and %.0f ns/op, %.2f times\n", "", of, s->least * 1e9, s->most * 1e9,
            s->most / s->least);
}

/* Starting the command costs some milliseconds whatever it reads; short histories are checked many times in one run. */
static bool grow(const shape *base, uint32_t from, uint32_t to, const char *written_as, series *time, FILE *results) {
    enum { ENOUGH = 1000000 };
    shape s = *base;
    s.target = 0;
    s.peer = "";
    s.format = written_as;
    spread user = {0}, all = {0};
    for (uint32_t n = from; n <= to && n; n *= 10) {
        result r;
        s.operations = n;
        if (!run_shape(&s, n < ENOUGH ? ENOUGH / n : 1, &r)) return false;
        time->x[time->n] = n;
        time->y[time->n++] = r.check.cpu > 1e-4 ? r.check.cpu : 1e-4;
        spread_add(&user, r.check.user / n);
        spread_add(&all, r.check.cpu / n);
        line(stdout, &s, &r);
        fflush(stdout);
        if (results) line(results, &s, &r);
        if (results) fflush(results);
    }
    FILE *const out[] = {stdout, results};
    for (unsigned k = 0; k < 2 && out[k]; k++) {
        flatness(out[k], "user time", &user);
        flatness(out[k], "with the kernel's", &all);
    }
    return true;
}

static bool run_growth_of_search(void) {
    static const unsigned picks[] = {0, 4, 6, 8};
    series search_time[4] = {0};
    FILE *results = fopen("bench/results/growth-search.txt", "a");
    bool good = true;
    if (results) machine(results);
    printf("growth of search, 10^3 to 10^6 operations\n");
    for (unsigned i = 0; i < 4; i++) {
        search_time[i].name = search_shapes[picks[i]].name;
        good &= grow(&search_shapes[picks[i]], 1000, 1000000, "plumb-jsonl", &search_time[i], results);
    }
    plot_write("bench/results/growth-search.svg", "plumb check --engine search", "operations", "CPU seconds",
               search_time, 4);
    if (results) fclose(results);
    return good;
}

static bool run_growth(void) {
    series fast_time[5] = {0};
    FILE *results = fopen("bench/results/growth.txt", "a");
    bool good = true;
    if (results) machine(results);
    const char *most = getenv("PLUMB_BENCH_MOST"); /* 100000000 for the long run */
    uint32_t limit = most ? (uint32_t)strtoul(most, NULL, 10) : 10000000;
    printf("growth of the near-linear engines, 10^4 to %" PRIu32
           " operations, binary format; from 10^7 on, in memory that was touched just before\n",
           limit);
    for (unsigned i = 0; i < 5; i++) {
        fast_time[i].name = fast_shapes[2 * i].name;
        good &= grow(&fast_shapes[2 * i], 10000, limit, "plumb-binary", &fast_time[i], results);
        /* what there is so far */
        plot_write("bench/results/growth-fast.svg", "plumb check, near-linear engines", "operations", "CPU seconds",
                   fast_time, i + 1);
    }
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

static int parse_only(char *const *path) {
    error e = {0};
    mem_keep_freed(); /* as the command does */
    for (const format *used; *path && !e.code; path++) {
        history *h = format_read(*path, &(read_options){0}, &used, &e);
        if (!h) fail(&e);
        history_free(h);
    }
    return e.code;
}

static int touch_only(size_t megabytes) {
    enum { PAGE = 4096 };
    size_t size = megabytes << 20;
    volatile char *memory = mem_alloc(size);
    for (size_t i = 0; i < size; i += PAGE) memory[i] = 1;
    return 0;
}

#define TABLE(name, title, shapes) run_table(name, title, shapes, sizeof shapes / sizeof *shapes)

static bool wanted(int argc, char **argv, const char *name) {
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], name)) return true;
    return argc <= 2;
}

int main(int argc, char **argv) {
    if (argc >= 3 && !strcmp(argv[1], "--parse")) return parse_only(argv + 2);
    if (argc == 3 && !strcmp(argv[1], "--touch")) return touch_only(strtoul(argv[2], NULL, 10));
    if (argc < 2) {
        fprintf(stderr, "usage: plumb_bench PLUMB [search] [fast] [growth-search] [growth] [online] [quasi] "
                        "[relaxation] [violin] [explore] [roundup] [coverage] [overhead] [report]\n");
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
    if (wanted(argc, argv, "growth-search")) good &= run_growth_of_search();
    if (wanted(argc, argv, "growth")) good &= run_growth();
    static const struct {
        const char *name, *file;
        make_table *make;
    } tables[] = {{"online", "online", online},
                  {"quasi", "quasi", quasi},
                  {"relaxation", "relaxation", relaxation},
                  {"violin", "violin", violin},
                  {"explore", "explore", explore},
                  {"roundup", "roundup", roundup},
                  {"coverage", "reachability-coverage", coverage},
                  {"overhead", "reachability-overhead", overhead}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (wanted(argc, argv, tables[i].name)) good &= run_recorded(tables[i].file, tables[i].make);
    good &= bench_report("bench/results", "bench/report.html");
    rmdir(scratch);
    return good ? 0 : 1;
}
