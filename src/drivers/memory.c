/* A service in the memory of plumb itself, right or wrong by option: to try `plumb drive`, its tests, and what it
 * costs. */
#include "help.h"

#include <pthread.h>
#include <unistd.h>

enum { BUCKETS = 4096, STALE_OF = 100, LOST_OF = 200 };

/* What one key holds: of registers the last value and the one before, of containers a line. */
typedef struct memory_cell {
    int64_t key, value, before;
    bool present, was_present;
    int64_t *line;
    size_t first, end, room;
    struct memory_cell *next;
} memory_cell;

typedef enum shape { SHAPE_KV, SHAPE_QUEUE, SHAPE_STACK, SHAPE_SET, SHAPE_COUNTER } shape;
typedef enum defect { RIGHT, STALE, LOST, LIES } defect;

typedef struct memory_service {
    pthread_mutex_t lock;
    memory_cell *bucket[BUCKETS];
    shape shape;
    defect defect;
    unsigned hangs; /* one operation of so many; 0: none */
    uint64_t operations;
    double timeout;
} memory_service;

static const plumb_driver_object objects[] = {
    {"kv", "get put delete cas"},   {"register", "read write"}, {"cas-register", "read write cas"},
    {"queue", "deq enq"},           {"stack", "pop push"},      {"set", "contains add remove"},
    {"counter", "get inc dec add"},
};
enum { READ, WRITE, DELETE_OR_CAS, CAS };

static const plumb_driver_option options[] = {
    {"defect", "none", "none stale lost lies",
     "what is wrong with it: one read in 100 is old, one write in 200 is lost, "
     "or one in 200 is said to have failed and did happen"},
    {"hangs", "0", NULL, "one operation of so many never answers"},
};

static bool is_one(uint64_t n, uint64_t of) { return of && n % of == of - 1; }

static void *start(const plumb_world *w, char *why, size_t size) {
    memory_service *m = calloc(1, sizeof *m);
    const char *defect_word = w->option(w, "defect");
    if (!m || w->at) {
        snprintf(why, size, m ? "it is nowhere: no --at" : "no memory");
        free(m);
        return NULL;
    }
    m->defect = !strcmp(defect_word, "stale")  ? STALE
                : !strcmp(defect_word, "lost") ? LOST
                : !strcmp(defect_word, "lies") ? LIES
                                               : RIGHT;
    m->hangs = (unsigned)atoi(w->option(w, "hangs"));
    m->timeout = w->timeout;
    m->shape = !strcmp(w->object, "queue")     ? SHAPE_QUEUE
               : !strcmp(w->object, "stack")   ? SHAPE_STACK
               : !strcmp(w->object, "set")     ? SHAPE_SET
               : !strcmp(w->object, "counter") ? SHAPE_COUNTER
                                               : SHAPE_KV;
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

static void stop(void *service) {
    memory_service *m = service;
    for (unsigned i = 0; i < BUCKETS; i++)
        while (m->bucket[i]) {
            memory_cell *c = m->bucket[i];
            m->bucket[i] = c->next;
            free(c->line);
            free(c);
        }
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static memory_cell *find_cell(memory_service *m, int64_t key) {
    memory_cell **at = &m->bucket[(uint64_t)key % BUCKETS];
    for (memory_cell *c = *at; c; c = c->next)
        if (c->key == key) return c;
    memory_cell *c = calloc(1, sizeof *c);
    if (!c) abort();
    *c = (memory_cell){.key = key, .next = *at};
    return *at = c;
}

/* ---- what the objects do ---- */

static void write_cell(memory_cell *c, bool present, int64_t v) {
    c->before = c->value;
    c->was_present = c->present;
    c->present = present;
    c->value = v;
}

static plumb_value read_cell(const memory_service *m, const memory_cell *c) {
    bool stale = m->defect == STALE && is_one(m->operations, STALE_OF);
    bool present = stale ? c->was_present : c->present;
    return present ? plumb_int(stale ? c->before : c->value) : plumb_none();
}

static plumb_value of_kv(memory_service *m, const plumb_request *op, memory_cell *c, bool lost) {
    bool cas = op->nargs == 2, holds;
    if (op->method == READ) return read_cell(m, c);
    if (!cas) {
        if (!lost) write_cell(c, op->method == WRITE, op->nargs ? op->arg[0].as.integer : 0);
        return plumb_none();
    }
    holds = op->arg[0].kind == PLUMB_NONE ? !c->present : c->present && c->value == op->arg[0].as.integer;
    if (holds && !lost) write_cell(c, true, op->arg[1].as.integer);
    return plumb_bool(holds);
}

static void add_to_line(memory_cell *c, int64_t v) {
    if (c->end == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->line = realloc(c->line, c->room * sizeof *c->line);
        if (!c->line) abort();
    }
    c->line[c->end++] = v;
}

static plumb_value of_container(memory_service *m, const plumb_request *op, memory_cell *c, bool lost) {
    if (op->method == WRITE) {
        if (!lost) add_to_line(c, op->arg[0].as.integer);
        return plumb_none();
    }
    if (c->first == c->end) {
        c->first = c->end = 0;
        return plumb_empty();
    }
    if (m->defect == STALE && is_one(m->operations, STALE_OF)) return plumb_int(c->line[c->first]); /* and leaves it */
    return plumb_int(m->shape == SHAPE_QUEUE ? c->line[c->first++] : c->line[--c->end]);
}

static plumb_value of_set(memory_service *m, const plumb_request *op, bool lost) {
    memory_cell *c = find_cell(m, op->arg[0].as.integer);
    if (op->method == READ) return plumb_bool(read_cell(m, c).kind == PLUMB_INT);
    bool adds = op->method == WRITE, changes = c->present != adds;
    if (changes && !lost) write_cell(c, adds, 1);
    return plumb_bool(changes);
}

static plumb_value of_counter(memory_service *m, const plumb_request *op, memory_cell *c, bool lost) {
    if (op->method == READ) {
        plumb_value v = read_cell(m, c);
        return v.kind == PLUMB_INT ? v : plumb_int(0);
    }
    int64_t by = op->nargs ? op->arg[0].as.integer : 1;
    if (!lost) write_cell(c, true, c->value + (op->method == DELETE_OR_CAS ? -by : by));
    return plumb_none();
}

static plumb_value happen(memory_service *m, const plumb_request *op, bool lost) {
    if (m->shape == SHAPE_SET) return of_set(m, op, lost);
    memory_cell *c = find_cell(m, op->key.kind == PLUMB_INT ? op->key.as.integer : 0);
    if (m->shape == SHAPE_COUNTER) return of_counter(m, op, c, lost);
    return m->shape == SHAPE_KV ? of_kv(m, op, c, lost) : of_container(m, op, c, lost);
}

/* ---- connections ---- */

static void *open_link(void *service, uint32_t client, char *why, size_t size) {
    (void)client, (void)why, (void)size;
    return service;
}

static void close_link(void *link) { (void)link; }

static enum plumb_outcome apply(void *link, const plumb_request *op, plumb_value *result, char *why, size_t size) {
    memory_service *m = link;
    pthread_mutex_lock(&m->lock);
    uint64_t n = m->operations++;
    bool unlucky = op->method != READ && is_one(n, LOST_OF), hangs = is_one(n, m->hangs);
    if (!hangs || n % 2) *result = happen(m, op, m->defect == LOST && unlucky); /* half of those that hang happen */
    pthread_mutex_unlock(&m->lock);
    if (hangs) {
        usleep((useconds_t)(m->timeout * 1e6));
        return outcome_because(PLUMB_OUTCOME_UNKNOWN, why, size, "it hangs, as was asked for");
    }
    if (m->defect == LIES && unlucky) return outcome_because(PLUMB_OUTCOME_FAILED, why, size, "a lie");
    return PLUMB_OUTCOME_DONE;
}

DRIVER_EXPORT const plumb_driver plumb_driver_definition = {
    .struct_size = sizeof(plumb_driver),
    .name = "memory",
    .summary = "in the memory of plumb itself, right or wrong by option",
    .objects = objects,
    .object_count = sizeof objects / sizeof *objects,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .start = start,
    .open = open_link,
    .apply = apply,
    .close = close_link,
    .stop = stop,
};
