#include "explore/inside/buffers.h"
#include "explore/inside/handlers.h"
#include "explore/inside/snapshot.h"

#include "explore/inside/detail.h"
#include "explore/inside/shared.h"

#include <stdio.h>
#include <sys/mman.h>

enum { SNAPSHOTS_MAX = 4096 };
/* Bytes per step: copied in the time that a step takes to repeat. A snapshot is worth more where the driver said that
 * it will come back. */
enum { STEPS_APART = 6, BYTES_PER_STEP = 1024, STEPS_APART_FORESEEN = 2, BYTES_PER_STEP_FORESEEN = 2048 };
#define TAPE_ROOM ((size_t)64 << 20)
#define SNAPSHOT_ROOM (((size_t)256 << 10) + TAPE_BEHIND)

typedef struct snapshot {
    uint32_t steps;
    uint32_t own[THREADS_MAX]; /* where on the tape what the thread alone changes is */
    size_t from, end;          /* on the tape */
    size_t common;             /* where what threads do not change alone ends */
} snapshot;

static snapshot kept[SNAPSHOTS_MAX] PROCESS_STATE;
static uint32_t kept_count PROCESS_STATE;
static char *room PROCESS_STATE;
static bool unwanted PROCESS_STATE;
static bool forget PROCESS_STATE; /* what snapshots hold is no longer right */
static uint64_t taken_up PROCESS_STATE;
uint32_t snapshot_due_at PROCESS_STATE;
static const driver *owner PROCESS_STATE;       /* on whose path the snapshots are */
static uint32_t own[THREADS_MAX] PROCESS_STATE; /* the same bytes are in memory now, unless the thread has run since */

bool snapshots_open(char *wrong, size_t space) {
    room = mmap(NULL, TAPE_ROOM + SNAPSHOT_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
    if (room != MAP_FAILED) return true;
    snprintf(wrong, space, "no room for snapshots");
    return false;
}

/* Others may have written to its stack as well, once that was seen to be shared. */
static bool is_as_kept(const fiber *f, uint32_t where) {
    return !fiber_ran(f) && own[f->number] == where && f->stack_own != NOWHERE && f->tls_own != NOWHERE;
}

/* The sections of all small states of an execution, of every file: the linker names their bounds. */
extern char __start_execution_state[] HIDDEN, __stop_execution_state[] HIDDEN;
extern char __start_execution_counts[] HIDDEN, __stop_execution_counts[] HIDDEN;

static size_t execution_state_size(void) { return (size_t)(__stop_execution_state - __start_execution_state); }
static size_t execution_counts_size(void) { return (size_t)(__stop_execution_counts - __start_execution_counts); }

void execution_state_clear(void) {
    memset(__start_execution_state, 0, execution_state_size());
    memset(__start_execution_counts, 0, execution_counts_size());
}

void execution_state_hash(hash128 *h) { hash128_bytes(h, __start_execution_state, execution_state_size()); }

/* The list of all pieces, for both directions. The sections come first: the others look at what it says. */
static void copy_common(tape *t) {
    tape_copy(t, __start_execution_state, execution_state_size());
    tape_copy(t, __start_execution_counts, execution_counts_size());
    world_copy(t);
    fibers_copy(t);
    segments_copy(t);
    heap_copy(t);
    shared_copy(t);
    keys_copy(t);
    handlers_copy(t);
    exits_copy(t);
    windows_copy(t);
    if (options_now()->messages) messages_copy(t);
    if (options_now()->buffers) buffers_copy(t);
}

/* The larger a snapshot, the fewer of them. */
static void keep_next(const snapshot *s) {
    uint32_t bytes = (uint32_t)(s->end - s->from);
    snapshot_due_at =
        world_now()->steps + (driver_now()->foresees ? STEPS_APART_FORESEEN + bytes / BYTES_PER_STEP_FORESEEN
                                                     : STEPS_APART + bytes / BYTES_PER_STEP);
}

void snapshot_keep(void) {
    snapshot *s = &kept[kept_count], *below = kept_count ? s - 1 : NULL;
    size_t from = below ? below->end : 0;
    snapshot_due_at = UINT32_MAX;
    if (kept_count == SNAPSHOTS_MAX || from + SNAPSHOT_ROOM > TAPE_ROOM || execution_learned()) return;
    tape t = {.at = room + from, .end = room + from + SNAPSHOT_ROOM - TAPE_BEHIND, .keeping = true};
    s->steps = world_now()->steps;
    s->from = from;
    INVARIANT(!below || (below->steps < s->steps && below->from < below->common && below->common <= below->end));
    copy_common(&t);
    s->common = (size_t)(t.at - room);
    for (unsigned i = 0; i < world_now()->threads; i++) {
        fiber *f = fiber_at(i);
        bool old = below && is_as_kept(f, below->own[i]);
        s->own[i] = old ? below->own[i] : (uint32_t)(t.at - room);
        if (!old) fiber_keep_own(&t, f);
    }
    if (t.full) return;
    s->end = (size_t)(t.at - room);
    INVARIANT(s->end <= TAPE_ROOM && s->common <= s->end);
    kept_count++;
    memcpy(own, s->own, sizeof own);
    fibers_ran_set(0);
    keep_next(s);
}

#ifdef PLUMB_SELF_CHECKS
#define SELF_CHECK(condition) INVARIANT(condition)
/* What was restored, kept once more, is what was kept then. */
static bool common_is_as_kept(const snapshot *s) {
    char *again = room + TAPE_ROOM;
    tape t = {.at = again, .end = again + SNAPSHOT_ROOM - TAPE_BEHIND, .keeping = true};
    copy_common(&t);
    return !t.full && (size_t)(t.at - again) == s->common - s->from &&
           !memcmp(again, room + s->from, s->common - s->from);
}
#else
#define SELF_CHECK(condition) ((void)0)
#endif

static void bring_back(const snapshot *s) {
    tape t = {.at = room + s->from};
    copy_common(&t);
    INVARIANT((size_t)(t.at - room) == s->common); /* as much as was kept */
    INVARIANT(world_now()->steps == s->steps);
    for (unsigned i = 0; i < world_now()->threads; i++) {
        fiber *f = fiber_at(i);
        INVARIANT(s->own[i] < s->end);
        if (!is_as_kept(f, s->own[i])) fiber_bring_own(room + s->own[i], f);
    }
    SELF_CHECK(common_is_as_kept(s));
    memcpy(own, s->own, sizeof own);
    fibers_ran_set(0);
}

bool snapshot_resume(const driver *d) {
    bool wanted = d->knowns && !detail_wanted() && !unwanted, same = d == owner && wanted && !forget;
    owner = d;
    forget = false;
    while (kept_count && (!same || kept[kept_count - 1].steps >= d->knowns)) kept_count--;
    snapshot_due_at = wanted ? 0 : UINT32_MAX;
    if (!kept_count) {
        fibers_ran_set(~(thread_set)0);
        return false;
    }
    taken_up++;
    bring_back(&kept[kept_count - 1]);
    keep_next(&kept[kept_count - 1]);
    return true;
}

void snapshots_forget(void) { forget = true; }
void machine_snapshots(bool wanted) { unwanted = !wanted; }
uint64_t machine_taken_up(void) { return taken_up; }
