/* Picking the operations about a few values out of a long history, without telling all the others apart.
 *
 * For objects each operation of which is about one value: its first argument or, where it has none, its result. */
#ifndef PLUMB_OBJECT_ABOUT_H
#define PLUMB_OBJECT_ABOUT_H

#include "object/object.h"

/* Of these operations (ascending): those in `focus` (ascending, some of them), all about the values that these are
 * about, and all of which it is not known what they are about. Ascending; to be freed. */
uint32_t *operations_about(const history *h, const uint32_t *op, uint32_t n, const uint32_t *focus, uint32_t focus_n,
                           uint32_t *count);

/* The same, when all other operations may leave the history (object/leave_out.h) by what the object declares
 * (`by_value`). NULL: that is not said. */
uint32_t *object_narrow(const object *o, const history *h, const uint32_t *op, uint32_t n, const uint32_t *focus,
                        uint32_t focus_n, uint32_t *count);

#endif
