#include "support/containers.h"

#include "object/leave_out.h"

#include "evidence/oracle.h"
#include "history/builder.h"

#include "support/cmocka.h"

#include <stdio.h>

/* ---- a run ---- */

typedef struct step { /* an event */
    uint32_t op;
    bool returns;
} step;

typedef struct action { /* an operation */
    uint32_t client;
    bool adds, happened;
    int64_t item, res; /* item: what it adds; res: what a remove returned, 0: empty, -1: unknown */
    int64_t call, ret;
} action;

typedef struct simulation {
    random_source *r;
    const container_shape *shape;
    action *action;
    step *step;
    uint32_t n, steps, names;
    int64_t *inside;
    uint32_t count;
} simulation;

static int64_t priority_of(const container_shape *s, int64_t item) {
    return s->priorities ? item % s->priorities : item;
}

/* How many would a strict container of this discipline take before it? */
static uint32_t rank_of(const simulation *s, uint32_t i) {
    uint32_t rank = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        int64_t a = priority_of(s->shape, s->inside[k]), b = priority_of(s->shape, s->inside[i]);
        switch (s->shape->discipline) {
        case TAKE_OLDEST: rank += k < i; break;
        case TAKE_NEWEST: rank += k > i; break;
        case TAKE_GREATEST: rank += a > b || (a == b && k < i); break;
        case TAKE_LEAST: rank += a < b || (a == b && k < i); break;
        default: break;
        }
    }
    return rank;
}

static uint32_t chosen_out_of_order(const simulation *s) {
    uint32_t among = s->count < s->shape->relax + 1 ? s->count : s->shape->relax + 1, rank = random_below(s->r, among),
             i = 0;
    while (rank_of(s, i) != rank) i++;
    return i;
}

static uint32_t chosen(const simulation *s) {
    uint32_t best = 0;
    if (s->shape->relax) return chosen_out_of_order(s);
    if (s->shape->discipline == TAKE_NEWEST) return s->count - 1;
    if (s->shape->discipline == TAKE_ANY) return random_below(s->r, s->count);
    for (uint32_t i = 1; i < s->count; i++) {
        int64_t a = priority_of(s->shape, s->inside[i]), b = priority_of(s->shape, s->inside[best]);
        if (s->shape->discipline == TAKE_GREATEST && (a > b || (a == b && random_chance(s->r, 0.5)))) best = i;
        if (s->shape->discipline == TAKE_LEAST && (a < b || (a == b && random_chance(s->r, 0.5)))) best = i;
    }
    return best;
}

static void take_effect(simulation *s, action *a) {
    a->happened = true;
    if (a->adds) {
        s->inside[s->count++] = a->item;
    } else if (s->count == 0) {
        a->res = 0;
    } else {
        uint32_t at = chosen(s);
        a->res = s->inside[at];
        memmove(s->inside + at, s->inside + at + 1, (--s->count - at) * sizeof *s->inside);
    }
}

static void run(simulation *s) {
    const container_shape *shape = s->shape;
    uint32_t open[64], name[64];
    for (uint32_t c = 0; c < shape->clients; c++) {
        open[c] = UINT32_MAX;
        name[c] = s->names++;
    }
    for (uint32_t done = 0; done < shape->operations;) {
        uint32_t c = random_below(s->r, shape->clients);
        if (open[c] == UINT32_MAX) {
            if (s->n == shape->operations) continue;
            s->action[s->n] = (action){.client = name[c],
                                       .adds = s->n < shape->first_adds || random_chance(s->r, shape->adds),
                                       .item = s->action[s->n].item,
                                       .res = -1};
            s->step[s->steps++] = (step){s->n, false};
            open[c] = s->n++;
            continue;
        }
        action *a = &s->action[open[c]];
        if (random_chance(s->r, shape->pending)) {
            name[c] = s->names++; /* the client goes on under another name */
        } else if (!a->happened) {
            take_effect(s, a);
            continue;
        } else {
            s->step[s->steps++] = (step){open[c], true};
        }
        open[c] = UINT32_MAX;
        done++;
    }
}

/* Numbers in random order: priorities must not follow the order of the adds. */
static void choose_items(simulation *s) {
    uint32_t n = s->shape->operations;
    for (uint32_t i = 0; i < n; i++) s->action[i].item = i + 1;
    for (uint32_t i = n; i-- > 1;) {
        uint32_t k = random_below(s->r, i + 1);
        int64_t item = s->action[i].item;
        s->action[i].item = s->action[k].item;
        s->action[k].item = item;
    }
    for (uint32_t i = 0; s->shape->repeats && i < n; i++)
        s->action[i].item = 1 + random_below(s->r, n < 20 ? 3 : n / 2);
}

/* ---- spoiling ---- */

static void swap_steps(simulation *s) {
    if (s->steps < 2) return;
    uint32_t i = random_below(s->r, s->steps - 1);
    step a = s->step[i], b = s->step[i + 1];
    if (s->action[a.op].client == s->action[b.op].client) return;
    s->step[i] = b;
    s->step[i + 1] = a;
}

static void tell_lie(simulation *s) {
    action *a = &s->action[random_below(s->r, s->n)], *b = &s->action[random_below(s->r, s->n)];
    if (a->adds || a->res == -1) return;
    if (random_chance(s->r, 0.1)) {
        a->res = random_chance(s->r, 0.5) ? 0 : s->action[random_below(s->r, s->n)].item;
    } else if (!b->adds && b->res != -1) {
        int64_t res = a->res;
        a->res = b->res;
        b->res = res;
    }
}

static void set_stamps(simulation *s) {
    int64_t now = 0;
    for (uint32_t i = 0; i < s->n; i++) s->action[i].ret = STAMP_NEVER;
    for (uint32_t i = 0; i < s->steps; i++) {
        if (!random_chance(s->r, s->shape->ties)) now++;
        action *a = &s->action[s->step[i].op];
        if (s->step[i].returns) a->ret = now;
        else a->call = now;
    }
}

/* ---- the history ---- */

static value item_value(const simulation *s, values *v, int64_t item) {
    if (!s->shape->priorities) return value_int(v, s->shape->sparse ? 1000003 * item : item);
    value pair[2] = {value_int(v, priority_of(s->shape, item)), value_int(v, item)};
    return value_tuple(v, pair, 2);
}

static bound build(const simulation *s, const char *object_name) {
    error e = {0};
    bound b = {.o = object_open(object_name, NULL, &e)};
    builder *to = builder_new("random", &e);
    assert_non_null(b.o);
    for (uint32_t i = 0; i < s->n; i++) {
        const action *a = &s->action[i];
        const char *name = b.o->type->methods[a->adds ? 0 : 1].name;
        value item = a->adds ? item_value(s, builder_values(to), a->item) : VALUE_NONE, res = VALUE_NONE;
        if (!a->adds) res = a->res > 0 ? item_value(s, builder_values(to), a->res) : VALUE_EMPTY;
        call_record call = {.client = value_int(builder_values(to), a->client),
                            .method = builder_method(to, name, strlen(name), i + 1),
                            .key = VALUE_NONE,
                            .arg = &item,
                            .nargs = a->adds,
                            .line = i + 1};
        assert_true(builder_operation(to, &call, a->call, a->ret, res));
    }
    b.h = builder_finish(to);
    builder_free(to);
    if (!b.h || !object_bind(b.o, b.h, "random", &e)) fail_msg("%s", e.what);
    return b;
}

bound container_history(random_source *r, const char *object_name, const container_shape *shape) {
    simulation s = {.r = r, .shape = shape};
    s.action = MEM_ARRAY(action, shape->operations);
    s.step = MEM_ARRAY(step, 2 * (size_t)shape->operations);
    s.inside = MEM_ARRAY(int64_t, shape->operations);
    choose_items(&s);
    run(&s);
    for (uint32_t i = 0; i < shape->swaps; i++) swap_steps(&s);
    for (uint32_t i = 0; i < shape->lies; i++) tell_lie(&s);
    set_stamps(&s);
    bound b = build(&s, object_name);
    free(s.action);
    free(s.step);
    free(s.inside);
    return b;
}

container_shape container_shape_any(random_source *r, discipline right, uint32_t operations) {
    container_shape s = {.operations = operations, .clients = 1 + random_below(r, 4), .discipline = right};
    if (s.clients == 1) s.clients += random_below(r, 4);
    if (random_chance(r, 0.5)) s.discipline = (discipline)random_below(r, DISCIPLINES);
    s.adds = 0.35 + 0.35 * (double)random_below(r, 1000) / 1000;
    static const double pending[] = {0, 0, 0.02, 0.15};
    s.pending = pending[random_below(r, 4)];
    s.ties = random_chance(r, 0.7) ? 0 : 0.4;
    if (random_chance(r, 0.4)) s.priorities = 1 + random_below(r, 4);
    s.repeats = random_chance(r, 0.1);
    if (random_chance(r, 0.7)) s.swaps = random_below(r, 4 * operations);
    if (random_chance(r, 0.7)) s.lies = 1 + random_below(r, 6);
    return s;
}

/* ---- trials ---- */

static void wrong(const container_trial *t, const bound *b, const char *what) {
    text shown = {0};
    history_text(b, &shown);
    print_error("%s on %s: %s\n%s\n", t->engine, t->object, what, text_str(&shown));
    text_free(&shown);
    fail();
}

static bool has_token(const bound *b) {
    for (uint32_t i = 0; i < b->h->n; i++)
        if (history_pending(b->h, i) && b->h->method[i] == 1) return true;
    return false;
}

/* The engine's outcome for the whole history, a single part. */
static outcome outcome_of(const char *engine_name, const bound *b, double seconds, size_t memory) {
    budget spend;
    outcome out;
    uint32_t *op = MEM_ARRAY(uint32_t, b->h->n);
    for (uint32_t i = 0; i < b->h->n; i++) op[i] = i;
    budget_init(&spend, seconds, memory);
    outcome_init(&out);
    engine_find(engine_name)->decide(&(problem){b->h, b->o, op, b->h->n, &spend, NULL, NULL}, &out);
    free(op);
    return out;
}

uint32_t pattern_size(const char *engine_name, const char *object_name, const char *operations) {
    bound b = make_history(object_name, operations);
    outcome out = outcome_of(engine_name, &b, 0, 0);
    uint32_t n = out.pattern_n;
    assert_int_equal(out.verdict, VERDICT_VIOLATION);
    outcome_free(&out);
    free_bound(&b);
    return n;
}

/* No operation can leave this violation: without any one group or any one operation that may leave alone it is none. */
static bool nothing_can_leave(const bound *b) {
    uint32_t all[64], keep[64];
    leave_out l;
    bool needed = true;
    for (uint32_t i = 0; i < b->h->n; i++) all[i] = i;
    object_leave_out(b->o, b->h, all, b->h->n, &l);
    for (uint32_t unit = 0; unit < l.groups + b->h->n && needed; unit++) {
        uint32_t n = 0, alone = unit < l.groups ? UINT32_MAX : unit - l.groups;
        if (alone != UINT32_MAX && !(l.flags[alone] & LEAVE_ALONE)) continue;
        for (uint32_t i = 0; i < b->h->n; i++)
            if (alone == UINT32_MAX ? l.group[i] != unit : i != alone) keep[n++] = i;
        history *rest = history_select(b->h, keep, n, RANK_NEVER);
        needed = n == 0 || oracle_linearizable(b->o, rest, 0) == ORACLE_YES;
        history_free(rest);
    }
    leave_out_free(&l);
    return needed;
}

void containers_against_oracle(const container_trial *t) {
    const engine *g = engine_find(t->engine);
    random_source r = {t->seed};
    uint32_t histories = trial_histories(t->histories), count[3] = {0}, tokens = 0;
    assert_non_null(g);
    for (uint32_t i = 0; i < histories; i++) {
        container_shape shape = container_shape_any(&r, t->right, 2 + random_below(&r, 8));
        bound b = container_history(&r, t->object, &shape);
        verdict v = decide_all(g, &b);
        count[v]++;
        tokens += has_token(&b);
        if (v == VERDICT_UNDECIDED) {
            if (!shape.repeats) wrong(t, &b, "undecided");
        } else if ((oracle_linearizable(b.o, b.h, 0) == ORACLE_YES) != (v == VERDICT_LINEARIZABLE)) {
            wrong(t, &b, v == VERDICT_LINEARIZABLE ? "a violation accepted" : "a linearizable history refused");
        }
        if (v == VERDICT_VIOLATION && (t->always_pattern || !has_token(&b))) {
            outcome out = outcome_of(t->engine, &b, 0, 0);
            if (out.pattern_n == 0 && !(t->no_whole_pattern && nothing_can_leave(&b))) wrong(t, &b, "no pattern");
            outcome_free(&out);
        }
        free_bound(&b);
    }
    print_message("%s on %s: %u histories, %u linearizable, %u violations, %u undecided, %u with pending removes\n",
                  t->engine, t->object, histories, count[VERDICT_LINEARIZABLE], count[VERDICT_VIOLATION],
                  count[VERDICT_UNDECIDED], tokens);
    assert_true(count[VERDICT_LINEARIZABLE] > histories / 5 && count[VERDICT_VIOLATION] > histories / 16 &&
                tokens > histories / 20);
}

static verdict search_says(const bound *b) {
    outcome out = outcome_of("search", b, 0.05, 64 << 20);
    verdict v = out.verdict;
    outcome_free(&out);
    return v;
}

void containers_against_search(const container_trial *t, uint32_t operations) {
    const engine *g = engine_find(t->engine);
    random_source r = {t->seed};
    uint32_t count[3] = {0}, unknown = 0;
    for (uint32_t i = 0; i < t->histories; i++) {
        container_shape shape = container_shape_any(&r, t->right, operations / 2 + random_below(&r, operations / 2));
        shape.discipline = t->right;
        shape.repeats = false;
        shape.pending /= operations;
        shape.adds = 0.5;
        if (random_chance(&r, 0.5)) shape.swaps = shape.lies = 0;
        bound b = container_history(&r, t->object, &shape);
        verdict v = decide_all(g, &b), s = search_says(&b);
        count[v]++;
        unknown += s == VERDICT_UNDECIDED;
        if (v != s && v != VERDICT_UNDECIDED && s != VERDICT_UNDECIDED) wrong(t, &b, "search disagrees");
        free_bound(&b);
    }
    print_message(
        "%s on %s: %u histories of up to %u operations, %u linearizable, %u violations, %u undecided (search: %u)\n",
        t->engine, t->object, t->histories, operations, count[VERDICT_LINEARIZABLE], count[VERDICT_VIOLATION],
        count[VERDICT_UNDECIDED], unknown);
    assert_true(count[VERDICT_LINEARIZABLE] > t->histories / 5 && count[VERDICT_VIOLATION] > t->histories / 16);
}

void containers_renumbered(const container_trial *t, uint32_t operations) {
    const engine *g = engine_find(t->engine);
    random_source r = {t->seed + 1};
    uint32_t count[3] = {0}, repeated = 0;
    for (uint32_t i = 0; i < t->histories; i++) {
        container_shape shape = container_shape_any(&r, t->right, operations / 2 + random_below(&r, operations / 2));
        shape.discipline = t->right;
        shape.pending *= 0.1;
        shape.repeats = random_chance(&r, 0.3);
        if (shape.repeats) shape.adds = 0.3; /* so that values leave before they come again */
        shape.lies = shape.swaps = random_chance(&r, 0.5);
        shape.priorities = 0;
        random_source again = r;
        bound near = container_history(&r, t->object, &shape);
        shape.sparse = true;
        bound far = container_history(&again, t->object, &shape);
        verdict v = decide_all(g, &near);
        if (decide_all(g, &far) != v) wrong(t, &far, "another verdict for other numbers");
        count[v]++;
        repeated += shape.repeats && v != VERDICT_UNDECIDED;
        free_bound(&near);
        free_bound(&far);
    }
    print_message(
        "%s on %s: %u histories renumbered, %u linearizable, %u violations, %u undecided, %u with repeats decided\n",
        t->engine, t->object, t->histories, count[VERDICT_LINEARIZABLE], count[VERDICT_VIOLATION],
        count[VERDICT_UNDECIDED], repeated);
    assert_true(count[VERDICT_LINEARIZABLE] > t->histories / 20 && count[VERDICT_VIOLATION] > t->histories / 20 &&
                repeated > t->histories / 40);
}
