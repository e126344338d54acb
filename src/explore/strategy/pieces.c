#include "explore/strategy/pieces.h"

#include "base/mem.h"
#include "explore/model/run_request.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { FIELDS = 7, NODES_MOST = 1 << 20 };

typedef struct piece_node {
    uint32_t parent; /* 0: the root */
    uint8_t taken, of, next;
    wide_set enabled, backtrack, sleep;
    uint32_t child, sibling; /* the first one below; the next one below the same parent; 0: none */
    uint32_t written;        /* its number in the piece that is written; 0: it is not there */
    bool own;                /* of that piece */
} piece_node;

struct work_pieces {
    char *known; /* "@1234,5678 " */
    wide_set cut;
    piece_node *node; /* 1 .. n */
    uint32_t n;
};

static wide_set left_at(const piece_node *x) { return x->backtrack & x->enabled & ~x->sleep; }
static bool has_left(const piece_node *x) { return x->of ? x->next < x->of : left_at(x) != 0; }

/* ---- reading ---- */

/* A hexadecimal number and what ends it. */
static bool set_read(const char **from, wide_set *out, char *end) {
    const char *at = *from;
    for (*out = 0; isxdigit((unsigned char)*at) && !isupper((unsigned char)*at); at++) {
        if (*out >> (8 * sizeof *out - 4)) return false;
        *out = *out << 4 | (unsigned)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
    }
    if (at == *from || !*at) return false;
    *end = *at;
    *from = at + 1;
    return true;
}

static bool node_read(const char **from, uint32_t before, piece_node *x, char *end) {
    wide_set f[FIELDS];
    for (unsigned i = 0; i < FIELDS; i++)
        if (!set_read(from, &f[i], end) || (i + 1 < FIELDS && *end != ',')) return false;
    if (*end != NODE_PLAIN && *end != NODE_OWN && *end != NODE_FOREIGN) return false;
    if (f[0] > before || (before && !f[0]) || f[1] > UINT8_MAX || f[2] > UINT8_MAX || f[3] > f[2]) return false;
    *x = (piece_node){.parent = (uint32_t)f[0],
                      .taken = (uint8_t)f[1],
                      .of = (uint8_t)f[2],
                      .next = (uint8_t)f[3],
                      .enabled = f[4],
                      .backtrack = f[5],
                      .sleep = f[6]};
    return true;
}

/* Behind what is known. */
static const char *behind_known(const char *work) {
    if (*work == '@') work += strcspn(work, " ");
    return *work == ' ' ? work + 1 : work;
}

bool pieces_begin_anew(const char *left) { return !strcmp(behind_known(left), WORK_BEGINS); }

/* ---- the tree ---- */

static uint32_t find_child(const work_pieces *p, uint32_t parent, uint8_t taken) {
    if (!parent) return p->n ? 1 : 0;
    for (uint32_t c = p->node[parent].child; c; c = p->node[c].sibling)
        if (p->node[c].taken == taken) return c;
    return 0;
}

static uint32_t add_node(work_pieces *p, const piece_node *x, uint32_t parent) {
    if (p->n == NODES_MOST) return 0;
    p->node = MEM_GROW(p->node, piece_node, p->n + 2);
    p->node[++p->n] = *x;
    p->node[p->n].parent = parent;
    if (parent) {
        p->node[p->n].sibling = p->node[parent].child;
        p->node[parent].child = p->n;
    }
    return p->n;
}

/* What the piece says of a node that was there before. */
static void take_state(piece_node *x, const piece_node *said, bool own) {
    const wide_set left = said->backtrack & said->enabled & ~said->sleep;
    x->backtrack |= said->backtrack;
    if (!own) return;
    x->sleep = (x->sleep | said->sleep) & ~left;
    if (said->next < said->of) x->next = said->next;
}

static bool take_nodes(work_pieces *p, const char *at) {
    wide_set cut;
    char end;
    uint32_t n = 0, *number = MEM_ARRAY(uint32_t, strlen(at) / FIELDS + 2); /* of this text's nodes: in the tree */
    bool good = set_read(&at, &cut, &end) && end == ' ';
    number[0] = 0;
    for (piece_node x; good && *at;) {
        good = node_read(&at, n, &x, &end);
        if (!good) break;
        const uint32_t parent = number[x.parent], there = find_child(p, parent, x.taken);
        good = !there || (p->node[there].of == x.of && p->node[there].enabled == x.enabled);
        if (good && there) take_state(&p->node[there], &x, end != NODE_FOREIGN);
        if (good) good = (number[++n] = there ? there : add_node(p, &x, parent)) != 0;
    }
    if (good) p->cut |= cut;
    free(number);
    return good;
}

work_pieces *pieces_read(const char *work) {
    const char *nodes = behind_known(work);
    work_pieces *p = MEM_NEW(work_pieces);
    p->known = mem_string(work);
    p->known[nodes - work] = '\0';
    p->node = mem_zero(1, sizeof *p->node);
    if (take_nodes(p, nodes)) return p;
    pieces_free(p);
    return NULL;
}

void pieces_free(work_pieces *p) {
    if (p) FREE_ALL(p->known, p->node, p);
}

bool pieces_join(work_pieces *p, const char *left) {
    const char *nodes = behind_known(left);
    const size_t known = strlen(p->known);
    if ((size_t)(nodes - left) != known || memcmp(left, p->known, known)) return false; /* it has learned something */
    return take_nodes(p, nodes);
}

bool pieces_bounded(const work_pieces *p) { return p->cut != 0; }

/* ---- cutting ---- */

/* What nothing is left below will not be asked for again. */
static void forget_finished(work_pieces *p) {
    bool *needed = mem_zero(p->n + 1, sizeof *needed);
    uint32_t *number = mem_zero(p->n + 1, sizeof *number), kept = 0;
    for (uint32_t i = p->n; i; i--) {
        needed[i] |= has_left(&p->node[i]);
        if (needed[i]) needed[p->node[i].parent] = true;
    }
    for (uint32_t i = 1; i <= p->n; i++) {
        if (!needed[i]) continue;
        piece_node x = p->node[i];
        x.parent = number[x.parent];
        x.child = x.sibling = 0;
        assert(kept < i && (!kept || x.parent)); /* parents stand before their children */
        number[i] = ++kept;
        p->node[kept] = x;
        if (!x.parent) continue;
        p->node[kept].sibling = p->node[x.parent].child;
        p->node[x.parent].child = kept;
    }
    p->n = kept;
    FREE_ALL(needed, number);
}

void wide_set_write(text *out, wide_set x) {
    char digits[2 * sizeof x + 1];
    unsigned n = sizeof digits;
    digits[--n] = 0;
    do digits[--n] = "0123456789abcdef"[(unsigned)x & 15];
    while (x >>= 4);
    text_add(out, digits + n);
}

/* The node behind those that lead to it, each once. */
static void path_write(work_pieces *p, uint32_t i, uint32_t *count, text *out) {
    piece_node *x = &p->node[i];
    if (!i || x->written) return;
    path_write(p, x->parent, count, out);
    text_printf(out, "%x,%x,%x,%x,", p->node[x->parent].written, x->taken, x->of, x->own ? x->next : x->of);
    wide_set_write(out, x->enabled);
    text_char(out, ',');
    wide_set_write(out, x->backtrack);
    text_char(out, ',');
    wide_set_write(out, x->sleep);
    text_char(out, x->own ? NODE_OWN : NODE_FOREIGN);
    x->written = ++*count;
}

static void claim(piece_node *x) {
    x->sleep |= left_at(x);
    x->next = x->of;
    assert(!has_left(x));
}

/* Nodes are dealt like cards: those near the root, which have the most below them, to different pieces. */
unsigned pieces_cut(work_pieces *p, unsigned most, text *out) {
    forget_finished(p);
    uint32_t *open = MEM_ARRAY(uint32_t, p->n + 1), n = 0;
    for (uint32_t i = 1; i <= p->n; i++)
        if (has_left(&p->node[i])) open[n++] = i;
    const unsigned count = n < most ? n : most;
    for (unsigned k = 0; k < count; k++) {
        uint32_t written = 0;
        for (uint32_t i = 0; i <= p->n; i++) p->node[i].written = p->node[i].own = 0;
        for (uint32_t i = k; i < n; i += count) p->node[open[i]].own = true;
        text_add(&out[k], p->known);
        wide_set_write(&out[k], p->cut);
        text_char(&out[k], ' ');
        for (uint32_t i = k; i < n; i += count) path_write(p, open[i], &written, &out[k]);
    }
    for (uint32_t i = 0; i < n; i++) claim(&p->node[open[i]]);
    free(open);
    return count;
}
