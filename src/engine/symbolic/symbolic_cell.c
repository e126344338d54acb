/* Registers, and sets one element at a time: a cell that operations write and observe. A remove that returned true,
 * say, observed the element inside and wrote "not inside"; one that returned false only observed.
 *
 * What an observation o of v needs: every write of another value before o is followed by a write of v before o; and, if
 * v is not what was there in the beginning, there is a write of v before o. (readwrite and readfrom of the register's
 * theory, include and exclude of the set's, with the choice of the write left to the order.) */
#include "base/mem.h"
#include "engine/rank_order.h"
#include "engine/symbolic/symbolic.h"
#include "engine/value_index.h"
#include "engine/self_check.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX

typedef struct cell_write {
    uint32_t position, content; /* number of the value written */
} cell_write;

typedef struct writes { /* by call */
    cell_write *at;
    uint32_t n;
    uint32_t *latest_return; /* of the writes up to here */
} writes;

typedef struct observation {
    uint32_t position, content;
} observation;

typedef struct cell_encoding {
    encoding *e;
    writes all;        /* that returned */
    writes *of;        /* the same by value */
    writes soft;       /* pending ones */
    observation *seen; /* by call */
    uint32_t seens;
    uint32_t contents, initial;
    cell_write *by_return; /* all, by return */
    /* by value: the write called last of those that returned before the current observation's call; NOTHING */
    uint32_t *recent;
    /* of the current observation: positions of writes of its value that may be the last before it */
    uint32_t *close;
    uint32_t closes;
} cell_encoding;

/* ---- what operations write and see ---- */

typedef struct part_of_operation {
    bool writes, sees;
    value written, seen;
} part_of_operation;

static part_of_operation register_part(const operation *op) {
    enum { WRITE };
    if (op->method == WRITE) return (part_of_operation){.writes = true, .written = op->arg[0]};
    return (part_of_operation){.sees = true, .seen = op->res};
}

static part_of_operation set_part(const operation *op) {
    enum { ADD, REMOVE, CONTAINS };
    if (op->method == CONTAINS) return (part_of_operation){.sees = true, .seen = op->res};
    value after = value_bool(op->method == ADD), otherwise = value_bool(op->method != ADD);
    bool known = op->res == VALUE_TRUE || op->res == VALUE_FALSE;
    if (op->res == VALUE_FALSE) return (part_of_operation){.sees = true, .seen = after};
    return (part_of_operation){.writes = true, .written = after, .sees = known, .seen = otherwise};
}

static part_of_operation part_of(const encoding *e, uint32_t i) {
    operation op;
    history_operation(e->p->h, operation_at(e, i), &op);
    return strcmp(e->p->o->type->name, "set") ? register_part(&op) : set_part(&op);
}

static void writes_init(writes *w, uint32_t room) {
    w->at = MEM_ARRAY(cell_write, (size_t)room + 1);
    w->latest_return = MEM_ARRAY(uint32_t, (size_t)room + 1);
    w->n = 0;
}

static void writes_free(writes *w) {
    free(w->at);
    free(w->latest_return);
}

static void writes_add(writes *w, const encoding *e, cell_write one) {
    uint32_t ret = e->order.ret[one.position], before_it = w->n ? w->latest_return[w->n - 1] : 0;
    assert(w->n == 0 || w->at[w->n - 1].position < one.position);
    w->at[w->n] = one;
    w->latest_return[w->n++] = ret > before_it ? ret : before_it;
}

static void put_write(cell_encoding *c, uint32_t i, uint32_t content) {
    encoding *e = c->e;
    cell_write one = {i, content};
    if (is_pending(e, i)) {
        e->used[i] = cnf_variable(&e->cnf);
        writes_add(&c->soft, e, one);
    } else {
        writes_add(&c->all, e, one);
    }
}

static bool gather(cell_encoding *c) {
    encoding *e = c->e;
    value initial = strcmp(e->p->o->type->name, "set") ? e->p->o->init : VALUE_FALSE;
    value_range range = {0};
    value_range_add(&range, initial);
    for (uint32_t i = 0; i < e->p->n; i++) {
        part_of_operation part = part_of(e, i);
        if (part.writes) value_range_add(&range, part.written);
    }
    value_index index;
    value_index_init(&index, &range);
    *value_index_at(&index, initial) = c->contents++;
    bool good = true;
    for (uint32_t i = 0; i < e->p->n; i++) {
        part_of_operation part = part_of(e, i);
        if (!part.writes) continue;
        uint32_t *number = value_index_at(&index, part.written);
        if (*number == NO_NUMBER) *number = c->contents++;
        put_write(c, i, *number);
    }
    for (uint32_t i = 0; i < e->p->n && good; i++) {
        part_of_operation part = part_of(e, i);
        if (!part.sees || is_pending(e, i)) continue;
        uint32_t number = value_index_find(&index, part.seen);
        if (number == NO_NUMBER) good = encoding_refute(e, &i, 1);
        else c->seen[c->seens++] = (observation){i, number};
    }
    value_index_free(&index);
    return good;
}

static void split_by_content(cell_encoding *c) {
    uint32_t *count = mem_zero((size_t)c->contents + 1, sizeof *count);
    for (uint32_t i = 0; i < c->all.n; i++) count[c->all.at[i].content]++;
    c->of = MEM_ARRAY(writes, (size_t)c->contents + 1);
    c->recent = MEM_ARRAY(uint32_t, (size_t)c->contents + 1);
    for (uint32_t v = 0; v < c->contents; v++) {
        writes_init(&c->of[v], count[v]);
        c->recent[v] = NOTHING;
    }
    for (uint32_t i = 0; i < c->all.n; i++) writes_add(&c->of[c->all.at[i].content], c->e, c->all.at[i]);
    free(count);
}

static void sort_by_return(cell_encoding *c) {
    uint32_t n = c->all.n;
    ranked *all = MEM_ARRAY(ranked, 2 * (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) all[i] = (ranked){c->e->order.ret[c->all.at[i].position], i};
    const ranked *sorted = rank_order(all, all + n, n);
    c->by_return = MEM_ARRAY(cell_write, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) c->by_return[i] = c->all.at[sorted[i].item];
    free(all);
}

/* ---- an observation ---- */

/* The number of writes called before rank r. */
static uint32_t called_before(const cell_encoding *c, const writes *w, uint32_t r) {
    uint32_t low = 0, high = w->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->e->order.call[w->at[middle].position] < r) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* A write of the value that is certainly followed by another one, all before o, need not be looked at. */
static void find_close(cell_encoding *c, const observation *o) {
    const overlap *t = &c->e->order;
    const writes *w = &c->of[o->content];
    uint32_t recent = c->recent[o->content], least = recent == NOTHING ? 0 : t->call[recent];
    c->closes = 0;
    for (uint32_t k = called_before(c, w, t->ret[o->position]); k-- > 0 && w->latest_return[k] >= least;) {
        uint32_t x = w->at[k].position;
        if (x != o->position && t->ret[x] >= least) c->close[c->closes++] = x;
    }
    for (uint32_t k = 0; k < c->soft.n; k++)
        if (c->soft.at[k].content == o->content && t->call[c->soft.at[k].position] < t->ret[o->position])
            c->close[c->closes++] = c->soft.at[k].position;
}

/* There is a write of the value before o (and `other`, if given, is why there must be). */
static void written_before(cell_encoding *c, const observation *o, uint32_t other) {
    cnf *f = &c->e->cnf;
    cnf_begin(f);
    cnf_owner(f, o->position);
    if (other != NOTHING) cnf_owner(f, other);
    for (uint32_t k = 0; k < c->closes; k++)
        cnf_literal(f, cnf_both(f, c->e->used[c->close[k]], before(&c->e->order, c->close[k], o->position)));
    cnf_end(f);
}

/* Before o, the write of another value is followed by one of o's. */
static void overwritten(cell_encoding *c, const observation *o, uint32_t other, bool only_one) {
    cnf *f = &c->e->cnf;
    const overlap *t = &c->e->order;
    cnf_begin(f);
    cnf_owner(f, o->position);
    cnf_owner(f, other);
    cnf_literal(f, -c->e->used[other]);
    cnf_literal(f, -before(t, other, o->position));
    for (uint32_t k = 0; k < c->closes && !f->holds; k++) {
        uint32_t w = c->close[k];
        literal between = before(t, other, w);
        if (!only_one) between = cnf_both(f, c->e->used[w], cnf_both(f, between, before(t, w, o->position)));
        cnf_literal(f, between);
    }
    cnf_end(f);
}

static void observe(cell_encoding *c, const observation *o, uint32_t first_other) {
    const overlap *t = &c->e->order;
    find_close(c, o);
    /* what returned before all that is close and before o follows from written_before */
    uint32_t least = t->call[o->position];
    for (uint32_t k = 0; k < c->closes; k++)
        if (t->call[c->close[k]] < least) least = t->call[c->close[k]];
    bool must = o->content != c->initial, other_before = first_other != NOTHING && t->ret[first_other] < least;
    if (must || other_before) written_before(c, o, must ? NOTHING : first_other);
    bool only_one = (must || other_before) && c->closes == 1;
    const writes *w = &c->all;
    for (uint32_t k = called_before(c, w, t->ret[o->position]); k-- > 0 && w->latest_return[k] >= least;) {
        uint32_t x = w->at[k].position;
        if (w->at[k].content != o->content && x != o->position && t->ret[x] >= least) overwritten(c, o, x, only_one);
    }
    for (uint32_t k = 0; k < c->soft.n; k++) {
        uint32_t x = c->soft.at[k].position;
        if (c->soft.at[k].content != o->content && t->call[x] < t->ret[o->position]) overwritten(c, o, x, only_one);
    }
}

static bool observe_all(cell_encoding *c) {
    const overlap *t = &c->e->order;
    unsigned ticks = 0;
    uint32_t first_other = NOTHING; /* returned first of the writes of something else than the initial value */
    bool good = true;
    for (uint32_t i = 0; i < c->all.n && first_other == NOTHING; i++)
        if (c->by_return[i].content != c->initial) first_other = c->by_return[i].position;
    for (uint32_t k = 0, r = 0; k < c->seens && good; k++) {
        const observation *o = &c->seen[k];
        for (; r < c->all.n && t->ret[c->by_return[r].position] < t->call[o->position]; r++) {
            uint32_t *recent = &c->recent[c->by_return[r].content], x = c->by_return[r].position;
            if (*recent == NOTHING || t->call[*recent] < t->call[x]) *recent = x;
        }
        observe(c, o, first_other);
        good = encoding_goes_on(c->e, &ticks);
    }
    return good;
}

bool encode_cell(encoding *e) {
    cell_encoding c = {.e = e};
    uint32_t n = e->p->n;
    writes_init(&c.all, n);
    writes_init(&c.soft, n);
    c.seen = MEM_ARRAY(observation, (size_t)n + 1);
    c.close = MEM_ARRAY(uint32_t, (size_t)n + 1);
    bool good = gather(&c);
    if (good) {
        split_by_content(&c);
        sort_by_return(&c);
        good = observe_all(&c);
    }
    for (uint32_t v = 0; v < c.contents && c.of; v++) writes_free(&c.of[v]);
    writes_free(&c.all);
    writes_free(&c.soft);
    FREE_ALL(c.of, c.seen, c.by_return, c.recent, c.close);
    return good;
}
