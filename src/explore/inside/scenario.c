/* The threads of a test as a text: "enq(1) : enq(2) deq | deq : deq". Before the first colon: done first, one after the
 * other. Behind a colon that comes after the threads: done last, when they have ended. */
#include "explore/inside/record.h"
#include "explore/inside/scenario.h"
#include "explore/inside/state.h"
#include "explore/model/role.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIST_MAX = 64 };

typedef struct planned {
    plumb_item *item;
    int64_t arg[OPERATION_ARGS];
} planned;
typedef struct planned_list {
    planned op[LIST_MAX];
    unsigned count;
} planned_list;
struct scenario {
    planned_list initial, thread[THREADS_MAX], after;
    unsigned threads;
    uint8_t group[THREADS_MAX];
};

typedef struct scenario_reader {
    const char *at, *text;
    const plumb_item *items;
    char *wrong;
    size_t room;
} scenario_reader;

static bool complain(scenario_reader *r, const char *what) {
    if (!*r->wrong) snprintf(r->wrong, r->room, "threads \"%s\": %s at \"%.20s\"", r->text, what, r->at);
    return false;
}

static void blanks_skip(scenario_reader *r) {
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool arguments_read(scenario_reader *r, planned *p) {
    unsigned n = 0;
    blanks_skip(r);
    if (*r->at == '(') {
        r->at++;
        for (;; r->at++) {
            char *end;
            int64_t v = strtoll(r->at, &end, 10);
            if (end == r->at) break;
            if (n == OPERATION_ARGS) return complain(r, "more than three arguments");
            p->arg[n++] = v;
            r->at = end;
            blanks_skip(r);
            if (*r->at != ',') break;
        }
        blanks_skip(r);
        if (*r->at != ')') return complain(r, "expected an integer argument or ')'");
        r->at++;
    }
    char wrong[80];
    if (n == p->item->nargs) return true;
    snprintf(wrong, sizeof wrong, "%s takes %u arguments, not %u,", p->item->text, p->item->nargs, n);
    return complain(r, wrong);
}

static bool operation_read(scenario_reader *r, planned_list *l) {
    size_t n = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_') n++;
    if (!n) return complain(r, "expected an operation, ':' or '|'");
    if (l->count == LIST_MAX) return complain(r, "more than 64 operations of one thread");
    planned *p = &l->op[l->count];
    INVARIANT(!p->item);
    for (const plumb_item *i = r->items; i; i = i->next)
        if (i->kind == PLUMB_ITEM_OPERATION && strlen(i->text) == n && !strncmp(i->text, r->at, n))
            p->item = (plumb_item *)(uintptr_t)i;
    if (!p->item) return complain(r, "no such operation is declared with PLUMB_OP");
    r->at += n;
    INVARIANT(l->count < LIST_MAX);
    l->count++;
    return arguments_read(r, p);
}

static bool list_read(scenario_reader *r, planned_list *l) {
    for (blanks_skip(r); *r->at && *r->at != '|' && *r->at != ':'; blanks_skip(r))
        if (!operation_read(r, l)) return false;
    return true;
}

static bool after_read(scenario_reader *r, scenario *s) {
    r->at++;
    return list_read(r, &s->after) && (!*r->at || complain(r, "expected the end"));
}

static bool threads_read(scenario_reader *r, scenario *s) {
    if (!list_read(r, &s->thread[0])) return false;
    if (*r->at == ':') {
        s->initial = s->thread[0];
        memset(&s->thread[0], 0, sizeof s->thread[0]);
        r->at++;
        if (!list_read(r, &s->thread[0])) return false;
    }
    for (s->threads = 1; *r->at; s->threads++) {
        if (*r->at == ':') return after_read(r, s);
        if (s->threads == THREADS_MAX - 1) return complain(r, "too many threads");
        r->at++;
        if (!list_read(r, &s->thread[s->threads])) return false;
    }
    if (s->threads == 1 && !s->thread[0].count) s->threads = 0;
    return true;
}

static bool list_has(const planned_list *l, const char *role) {
    for (unsigned i = 0; i < l->count; i++)
        if (role_has(role, l->op[i].item->text)) return true;
    return false;
}

/* PLUMB_ONE_THREAD: the operations are for one thread only. */
static bool contracts_hold(scenario_reader *r, const scenario *s) {
    for (const plumb_item *i = r->items; i; i = i->next) {
        unsigned users = 0;
        if (i->kind != PLUMB_ITEM_ONE_THREAD) continue;
        for (unsigned t = 0; t < s->threads; t++) users += list_has(&s->thread[t], i->text);
        if (users < 2) continue;
        const bool several = strchr(i->text, ',') != NULL;
        snprintf(r->wrong, r->room, "threads \"%s\": %s %s for one thread only (%s:%u), and %u use %s", r->text,
                 i->text, several ? "are" : "is", i->file, i->line, users, several ? "them" : "it");
        return false;
    }
    return true;
}

static bool list_mentions(const planned_list *l, int64_t v) {
    for (unsigned i = 0; i < l->count; i++)
        for (unsigned k = 0; k < l->op[i].item->nargs; k++)
            if (l->op[i].arg[k] == v) return true;
    return false;
}

static bool value_is_private(const scenario *s, unsigned thread, int64_t v) {
    bool elsewhere = list_mentions(&s->initial, v) || list_mentions(&s->after, v);
    for (unsigned t = 0; t < s->threads; t++) elsewhere |= t != thread && list_mentions(&s->thread[t], v);
    return !elsewhere;
}

/* Equal up to an exchange of values that no other thread mentions: then exchanging the two threads, and the values,
 * changes nothing else. */
static bool threads_interchangeable(const scenario *s, unsigned a, unsigned b) {
    const planned_list *x = &s->thread[a], *y = &s->thread[b];
    if (x->count != y->count) return false;
    int64_t from[LIST_MAX * OPERATION_ARGS], to[LIST_MAX * OPERATION_ARGS];
    unsigned pairs = 0;
    for (unsigned i = 0; i < x->count; i++) {
        if (x->op[i].item != y->op[i].item) return false;
        for (unsigned k = 0; k < x->op[i].item->nargs; k++) {
            int64_t v = x->op[i].arg[k], w = y->op[i].arg[k];
            if (v != w && (!value_is_private(s, a, v) || !value_is_private(s, b, w))) return false;
            for (unsigned p = 0; p < pairs; p++)
                if ((from[p] == v) != (to[p] == w)) return false;
            INVARIANT(pairs < LIST_MAX * OPERATION_ARGS);
            from[pairs] = v;
            to[pairs++] = w;
        }
    }
    return true;
}

static void groups_find(scenario *s) {
    uint8_t groups = 0;
    for (unsigned a = 0; a < s->threads; a++) {
        if (s->group[a]) continue;
        for (unsigned b = a + 1; b < s->threads; b++) {
            if (s->group[b] || !threads_interchangeable(s, a, b)) continue;
            if (!s->group[a]) s->group[a] = ++groups;
            s->group[b] = s->group[a];
        }
    }
}

static bool symmetry_declared(const plumb_item *items) {
    for (; items; items = items->next)
        if (items->kind == PLUMB_ITEM_SYMMETRY) return true;
    return false;
}

scenario *scenario_parse(const char *words, const plumb_item *items, char *wrong, size_t room) {
    scenario *s = calloc(1, sizeof *s);
    scenario_reader r = {words, words, items, wrong, room};
    *wrong = 0;
    if (s && threads_read(&r, s) && contracts_hold(&r, s)) {
        if (symmetry_declared(items)) groups_find(s);
        return s;
    }
    free(s);
    return NULL;
}

void scenario_free(scenario *s) { free(s); }
unsigned scenario_threads(const scenario *s) { return s->threads; }
unsigned scenario_group(const scenario *s, unsigned thread) { return s->group[thread]; }

/* What an operation returned is recorded; left on the stack it would tell states apart (state.h). */
static __attribute__((noinline)) void operation_run(const planned *o) {
    plumb_value v = plumb_operation_run(o->item, o->arg);
    memset(&v, 0, sizeof v);
    __asm__ volatile("" ::"r"(&v) : "memory");
}

static void list_run(const planned_list *l) {
    for (unsigned i = 0; i < l->count; i++) {
        operation_run(&l->op[i]);
        stack_clean();
    }
}

void scenario_run_before(const scenario *s) {
    items_run(PLUMB_ITEM_SETUP);
    list_run(&s->initial);
    invariants_check();
}
void scenario_run_thread(const scenario *s, unsigned thread) {
    INVARIANT(thread < s->threads);
    list_run(&s->thread[thread]);
}
void scenario_run_after(const scenario *s) {
    list_run(&s->after);
    invariants_check();
    items_run(PLUMB_ITEM_FINAL);
    items_run(PLUMB_ITEM_TEARDOWN);
}
bool scenario_has_after(const scenario *s) {
    return s->after.count || items_have(PLUMB_ITEM_INVARIANT) || items_have(PLUMB_ITEM_FINAL) ||
           items_have(PLUMB_ITEM_TEARDOWN);
}
