#include "engine/general/foresight.h"
#include "engine/self_check.h"

#include "base/hash.h"
#include "base/table.h"
#include "base/mem.h"
#include "object/wide.h"

/* How a value leaves. Values that are added twice, or that a pending removal may take, are left open: nothing is
 * known. */
typedef struct departure {
    value v;
    uint8_t adds;
    bool known;         /* a completed operation removed it, once */
    bool stays;         /* no operation removes it, or one that removes everything */
    method_end end;     /* known: where it leaves */
    uint32_t call, ret; /* known: of that removal */
    uint32_t place;     /* known: in what a drain took out */
    uint32_t seen[2];   /* by end: it was there at this rank or before; RANK_NEVER: no peek says so */
} departure;

struct foresight {
    const object *o;
    departure *at; /* by number */
    uint32_t n;
    table numbers; /* by value */
};

static uint32_t hash_of_departure(const void *owner, uint32_t i) {
    return hash_near(((const foresight *)owner)->at[i].v);
}

static bool is_departure_of(const void *owner, uint32_t i, const void *v) {
    return ((const foresight *)owner)->at[i].v == *(const value *)v;
}

/* NULL: the value was never added. */
static departure *find(const foresight *f, value v) {
    uint32_t number = table_find(&f->numbers, hash_near(v), is_departure_of, f, &v);
    return number == TABLE_NONE ? NULL : &f->at[number];
}

static void note_add(foresight *f, value v) {
    departure *d = find(f, v);
    if (!d) {
        d = &f->at[f->n];
        *d = (departure){.v = v, .seen = {RANK_NEVER, RANK_NEVER}};
        table_add(&f->numbers, hash_near(v), hash_of_departure, f, f->n++);
    }
    if (d->adds < 2) d->adds++;
}

static void note_removal(foresight *f, const operation *op, uint32_t place, method_end end) {
    departure *d = find(f, op->res);
    if (!d) return;            /* it was never added: the search will find out */
    if (d->known) d->adds = 2; /* removed twice */
    d->known = true;
    d->end = end;
    d->call = op->call;
    d->ret = op->ret;
    d->place = place;
}

static void note_peek(foresight *f, const operation *op, method_end end) {
    departure *d = find(f, op->res);
    if (d && op->ret < d->seen[end]) d->seen[end] = op->ret;
}

/* What a drain returned left at the end it takes from. What leaves by a clear, or a drain that is pending, does so with
 * all that is inside: none of these sees another go, as if they stayed. */
static void note_word(foresight *f, const operation *op) {
    const wide_words *w = f->o->type->words;
    wide_word word = w->at[op->method - w->first].word;
    if (word == WORD_PEEK) note_peek(f, op, f->o->type->ends[w->at[op->method - w->first].removal]);
    if (word != WORD_DRAIN || op->ret == RANK_NEVER) return;
    size_t n;
    const value *item = value_list(f->o->values, op->res, &n);
    for (size_t i = 0; i < n; i++) {
        operation removal = *op;
        removal.res = item[i];
        note_removal(f, &removal, (uint32_t)i, f->o->type->ends[w->at[op->method - w->first].removal]);
    }
}

/* Adds first, then removals; true when a removal is pending: then anything that stays may have left that way. */
static bool note_all(foresight *f, const problem *p) {
    bool token = false;
    for (uint32_t i = 0; i < p->n; i++) {
        operation op;
        history_operation(p->h, p->op[i], &op);
        if (object_method(p->o, &op)->role & ROLE_ADDS) note_add(f, op.arg[0]);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        operation op;
        history_operation(p->h, p->op[i], &op);
        const method *m = object_method(p->o, &op);
        if (p->o->type->words && op.method >= p->o->type->words->first) note_word(f, &op);
        if (!(m->role & ROLE_REMOVES)) continue;
        if (op.ret == RANK_NEVER) token = true;
        else if (op.res != VALUE_EMPTY) note_removal(f, &op, 0, p->o->type->ends[op.method]);
    }
    return token;
}

foresight *foresight_new(const problem *p) {
    if (!p->o->type->ends || p->o->criterion.kind != CRITERION_LINEARIZABLE) return NULL;
    foresight *f = MEM_NEW(foresight);
    f->o = p->o;
    f->at = MEM_ARRAY(departure, (size_t)p->n + 1);
    bool token = note_all(f, p);
    assert(f->n <= p->n && f->n == f->numbers.count);
    for (uint32_t i = 0; i < f->n; i++) {
        departure *d = &f->at[i];
        assert(d->adds && (!d->known || d->call < d->ret));
        if (d->adds > 1) d->known = false;
        d->stays = d->adds == 1 && !d->known && !token;
    }
    return f;
}

void foresight_free(foresight *f) {
    if (!f) return;
    free(f->at);
    table_free(&f->numbers);
    free(f);
}

static bool leaves_before(const departure *a, const departure *b) {
    return a->ret < b->call || (a->call == b->call && a->place < b->place); /* by one drain */
}

static bool leaves_to(const departure *d, method_end end) { return d->known && d->end == end; }

/* Is it inside at this rank, unless everything that was is gone? */
static bool outlasts(const departure *d, uint32_t rank) { return d->known ? d->call > rank : d->stays; }

/* `added` comes in while `other` stands between it and this end, at which it is seen later: the other must have left by
 * then, and not with everything, which would have taken the value too. */
static bool seen_through(const departure *added, const departure *other, method_end end) {
    return added->adds == 1 && added->seen[end] != RANK_NEVER && outlasts(other, added->seen[end]);
}

/* i stands to the left of j. */
static bool excluded(const departure *i, const departure *j) {
    bool i_left = leaves_to(i, END_LEFT), i_right = leaves_to(i, END_RIGHT);
    bool j_left = leaves_to(j, END_LEFT), j_right = leaves_to(j, END_RIGHT);
    if (i_right && j_left) return true;
    if (i_left && j_left) return leaves_before(j, i);
    if (i_right && j_right) return leaves_before(i, j);
    return (i->stays && j_left) || (j->stays && i_right);
}

bool foresight_hopeless(const foresight *f, const state *s, const operation *op) {
    const method *m = object_method(f->o, op);
    if (!(m->role & ROLE_ADDS) || s->n < 2) return false;
    bool right = f->o->type->ends[op->method] == END_RIGHT;
    uint32_t at = right ? s->n - 1 : 0;
    if (s->w[at] != op->arg[0]) return false; /* it was full */
    const departure *added = find(f, op->arg[0]);
    if (!added || (!added->known && !added->stays && !f->o->type->words)) return false;
    for (uint32_t k = 0; k < s->n; k++) {
        if (k == at) continue;
        const departure *other = find(f, s->w[k]);
        if (!other) continue;
        if (right ? excluded(other, added) : excluded(added, other)) return true;
        if (seen_through(added, other, right ? END_LEFT : END_RIGHT)) return true;
    }
    return false;
}

bool foresight_must_come_first(const foresight *f, const operation *first, const operation *second) {
    if (f->o->type->words || f->o->parameter[0]) return false; /* it may be cleared, or be full */
    const departure *a = find(f, first->arg[0]), *b = find(f, second->arg[0]);
    if (!a || !b || a->adds > 1 || b->adds > 1 || !a->known || a->end == f->o->type->ends[first->method]) return false;
    return b->known ? a->ret < b->call : b->stays;
}

static bool is_left_over(const departure *d) { return d && d->adds == 1 && !d->known; }

static uint32_t outermost(const foresight *f, const state *s, uint8_t number) {
    return f->o->type->ends[number] == END_RIGHT ? s->n - 1 : 0;
}

bool foresight_takes_at_once(const foresight *f, const state *s, const operation *removal) {
    if (f->o->type->words || f->o->parameter[0] || removal->nargs) return false;
    if (!s->n || s->w[outermost(f, s, removal->method)] != removal->res) return false;
    const departure *d = find(f, removal->res);
    return d && d->adds == 1 && d->known;
}

static bool holds(const state *s, value v) {
    for (uint32_t k = 0; k < s->n; k++)
        if (s->w[k] == v) return true;
    return false;
}

static obstacle obstacle_of_empty(const foresight *f, const state *s) {
    for (uint32_t k = 0; k < s->n; k++)
        if (!is_left_over(find(f, s->w[k]))) return OBSTACLE_NONE;
    return s->n ? OBSTACLE_ALL_ARE_TAKEN : OBSTACLE_NONE;
}

obstacle foresight_obstacle(const foresight *f, const state *s, const operation *returning) {
    if (!(object_method(f->o, returning)->role & ROLE_REMOVES) || f->o->type->words || !s->n) return OBSTACLE_NONE;
    if (f->o->parameter[0] || returning->nargs) return OBSTACLE_NONE; /* it may be full */
    if (returning->res == VALUE_EMPTY) return obstacle_of_empty(f, s);
    const uint32_t at = outermost(f, s, returning->method);
    const departure *e = find(f, s->w[at]), *v = find(f, returning->res);
    if (s->w[at] == returning->res || !e || !v || e->adds > 1 || v->adds > 1 || !holds(s, returning->res))
        return OBSTACLE_NONE;
    if (e->known) return e->end == f->o->type->ends[returning->method] ? OBSTACLE_NONE : OBSTACLE_STAYS;
    return e->stays ? OBSTACLE_STAYS : OBSTACLE_IS_TAKEN;
}

bool foresight_is_taken_later(const foresight *f, const state *s, uint8_t number) {
    if (!(f->o->type->methods[number].role & ROLE_REMOVES) || f->o->type->words || !s->n) return false;
    const departure *d = find(f, s->w[outermost(f, s, number)]);
    return d && d->adds == 1 && d->known;
}
