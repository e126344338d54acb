/* Random histories go through every pair of formats: what a format can write, it reads back as the same operations, in
 * the same order of all events, by the same clients. */
#include "support/cmocka.h"

#include "base/random.h"
#include "history/builder.h"
#include "support/read_text.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CLIENTS = 4, MAX_EVENTS = 24, ROUNDS = 400, MAX_FORMATS = 16 };

/* what a random history may have */
typedef enum taste {
    TASTE_KEYS = 1,
    TASTE_TIMES = 2,
    TASTE_TIES = 4, /* equal stamps */
    TASTE_OWN_CLIENTS = 8,
    TASTE_BYTES = 16, /* strings that are not UTF-8 */
    TASTE_WILD_VALUES = 32,
} taste;

static value random_string(random_source *r, values *v, unsigned tastes) {
    static const char *const plain[] = {"x",    "key_3", "b",   "a.b", "Z-1", "true", "empty",
                                        "none", "inf",   "nil", "12",  "-",   "->",   "-4"};
    static const char *const wild[] = {"",    "a b", "@x",  "#",    "\"q\\", "a\nb\t",   "Zürich",
                                       "[1]", "(",   ":kw", "\x7f", "\x01",  "\xff\xfe", "a\xc3"};
    const char *s = plain[random_below(r, 14)];
    if (tastes & TASTE_WILD_VALUES) s = wild[random_below(r, tastes & TASTE_BYTES ? 14 : 12)];
    return value_bytes(v, s, strlen(s));
}

static value random_value(random_source *r, values *v, unsigned tastes, unsigned depth) {
    static const int64_t large[] = {INT64_MAX,   INT64_MIN, 1 << 30,  -(1 << 30), -(1 << 30) - 1,
                                    10000000000, 9999999,   10000000, 99999999};
    value item[4];
    uint32_t n;
    switch (random_below(r, tastes & TASTE_WILD_VALUES ? 10 : 6)) {
    case 6: return value_int(v, large[random_below(r, sizeof large / sizeof *large)]);
    case 7: return value_bool(random_chance(r, 0.5));
    case 8:
        if (depth == 3) return VALUE_NONE;
        n = random_below(r, 4);
        for (uint32_t i = 0; i < n; i++) item[i] = random_value(r, v, tastes, depth + 1);
        return value_tuple(v, item, n);
    case 5:
    case 9: return random_string(r, v, tastes);
    default: return value_int(v, (int64_t)random_below(r, 20) - 3);
    }
}

static value random_result(random_source *r, values *v, unsigned tastes) {
    static const value constant[] = {VALUE_NONE, VALUE_EMPTY, VALUE_TRUE, VALUE_FALSE, VALUE_FULL};
    return random_chance(r, 0.5) ? constant[random_below(r, 5)] : random_value(r, v, tastes, 0);
}

typedef struct maker {
    random_source r;
    builder *b;
    unsigned tastes;
    bool open[MAX_CLIENTS], gone[MAX_CLIENTS];
    uint32_t pieces;
} maker;

/* Sensible operations most of the time, so that formats with one value an event can write them. */
static unsigned random_call(maker *m, value arg[3], size_t *nargs) {
    static const struct {
        const char *name;
        unsigned nargs;
    } known[] = {
        {"enq", 1}, {"deq", 0}, {"write", 1}, {"read", 0},   {"cas", 2},    {"contains", 1},
        {"inc", 0}, {"pop", 0}, {"foo", 1},   {"remove", 0}, {"remove", 1},
    };
    uint32_t k = random_below(&m->r, sizeof known / sizeof *known);
    *nargs = m->tastes & TASTE_WILD_VALUES && random_chance(&m->r, 0.1) ? random_below(&m->r, 4) : known[k].nargs;
    for (size_t a = 0; a < *nargs; a++) arg[a] = random_value(&m->r, builder_values(m->b), m->tastes, 0);
    return builder_method(m->b, known[k].name, strlen(known[k].name), 1);
}

static value random_key(maker *m) {
    if (!(m->tastes & TASTE_KEYS)) return VALUE_NONE;
    return random_chance(&m->r, 0.5) ? value_int(builder_values(m->b), random_below(&m->r, 3))
                                     : random_string(&m->r, builder_values(m->b), m->tastes);
}

static void random_event(maker *m) {
    uint32_t c = random_below(&m->r, MAX_CLIENTS);
    value arg[3], client = value_int(builder_values(m->b), c * 7);
    if (random_chance(&m->r, 0.05)) builder_annotation(m->b, value_bytes(builder_values(m->b), "nemesis start", 13));
    if (!m->open[c]) {
        call_record call = {.client = client, .key = random_key(m), .arg = arg, .line = 1};
        call.method = random_call(m, arg, &call.nargs);
        assert_true(builder_call(m->b, &call));
    } else if (random_chance(&m->r, 0.1)) {
        assert_true(builder_info(m->b, client, 1));
    } else {
        assert_true(builder_return(m->b, client, random_result(&m->r, builder_values(m->b), m->tastes), 1));
    }
    m->open[c] = !m->open[c];
}

static void random_operations(maker *m, uint32_t n) {
    int64_t now[MAX_CLIENTS] = {0}, step = m->tastes & TASTE_TIES ? 3 : 1000000;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = random_below(&m->r, MAX_CLIENTS);
        value arg[3];
        call_record call = {.client = m->tastes & TASTE_OWN_CLIENTS ? CLIENT_OWN : value_int(builder_values(m->b), c),
                            .key = random_key(m),
                            .arg = arg,
                            .line = i};
        call.method = random_call(m, arg, &call.nargs);
        int64_t from = now[c] + !(m->tastes & TASTE_TIES) + random_below(&m->r, (uint32_t)step),
                to = from + random_below(&m->r, (uint32_t)step);
        now[c] = to;
        if (random_chance(&m->r, 0.1)) to = STAMP_NEVER;
        assert_true(builder_operation(m->b, &call, from, to, random_result(&m->r, builder_values(m->b), m->tastes)));
    }
}

static history *random_history(uint64_t seed, unsigned tastes, error *e) {
    maker m = {.r = {seed}, .tastes = tastes, .b = builder_new("random", e)};
    uint32_t n = random_below(&m.r, MAX_EVENTS);
    if (tastes & TASTE_TIMES) random_operations(&m, n / 2);
    else
        for (uint32_t i = 0; i < n; i++) random_event(&m);
    if (random_chance(&m.r, 0.3)) builder_object(m.b, random_chance(&m.r, 0.5) ? "queue" : "my-own");
    history *h = builder_finish(m.b);
    assert_non_null(h);
    builder_free(m.b);
    return h;
}

static bool needs_independent(const char *format_name, const history *h) {
    return h->key && !strcmp(format_name, "jepsen-log");
}

/* Through format f: the history read back, or NULL when f cannot express it. */
static history *through(const format *f, const history *h, const object *o, uint64_t seed) {
    text t = {0};
    error e = {0};
    history *back = NULL;
    if (write_bound(f->name, h, o, &t, &e)) {
        back = read_bytes(f->name, text_str(&t), t.size, needs_independent(f->name, h), &e);
        if (!back) fail_msg("seed %llu, %s: %s\n%s", (unsigned long long)seed, f->name, e.what, text_str(&t));
    } else {
        assert_true(e.code != 0);
    }
    text_free(&t);
    return back;
}

static void expect_same(const history *a, const history *b, bool with_clients, const char *way, uint64_t seed) {
    text ta = {0}, tb = {0};
    print_history(a, with_clients, &ta);
    print_history(b, with_clients, &tb);
    if (strcmp(text_str(&ta), text_str(&tb)))
        fail_msg("seed %llu, %s:\n%s---\n%s", (unsigned long long)seed, way, text_str(&ta), text_str(&tb));
    text_free(&ta);
    text_free(&tb);
}

static unsigned written[MAX_FORMATS], tried[MAX_FORMATS];

static void all_pairs(const history *h, uint64_t seed, bool with_clients) {
    const format *a, *b;
    for (unsigned i = 0; (a = format_at(i)); i++) {
        history *ha = through(a, h, NULL, seed);
        tried[i]++;
        if (!ha) continue;
        written[i]++;
        expect_same(h, ha, with_clients, a->name, seed);
        for (unsigned k = 0; (b = format_at(k)); k++) {
            history *hb = through(b, ha, NULL, seed);
            char way[80];
            if (!a->write || !b->write) continue;
            snprintf(way, sizeof way, "%s to %s", a->name, b->name);
            if (hb) expect_same(ha, hb, with_clients, way, seed);
            history_free(hb);
        }
        history_free(ha);
    }
}

static void rounds(unsigned rounds_count, unsigned always, unsigned maybe) {
    memset(written, 0, sizeof written);
    memset(tried, 0, sizeof tried);
    for (uint64_t seed = 1; seed <= rounds_count; seed++) {
        random_source r = {seed * 77};
        unsigned tastes = always | ((unsigned)random_next(&r) & maybe);
        error e = {0};
        history *h = random_history(seed, tastes, &e);
        all_pairs(h, seed, !(tastes & TASTE_TIES));
        history_free(h);
    }
}

static double share_written(const char *name) {
    const format *f;
    for (unsigned i = 0; (f = format_at(i)); i++)
        if (!strcmp(f->name, name)) return (double)written[i] / tried[i];
    fail_msg("no format %s", name);
    return 0;
}

static void plain_histories(void **unused) {
    (void)unused;
    rounds(ROUNDS, 0, TASTE_TIMES | TASTE_KEYS | TASTE_OWN_CLIENTS);
    assert_true(share_written("violin") == 1);
    assert_true(share_written("operation-list") == 1);
    assert_true(share_written("plumb-binary") == 1);
    assert_true(share_written("jepsen-log") > 0.1);
    assert_true(share_written("plumb-log") > 0.4); /* keys need an object that has them */
}

static void wild_histories(void **unused) {
    (void)unused;
    rounds(ROUNDS, TASTE_WILD_VALUES, TASTE_TIMES | TASTE_KEYS | TASTE_OWN_CLIENTS | TASTE_BYTES);
    assert_true(share_written("violin") == 1);
    assert_true(share_written("operation-list") == 1);
    assert_true(share_written("plumb-binary") == 1);
}

static void equal_stamps(void **unused) {
    (void)unused;
    rounds(ROUNDS, TASTE_TIMES | TASTE_TIES, TASTE_OWN_CLIENTS | TASTE_KEYS);
}

/* ---- every format to every other one: what all of them can say ---- */

enum { PAIR_KEYS = 3, PAIR_OPERATIONS = 40, PAIR_ROUNDS = 12 };

static value text_value(values *v, const char *prefix, uint32_t i) {
    char s[16];
    int n = snprintf(s, sizeof s, "%s%u", prefix, i);
    return value_bytes(v, s, (size_t)n);
}

/* Gets, puts, deletes and compare-and-puts of strings, with what each compares with shown by an earlier line. */
static void random_kv_operation(maker *m, uint32_t i, int64_t now[MAX_CLIENTS], value shown[PAIR_KEYS]) {
    static const char *const names[] = {"get", "put", "delete", "cas"};
    values *v = builder_values(m->b);
    uint32_t c = random_below(&m->r, MAX_CLIENTS), key = random_below(&m->r, PAIR_KEYS), which = random_below(&m->r, 4);
    value content = text_value(v, "v", i), arg[2] = {content, content}, res = VALUE_NONE;
    if (which == 0 && random_chance(&m->r, 0.5)) res = random_chance(&m->r, 0.5) ? content : shown[key];
    if (which == 3) arg[0] = shown[key];
    if (which == 3) res = value_bool(random_chance(&m->r, 0.5));
    int64_t from = 1000 * ((int64_t)i + 1), to = from + 1 + random_below(&m->r, 2999); /* two others are open at most */
    while (now[c] >= from) c = (c + 1) % MAX_CLIENTS;
    now[c] = to;
    bool pending = which && random_chance(&m->r, 0.1);
    if (!pending && which == 1) shown[key] = content;
    if (!pending && which == 0 && res != VALUE_NONE) shown[key] = res;
    if (!pending && which == 3 && res == VALUE_TRUE) shown[key] = content;
    call_record call = {.client = value_int(v, c),
                        .key = text_value(v, "key", key),
                        .arg = arg,
                        .line = i,
                        .nargs = which == 3 ? 2 : which == 1,
                        .method = builder_method(m->b, names[which], strlen(names[which]), 1)};
    assert_true(builder_operation(m->b, &call, from, pending ? STAMP_NEVER : to, res));
}

static object *bind_kv(history *h) {
    error e = {0};
    object *o = object_open("kv", NULL, &e);
    if (!object_bind(o, h, "kv", &e)) fail_msg("%s", e.what);
    return o;
}

static history *random_kv(uint64_t seed) {
    error e = {0};
    maker m = {.r = {seed}, .b = builder_new("random", &e)};
    int64_t now[MAX_CLIENTS] = {0};
    value shown[PAIR_KEYS] = {VALUE_NONE, VALUE_NONE, VALUE_NONE};
    for (uint32_t i = 0; i < PAIR_OPERATIONS; i++) random_kv_operation(&m, i, now, shown);
    history *h = builder_finish(m.b);
    builder_free(m.b);
    return h;
}

static void pair(const format *a, const format *b, const history *h, const object *o, const char *way, uint64_t seed) {
    history *ha = through(a, h, o, seed);
    if (!ha) fail_msg("seed %llu: not written as %s", (unsigned long long)seed, a->name);
    object *oa = bind_kv(ha);
    history *hb = through(b, ha, oa, seed);
    if (!hb) fail_msg("seed %llu, %s: not written", (unsigned long long)seed, way);
    object *ob = bind_kv(hb);
    expect_same(h, hb, true, way, seed);
    object_close(oa);
    object_close(ob);
    history_free(ha);
    history_free(hb);
}

static void every_pair(void **unused) {
    (void)unused;
    const format *a, *b;
    unsigned pairs = 0;
    for (unsigned i = 0; (a = format_at(i)); i++)
        for (unsigned k = 0; (b = format_at(k)); k++) {
            char way[80];
            if (!a->write || !b->write) continue;
            snprintf(way, sizeof way, "%s to %s", a->name, b->name);
            pairs++;
            for (uint64_t seed = pairs; seed < pairs + PAIR_ROUNDS; seed++) {
                history *h = random_kv(seed);
                object *o = bind_kv(h);
                pair(a, b, h, o, way, seed);
                object_close(o);
                history_free(h);
            }
        }
    assert_true(pairs >= 64);
}

TEST_MAIN(TEST(plain_histories), TEST(wild_histories), TEST(equal_stamps), TEST(every_pair))
