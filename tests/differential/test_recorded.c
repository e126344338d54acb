/* Recorded histories: each file of the tables in $PLUMB_DATA is read, judged with evidence, and gets the table's
 * verdict. */
#include "support/cmocka.h"

#include "evidence/judge.h"
#include "format/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 5 }; /* a file; what is undecided then is wrong too */

typedef struct row {
    char path[2048];
    char object[64];
    verdict expected;
} row;

static const char *data_directory(void) {
    const char *d = getenv("PLUMB_DATA");
    return d && *d ? d : "../shared/data";
}

/* The object is the second column, the verdict the last. */
static bool parse_row(const char *folder, char *line, row *out) {
    line[strcspn(line, "\r\n")] = 0;
    char *object_name = strchr(line, '\t'), *last = strrchr(line, '\t');
    if (!object_name || last == object_name) return false;
    *object_name++ = 0;
    snprintf(out->path, sizeof out->path, "%s/%s/%s", data_directory(), folder, line);
    snprintf(out->object, sizeof out->object, "%.*s", (int)strcspn(object_name, "\t"), object_name);
    if (!strcmp(last + 1, "linearizable")) out->expected = VERDICT_LINEARIZABLE;
    else if (!strcmp(last + 1, "violation")) out->expected = VERDICT_VIOLATION;
    else return false; /* the heading */
    return true;
}

static bool judge_history(const row *r, object *o, history *h, error *e) {
    budget b;
    judgement j;
    budget_init(&b, SECONDS, 0);
    bool good = judge(h, o, &(judge_options){.decide = {.threads = 1}}, &b, NULL, &j, e);
    if (good && j.verdict != r->expected)
        good = error_set(e, EXIT_INTERNAL, "%s; expected %s", verdict_text(j.verdict), verdict_text(r->expected));
    judgement_free(&j);
    return good;
}

static bool right(const row *r) {
    error e = {0};
    history *h = format_read(r->path, &(read_options){0}, NULL, &e);
    object *o = h ? object_open(r->object, NULL, &e) : NULL;
    bool good = o && object_bind(o, h, r->path, &e) && judge_history(r, o, h, &e);
    if (!good) print_message("%s: %s\n", r->path, e.what);
    object_close(o);
    history_free(h);
    return good;
}

static void check_table(const char *folder) {
    char path[600], line[1024];
    snprintf(path, sizeof path, "%s/%s/verdicts.tsv", data_directory(), folder);
    FILE *table = fopen(path, "r");
    if (!table) {
        print_message("%s is not there: skipped\n", path);
        skip();
        return;
    }
    unsigned rows = 0, wrong = 0;
    while (fgets(line, sizeof line, table)) {
        row r;
        if (!parse_row(folder, line, &r)) continue;
        rows++;
        wrong += !right(&r);
    }
    fclose(table);
    print_message("%s: %u files, %u wrong\n", folder, rows, wrong);
    assert_true(rows > 0);
    assert_int_equal(wrong, 0);
}

static void violin(void **unused) {
    (void)unused;
    check_table("violin");
}

static void porcupine(void **unused) {
    (void)unused;
    check_table("porcupine");
}

TEST_MAIN(TEST(violin), TEST(porcupine))
