/* The operations of a run that no segment holds yet (segments.c): read from a sketch, put in an order by the engines,
 * and cut off in front, in that order, where the next segment ends. */
#ifndef PLUMB_RUNTIME_WINDOW_H
#define PLUMB_RUNTIME_WINDOW_H

#include "evidence/segment.h"
#include "runtime/sketch.h"

typedef struct kept_operation {
    uint64_t arg[HISTORY_MAX_ARGS], res; /* words; LOG_HANDLE: a value of the window's table */
    int64_t call, ret; /* numbers of events; below zero: it tells the state in which the segment before ended */
    value name;        /* of its client, in the table */
    uint8_t method, nargs, stands;
} kept_operation;

enum kept_stands { KEPT_OPEN, KEPT_RETURNED, KEPT_PENDING /* for ever */, KEPT_GONE /* failed, or written */ };

typedef struct segment_window {
    const log_header *h;
    values *values;
    kept_operation *told; /* tell the state in which the last segment ended */
    uint32_t carried;     /* so many */
    kept_operation *op;
    uint32_t n, room, returned;
    uint64_t excused;
    uint32_t *order; /* they took effect in this order; those before `cut` were written */
    uint32_t ordered, cut;
} segment_window;

void window_init(segment_window *w, const log_header *h);
void window_free(segment_window *w);

uint32_t window_call(segment_window *w, const sketched *op, uint64_t event); /* its place */
void window_return(segment_window *w, uint32_t place, const sketched *op, uint64_t event);
void window_excuse(segment_window *w, uint32_t place);

/* Finds an order of everything. False with the error set: there is none, or none was found. */
bool window_order(segment_window *w, error *e);
/* The next `most` operations of the order, or fewer: none that may still return. */
bool window_cut(segment_window *w, const char *path, uint32_t most, chain_link *link, uint32_t *written, error *e);
/* What was written is forgotten, and the order with it: `moved` gets the new places by the old ones, UINT32_MAX:
 * gone. */
void window_renew(segment_window *w, uint32_t *moved);

#endif
