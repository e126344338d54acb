/* The files of theories/, as the build puts them into the program. */
#ifndef PLUMB_THEORY_SHIPPED_H
#define PLUMB_THEORY_SHIPPED_H

#include "theory/theory.h"

extern const theory_file shipped_theories[]; /* ended by a NULL name */

#endif
