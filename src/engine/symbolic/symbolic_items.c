#include "engine/symbolic/symbolic_items.h"

#include "base/mem.h"
#include "engine/value_index.h"
#include "engine/self_check.h"

enum { MOST_CHOICES = 1 << 24 };

typedef struct same { /* operations about the same value: chains by position */
    value_index index;
    uint32_t values;
    uint32_t *first_add, *first_remove; /* by value number; NEVER_TAKEN: none */
    uint32_t *adds, *removes;           /* how many */
    uint32_t *next;                     /* by position */
} same;

value item_value(const items *t, uint32_t i) {
    const problem *p = t->e->p;
    return p->h->arg[0] ? p->h->arg[0][p->op[t->add[i]]] : VALUE_NONE;
}

static bool adds(const encoding *e, uint32_t i) {
    return e->p->o->type->methods[e->p->h->method[operation_at(e, i)]].role == ROLE_ADDS;
}

static value added(const encoding *e, uint32_t i) {
    return e->p->h->arg[0] ? e->p->h->arg[0][operation_at(e, i)] : VALUE_NONE;
}

/* ---- who is about what ---- */

static void same_init(same *s, const encoding *e) {
    uint32_t n = e->p->n;
    value_range range = {0};
    for (uint32_t i = 0; i < n; i++)
        if (adds(e, i)) value_range_add(&range, added(e, i));
    value_index_init(&s->index, &range);
    s->values = 0;
    s->first_add = MEM_ARRAY(uint32_t, (size_t)range.n + 1);
    s->first_remove = MEM_ARRAY(uint32_t, (size_t)range.n + 1);
    s->adds = mem_zero((size_t)range.n + 1, sizeof *s->adds);
    s->removes = mem_zero((size_t)range.n + 1, sizeof *s->removes);
    s->next = MEM_ARRAY(uint32_t, (size_t)n + 1);
}

static void same_free(same *s) {
    value_index_free(&s->index);
    FREE_ALL(s->first_add, s->first_remove, s->adds, s->removes, s->next);
}

static void same_add(same *s, const encoding *e, uint32_t i) {
    uint32_t *number = value_index_at(&s->index, added(e, i));
    if (*number == NO_NUMBER) {
        *number = s->values++;
        s->first_add[*number] = s->first_remove[*number] = NEVER_TAKEN;
    }
    s->next[i] = s->first_add[*number];
    s->first_add[*number] = i;
    s->adds[*number]++;
}

static bool collect(items *t, same *s) {
    encoding *e = t->e;
    const history *h = e->p->h;
    for (uint32_t i = 0; i < e->p->n; i++)
        if (adds(e, i)) same_add(s, e, i);
    for (uint32_t i = 0; i < e->p->n; i++) {
        if (adds(e, i)) continue;
        if (is_pending(e, i)) {
            t->token[t->tokens++] = i;
        } else if (h->res[operation_at(e, i)] == VALUE_EMPTY) {
            t->empty[t->empties++] = i;
        } else {
            uint32_t v = value_index_find(&s->index, h->res[operation_at(e, i)]);
            if (v == NO_NUMBER) return encoding_refute(e, &i, 1);
            s->next[i] = s->first_remove[v];
            s->first_remove[v] = i;
            s->removes[v]++;
        }
    }
    return true;
}

/* ---- items ---- */

/* A pending add that no remove can have taken may as well not have happened: it is no item. */
static void make_item(items *t, const same *s, uint32_t position) {
    encoding *e = t->e;
    uint32_t v = value_index_find(&s->index, added(e, position)), i = t->n;
    bool only = s->adds[v] == 1 && s->removes[v] <= 1;
    bool soft = !only || (s->removes[v] == 0 && t->tokens);
    if (is_pending(e, position))
        e->used[position] = soft ? cnf_variable(&e->cnf) : s->removes[v] ? LIT_TRUE : LIT_FALSE;
    if (e->used[position] == LIT_FALSE) return;
    assert(i == 0 || t->add[i - 1] < position); /* items by the calls of their adds */
    t->add[i] = position;
    t->soft[i] = soft;
    t->softs += soft;
    t->remove[i] = only ? s->first_remove[v] : NEVER_TAKEN;
    t->item[position] = i;
    if (!soft && is_taken(t, i)) t->item[t->remove[i]] = i;
    t->n++;
}

static size_t count_takers(const items *t, const same *s, uint32_t i) {
    if (!t->soft[i]) return is_taken(t, i);
    return s->removes[value_index_find(&s->index, item_value(t, i))] + (size_t)t->tokens;
}

static void add_taker(items *t, size_t *at, uint32_t i, uint32_t remove) {
    encoding *e = t->e;
    literal takes = before(&e->order, t->add[i], remove) == LIT_FALSE ? LIT_FALSE : cnf_variable(&e->cnf);
    t->taker[(*at)++] = (taker){remove, takes};
    if (is_pending(e, remove)) encoding_choice(e, takes, remove, item_value(t, i));
    if (e->used[t->add[i]] != LIT_TRUE) cnf_clause(&e->cnf, -takes, e->used[t->add[i]], LIT_FALSE);
}

static bool make_takers(items *t, const same *s) {
    size_t total = 0;
    for (uint32_t i = 0; i < t->n; i++) total += count_takers(t, s, i);
    if (total > MOST_CHOICES) {
        t->e->odd = "so many operations on values that were added more than once";
        return false;
    }
    t->taker = MEM_ARRAY(taker, total + 1);
    size_t at = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        t->first[i] = at;
        if (!t->soft[i]) {
            if (is_taken(t, i)) t->taker[at++] = (taker){t->remove[i], LIT_TRUE};
            continue;
        }
        uint32_t v = value_index_find(&s->index, item_value(t, i));
        for (uint32_t r = s->first_remove[v]; r != NEVER_TAKEN; r = s->next[r]) add_taker(t, &at, i, r);
        for (uint32_t k = 0; k < t->tokens; k++) add_taker(t, &at, i, t->token[k]);
    }
    assert(at == total);
    t->first[t->n] = at;
    return true;
}

/* ---- what holds of all containers ---- */

static void not_both(encoding *e, const taker *a, const taker *b, uint32_t x, uint32_t y) {
    cnf_begin(&e->cnf);
    cnf_owner(&e->cnf, x);
    cnf_owner(&e->cnf, y);
    cnf_owner(&e->cnf, a->remove);
    cnf_owner(&e->cnf, b->remove);
    cnf_literal(&e->cnf, -a->takes);
    cnf_literal(&e->cnf, -b->takes);
    cnf_end(&e->cnf);
}

static void taken_after_added(items *t, uint32_t i, const taker *k) {
    cnf *c = &t->e->cnf;
    literal order = before(&t->e->order, t->add[i], k->remove);
    if (order == LIT_TRUE) return;
    cnf_begin(c);
    cnf_owner(c, t->add[i]);
    cnf_owner(c, k->remove);
    cnf_literal(c, -k->takes);
    cnf_literal(c, order);
    cnf_end(c);
}

typedef struct offer { /* from the remove's side */
    uint32_t item;
    size_t taker;
} offer;

/* One item for each remove, and for each that returned a value at least one. */
static void one_item_each(items *t) {
    encoding *e = t->e;
    uint32_t n = e->p->n;
    size_t *start = mem_zero((size_t)n + 2, sizeof *start), total = t->first[t->n];
    offer *all = MEM_ARRAY(offer, total + 1);
    for (size_t k = 0; k < total; k++) start[t->taker[k].remove + 2]++;
    for (uint32_t r = 0; r < n; r++) start[r + 2] += start[r + 1];
    for (uint32_t i = 0; i < t->n; i++)
        for (size_t k = t->first[i]; k < t->first[i + 1]; k++) all[start[t->taker[k].remove + 1]++] = (offer){i, k};
    assert(start[n] == total);
    for (uint32_t r = 0; r < n; r++) {
        bool returned = !is_pending(e, r);
        if (start[r] == start[r + 1] || (returned && t->item[r] != NEVER_TAKEN)) continue;
        for (size_t a = start[r]; a < start[r + 1]; a++)
            for (size_t b = a + 1; b < start[r + 1]; b++)
                not_both(e, &t->taker[all[a].taker], &t->taker[all[b].taker], t->add[all[a].item], t->add[all[b].item]);
        if (!returned) continue;
        cnf_begin(&e->cnf);
        cnf_owner(&e->cnf, r);
        for (size_t a = start[r]; a < start[r + 1]; a++) cnf_literal(&e->cnf, t->taker[all[a].taker].takes);
        cnf_end(&e->cnf);
    }
    free(start);
    free(all);
}

static void once_each(items *t, uint32_t i) {
    for (size_t a = t->first[i]; a < t->first[i + 1]; a++) {
        taken_after_added(t, i, &t->taker[a]);
        for (size_t b = a + 1; b < t->first[i + 1]; b++)
            not_both(t->e, &t->taker[a], &t->taker[b], t->add[i], t->add[i]);
    }
}

bool items_init(items *t, encoding *e) {
    uint32_t n = e->p->n;
    unsigned ticks = 0;
    *t = (items){.e = e,
                 .add = MEM_ARRAY(uint32_t, (size_t)n + 1),
                 .remove = MEM_ARRAY(uint32_t, (size_t)n + 1),
                 .soft = MEM_ARRAY(bool, (size_t)n + 1),
                 .first = mem_zero((size_t)n + 2, sizeof(size_t)),
                 .item = MEM_ARRAY(uint32_t, (size_t)n + 1),
                 .empty = MEM_ARRAY(uint32_t, (size_t)n + 1),
                 .token = MEM_ARRAY(uint32_t, (size_t)n + 1)};
    for (uint32_t i = 0; i < n; i++) t->item[i] = NEVER_TAKEN;
    same s;
    same_init(&s, e);
    bool good = collect(t, &s);
    for (uint32_t i = 0; i < n && good; i++)
        if (adds(e, i)) make_item(t, &s, i);
    good = good && make_takers(t, &s);
    same_free(&s);
    for (uint32_t i = 0; i < t->n && good; i++) {
        once_each(t, i);
        good = encoding_goes_on(e, &ticks);
    }
    if (good && t->softs) one_item_each(t);
    return good && encoding_goes_on(e, &ticks);
}

void items_free(items *t) {
    FREE_ALL(t->add, t->remove, t->soft, t->first, t->taker, t->item, t->empty, t->token);
    *t = (items){0};
}
