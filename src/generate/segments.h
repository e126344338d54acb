/* Relaxed containers as they are built: a k-FIFO queue and a k-stack keep their elements in segments of k+1; adds fill
 * the newest segment, removals take any element of the oldest (queue) or of the newest (stack). What they do is
 * quasi(k). A priority queue takes any element that quasi(k) allows. */
#ifndef PLUMB_GENERATE_SEGMENTS_H
#define PLUMB_GENERATE_SEGMENTS_H

#include "object/object.h"

/* From here on the object is simulated that way. False (EXIT_USAGE): there is no such thing as this object relaxed. */
bool segments_relax(object *o, uint32_t k, error *e);

#endif
