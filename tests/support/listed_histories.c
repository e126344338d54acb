#include "support/listed_histories.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_operation(const char **at, listed_operation *o) {
    unsigned thread, method;
    int used = 0;
    memset(o, 0, sizeof *o);
    if (sscanf(*at, "%u,%u,%" SCNd64 ",%" SCNx64 ",%c%n", &thread, &method, &o->arg, &o->before, &o->kind, &used) != 5)
        return false;
    o->thread = (uint8_t)thread;
    o->method = (uint8_t)method;
    if ((*at)[used] != ' ') o->result = strtoll(*at + used, NULL, 10);
    *at += used;
    *at += strcspn(*at, " ");
    *at += **at == ' ';
    return true;
}

static bool read_history(const char *line, listed_history *h) {
    memset(h, 0, sizeof *h);
    while (*line) {
        if (h->n == LISTED_OPERATIONS || !read_operation(&line, &h->op[h->n])) return false;
        if (h->op[h->n++].thread >= LISTED_THREADS) return false;
    }
    return true;
}

static listed_history *one_more(listed_histories *s) {
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->at = MEM_GROW(s->at, listed_history, s->room);
    }
    return &s->at[s->n++];
}

void listed_add(void *set, const char *line) {
    listed_histories *s = set;
    if (!line) {
        s->n = 0;
        return;
    }
    if (!read_history(line, one_more(s))) {
        s->n--;
        s->too_long = true;
    }
}

listed_histories listed_copy(const listed_histories *s) {
    listed_histories c = {.n = s->n, .room = s->n, .too_long = s->too_long};
    c.at = MEM_ARRAY(listed_history, s->n + 1);
    if (s->n) memcpy(c.at, s->at, s->n * sizeof *s->at);
    return c;
}

void listed_free(listed_histories *s) {
    free(s->at);
    *s = (listed_histories){0};
}

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(listed_history)); }

static void sort(listed_histories *s) {
    uint32_t n = 0;
    if (!s->n) return;
    qsort(s->at, s->n, sizeof *s->at, compare);
    for (uint32_t i = 0; i < s->n; i++)
        if (!i || compare(&s->at[i], &s->at[n - 1])) s->at[n++] = s->at[i];
    s->n = n;
}

/* ---- renaming ---- */

typedef struct naming {
    uint8_t thread[LISTED_THREADS]; /* old -> new */
    int64_t from[LISTED_OPERATIONS], to[LISTED_OPERATIONS];
    uint32_t values;
} naming;

static uint32_t first_of(const listed_history *h, unsigned thread) {
    uint32_t i = 0;
    while (i < h->n && h->op[i].thread < thread) i++;
    return i;
}

static uint32_t count_of(const listed_history *h, unsigned thread) {
    return first_of(h, thread + 1) - first_of(h, thread);
}

static bool mentioned_elsewhere(const listed_history *h, unsigned thread, int64_t v) {
    for (uint32_t i = 0; i < h->n; i++)
        if (h->op[i].thread != thread && h->op[i].arg == v) return true;
    return false;
}

/* Thread a becomes b: the values of b take the place of a's. */
static bool map_thread(const listed_history *h, unsigned a, unsigned b, naming *m) {
    uint32_t x = first_of(h, a), y = first_of(h, b), n = count_of(h, a);
    if (n != count_of(h, b)) return false;
    for (uint32_t i = 0; i < n; i++) {
        const listed_operation *o = &h->op[x + i], *p = &h->op[y + i];
        if (o->method != p->method) return false;
        if (o->arg != p->arg && (mentioned_elsewhere(h, a, o->arg) || mentioned_elsewhere(h, b, p->arg))) return false;
        for (uint32_t k = 0; k < m->values; k++)
            if (m->from[k] == o->arg && m->to[k] != p->arg) return false;
        m->from[m->values] = o->arg;
        m->to[m->values++] = p->arg;
    }
    m->thread[a] = (uint8_t)b;
    return true;
}

static int64_t renamed(const naming *m, int64_t v) {
    for (uint32_t k = 0; k < m->values; k++)
        if (m->from[k] == v) return m->to[k];
    return v;
}

static void rename_history(const listed_history *h, const naming *m, listed_history *out) {
    uint32_t number[LISTED_OPERATIONS], next[LISTED_THREADS];
    memset(out, 0, sizeof *out);
    out->n = h->n;
    for (unsigned t = 0; t < LISTED_THREADS; t++) next[m->thread[t]] = first_of(h, m->thread[t]);
    for (uint32_t i = 0; i < h->n; i++) number[i] = next[m->thread[h->op[i].thread]]++;
    for (uint32_t i = 0; i < h->n; i++) {
        listed_operation *o = &out->op[number[i]];
        const listed_operation *from = &h->op[i];
        o->thread = m->thread[from->thread];
        o->method = from->method;
        o->kind = from->kind;
        o->arg = renamed(m, from->arg);
        o->result = from->kind == 'i' ? renamed(m, from->result) : from->result;
        for (uint32_t k = 0; k < h->n; k++)
            if (from->before >> k & 1) o->before |= UINT64_C(1) << number[k];
    }
}

static void add_namings(listed_histories *out, const listed_history *h, unsigned t, unsigned taken, naming *m) {
    if (t == LISTED_THREADS || first_of(h, t) == h->n) {
        rename_history(h, m, one_more(out));
        return;
    }
    for (unsigned to = 1; to < LISTED_THREADS; to++) {
        naming kept = *m;
        if (!(taken >> to & 1) && map_thread(h, t, to, m)) add_namings(out, h, t + 1, taken | 1u << to, m);
        *m = kept;
    }
}

void listed_rename(listed_histories *s) {
    listed_histories all = {.too_long = s->too_long};
    for (uint32_t i = 0; i < s->n; i++) {
        naming m = {.values = 0};
        add_namings(&all, &s->at[i], 1, 1, &m);
    }
    listed_free(s);
    *s = all;
    sort(s);
}

/* ---- comparing ---- */

bool listed_equal(listed_histories *a, listed_histories *b) {
    sort(a);
    sort(b);
    return a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n * sizeof *a->at));
}

static bool is_stronger(const listed_history *strong, const listed_history *weak) {
    if (strong->n != weak->n) return false;
    for (uint32_t i = 0; i < strong->n; i++) {
        const listed_operation *s = &strong->op[i], *w = &weak->op[i];
        if (s->thread != w->thread || s->method != w->method || s->arg != w->arg || s->kind != w->kind ||
            s->result != w->result)
            return false;
        if (w->before & ~s->before) return false;
    }
    return true;
}

bool listed_dominate(const listed_histories *some, const listed_histories *all) {
    for (uint32_t i = 0; i < all->n; i++) {
        uint32_t k = 0;
        while (k < some->n && !is_stronger(&some->at[k], &all->at[i])) k++;
        if (k == some->n) return false;
    }
    for (uint32_t i = 0; i < some->n; i++) {
        uint32_t k = 0;
        while (k < all->n && compare(&some->at[i], &all->at[k])) k++;
        if (k == all->n) return false;
    }
    return true;
}
