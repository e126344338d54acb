/* What a worker and its coordinator are sent by a cluster: a unit, a result, the question inside a unit, the answer
 * or the report inside a result. Arbitrary bytes are refused, or read as something that is sent as it was read; and
 * what is printed of a report cannot do anything to a terminal. */
#include "explore/outside/answer.h"
#include "report/report_pack.h"
#include "report/write.h"
#include "scale/unit.h"

#include <stdlib.h>
#include <string.h>

static void require(int condition) {
    if (!condition) abort();
}

static void a_unit(const uint8_t *p, size_t n) {
    unit u;
    text again = {0};
    if (unit_unpack(p, n, &u)) {
        unit_pack(&u, u.body.p, u.body.left, &again);
        require(again.size == n && !memcmp(again.at, p, n));
    }
    text_free(&again);
}

static void a_result(const uint8_t *p, size_t n) {
    unit_result r;
    error e = {0};
    text again = {0};
    if (result_unpack(p, n, &r)) {
        result_pack(&r, r.body.p, r.body.left, &again);
        require(again.size == n && !memcmp(again.at, p, n));
        require(!result_refusal(&r, &e) && e.code);
    }
    text_free(&again);
}

static void a_question(char *line) {
    talk_line fields;
    error e = {0};
    run_request r = run_request_standard;
    if (talk_split(line, &fields)) run_request_take(&r, &fields, &e);
}

static void a_report(const uint8_t *p, size_t n) {
    wire_reader from = {.p = p, .left = n};
    const report *r = report_unpack(&from);
    const colours none = {"", "", "", "", ""};
    text out = {0};
    if (r) {
        report_full(r, &none, true, &out);
        for (size_t i = 0; i < out.size; i++) require((unsigned char)out.at[i] >= 32 || out.at[i] == '\n');
        report_json(r, &out);
        report_junit(&r, 1, &out);
        report_sarif(&r, 1, &out);
        report_github(r, &out);
    }
    report_free((report *)(uintptr_t)r);
    text_free(&out);
}

static void an_answer(char *lines) {
    run_answer a = {0};
    error e = {0};
    require(run_answer_read(lines, &a, &e) || e.code);
    run_answer_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    a_unit(p, n);
    a_result(p, n);
    a_report(p, n);
    for (unsigned i = 0; i < 2; i++) {
        char *words = malloc(n + 1);
        memcpy(words, p, n);
        words[n] = '\0';
        if (i) a_question(words);
        else an_answer(words);
        free(words);
    }
    return 0;
}
