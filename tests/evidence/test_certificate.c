/* Certificates hold when they are written by a judgement, and are refused when anything in them was changed. */
#include "support/cmocka.h"

#include "evidence/certificate.h"
#include "evidence/history_digest.h"
#include "evidence/oracle.h"
#include "support/quasi_trial.h"
#include "support/random_history.h"

#include <stdio.h>

static text certificate_text(const bound *b, judgement *j) {
    budget limits;
    error e = {0};
    text t = {0};
    budget_init(&limits, 0, 0);
    assert_true(judge(b->h, b->o, &(judge_options){0}, &limits, NULL, j, &e));
    output *out = output_to_text(&t, &e);
    assert_true(certificate_write_to(out, b->h, b->o, j, &e));
    assert_true(output_close(out));
    return t;
}

static int certify_text(const char *p, size_t n, text *report) {
    error e = {0};
    input *in = input_memory("cert", p, n, &e);
    text_clear(report);
    int code = certify_input(in, NULL, report, &e);
    if (report->size == 0) {
        assert_int_equal(code, e.code);
        text_add(report, e.what);
    }
    input_close(in);
    return code;
}

/* Changes the text and makes the checksum right again. */
static text changed(const text *original, const char *what, size_t length, const char *by) {
    text t = {0};
    const char *at = strstr(original->at, what), *end = strstr(original->at, "{\"end\"");
    assert_non_null(at);
    text_bytes(&t, original->at, (size_t)(at - original->at));
    text_add(&t, by);
    text_bytes(&t, at + length, (size_t)(end - at) - length);
    text_printf(&t, "{\"end\":\"%016llx\"}\n", (unsigned long long)certificate_checksum(CHECKSUM_START, t.at, t.size));
    return t;
}

/* Without the name of the history, so that it is the evidence that is held against the change. */
static text forged(const text *original, const char *what, const char *by) {
    text nameless = changed(original, ",\"history\":\"", strlen(",\"history\":\"0123456789abcdef\""), "");
    text t = changed(&nameless, what, strlen(what), by);
    text_free(&nameless);
    return t;
}

static void assert_forged(const char *object_name, const char *operations, const char *what, const char *by, int code,
                          const char *says) {
    bound b = make_history(object_name, operations);
    judgement j;
    text t = certificate_text(&b, &j), report = {0};
    assert_int_equal(certify_text(t.at, t.size, &report), 0);
    text f = forged(&t, what, by);
    int got = certify_text(f.at, f.size, &report);
    assert_string_equal(text_str(&report), says);
    assert_int_equal(got, code);
    text_free(&f);
    text_free(&t);
    text_free(&report);
    judgement_free(&j);
    free_bound(&b);
}

#define GOOD_QUEUE "1 enq(1) [0,1]; 1 enq(2) [2,3]; 2 deq() -> 1 [4,5]; 2 deq() [6,-]"
#define BAD_QUEUE "1 enq(1) [0,1]; 1 enq(2) [2,3]; 2 deq() -> 2 [4,5]; 1 enq(5) [8,9]"

static void forged_witnesses_are_refused(void **unused) {
    (void)unused;
    assert_forged("queue", GOOD_QUEUE, "[0,1,2]", "[1,0,2]", 1,
                  "refused: operation #0 returned before #1 was called, but comes after it\n");
    assert_forged("queue", GOOD_QUEUE, "[0,1,2]", "[0,1]", 1, "refused: operation #2 completed but is missing\n");
    assert_forged("queue", GOOD_QUEUE, "[0,1,2]", "[0,1,2,2]", 1, "refused: operation #2 occurs twice\n");
    assert_forged("queue", GOOD_QUEUE, "[0,1,2]", "[0,1,2,7]", 65, "cert:6: an operation's number is out of range");
    assert_forged("queue", GOOD_QUEUE, "[0,1,2]}", "[0,1,2,3]}\n{\"assumed\":[[3,1]]}", 1,
                  "refused: operation #3 deq() pending cannot come at its place: the head of the queue is 2\n");
    assert_forged("queue", GOOD_QUEUE, "[0,1,2]}", "[0,1,2]}\n{\"assumed\":[[2,2]]}", 1,
                  "refused: operation #2 has another result than the recorded one\n");
    assert_forged("queue", GOOD_QUEUE, "\"res\":1}", "\"res\":2}", 1,
                  "refused: operation #2 deq() -> 2 cannot come at its place: the head of the queue is 1\n");
    assert_forged("queue", GOOD_QUEUE, "linearizable", "violation", 1,
                  "refused: it says violation, but has a witness\n");
}

static void forged_cores_are_refused(void **unused) {
    (void)unused;
    assert_forged("queue", BAD_QUEUE, "\"violation\"", "\"linearizable\"", 1,
                  "refused: it says linearizable, but has a core\n");
    assert_forged("queue", BAD_QUEUE, "{\"move\":0,\"cut\":null,\"keep\":[0,1,2]}\n", "", 65,
                  "cert:6: moves are not in order");
    assert_forged("queue", BAD_QUEUE, "\"cut\":5,\"keep\":[0,1,2]", "\"cut\":5,\"keep\":[1,2]", 1,
                  "refused: the core is linearizable\n");
    assert_forged("queue", BAD_QUEUE, "\"cut\":5,\"keep\":[0,1,2]", "\"cut\":5,\"keep\":[0,2]", 1,
                  "refused: operation #2 stays, but belongs to what is left out\n");
    assert_forged("queue", BAD_QUEUE, "\"cut\":5,\"keep\":[0,1,2]", "\"cut\":3,\"keep\":[0,1]", 1,
                  "refused: the core is linearizable\n");
    assert_forged("queue", BAD_QUEUE, "\"cut\":5,\"keep\":[0,1,2]", "\"cut\":5,\"keep\":[0,1,2,3]", 1,
                  "refused: the core has operations that were left out before, or that are called after the cut\n");
    assert_forged("queue", BAD_QUEUE, "\"res\":2}", "\"res\":1}", 1, "refused: the core is linearizable\n");
}

static void every_changed_byte_is_noticed(void **unused) {
    (void)unused;
    static const char *const operations[] = {GOOD_QUEUE, BAD_QUEUE};
    for (unsigned k = 0; k < 2; k++) {
        bound b = make_history("queue", operations[k]);
        judgement j;
        text t = certificate_text(&b, &j), report = {0};
        for (size_t i = 0; i < t.size; i++) {
            char kept = t.at[i];
            for (unsigned x = 1; x < 128; x += 21) {
                t.at[i] = (char)(kept ^ (int)x);
                /* behind the last line: no change */
                if (i + 1 == t.size && (t.at[i] == ' ' || t.at[i] == '\t')) continue;
                assert_int_not_equal(certify_text(t.at, t.size, &report), 0);
            }
            t.at[i] = kept;
        }
        text_add(&t, "{\"end\":\"0\"}\n");
        assert_int_equal(certify_text(t.at, t.size, &report), 65);
        t.size -= strlen("{\"end\":\"0\"}\n");
        for (size_t n = 0; n + 1 < t.size; n++) assert_int_not_equal(certify_text(t.at, n, &report), 0);
        text_free(&t);
        text_free(&report);
        judgement_free(&j);
        free_bound(&b);
    }
}

static void assert_same_history(const bound *b, const text *t) {
    error e = {0};
    certificate c;
    input *in = input_memory("cert", t->at, t->size, &e);
    assert_true(certificate_read(in, NULL, &c, &e));
    input_close(in);
    assert_int_equal(c.h->n, b->h->n);
    for (uint32_t i = 0; i < c.h->n; i++) {
        assert_int_equal(c.h->call[i], b->h->call[i]);
        assert_int_equal(c.h->ret[i], b->h->ret[i]);
        text x = {0}, y = {0};
        operation op;
        history_operation(c.h, i, &op);
        operation_print(c.o, &op, &x);
        history_operation(b->h, i, &op);
        operation_print(b->o, &op, &y);
        assert_string_equal(text_str(&x), text_str(&y));
        text_free(&x);
        text_free(&y);
    }
    certificate_free(&c);
}

static void judgements_certify(void **unused) {
    (void)unused;
    random_source r = {.s = 8};
    const object_type *type;
    for (unsigned k = 0; (type = object_type_at(k)); k++)
        for (unsigned i = 0; i < 200; i++) {
            random_shape shape = random_shape_any(&r);
            bound b = random_history(&r, type->name, &shape);
            if (b.h->ties) { /* may be left undecided: nothing to certify */
                free_bound(&b);
                continue;
            }
            judgement j;
            text t = certificate_text(&b, &j), report = {0};
            int code = certify_text(t.at, t.size, &report);
            if (code) fprintf(stderr, "%s%s", text_str(&report), text_str(&t));
            assert_int_equal(code, 0);
            assert_same_history(&b, &t);
            text_free(&t);
            text_free(&report);
            judgement_free(&j);
            free_bound(&b);
        }
}

/* A witness or a core carried over to the other verdict, or to another history, proves nothing. */
static void evidence_of_another_history(void **unused) {
    (void)unused;
    random_source r = {.s = 9};
    unsigned refused = 0;
    for (unsigned i = 0; i < 500; i++) {
        random_shape shape = random_shape_any(&r);
        bound b = random_history(&r, i % 2 ? "queue" : "register", &shape);
        if (b.h->ties) {
            free_bound(&b);
            continue;
        }
        judgement j;
        text t = certificate_text(&b, &j), report = {0};
        bool right = j.verdict == VERDICT_LINEARIZABLE;
        for (uint32_t x = 0; x < b.h->n; x++) {
            if (history_pending(b.h, x)) continue;
            value kept = b.h->res[x];
            b.h->res[x] = kept == VALUE_NONE ? kept : value_int(b.h->values, random_below(&r, 4));
            text other = {0};
            error e = {0};
            output *out = output_to_text(&other, &e);
            assert_true(certificate_write_to(out, b.h, b.o, &j, &e) && output_close(out));
            int code = certify_text(other.at, other.size, &report);
            oracle_answer truth = oracle_linearizable(b.o, b.h, 0);
            if (code == 0) assert_int_equal(truth, right ? ORACLE_YES : ORACLE_NO);
            refused += code == 1;
            b.h->res[x] = kept;
            text_free(&other);
        }
        text_free(&t);
        text_free(&report);
        judgement_free(&j);
        free_bound(&b);
    }
    assert_true(refused > 100);
}

/* The name in the header is that of the operations that follow. */
static void a_certificate_names_its_history(void **unused) {
    (void)unused;
    bound b = make_history("queue", "1 enq(1) [0,1]; 1 enq(2) [2,3]; 2 deq() -> 1 [4,5]");
    judgement j;
    text t = certificate_text(&b, &j), report = {0}, name = {0};
    text_printf(&name, ",\"history\":\"%016llx\"}", (unsigned long long)history_digest(b.h, b.o));
    assert_non_null(strstr(t.at, text_str(&name)));
    text f = changed(&t, "\"args\":[2]", strlen("\"args\":[2]"), "\"args\":[3]");
    assert_int_equal(certify_text(f.at, f.size, &report), 1);
    assert_string_equal(text_str(&report), "refused: it names another history than the one it has\n");
    text_free(&f);
    f = changed(&t, ",\"history\":\"", strlen(",\"history\":\"0"), ",\"history\":\"x");
    assert_int_equal(certify_text(f.at, f.size, &report), 65);
    text_free(&f);
    text_free(&name);
    text_free(&t);
    text_free(&report);
    judgement_free(&j);
    free_bound(&b);
}

static void odd_values_survive(void **unused) {
    (void)unused;
    bound b = make_history(
        "queue", "1 enq(empty) [0,1]; 1 enq(none) [2,3]; 2 enq([1 [2 x]]) [2,4]; 3 enq(true) [5,6]; 2 deq() [8,-]");
    b.h->arg[0][3] = value_bytes(b.h->values, "\xff\x00\"", 3);
    judgement j;
    text t = certificate_text(&b, &j), report = {0};
    assert_non_null(strstr(t.at, "{\"hex\":\"ff0022\"}"));
    assert_int_equal(certify_text(t.at, t.size, &report), 0);
    assert_same_history(&b, &t);
    text_free(&t);
    text_free(&report);
    judgement_free(&j);
    free_bound(&b);
}

static void assert_malformed(const char *lines, const char *says) {
    text report = {0};
    assert_int_equal(certify_text(lines, strlen(lines), &report), 65);
    assert_string_equal(text_str(&report), says);
    text_free(&report);
}

static void malformed_files(void **unused) {
    (void)unused;
    assert_malformed("", "cert:0: not a certificate: the file is empty");
    assert_malformed("hello\n", "cert:1: unexpected 'hello'; expected a value");
    assert_malformed("{\"op\":\"enq\"}\n", "cert:1: unknown or wrong field in the header");
#define HEADER "{\"plumb\":\"certificate/1\",\"object\":\"queue\",\"verdict\":\"violation\",\"operations\":1}\n"
    assert_malformed(HEADER, "cert:1: the certificate is cut off; expected its last line {\"end\":...}");
    assert_malformed(HEADER "{\"op\":\"enq\",\"args\":[1],\"call\":true}\n",
                     "cert:2: unknown or wrong field in an operation");
    assert_malformed(HEADER "{\"witness\":[0,\n", "cert:2: the line ends too early; expected ']'");
    assert_malformed("{\"plumb\":\"certificate/1\",\"object\":\"nonsense\",\"verdict\":\"violation\"}\n",
                     "unknown object 'nonsense'; did you mean 'consensus'?");
}

/* Evidence of relaxed objects: certificates hold for their criterion and not for a stricter one. */
static void criteria(void **unused) {
    (void)unused;
    static const criterion_kind kind[] = {CRITERION_QUASI, CRITERION_OUT_OF_ORDER, CRITERION_ALIGNED};
    random_source r = {77};
    uint32_t right = 0, wrong = 0, stricter = 0;
    for (uint32_t i = 0; i < 400; i++) {
        bound b = relaxed_history(&r, "queue", TAKE_OLDEST, 2 + random_below(&r, 6));
        uint32_t k = random_below(&r, 3);
        object o = relaxed_object(&b, kind[i % 3], k, k);
        bound under = {.o = &o, .h = b.h};
        judgement j;
        text t = certificate_text(&under, &j), report = {0};
        int code = certify_text(t.at, t.size, &report);
        if (code != 0) fail_msg("%s", text_str(&report));
        right += j.verdict == VERDICT_LINEARIZABLE;
        wrong += j.verdict == VERDICT_VIOLATION;
        if (j.verdict == VERDICT_LINEARIZABLE && k && oracle_linearizable(b.o, b.h, 0) == ORACLE_NO) {
            text name = {0};
            criterion_print(&o.criterion, &name);
            text f = forged(&t, text_str(&name), "linearizable");
            assert_int_equal(certify_text(f.at, f.size, &report), 1);
            stricter++;
            text_free(&f);
            text_free(&name);
        }
        text_free(&t);
        text_free(&report);
        judgement_free(&j);
        free_relaxed(&o);
        free_bound(&b);
    }
    assert_true(right > 100 && wrong > 20 && stricter > 5);
}

TEST_MAIN(TEST(forged_witnesses_are_refused), TEST(forged_cores_are_refused), TEST(every_changed_byte_is_noticed),
          TEST(judgements_certify), TEST(evidence_of_another_history), TEST(a_certificate_names_its_history),
          TEST(odd_values_survive), TEST(malformed_files), TEST(criteria))
