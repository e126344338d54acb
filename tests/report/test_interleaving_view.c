/* What a page says of each step of an execution: rows, values before and after, holders of locks, folds. As a whole,
 * against tests/report/expected/view.txt; and which steps are folded first. */
#include "report/interleaving_view.h"

#include "base/mem.h"
#include "report/interleaving.h"
#include "support/cmocka.h"
#include "support/executed_steps.h"
#include "support/expected.h"

#include <string.h>

static const char *or_dash(const char *s) { return s ? s : "-"; }

static void show_row(const interleaving_step *s, text *out) {
    text_printf(out, "kind %u thread %u number %d%s: %s\n", s->kind, s->thread, (int)s->number, s->dull ? " dull" : "",
                s->words);
    for (unsigned c = 0; c < STEP_CHANGES; c++)
        if (s->change[c].location)
            text_printf(out, "    %s: %s => %s\n", s->change[c].location, or_dash(s->change[c].before),
                        or_dash(s->change[c].after));
    assert_null(s->file); /* there is no debug information */
    assert_null(s->source);
}

static void show_view(const execution *x, text *out) {
    told_execution t;
    told_execution_make(&t, x, NULL, "none");
    for (uint32_t k = 0; k < t.view.threads; k++) text_printf(out, "[%s] ", t.view.thread[k]);
    text_char(out, '\n');
    for (uint32_t k = 0; k < t.view.steps; k++) show_row(&t.view.step[k], out);
    text_char(out, '\n');
    told_execution_free(&t);
    assert_null(t.step);
}

static executed_step shared(unsigned thread, step_kind kind, unsigned role) {
    executed_step s = access_of(thread, kind, LOCK + 32, role, 0);
    s.step.size = 0;
    return s;
}

static executed_step sized(executed_step s, unsigned size) {
    s.step.size = (uint8_t)size;
    return s;
}

static executed_step with_second(executed_step s, uintptr_t address, uint64_t expected, uint64_t high) {
    s.step.at[1] = s.step.at[0];
    s.step.at[1].address = address;
    s.step.expected_high = expected;
    s.step.high = high;
    return s;
}

static executed_step unseen(unsigned thread) {
    executed_step s = access_of(thread, STEP_NOTHING, NO_MEMORY_BASE + 64, PLACE_WRITE, 0);
    s.step.size = 0;
    return s;
}

static void values_and_locks(text *out) {
    executed_step wait = shared(3, STEP_WAIT, PLACE_WRITE);
    wait.step.at[1] = (place){.address = LOCK, .size = 8, .role = PLACE_RELEASE};
    executed_step s[] = {
        access_of(1, STEP_READ, HEAD, PLACE_READ, 3),
        sized(access_of(3, STEP_WRITE, CELL, PLACE_WRITE, 9), 4), /* overwrites what was there in the beginning */
        sized(access_of(1, STEP_UPDATE, CELL, PLACE_WRITE, 10), 4),
        access_of(1, STEP_CAS, HEAD, PLACE_WRITE, 4),
        failed(access_of(3, STEP_CAS, HEAD, PLACE_READ, 4), 3),
        with_second(access_of(3, STEP_CAS, HEAD, PLACE_WRITE, 5), BLOCK, 70, 71),
        access_of(1, STEP_LOCK, LOCK, PLACE_ACQUIRE, 0),
        failed(access_of(3, STEP_TRYLOCK, LOCK, PLACE_ACQUIRE, 0), 0),
        access_of(1, STEP_UNLOCK, LOCK, PLACE_RELEASE, 0),
        access_of(3, STEP_LOCK, LOCK, PLACE_ACQUIRE, 0),
        wait,
        shared(1, STEP_RDLOCK, PLACE_ACQUIRE_SHARED),
        shared(3, STEP_RDLOCK, PLACE_ACQUIRE_SHARED),
        shared(1, STEP_UNLOCK, PLACE_RELEASE_SHARED),
        access_of(1, STEP_WRITE, BLOCK + 8, PLACE_WRITE,
                  1), /* of a block that came later: nothing is known of before */
        access_of(3, STEP_WRITE, BLOCK + 8, PLACE_WRITE, 2),
        access_of(1, STEP_FREE, BLOCK, PLACE_WRITE, 0),
        access_of(1, STEP_YIELD, 0, PLACE_UNUSED, 0),
        access_of(3, STEP_FENCE, 0, PLACE_UNUSED, 0),
        access_of(2, STEP_JOIN, 0, PLACE_UNUSED, 1),
        unseen(2),
    };
    uint8_t bytes[16] = {3, 0, 0, 0, 0, 0, 0, 0, 77, 1};
    memory_piece memory[] = {{.address = 0x900, .size = 8, .bytes = bytes},
                             {.address = HEAD, .size = 16, .bytes = bytes}};
    heap_block block[] = {{.address = BLOCK, .size = 64, .from = 2, .to = 16}};
    executed_operation op[] = {
        {.method = "put",
         .thread = 0,
         .nargs = 1,
         .arg = {4},
         .result = "n",
         .first = NO_STEP,
         .last = NO_STEP,
         .call_at = 0,
         .return_at = 1},
        {.method = "get", .thread = 0, .result = "i4", .first = NO_STEP, .last = NO_STEP, .call_at = 2, .return_at = 3},
        {.method = "deq", .thread = 3, .result = "e", .first = 1, .last = 5, .call_at = 5, .return_at = 6},
        {.method = "enq",
         .thread = 1,
         .nargs = 2,
         .arg = {1, -2},
         .result = "n",
         .first = 0,
         .last = 3,
         .call_at = 4,
         .return_at = 7},
        {.method = "look", .thread = 3, .first = 7, .last = NO_STEP, .call_at = 8, .return_at = 99},
        {.method = "lost", .thread = 0, .first = NO_STEP, .last = NO_STEP, .call_at = 9, .return_at = 99},
        {.method = "size",
         .thread = 0,
         .result = "b1",
         .first = NO_STEP,
         .last = NO_STEP,
         .call_at = 11,
         .return_at = 12},
        {.method = "full",
         .thread = 0,
         .result = "f",
         .first = NO_STEP,
         .last = NO_STEP,
         .call_at = 10,
         .return_at = 11},
    };
    execution x = {.step = s,
                   .steps = sizeof s / sizeof *s,
                   .op = op,
                   .ops = sizeof op / sizeof *op,
                   .block = block,
                   .blocks = 1,
                   .memory = memory,
                   .memories = 2};
    show_view(&x, out);
}

/* More than a page shows: what no other thread notices is folded, but a fold has at least two rows. */
static void folds(text *out) {
    executed_step s[50];
    uint32_t n = 0;
    for (uint32_t k = 0; n < 46; k++) {
        s[n++] = access_of(k % 2, STEP_UPDATE, HEAD, PLACE_WRITE, k);
        for (uint32_t own = 0; own < k % 4; own++)
            s[n++] = access_of(k % 2, STEP_WRITE, CELL + 8 + k % 2 * 64 + own * 8, PLACE_WRITE, own);
    }
    execution x = {.step = s, .steps = n};
    show_view(&x, out);
}

static void rows_of_a_page(void **unused) {
    (void)unused;
    text out = {0};
    values_and_locks(&out);
    folds(&out);
    is_expected("tests/report/expected/view.txt", &out);
}

/* For each number of lines: which steps are shown. */
static void show_selection(const execution *x, text *out) {
    uint8_t shown[32];
    assert_true(x->steps <= sizeof shown);
    for (unsigned lines = 0; lines <= x->steps + 1; lines++) {
        interleaving_select(x, false, lines, shown);
        for (uint32_t i = 0; i < x->steps; i++) text_char(out, shown[i] ? 'x' : '.');
        text_char(out, '\n');
    }
    interleaving_select(x, true, 0, shown);
    for (uint32_t i = 0; i < x->steps; i++) assert_true(shown[i]);
}

/* The more a step says, the later it is folded: steps that no other thread notices at once, then repeated reads, reads,
 * plain writes and frees; never atomic writes, failed compare-and-swaps, the last step, and a free whose memory is used
 * again. */
static void what_is_folded_first(void **unused) {
    (void)unused;
    text out = {0};
    executed_step s[] = {
        access_of(0, STEP_READ, HEAD, PLACE_READ, 3),
        access_of(0, STEP_READ, HEAD, PLACE_READ, 3),          /* repeats */
        access_of(1, STEP_READ, HEAD, PLACE_READ, 3),          /* another thread's first */
        access_of(0, STEP_READ, HEAD, PLACE_READ, 3),          /* repeats, though another thread read since */
        access_of(0, STEP_WRITE, CELL + 64, PLACE_WRITE, 1),   /* not noticed */
        plain(access_of(0, STEP_WRITE, CELL, PLACE_WRITE, 9)), /* plain, noticed */
        access_of(1, STEP_READ, CELL, PLACE_READ, 9),
        access_of(1, STEP_UPDATE, HEAD, PLACE_WRITE, 4),
        access_of(0, STEP_READ, HEAD, PLACE_READ, 4), /* after a write: no repetition */
        failed(access_of(0, STEP_CAS, HEAD, PLACE_READ, 4), 3),
        access_of(1, STEP_LOCK, LOCK, PLACE_ACQUIRE, 0),
        failed(access_of(0, STEP_TRYLOCK, LOCK, PLACE_ACQUIRE, 0), 0),
        access_of(1, STEP_FREE, BLOCK, PLACE_WRITE, 0),       /* used again */
        access_of(1, STEP_FREE, BLOCK + 128, PLACE_WRITE, 0), /* not used again */
        access_of(0, STEP_READ, CELL + 128, PLACE_READ, 0),   /* the last that is told */
        unseen(1),
        unseen(0),
    };
    heap_block block[] = {{.address = BLOCK, .size = 64, .from = 0, .to = 12},
                          {.address = BLOCK + 128, .size = 64, .from = 0, .to = 13},
                          {.address = BLOCK, .size = 64, .from = 13, .to = NO_STEP}};
    execution x = {.step = s, .steps = sizeof s / sizeof *s, .block = block, .blocks = 3};
    show_selection(&x, &out);
    text_char(&out, '\n');
    x.steps -= 3; /* now a free is the last */
    show_selection(&x, &out);
    is_expected("tests/report/expected/folded.txt", &out);
}

TEST_MAIN(TEST(rows_of_a_page), TEST(what_is_folded_first))
