#include "explore/outside/serial_runs.h"

#include "base/mem.h"
#include "base/word_table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_NODE UINT32_MAX

typedef struct tree_node {         /* its number is above its parent's */
    uint32_t call, child, sibling; /* children by call, ascending */
    bool last;                     /* a run ends here */
} tree_node;

struct serial_runs {
    char **call;
    uint32_t calls, call_room;
    tree_node *node;
    uint32_t nodes, node_room;
    uint64_t runs;
};

static uint32_t node_new(serial_runs *r, uint32_t call, uint32_t sibling) {
    if (r->nodes == r->node_room) {
        r->node_room = r->node_room ? 2 * r->node_room : 256;
        r->node = MEM_GROW(r->node, tree_node, r->node_room);
    }
    r->node[r->nodes] = (tree_node){.call = call, .child = NO_NODE, .sibling = sibling};
    assert(r->nodes < NO_NODE);
    return r->nodes++;
}

serial_runs *serial_runs_new(void) {
    serial_runs *r = MEM_NEW(serial_runs);
    node_new(r, NO_NODE, NO_NODE);
    return r;
}

void serial_runs_free(serial_runs *r) {
    if (!r) return;
    for (uint32_t i = 0; i < r->calls; i++) free(r->call[i]);
    FREE_ALL(r->call, r->node, r);
}

uint64_t serial_runs_count(const serial_runs *r) { return r->runs; }

uint32_t serial_runs_call(serial_runs *r, const char *call) {
    for (uint32_t i = 0; i < r->calls; i++)
        if (!strcmp(r->call[i], call)) return i;
    if (r->calls == r->call_room) {
        r->call_room = r->call_room ? 2 * r->call_room : 32;
        r->call = MEM_GROW(r->call, char *, r->call_room);
    }
    r->call[r->calls] = mem_string(call);
    return r->calls++;
}

static uint32_t child_for(serial_runs *r, uint32_t at, uint32_t call) {
    uint32_t before = NO_NODE, c = r->node[at].child;
    assert(at < r->nodes && call < r->calls);
    while (c != NO_NODE && r->node[c].call < call) {
        before = c;
        c = r->node[c].sibling;
    }
    if (c != NO_NODE && r->node[c].call == call) return c;
    assert(before == NO_NODE || r->node[before].call < call); /* siblings ascend */
    assert(c == NO_NODE || r->node[c].call > call);
    uint32_t made = node_new(r, call, c);
    assert(made > at); /* find_classes goes from the last node to the first */
    if (before == NO_NODE) r->node[at].child = made;
    else r->node[before].sibling = made;
    return made;
}

bool serial_runs_add(serial_runs *r, const uint32_t *call, uint32_t n) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) at = child_for(r, at, call[i]);
    if (r->node[at].last) return false;
    r->node[at].last = true;
    r->runs++;
    assert(r->runs <= r->nodes);
    return true;
}

/* ---- sharing ---- */

/* The class of a node is its edges with the classes of their ends: children have higher numbers, so their classes are
 * known. Where a run ends does not matter: every beginning of a run is one. */
static void find_classes(const serial_runs *r, word_table *classes, uint32_t *class_of) {
    uint32_t *words = MEM_ARRAY(uint32_t, 2 * r->calls + 1);
    for (uint32_t i = r->nodes; i-- > 0;) {
        uint32_t n = 0;
        assert(r->node[i].call < r->calls || i == 0);
        for (uint32_t c = r->node[i].child; c != NO_NODE; c = r->node[c].sibling) {
            words[n++] = r->node[c].call;
            words[n++] = class_of[c];
            assert(c > i && class_of[c] < classes->count && n <= 2 * r->calls);
        }
        class_of[i] = word_table_number(classes, words, n);
    }
    free(words);
}

/* A class has a higher number than those behind it, and the root has the highest: counted from the other end edges go
 * up. */
uint32_t serial_runs_write(const serial_runs *r, text *out) {
    budget unlimited;
    word_table classes;
    uint32_t *class_of = MEM_ARRAY(uint32_t, r->nodes);
    budget_init(&unlimited, 0, 0);
    word_table_init(&classes, &unlimited);
    find_classes(r, &classes, class_of);
    text_printf(out, "runs %" PRIu64 "\ncalls %" PRIu32 "\n", r->runs, r->calls);
    for (uint32_t i = 0; i < r->calls; i++) text_printf(out, "%s\n", r->call[i]);
    uint32_t states = classes.count;
    assert(states && states <= r->nodes && class_of[0] == states - 1); /* the root is told first */
    text_printf(out, "states %" PRIu32 "\n", states);
    for (uint32_t s = states; s-- > 0;) {
        uint32_t n;
        const uint32_t *w = word_table_words(&classes, s, &n);
        assert(n % 2 == 0);
        for (uint32_t i = 0; i < n; i += 2) assert(w[i] < r->calls && w[i + 1] < s); /* edges go up */
        for (uint32_t i = 0; i < n; i += 2)
            text_printf(out, "%s%" PRIu32 ">%" PRIu32, i ? " " : "", w[i], states - 1 - w[i + 1]);
        text_char(out, '\n');
    }
    word_table_free(&classes);
    free(class_of);
    return states;
}
