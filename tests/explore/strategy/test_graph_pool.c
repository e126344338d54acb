/* Graphs go from one process to another whole, each to one of them, and all of them notice the end. */
#include "explore/strategy/graph_pool.h"
#include "support/cmocka.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GRAPHS = 300, WORKERS = 3, DEPTH = 3 };

typedef struct seen {
    _Atomic uint32_t times[GRAPHS][DEPTH], wrong;
} seen;

/* So many events at the place of that address. */
static graph *graph_of(uintptr_t number, unsigned events) {
    graph *g = graph_new(MODEL_RC11);
    const uint16_t where = graph_place_of(g, number, 0, 4, (uint64_t[2]){number, 0});
    for (unsigned i = 0; i < events; i++)
        graph_add(g, &(graph_event){.kind = GRAPH_READ, .place = where, .value = {number, i}});
    return g;
}

static bool is_whole(const graph *g) {
    bool good = g->places == 1 && g->n && g->n <= DEPTH && g->place[0].first[0] == g->place[0].address;
    for (uint16_t i = 0; i < g->n; i++) good = good && g->event[i].value[0] == g->place[0].address;
    return good && graph_events_of(g, 0) == g->n;
}

/* Each leads to one that is smaller: given away if that is wanted, else worked on here. */
static void work_on(graph_pool *p, seen *s, graph *g) {
    while (g) {
        if (!is_whole(g)) atomic_fetch_add(&s->wrong, 1);
        atomic_fetch_add(&s->times[g->place[0].address][g->n - 1], 1);
        graph *less = g->n > 1 ? graph_of(g->place[0].address, g->n - 1u) : NULL;
        graph_free(g);
        const bool given = less && graph_pool_wants(p) && graph_pool_give(p, less);
        if (given) graph_free(less);
        g = given ? NULL : less;
    }
}

static void worker(graph_pool *p, const share *all, seen *s) {
    graph *g;
    for (unsigned i = 0; i < GRAPHS && (i || graph_pool_begins(p)); i++) {
        g = graph_of(i, DEPTH);
        while (!graph_pool_give(p, g)) usleep(100); /* the others take them */
        graph_free(g);
    }
    while ((g = graph_pool_take(p, all))) work_on(p, s, g);
}

static void each_once(void **st) {
    (void)st;
    seen *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    share *all = share_new(WORKERS);
    graph_pool *p = graph_pool_new(WORKERS);
    for (unsigned i = 0; i < WORKERS; i++)
        if (!fork()) {
            worker(p, all, s);
            _exit(0);
        }
    while (wait(NULL) > 0) continue;
    for (unsigned i = 0; i < GRAPHS; i++)
        for (unsigned n = 0; n < DEPTH; n++) assert_int_equal(s->times[i][n], 1);
    assert_int_equal(s->wrong, 0);
    graph_pool_free(p);
    share_free(all);
    munmap(s, sizeof *s);
}

/* One that has gone gives nothing any more: the others do not wait for it. */
static void nothing_hangs(void **st) {
    (void)st;
    share *all = share_new(2);
    graph_pool *p = graph_pool_new(2);
    share_abandon(all);
    assert_null(graph_pool_take(p, all));
    graph_pool_free(p);
    share_free(all);
}

/* What there is no room for stays where it is, and an empty graph, which is the beginning, too. */
static void room_ends(void **st) {
    (void)st;
    graph_pool *p = graph_pool_new(2);
    graph *g = graph_of(1, 2), *empty = graph_new(MODEL_RC11);
    unsigned given = 0;
    while (given < 10000 && graph_pool_give(p, g)) given++;
    assert_in_range(given, 2, 9999);
    assert_false(graph_pool_give(p, empty));
    graph_free(g);
    graph_free(empty);
    graph_pool_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_once), cmocka_unit_test(nothing_hangs),
                                       cmocka_unit_test(room_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
