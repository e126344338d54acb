#include "explore/model/schedule.h"
#include "explore/model/step.h"
#include "support/cmocka.h"

#include "base/random.h"

static void round_trip(void **s) {
    (void)s;
    random_source r = {7};
    for (int i = 0; i < 200; i++) {
        schedule a = {0}, b = {0};
        text t = {0}, wrong = {0};
        for (uint32_t n = random_below(&r, 100); n; n--) {
            unsigned of = random_below(&r, 5) ? 0 : 2 + random_below(&r, 254);
            schedule_add(&a, of ? random_below(&r, of) : random_below(&r, random_below(&r, 2) ? 2 : THREADS_MAX), of);
        }
        schedule_write(&a, &t);
        assert_true(schedule_read(&b, text_str(&t), &wrong));
        assert_true(schedule_equal(&a, &b));
        schedule_free(&a);
        schedule_free(&b);
        text_free(&t);
        text_free(&wrong);
    }
}

static void as_people_read_it(void **s) {
    (void)s;
    schedule a = {0};
    text t = {0}, wrong = {0};
    assert_true(schedule_read(&a, " 0*3 1\n?1/3  0 ", &wrong));
    assert_int_equal(a.length, 6);
    schedule_write(&a, &t);
    assert_string_equal(text_str(&t), "0*3 1 ?1/3 0");
    schedule_free(&a);
    text_free(&t);
}

static void bad_ones(void **s) {
    (void)s;
    static const struct {
        const char *from, *wrong;
    } bad[] = {
        {"0 x", "character 3: expected a thread's number below 80, or '?'"},
        {"80", "character 1: expected a thread's number below 80, or '?'"},
        {"0*", "character 3: expected how often, not too often"},
        {"0*99999999999999999999", "character 3: expected how often, not too often"},
        {"0*16777217", "character 3: expected how often, not too often"},
        {"?", "character 2: expected the number of an alternative"},
        {"?1", "character 3: expected '/' and how many alternatives there were"},
        {"?1/", "character 4: expected how many alternatives there were, at most 255"},
        {"?3/3", "character 5: expected an alternative below their number"},
        {"0,1", "character 2: expected a blank"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        schedule a = {0};
        text wrong = {0};
        assert_false(schedule_read(&a, bad[i].from, &wrong));
        assert_string_equal(text_str(&wrong), bad[i].wrong);
        schedule_free(&a);
        text_free(&wrong);
    }
}

TEST_MAIN(TEST(round_trip), TEST(as_people_read_it), TEST(bad_ones))
