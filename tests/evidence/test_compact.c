/* Compact certificates say what the long ones say: written from a witness they hold exactly if the witness does, and a
 * changed byte is noticed. */
#include "support/cmocka.h"

#include "evidence/compact.h"
#include "evidence/witness_check.h"
#include "format/format.h"
#include "support/random_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static text written(const bound *b, const witness *w) {
    error e = {0};
    text t = {0};
    output *out = output_to_text(&t, &e);
    assert_true(compact_write_to(out, b->h, b->o, w, &e));
    assert_true(output_close(out));
    return t;
}

static int certify_bytes(const text *t, text *report) {
    error e = {0};
    input *in = input_memory("cert", t->at, t->size, &e);
    text_clear(report);
    int code = certify_input(in, NULL, report, &e);
    if (e.code) text_add(report, e.what);
    input_close(in);
    return code;
}

static bool judged_linearizable(const bound *b, judgement *j) {
    budget limits;
    error e = {0};
    budget_init(&limits, 0, 0);
    assert_true(judge(b->h, b->o, &(judge_options){0}, &limits, NULL, j, &e));
    return j->verdict == VERDICT_LINEARIZABLE && j->witness_checked;
}

static void assert_agrees(const bound *b, const witness *w) {
    text t = written(b, w), report = {0}, why = {0};
    bool right = witness_check(b->h, b->o, &(witness){.n = w->n, .op = w->op}, &why);
    if (certify_bytes(&t, &report) != (right ? 0 : 1))
        fail_msg("%s, but the witness %s %s", text_str(&report), right ? "is right" : "is wrong:", text_str(&why));
    text_free(&t);
    text_free(&report);
    text_free(&why);
}

static void assert_no_bit_matters_not(random_source *r, const bound *b, const witness *w) {
    text t = written(b, w), report = {0};
    t.at[random_below(r, (uint32_t)t.size)] ^= (char)(1u << random_below(r, 8));
    assert_int_not_equal(certify_bytes(&t, &report), 0);
    text_free(&t);
    text_free(&report);
}

static void swap_somewhere(random_source *r, witness *w) {
    uint32_t i = random_below(r, w->n), k = random_below(r, w->n), was = w->op[i];
    value res = w->res ? w->res[i] : VALUE_NONE;
    w->op[i] = w->op[k];
    w->op[k] = was;
    if (!w->res) return;
    w->res[i] = w->res[k];
    w->res[k] = res;
}

static void of_every_object(void **unused) {
    (void)unused;
    static const char *const names[] = {
        "queue", "stack",     "multiset", "pqueue-min",   "register",          "set",   "kv",
        "lock",  "semaphore", "counter",  "cas-register", "queue(capacity=2)", "deque", "max-register"};
    random_source r = {3};
    unsigned certified = 0;
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        for (unsigned i = 0; i < (getenv("PLUMB_FEWER") ? 40u : 300u); i++) {
            random_shape shape = random_shape_any(&r);
            shape.ties = 0;
            bound b = random_history(&r, names[k], &shape);
            judgement j;
            if (judged_linearizable(&b, &j)) {
                witness *w = &j.decision.witness;
                certified++;
                assert_agrees(&b, w);
                assert_no_bit_matters_not(&r, &b, w);
                if (w->n) swap_somewhere(&r, w);
                assert_agrees(&b, w);
                if (w->n) w->n--;
                assert_agrees(&b, w);
            }
            judgement_free(&j);
            free_bound(&b);
        }
    assert_true(certified > 100);
}

static void history_without_claim(void **unused) {
    (void)unused;
    bound b = make_history("queue", "1 enq(1) [0,1]; 2 deq() -> 1 [2,3]");
    judgement j;
    assert_true(judged_linearizable(&b, &j));
    text t = written(&b, &j.decision.witness), report = {0};
    assert_int_equal(certify_bytes(&t, &report), 0);
    assert_non_null(strstr(text_str(&report), "holds: 2 operations of object queue are linearizable"));
    assert_non_null(strstr(text_str(&report), "what each client was answered, as a digest:\n1 "));
    text_clear(&t);
    error e = {0};
    output *out = output_to_text(&t, &e);
    assert_true(format_find("plumb-binary")->write(b.h, b.o, out, &e));
    assert_true(output_close(out));
    assert_int_equal(certify_bytes(&t, &report), 65);
    assert_string_equal(text_str(&report), "cert: a history that claims nothing; expected a certificate");
    text_free(&t);
    text_free(&report);
    judgement_free(&j);
    free_bound(&b);
}

/* At a stamp where two clients go on, the operations of the first overlap: in another order than the file's they would
 * be no history. */
static void overlapping_calls_of_a_client(void **unused) {
    (void)unused;
    bound b = make_history("queue", "1 enq(1) [0,1]; 1 enq(2) [1,2]; 2 deq() -> empty [0,1]; 2 deq() -> 1 [1,2]; "
                                    "2 deq() -> 2 [3,4]");
    assert_int_equal(b.h->ties, 1);
    judgement j;
    error e = {0};
    text t = {0};
    assert_true(judged_linearizable(&b, &j));
    output *out = output_to_text(&t, &e);
    assert_false(compact_write_to(out, b.h, b.o, &j.decision.witness, &e));
    assert_string_equal(e.what,
                        "operations of client 1 overlap; expected one after the other in a compact certificate");
    output_close(out);
    text_free(&t);
    judgement_free(&j);
    free_bound(&b);
}

static void write_history(const char *path, const bound *b) {
    error e = {0};
    assert_true(format_write(path, format_find("violin"), b->h, b->o, &e));
}

/* It is about its history, in whatever format, and about no other. */
static void tied_to_its_history(void **unused) {
    (void)unused;
    char folder[] = "/tmp/plumb-test-XXXXXX", cert[64], same[64], other[64];
    assert_non_null(mkdtemp(folder));
    snprintf(cert, sizeof cert, "%s/c", folder);
    snprintf(same, sizeof same, "%s/same", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    bound b = make_history("queue", "1 enq(1) [0,1]; 2 enq(2) [0,4]; 2 deq() -> 1 [5,6]");
    bound c = make_history("queue", "1 enq(1) [0,1]; 2 enq(3) [0,4]; 2 deq() -> 1 [5,6]");
    judgement j;
    error e = {0};
    text report = {0};
    assert_true(judged_linearizable(&b, &j));
    assert_true(compact_write(cert, b.h, b.o, &j.decision.witness, &e));
    write_history(same, &b);
    write_history(other, &c);
    assert_int_equal(certify_history(cert, same, NULL, &report, &e), 0);
    assert_non_null(strstr(text_str(&report), "the history is that of"));
    text_clear(&report);
    assert_int_equal(certify_history(cert, other, NULL, &report, &e), 1);
    assert_non_null(strstr(text_str(&report), "refused: it is about another history"));
    unlink(cert);
    unlink(same);
    unlink(other);
    rmdir(folder);
    text_free(&report);
    judgement_free(&j);
    free_bound(&b);
    free_bound(&c);
}

TEST_MAIN(TEST(tied_to_its_history), TEST(overlapping_calls_of_a_client), TEST(of_every_object),
          TEST(history_without_claim))
