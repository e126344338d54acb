/* Copies to the tape or from it: what a snapshot keeps is listed once for both directions. */
#ifndef PLUMB_EXPLORE_INSIDE_TAPE_H
#define PLUMB_EXPLORE_INSIDE_TAPE_H

#include "explore/inside/steps.h"

typedef struct tape {
    char *at, *end;
    bool keeping; /* else: bringing back */
    bool full;
} tape;

#define TAPE_INLINE static inline __attribute__((always_inline))

/* A function that copies much is compiled once for each direction, with the tape in registers. */
#define TAPE_BOTH_WAYS(t, copy, ...) \
    do { \
        tape local = *(t); \
        if (local.keeping) { \
            local.keeping = true, copy(&local, __VA_ARGS__); \
        } else { \
            local.keeping = false, copy(&local, __VA_ARGS__); \
        } \
        *(t) = local; \
    } while (0)

/* A few bytes of each thread and class of blocks, whose number the compiler knows, need not be asked about: they go
 * behind the end. */
enum { TAPE_KNOWN = 512, TAPE_BEHIND = 64 << 10 };

/* What was kept had its room. */
TAPE_INLINE bool tape_has_room(tape *t, size_t n) {
    if (!t->keeping || LIKELY((size_t)(t->end - t->at) >= n)) return true;
    INVARIANT(t->at <= t->end + TAPE_BEHIND); /* small pieces go behind the end without a question */
    t->full = true;
    return false;
}

/* A size that the compiler knows makes it prefer `rep movs`, which is slow to start; any other is a call, in which
 * branches on the size are seldom guessed right. */
TAPE_INLINE void bytes_copy(char *to, const char *from, size_t n) {
    enum { PART = 16 };
    size_t i = 0;
    if (!__builtin_constant_p(n) || n > TAPE_KNOWN || n % 8) {
        __asm__("" : "+r"(n));
        memcpy(to, from, n);
        return;
    }
    for (; i + PART <= n; i += PART) memcpy(to + i, from + i, PART);
    if (i < n) memcpy(to + i, from + i, 8);
}

TAPE_INLINE void tape_copy(tape *t, void *p, size_t n) {
    size_t room = (n + 7) & ~(size_t)7;
    if (!n || (!(__builtin_constant_p(n) && n <= TAPE_KNOWN) && !tape_has_room(t, room))) return;
    if (t->keeping && room != n) memset(t->at + room - 8, 0, 8);
    if (__builtin_constant_p(n) && n <= 8) t->keeping ? memcpy(t->at, p, n) : memcpy(p, t->at, n);
    else if (t->keeping) bytes_copy(t->at, p, n);
    else bytes_copy(p, t->at, n);
    t->at += room;
}

/* The same for arrays of words, or of pairs of words, that are mostly small: a call would cost more than the copy. */
enum { FEW = 8 };
TAPE_INLINE void tape_copy_words(tape *t, void *p, size_t n) {
    if (n > FEW * 8) {
        tape_copy(t, p, n);
        return;
    }
    if (!tape_has_room(t, n)) return;
    words_copy(t->keeping ? t->at : p, t->keeping ? p : t->at, n / 8);
    t->at += n;
}
TAPE_INLINE void tape_copy_pairs(tape *t, void *p, size_t n) {
    if (n > FEW * 16) {
        tape_copy(t, p, n);
        return;
    }
    if (!tape_has_room(t, n)) return;
    char *to = t->keeping ? t->at : p;
    const char *from = t->keeping ? p : t->at;
    for (size_t i = 0; i < n; i += 16) memcpy(to + i, from + i, 16);
    t->at += n;
}

/* Not to memory that is known to hold the same. */
TAPE_INLINE void tape_copy_unless(tape *t, bool same, void *p, size_t n) {
    if (!same) tape_copy(t, p, n);
    else t->at += (n + 7) & ~(size_t)7;
}

#endif
