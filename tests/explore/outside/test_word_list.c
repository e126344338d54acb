#include "support/cmocka.h"

#include "explore/outside/word_list.h"

#include <string.h>

static void words_come_back(void **unused) {
    (void)unused;
    static const char *const words[] = {"a.c", "my test.c", "-DX=\"a  b\"", "\\",   "a\\ b",
                                        " ",   "\t",        "c:\\dir\\",    "\\\\x"};
    enum { WORDS = sizeof words / sizeof *words };
    text list = {0};
    for (unsigned i = 0; i < WORDS; i++) word_list_add(&list, words[i]);
    unsigned n;
    char **back = word_list_split(text_str(&list), &n);
    assert_int_equal(n, WORDS);
    for (unsigned i = 0; i < WORDS; i++) assert_string_equal(back[i], words[i]);
    assert_null(back[n]);
    word_list_free(back);
    text_free(&list);
}

/* As people write them: blanks of any number, a backslash that escapes nothing. */
static void lists_by_hand(void **unused) {
    (void)unused;
    unsigned n;
    char **word = word_list_split("  a.c\t -DX=\\\"q\\\"  b\\ c ", &n);
    assert_int_equal(n, 3);
    assert_string_equal(word[1], "-DX=\\\"q\\\"");
    assert_string_equal(word[2], "b c");
    word_list_free(word);
    word = word_list_split("", &n);
    assert_int_equal(n, 0);
    word_list_free(word);
}

TEST_MAIN(TEST(words_come_back), TEST(lists_by_hand))
