/* Histories of every object, with equal stamps, pending operations and values of every kind, go through every format:
 * what is written means what was read, or it is refused with one line. Verdict and operations are the same, and without
 * equal stamps the order of all events. PLUMB_SOAK=1: a hundred thousand histories, PLUMB_SOAK=N: N. */
#include "support/cmocka.h"

#include "evidence/history_digest.h"
#include "evidence/judge.h"
#include "format/format.h"
#include "support/random_history.h"
#include "support/read_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40, SOAK_HISTORIES = 100000, MOST_FORMATS = 16, MOST_OPERATIONS = 16, DISGUISES = 5 };

static unsigned kept[MOST_FORMATS], tried[MOST_FORMATS], histories;

/* ---- values of other kinds in the place of integers ---- */

/* Objects that do nothing with the values they hold but compare them. */
static bool takes_any_value(const bound *b) {
    static const char *const all[] = {"queue", "stack", "deque", "register", "cas-register", "kv", "multiset"};
    static const char *const known[] = {"append", "size", "keys"}; /* of a kv: these look inside, or count */
    for (uint32_t i = 0; i < b->h->n; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (!strcmp(b->h->method_name[b->h->method[i]], known[k])) return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i], b->o->name)) return true;
    return false;
}

/* Different integers become different values. */
static value disguised(values *t, value v, unsigned disguise) {
    char number[48];
    if (value_kind_of(t, v) != KIND_INT) return v;
    value item[4] = {v, value_bytes(t, "a", 1), VALUE_TRUE, VALUE_NONE};
    snprintf(number, sizeof number, disguise == 1 ? "%lld.5" : "%lld00000000000000000001",
             (long long)value_as_int(t, v) + 1000);
    switch (disguise) {
    case 1:
    case 2: return value_number(t, number, strlen(number), &v) ? v : VALUE_NONE;
    case 3: return value_bytes(t, number, strlen(number));
    case 4: v = value_as_int(t, v) % 2 ? value_set_of(t, item, 2) : value_tuple(t, item, 4); return v;
    default:
        item[0] = item[1];
        item[1] = v;
        return value_map_of(t, item, 2);
    }
}

static void disguise_values(history *h, unsigned disguise) {
    for (uint32_t i = 0; i < h->n; i++) {
        for (unsigned a = 0; a < h->nargs[i]; a++) h->arg[a][i] = disguised(h->values, h->arg[a][i], disguise);
        if (!history_pending(h, i)) h->res[i] = disguised(h->values, h->res[i], disguise);
    }
}

/* ---- the same operations ---- */

static int by_text(const void *a, const void *b) { return strcmp(((const text *)a)->at, ((const text *)b)->at); }

static void operation_text(const history *h, uint32_t i, text *out) {
    text_printf(out, "%s", h->method_name[h->method[i]]);
    if (h->key) value_print(h->values, h->key[i], out);
    for (unsigned a = 0; a < h->nargs[i]; a++) {
        text_char(out, ',');
        value_print(h->values, h->arg[a][i], out);
    }
    text_add(out, history_pending(h, i) ? " pending" : " -> ");
    if (!history_pending(h, i)) value_print(h->values, h->res[i], out);
}

/* In whatever order. */
static text operations_text(const history *h) {
    text line[MOST_OPERATIONS] = {0}, all = {0};
    assert_true(h->n <= MOST_OPERATIONS);
    for (uint32_t i = 0; i < h->n; i++) operation_text(h, i, &line[i]);
    qsort(line, h->n, sizeof *line, by_text);
    for (uint32_t i = 0; i < h->n; i++) {
        text_printf(&all, "%s\n", text_str(&line[i]));
        text_free(&line[i]);
    }
    return all;
}

static void same_operations(const bound *was, const bound *is, const char *format_name, bool ties) {
    text before = operations_text(was->h), after = operations_text(is->h);
    if (strcmp(text_str(&before), text_str(&after)))
        fail_msg("%s of %s:\n%s--- became ---\n%s", format_name, was->o->name, text_str(&before), text_str(&after));
    if (!ties && history_digest(was->h, was->o) != history_digest(is->h, is->o))
        fail_msg("%s of %s: another order of events", format_name, was->o->name);
    text_free(&before);
    text_free(&after);
}

/* ---- through all formats ---- */

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

/* What the file says is the initial value is believed, and nothing else. */
static object *same_object(const object *o, const history *h, error *e) {
    return object_open(o->name, h->init_hint, e);
}

static void through(unsigned number, const format *f, const bound *b, verdict expected, const char *name, uint64_t seed,
                    bool ties) {
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
    object *o = same_object(b->o, back, &e);
    if (!o || !object_bind(o, back, "again", &e))
        fail_msg("%s, seed %llu, %s: %s\n%s", name, (unsigned long long)seed, f->name, e.what, text_str(&t));
    same_operations(b, &(bound){o, back}, f->name, ties);
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

static void one_history(const char *object_name, random_source *r, uint64_t seed, double ties) {
    const format *f;
    random_shape shape = {.operations = seed % 8, /* none at all, too */
                          .clients = 3,
                          .values = 3,
                          .keys = 2,
                          .pending = seed % 2 ? 0.2 : 0,
                          .ties = ties,
                          .spoil = 0.5};
    bound b = random_history(r, object_name, &shape);
    verdict expected = verdict_of(b.h, b.o);
    unsigned disguise = takes_any_value(&b) ? (unsigned)(seed / 8 % (DISGUISES + 1)) : 0;
    if (disguise) {
        disguise_values(b.h, disguise);
        if (verdict_of(b.h, b.o) != expected) /* other names for the same values */
            fail_msg("%s, seed %llu: values of kind %u have another verdict", object_name, (unsigned long long)seed,
                     disguise);
    }
    for (unsigned i = 0; (f = format_at(i)); i++) through(i, f, &b, expected, object_name, seed, ties > 0);
    histories++;
    free_bound(&b);
}

static uint64_t rounds(void) {
    const char *soak = getenv("PLUMB_SOAK");
    uint64_t types = 0, all = soak ? strtoull(soak, NULL, 10) : 0;
    while (object_type_at((unsigned)types)) types++;
    if (all == 1) all = SOAK_HISTORIES;
    return all ? all / (2 * types) + 1 : ROUNDS;
}

static void every_object(double ties) {
    const object_type *type;
    memset(kept, 0, sizeof kept);
    memset(tried, 0, sizeof tried);
    histories = 0;
    for (unsigned k = 0; (type = object_type_at(k)); k++)
        for (uint64_t seed = 1; seed <= rounds(); seed++) {
            random_source r = {seed * 1000 + k};
            one_history(type->name, &r, seed, ties);
        }
    print_message("%u histories\n", histories);
}

static void equal_stamps_keep_their_meaning(void **unused) {
    (void)unused;
    const format *f;
    every_object(0.5);
    for (unsigned i = 0; (f = format_at(i)); i++)
        if (!strcmp(f->name, "plumb-binary")) assert_int_equal(kept[i], tried[i]);
        else if (!strcmp(f->name, "plumb-jsonl")) assert_true(kept[i] * 20 > tried[i] * 19); /* it has no sets */
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
