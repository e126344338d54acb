#include "explore/outside/programs.h"

#include "base/random.h"
#include "explore/outside/hunt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text form of a choice of operations ---- */

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == ',' || *p == '\t') p++;
    return p;
}

static program_operation *space_find(program_space *s, const char *name, size_t length) {
    for (unsigned i = 0; i < s->ops; i++)
        if (strlen(s->op[i].name) == length && !memcmp(s->op[i].name, name, length)) return &s->op[i];
    return NULL;
}

/* "3" or "1..3" */
static bool range_parse(const char **at, int64_t *low, int64_t *high) {
    char *end;
    *low = *high = strtoll(*at, &end, 10);
    if (end == *at) return false;
    if (end[0] == '.' && end[1] == '.') {
        const char *second = end + 2;
        *high = strtoll(second, &end, 10);
        if (end == second || *high < *low) return false;
    }
    *at = end;
    return true;
}

static bool ranges_parse(const char **at, program_operation *op, error *e) {
    unsigned n = 0;
    assert(**at == '(' && op->nargs <= PROGRAM_ARGS);
    for ((*at)++; **at != ')'; *at = skip_blanks(*at)) {
        if (n == op->nargs)
            return error_set(e, EXIT_USAGE, "--operations: %s takes %u argument%s", op->name, op->nargs,
                             op->nargs == 1 ? "" : "s");
        if (!range_parse(at, &op->low[n], &op->high[n]))
            return error_set(e, EXIT_USAGE, "--operations: %s: expected a number or a range like 1..3 at '%.12s'",
                             op->name, *at);
        n++;
    }
    (*at)++;
    if (n && n < op->nargs)
        return error_set(e, EXIT_USAGE, "--operations: %s takes %u arguments, %u given", op->name, op->nargs, n);
    if (n) op->fresh = false;
    for (unsigned a = 0; a < n; a++) op->drawn_high[a] = op->high[a];
    return true;
}

bool programs_restrict(program_space *s, const char *chosen, error *e) {
    program_space kept = *s;
    assert(s->ops <= PROGRAM_OPERATIONS);
    kept.ops = 0;
    for (const char *p = skip_blanks(chosen); *p; p = skip_blanks(p)) {
        size_t n = strcspn(p, " ,\t(");
        program_operation *op = space_find(s, p, n);
        if (!op) return error_set(e, EXIT_USAGE, "--operations: '%.*s' is not declared in the test", (int)n, p);
        if (space_find(&kept, p, n)) return error_set(e, EXIT_USAGE, "--operations: %s is named twice", op->name);
        assert(kept.ops < s->ops); /* each is named once */
        program_operation *to = &kept.op[kept.ops++];
        *to = *op;
        p += n;
        if (*p == '(' && !ranges_parse(&p, to, e)) return false;
    }
    if (!kept.ops) return error_set(e, EXIT_USAGE, "--operations: names no operation");
    *s = kept;
    return true;
}

/* Values that are told apart only by being different are as many as there are calls; others are of a range. */
void programs_limits(const program_space *s, coverage *out) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (unsigned i = 0; i < s->ops; i++)
        for (unsigned a = s->op[i].fresh ? 1 : 0; a < s->op[i].nargs; a++) {
            if (s->op[i].low[a] < low) low = s->op[i].low[a];
            if (s->op[i].high[a] > high) high = s->op[i].high[a];
        }
    out->threads_made = s->max_threads;
    out->length_made = s->max_length;
    out->values_made = low <= high ? (uint64_t)high - (uint64_t)low + 1 : 0;
}

/* ---- enumeration ---- */

typedef struct maker {
    const program_space *s;
    bool (*each)(void *context, const made_program *p);
    void *context;
    uint8_t initial[PROGRAM_LENGTH];
    unsigned initials;
    uint8_t thread[PROGRAM_THREADS][PROGRAM_LENGTH];
    unsigned length[PROGRAM_THREADS], threads;
    int64_t arg[(PROGRAM_THREADS + 1) * PROGRAM_LENGTH * PROGRAM_ARGS];
    unsigned args;
    unsigned total; /* operations, those at the end not among them */
    text out;
    bool stopped;
} maker;

static const program_operation *op_at(const maker *m, uint8_t i) {
    assert(i < m->s->ops);
    return &m->s->op[i];
}

static void add_call(maker *m, uint8_t i, unsigned *arg) {
    const program_operation *op = op_at(m, i);
    assert(*arg + op->nargs <= m->args);
    text_add(&m->out, op->name);
    for (unsigned a = 0; a < op->nargs; a++) {
        text_char(&m->out, a ? ',' : '(');
        text_int(&m->out, m->arg[(*arg)++]);
    }
    if (op->nargs) text_char(&m->out, ')');
}

static void add_calls(maker *m, const uint8_t *ops, unsigned n, unsigned *arg) {
    for (unsigned i = 0; i < n; i++) {
        if (i) text_char(&m->out, ' ');
        add_call(m, ops[i], arg);
    }
}

/* How many elements stay inside when no removal finds it empty. */
static unsigned leftovers(const maker *m) {
    unsigned in = m->initials, out = 0;
    for (unsigned t = 0; t < m->threads; t++)
        for (unsigned i = 0; i < m->length[t]; i++) {
            in += op_at(m, m->thread[t][i])->adds;
            out += op_at(m, m->thread[t][i])->removes;
        }
    return in > out ? in - out : 0;
}

static const program_operation *remover(const program_space *s) {
    for (unsigned i = 0; i < s->ops; i++)
        if (s->op[i].removes) return &s->op[i];
    return NULL;
}

static void hand_over(maker *m) {
    const program_operation *taker = m->s->drains ? remover(m->s) : NULL;
    unsigned arg = 0, operations = m->initials, left = taker ? leftovers(m) : 0;
    text_clear(&m->out);
    add_calls(m, m->initial, m->initials, &arg);
    if (m->initials || (left && m->threads == 1)) text_add(&m->out, m->initials ? " : " : ": ");
    for (unsigned t = 0; t < m->threads; t++) {
        if (t) text_add(&m->out, " | ");
        add_calls(m, m->thread[t], m->length[t], &arg);
        operations += m->length[t];
    }
    for (unsigned i = 0; i < left; i++) text_printf(&m->out, "%s%s", i ? " " : " : ", taker->name);
    assert(arg == m->args);         /* each argument is written once */
    assert(operations == m->total); /* smallest first */
    assert(threads_operations(text_str(&m->out)) == operations + left);
    made_program p = {.text = text_str(&m->out), .threads = m->threads, .operations = operations};
    if (!m->each(m->context, &p)) m->stopped = true;
}

/* ---- operations that wait ---- */

typedef struct filling { /* of an execution: elements inside, calls that each thread has done */
    unsigned inside, done[PROGRAM_THREADS];
} filling;

enum { FILLINGS_MOST = 100000 };

static bool is_full(const maker *m, const filling *x) { return m->s->capacity && x->inside >= m->s->capacity; }

static bool has_to_wait(const maker *m, const filling *x, const program_operation *op) {
    return op->waits && ((op->removes && !x->inside) || (op->adds && is_full(m, x)));
}

/* Is there an order of all calls in which a thread waits and no other can go on? What neither adds nor removes
 * changes nothing. */
static bool may_get_stuck(const maker *m, const filling *x, unsigned *looks) {
    bool waits = false, goes_on = false;
    assert(!m->s->capacity || x->inside <= m->s->capacity);
    for (unsigned t = 0; t < m->threads; t++) {
        assert(x->done[t] <= m->length[t]);
        if (x->done[t] == m->length[t]) continue;
        const program_operation *op = op_at(m, m->thread[t][x->done[t]]);
        filling next = *x;
        if (has_to_wait(m, x, op)) {
            waits = true;
            continue;
        }
        goes_on = true;
        next.done[t]++;
        if (op->removes && next.inside) next.inside--;
        if (op->adds && !is_full(m, x)) next.inside++;
        if (++*looks > FILLINGS_MOST) return false;
        if (may_get_stuck(m, &next, looks)) return true;
        if (!op->adds && !op->removes) return false;
    }
    return waits && !goes_on;
}

static bool waits_for_ever(const maker *m) {
    filling x = {.inside = m->initials};
    unsigned looks = 0;
    if (m->s->capacity && x.inside > m->s->capacity) x.inside = m->s->capacity;
    for (unsigned i = 0; i < m->s->ops; i++)
        if (m->s->op[i].waits) return (m->s->capacity && m->initials > m->s->capacity) || may_get_stuck(m, &x, &looks);
    return false;
}

/* The calls in the order in which they are written: first the initial ones, then thread after thread. */
static const program_operation *call_at(const maker *m, unsigned i) {
    if (i < m->initials) return op_at(m, m->initial[i]);
    i -= m->initials;
    for (unsigned t = 0; t < m->threads; t++) {
        if (i < m->length[t]) return op_at(m, m->thread[t][i]);
        i -= m->length[t];
    }
    return NULL;
}

static void choose_arguments(maker *m, unsigned call, unsigned a, int64_t fresh) {
    if (m->stopped) return;
    assert(m->args < sizeof m->arg / sizeof *m->arg);
    const program_operation *op = call_at(m, call);
    if (!op) {
        hand_over(m);
    } else if (a == op->nargs) {
        choose_arguments(m, call + 1, 0, fresh);
    } else if (a == 0 && op->fresh) {
        m->arg[m->args++] = fresh;
        choose_arguments(m, call, 1, fresh + 1);
        m->args--;
    } else {
        for (int64_t v = op->low[a]; v <= op->high[a]; v++) {
            m->arg[m->args++] = v;
            choose_arguments(m, call, a + 1, fresh);
            m->args--;
        }
    }
}

/* Threads are interchangeable: each program is at most the one before it, by length and then operation by operation. */
static bool in_order(const maker *m, unsigned t) {
    if (t == 0) return true;
    if (m->length[t] != m->length[t - 1]) return m->length[t] < m->length[t - 1];
    return memcmp(m->thread[t], m->thread[t - 1], m->length[t]) >= 0;
}

static bool contract_kept(const maker *m, unsigned t, uint8_t op) {
    const uint32_t roles = op_at(m, op)->roles;
    for (unsigned u = 0; u < t && roles; u++)
        for (unsigned i = 0; i < m->length[u]; i++)
            if (op_at(m, m->thread[u][i])->roles & roles) return false;
    return true;
}

static void choose_threads(maker *m, unsigned t, unsigned left);

static void choose_operations(maker *m, unsigned t, unsigned i, unsigned left) {
    if (m->stopped) return;
    assert(t < m->threads && i <= m->length[t] && m->length[t] <= PROGRAM_LENGTH);
    if (i == m->length[t]) {
        if (in_order(m, t)) choose_threads(m, t + 1, left);
        return;
    }
    for (uint8_t op = 0; op < m->s->ops; op++) {
        if (!contract_kept(m, t, op)) continue;
        m->thread[t][i] = op;
        choose_operations(m, t, i + 1, left);
    }
}

static void choose_threads(maker *m, unsigned t, unsigned left) {
    if (t == m->threads) {
        if (left == 0 && !waits_for_ever(m)) choose_arguments(m, 0, 0, 1);
        return;
    }
    for (unsigned n = m->s->min_length; n <= m->s->max_length && n <= left && !m->stopped; n++) {
        m->length[t] = n;
        choose_operations(m, t, 0, left - n);
    }
}

static void choose_initial(maker *m, unsigned i, unsigned left) {
    if (m->stopped) return;
    assert(i <= m->initials && m->initials <= PROGRAM_LENGTH);
    if (i == m->initials) {
        choose_threads(m, 0, left);
        return;
    }
    for (uint8_t op = 0; op < m->s->ops; op++) {
        if (!op_at(m, op)->initial) continue;
        m->initial[i] = op;
        choose_initial(m, i + 1, left);
    }
}

bool programs_each(const program_space *s, bool (*each)(void *context, const made_program *p), void *context) {
    maker m = {.s = s, .each = each, .context = context};
    assert(s->min_threads >= 1 && s->min_threads <= s->max_threads && s->max_threads <= PROGRAM_THREADS);
    assert(s->min_length <= s->max_length && s->max_length <= PROGRAM_LENGTH && s->max_initial <= PROGRAM_LENGTH);
    assert(s->ops <= PROGRAM_OPERATIONS);
    unsigned least = s->min_threads * s->min_length, most = s->max_threads * s->max_length + s->max_initial;
    for (unsigned total = m.total = least; total <= most && !m.stopped; m.total = ++total)
        for (m.threads = s->min_threads; m.threads <= s->max_threads && !m.stopped; m.threads++)
            for (m.initials = 0; m.initials <= s->max_initial && m.initials < total && !m.stopped; m.initials++)
                choose_initial(&m, 0, total - m.initials);
    text_free(&m.out);
    return !m.stopped;
}

/* ---- programs drawn by lot ---- */

enum { DRAWS_MOST = 100, DRAWN_OPERATIONS = 12 /* what shrink.c takes apart */ };

static unsigned draw_between(random_source *r, unsigned low, unsigned high) {
    assert(low <= high);
    return low + random_below(r, high - low + 1);
}

/* One of those that may be done there, of `among` if there is one; false: none may. */
static bool draw_operation(const maker *m, random_source *r, bool initial, unsigned t, uint32_t among, uint8_t *out) {
    uint8_t choice[PROGRAM_OPERATIONS], wanted[PROGRAM_OPERATIONS];
    unsigned choices = 0, wanteds = 0;
    for (uint8_t op = 0; op < m->s->ops; op++) {
        if (!(initial ? op_at(m, op)->initial : contract_kept(m, t, op))) continue;
        choice[choices++] = op;
        if (among >> op & 1) wanted[wanteds++] = op;
    }
    if (choices) *out = wanteds ? wanted[random_below(r, wanteds)] : choice[random_below(r, choices)];
    return choices;
}

/* About every other thread has operations of all kinds; the others have some kinds only, so that long runs of one kind
 * come up, too. */
static uint32_t draw_kinds(random_source *r) {
    static_assert(PROGRAM_OPERATIONS <= 32, "a set of bits");
    return random_below(r, 2) ? UINT32_MAX : (uint32_t)(random_next(r) >> 32);
}

static bool draw_calls(maker *m, random_source *r) {
    for (unsigned i = 0; i < m->initials; i++)
        if (!draw_operation(m, r, true, 0, UINT32_MAX, &m->initial[i])) return false;
    for (unsigned t = 0; t < m->threads; t++) {
        const uint32_t kinds = draw_kinds(r);
        for (unsigned i = 0; i < m->length[t]; i++)
            if (!draw_operation(m, r, false, t, kinds, &m->thread[t][i])) return false;
    }
    return true;
}

static void draw_arguments(maker *m, random_source *r) {
    int64_t fresh = 1;
    const program_operation *op;
    for (unsigned call = 0; (op = call_at(m, call)); call++)
        for (unsigned a = 0; a < op->nargs; a++) {
            assert(op->low[a] <= op->drawn_high[a]);
            const uint64_t range = (uint64_t)op->drawn_high[a] - (uint64_t)op->low[a] + 1;
            const bool own = a == 0 && op->fresh;
            m->arg[m->args++] = own ? fresh++ : op->low[a] + (int64_t)(random_next(r) % (range ? range : 1));
        }
}

static unsigned operations_most(const program_space *s) {
    const unsigned made = s->max_threads * s->max_length + s->max_initial, least = s->min_threads * s->min_length;
    return made < DRAWN_OPERATIONS ? made : least > DRAWN_OPERATIONS ? least : DRAWN_OPERATIONS;
}

/* How many operations each thread has: what others need at least is left to them. */
static void draw_lengths(maker *m, random_source *r) {
    const program_space *s = m->s;
    unsigned left = operations_most(s);
    m->threads = draw_between(r, s->min_threads, s->max_threads);
    while (m->threads * s->min_length > left) m->threads--;
    for (unsigned t = 0; t < m->threads; t++) {
        unsigned room = left - (m->threads - t - 1) * s->min_length;
        if (room > s->drawn_length) room = s->drawn_length;
        m->length[t] = draw_between(r, s->min_length, room);
        left -= m->length[t];
        m->total += m->length[t];
    }
    m->initials = random_below(r, (left < s->max_initial ? left : s->max_initial) + 1);
    m->total += m->initials;
}

static bool keep_text(void *context, const made_program *p) {
    text_clear(context);
    text_add(context, p->text);
    return true;
}

bool programs_draw(const program_space *s, uint64_t seed, text *out) {
    random_source r = {.s = seed};
    bool drawn = false;
    for (unsigned i = 0; i < DRAWS_MOST && !drawn; i++) {
        maker m = {.s = s, .each = keep_text, .context = out};
        draw_lengths(&m, &r);
        if (!draw_calls(&m, &r) || waits_for_ever(&m)) continue;
        draw_arguments(&m, &r);
        hand_over(&m);
        text_free(&m.out);
        drawn = true;
    }
    return drawn;
}
