/* A sketch and a checker together: what a verifier does, round by round, in a thread of the library or in the command.
 * Darkness is noticed, what
 * cannot be judged is counted and never called verified, and judging begins again when that is possible. */
#ifndef PLUMB_RUNTIME_WATCH_H
#define PLUMB_RUNTIME_WATCH_H

#include "runtime/record/readers.h"
#include "runtime/resync.h"

typedef enum watch_state {
    WATCH_CHECKING, /* everything is known */
    WATCH_GREY,     /* after the dark: some operations can be judged, others are left out */
    WATCH_BLIND,    /* the dark */
    WATCH_OVER      /* a violation was found, or nothing can be judged any more */
} watch_state;

typedef struct watch_counts {
    uint64_t checked; /* operations that returned and were judged */
    uint64_t grey;    /* recorded, left out after the dark, or while the checker did not know the state */
    uint64_t skipped; /* recorded, in the dark */
    uint64_t dark;    /* not recorded */
    uint64_t excused; /* open for too long: pending for ever */
    uint64_t rounds, darkenings;
    uint64_t expelled; /* times that the writers went on without this one */
    uint64_t open;     /* now */
    uint64_t behind;   /* records that wait to be read */
    size_t memory;
} watch_counts;

enum { WATCH_TIMED_OUT = 256, WATCH_LISTED = 100 };

typedef struct watch watch;

struct watch {
    recording *m;
    object *o;
    values *values;
    checker *check;
    checker_options options;
    sketch sketch;
    resync resync;
    watch_state state;
    watch_counts counts;
    uint64_t *dark;          /* by slot: the flag, as it was read last */
    uint64_t outsider_calls; /* as it was read last */
    ring_reader reader;
    bool outside;   /* was expelled, and is not back yet */
    bool was_clean; /* the last reading of the flags was even and unchanged */
    bool doubtful;  /* something was not judged: there will be no `linearizable` */
    /* Operations that were read and will never return, but may take effect at any time: some of reader.ghosts. */
    sketched timed_out[WATCH_TIMED_OUT];
    uint32_t timed_out_n;
    /* The caller's, after watch_init. */
    bool go_on; /* after a violation: as after the dark */
    bool adapt; /* when it is far behind, half of the keys leave the sample; only if watch_can_adapt */
    void (*found)(watch *w, void *context); /* each violation, while its witness can be written; or NULL */
    void *context;
    /* With go_on: what was found so far. `verdict` is that of the first at the end. */
    char (*violation)[320]; /* the first WATCH_LISTED */
    uint64_t violations;
    uint64_t sampled; /* keys whose hash is at most this are judged: as the header said last */
    bool *left_out;   /* by slot: its open call is of a key that is not */
    uint64_t too_far; /* records behind: with so many the sample becomes smaller; 0: as in the beginning */
    verdict verdict;
    char reason[320];
    error error;
};

/* Beside others that read the same recording, or after them. False: watch_reason says why. */
bool watch_init(watch *w, recording *m, const checker_options *options);
void watch_free(watch *w);
uint64_t watch_round(watch *w);  /* returns the number of events that were read */
void watch_settle(watch *w);     /* decides what was put off */
verdict watch_verdict(watch *w); /* for the last time: VERDICT_LINEARIZABLE: everything so far was judged */
const char *watch_reason(const watch *w);
void watch_look(const watch *w, watch_counts *out);
bool watch_can_adapt(const watch *w);                           /* keys can leave its sample */
uint64_t watch_sample(const watch *w);                          /* one of so many keys or values is judged; 0: all */
bool watch_write_witness(watch *w, const char *path, error *e); /* a certificate of the violation */

#endif
