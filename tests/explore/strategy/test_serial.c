#include "base/mem.h"
#include "explore/campaign/campaign.h"
#include "explore/model/execution.h"
#include "explore/outside/serial_runs.h"
#include "object/serial_object.h"
#include "support/cmocka.h"
#include "support/toy_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the strategy ---- */

typedef struct listed {
    world *w;
    char **line;
    unsigned n;
    bool sequential_only;
} listed;

static bool is_sequential(const uint32_t *order, uint32_t events) {
    for (uint32_t i = 0; i + 1 < events; i += 2)
        if (order[i] & 1 || order[i + 1] != order[i] + 1) return false;
    return events % 2 == 0;
}

static void list(void *context, const explored_operation *op, uint32_t n, const uint32_t *order, uint32_t events) {
    listed *l = context;
    text t = {0};
    if (!op || (l->sequential_only && !is_sequential(order, events))) return;
    talk_history(&t, op, n, order, events, l->w->values);
    l->line = MEM_GROW(l->line, char *, l->n + 1);
    l->line[l->n++] = t.at;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static listed histories(const toy_program *p, const char *name, bool sequential_only) {
    listed l = {.w = toy_open(p), .sequential_only = sequential_only};
    campaign_result r;
    campaign_options o = {.strategy = name, .check_each_history = true, .all = true, .history = list, .context = &l};
    assert_true(campaign_run(l.w, toy_run, &o, &r));
    assert_true(r.stage[0].exhausted);
    campaign_result_free(&r);
    toy_close(l.w);
    qsort(l.line, l.n, sizeof *l.line, by_text);
    return l;
}

static void listed_free_lines(listed *l) {
    for (unsigned i = 0; i < l->n; i++) free(l->line[i]);
    free(l->line);
}

/* Serial runs are the sequential ones among all histories: none is missing, none is more. */
static void exactly_the_sequential_histories(void **unused) {
    (void)unused;
    static const struct {
        toy_model model;
        const char *threads;
        unsigned runs;
    } cases[] = {{MODEL_QUEUE, "0:pg|g", 3},  {MODEL_QUEUE, "1:g|p", 2},         {MODEL_STACK, "1:pg|g", 3},
                 {MODEL_MUTEX, "0:pg|pg", 6}, {MODEL_BROKEN_QUEUE, "1:pg|g", 3}, {MODEL_SPIN, "0:p|g", 2}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        toy_program p;
        toy_structure(&p, cases[i].model, cases[i].threads);
        listed all = histories(&p, "dfs", true), serial = histories(&p, "serial", false);
        assert_int_equal(serial.n, cases[i].runs);
        assert_int_equal(all.n, serial.n);
        for (unsigned k = 0; k < all.n; k++) assert_string_equal(all.line[k], serial.line[k]);
        listed_free_lines(&all);
        listed_free_lines(&serial);
    }
}

/* ---- the automaton ---- */

enum { LETTERS = 3, LENGTH = 5, RUNS = 24 };

typedef struct run {
    uint32_t call[LENGTH], n;
} run;

static bool begins_with(const run *r, const uint32_t *prefix, uint32_t n) {
    return r->n >= n && !memcmp(r->call, prefix, n * sizeof *prefix);
}

static bool is_beginning(const run *r, unsigned all, const uint32_t *prefix, uint32_t n) {
    for (unsigned i = 0; i < all; i++)
        if (begins_with(&r[i], prefix, n)) return true;
    return !n;
}

/* All ways to go on from a beginning, as one text. */
static void continuations(const run *r, unsigned all, uint32_t *prefix, uint32_t n, text *out) {
    text_char(out, '(');
    for (uint32_t c = 0; c < LETTERS && n < LENGTH; c++) {
        prefix[n] = c;
        if (!is_beginning(r, all, prefix, n + 1)) continue;
        text_int(out, c);
        continuations(r, all, prefix, n + 1, out);
    }
    text_char(out, ')');
}

/* Beginnings with the same continuations are one state (Myhill and Nerode): how many there are. */
static unsigned states_needed(const run *r, unsigned all) {
    char *seen[RUNS * (LENGTH + 1)];
    unsigned n = 0;
    for (unsigned i = 0; i < all; i++)
        for (uint32_t length = 0; length <= r[i].n; length++) {
            uint32_t prefix[LENGTH + 1];
            memcpy(prefix, r[i].call, length * sizeof *prefix);
            text t = {0};
            continuations(r, all, prefix, length, &t);
            unsigned k = 0;
            while (k < n && strcmp(seen[k], t.at)) k++;
            if (k == n) seen[n++] = t.at;
            else text_free(&t);
        }
    for (unsigned k = 0; k < n; k++) free(seen[k]);
    return n;
}

static object *written_and_read(const serial_runs *s, uint32_t *states) {
    char path[] = "/tmp/plumb-test-XXXXXX.serial";
    int fd = mkstemps(path, 7);
    text t = {0};
    error e = {0};
    text_add(&t, SERIAL_FIRST_LINE
             "\nkey 0\nprogram other\nmethods m/0\nruns 0\ncalls 0\nstates 1\n\nend\nprogram a | b\nmethods m/0 p/1\n");
    *states = serial_runs_write(s, &t);
    text_add(&t, "end\n");
    assert_int_equal(write(fd, t.at, t.size), t.size);
    close(fd);
    text_free(&t);
    text name = {0};
    text_printf(&name, "%s:a | b", path);
    object *o = object_open(text_str(&name), NULL, &e);
    assert_string_equal(e.what, "");
    unlink(path);
    text_free(&name);
    return o;
}

/* Letters: m -> 1, m -> 2, p(7) -> none. */
static bool accepts(object *o, const uint32_t *call, uint32_t n) {
    state s = {0};
    bool good = true;
    o->type->init(o, &s);
    for (uint32_t i = 0; good && i < n; i++) {
        value res;
        operation op = {.method = call[i] == 2,
                        .nargs = call[i] == 2,
                        .key = VALUE_NONE,
                        .res = call[i] == 2 ? VALUE_NONE : value_int(o->values, 1 + (int64_t)call[i])};
        for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
            op.arg[a] = op.nargs && !a ? value_int(o->values, 7) : VALUE_NONE;
        good = o->type->step(o, &s, &op, 0, &res) == STEP_LEGAL;
    }
    state_free(&s);
    return good;
}

static void accepts_beginnings_only(object *o, const run *r, unsigned all, uint32_t *prefix, uint32_t n) {
    assert_int_equal(accepts(o, prefix, n), is_beginning(r, all, prefix, n));
    for (uint32_t c = 0; c < LETTERS && n < LENGTH; c++) {
        prefix[n] = c;
        accepts_beginnings_only(o, r, all, prefix, n + 1);
    }
}

static void smallest_and_the_same(void **unused) {
    (void)unused;
    random_source r = {77};
    for (unsigned round = 0; round < 200; round++) {
        run given[RUNS];
        unsigned n = 1 + random_below(&r, RUNS);
        serial_runs *s = serial_runs_new();
        values *v = values_new();
        uint32_t letter[LETTERS] = {serial_runs_call(s, "m = i1"), serial_runs_call(s, "m = i2"),
                                    serial_runs_call(s, "p 7 = n")};
        for (unsigned i = 0; i < n; i++) {
            given[i].n = 1 + random_below(&r, LENGTH);
            for (uint32_t k = 0; k < given[i].n; k++) given[i].call[k] = letter[random_below(&r, LETTERS)];
            bool known = false;
            for (unsigned k = 0; k < i; k++)
                known |= given[k].n == given[i].n && begins_with(&given[k], given[i].call, given[i].n);
            assert_int_equal(serial_runs_add(s, given[i].call, given[i].n), !known);
        }
        uint32_t states, prefix[LENGTH + 1];
        object *o = written_and_read(s, &states);
        assert_int_equal(states, states_needed(given, n));
        object_use_values(o, v);
        accepts_beginnings_only(o, given, n, prefix, 0);
        object_close(o);
        values_free(v);
        serial_runs_free(s);
    }
}

/* A pending operation may return whatever some run says: each is a choice. */
static void pending_has_choices(void **unused) {
    (void)unused;
    serial_runs *s = serial_runs_new();
    uint32_t a = serial_runs_call(s, "m = i1"), b = serial_runs_call(s, "m = i2"), c = serial_runs_call(s, "p 7 = n"),
             states;
    serial_runs_add(s, (uint32_t[]){a, c}, 2);
    serial_runs_add(s, (uint32_t[]){b}, 1);
    object *o = written_and_read(s, &states);
    values *v = values_new();
    object_use_values(o, v);
    operation op = {.method = 0, .key = VALUE_NONE, .res = VALUE_UNKNOWN, .arg = {VALUE_NONE, VALUE_NONE, VALUE_NONE}};
    state x = {0};
    value res;
    o->type->init(o, &x);
    assert_int_equal(o->type->step(o, &x, &op, 0, &res), STEP_LEGAL_MORE);
    assert_int_equal(value_as_int(v, res), 1);
    x.n = 0;
    o->type->init(o, &x);
    assert_int_equal(o->type->step(o, &x, &op, 1, &res), STEP_LEGAL);
    assert_int_equal(value_as_int(v, res), 2);
    x.n = 0;
    o->type->init(o, &x);
    assert_int_equal(o->type->step(o, &x, &op, 2, &res), STEP_ILLEGAL);
    state_free(&x);
    object_close(o);
    values_free(v);
    serial_runs_free(s);
}

static void bad_files_are_named_by_line(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", ":0: the file ends too early"},
        {"nonsense\n", ":1: 'nonsense'; expected \"plumb serial 1\""},
        {SERIAL_FIRST_LINE "\nkey 1\n", "no serial runs of 'x'"},
        {SERIAL_FIRST_LINE "\nkey 1\nprogram x\nmethods m\n", ":4: 'methods m'; expected method/arguments"},
        {SERIAL_FIRST_LINE "\nkey 1\nprogram x\nmethods m/0\nruns 1\ncalls 1\nq = n\n",
         ":7: 'q = n'; expected a method"},
        {SERIAL_FIRST_LINE "\nkey 1\nprogram x\nmethods m/1\nruns 1\ncalls 1\nm = n\n",
         ":7: 'm = n'; expected as many arguments"},
        {SERIAL_FIRST_LINE "\nkey 1\nprogram x\nmethods m/0\nruns 1\ncalls 1\nm = n\nstates 2\n0>0\n\nend\n",
         ":9: '0>0'; expected call>state"},
        {SERIAL_FIRST_LINE "\nkey 1\nprogram x\nmethods m/0\nruns 1\ncalls 1\nm = n\nstates 2\n0>1\n",
         "the file ends too early"},
        {SERIAL_FIRST_LINE "\nkey 1\nprogram x\nmethods m/0\nruns 1\ncalls 99999999999\n",
         ":6: 'calls 99999999999'; expected calls"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[] = "/tmp/plumb-test-XXXXXX.serial", what[64];
        int fd = mkstemps(path, 7);
        error e = {0};
        assert_int_equal(write(fd, cases[i].text, strlen(cases[i].text)), strlen(cases[i].text));
        close(fd);
        snprintf(what, sizeof what, "%s:x", path);
        assert_null(object_open(what, NULL, &e));
        assert_int_equal(e.code, EXIT_BAD_INPUT);
        if (!strstr(e.what, cases[i].said)) fail_msg("%s\nexpected %s", e.what, cases[i].said);
        unlink(path);
    }
}

TEST_MAIN(TEST(exactly_the_sequential_histories), TEST(smallest_and_the_same), TEST(pending_has_choices),
          TEST(bad_files_are_named_by_line))
