/* cmocka wants these in this order. */
#ifndef PLUMB_TESTS_CMOCKA_H
#define PLUMB_TESTS_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* main() of a test program: TEST_MAIN(TEST(by_hand), TEST(against_the_oracle)) */
#define TEST cmocka_unit_test
#define TEST_MAIN(...) \
    int main(void) { \
        const struct CMUnitTest tests[] = {__VA_ARGS__}; \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }

#endif
