#include "support/cmocka.h"

#include "base/random.h"
#include "engine/general/deadline_heap.h"

#include <stdlib.h>

enum { MOST = 200 };

/* A position waits with its deadline until it comes out. */
typedef struct model {
    uint32_t deadline[MOST];
    bool waits[MOST];
    uint32_t n;
} model;

static uint32_t earliest(const model *m) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->waits[i] && m->deadline[i] < least) least = m->deadline[i];
    return least;
}

static void take_one(deadline_heap *w, model *m) {
    uint32_t due = earliest(m);
    assert_int_equal(deadline_heap_deadline(w), due);
    uint32_t position = deadline_heap_pop(w);
    assert_true(position < m->n && m->waits[position]);
    assert_int_equal(m->deadline[position], due);
    for (uint32_t i = 0; i < position; i++) assert_false(m->waits[i] && m->deadline[i] == due);
    m->waits[position] = false;
}

/* By deadline, then by position, whatever comes in between. */
static void the_earliest_comes_out_first(void **unused) {
    (void)unused;
    random_source r = {5};
    for (unsigned round = 0; round < 300; round++) {
        deadline_heap w = {0};
        model m = {0};
        uint32_t range = random_below(&r, 2) ? 8 : UINT32_MAX;
        while (m.n < MOST) {
            if (w.n && random_chance(&r, 0.4)) {
                take_one(&w, &m);
                continue;
            }
            m.deadline[m.n] = random_below(&r, range);
            m.waits[m.n] = true;
            deadline_heap_push(&w, m.deadline[m.n], m.n);
            m.n++;
        }
        while (w.n) take_one(&w, &m);
        assert_int_equal(earliest(&m), UINT32_MAX);
        free(w.at);
    }
}

TEST_MAIN(TEST(the_earliest_comes_out_first))
