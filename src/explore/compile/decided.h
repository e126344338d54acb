/* Branches that are decided on some of the ways to them. clang gives each way through a loop's body a number, and
 * branches on it where they meet: on a way that sets the number the branch goes one way only, and what is read on the
 * other one is not live. */
#ifndef PLUMB_EXPLORE_COMPILE_DECIDED_H
#define PLUMB_EXPLORE_COMPILE_DECIDED_H

#include "explore/compile/liveness.h"

void follow_decided(function *f); /* of a function with its control flow: leads ways to decided branches past them */

#endif
