/* Smaller test programs: everything that can be got by leaving out operations, fewest first. The order of the threads and of
 * the operations that stay is kept, so a failure found there is a failure of the same kind of use. */
#include "explore/hunt.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_MAX = 12 };

typedef struct call {
    const char *at;
    size_t size;
    unsigned part; /* 0: before the threads; t + 1: of thread t */
} call;

typedef struct pieces {
    call call[CALLS_MAX];
    unsigned calls, parts;
} pieces;

static size_t call_size(const char *p) {
    size_t n = strcspn(p, " \t|:(");
    if (p[n] == '(') n += strcspn(p + n, ")") + 1;
    return n;
}

static bool pieces_find(const char *threads, pieces *out) {
    bool has_initial = strchr(threads, ':') != NULL;
    unsigned part = has_initial ? 0 : 1;
    *out = (pieces){0};
    for (const char *p = threads; *p;) {
        if (*p == ' ' || *p == '\t') p++;
        else if (*p == '|' || *p == ':') part++, p++;
        else {
            if (out->calls == CALLS_MAX) return false;
            size_t n = call_size(p);
            out->call[out->calls++] = (call){.at = p, .size = n, .part = part};
            p += n;
        }
    }
    out->parts = part;
    return true;
}

unsigned threads_operations(const char *threads) {
    unsigned n = 0;
    for (const char *p = threads; *p;) {
        if (strchr(" \t|:", *p)) p++;
        else n++, p += call_size(p);
    }
    return n;
}

/* Threads that have nothing left to do disappear. */
static void write_subset(const pieces *p, unsigned kept, text *out) {
    bool begun = false;
    text_clear(out);
    for (unsigned part = 0; part <= p->parts; part++) {
        bool any = false;
        for (unsigned i = 0; i < p->calls; i++) {
            if (p->call[i].part != part || !(kept >> i & 1)) continue;
            if (any) text_char(out, ' ');
            else if (begun) text_add(out, " | ");
            text_bytes(out, p->call[i].at, p->call[i].size);
            any = true;
        }
        if (any && part == 0) text_add(out, " : ");
        else begun |= any;
    }
}

static unsigned threads_left(const pieces *p, unsigned kept) {
    unsigned seen = 0;
    for (unsigned i = 0; i < p->calls; i++)
        if (kept >> i & 1 && p->call[i].part) seen |= 1u << p->call[i].part;
    return (unsigned)__builtin_popcount(seen);
}

void programs_within(const char *threads, bool (*each)(void *context, const char *smaller), void *context) {
    pieces p;
    text out = {0};
    bool go_on = pieces_find(threads, &p);
    for (unsigned size = 1; go_on && size < p.calls; size++)
        for (unsigned wanted = 1; go_on && wanted <= p.parts; wanted++)
            for (unsigned kept = 0; go_on && kept < 1u << p.calls; kept++) {
                if ((unsigned)__builtin_popcount(kept) != size || threads_left(&p, kept) != wanted) continue;
                write_subset(&p, kept, &out);
                go_on = each(context, text_str(&out));
            }
    text_free(&out);
}
