#include "object/serial_object.h"

#include "base/mem.h"
#include "base/pool.h"
#include "history/value_code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct serial_call { /* an operation with its result */
    uint8_t method, nargs;
    int64_t arg[HISTORY_MAX_ARGS];
    char *result;
} serial_call;

typedef struct edge {
    uint32_t call, to;
} edge;

typedef struct serial_behaviour {
    object_type type;
    method methods[OBJECT_METHODS];
    serial_call *calls;
    uint32_t call_count;
    edge *edges;
    uint32_t edge_count, edge_room;
    uint32_t *start; /* edges of state s: start[s] .. start[s+1]-1 */
    uint32_t states;
} serial_behaviour;

static const serial_behaviour *runs_of(const object *o) { return o->extra; }

/* ---- the object ---- */

static value result_of(const object *o, const serial_call *c) {
    const char *at = c->result;
    return value_decode(o->values, &at);
}

static bool same_call(const object *o, const serial_call *c, const operation *op) {
    if (c->method != op->method || c->nargs != op->nargs) return false;
    for (unsigned a = 0; a < c->nargs; a++)
        if (op->arg[a] != value_int(o->values, c->arg[a])) return false;
    return true;
}

static void init(const object *o, state *s) {
    (void)o;
    state_push(s, 0);
}

/* Of a finished operation there is one edge at most; of a pending one there may be one for each result. */
static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    const serial_behaviour *r = runs_of(o);
    uint32_t from = s->w[0], found = 0;
    for (uint32_t i = r->start[from]; i < r->start[from + 1]; i++) {
        const serial_call *c = &r->calls[r->edges[i].call];
        if (!same_call(o, c, op)) continue;
        value v = result_of(o, c);
        if (!operation_fits(op, v)) continue;
        if (found++ == choice) {
            s->w[0] = r->edges[i].to;
            *res = v;
        } else if (found == choice + 2) return STEP_LEGAL_MORE;
    }
    return step_if(found > choice);
}

uint32_t serial_next(const object *o, uint32_t from, uint32_t i, operation *op) {
    const serial_behaviour *r = runs_of(o);
    if (r->start[from] + i >= r->start[from + 1]) return UINT32_MAX;
    const edge *e = &r->edges[r->start[from] + i];
    const serial_call *c = &r->calls[e->call];
    *op = (operation){.method = c->method, .nargs = c->nargs, .key = VALUE_NONE, .res = result_of(o, c)};
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
        op->arg[a] = a < c->nargs ? value_int(o->values, c->arg[a]) : VALUE_NONE;
    return e->to;
}

static void describe(const object *o, const state *s, text *out) {
    operation op;
    uint32_t i = 0;
    for (; serial_next(o, s->w[0], i, &op) != UINT32_MAX; i++) {
        text_add(out, i ? ", " : "one that goes on with ");
        operation_print(o, &op, out);
    }
    if (!i) text_add(out, "the last");
}

/* What the same call returns there. */
static void why_not(const object *o, const state *s, const operation *op, text *out) {
    const serial_behaviour *r = runs_of(o);
    unsigned found = 0;
    for (uint32_t i = r->start[s->w[0]]; i < r->start[s->w[0] + 1]; i++) {
        const serial_call *c = &r->calls[r->edges[i].call];
        if (!same_call(o, c, op)) continue;
        text_add(out, found++ ? " or " : "run serially it returns ");
        value_print(o->values, result_of(o, c), out);
    }
    text_add(out, found ? " there" : "no serial run has it there");
}

static void close_runs(object *o) {
    serial_behaviour *r = o->extra;
    if (!r) return;
    for (unsigned m = 0; m < r->type.method_count; m++) free((char *)(uintptr_t)r->methods[m].name);
    for (uint32_t i = 0; i < r->call_count; i++) free(r->calls[i].result);
    FREE_ALL(r->calls, r->edges, r->start, r);
}

/* ---- reading ---- */

typedef struct serial_reader {
    FILE *f;
    const char *path;
    char *line;
    size_t room;
    unsigned number;
    error *e;
    pool_cleanup cleanup;
} serial_reader;

static bool next_line(serial_reader *r) {
    errno = 0;
    ssize_t n = getline(&r->line, &r->room, r->f);
    if (n < 0 && errno == ENOMEM) mem_exhausted("out of memory");
    if (n < 0)
        return error_set(r->e, EXIT_BAD_INPUT, "%s:%u: the file ends too early; expected more serial runs", r->path,
                         r->number);
    r->line[strcspn(r->line, "\n")] = 0;
    r->number++;
    return true;
}

static bool wrong(serial_reader *r, const char *expected) {
    return error_set(r->e, EXIT_BAD_INPUT, "%s:%u: '%.40s'; expected %s", r->path, r->number, r->line, expected);
}

/* The rest of a line that begins with this word; NULL: it does not. */
static const char *rest_of(const char *line, const char *word) {
    size_t n = strlen(word);
    if (strncmp(line, word, n) || (line[n] && line[n] != ' ')) return NULL;
    return line[n] ? line + n + 1 : line + n;
}

static bool read_count(serial_reader *r, const char *word, uint32_t *out) {
    const char *rest = next_line(r) ? rest_of(r->line, word) : NULL;
    char *end = NULL;
    if (r->e->code) return false;
    unsigned long n = rest ? strtoul(rest, &end, 10) : 0;
    if (!rest || end == rest || *end || n > UINT32_MAX / 16) return wrong(r, word);
    *out = (uint32_t)n;
    return true;
}

static bool read_methods(serial_reader *r, serial_behaviour *x) {
    const char *rest = next_line(r) ? rest_of(r->line, "methods") : NULL;
    if (r->e->code) return false;
    if (!rest) return wrong(r, "methods");
    for (const char *p = rest; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, "/ ");
        char *end = NULL;
        unsigned long nargs = p[n] == '/' ? strtoul(p + n + 1, &end, 10) : 0;
        if (!n || !end || end == p + n + 1 || (*end && *end != ' ') || nargs > HISTORY_MAX_ARGS ||
            x->type.method_count == OBJECT_METHODS)
            return wrong(r, "method/arguments");
        text name = {0};
        text_bytes(&name, p, n);
        x->methods[x->type.method_count++] =
            (method){.name = name.at, .min_args = (uint8_t)nargs, .max_args = (uint8_t)nargs, .result = RESULT_ANY};
        p = end;
    }
    return true;
}

static bool read_call(serial_reader *r, const serial_behaviour *x, serial_call *c) {
    if (!next_line(r)) return false;
    char *p = r->line + strcspn(r->line, " "), blank = *p;
    *p = 0;
    int m = object_type_own_method(&x->type, r->line);
    *p = blank;
    if (m < 0) return wrong(r, "a method");
    *c = (serial_call){.method = (uint8_t)m, .nargs = x->methods[m].min_args};
    for (unsigned a = 0; a < c->nargs; a++) {
        char *before = p;
        c->arg[a] = strtoll(before, &p, 10);
        if (p == before) return wrong(r, "as many arguments as the method has");
    }
    if (strncmp(p, " = ", 3) || !p[3]) return wrong(r, "method, arguments, =, result");
    c->result = mem_string(p + 3);
    return true;
}

static void add_edge(serial_behaviour *x, edge e) {
    if (x->edge_count == x->edge_room) {
        x->edge_room = x->edge_room ? 2 * x->edge_room : 64;
        x->edges = MEM_GROW(x->edges, edge, x->edge_room);
    }
    x->edges[x->edge_count++] = e;
}

/* States are numbered so that edges go up: what is read has an end. */
static bool read_state(serial_reader *r, serial_behaviour *x, uint32_t number) {
    if (!next_line(r)) return false;
    x->start[number] = x->edge_count;
    for (const char *p = r->line; *p; p += strspn(p, " ")) {
        char *end, *behind;
        unsigned long c = strtoul(p, &end, 10), to = *end == '>' ? strtoul(end + 1, &behind, 10) : 0;
        if (end == p || *end != '>' || behind == end + 1 || c >= x->call_count || to <= number || to >= x->states)
            return wrong(r, "call>state ...");
        add_edge(x, (edge){(uint32_t)c, (uint32_t)to});
        p = behind;
    }
    return true;
}

static bool read_runs(serial_reader *r, serial_behaviour *x) {
    uint32_t count, calls;
    if (!read_methods(r, x) || !read_count(r, "runs", &count) || !read_count(r, "calls", &calls)) return false;
    x->calls = mem_zero(calls + 1, sizeof *x->calls);
    for (uint32_t i = 0; i < calls; i++, x->call_count++)
        if (!read_call(r, x, &x->calls[i])) return false;
    if (!read_count(r, "states", &x->states)) return false;
    if (!x->states) return wrong(r, "at least one state");
    x->start = MEM_ARRAY(uint32_t, x->states + 1);
    for (uint32_t s = 0; s < x->states; s++)
        if (!read_state(r, x, s)) return false;
    x->start[x->states] = x->edge_count;
    return next_line(r) && (!strcmp(r->line, "end") || wrong(r, "end"));
}

/* Behind the line of that program; NULL: of the first. */
static bool find_program(serial_reader *r, const char *program) {
    if (!next_line(r)) return false;
    if (strcmp(r->line, SERIAL_FIRST_LINE)) return wrong(r, "\"" SERIAL_FIRST_LINE "\"");
    while (getline(&r->line, &r->room, r->f) >= 0) {
        r->number++;
        r->line[strcspn(r->line, "\n")] = 0;
        const char *there = rest_of(r->line, "program");
        if (there && (!program || !strcmp(there, program))) return true;
    }
    return error_set(
        r->e, EXIT_BAD_INPUT,
        "%s: no serial runs of '%s'; `plumb explore` makes them when it compares code with itself run serially",
        r->path, program ? program : "any program");
}

static object *runs_object(const char *path, const char *program, serial_reader *r) {
    serial_behaviour *x = MEM_NEW(serial_behaviour);
    object *o = MEM_NEW(object);
    x->type = (object_type){.name = "code run serially",
                            .summary = "what the code returns when operations happen one after the other",
                            .methods = x->methods,
                            .named_only = true,
                            .init = init,
                            .step = step,
                            .describe = describe,
                            .why_not = why_not,
                            .close = close_runs};
    o->type = &x->type;
    o->extra = x;
    o->name = mem_string(path);
    if (find_program(r, program) && read_runs(r, x)) return o;
    object_close(o);
    return NULL;
}

#define ENDING ".serial"

/* Behind the name of the file: ":program", or nothing. */
static const char *behind_file(const char *what) {
    for (const char *p = what; (p = strstr(p, ENDING)); p++)
        if (!p[strlen(ENDING)] || p[strlen(ENDING)] == ':') return p + strlen(ENDING);
    return NULL;
}

bool serial_named(const char *what) { return behind_file(what) != NULL; }

static void end_reading(void *reader) {
    serial_reader *r = reader;
    if (r->f) fclose(r->f);
    mem_foreign_free(r->line);
}

object *serial_open(const char *what, error *e) {
    const char *behind = behind_file(what);
    text path = {0};
    text_bytes(&path, what, (size_t)(behind - what));
    serial_reader r = {.path = text_str(&path), .e = e, .f = fopen(text_str(&path), "r")};
    object *o = NULL;
    if (!r.f) error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", r.path, strerror(errno));
    pool_at_failure(&r.cleanup, end_reading, &r);
    if (r.f) o = runs_object(r.path, *behind ? behind + 1 : NULL, &r);
    pool_forget(&r.cleanup);
    end_reading(&r);
    text_free(&path);
    return o;
}
