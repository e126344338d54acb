/* Which executions there are of code with atomics: docs/proofs/weak-memory.md. */
#ifndef PLUMB_EXPLORE_MODEL_MEMORY_MODEL_H
#define PLUMB_EXPLORE_MODEL_MEMORY_MODEL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum memory_model { MODEL_SC, MODEL_RA, MODEL_RC11, MODEL_TSO } memory_model;
#define MEMORY_MODELS "sc ra rc11 tso"

/* Memory orders as compilers number them: relaxed 0, consume 1, acquire 2, release 3, both 4, sequentially consistent
 * 5. */
enum { ORDER_RELAXED = 0, ORDER_ACQUIRE = 2, ORDER_RELEASE = 3, ORDER_SC = 5 };
static inline bool order_acquires(unsigned order) { return order == 1 || order == 2 || order >= 4; }
static inline bool order_releases(unsigned order) { return order >= 3; }

#endif
