#include "support/cmocka.h"

#include "base/random.h"
#include "runtime/word_index.h"

enum { WORDS = 500 };

static uint64_t word(uint32_t i) { return (uint64_t)i << 3 | 1; }

static void assert_same(const word_index *t, const uint32_t *number) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(t->slot[word_index_at(t, word(i))].number, number[i]);
        n += number[i] != NUMBER_NONE;
    }
    assert_int_equal(t->n, n);
}

/* Words come and go, few of many; a word that is there is not added again. */
static void an_index_has_what_an_array_has(void **unused) {
    (void)unused;
    random_source r = {17};
    word_index t = {0};
    uint32_t number[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) number[i] = NUMBER_NONE;
    word_index_resize(&t, 4);
    for (uint32_t step = 0; step < 40000; step++) {
        uint32_t i = random_below(&r, step < 20000 ? 40 : WORDS);
        bool is_new = number[i] == NUMBER_NONE;
        if (is_new || random_chance(&r, 0.2)) {
            assert_int_equal(word_index_add(&t, word(i), step), is_new);
            if (is_new) number[i] = step;
        } else {
            word_index_remove(&t, word_index_at(&t, word(i)));
            number[i] = NUMBER_NONE;
        }
        if (step % 500 == 0) assert_same(&t, number);
    }
    free(t.slot);
}

TEST_MAIN(TEST(an_index_has_what_an_array_has))
