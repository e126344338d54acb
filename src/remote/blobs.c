#include "remote/blobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* blob.NAME: the size in decimal digits; written last, so that what it promises is there. blob.NAME.I: chunks. */
enum { KEY_ROOM = TRANSPORT_NAME };

static bool failed(const char *name, transport_answer a, const char *why, error *e) {
    return error_set(e, EXIT_CANNOT_OPEN, "contents %.12s: %s", name, a == TRANSPORT_NOTHING ? "are not there" : why);
}

bool blob_is_name(const char *name) {
    return strlen(name) == SHA256_HEX - 1 && strspn(name, "0123456789abcdef") == SHA256_HEX - 1;
}

static bool is_there(const transport_type *type, void *t, const char *key, char *why) {
    transport_message m = {0};
    if (type->get(t, key, &m, why) != TRANSPORT_DONE) return false;
    type->release(t, &m);
    return true;
}

static bool put_chunk(const transport_type *type, void *t, const char *name, size_t i, const char *p, size_t n,
                      error *e) {
    char key[KEY_ROOM], why[TRANSPORT_WHY] = "";
    snprintf(key, sizeof key, "blob.%s.%zu", name, i);
    if (is_there(type, t, key, why)) return true;
    const transport_answer a = type->put(t, key, REVISION_ANY, p, n, NULL, why);
    return a == TRANSPORT_DONE || failed(name, a, why, e);
}

bool blob_put(const transport_type *type, void *t, const void *p, size_t n, char name[SHA256_HEX], error *e) {
    char key[KEY_ROOM], size[32], why[TRANSPORT_WHY] = "";
    const char *bytes = p;
    sha256_name(p, n, name);
    snprintf(key, sizeof key, "blob.%s", name);
    if (is_there(type, t, key, why)) return true;
    for (size_t i = 0; i * BLOB_CHUNK < n; i++) {
        const size_t at = i * BLOB_CHUNK, left = n - at;
        if (!put_chunk(type, t, name, i, bytes + at, left < BLOB_CHUNK ? left : BLOB_CHUNK, e)) return false;
    }
    const int digits = snprintf(size, sizeof size, "%zu", n);
    const transport_answer a = type->put(t, key, REVISION_ANY, size, (size_t)digits, NULL, why);
    return a == TRANSPORT_DONE || failed(name, a, why, e);
}

static bool get_size(const transport_type *type, void *t, const char *name, uint64_t *out, error *e) {
    char key[KEY_ROOM], digits[32] = "", why[TRANSPORT_WHY] = "", *end;
    transport_message m = {0};
    snprintf(key, sizeof key, "blob.%s", name);
    const transport_answer a = type->get(t, key, &m, why);
    if (a != TRANSPORT_DONE) return failed(name, a, why, e);
    snprintf(digits, sizeof digits, "%.*s", (int)(m.size < sizeof digits ? m.size : 0), (const char *)m.bytes);
    type->release(t, &m);
    *out = strtoull(digits, &end, 10);
    return (*digits && !*end) || error_set(e, EXIT_BAD_INPUT, "contents %.12s: their size is no number", name);
}

bool blob_get(const transport_type *type, void *t, const char *name, text *out, error *e) {
    uint64_t size = 0;
    char key[KEY_ROOM], why[TRANSPORT_WHY] = "", found[SHA256_HEX];
    text_clear(out);
    if (!blob_is_name(name)) return error_set(e, EXIT_BAD_INPUT, "'%.80s' is not the name of contents", name);
    if (!get_size(type, t, name, &size, e)) return false;
    for (size_t i = 0; i * BLOB_CHUNK < size; i++) {
        transport_message m = {0};
        snprintf(key, sizeof key, "blob.%s.%zu", name, i);
        const transport_answer a = type->get(t, key, &m, why);
        if (a != TRANSPORT_DONE) return failed(name, a, why, e);
        text_bytes(out, m.bytes, m.size);
        type->release(t, &m);
    }
    sha256_name(text_str(out), out->size, found);
    return !strcmp(found, name) || error_set(e, EXIT_BAD_INPUT, "contents %.12s: are not what their name says", name);
}

void blob_remove(const transport_type *type, void *t, const char *name) {
    char key[KEY_ROOM], why[TRANSPORT_WHY];
    uint64_t size;
    error e = {0};
    if (!get_size(type, t, name, &size, &e)) return;
    snprintf(key, sizeof key, "blob.%s", name);
    type->remove(t, key, why);
    for (size_t i = 0; i * BLOB_CHUNK < size; i++) {
        snprintf(key, sizeof key, "blob.%s.%zu", name, i);
        type->remove(t, key, why);
    }
}
