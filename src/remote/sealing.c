#include "remote/sealing.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { KEY_LEAST = 16, KEY_MOST = 4096 };

static void begin_with(sha256 *h, const unsigned char key[SHA256_BLOCK], unsigned char pad) {
    unsigned char block[SHA256_BLOCK];
    for (unsigned i = 0; i < SHA256_BLOCK; i++) block[i] = key[i] ^ pad;
    sha256_begin(h);
    sha256_add(h, block, sizeof block);
}

static void set_key(sealing *s, const char *p, size_t n) {
    unsigned char key[SHA256_BLOCK] = {0};
    if (n <= sizeof key) memcpy(key, p, n);
    else {
        sha256 h;
        sha256_begin(&h);
        sha256_add(&h, p, n);
        sha256_end(&h, key);
    }
    begin_with(&s->inner, key, 0x36);
    begin_with(&s->outer, key, 0x5c);
    s->on = true;
}

bool sealing_open(sealing *s, const char *file, error *e) {
    char room[KEY_MOST + 1];
    *s = (sealing){0};
    if (!file) return true;
    FILE *f = fopen(file, "rbe");
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "%s: %s", file, strerror(errno));
    size_t n = fread(room, 1, sizeof room, f);
    fclose(f);
    while (n && strchr(" \t\r\n", room[n - 1])) n--;
    if (n < KEY_LEAST || n > KEY_MOST)
        return error_set(e, EXIT_BAD_INPUT, "%s: a key of %zu bytes; expected %d to %d", file, n, KEY_LEAST, KEY_MOST);
    set_key(s, room, n);
    return true;
}

static void seal_of_frame(const sealing *s, enum seal_side who, const void *p, size_t n,
                          unsigned char out[SHA256_SIZE]) {
    sha256 inner = s->inner, outer = s->outer;
    const unsigned char side = (unsigned char)who;
    sha256_add(&inner, &side, 1);
    sha256_add(&inner, p, n);
    sha256_end(&inner, out);
    sha256_add(&outer, out, SHA256_SIZE);
    sha256_end(&outer, out);
}

void sealing_seal(const sealing *s, enum seal_side who, text *out, size_t begun) {
    unsigned char seal[SHA256_SIZE];
    if (!s->on) return;
    assert(begun + WIRE_HEAD <= out->size);
    seal_of_frame(s, who, out->at + begun + 4, out->size - begun - 4, seal);
    text_bytes(out, seal, sizeof seal);
    wire_end(out, begun);
}

/* All bytes are compared, whatever the first ones are. */
bool sealing_check(const sealing *s, enum seal_side who, const void *frame, size_t n, wire_reader *body) {
    unsigned char seal[SHA256_SIZE], differ = 0;
    if (!s->on) return true;
    if (body->left < SHA256_SIZE) return false;
    const unsigned char *p = frame;
    seal_of_frame(s, who, p + 4, n - 4 - SHA256_SIZE, seal);
    for (unsigned i = 0; i < SHA256_SIZE; i++) differ |= seal[i] ^ p[n - SHA256_SIZE + i];
    body->left -= SHA256_SIZE;
    return !differ;
}
