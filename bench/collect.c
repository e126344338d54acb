#include "bench/collect.h"

#include "bench/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool collector_open(collector *c) {
    error e = {0};
    c->o = object_open("queue", NULL, &e);
    if (!c->o) return false;
    object_use_values(c->o, values_new());
    return true;
}

void collector_close(collector *c) {
    values *v = c->o->values;
    object_close(c->o);
    values_free(v);
}

/* ---- a line of talk_history: "thread,method,argument,returned-before,result " for each operation ---- */

typedef struct line_operation {
    uint64_t before;
    operation op;
} line_operation;

static bool read_operation(const char **at, values *v, uint32_t index, line_operation *out) {
    unsigned thread, declared;
    int64_t arg;
    char kind;
    int used = 0;
    if (sscanf(*at, "%u,%u,%" SCNd64 ",%" SCNx64 ",%c%n", &thread, &declared, &arg, &out->before, &kind, &used) != 5)
        return false;
    const char *result = *at + used;
    bool adds = arg != 0;
    out->op = (operation){.index = index,
                          .ret = 1,
                          .client = thread,
                          .method = !adds,
                          .nargs = adds,
                          .key = VALUE_NONE,
                          .res = kind == 'i'   ? value_int(v, strtoll(result, NULL, 10))
                                 : kind == 'e' ? VALUE_EMPTY
                                               : VALUE_NONE};
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) out->op.arg[a] = VALUE_NONE;
    if (adds) out->op.arg[0] = value_int(v, arg);
    *at = result + strcspn(result, " ");
    *at += **at == ' ';
    return kind == 'i' || kind == 'e' || kind == 'n';
}

static void add_event(observed *x, observed_what what, uint32_t op) {
    x->event[x->events++] = (observed_event){(uint8_t)what, (uint8_t)op};
}

/* Pasts are nested: by size, each past returns before those who have it are called. */
static void put_in_order(observed *x, const line_operation *o) {
    uint64_t returned = 0, all = (UINT64_C(1) << x->n) - 1;
    for (int size = 0; size <= (int)x->n; size++)
        for (uint32_t i = 0; i < x->n; i++) {
            if (__builtin_popcountll(o[i].before) != size) continue;
            for (uint64_t rest = o[i].before & ~returned; rest; rest &= rest - 1)
                add_event(x, OBSERVED_RETURN, (uint32_t)__builtin_ctzll(rest));
            returned |= o[i].before;
            add_event(x, OBSERVED_CALL, i);
        }
    for (uint64_t rest = all & ~returned; rest; rest &= rest - 1)
        add_event(x, OBSERVED_RETURN, (uint32_t)__builtin_ctzll(rest));
}

static void take_line(void *context, const char *line) {
    collector *c = context;
    line_operation o[OBSERVED_OPERATIONS];
    observed x = {.o = c->o};
    if (!line) {
        c->visit(c, NULL);
        return;
    }
    while (*line) {
        if (x.n == OBSERVED_OPERATIONS || !read_operation(&line, c->o->values, x.n, &o[x.n])) {
            c->unread++;
            return;
        }
        x.op[x.n] = o[x.n].op;
        x.n++;
    }
    put_in_order(&x, o);
    c->visit(c, &x);
}

/* ---- running ---- */

bool program_compile(const char *plumb, const char *source, const char *binary) {
    char command[512];
    snprintf(command, sizeof command, "%s cc -O2 -g -Iinclude %s -o %s", plumb, source, binary);
    if (!system(command)) return true;
    fprintf(stderr, "bench: %s\n", command);
    return false;
}

bool program_explore(const char *binary, run_request how, collector *c, campaign_result *r, double *cpu) {
    char *argv[] = {(char *)(uintptr_t)binary, NULL};
    error e = {0};
    run_answer a;
    how.filter = how.all = true;
    how.steps = 2000;
    if (c) {
        how.history = take_line;
        how.context = c;
    }
    double before = measure_children();
    session *s = session_open(binary, argv, &e);
    bool good = s && session_run(s, &how, NULL, NULL, &a, &e) && !a.died;
    if (good) {
        *r = a.result;
        run_answer_free(&a);
    } else fprintf(stderr, "bench: %s: %s\n", how.threads, e.what);
    session_close(s);
    *cpu = measure_children() - before;
    return good;
}
