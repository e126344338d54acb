/* Smaller test programs: everything that can be got by leaving out operations, fewest first. The order of the threads
 * and of the operations that stay is kept, so a failure found there is a failure of the same kind of use. */
#include "explore/outside/hunt.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_MAX = 32 /* a set of bits */, SUBSETS_MAX = 12 /* calls of which every subset is tried */ };

typedef struct written_call {
    const char *at;
    size_t size;
    unsigned part; /* 0: before the threads; t + 1: of thread t; the last: after them, when has_after */
} written_call;

typedef struct pieces {
    written_call call[CALLS_MAX];
    unsigned calls, parts;
    bool has_after;
} pieces;

static size_t call_size(const char *p) {
    size_t n = strcspn(p, " \t|:(");
    if (p[n] == '(') n += strcspn(p + n, ")") + 1;
    return n;
}

static bool pieces_find(const char *threads, pieces *out) {
    bool has_initial = threads[strcspn(threads, ":|")] == ':'; /* a colon behind a bar is that of what comes after */
    unsigned part = has_initial ? 0 : 1, colons = !has_initial;
    *out = (pieces){0};
    for (const char *p = threads; *p;) {
        if (*p == ' ' || *p == '\t') p++;
        else if (*p == '|' || *p == ':') {
            part++;
            colons += *p == ':';
            p++;
        } else {
            if (out->calls == CALLS_MAX) return false;
            size_t n = call_size(p);
            assert(n);
            out->call[out->calls++] = (written_call){.at = p, .size = n, .part = part};
            p += n;
        }
    }
    assert(part < 32 && colons <= 2); /* parts are counted in a set of bits */
    out->parts = part;
    out->has_after = colons == 2;
    return true;
}

unsigned threads_operations(const char *threads) {
    unsigned n = 0;
    for (const char *p = threads; *p;) {
        if (strchr(" \t|:", *p)) p++;
        else {
            n++;
            p += call_size(p);
        }
    }
    return n;
}

static unsigned threads_left(const pieces *p, unsigned kept) {
    unsigned seen = 0;
    for (unsigned i = 0; i < p->calls; i++)
        if (kept >> i & 1 && p->call[i].part && !(p->has_after && p->call[i].part == p->parts))
            seen |= 1u << p->call[i].part;
    return (unsigned)__builtin_popcount(seen);
}

static bool part_left(const pieces *p, unsigned kept, unsigned part) {
    for (unsigned i = 0; i < p->calls; i++)
        if (kept >> i & 1 && p->call[i].part == part) return true;
    return false;
}

static void write_part(const pieces *p, unsigned kept, unsigned part, text *out) {
    bool any = false;
    for (unsigned i = 0; i < p->calls; i++) {
        if (p->call[i].part != part || !(kept >> i & 1)) continue;
        if (any) text_char(out, ' ');
        text_bytes(out, p->call[i].at, p->call[i].size);
        any = true;
    }
}

/* Threads that have nothing left to do disappear. One colon would be read as that of what comes before. */
static void write_subset(const pieces *p, unsigned kept, text *out) {
    assert(kept && !((uint64_t)kept >> p->calls));
    bool before = part_left(p, kept, 0), after = p->has_after && part_left(p, kept, p->parts), begun = false;
    text_clear(out);
    if (before) {
        write_part(p, kept, 0, out);
        text_char(out, ' ');
    }
    if (before || after) text_add(out, ": ");
    for (unsigned part = 1; part + p->has_after <= p->parts; part++) {
        if (!part_left(p, kept, part)) continue;
        if (begun) text_add(out, " | ");
        write_part(p, kept, part, out);
        begun = true;
    }
    if (after) {
        text_add(out, " : ");
        write_part(p, kept, p->parts, out);
    }
}

bool programs_within(const char *threads, bool (*each)(void *context, const char *smaller), void *context) {
    pieces p;
    text out = {0};
    if (!pieces_find(threads, &p) || p.calls > SUBSETS_MAX) return false;
    bool go_on = true;
    for (unsigned size = 1; go_on && size < p.calls; size++)
        for (unsigned wanted = 1; go_on && wanted <= p.parts; wanted++)
            for (unsigned kept = 0; go_on && kept < 1u << p.calls; kept++) {
                if ((unsigned)__builtin_popcount(kept) != size || threads_left(&p, kept) != wanted) continue;
                write_subset(&p, kept, &out);
                assert(threads_operations(text_str(&out)) == size);
                go_on = each(context, text_str(&out));
            }
    text_free(&out);
    return true;
}

bool program_without(const char *threads, unsigned call, text *out) {
    pieces p;
    if (!pieces_find(threads, &p) || call >= p.calls || p.calls < 2) return false;
    write_subset(&p, (unsigned)((UINT64_C(1) << p.calls) - 1) & ~(1u << call), out);
    return true;
}
