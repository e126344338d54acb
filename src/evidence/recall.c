#include "evidence/recall.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REPEATS = 4096 };

typedef struct telling { /* of one part */
    const object *o;
    const history *h; /* NULL: of no history */
    recalled *out;
    state goal;
    operation last; /* the last one that changed something */
    bool changed;
} telling;

static void add(recalled *r, const operation *op, value client) {
    if (r->n == r->room) {
        r->room = r->room ? 2 * r->room : 16;
        r->op = MEM_GROW(r->op, operation, r->room);
        r->client = MEM_GROW(r->client, value, r->room);
    }
    r->op[r->n] = *op;
    r->client[r->n++] = client;
}

void recalled_free(recalled *r) {
    free(r->op);
    free(r->client);
    *r = (recalled){0};
}

/* One outcome and no other; the operation gets the result that it has there. */
static bool does(const telling *t, state *s, operation *op) {
    value res;
    if (t->o->type->step(t->o, s, op, 0, &res) != STEP_LEGAL) return false;
    op->res = res;
    return true;
}

static bool does_and_tells(telling *t, state *s, operation *op) {
    if (!does(t, s, op)) return false;
    add(t->out, op, value_bytes(t->o->values, "state", 5));
    return true;
}

static operation blank(const telling *t, unsigned which) {
    return (operation){.method = (uint8_t)which,
                       .key = t->last.key,
                       .arg = {VALUE_NONE, VALUE_NONE, VALUE_NONE},
                       .res = VALUE_UNKNOWN};
}

static bool is_value(const telling *t, uint32_t word) { return word < VALUE_INTERNED + values_count(t->o->values); }

/* ---- ways to tell it ---- */

static bool by_last_operation(telling *t, state *s) {
    operation op = t->last;
    if (!t->h || op.res == VALUE_UNKNOWN || !does(t, s, &op)) return false;
    add(t->out, &op, history_client_name(t->h, op.index));
    return true;
}

static bool add_each(telling *t, state *s, const uint32_t *word, uint32_t n) {
    const object_type *type = t->o->type;
    unsigned m = 0;
    while (m < type->method_count && !(type->methods[m].role & ROLE_ADDS)) m++;
    for (uint32_t i = 0; i < n; i++) {
        operation op = blank(t, m);
        op.nargs = 1;
        op.arg[0] = word[i];
        if (m == type->method_count || !is_value(t, word[i]) || !does_and_tells(t, s, &op)) return false;
    }
    return true;
}

static bool by_elements(telling *t, state *s) { return add_each(t, s, t->goal.w, t->goal.n); }

static bool by_elements_backwards(telling *t, state *s) {
    uint32_t n = t->goal.n, *word = MEM_ARRAY(uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) word[i] = t->goal.w[n - 1 - i];
    bool good = add_each(t, s, word, n);
    free(word);
    return good;
}

/* Where the order does not matter, one that does not depend on the table of values. */
static bool by_sorted_elements(telling *t, state *s) {
    uint32_t n = t->goal.n, *word = MEM_ARRAY(uint32_t, (size_t)n + 1);
    bool sorted = true;
    for (uint32_t i = 0; i < n && sorted; i++) {
        sorted = is_value(t, t->goal.w[i]);
        uint32_t at = i;
        for (; sorted && at && value_compare(t->o->values, word[at - 1], t->goal.w[i]) > 0; at--)
            word[at] = word[at - 1];
        word[at] = t->goal.w[i];
    }
    bool good = sorted && add_each(t, s, word, n);
    free(word);
    return good;
}

static bool takes(const telling *t, const method *m, value v) {
    bool only_integers = m->arg != ARG_VALUE;
    return m->min_args <= 1 && m->max_args >= 1 && !(m->role & ROLE_OBSERVES) &&
           (!only_integers || value_kind_of(t->o->values, v) == KIND_INT);
}

/* One value: what is written, or added to nothing. */
static bool by_value(telling *t, state *s) {
    bool word = t->goal.n == 1 && is_value(t, t->goal.w[0]);
    if (!word && t->goal.n != 2) return false;
    value v = word ? t->goal.w[0] : value_int(t->o->values, state_int(&t->goal, 0));
    for (unsigned m = 0; m < t->o->type->method_count; m++) {
        operation op = blank(t, m);
        op.nargs = 1;
        op.arg[0] = v;
        t->o->type->init(t->o, s);
        if (!takes(t, &t->o->type->methods[m], v) || !does(t, s, &op) || !state_equal(s, &t->goal)) continue;
        add(t->out, &op, value_bytes(t->o->values, "state", 5));
        return true;
    }
    return false;
}

static bool repeats(telling *t, state *s, unsigned which) {
    uint32_t before = t->out->n;
    t->o->type->init(t->o, s);
    for (unsigned i = 0; i < MOST_REPEATS; i++) {
        operation op = blank(t, which);
        if (!does_and_tells(t, s, &op)) break;
        if (state_equal(s, &t->goal)) return true;
    }
    t->out->n = before;
    return false;
}

static bool by_repetition(telling *t, state *s) {
    for (unsigned m = 0; m < t->o->type->method_count; m++) {
        const method *how = &t->o->type->methods[m];
        if (!how->min_args && !(how->role & (ROLE_OBSERVES | ROLE_REMOVES)) && repeats(t, s, m)) return true;
    }
    return false;
}

/* ---- parts ---- */

static bool tell_part(telling *t) {
    static bool (*const ways[])(telling * t, state * s) = {
        by_last_operation, by_value, by_sorted_elements, by_elements, by_elements_backwards, by_repetition};
    state s = {0};
    uint32_t before = t->out->n;
    t->o->type->init(t->o, &s);
    bool good = state_equal(&s, &t->goal);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways && !good && t->changed; i++) {
        t->out->n = before;
        t->o->type->init(t->o, &s);
        good = ways[i](t, &s) && state_equal(&s, &t->goal);
    }
    state_free(&s);
    return good;
}

/* Operations of one part in the order, by counting. */
static uint32_t *by_part(const uint32_t *number, const uint32_t *order, uint32_t n, uint32_t parts, uint32_t *start) {
    uint32_t *sorted = MEM_ARRAY(uint32_t, (size_t)n + 1);
    memset(start, 0, ((size_t)parts + 2) * sizeof *start);
    for (uint32_t k = 0; k < n; k++) start[(number ? number[order[k]] : 0) + 2]++;
    for (uint32_t p = 1; p <= parts; p++) start[p + 1] += start[p];
    for (uint32_t k = 0; k < n; k++) sorted[start[(number ? number[order[k]] : 0) + 1]++] = order[k];
    return sorted;
}

static bool run_part(telling *t, const uint32_t *op, uint32_t n) {
    t->o->type->init(t->o, &t->goal);
    t->changed = false;
    for (uint32_t k = 0; k < n; k++) {
        operation view;
        history_operation(t->h, op[k], &view);
        if (!object_changes_nothing(t->o, &view) || !k) t->last = view;
        t->changed = true;
        if (!does(t, &t->goal, &view)) return false;
    }
    return true;
}

bool recall(const object *o, const history *h, const uint32_t *order, uint32_t n, recalled *out) {
    uint32_t parts, *number = object_part_numbers(o, h, &parts), *start = MEM_ARRAY(uint32_t, (size_t)parts + 2);
    uint32_t *sorted = by_part(number, order, n, parts, start);
    telling t = {.o = o, .h = h, .out = out};
    bool good = !criterion_is_together(&o->criterion);
    for (uint32_t p = 0; p < parts && good; p++)
        good = run_part(&t, sorted + start[p], start[p + 1] - start[p]) && tell_part(&t);
    state_free(&t.goal);
    free(sorted);
    free(start);
    free(number);
    return good;
}

bool recall_state(const object *o, const state *goal, value key, recalled *out) {
    telling t = {.o = o, .out = out, .changed = true, .last.key = key};
    if (criterion_is_together(&o->criterion)) return false;
    state_copy(&t.goal, goal);
    bool good = tell_part(&t);
    state_free(&t.goal);
    return good;
}

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void recalled_print(const object *o, const recalled *r, text *out) {
    char **line = MEM_ARRAY(char *, (size_t)r->n + 1);
    for (uint32_t i = 0, place = 0; i < r->n; i++) {
        text one = {0};
        bool same_part = i && r->op[i].key == r->op[i - 1].key && !o->type->parts_by_arg;
        place = same_part ? place + 1 : 0;
        text_printf(&one, "%08u ", place);
        value_print(o->values, r->client[i], &one);
        text_char(&one, ' ');
        operation_print(o, &r->op[i], &one);
        text_char(&one, '\n');
        line[i] = mem_copy(text_str(&one), one.size + 1);
        text_free(&one);
    }
    qsort(line, r->n, sizeof *line, by_bytes);
    for (uint32_t i = 0; i < r->n; i++) {
        text_add(out, line[i]);
        free(line[i]);
    }
    free(line);
}
