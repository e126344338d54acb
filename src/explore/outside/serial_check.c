#include "explore/outside/serial_check.h"

#include "base/budget.h"
#include "base/mem.h"
#include "explore/outside/word_list.h"
#include "object/object.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct serial_check {
    serial_phase *phase;
    test_program golden; /* when there is one */
    bool has_golden;
    object *same_as; /* the object whose runs they must be, when a criterion is asked of it; NULL: none */
    double until;
    char **name; /* handed out, kept until the end */
    unsigned names;
    pthread_mutex_t lock;
};

/* "lock_queue.c -DSMALL", or only flags: the same sources with these. */
static bool compile_golden(const char *given, const test_program *t, test_program *out, error *e) {
    bool flags_only = true;
    for (const char *p = given + strspn(given, " "); *p; p += strcspn(p, " "), p += strspn(p, " "))
        flags_only &= *p == '-';
    text words = {0};
    text_printf(&words, "%s%s%s", flags_only ? text_str(&t->sources) : "", flags_only ? " " : "", given);
    unsigned n;
    char **operand = word_list_split(text_str(&words), &n);
    bool good = test_program_make(out, operand, n, flags_only ? text_str(&t->flags) : "", e);
    word_list_free(operand);
    text_free(&words);
    return good;
}

serial_check *serial_check_open(const explore_settings *s, const test_program *t, const plan *p, const run_request *how,
                                const char *path, error *e) {
    serial_check *c = MEM_NEW(serial_check);
    assert(s->serial && path && *path);
    assert(p->criterion.kind == CRITERION_LINEARIZABLE || p->object || criterion_is_quasi(&p->criterion));
    pthread_mutex_init(&c->lock, NULL);
    c->until = clock_seconds() + (s->how.seconds > 0 ? s->how.seconds : 1e9);
    c->has_golden = s->golden != NULL;
    bool good = !s->golden || compile_golden(s->golden, t, &c->golden, e);
    if (good && p->criterion.kind != CRITERION_LINEARIZABLE && p->object)
        good = (c->same_as = object_open(p->object, p->init, e)) != NULL;
    const test_program *from = s->golden ? &c->golden : t;
    serial_phase_options o = {
        .path = path, .binary = from->binary, .argv = from->argv, .how = *how, .same_as = c->same_as};
    if (good) c->phase = serial_phase_open(&o, e);
    if (c->phase) return c;
    serial_check_close(c);
    return NULL;
}

void serial_check_close(serial_check *c) {
    if (!c) return;
    serial_phase_close(c->phase);
    if (c->has_golden) test_program_free(&c->golden);
    object_close(c->same_as);
    for (unsigned i = 0; i < c->names; i++) free(c->name[i]);
    free(c->name);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

const char *serial_check_object(serial_check *c, const char *threads, text *name) {
    if (c->same_as) return NULL;
    text_clear(name);
    serial_phase_name(c->phase, threads, name);
    return text_str(name);
}

static const char *keep_name(serial_check *c, text *name) {
    pthread_mutex_lock(&c->lock);
    c->name = MEM_GROW(c->name, char *, c->names + 1);
    assert(name->at);
    c->name[c->names++] = name->at;
    pthread_mutex_unlock(&c->lock);
    return name->at;
}

prepared serial_check_prepare(void *context, const char *threads, run_request *r, run_answer *failed, error *e) {
    serial_check *c = context;
    serial_count made;
    assert(c->phase && (r->criterion || !c->same_as));
    double left = c->until - clock_seconds();
    if (left <= 0) return PREPARED_NOT;
    switch (serial_phase_make(c->phase, threads, left, &made, failed, e)) {
    case SERIAL_ERROR: return PREPARED_ERROR;
    case SERIAL_STOPPED: return PREPARED_NOT;
    case SERIAL_FAILED:
        if (!c->has_golden) return PREPARED_FAILED;
        error_set(e, EXIT_BAD_INPUT,
                  "%s: fails when its operations run one at a time (%s); expected a code that is right", c->golden.name,
                  failed->result.message);
        run_answer_free(failed);
        return PREPARED_ERROR;
    case SERIAL_MADE: break;
    }
    text name = {0};
    if (serial_check_object(c, threads, &name)) {
        r->object = keep_name(c, &name);
        r->init = NULL;
    }
    return PREPARED;
}

uint64_t serial_check_orders(const serial_check *c) {
    serial_count all;
    uint64_t programs;
    serial_phase_total(c->phase, &all, &programs);
    return all.orders;
}

void serial_check_describe(const serial_check *c, text *out) {
    serial_count all;
    uint64_t programs;
    serial_phase_total(c->phase, &all, &programs);
    text_printf(out, "%" PRIu64 " serial order%s", all.orders, all.orders == 1 ? "" : "s");
    if (c->has_golden) text_printf(out, " of %s", c->golden.name);
    text_printf(out, ", %" PRIu64 " different run%s, %" PRIu32 " states%s", all.runs, all.runs == 1 ? "" : "s",
                all.states, all.kept && programs ? ", kept from an earlier run" : "");
    if (all.given_up)
        text_printf(out, "; %" PRIu64 " given up because an operation waits for another thread", all.given_up);
    if (c->same_as) text_printf(out, "; all are runs of %s", c->same_as->name);
}
