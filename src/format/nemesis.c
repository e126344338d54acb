#include "format/nemesis.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct fault_words { /* an operation that begins a fault, and those that end it: verbs before a common suffix */
    const char *begin, *end[2];
} fault_words;

static const fault_words words[] = {
    {"kill", {"start", "restart"}},
    {"pause", {"resume", NULL}},
    {"partition", {"heal", "stop"}},
    {"start", {"stop", NULL}},
};
enum { WORDS = sizeof words / sizeof *words };

typedef struct open_fault {
    const fault_words *words;
    char *suffix; /* "-pd" of kill-pd; "" of kill */
    uint32_t note;
    bool ending; /* the operation that ends it was called, and may still complete */
} open_fault;

struct nemesis {
    open_fault *fault;
    uint32_t n, room;
};

nemesis *nemesis_new(void) { return MEM_NEW(nemesis); }

static void forget(nemesis *n, uint32_t i) {
    assert(i < n->n);
    free(n->fault[i].suffix);
    memmove(&n->fault[i], &n->fault[i + 1], (n->n - i - 1) * sizeof *n->fault);
    n->n--;
}

void nemesis_free(nemesis *n) {
    while (n->n) forget(n, n->n - 1);
    free(n->fault);
    free(n);
}

/* `f` is the verb and a suffix, which is empty or begins with a dash: where the suffix begins. NULL: another verb. */
static const char *suffix_of(const char *f, size_t length, const char *verb) {
    size_t v = strlen(verb);
    if (length < v || memcmp(f, verb, v) != 0) return NULL;
    return length == v || f[v] == '-' ? f + v : NULL;
}

static bool same_suffix(const open_fault *o, const char *suffix, const char *end) {
    size_t n = (size_t)(end - suffix);
    return strlen(o->suffix) == n && memcmp(o->suffix, suffix, n) == 0;
}

static bool ends(const open_fault *o, const char *f, size_t length) {
    for (unsigned w = 0; w < 2 && o->words->end[w]; w++) {
        const char *suffix = suffix_of(f, length, o->words->end[w]);
        if (suffix && same_suffix(o, suffix, f + length)) return true;
    }
    return false;
}

/* Another operation began: those that were ending have ended. */
static void forget_ended(nemesis *n) {
    for (uint32_t i = n->n; i-- > 0;)
        if (n->fault[i].ending) forget(n, i);
}

static bool is_open(const nemesis *n, const fault_words *w, const char *suffix, const char *end) {
    for (uint32_t i = 0; i < n->n; i++)
        if (n->fault[i].words == w && same_suffix(&n->fault[i], suffix, end)) return true;
    return false;
}

static void begin(nemesis *n, const char *f, size_t length, uint32_t note) {
    for (unsigned w = 0; w < WORDS; w++) {
        const char *suffix = suffix_of(f, length, words[w].begin);
        if (!suffix) continue;
        if (is_open(n, &words[w], suffix, f + length)) return; /* its completion, or once more the same */
        if (n->n == n->room) {
            n->room = n->room ? n->room * 2 : 4;
            n->fault = MEM_GROW(n->fault, open_fault, n->room);
        }
        size_t size = (size_t)(f + length - suffix);
        char *copy = MEM_ARRAY(char, size + 1);
        memcpy(copy, suffix, size);
        copy[size] = 0;
        n->fault[n->n++] = (open_fault){.words = &words[w], .suffix = copy, .note = note};
        return;
    }
}

void nemesis_event(nemesis *n, const char *f, size_t length, uint32_t note,
                   void (*ended)(void *context, uint32_t begun), void *context) {
    bool any = false;
    for (uint32_t i = 0; i < n->n; i++) {
        if (!ends(&n->fault[i], f, length)) continue;
        any = true;
        ended(context, n->fault[i].note);
        n->fault[i].ending = true;
    }
    if (any) return;
    forget_ended(n);
    begin(n, f, length, note);
}
