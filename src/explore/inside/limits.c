#include "explore/inside/limits.h"

#include "explore/inside/options.h"
#include "explore/inside/pure.h"

uint8_t limit_places[LIMIT_PLACES] PROCESS_STATE;
coverage limits_counted PROCESS_STATE;

void limits_clear(void) {
    memset(limit_places, 0, sizeof limit_places);
    limits_counted = (coverage){0};
}

static uint64_t foreign_objects(void) {
    size_t size;
    const char *names = program_opaque(&size);
    uint64_t n = 0;
    for (size_t i = 0; i < size; i++) n += names[i] == '\n';
    return n;
}

void limits_take(coverage *out) {
    const machine_race *race;
    coverage seen = limits_counted;
    for (unsigned i = 0; i < LIMIT_PLACES; i++) {
        seen.weak_orders +=
            (limit_places[i] & PLACE_WEAK_ORDER) != 0 && !options_now()->messages && !options_now()->buffers;
        seen.assembly += (limit_places[i] & PLACE_ASSEMBLY) != 0 && !options_now()->buffers;
        seen.spurious_places += (limit_places[i] & PLACE_SPURIOUS) != 0;
        seen.looks_skipped += (limit_places[i] & PLACE_LOOKS) == PLACE_LOOKS;
        seen.reuse_fixed += (limit_places[i] & PLACE_REUSE_FIXED) != 0;
    }
    seen.races_seen = machine_races(&race);
    seen.foreign = foreign_objects();
    coverage_join(out, &seen);
}
