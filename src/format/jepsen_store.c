#include "format/jepsen_store.h"

#include "base/mem.h"
#include "format/jepsen_binary.h"
#include "format/token.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct test_map { /* what it says of the run; not all of it need be there */
    text name;
    int64_t concurrency; /* below 1: not said */
    uint32_t nodes;
    text valid; /* of the results: true, false or unknown */
} test_map;

static bool has(const char *folder, const char *name, mode_t type, text *path) {
    struct stat s;
    text_clear(path);
    text_printf(path, "%s/%s", folder, name);
    return stat(path->at, &s) == 0 && (s.st_mode & S_IFMT) == type;
}

/* ---- the test map: EDN that other people's code printed, so whatever cannot be read ends the reading ---- */

static bool is_key(const token *k, const char *name) {
    return k->kind == TOKEN_KEYWORD && k->size == strlen(name) && memcmp(k->at, name, k->size) == 0;
}

static void take_text(const token *k, text *out) {
    text_clear(out);
    if (k->kind == TOKEN_TRUE) text_add(out, "true");
    else if (k->kind == TOKEN_FALSE) text_add(out, "false");
    else if (k->kind == TOKEN_STRING || k->kind == TOKEN_KEYWORD) text_bytes(out, k->at, k->size);
}

static bool count_items(tokens *t, const token *first, uint32_t *n) {
    if (first->kind != TOKEN_LIST) return tokens_skip(t, first);
    for (token k; tokens_next(t, &k) != TOKEN_CLOSE; ++*n)
        if (k.kind == TOKEN_END || !tokens_skip(t, &k)) return false;
    return true;
}

static bool map_entry(tokens *t, const token *key, test_map *m) {
    bool name = is_key(key, "name"), nodes = is_key(key, "nodes"), many = is_key(key, "concurrency");
    bool valid = is_key(key, "valid?");
    token k;
    if (!tokens_skip(t, key) || tokens_next(t, &k) == TOKEN_WRONG) return false;
    if (name) take_text(&k, &m->name);
    if (valid) take_text(&k, &m->valid);
    if (many && k.kind == TOKEN_INT) m->concurrency = k.integer;
    if (!nodes) return tokens_skip(t, &k);
    m->nodes = 0;
    return count_items(t, &k, &m->nodes);
}

static void read_map(const char *p, size_t n, test_map *m) {
    tokens t = {0};
    token k;
    tokens_init_line(&t, DIALECT_EDN, p, n, 1);
    if (tokens_next(&t, &k) == TOKEN_MAP)
        while (tokens_next(&t, &k) != TOKEN_CLOSE)
            if (k.kind == TOKEN_END || k.kind == TOKEN_WRONG || !map_entry(&t, &k, m)) break;
    tokens_free(&t);
}

enum { LOOKED_AT = 64 << 10 }; /* bytes of a file in which its map is looked for */

/* Reads the map that begins at the first brace behind `before`, if there is such a file. Other things under its name
 * are not opened: a pipe would be waited for. */
static void read_map_of(const char *folder, const char *name, const char *before, test_map *m, text *path) {
    error e = {0};
    input *in = has(folder, name, S_IFREG, path) ? input_open(path->at, &e) : NULL;
    if (!in) return;
    const char *p;
    size_t n = input_peek(in, &p, LOOKED_AT);
    const char *at = n ? memmem(p, n, before, strlen(before)) : NULL;
    if (at) at = memchr(at, '{', n - (size_t)(at - p));
    if (at) read_map(at, n - (size_t)(at - p), m);
    input_close(in);
}

static void describe(const test_map *m, bool independent, text *out) {
    text_add(out, "a run of Jepsen");
    if (m->name.size) {
        text_add(out, ", test ");
        text_printable(out, m->name.at);
    }
    if (m->nodes) text_printf(out, ", %u node%s", m->nodes, m->nodes == 1 ? "" : "s");
    if (m->concurrency > 0) text_printf(out, ", concurrency %lld", (long long)m->concurrency);
    if (independent) text_add(out, ", independent keys");
    if (m->valid.size) {
        text_add(out, "; its own checkers said :valid? ");
        text_printable(out, m->valid.at);
    }
}

/* One of these files says that Jepsen wrote the folder. */
static bool is_marked(const char *folder, text *path) {
    static const char *const marks[] = {"results.edn", "test.jepsen", "test.fressian", "test.edn", "jepsen.log"};
    for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
        if (has(folder, marks[i], S_IFREG, path)) return true;
    return false;
}

/* The binary file repeats what the text files say: it is asked where they do not. */
static void read_binary(const char *path, test_map *m) {
    error e = {0};
    input *in = input_open(path, &e);
    if (!in) return;
    text whole = {0};
    const char *p;
    for (size_t n; (n = input_block(in, &p));) text_bytes(&whole, p, n);
    jepsen_binary test;
    if (jepsen_binary_read(text_str(&whole), whole.size, &test)) {
        read_map(text_str(&test.map), test.map.size, m);
        text_clear(&m->valid); /* of the results, not of the map */
        read_map(text_str(&test.results), test.results.size, m);
    }
    jepsen_binary_free(&test);
    text_free(&whole);
    input_close(in);
}

static void read_about(const char *folder, text *path, jepsen_store *out) {
    test_map m = {0};
    if (out->binary) read_binary(out->history, &m);
    text valid = m.valid;
    m.valid = (text){0};
    read_map_of(folder, "jepsen.log", "Running test", &m, path);
    read_map_of(folder, "test.edn", "{", &m, path);
    text_clear(&m.valid); /* of the results, not of the map */
    read_map_of(folder, "results.edn", "{", &m, path);
    if (!m.valid.size) text_bytes(&m.valid, text_str(&valid), valid.size);
    describe(&m, out->independent, &out->about);
    text_free(&valid);
    text_free(&m.name);
    text_free(&m.valid);
}

static bool find_history(const char *folder, text *path, jepsen_store *out) {
    static const char *const names[] = {"history.edn", "history.txt", "test.jepsen", "test.fressian"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (has(folder, names[i], S_IFREG, path)) {
            out->history = mem_string(path->at);
            out->binary = i >= 2;
            return true;
        }
    return false;
}

bool jepsen_store_open(const char *folder, jepsen_store *out) {
    text path = {0};
    *out = (jepsen_store){0};
    if (is_marked(folder, &path) && find_history(folder, &path, out)) {
        out->independent = has(folder, "independent", S_IFDIR, &path);
        read_about(folder, &path, out);
    }
    text_free(&path);
    return out->history != NULL;
}

void jepsen_store_free(jepsen_store *s) {
    free(s->history);
    text_free(&s->about);
}
