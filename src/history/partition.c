#include "history/partition.h"

#include "base/hash.h"
#include "base/table.h"

#include <assert.h>
#include <stdlib.h>

typedef struct part_table {
    uint64_t *name; /* by part: both column values */
    uint32_t count, room;
    table parts; /* by name */
} part_table;

static uint32_t part_hash(const void *owner, uint32_t part) {
    return (uint32_t)hash_mix(((const part_table *)owner)->name[part]);
}

static bool part_is(const void *owner, uint32_t part, const void *name) {
    return ((const part_table *)owner)->name[part] == *(const uint64_t *)name;
}

static uint32_t part_of(part_table *t, uint64_t name) {
    uint32_t hash = (uint32_t)hash_mix(name), part = table_find(&t->parts, hash, part_is, t, &name);
    if (part != TABLE_NONE) return part;
    if (t->count == t->room) t->name = MEM_GROW(t->name, uint64_t, t->room = t->room ? t->room * 2 : 64);
    t->name[t->count] = name;
    table_add(&t->parts, hash, part_hash, t, t->count);
    return t->count++;
}

static partition *whole(const history *h) {
    partition *p = MEM_NEW(partition);
    p->count = 1;
    p->start = MEM_ARRAY(uint32_t, 2);
    p->start[0] = 0;
    p->start[1] = h->n;
    p->op = MEM_ARRAY(uint32_t, h->n);
    for (uint32_t i = 0; i < h->n; i++) p->op[i] = i;
    return p;
}

static void name_by_table(const history *h, const value *first, const value *second, uint32_t *of, uint32_t *count) {
    part_table t = {0};
    for (uint32_t i = 0; i < h->n; i++)
        of[i] = part_of(&t, (uint64_t)(first ? first[i] : 0) << 32 | (second ? second[i] : 0));
    *count = t.count;
    free(t.name);
    table_free(&t.parts);
}

/* Keys are mostly small integers close together: then an array finds the part. False: they are not. */
static bool name_by_array(const history *h, const value *column, uint32_t *of, uint32_t *count) {
    value low = VALUE_SPECIAL, high = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        if (column[i] < low) low = column[i];
        if (column[i] > high) high = column[i];
    }
    if (h->n == 0 || high >= VALUE_SPECIAL || high - low > h->n) return false;
    uint32_t *part = mem_zero((size_t)(high - low) + 1, sizeof *part); /* + 1 */
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t *p = &part[column[i] - low];
        if (!*p) *p = ++*count;
        of[i] = *p - 1;
    }
    free(part);
    return true;
}

uint32_t *partition_numbers(const history *h, const value *first, const value *second, uint32_t *count) {
    *count = 0;
    if (!first && !second) {
        *count = 1;
        return NULL;
    }
    uint32_t *of = MEM_ARRAY(uint32_t, h->n);
    bool one = !first || !second;
    if (!one || !name_by_array(h, first ? first : second, of, count)) name_by_table(h, first, second, of, count);
    return of;
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
static bool same_names(const value *column, uint32_t a, uint32_t b) { return !column || column[a] == column[b]; }

/* Parts follow each other by their first operations, each ascending and of one name. With every operation in one of
 * them (partition_by counts), no two parts have the same name: `of` numbers them by first appearance. */
static void check_parts(const partition *p, const history *h, const value *first, const value *second) {
    assert(p->start[0] == 0 && p->start[p->count] == h->n);
    for (uint32_t c = 0; c < p->count; c++) {
        uint32_t n;
        const uint32_t *op = partition_ops(p, c, &n);
        assert(n > 0 || h->n == 0);
        assert(!n || !c || op[0] > p->op[p->start[c - 1]]);
        for (uint32_t i = 1; i < n; i++)
            assert(op[i - 1] < op[i] && same_names(first, op[0], op[i]) && same_names(second, op[0], op[i]));
        if (n && c) {
            uint32_t other = p->op[p->start[c - 1]];
            assert(!same_names(first, other, op[0]) || !same_names(second, other, op[0]));
        }
    }
}
#endif

partition *partition_by(const history *h, const value *first, const value *second) {
    uint32_t count, *of = partition_numbers(h, first, second, &count);
    if (!of) return whole(h);
    partition *p = MEM_NEW(partition);
    p->count = count;
    p->start = mem_zero((size_t)count + 1, sizeof *p->start);
    p->op = MEM_ARRAY(uint32_t, h->n);
    for (uint32_t i = 0; i < h->n; i++) p->start[of[i] + 1]++;
    for (uint32_t c = 0; c < count; c++) p->start[c + 1] += p->start[c];
    uint32_t *next = mem_copy(p->start, count * sizeof *next);
    for (uint32_t i = 0; i < h->n; i++) p->op[next[of[i]]++] = i;
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    check_parts(p, h, first, second);
#endif
    free(next);
    free(of);
    return p;
}

void partition_free(partition *p) {
    if (!p) return;
    FREE_ALL(p->start, p->op, p);
}
