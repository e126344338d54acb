#include "engine/general/trail.h"
#include "base/hash.h"
#include "engine/self_check.h"

#define NO_CHILD 0u
#define FORK UINT32_MAX /* otherwise: the only child's number + 1 */

void trail_free(trail *t) {
    free(t->node);
    witness_free(&t->settled);
    *t = (trail){0};
}

uint32_t trail_add(trail *t, uint32_t parent, uint32_t op, value res) {
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        t->node = MEM_GROW(t->node, trail_node, t->room);
    }
    assert(parent == TRAIL_ROOT || parent < t->count);
    t->node[t->count] = (trail_node){parent, op, res};
    return t->count++;
}

bool trail_is_long(const trail *t) { return t->count > 2 * t->retained + 2048; }

static void settle(trail *t, const trail_node *node) {
    witness *w = &t->settled;
    if (w->n == t->settled_room) {
        t->settled_room = t->settled_room ? 2 * t->settled_room : 1024;
        w->op = MEM_GROW(w->op, uint32_t, t->settled_room);
        w->res = MEM_GROW(w->res, value, t->settled_room);
    }
    assert(w->n < t->settled_room);
    w->op[w->n] = node->op;
    w->res[w->n++] = node->res;
}

/* Settles the trunk, from the root to the first fork or end; returns its last node. */
static uint32_t settle_trunk(trail *t, const uint32_t *child, uint32_t root_child) {
    uint32_t last = TRAIL_ROOT;
    for (uint32_t c = root_child; c != NO_CHILD && c != FORK; c = child[last]) {
        last = c - 1;
        settle(t, &t->node[last]);
    }
    return last;
}

/* An end counts as a fork: nothing below it is common to all. child[] of a dead node is NO_CHILD. */
static uint32_t mark(const trail *t, uint32_t *const *end, uint32_t n, uint32_t *child, bool *live) {
    uint32_t root_child = NO_CHILD;
    for (uint32_t e = 0; e < n; e++) {
        if (*end[e] == TRAIL_ROOT) root_child = FORK;
        else {
            assert(*end[e] < t->count);
            live[*end[e]] = true;
            child[*end[e]] = FORK;
        }
    }
    for (uint32_t i = t->count; i-- > 0;) {
        if (!live[i]) continue;
        uint32_t parent = t->node[i].parent;
        assert(parent == TRAIL_ROOT || parent < i);
        if (parent != TRAIL_ROOT) live[parent] = true;
        uint32_t *of_parent = parent == TRAIL_ROOT ? &root_child : &child[parent];
        *of_parent = *of_parent == NO_CHILD ? i + 1 : FORK;
    }
    return root_child;
}

/* Of the operations that lead to an end, settled ones included, in their order: what a retain must not change. */
static uint64_t trail_digest(const trail *t, uint32_t end) {
    uint64_t digest = 0;
    for (uint32_t i = end; i != TRAIL_ROOT; i = t->node[i].parent)
        digest = hash_pair(digest, hash_pair(t->node[i].op, t->node[i].res));
    for (uint32_t i = t->settled.n; i-- > 0;)
        digest = hash_pair(digest, hash_pair(t->settled.op[i], t->settled.res[i]));
    return digest;
}

void trail_retain(trail *t, uint32_t *const *end, uint32_t n) {
    uint32_t *child = mem_zero(t->count + 1, sizeof *child);
    bool *live = mem_zero(t->count + 1, sizeof *live);
    SELF_CHECK uint64_t first_path = SELF_CHECKS && n ? trail_digest(t, *end[0]) : 0;
    SELF_CHECK uint64_t last_path = SELF_CHECKS && n ? trail_digest(t, *end[n - 1]) : 0;
    uint32_t root_child = mark(t, end, n, child, live);
    uint32_t last = settle_trunk(t, child, root_child);
    uint32_t *number = child; /* from here on: new numbers */
    for (uint32_t i = last; i != TRAIL_ROOT; i = t->node[i].parent) {
        live[i] = false;
        number[i] = TRAIL_ROOT;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!live[i]) continue;
        trail_node node = t->node[i];
        if (node.parent != TRAIL_ROOT) node.parent = number[node.parent];
        assert(node.parent == TRAIL_ROOT || node.parent < count);
        number[i] = count;
        t->node[count++] = node;
    }
    for (uint32_t e = 0; e < n; e++)
        if (*end[e] != TRAIL_ROOT) *end[e] = number[*end[e]];
    assert(count <= t->count);
    t->count = t->retained = count;
    assert_costly(n == 0 || trail_digest(t, *end[0]) == first_path);
    assert_costly(n == 0 || trail_digest(t, *end[n - 1]) == last_path);
    free(child);
    free(live);
}

void trail_witness(const trail *t, uint32_t end, witness *out) {
    uint32_t length = t->settled.n;
    for (uint32_t i = end; i != TRAIL_ROOT; i = t->node[i].parent) length++;
    *out = (witness){.op = MEM_ARRAY(uint32_t, length), .res = MEM_ARRAY(value, length), .n = length};
    if (t->settled.n) {
        memcpy(out->op, t->settled.op, t->settled.n * sizeof *out->op);
        memcpy(out->res, t->settled.res, t->settled.n * sizeof *out->res);
    }
    for (uint32_t i = end; i != TRAIL_ROOT; i = t->node[i].parent) {
        out->op[--length] = t->node[i].op;
        out->res[length] = t->node[i].res;
    }
    assert(length == t->settled.n);
}

size_t trail_memory(const trail *t) {
    return t->room * sizeof *t->node + t->settled_room * (sizeof *t->settled.op + sizeof *t->settled.res);
}
