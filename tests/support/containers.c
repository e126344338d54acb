#include "support/containers.h"

random_shape shape_container(random_source *r) {
    random_shape s = shape_small(r);
    if (random_chance(r, 0.8)) s.values = 0;
    s.operations = 4 + random_below(r, 6);
    if (random_chance(r, 0.3)) s.pending = 0.5;
    s.spoil = random_chance(r, 0.3) ? 0 : 0.85;
    return s;
}
