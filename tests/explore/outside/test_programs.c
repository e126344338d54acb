/* Generated test programs: all of them, none twice, smallest first, contracts kept. */
#include "explore/outside/hunt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static program_space queue_space(void) {
    program_space s = {.ops = 2, .min_threads = 2, .max_threads = 2, .min_length = 1, .max_length = 2};
    s.op[0] = (program_operation){.name = "enq", .nargs = 1, .fresh = true, .initial = true};
    s.op[1] = (program_operation){.name = "deq"};
    return s;
}

typedef struct list {
    char *text[4096];
    unsigned n, operations[4096];
} list;

static bool keep(void *context, const made_program *p) {
    list *l = context;
    l->operations[l->n] = p->operations;
    l->text[l->n++] = strdup(p->text);
    return l->n < 4096;
}

static void list_free(list *l) {
    for (unsigned i = 0; i < l->n; i++) free(l->text[i]);
}

static bool has(const list *l, const char *wanted) {
    for (unsigned i = 0; i < l->n; i++)
        if (!strcmp(l->text[i], wanted)) return true;
    return false;
}

static bool has_twice(const list *l) {
    for (unsigned i = 0; i < l->n; i++)
        for (unsigned j = 0; j < i; j++)
            if (!strcmp(l->text[i], l->text[j])) return true;
    return false;
}

/* Each argument ranges over its own numbers, in each call. */
static void every_argument(void **unused) {
    (void)unused;
    list l = {0};
    program_space s = {.ops = 1, .min_threads = 3, .max_threads = 3, .min_length = 1, .max_length = 1};
    s.op[0] = (program_operation){.name = "cas", .nargs = 2, .low = {1, 0}, .high = {2, 2}};
    assert_true(programs_each(&s, keep, &l));
    assert_int_equal(l.n, 6 * 6 * 6);
    assert_string_equal(l.text[0], "cas(1,0) | cas(1,0) | cas(1,0)");
    assert_string_equal(l.text[l.n - 1], "cas(2,2) | cas(2,2) | cas(2,2)");
    assert_false(has_twice(&l));
    for (unsigned i = 0; i < l.n; i++) assert_int_equal(l.operations[i], 3);
    list_free(&l);
}

/* It ends when it is told to. */
static bool keep_five(void *context, const made_program *p) { return keep(context, p) && ((list *)context)->n < 5; }

static void stops(void **unused) {
    (void)unused;
    list l = {0};
    program_space s = queue_space();
    assert_false(programs_each(&s, keep_five, &l));
    assert_int_equal(l.n, 5);
    list_free(&l);
}

static void every_pair_once(void **unused) {
    (void)unused;
    list l = {0};
    program_space s = queue_space();
    assert_true(programs_each(&s, keep, &l));
    /* six programs of one or two operations; unordered pairs of them: 6 * 7 / 2 */
    assert_int_equal(l.n, 21);
    assert_string_equal(l.text[0], "enq(1) | enq(2)");
    assert_true(has(&l, "enq(1) | deq"));
    assert_false(has(&l, "deq | enq(1)"));
    assert_true(has(&l, "deq enq(1) | deq enq(2)"));
    for (unsigned i = 0; i < l.n; i++) {
        if (i) assert_true(l.operations[i - 1] <= l.operations[i]);
        for (unsigned j = 0; j < i; j++) assert_string_not_equal(l.text[i], l.text[j]);
    }
    list_free(&l);
}

static void initial_contents(void **unused) {
    (void)unused;
    list l = {0};
    program_space s = queue_space();
    s.max_initial = 2;
    s.max_length = 1;
    programs_each(&s, keep, &l);
    assert_int_equal(l.n, 9); /* three pairs, with 0, 1 and 2 inside */
    assert_true(has(&l, "enq(1) enq(2) : deq | deq"));
    assert_true(has(&l, "enq(1) : enq(2) | deq"));
    list_free(&l);
}

static void contracts_are_kept(void **unused) {
    (void)unused;
    list l = {0};
    program_space s = queue_space();
    s.op[0].roles = 1;
    s.op[1].roles = 2;
    s.max_threads = 3;
    programs_each(&s, keep, &l);
    for (unsigned i = 0; i < l.n; i++) {
        const char *bar = strchr(l.text[i], '|');
        assert_false(memmem(l.text[i], (size_t)(bar - l.text[i]), "deq", 3) && strstr(bar, "deq"));
        assert_false(memmem(l.text[i], (size_t)(bar - l.text[i]), "enq", 3) && strstr(bar, "enq"));
    }
    assert_int_equal(l.n, 4); /* e|d, ee|d, dd|e, ee|dd: there is nothing left for a third thread */
    list_free(&l);
}

/* One writer that adds and removes, another role for one more, and the rest for all. */
static void roles_are_kept(void **unused) {
    (void)unused;
    list l = {0};
    program_space s = {.ops = 4, .min_threads = 2, .max_threads = 3, .min_length = 1, .max_length = 2};
    s.op[0] = (program_operation){.name = "add", .roles = 1};
    s.op[1] = (program_operation){.name = "remove", .roles = 1 | 2};
    s.op[2] = (program_operation){.name = "resize", .roles = 2};
    s.op[3] = (program_operation){.name = "find"};
    programs_each(&s, keep, &l);
    assert_true(has(&l, "add remove | find"));
    assert_true(has(&l, "add | resize | find"));
    assert_true(has(&l, "add remove | find | find") || has(&l, "add remove | find find | find"));
    assert_false(has(&l, "add | remove"));
    assert_false(has(&l, "remove | resize"));
    assert_false(has(&l, "add | add"));
    list_free(&l);
}

/* No thread waits for ever, in whatever order the calls happen. */
static void waiting_is_kept(void **unused) {
    (void)unused;
    list l = {0};
    program_space s = queue_space();
    s.op[0].adds = s.op[1].removes = s.op[1].waits = true;
    s.max_initial = 1;
    programs_each(&s, keep, &l);
    const char *wrong[] = {"deq | deq", "enq(1) deq | deq", "enq(1) : deq | deq", "enq(1) deq | deq enq(2)",
                           "enq(1) : enq(2) deq | deq deq"};
    const char *right[] = {"enq(1) | deq", "enq(1) enq(2) | deq deq", "enq(1) deq | enq(2) deq",
                           "enq(1) : deq enq(2) | deq enq(3)", "enq(1) : enq(2) deq | deq enq(3)"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(has(&l, wrong[i]));
    for (unsigned i = 0; i < sizeof right / sizeof *right; i++)
        if (!has(&l, right[i])) fail_msg("%s", right[i]);
    list_free(&l);
    l = (list){0};
    s.capacity = 1;
    s.op[0].waits = true;
    programs_each(&s, keep, &l);
    assert_false(has(&l, "enq(1) | enq(2)"));
    assert_false(has(&l, "enq(1) : enq(2) deq | enq(3)"));
    assert_true(has(&l, "enq(1) : deq deq | enq(2)"));
    assert_true(has(&l, "enq(1) deq | enq(2) deq"));
    list_free(&l);
}

static void ranges_and_errors(void **unused) {
    (void)unused;
    list l = {0};
    error e = {0};
    program_space s = queue_space();
    s.max_length = 1;
    assert_true(programs_restrict(&s, "enq(1..3)", &e));
    programs_each(&s, keep, &l);
    assert_int_equal(l.n, 9);
    assert_true(has(&l, "enq(3) | enq(1)"));
    list_free(&l);
    const char *wrong[] = {"push", "enq(x)", "enq(3..1)", "enq(1,2)", "enq enq", "", "enq(1"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        error w = {0};
        s = queue_space();
        assert_false(programs_restrict(&s, wrong[i], &w));
        assert_int_equal(w.code, EXIT_USAGE);
    }
}

/* As many removals at the end as were put in and not asked for; one colon alone would be that of what comes first. */
static void takes_out_what_was_put_in(void **unused) {
    (void)unused;
    list l = {0};
    program_space s = queue_space();
    s.op[0].adds = s.op[1].removes = true;
    s.drains = true;
    s.max_initial = 1;
    assert_true(programs_each(&s, keep, &l));
    assert_true(has(&l, "enq(1) | enq(2) : deq deq"));
    assert_true(has(&l, "enq(1) deq | deq"));
    assert_true(has(&l, "enq(1) : enq(2) | deq : deq"));
    list_free(&l);
    l.n = 0;
    s.min_threads = s.max_threads = 1;
    s.max_initial = 0;
    programs_each(&s, keep, &l);
    assert_true(has(&l, ": enq(1) : deq"));
    list_free(&l);
}

static bool keep_text(void *context, const char *smaller) { return keep(context, &(made_program){.text = smaller}); }

/* Parts keep what comes before, the threads and what comes after apart. */
static void smaller_programs(void **unused) {
    (void)unused;
    list l = {0};
    programs_within("enq(1) : enq(2) | deq : deq", keep_text, &l);
    assert_true(has(&l, "enq(1) : deq"));
    assert_true(has(&l, ": enq(2) : deq"));
    assert_true(has(&l, "enq(1) : enq(2) : deq"));
    assert_true(has(&l, ": enq(2) | deq : deq"));
    assert_true(has(&l, "enq(1) : enq(2) | deq"));
    assert_false(has(&l, "enq(1) : "));
    list_free(&l);
    l.n = 0;
    programs_within("enq(1) | deq : deq", keep_text, &l);
    assert_true(has(&l, "enq(1)"));
    assert_true(has(&l, "enq(1) | deq"));
    assert_true(has(&l, ": deq : deq"));
    list_free(&l);
    assert_int_equal(threads_operations("enq(1) : enq(2) | deq : deq deq"), 5);
}

/* ---- programs drawn by lot ---- */

static program_space drawn_space(void) {
    program_space s = queue_space();
    s.max_threads = 3;
    s.max_length = 3;
    s.max_initial = 2;
    s.drawn_length = 6;
    return s;
}

static unsigned longest_thread(const char *threads) {
    unsigned longest = 0, now = 0;
    for (const char *p = threads; *p; p++) {
        if (*p == '|' || *p == ':') now = 0;
        else if ((p == threads || p[-1] == ' ') && *p != ' ') now++;
        if (now > longest) longest = now;
    }
    return longest;
}

/* The same seed gives the same program, others give others; threads are longer than those that are made, and there are
 * no more operations than the largest of these have. */
static void draws_larger(void **unused) {
    (void)unused;
    program_space s = drawn_space();
    text a = {0}, b = {0};
    unsigned longest = 0, same = 0;
    for (uint64_t seed = 1; seed < 300; seed++) {
        assert_true(programs_draw(&s, seed, &a));
        assert_true(programs_draw(&s, seed, &b));
        assert_string_equal(text_str(&a), text_str(&b));
        assert_true(threads_operations(text_str(&a)) <= 11);
        assert_true(longest_thread(text_str(&a)) <= 6);
        if (longest_thread(text_str(&a)) > longest) longest = longest_thread(text_str(&a));
        assert_true(programs_draw(&s, seed + 1, &b));
        same += !strcmp(text_str(&a), text_str(&b));
    }
    assert_int_equal(longest, 6);
    assert_true(same < 20);
    text_free(&a);
    text_free(&b);
}

/* Contracts are kept, and values are of their own range. */
static void draws_by_contract(void **unused) {
    (void)unused;
    program_space s = drawn_space();
    text t = {0};
    bool three = false;
    s.op[0] = (program_operation){.name = "add", .nargs = 1, .low = {1}, .high = {2}, .drawn_high = {3}, .roles = 1};
    s.op[1].roles = 2;
    s.max_initial = 0;
    s.max_threads = 2;
    for (uint64_t seed = 1; seed < 300; seed++) {
        assert_true(programs_draw(&s, seed, &t));
        const char *bar = strchr(text_str(&t), '|'), *add = strstr(text_str(&t), "add");
        if (add && bar && add < bar) assert_null(strstr(bar, "add"));
        assert_null(strstr(text_str(&t), "(4"));
        three = three || strstr(text_str(&t), "add(3)");
    }
    assert_true(three);
    /* operations of one role in two threads: there is none such */
    s.ops = 1;
    assert_false(programs_draw(&s, 1, &t));
    text_free(&t);
}

static bool stop_at_once(void *context, const char *smaller) {
    (void)context, (void)smaller;
    return false;
}

/* Of many calls single ones can be left out, up to as many as there are bits; of parts there are too many. */
static void parts_of_many(void **unused) {
    (void)unused;
    static const char many[] = "a b c d e f g | a b c d e f g : d d d d";
    text all = {0}, fewer = {0};
    list none = {0};
    assert_true(program_without(many, 17, &fewer));
    assert_string_equal(text_str(&fewer), ": a b c d e f g | a b c d e f g : d d d");
    assert_false(programs_within(many, keep_text, &none));
    assert_int_equal(none.n, 0);
    assert_true(programs_within("a b c d e f | a b c d e f", stop_at_once, NULL));
    for (unsigned i = 0; i < 32; i++) text_add(&all, i == 15 ? "a | " : "a ");
    assert_true(program_without(text_str(&all), 31, &fewer));
    assert_int_equal(threads_operations(text_str(&fewer)), 31);
    text_add(&all, "a");
    assert_false(program_without(text_str(&all), 0, &fewer));
    text_free(&all);
    text_free(&fewer);
}

/* A call less, each in its turn. */
static void leaves_out_one(void **unused) {
    (void)unused;
    text t = {0};
    const char *const without[] = {": deq | enq(2) deq : deq", "enq(1) : enq(2) deq : deq", "enq(1) : deq | deq : deq",
                                   "enq(1) : deq | enq(2) : deq", "enq(1) : deq | enq(2) deq"};
    for (unsigned i = 0; i < 5; i++) {
        assert_true(program_without("enq(1) : deq | enq(2) deq : deq", i, &t));
        assert_string_equal(text_str(&t), without[i]);
    }
    assert_false(program_without("enq(1) : deq | enq(2) deq : deq", 5, &t));
    assert_false(program_without("deq", 0, &t));
    text_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_argument),
        cmocka_unit_test(parts_of_many),
        cmocka_unit_test(draws_larger),
        cmocka_unit_test(draws_by_contract),
        cmocka_unit_test(leaves_out_one),
        cmocka_unit_test(stops),
        cmocka_unit_test(every_pair_once),
        cmocka_unit_test(initial_contents),
        cmocka_unit_test(contracts_are_kept),
        cmocka_unit_test(roles_are_kept),
        cmocka_unit_test(waiting_is_kept),
        cmocka_unit_test(ranges_and_errors),
        cmocka_unit_test(takes_out_what_was_put_in),
        cmocka_unit_test(smaller_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
