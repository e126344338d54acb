/* Functions of libc that read or write their caller's memory, linked with --wrap so that only the code under test is
 * led here: libc itself is not instrumented, and what it does to shared memory would go unseen. */
#include "explore/inside/access.h"

#include <stdlib.h>

#define FRAME ((uintptr_t)__builtin_frame_address(0))

static void reads(const void *p, size_t n, uintptr_t pc, uintptr_t sp) {
    if (n && mode_now() != OUTSIDE) access_plain((uintptr_t)p, n, false, pc, sp);
}
static void writes(const void *p, size_t n, uintptr_t pc, uintptr_t sp) {
    if (n && mode_now() != OUTSIDE) access_plain((uintptr_t)p, n, true, pc, sp);
}
#define READS(p, n) ((void)reads(p, n, CALLER, FRAME))
#define WRITES(p, n) ((void)writes(p, n, CALLER, FRAME))
#define WRAP(type, name, ...) \
    type __wrap_##name(__VA_ARGS__); \
    EXPORT type __wrap_##name(__VA_ARGS__)

/* How much of two strings is looked at before they differ. */
static size_t common(const char *a, const char *b, size_t most) {
    size_t n = 0;
    while (n < most && a[n] && a[n] == b[n]) n++;
    return n < most ? n + 1 : most;
}

WRAP(size_t, strlen, const char *s) {
    size_t n = strlen(s);
    return READS(s, n + 1), strlen(s);
}
WRAP(size_t, strnlen, const char *s, size_t most) {
    size_t n = strnlen(s, most);
    return READS(s, n < most ? n + 1 : n), strnlen(s, most);
}
WRAP(int, strcmp, const char *a, const char *b) {
    size_t n = common(a, b, SIZE_MAX);
    return READS(a, n), READS(b, n), strcmp(a, b);
}
WRAP(int, strncmp, const char *a, const char *b, size_t most) {
    size_t n = common(a, b, most);
    return READS(a, n), READS(b, n), strncmp(a, b, most);
}
WRAP(int, memcmp, const void *a, const void *b, size_t n) { return READS(a, n), READS(b, n), memcmp(a, b, n); }
WRAP(int, bcmp, const void *a, const void *b, size_t n) { return READS(a, n), READS(b, n), memcmp(a, b, n); }
WRAP(void *, memchr, const void *p, int c, size_t n) { return READS(p, n), memchr((void *)(uintptr_t)p, c, n); }
WRAP(char *, strchr, const char *s, int c) {
    size_t n = strlen(s);
    return READS(s, n + 1), strchr((char *)(uintptr_t)s, c);
}
WRAP(char *, strrchr, const char *s, int c) {
    size_t n = strlen(s);
    return READS(s, n + 1), strrchr((char *)(uintptr_t)s, c);
}
WRAP(char *, strstr, const char *s, const char *t) {
    return READS(s, strlen(s) + 1), READS(t, strlen(t) + 1), strstr((char *)(uintptr_t)s, t);
}
WRAP(char *, strcpy, char *to, const char *from) {
    size_t n = strlen(from) + 1;
    return READS(from, n), WRITES(to, n), strcpy(to, from);
}
WRAP(char *, stpcpy, char *to, const char *from) {
    size_t n = strlen(from) + 1;
    return READS(from, n), WRITES(to, n), stpcpy(to, from);
}
WRAP(char *, strncpy, char *to, const char *from, size_t most) {
    size_t n = strnlen(from, most);
    return READS(from, n < most ? n + 1 : n), WRITES(to, most), strncpy(to, from, most);
}
WRAP(char *, strcat, char *to, const char *from) {
    size_t at = strlen(to), n = strlen(from) + 1;
    return READS(to, at + 1), READS(from, n), WRITES(to + at, n), strcat(to, from);
}
WRAP(void *, mempcpy, void *to, const void *from, size_t n) {
    return READS(from, n), WRITES(to, n), (char *)memcpy(to, from, n) + n;
}
WRAP(long, strtol, const char *s, char **end, int base) { return READS(s, strlen(s) + 1), strtol(s, end, base); }
WRAP(int, atoi, const char *s) { return READS(s, strlen(s) + 1), (int)strtol(s, NULL, 10); }
