/* Shapes of random histories for the container engines. */
#ifndef PLUMB_TESTS_CONTAINERS_H
#define PLUMB_TESTS_CONTAINERS_H

#include "support/engine_trial.h"

random_shape shape_container(random_source *r); /* at most 9 operations, mostly different values, often pending */

#endif
