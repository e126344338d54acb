/* What the registers have in common: the state is the one value they hold. */
#ifndef PLUMB_OBJECT_REGISTER_H
#define PLUMB_OBJECT_REGISTER_H

#include "object/object.h"

enum { REGISTER_WRITE, REGISTER_READ, REGISTER_METHODS };
enum { REGISTER_CAS = REGISTER_METHODS, REGISTER_SWAP }; /* of those that have more than these */
extern const method register_methods[REGISTER_METHODS];

void register_init(const object *o, state *s);
step_result register_step(const object *o, state *s, const operation *op, uint32_t choice, value *res);
void register_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out);
value register_brings(const object *o, const operation *op);
/* Of registers with compare-and-set, and maybe swap. */
void register_cas_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out);
value register_cas_brings(const object *o, const operation *op);
int register_looks_for(const object *o, const operation *op, value v[2]);
void register_describe(const object *o, const state *s, text *out);
void register_why_not(const object *o, const state *s, const operation *op, text *out);

#endif
