/* Reads that no update explains: of registers and keys whatever their operations are, with repeated values, appends and
 * pending operations. What a read returned, or a compare-and-set that succeeded expects, was left there by a last
 * update. One that was called after the read returned did not; nor did one behind which another update was called, and
 * returned before the read was called. When no update is left that can have been the last one, the history is a
 * violation; when every read has one, nothing is known, and the engine gives up. docs/proofs/others.md has the
 * proof. */
#include "base/hash.h"
#include "base/table.h"
#include "engine/engine.h"
#include "engine/pattern.h"
#include "engine/self_check.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum cell_role { CELL_READ, CELL_WRITE, CELL_DELETE, CELL_APPEND, CELL_SWAP, CELL_OTHER } cell_role;

#define NONE UINT32_MAX
enum { MOST_LENGTHS = 64, MOST_TOLD = 64 };

typedef struct left_text { /* what updates write, or what they append */
    char *at;
    size_t n;
    bool appended;
    uint32_t first, end; /* its updates, in the order of their calls: places in `by_text` */
} left_text;

typedef struct cell { /* a register, or a key */
    const problem *p;
    cell_role role[OBJECT_METHODS];
    left_text *text;
    uint32_t texts;
    table numbers;     /* of texts */
    uint32_t *text_of; /* by position, and the initial value behind them; NONE: is no update */
    uint32_t *by_text; /* positions */
    uint32_t *hidden;  /* by place: up to it, the latest return of what hides an update of this text */
    uint32_t *hider;   /* by position, and the initial value: the update that hides it first; NONE: none does */
    size_t length[MOST_LENGTHS]; /* of appended texts; each once */
    uint32_t lengths;
} cell;

static cell_role role_named(const char *name) {
    static const struct {
        const char *name;
        cell_role role;
    } known[] = {{"read", CELL_READ},     {"get", CELL_READ},      {"write", CELL_WRITE}, {"put", CELL_WRITE},
                 {"delete", CELL_DELETE}, {"append", CELL_APPEND}, {"cas", CELL_SWAP}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) return known[i].role;
    return CELL_OTHER;
}

static cell_role role_of(const cell *c, uint32_t i) { return c->role[c->p->h->method[c->p->op[i]]]; }
static uint32_t call_of(const cell *c, uint32_t i) { return c->p->h->call[c->p->op[i]]; }
static uint32_t return_of(const cell *c, uint32_t i) { return c->p->h->ret[c->p->op[i]]; }
static value result(const cell *c, uint32_t i) { return c->p->h->res[c->p->op[i]]; }
static value argument(const cell *c, uint32_t i, unsigned k) { return c->p->h->arg[k][c->p->op[i]]; }

/* A compare-and-set of a value with itself leaves what was there. */
static bool may_update(const cell *c, uint32_t i) {
    if (role_of(c, i) != CELL_SWAP) return role_of(c, i) != CELL_READ;
    return result(c, i) != VALUE_FALSE && argument(c, i, 0) != argument(c, i, 1);
}

static bool does_update(const cell *c, uint32_t i) { return may_update(c, i) && return_of(c, i) != RANK_NEVER; }

static bool observes(const cell *c, uint32_t i) {
    if (return_of(c, i) == RANK_NEVER) return false;
    return role_of(c, i) == CELL_SWAP ? result(c, i) == VALUE_TRUE : role_of(c, i) == CELL_READ;
}

static value written(const cell *c, uint32_t i) {
    if (i == c->p->n) return c->p->o->init;
    cell_role r = role_of(c, i);
    return r == CELL_DELETE ? VALUE_NONE : argument(c, i, r == CELL_SWAP);
}

/* ---- texts: no value at all is the empty one ---- */

static void write_text(const cell *c, value v, text *out) {
    size_t n;
    if (v == VALUE_NONE) return;
    if (value_kind_of(c->p->h->values, v) == KIND_BYTES) {
        const char *at = value_as_bytes(c->p->h->values, v, &n);
        text_bytes(out, at, n);
    } else {
        value_print(c->p->h->values, v, out);
    }
}

static uint32_t hash_text(const left_text *t) { return (uint32_t)hash_pair(hash_bytes(t->at, t->n), t->appended); }
static uint32_t hash_of_left(const void *owner, uint32_t k) { return hash_text(&((const cell *)owner)->text[k]); }

static bool is_left(const void *owner, uint32_t k, const void *key) {
    const left_text *a = &((const cell *)owner)->text[k], *b = key;
    return a->appended == b->appended && a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n));
}

static uint32_t find_text(const cell *c, const left_text *t) {
    return table_find(&c->numbers, hash_text(t), is_left, c, t);
}

static void add_length(cell *c, size_t n) {
    for (uint32_t k = 0; k < c->lengths; k++)
        if (c->length[k] == n) return;
    if (c->lengths < MOST_LENGTHS) c->length[c->lengths++] = n;
}

static void add_text(cell *c, uint32_t i) {
    text t = {0};
    write_text(c, written(c, i), &t);
    left_text left = {.at = t.at, .n = t.size, .appended = i < c->p->n && role_of(c, i) == CELL_APPEND};
    uint32_t k = find_text(c, &left);
    if (k == TABLE_NONE) {
        k = c->texts++;
        c->text[k] = left;
        table_add(&c->numbers, hash_text(&left), hash_of_left, c, k);
        if (left.appended) add_length(c, left.n);
    } else {
        text_free(&t);
    }
    c->text_of[i] = k;
    c->text[k].end++; /* how many, for now */
}

static void add_texts(cell *c) {
    uint32_t at = 0;
    for (uint32_t i = 0; i <= c->p->n; i++) {
        c->text_of[i] = NONE;
        if (i == c->p->n || may_update(c, i)) add_text(c, i);
    }
    for (uint32_t k = 0; k < c->texts; k++) {
        uint32_t n = c->text[k].end;
        c->text[k].first = c->text[k].end = at;
        at += n;
    }
    uint32_t initial = c->text_of[c->p->n]; /* before all others */
    c->by_text[c->text[initial].end++] = c->p->n;
    for (uint32_t i = 0; i < c->p->n; i++)
        if (c->text_of[i] != NONE) c->by_text[c->text[c->text_of[i]].end++] = i;
}

/* ---- what hides an update ---- */

/* Of the updates that were called behind its return the one that returns first; positions are in the order of calls. */
static void find_hiders(cell *c) {
    const problem *p = c->p;
    uint32_t *first = MEM_ARRAY(uint32_t, (size_t)p->n + 1); /* of those from a position on */
    first[p->n] = NONE;
    for (uint32_t i = p->n; i-- > 0;) {
        bool earlier = does_update(c, i) && (first[i + 1] == NONE || return_of(c, i) < return_of(c, first[i + 1]));
        first[i] = earlier ? i : first[i + 1];
    }
    c->hider[p->n] = first[0];
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t low = i, high = p->n;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (call_of(c, middle) > return_of(c, i)) high = middle;
            else low = middle + 1;
        }
        c->hider[i] = first[low];
    }
    free(first);
}

static uint32_t hidden_at(const cell *c, uint32_t i) {
    return c->hider[i] == NONE ? RANK_NEVER : return_of(c, c->hider[i]);
}

static void spread_hidden(cell *c) {
    for (uint32_t k = 0; k < c->texts; k++)
        for (uint32_t at = c->text[k].first, latest = 0; at < c->text[k].end; at++) {
            uint32_t hidden = hidden_at(c, c->by_text[at]);
            c->hidden[at] = latest = hidden > latest ? hidden : latest;
        }
}

/* ---- what explains a read ---- */

static bool was_called_before(const cell *c, uint32_t update, uint32_t rank) {
    return update == c->p->n || call_of(c, update) < rank;
}

/* Is one of the updates with this text called before the reader returned, and not hidden when it was called? */
static bool explained_by(const cell *c, uint32_t k, uint32_t reader) {
    if (k == TABLE_NONE) return false;
    uint32_t low = c->text[k].first, high = c->text[k].end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (was_called_before(c, c->by_text[middle], return_of(c, reader))) low = middle + 1;
        else high = middle;
    }
    return low > c->text[k].first && c->hidden[low - 1] > call_of(c, reader);
}

typedef struct late_updates { /* those that would explain a read but for time */
    uint32_t position[4 * MOST_TOLD + 2];
    uint32_t n;
    bool too_many;
} late_updates;

static void add_late(const cell *c, uint32_t k, late_updates *late) {
    for (uint32_t at = k == TABLE_NONE ? 0 : c->text[k].first; k != TABLE_NONE && at < c->text[k].end; at++) {
        late->too_many |= late->n >= MOST_TOLD;
        if (late->too_many) return;
        uint32_t i = c->by_text[at], hider = c->hider[i];
        if (i < c->p->n) late->position[late->n++] = i;
        if (hider != NONE) late->position[late->n++] = hider;
    }
}

/* With `late`, what would explain it is gathered. */
static bool is_explained(const cell *c, uint32_t reader, late_updates *late) {
    text seen = {0};
    bool found = false;
    write_text(c, role_of(c, reader) == CELL_SWAP ? argument(c, reader, 0) : result(c, reader), &seen);
    for (uint32_t way = 0; way < 2 + c->lengths && !found; way++) {
        left_text t = {.at = seen.at, .n = seen.size, .appended = way > 0}; /* alone, appended to nothing, at the end */
        if (way > 1) {
            if (c->length[way - 2] >= seen.size) continue;
            t.at += seen.size - c->length[way - 2];
            t.n = c->length[way - 2];
        }
        uint32_t k = find_text(c, &t);
        found = explained_by(c, k, reader);
        if (late) add_late(c, k, late);
    }
    text_free(&seen);
    return found;
}

/* ---- deciding ---- */

static void decide_as(const problem *p, bool is_part, outcome *out);

static bool is_violation(const problem *part) {
    outcome out = {.verdict = VERDICT_UNDECIDED};
    decide_as(part, true, &out);
    bool found = out.verdict == VERDICT_VIOLATION;
    outcome_free(&out);
    return found;
}

/* The read, and what would explain it with what hides that. */
static void tell(const cell *c, uint32_t reader, bool is_part, outcome *out) {
    outcome_violation(out, return_of(c, reader));
    if (is_part) return;
    late_updates late = {0};
    is_explained(c, reader, &late);
    if (late.too_many) return;
    late.position[late.n++] = reader;
    pattern_try(c->p, late.position, late.n, is_violation, out);
}

static void decide_cell(cell *c, bool is_part, outcome *out) {
    const problem *p = c->p;
    add_texts(c);
    if (c->lengths == MOST_LENGTHS) {
        snprintf(out->why, sizeof out->why, "appended texts have too many different lengths");
        return;
    }
    find_hiders(c);
    spread_hidden(c);
    for (uint32_t i = 0; i < p->n && !problem_stopped(p, i); i++) {
        if (!observes(c, i) || is_explained(c, i, NULL)) continue;
        tell(c, i, is_part, out);
        return;
    }
    snprintf(out->why, sizeof out->why, "every value that was read may have been written last");
}

static void roles_of(const problem *p, cell_role *role) {
    for (unsigned m = 0; m < p->o->type->method_count; m++) role[m] = role_named(p->o->type->methods[m].name);
}

static void decide_as(const problem *p, bool is_part, outcome *out) {
    size_t n = (size_t)p->n + 1;
    cell c = {.p = p,
              .text = MEM_ARRAY(left_text, n),
              .text_of = MEM_ARRAY(uint32_t, n),
              .by_text = MEM_ARRAY(uint32_t, n),
              .hidden = MEM_ARRAY(uint32_t, n),
              .hider = MEM_ARRAY(uint32_t, n)};
    roles_of(p, c.role);
    decide_cell(&c, is_part, out);
    if (out->verdict == VERDICT_UNDECIDED && budget_spent(p->budget)) outcome_stopped(p, out);
    for (uint32_t k = 0; k < c.texts; k++) free(c.text[k].at);
    table_free(&c.numbers);
    FREE_ALL(c.text, c.text_of, c.by_text, c.hidden, c.hider);
}

static void decide(const problem *p, outcome *out) { decide_as(p, false, out); }

static bool accepts(const problem *p, text *why_not) {
    cell_role role[OBJECT_METHODS];
    roles_of(p, role);
    for (uint32_t i = 0; i < p->n; i++) {
        if (role[p->h->method[p->op[i]]] != CELL_OTHER) continue;
        text_printf(why_not, "does not decide %s", p->o->type->methods[p->h->method[p->op[i]]].name);
        return false;
    }
    return true;
}

ENGINE_RECORD(engine_overwritten, "overwritten",
              "registers and keys: a value is read that no update can have left there; says nothing else",
              .growth = "n log n", .objects = "cas-register kv register", .promises = PROMISES_SOUND,
              .cost = COST_NEAR_LINEAR, .accepts = accepts, .decide = decide);
