#include "report/scene.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "evidence/label.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    LABEL_COLUMNS = 30,
    GAP = 24,
    WIDE_GAP = 60,
    ROOM = 760,
    ROOM_MOST = 1080,
    POINT_GAP = 20,
    TEAR_ROOM = 30,
    TEAR_APART = 66,
    LETTER = 7,
    BAR_MARGIN = 18,
    STATE_MARGIN = 26
};

/* ---- what is shown ---- */

static void add_bar(scene *s, uint32_t op, bool context, uint32_t cut) {
    const history *h = s->h;
    assert(op < h->n);
    bar *b = &s->bar[s->bars++];
    *b = (bar){.op = op, .number = history_number(h, op), .context = context};
    b->open = history_pending(h, op) || (!context && h->ret[op] > cut);
    operation view;
    text all = {0};
    history_operation(h, op, &view);
    if (b->open) view.ret = RANK_NEVER;
    text_printf(&b->label, "#%u ", b->number);
    operation_print(s->o, &view, &all);
    label_shorten(&all, LABEL_COLUMNS, &b->label);
}

static bool among(const uint32_t *list, uint32_t n, uint32_t op) {
    for (uint32_t k = 0; k < n; k++)
        if (list[k] == op) return true;
    return false;
}

static int by_call(const void *a, const void *b) {
    uint32_t x = ((const bar *)a)->op, y = ((const bar *)b)->op;
    return x < y ? -1 : x > y;
}

/* ---- lanes ---- */

typedef struct lane_end {
    uint32_t client;
    uint32_t ret; /* of the last bar in it */
} lane_end;

static uint32_t find_lane(const lane_end *lane, uint32_t n, uint32_t client, uint32_t call) {
    for (uint32_t k = 0; k < n; k++)
        if (lane[k].client == client && lane[k].ret < call) return k;
    return n;
}

static void name_lane(scene *s, uint32_t lane, const bar *b) {
    if (!s->h->client) return;
    text_add(&s->lane[lane], "client ");
    label_value(s->o, history_client_name(s->h, b->op), &s->lane[lane]);
}

/* A client's operations are in one lane as long as they do not overlap. */
static void assign_lanes(scene *s) {
    lane_end *end = MEM_ARRAY(lane_end, s->bars);
    s->lane = mem_zero(s->bars + 1, sizeof *s->lane);
    for (uint32_t k = 0; k < s->bars; k++) {
        bar *b = &s->bar[k];
        uint32_t client = s->h->client ? history_client(s->h, b->op) : 0;
        uint32_t lane = find_lane(end, s->lanes, client, s->h->call[b->op]);
        assert(k == 0 || s->bar[k - 1].op < b->op); /* by call, each once */
        if (lane == s->lanes) name_lane(s, s->lanes++, b);
        end[lane] = (lane_end){client, b->open ? RANK_NEVER : s->h->ret[b->op]};
        b->lane = lane;
    }
    free(end);
}

void scene_open(scene *s, const history *h, const object *o, const uint32_t *op, uint32_t n, const uint32_t *context,
                uint32_t contexts, uint32_t cut) {
    *s = (scene){.h = h, .o = o};
    uint32_t ends = n > SCENE_OPERATIONS ? SCENE_OPERATIONS / 2 : n;
    s->bar = mem_zero(SCENE_OPERATIONS + contexts, sizeof *s->bar);
    s->point = mem_zero(SCENE_POINTS, sizeof *s->point);
    for (uint32_t k = 0; k < n; k++)
        if (k < ends || k + ends >= n) add_bar(s, op[k], false, cut);
    assert(s->bars <= n && s->bars <= SCENE_OPERATIONS);
    s->left_out = n - s->bars;
    for (uint32_t k = 0; k < contexts; k++)
        if (!among(op, n, context[k]) && !among(context, k, context[k])) add_bar(s, context[k], true, cut);
    qsort(s->bar, s->bars, sizeof *s->bar, by_call);
    assign_lanes(s);
    assert(s->lanes <= s->bars);
}

uint32_t scene_bar(const scene *s, uint32_t number) {
    for (uint32_t k = 0; k < s->bars; k++)
        if (s->bar[k].number == number) return k;
    return UINT32_MAX;
}

/* As early as calls and the points before allow: in an order that extends happens-before that is never behind the
 * return. */
point *scene_point(scene *s, uint32_t number) {
    uint32_t k = scene_bar(s, number);
    if (k == UINT32_MAX || s->points == SCENE_POINTS) return NULL;
    uint32_t slot = s->h->call[s->bar[k].op];
    if (s->points && s->point[s->points - 1].slot > slot) slot = s->point[s->points - 1].slot;
    point *p = &s->point[s->points++];
    *p = (point){.bar = k, .slot = slot};
    assert(s->bar[k].open || s->bar[k].context || slot < s->h->ret[s->bar[k].op]); /* between call and return */
    return p;
}

/* ---- places: one pass from left to right, in which everything takes the room that its words need */

typedef struct scene_mark {
    uint32_t rank;
    uint32_t behind; /* 0: the event itself; else it is the point of that number, from 1 */
    bar *bar;
    bool returns;
} scene_mark;

static int by_rank(const void *a, const void *b) {
    const scene_mark *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->behind < y->behind ? -1 : x->behind > y->behind;
}

static uint32_t gather_marks(const scene *s, scene_mark *m) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->bars; k++) {
        m[n++] = (scene_mark){.rank = s->h->call[s->bar[k].op], .bar = &s->bar[k]};
        if (!s->bar[k].open) m[n++] = (scene_mark){.rank = s->h->ret[s->bar[k].op], .bar = &s->bar[k], .returns = true};
    }
    for (uint32_t k = 0; k < s->points; k++) m[n++] = (scene_mark){.rank = s->point[k].slot, .behind = k + 1};
    qsort(m, n, sizeof *m, by_rank);
    return n;
}

static double letters(const text *t) { return (double)utf8_columns(text_str(t), t->size) * LETTER; }
static double later(double a, double b) { return a > b ? a : b; }

/* Behind the words of what is open there, so that they are not torn. */
static double behind_labels(const scene *s, uint32_t rank, double x) {
    for (uint32_t k = 0; k < s->bars; k++) {
        const bar *b = &s->bar[k];
        if (s->h->call[b->op] < rank && (b->open || s->h->ret[b->op] >= rank))
            x = later(x, b->x0 + letters(&b->label) + BAR_MARGIN);
    }
    return x;
}

static double place_event(scene *s, const scene_mark *m, double gap, double x, uint32_t skipped) {
    assert(m->bar && !m->behind);
    x += gap;
    if (skipped) {
        if (!s->tight) x = behind_labels(s, m->rank, x);
        if (s->tears) x = later(x, s->tear[s->tears - 1].x + TEAR_APART);
        s->tear[s->tears++] = (tear){.x = x, .events = skipped};
        x += TEAR_ROOM;
    }
    if (!m->returns) return m->bar->x0 = x;
    return m->bar->x1 = later(x, m->bar->x0 + letters(&m->bar->label) + BAR_MARGIN);
}

static double place_point(scene *s, uint32_t k, double x) {
    assert(k < s->points);
    point *p = &s->point[k];
    x += POINT_GAP;
    if (k) x = later(x, p[-1].x + letters(&p[-1].state) + STATE_MARGIN);
    return p->x = x;
}

static double place_ends(scene *s, double x) {
    double end = x + GAP;
    for (uint32_t k = 0; k < s->bars; k++)
        if (s->bar[k].open) end = later(end, s->bar[k].x0 + letters(&s->bar[k].label) + BAR_MARGIN + GAP);
    if (s->points) end = later(end, s->point[s->points - 1].x + letters(&s->point[s->points - 1].state) + STATE_MARGIN);
    for (uint32_t k = 0; k < s->bars; k++)
        if (s->bar[k].open) s->bar[k].x1 = end;
    return end;
}

static void place_marks(scene *s, const scene_mark *m, uint32_t n, uint32_t cut, double gap) {
    uint32_t last = 0;
    double x = 0;
    bool any = false;
    s->tears = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (m[k].behind) {
            x = place_point(s, m[k].behind - 1, x);
            continue;
        }
        if (any && m[k].rank > cut && last <= cut) {
            s->cut_x = x + GAP / 2;
            x += GAP;
        }
        assert(!any || m[k].rank > last); /* each event of the history is one mark */
        x = place_event(s, &m[k], gap, x, any ? m[k].rank - last - 1 : m[k].rank);
        last = m[k].rank;
        any = true;
    }
    s->width = place_ends(s, x);
}

void scene_place(scene *s, uint32_t cut) {
    scene_mark *m = MEM_ARRAY(scene_mark, 2 * s->bars + s->points + 1);
    uint32_t n = gather_marks(s, m);
    assert(n <= 2 * s->bars + s->points && !s->tear); /* placed once */
    double gap = later(GAP, (double)ROOM / (n + 1));
    s->tear = mem_zero(n + 1, sizeof *s->tear);
    place_marks(s, m, n, cut, gap < WIDE_GAP ? gap : WIDE_GAP);
    s->tight = s->width > ROOM_MOST;
    if (s->tight) place_marks(s, m, n, cut, GAP);
    free(m);
}

void scene_close(scene *s) {
    for (uint32_t k = 0; k < s->bars; k++) text_free(&s->bar[k].label);
    for (uint32_t k = 0; k < s->points; k++) text_free(&s->point[k].state);
    for (uint32_t k = 0; k < s->lanes; k++) text_free(&s->lane[k]);
    FREE_ALL(s->bar, s->point, s->tear, s->lane);
    *s = (scene){0};
}
