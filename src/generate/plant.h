/* Planting a violation: results (or, seldom, an argument or a method) of a few operations of a linearizable history are
 * changed so that these operations alone have no linearization, whatever the others do. Each mutation's comment gives
 * the argument; "in" means between the add of a value and its remove in the order of the linearization. */
#ifndef PLUMB_GENERATE_PLANT_H
#define PLUMB_GENERATE_PLANT_H

#include "base/table.h"
#include "generate/generate.h"

#define NO_PLACE UINT32_MAX

typedef struct sighting { /* where a value of a part occurs */
    value key, v;
    uint32_t written; /* how often it is put in or written */
    uint32_t writer;  /* one operation that does */
    uint32_t removed; /* how often it is a remove's result */
    uint32_t remover;
} sighting;

struct planting {
    const object *o;
    history *h;
    sighting *seen;
    uint32_t sightings;
    table by_value; /* of a part: sightings */
    value fresh;    /* occurs nowhere, and greater than every integer that does */
};

enum { PLANT_WINDOW = 20000 }; /* how far a mutation looks around a place */

value plant_key(const planting *p, uint32_t i);
bool plant_is(const planting *p, uint32_t i, const char *method_name);
unsigned plant_role(const planting *p, uint32_t i);
value plant_arg(const planting *p, uint32_t i, unsigned a);
/* The only operation of i's part that writes v, and v is not initial; NO_PLACE: none, or several. */
uint32_t plant_only_writer(const planting *p, uint32_t i, value v);
/* The only one that removes it. */
uint32_t plant_only_remover(const planting *p, uint32_t i, value v);

/* The mutations, in files by the argument they rest on: results change as if at operation i; false: no place there. */
bool plant_fresh_value(planting *p, uint32_t i); /* plant_values.c */
bool plant_duplicate_remove(planting *p, uint32_t i);
bool plant_lost_value(planting *p, uint32_t i);
bool plant_wrong_order(planting *p, uint32_t i);
bool plant_disagreement(planting *p, uint32_t i);
bool plant_stale_read(planting *p, uint32_t i); /* plant_writes.c */
bool plant_lost_cas(planting *p, uint32_t i);
bool plant_lost_update(planting *p, uint32_t i); /* plant_counts.c */
bool plant_lost_element(planting *p, uint32_t i);
bool plant_phantom_element(planting *p, uint32_t i);
bool plant_double_hold(planting *p, uint32_t i);
bool plant_unseen_own(planting *p, uint32_t i); /* plant_together.c */
bool plant_taken_name(planting *p, uint32_t i);
bool plant_too_many_decisions(planting *p, uint32_t i);
bool plant_one_sided(planting *p, uint32_t i);
bool plant_forgotten(planting *p, uint32_t i);

#endif
