#include "explore/outside/serial_phase.h"

#include "base/mem.h"
#include "base/whole_file.h"
#include "explore/outside/serial_runs.h"
#include "object/serial_object.h"

#include <assert.h>
#include <plumbline/test.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct known_program {
    char *threads; /* "": main */
    serial_count phase;
    bool used; /* in this run */
} known_program;

struct serial_phase {
    serial_phase_options o;
    session *session; /* of the program whose runs they are; NULL until it is needed */
    text methods;     /* "enq/1 deq/0" */
    struct {
        char *name;
        unsigned nargs;
    } * method; /* by number */
    unsigned method_count;
    char key[48];
    known_program *program;
    unsigned programs;
    pthread_mutex_t lock;
};

/* ---- the file ---- */

/* Of the bytes of the program (FNV-1a), and of what the machine is told: written to files, so it must stay the same. */
static bool find_key(serial_phase *s, error *e) {
    unsigned char block[65536];
    uint64_t hash = UINT64_C(14695981039346656037), size = 0;
    FILE *f = fopen(s->o.binary, "rb");
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", s->o.binary, strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0; size += n)
        for (size_t i = 0; i < n; i++) hash = (hash ^ block[i]) * UINT64_C(1099511628211);
    fclose(f);
    for (const char *p = s->o.how.reuse ? s->o.how.reuse : ""; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
    snprintf(s->key, sizeof s->key, "%" PRIu64 " %016" PRIx64, size + s->o.how.steps, hash);
    return true;
}

static known_program *program_find(const serial_phase *s, const char *threads) {
    for (unsigned i = 0; i < s->programs; i++)
        if (!strcmp(s->program[i].threads, threads ? threads : "")) return &s->program[i];
    return NULL;
}

static known_program *program_add(serial_phase *s, const char *threads) {
    s->program = MEM_GROW(s->program, known_program, s->programs + 1);
    s->program[s->programs] = (known_program){.threads = mem_string(threads)};
    return &s->program[s->programs++];
}

static const char *value_behind(const char *line, const char *word) {
    size_t n = strlen(word);
    return !strncmp(line, word, n) ? line + n : NULL;
}

static void programs_forget(serial_phase *s) {
    for (unsigned i = 0; i < s->programs; i++) free(s->program[i].threads);
    free(s->program);
    s->program = NULL;
    s->programs = 0;
}

/* True: the file has runs of this very program, and `s` knows of which test programs. What ends in the middle of a
 * section, because a process was killed there, counts for nothing. */
static bool read_known(serial_phase *s, FILE *f) {
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool same = false, whole = true;
    known_program *now = NULL;
    for (ssize_t n; (n = getline(&line, &room, f)) >= 0 && number < 3;) {
        const char *rest;
        whole = line[n - 1] == '\n' && (number < 2 || value_behind(line, "given-up "));
        line[strcspn(line, "\n")] = 0;
        if (number < 2) {
            same = number == 0 ? !strcmp(line, SERIAL_FIRST_LINE)
                               : (rest = value_behind(line, "key ")) && !strcmp(rest, s->key);
            number = same ? number + 1 : 3;
        } else if ((rest = value_behind(line, "program"))) {
            now = program_add(s, *rest == ' ' ? rest + 1 : rest);
            now->phase.kept = true;
        } else if (now && (rest = value_behind(line, "runs "))) now->phase.runs = strtoull(rest, NULL, 10);
        else if (now && (rest = value_behind(line, "orders "))) now->phase.orders = strtoull(rest, NULL, 10);
        else if (now && (rest = value_behind(line, "given-up "))) now->phase.given_up = strtoull(rest, NULL, 10);
        else if (now && (rest = value_behind(line, "states "))) now->phase.states = (uint32_t)strtoul(rest, NULL, 10);
    }
    free(line);
    if (!same || !whole) programs_forget(s);
    return same && whole;
}

static bool append_text(const char *path, const text *t, error *e) {
    FILE *f = fopen(path, "a");
    bool good = f && fwrite(t->at, 1, t->size, f) == t->size;
    if (f && fclose(f)) good = false;
    return good || error_set(e, EXIT_CANNOT_OPEN, "cannot write %s: %s", path, strerror(errno));
}

static bool file_ready(serial_phase *s, error *e) {
    FILE *f = fopen(s->o.path, "r");
    bool same = f && read_known(s, f);
    if (f) fclose(f);
    if (same) return true;
    text head = {0};
    text_printf(&head, SERIAL_FIRST_LINE "\nkey %s\n", s->key);
    bool good = whole_file_write(s->o.path, head.at, head.size, e);
    text_free(&head);
    return good;
}

/* ---- opening ---- */

static bool find_methods(serial_phase *s, error *e) {
    declarations d = {0};
    if (!session_declarations(s->session, &d, e)) return false;
    for (unsigned i = 0; i < d.items; i++) {
        if (d.item[i].kind != PLUMB_ITEM_OPERATION) continue;
        text_printf(&s->methods, " %s/%u", d.item[i].words, d.item[i].nargs);
        s->method = mem_resize(s->method, s->method_count + 1, sizeof *s->method);
        s->method[s->method_count].name = mem_string(d.item[i].words);
        s->method[s->method_count++].nargs = d.item[i].nargs;
    }
    declarations_free(&d);
    return true;
}

serial_phase *serial_phase_open(const serial_phase_options *o, error *e) {
    serial_phase *s = MEM_NEW(serial_phase);
    s->o = *o;
    pthread_mutex_init(&s->lock, NULL);
    if (find_key(s, e) && file_ready(s, e)) return s;
    serial_phase_close(s);
    return NULL;
}

void serial_phase_close(serial_phase *s) {
    if (!s) return;
    session_close(s->session);
    programs_forget(s);
    for (unsigned i = 0; i < s->method_count; i++) free(s->method[i].name);
    free(s->method);
    text_free(&s->methods);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void serial_phase_name(const serial_phase *s, const char *threads, text *out) {
    text_printf(out, "%s:%s", s->o.path, threads ? threads : "");
}

void serial_phase_total(serial_phase *s, serial_count *out, uint64_t *programs) {
    *out = (serial_count){.kept = true};
    *programs = 0;
    for (unsigned i = 0; i < s->programs; i++) {
        const serial_count *p = &s->program[i].phase;
        if (!s->program[i].used) continue;
        assert(p->kept || p->runs <= p->orders);
        out->orders += p->orders;
        out->runs += p->runs;
        out->given_up += p->given_up;
        out->states += p->states;
        out->kept &= p->kept;
        ++*programs;
    }
}

/* ---- runs ---- */

typedef struct collector {
    const serial_phase *s;
    serial_runs *runs;
    uint64_t orders;
    uint64_t unfinished; /* an exception left an operation, which therefore has no result */
} collector;

/* One operation of a history as explore/model/execution.h writes it:
 * "thread,method,argument;argument,returned-before,result". Where all others returned before its call or were called
 * after its return, those before it are its place. */
static bool take_operation(collector *c, const char *from, size_t length, uint32_t *call, uint32_t *position) {
    char word[4200];
    if (length >= sizeof word) return false;
    memcpy(word, from, length);
    word[length] = 0;
    char *declared = strchr(word, ','), *args = declared ? strchr(declared + 1, ',') : NULL,
         *before = args ? strchr(args + 1, ',') : NULL, *result = before ? strchr(before + 1, ',') : NULL;
    unsigned long number = declared ? strtoul(declared + 1, NULL, 10) : 0;
    if (!result || !result[1] || number >= c->s->method_count) return false;
    text line = {0};
    text_add(&line, c->s->method[number].name);
    char *a = args + 1;
    for (unsigned i = 0; i < c->s->method[number].nargs; i++, a += *a == ';')
        text_printf(&line, " %" PRId64, (int64_t)strtoll(a, &a, 10));
    text_printf(&line, " = %s", result + 1);
    *call = serial_runs_call(c->runs, text_str(&line));
    *position = (uint32_t)__builtin_popcountll(strtoull(before + 1, NULL, 16));
    text_free(&line);
    return true;
}

static void take_run(void *context, const char *listed) {
    collector *c = context;
    uint32_t run[OPERATIONS_MAX] = {0}, n = 0;
    uint64_t placed = 0;
    if (!listed) {
        serial_runs_free(c->runs);
        c->runs = serial_runs_new();
        c->orders = c->unfinished = 0;
        return;
    }
    for (const char *p = listed; *p && n < OPERATIONS_MAX; n++) {
        size_t length = strcspn(p, " ");
        uint32_t call, position;
        if (!take_operation(c, p, length, &call, &position) || position >= OPERATIONS_MAX) {
            c->unfinished++;
            return;
        }
        placed |= UINT64_C(1) << position;
        run[position] = call;
        p += length + (p[length] == ' ');
    }
    if ((unsigned)__builtin_popcountll(placed) != n || (n < OPERATIONS_MAX && placed >> n)) {
        c->unfinished++; /* two have the same place: they overlap */
        return;
    }
    serial_runs_add(c->runs, run, n);
    c->orders++;
}

/* Waiting for ever is no outcome when the others were not let in; everything else is a failure of the code itself. */
static bool is_waiting(const campaign_result *r) {
    return r->failure == FAILURE_DEADLOCK || r->failure == FAILURE_LIVELOCK;
}

static serial_outcome collect(serial_phase *s, const char *threads, double seconds, collector *c, serial_count *out,
                              run_answer *a, error *e) {
    run_request r = s->o.how;
    r.threads = threads;
    r.object = r.monitor = r.criterion = NULL;
    r.strategy = "serial";
    r.all = r.each_history = r.filter = true;
    r.trust_loops = r.symmetry = false;
    r.progress = "none";
    r.executions = 0;
    r.jobs = 1;
    r.seconds = seconds;
    r.history = take_run;
    r.context = c;
    assert(c->runs && !c->orders);
    if (!session_run(s->session, &r, NULL, NULL, a, e)) return SERIAL_ERROR;
    if (a->died || (a->result.failure != FAILURE_NONE && !is_waiting(&a->result))) return SERIAL_FAILED;
    for (unsigned i = 0; i < a->result.stages; i++)
        out->given_up += a->result.stage[i].pruned + a->result.stage[i].cut_off;
    out->given_up += a->result.violations + c->unfinished;
    out->orders = c->orders;
    bool all = a->result.stages && a->result.stage[0].exhausted;
    run_answer_free(a);
    return all ? SERIAL_MADE : SERIAL_STOPPED;
}

/* ---- are they the object's? ---- */

typedef struct run_comparison {
    const object *runs;
    object *o;
    uint8_t method[OBJECT_METHODS]; /* of the runs -> of the object */
    text path;                      /* the operations so far */
    text wrong;
} run_comparison;

static bool same_from(run_comparison *c, uint32_t at, const state *now) {
    operation op;
    for (uint32_t i = 0, to; (to = serial_next(c->runs, at, i, &op)) != UINT32_MAX; i++) {
        size_t before = c->path.size;
        state next = {0};
        value res;
        state_copy(&next, now);
        assert(op.method < OBJECT_METHODS && to > at); /* edges go up: this ends */
        op.method = c->method[op.method];
        bool good = object_bind_call(c->o, &op, &c->wrong) && object_bind_return(c->o, &op, &c->wrong);
        text_add(&c->path, before ? ", " : "");
        operation_print(c->o, &op, &c->path);
        good = good && c->o->type->step(c->o, &next, &op, 0, &res) != STEP_ILLEGAL && same_from(c, to, &next);
        state_free(&next);
        if (!good) return false;
        c->path.size = before;
        if (c->path.at) c->path.at[before] = 0;
    }
    return true;
}

/* The object is deterministic, and every order of the operations is among the runs: then they are its runs, and no
 * others. */
static bool same_runs(const serial_phase *s, const char *name, error *e) {
    object *o = object_open(s->o.same_as->name, s->o.same_as->init_text, e),
           *serial = o ? object_open(name, NULL, e) : NULL;
    bool good = serial;
    if (good) {
        run_comparison c = {.runs = serial, .o = o};
        values *v = values_new();
        state now = {0};
        object_use_values(o, v);
        object_use_values(serial, v);
        for (unsigned m = 0; m < serial->type->method_count; m++) {
            int found = object_type_method(o->type, serial->type->methods[m].name);
            c.method[m] = (uint8_t)(found < 0 ? 0 : found);
        }
        o->type->init(o, &now);
        good =
            same_from(&c, 0, &now) ||
            error_set(e, EXIT_BAD_INPUT,
                      "the serial runs are not those of object %s: %.200s; expected --golden with a code that is one",
                      o->name, text_str(&c.path));
        state_free(&now);
        text_free(&c.path);
        text_free(&c.wrong);
        object_close(serial);
        serial = NULL;
        values_free(v);
    }
    object_close(serial);
    object_close(o);
    return good;
}

/* ---- all of it ---- */

static bool keep(serial_phase *s, const char *threads, const serial_runs *r, serial_count *out, error *e) {
    text section = {0};
    text_printf(&section, "program%s%s\nmethods%s\n", threads ? " " : "", threads ? threads : "",
                text_str(&s->methods));
    out->runs = serial_runs_count(r);
    out->states = serial_runs_write(r, &section);
    text_add(&section, "end\n");
    text_printf(&section, "orders %" PRIu64 "\ngiven-up %" PRIu64 "\n", out->orders, out->given_up);
    bool good = append_text(s->o.path, &section, e);
    text_free(&section);
    return good;
}

static serial_outcome make(serial_phase *s, const char *threads, double seconds, serial_count *out, run_answer *a,
                           error *e) {
    collector c = {.s = s, .runs = serial_runs_new()};
    if (!s->session && !((s->session = session_open(s->o.binary, s->o.argv, e)) && find_methods(s, e))) {
        serial_runs_free(c.runs);
        return SERIAL_ERROR;
    }
    serial_outcome done = collect(s, threads, seconds, &c, out, a, e);
    if (done == SERIAL_MADE && !serial_runs_count(c.runs) && out->given_up) {
        error_set(e, EXIT_BAD_INPUT,
                  "%s: in every serial order an operation waits for another thread, so there is nothing to compare "
                  "with; expected --golden, or other threads",
                  threads ? threads : "main");
        done = SERIAL_ERROR;
    }
    if (done == SERIAL_MADE && !keep(s, threads, c.runs, out, e)) done = SERIAL_ERROR;
    serial_runs_free(c.runs);
    return done;
}

static serial_outcome make_once(serial_phase *s, const char *threads, double seconds, serial_count *out,
                                run_answer *failed, error *e) {
    known_program *p = program_find(s, threads);
    *out = (serial_count){0};
    serial_outcome done = p ? SERIAL_MADE : make(s, threads, seconds, out, failed, e);
    if (done != SERIAL_MADE) return done;
    if (!p) {
        assert(!program_find(s, threads));
        p = program_add(s, threads ? threads : "");
        p->phase = *out;
    }
    assert(p == program_find(s, threads));
    *out = p->phase;
    if (p->used) return SERIAL_MADE;
    p->used = true;
    text name = {0};
    serial_phase_name(s, threads, &name);
    bool good = !s->o.same_as || same_runs(s, text_str(&name), e);
    text_free(&name);
    return good ? SERIAL_MADE : SERIAL_ERROR;
}

serial_outcome serial_phase_make(serial_phase *s, const char *threads, double seconds, serial_count *out,
                                 run_answer *failed, error *e) {
    pthread_mutex_lock(&s->lock);
    serial_outcome done = make_once(s, threads, seconds, out, failed, e);
    pthread_mutex_unlock(&s->lock);
    return done;
}
