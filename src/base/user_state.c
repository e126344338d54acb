#include "base/user_state.h"

#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

bool user_state_path(const char *name, text *out) {
    const char *chosen = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (chosen && chosen[0] == '/') text_add(out, chosen);
    else if (home && home[0] == '/') text_printf(out, "%s/.local/state", home);
    else return false;
    text_printf(out, "/plumb/%s", name);
    return true;
}

bool user_state_make_folders(char *path) {
    for (char *p = path + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        bool good = !mkdir(path, 0700) || errno == EEXIST;
        *p = '/';
        if (!good) return false;
    }
    return true;
}

/* ---- the key ---- */

static bool read_key(const char *path, seal_key *out) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && read(fd, out, sizeof *out) == (ssize_t)sizeof *out;
    if (fd >= 0) close(fd);
    return good;
}

/* Under a name of its own first: a key is whole when it is there, and of several that are made at once one stays. */
static bool make_key(const char *path) {
    seal_key made;
    text beside = {0};
    text_printf(&beside, "%s.%ld", path, (long)getpid());
    int fd = open(text_str(&beside), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = fd >= 0 && getrandom(&made, sizeof made, 0) == (ssize_t)sizeof made &&
                write_all_bytes(fd, &made, sizeof made) && fsync(fd) == 0 &&
                (link(text_str(&beside), path) == 0 || errno == EEXIST);
    if (fd >= 0) {
        close(fd);
        unlink(text_str(&beside));
    }
    text_free(&beside);
    return good;
}

bool user_seal_key(seal_key *out) {
    text path = {0};
    bool good = user_state_path("key", &path) &&
                (read_key(text_str(&path), out) ||
                 (user_state_make_folders(path.at) && make_key(text_str(&path)) && read_key(text_str(&path), out)));
    text_free(&path);
    return good;
}

/* ---- SipHash-2-4 (Aumasson and Bernstein, 2012) ---- */

static uint64_t rotated(uint64_t x, unsigned by) { return x << by | x >> (64 - by); }

static void mix(uint64_t v[4], unsigned rounds) {
    while (rounds--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotated(v[1], 13) ^ v[0];
        v[3] = rotated(v[3], 16) ^ v[2];
        v[0] = rotated(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotated(v[1], 17) ^ v[2];
        v[3] = rotated(v[3], 21) ^ v[0];
        v[2] = rotated(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    mix(v, 2);
    v[0] ^= word;
}

uint64_t seal_of(const seal_key *k, const void *p, size_t n) {
    const unsigned char *byte = p;
    uint64_t v[4] = {k->half[0] ^ UINT64_C(0x736f6d6570736575), k->half[1] ^ UINT64_C(0x646f72616e646f6d),
                     k->half[0] ^ UINT64_C(0x6c7967656e657261), k->half[1] ^ UINT64_C(0x7465646279746573)};
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++) {
        word |= (uint64_t)byte[i] << 8 * (i % 8);
        if (i % 8 != 7) continue;
        absorb(v, word);
        word = 0;
    }
    absorb(v, word | (uint64_t)n << 56);
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
