#include "support/weak_program.h"

#include "base/mem.h"
#include "explore/strategy/strategy.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- outcomes ---- */

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(weak_outcome)); }

void weak_outcomes_add(weak_outcomes *o, const weak_outcome *a) {
    for (uint32_t i = 0; i < o->n; i++)
        if (!compare(&o->at[i], a)) return;
    if (o->n == o->room) {
        o->room = 2 * o->room + 16;
        o->at = MEM_GROW(o->at, weak_outcome, o->room);
    }
    o->at[o->n++] = *a;
}

bool weak_outcomes_equal(const weak_outcomes *a, const weak_outcomes *b) {
    qsort(a->at, a->n, sizeof *a->at, compare);
    qsort(b->at, b->n, sizeof *b->at, compare);
    return a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n * sizeof *a->at));
}

/* ---- a world: every write of a place is kept, the driver says which one is read ---- */

enum { MESSAGES = 40 };
typedef struct toy_message {
    int8_t value;
    uint8_t name; /* thread and instruction of the write; 0: the first value */
} toy_message;

typedef struct weak_world {
    const weak_program *p;
    toy_message mo[WEAK_PLACES][MESSAGES];
    unsigned writes[WEAK_PLACES];
    unsigned pc[WEAK_THREADS];
    int8_t reg[WEAK_THREADS][WEAK_REGISTERS];
    uint8_t read[WEAK_THREADS][WEAK_CODE]; /* the name of the write that was read, +1 */
    bool held[WEAK_PLACES];
    uint8_t locked[WEAK_PLACES]; /* so often */
} weak_world;

static const weak_instruction *standing(weak_world *x, unsigned t) {
    const weak_program *p = x->p;
    while (x->pc[t] < p->length[t] && p->code[t][x->pc[t]].op == WEAK_SKIP_UNLESS) {
        const weak_instruction *i = &p->code[t][x->pc[t]];
        x->pc[t] += 1u + (x->reg[t][i->from] == i->expected ? 0 : (unsigned)i->value);
    }
    return x->pc[t] < p->length[t] ? &p->code[t][x->pc[t]] : NULL;
}

static int8_t operand(const weak_world *x, unsigned t, const weak_instruction *i) {
    return (int8_t)(i->value + (i->from == WEAK_NO_REGISTER ? 0 : x->reg[t][i->from]));
}

static void stand(world *w, weak_world *x, unsigned t) {
    static const struct {
        uint8_t step, update;
    } kinds[] = {
        [WEAK_LOAD] = {STEP_READ, UPDATE_NONE},
        [WEAK_STORE] = {STEP_WRITE, UPDATE_SET},
        [WEAK_ADD] = {STEP_UPDATE, UPDATE_ADD},
        [WEAK_EXCHANGE] = {STEP_UPDATE, UPDATE_SET},
        [WEAK_CAS] = {STEP_CAS, UPDATE_CAS},
        [WEAK_FENCE] = {STEP_FENCE, UPDATE_NONE},
        [WEAK_SKIP_UNLESS] = {STEP_NOTHING, UPDATE_NONE},
        [WEAK_LOCK] = {STEP_LOCK, UPDATE_NONE},
        [WEAK_UNLOCK] = {STEP_UNLOCK, UPDATE_NONE},
    };
    const weak_instruction *i = standing(x, t);
    if (!i) {
        w->live &= ~((thread_set)1 << t);
        return;
    }
    w->pending[t] =
        (step){.kind = kinds[i->op].step, .order = i->order, .expected = (uint8_t)i->expected, .pc = 1 + x->pc[t]};
    w->pending[t].at[0] = (place){100u + i->place, 1, PLACE_WRITE};
    w->access[t] = (pending_access){
        .update = kinds[i->op].update, .order_failed = i->order_failed, .operand = {(uint8_t)operand(x, t, i), 0}};
}

/* The write stands behind message `behind`. */
static void insert(weak_world *x, unsigned t, unsigned where, unsigned behind, int8_t left) {
    toy_message *m = x->mo[where];
    assert(x->writes[where] < MESSAGES);
    memmove(&m[behind + 2], &m[behind + 1], (x->writes[where] - behind - 1) * sizeof *m);
    m[behind + 1] = (toy_message){left, (uint8_t)(1 + t * WEAK_CODE + x->pc[t])};
    x->writes[where]++;
}

static unsigned ask(world *w, const driver *d, unsigned n) {
    if (n <= 1) return 0;
    const unsigned c = d->choose(d->self, w, n, CHOICE_OF_MESSAGE);
    w->choices++;
    return c < n ? c : 0;
}

static void access_place(world *w, const driver *d, weak_world *x, unsigned t, const weak_instruction *i) {
    const unsigned c = ask(w, d, x->writes[i->place]);
    const toy_message seen = x->mo[i->place][c];
    const int8_t v = operand(x, t, i);
    if (i->op == WEAK_STORE) {
        insert(x, t, i->place, c, v);
        return;
    }
    x->read[t][x->pc[t]] = (uint8_t)(seen.name + 1);
    if (i->op == WEAK_ADD) insert(x, t, i->place, c, (int8_t)(seen.value + v));
    if (i->op == WEAK_EXCHANGE || (i->op == WEAK_CAS && seen.value == i->expected)) insert(x, t, i->place, c, v);
    x->reg[t][i->to] = seen.value;
}

static void make(world *w, const driver *d, weak_world *x, unsigned t) {
    const weak_instruction *i = standing(x, t);
    w->last = w->pending[t];
    w->steps++;
    if (i->op == WEAK_LOCK || i->op == WEAK_UNLOCK) {
        x->held[i->place] = i->op == WEAK_LOCK;
        if (i->op == WEAK_LOCK) x->read[t][x->pc[t]] = ++x->locked[i->place];
    } else if (i->op != WEAK_FENCE) access_place(w, d, x, t, i);
    x->pc[t]++;
    stand(w, x, t);
}

static void find_enabled(world *w, weak_world *x) {
    w->enabled = 0;
    for (thread_set rest = w->live; rest; rest &= rest - 1) {
        const unsigned t = (unsigned)__builtin_ctz(rest);
        const weak_instruction *i = standing(x, t);
        if (i->op != WEAK_LOCK || !x->held[i->place]) w->enabled |= (thread_set)1 << t;
    }
}

static ending run(world *w, const driver *d) {
    weak_world *x = w->context;
    *x = (weak_world){.p = x->p};
    for (unsigned p = 0; p < WEAK_PLACES; p++) x->writes[p] = 1;
    w->steps = w->choices = 0;
    w->live = (1u << x->p->threads) - 1;
    w->threads = x->p->threads;
    for (unsigned t = 0; t < w->threads; t++) stand(w, x, t);
    while (w->live) {
        find_enabled(w, x);
        const int t = w->steps < d->knowns ? d->known[w->steps] : d->pick(d->self, w);
        if (t < 0) return w->ending = t == PICK_BLOCKED ? ENDED_ASSUMED : ENDED_PRUNED;
        assert(w->enabled >> t & 1);
        make(w, d, x, (unsigned)t);
    }
    return w->ending = ENDED_WELL;
}

/* ---- exploring it ---- */

static weak_outcome outcome_of(const weak_world *x) {
    weak_outcome o = {{0}};
    memcpy(o.value, x->reg, sizeof x->reg);
    for (unsigned p = 0; p < WEAK_PLACES; p++)
        o.value[WEAK_THREADS * WEAK_REGISTERS + p] = x->mo[p][x->writes[p] - 1].value;
    return o;
}

typedef struct graph_names {
    char (*at)[sizeof(((weak_world *)0)->read) + WEAK_PLACES * MESSAGES];
    uint32_t n, room;
} graph_names;

/* What was read and the modification orders; false: it was there before. */
static bool note(graph_names *g, const weak_world *x) {
    if (g->n == g->room) {
        g->room = 2 * g->room + 16;
        g->at = mem_resize(g->at, g->room, sizeof *g->at);
    }
    char *name = g->at[g->n];
    memset(name, 0, sizeof *g->at);
    memcpy(name, x->read, sizeof x->read);
    for (unsigned p = 0; p < WEAK_PLACES; p++)
        for (unsigned i = 0; i < x->writes[p]; i++) name[sizeof x->read + p * MESSAGES + i] = (char)x->mo[p][i].name;
    for (uint32_t i = 0; i < g->n; i++)
        if (!memcmp(g->at[i], name, sizeof *g->at)) return false;
    g->n++;
    return true;
}

bool weak_explore(const weak_program *p, memory_model m, weak_outcomes *out) {
    world *w = MEM_NEW(world);
    weak_world x = {.p = p};
    graph_names names = {0};
    bool good = true;
    w->context = &x;
    strategy *s = strategy_open(strategy_find("graphs"), &(strategy_options){.model = m});
    for (const driver *d; good && (d = strategy_next(s));) {
        run(w, d);
        strategy_done(s, w);
        good = !s->type->diverged(s);
        if (w->ending == ENDED_ASSUMED) out->blocked++;
        else good = good && w->ending == ENDED_WELL && note(&names, &x);
        if (w->ending != ENDED_WELL) continue;
        const weak_outcome o = outcome_of(&x);
        weak_outcomes_add(out, &o);
        out->graphs++;
    }
    good = good && !s->type->diverged(s);
    strategy_close(s);
    FREE_ALL(names.at, w);
    return good;
}

/* ---- text ---- */

static const char *const order_names[] = {"rlx", "con", "acq", "rel", "ar", "sc"};

void weak_print(const weak_program *p, FILE *to) {
    static const char *const ops[] = {"load", "store", "add", "xchg", "cas", "fence", "skip-unless", "lock", "unlock"};
    for (unsigned t = 0; t < p->threads; t++) {
        fprintf(to, "# %u:", t);
        for (unsigned k = 0; k < p->length[t]; k++) {
            const weak_instruction *i = &p->code[t][k];
            fprintf(to, " %s(%c to r%u, r%d + %d, expected %d)@%s/%s;", ops[i->op], 'x' + i->place, i->to,
                    i->from == WEAK_NO_REGISTER ? -1 : i->from, i->value, i->expected, order_names[i->order],
                    order_names[i->order_failed]);
        }
        fprintf(to, "\n");
    }
}

static uint8_t order_read(const char *at) {
    for (uint8_t i = 0; i < 6; i++)
        if (!strncmp(at, order_names[i], strlen(order_names[i]))) return i;
    return ORDER_RELAXED;
}

/* One of: F   x=1   r1=y   r1=add(x,1)   r1=xchg(x,1)   r1=cas(x,0,1)   x=r1 */
static weak_instruction instruction_read(const char *s) {
    weak_instruction i = {.from = WEAK_NO_REGISTER, .order = order_read(strchr(s, '@') + 1)};
    char where, other;
    int a = 0, b = 0, r = 0;
    i.order_failed = (uint8_t)(i.order == 4 ? 2 : i.order == 3 ? 0 : i.order);
    if (*s == 'F') i.op = WEAK_FENCE;
    else if (sscanf(s, "r%d=add(%c,%d)", &r, &where, &a) == 3) i.op = WEAK_ADD;
    else if (sscanf(s, "r%d=xchg(%c,%d)", &r, &where, &a) == 3) i.op = WEAK_EXCHANGE;
    else if (sscanf(s, "r%d=cas(%c,%d,%d)", &r, &where, &b, &a) == 4) i.op = WEAK_CAS;
    else if (sscanf(s, "r%d=%c", &r, &where) == 2) i.op = WEAK_LOAD;
    else if (sscanf(s, "%c=%c%d", &where, &other, &b) == 3 && other == 'r') {
        i.op = WEAK_STORE;
        i.from = (uint8_t)b;
        b = 0;
    } else {
        const int n = sscanf(s, "%c=%d", &where, &a);
        assert(n == 2);
        (void)n;
        i.op = WEAK_STORE;
    }
    if (i.op != WEAK_FENCE) i.place = (uint8_t)((where - 'x' + 26) % 26 % WEAK_PLACES);
    i.to = (uint8_t)r;
    i.value = (int8_t)a;
    i.expected = (int8_t)b;
    return i;
}

void weak_read(const char *from, weak_program *p) {
    *p = (weak_program){.threads = 1};
    while (*from) {
        const size_t blank = strspn(from, " ;");
        from += blank;
        if (!strncmp(from, "||", 2)) {
            p->threads++;
            from += 2;
        } else if (*from) {
            const unsigned t = p->threads - 1;
            p->code[t][p->length[t]++] = instruction_read(from);
            from += strcspn(from, " ;|");
        }
    }
}
