/* Certificates of a run that does not end, written while it runs: a folder of segments, each a file of bounded size.
 *
 *     plumb_segments_options o = {.struct_size = sizeof o, .folder = "run"};
 *     plumb_segments *s = plumb_guard_segments(g, &o);
 *     ...                                                  // the threads run
 *     plumb_segments_stop(s);                              // writes what is left
 *     plumb_segments_free(s);                              // then: plumb certify run
 *
 * A segment holds operations in the order in which they took effect, about five bytes each. It begins with the state in
 * which the one before ended, and with digests of what each client was answered until then: `plumb certify FOLDER`
 * checks each one, and that one goes on where the one before ended. A chain whose first segments were deleted holds
 * from the state its first one begins with.
 *
 * A thread of its own reads the logs, finds the order and writes; memory is bounded. The order of operations that
 * overlapped is chosen with `ahead` operations known that come later. When values stay inside the object for longer
 * than that, the choice can turn out wrong for what comes later; when the threads are too fast for it, it is left
 * behind; when an operation is not recorded, the state is unknown. In each of these cases the chain ends: what was
 * written holds, and plumb_segments_look says why there is no more. */
#ifndef PLUMBLINE_SEGMENTS_H
#define PLUMBLINE_SEGMENTS_H

#include <plumbline/guard.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLUMB_NO_PATIENCE UINT32_MAX

typedef struct plumb_segments plumb_segments;

typedef struct plumb_segments_options {
    size_t struct_size;  /* sizeof(plumb_segments_options): set it, zero the rest */
    const char *folder;  /* made if it is not there; must have no segments in it */
    uint32_t operations; /* of a segment; 0: 65536 */
    /* operations that are known before the order of others is settled, and four more for each value inside; 0: as
     * many as a segment has */
    uint32_t ahead;
    uint32_t keep; /* older segments than the last so many are deleted; 0: all are kept */
    /* microseconds that a thread which has no room left waits for this; 0: ten seconds. PLUMB_NO_PATIENCE: threads stay
     * wait-free, and the chain ends when they are too fast for it */
    uint32_t patience;
} plumb_segments_options;

typedef struct plumb_segments_status {
    size_t struct_size;
    uint64_t segments, operations; /* written */
    uint64_t excused;              /* operations that were open for too long: pending for ever */
    bool ended;                    /* there will be no more: plumb_segments_reason */
    size_t memory;                 /* bytes */
} plumb_segments_status;

/* Before the threads come: what is gone cannot be certified. Never NULL. When it cannot be started, `ended` is set. The
 * guard, or the recorder, must outlive it. */
PLUMB_API plumb_segments *plumb_guard_segments(plumb_guard *g, const plumb_segments_options *options);
PLUMB_API plumb_segments *plumb_record_segments(plumb_recorder *r, const plumb_segments_options *options);
PLUMB_API void plumb_segments_look(plumb_segments *s, plumb_segments_status *out);
/* Writes a last segment of all that has been recorded. False: the chain had ended before. */
PLUMB_API bool plumb_segments_stop(plumb_segments *s);
/* after stopping: why it ended before; "" otherwise */
PLUMB_API const char *plumb_segments_reason(const plumb_segments *s);
PLUMB_API void plumb_segments_free(plumb_segments *s);

#ifdef __cplusplus
}
#endif
#endif
