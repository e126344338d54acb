/* Inside of the saturation engine: what its frame (saturation.c) and the rules of the objects share. */
#ifndef PLUMB_ENGINE_SATURATE_SATURATION_RULES_H
#define PLUMB_ENGINE_SATURATE_SATURATION_RULES_H

#include "engine/saturate/saturation.h"
#include "history/value_map.h"

#define NO_SLOT UINT32_MAX
#define NOT_YET UINT64_MAX

typedef enum slot_kind { SLOT_ADD, SLOT_REMOVE, SLOT_EMPTY, SLOT_CELL } slot_kind;

typedef struct saturated { /* an operation, by slot */
    uint64_t number;
    uint64_t call, ret;                  /* on the saturation's clock; NOT_YET */
    uint32_t older, newer;               /* open operations that are waited for, by call */
    uint32_t older_remove, newer_remove; /* open removes, by call */
    value v;                             /* added or returned; the content written */
    uint32_t mate;                       /* the remove of an add, the add of a remove */
    uint32_t content, seen;              /* of a cell: numbers of what it writes and observes; NO_SLOT: nothing */
    uint8_t method;
    slot_kind kind;
    bool waited_for; /* open, and removal waits for it */
    bool ignored;    /* its return will not be looked at */
    uint64_t done;   /* since when it could be removed, but for what is open */
} saturated;

typedef struct rules {
    const char *objects; /* blank-separated */
    void (*init)(saturation *s);
    void (*free)(saturation *s);
    void (*call)(saturation *s, uint32_t x, const operation *op);
    void (*ret)(saturation *s, uint32_t x, value res);
    void (*drop)(saturation *s, uint32_t x);
    void (*pair)(saturation *s, uint32_t x, uint32_t y);  /* x is before y from now on */
    void (*remove)(saturation *s);                        /* whatever may be removed */
    void (*forget)(saturation *s, const uint64_t *which); /* these leave */
    bool (*give_up)(saturation *s, uint32_t x);           /* x is not waited for any longer; false: that cannot be */
    bool (*relieve)(saturation *s);                       /* removes more than the rule allows; false: nothing there */
    /* nothing is open: removes all it can; is all as in the beginning? */
    bool (*settle)(saturation *s);
    const char *(*doubt)(const saturation *s);
    void (*grow)(saturation *s, uint32_t old_words); /* masks have to become wider */
    size_t (*memory)(const saturation *s);
} rules;

/* The functions of rules that their file names as they are named here. */
#define RULES_FUNCTIONS \
    .init = init, .call = call, .ret = ret, .drop = drop, .pair = pair, .remove = remove_what_may_leave, \
    .forget = forget, .give_up = give_up, .relieve = relieve, .settle = settle, .doubt = doubt, .grow = grow, \
    .memory = memory

extern const rules container_rules, cell_rules;

typedef struct fifo { /* slots in order of some moment */
    uint32_t *at;
    uint32_t first, n, room; /* a ring */
} fifo;

struct saturation {
    const object *o;
    const rules *rules;
    saturation_settings settings;
    closure order;
    saturated *slot;
    uint32_t slot_room;
    uint64_t now;
    uint32_t oldest, newest; /* open operations that are waited for */
    fifo waiting;            /* done with, by the moment they were */
    uint64_t unreturned;     /* given up or pending for ever */
    uint64_t forced;         /* removed beyond the rule, because there were too many */
    saturation_state state;
    char why[120];
    void *own; /* of the rules */
};

void saturation_violation(saturation *s, const char *format, ...) TEXT_FORMAT(2, 3);
void saturation_stop(saturation *s, const char *format, ...) TEXT_FORMAT(2, 3);
/* x is before y: a violation when it cannot be. */
void saturation_order(saturation *s, uint32_t x, uint32_t y);
void saturation_forget(saturation *s, const uint64_t *which);
/* the call of the oldest operation that is waited for; NOT_YET: none */
uint64_t saturation_waits_since(const saturation *s);

void fifo_put(fifo *f, uint32_t x);
void fifo_take(fifo *f);
static inline uint32_t fifo_at(const fifo *f, uint32_t i) { return f->at[(f->first + i) & (f->room - 1)]; }

static inline bool saturation_goes_on(const saturation *s) { return s->state == SATURATION_GOES_ON; }

#endif
