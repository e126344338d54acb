/* The small picture: a few operations of a history as bars, a lane for each client, on a folded axis of time.
 *
 *     client 1   [#0 enq(1)]    ~    (3)[#3 deq() -> 2]
 *     client 2           [#1 enq(2)] ~
 *     state           1: [1]   2: [1 2]
 *
 * Only what is shown has room on the axis; where events were left out it is torn (~). Points are where operations take
 * effect in an order: a witness, or an order that leads nowhere. */
#ifndef PLUMB_REPORT_SCENE_H
#define PLUMB_REPORT_SCENE_H

#include "object/object.h"

typedef struct bar {
    uint32_t op; /* of the history */
    uint32_t number;
    uint32_t lane;
    double x0, x1;
    bool open;    /* has no return in the picture */
    bool context; /* not of the core, but mentioned */
    bool refused; /* cannot come next */
    text label;
} bar;

typedef struct point {
    uint32_t bar;
    uint32_t slot; /* the rank it comes behind */
    double x;
    text state; /* of the object, behind it */
} point;

typedef struct tear {
    double x;
    uint32_t events; /* left out there */
} tear;

typedef struct scene {
    const history *h;
    const object *o;
    bar *bar; /* by call */
    uint32_t bars;
    uint32_t left_out; /* operations between the first and the last ones shown */
    point *point;
    uint32_t points;
    tear *tear;
    uint32_t tears;
    text *lane; /* names */
    uint32_t lanes;
    double width;
    bool tight;   /* there is no room to spare */
    double cut_x; /* 0: nothing is shown behind the cut */
} scene;

enum { SCENE_OPERATIONS = 48, SCENE_POINTS = 24 };

/* Operations ascending, at most SCENE_OPERATIONS of them are shown: the first and the last ones. What returns after
 * `cut` is open, unless it is context. */
void scene_open(scene *s, const history *h, const object *o, const uint32_t *op, uint32_t n, const uint32_t *context,
                uint32_t contexts, uint32_t cut);
uint32_t scene_bar(const scene *s, uint32_t number); /* UINT32_MAX: not shown */
point *scene_point(scene *s, uint32_t number);       /* the next in order; NULL: it is not shown, or there are enough */
void scene_place(scene *s, uint32_t cut);            /* when all points are known: gives everything its place */
void scene_close(scene *s);

#endif
