/* Histories of every object, with equal stamps and pending operations, go through every format: what is written means
 * what was read, or it is refused with one line. */
#include "support/cmocka.h"

#include "evidence/judge.h"
#include "format/format.h"
#include "support/random_history.h"
#include "support/read_text.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 40, MOST_FORMATS = 16 };

static unsigned kept[MOST_FORMATS], tried[MOST_FORMATS];

static verdict verdict_of(const history *h, const object *o) {
    judge_options how = {.quick = true};
    judgement j;
    budget b;
    error e = {0};
    budget_init(&b, 0, 0);
    if (!judge(h, o, &how, &b, NULL, &j, &e)) fail_msg("%s", e.what);
    verdict v = j.verdict;
    judgement_free(&j);
    return v;
}

static object *same_object(const object *o, error *e) {
    object *again = object_open(o->name, o->init_text, e);
    return again;
}

static void through(unsigned number, const format *f, const bound *b, verdict expected, const char *name,
                    uint64_t seed) {
    text t = {0};
    error e = {0};
    tried[number]++;
    if (!write_bound(f->name, b->h, b->o, &t, &e)) {
        assert_true(e.code != 0 && e.what[0] && !strchr(e.what, '\n'));
        text_free(&t);
        return;
    }
    bool independent = b->h->key && !strcmp(f->name, "jepsen-log");
    history *back = read_bytes(f->name, text_str(&t), t.size, independent, &e);
    if (!back) fail_msg("%s, seed %llu, %s: %s\n%s", name, (unsigned long long)seed, f->name, e.what, text_str(&t));
    object *o = same_object(b->o, &e);
    if (!o || !object_bind(o, back, "again", &e))
        fail_msg("%s, seed %llu, %s: %s\n%s", name, (unsigned long long)seed, f->name, e.what, text_str(&t));
    assert_int_equal(back->n, b->h->n);
    verdict v = verdict_of(back, o);
    /* of several linearizations one may swap operations of a client, which proves nothing: that is no other meaning */
    if (v != expected && v != VERDICT_UNDECIDED && expected != VERDICT_UNDECIDED)
        fail_msg("%s, seed %llu, %s: was %s, is %s\n%s", name, (unsigned long long)seed, f->name,
                 verdict_text(expected), verdict_text(v), text_str(&t));
    kept[number]++;
    object_close(o);
    history_free(back);
    text_free(&t);
}

static void every_object(double ties) {
    const object_type *type;
    const format *f;
    memset(kept, 0, sizeof kept);
    memset(tried, 0, sizeof tried);
    for (unsigned k = 0; (type = object_type_at(k)); k++)
        for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
            random_source r = {seed * 1000 + k};
            random_shape shape = {.operations = seed % 8, /* none at all, too */
                                  .clients = 3,
                                  .values = 3,
                                  .keys = 2,
                                  .pending = seed % 2 ? 0.2 : 0,
                                  .ties = ties,
                                  .spoil = 0.5};
            bound b = random_history(&r, type->name, &shape);
            verdict expected = verdict_of(b.h, b.o);
            for (unsigned i = 0; (f = format_at(i)); i++) through(i, f, &b, expected, type->name, seed);
            free_bound(&b);
        }
}

static void equal_stamps_keep_their_meaning(void **unused) {
    (void)unused;
    const format *f;
    every_object(0.5);
    for (unsigned i = 0; (f = format_at(i)); i++)
        if (!strcmp(f->name, "plumb-jsonl") || !strcmp(f->name, "plumb-binary")) assert_int_equal(kept[i], tried[i]);
}

static void different_stamps_keep_their_meaning(void **unused) {
    (void)unused;
    const format *f;
    every_object(0);
    for (unsigned i = 0; (f = format_at(i)); i++)
        if (!strcmp(f->name, "violin")) assert_true(kept[i] * 10 > tried[i] * 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stamps_keep_their_meaning),
        cmocka_unit_test(different_stamps_keep_their_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
