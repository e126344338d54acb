/* Clocks, without a race: what another thread does in between is done at a moment that is chosen. */
#include "support/cmocka.h"

#include "runtime/record/recorder.h"
#include "support/record_run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- snapshots ---- */

enum { SLOTS = 64 };

static log_slot *slots;
static size_t page;
static unsigned interruptions;

/* The scanner has read the slots of the first page, the first among them, and looks at the second page: now the first
 * slot announces one operation, and then, because of it, one of the second page ten. */
static void announce_meanwhile(int number, siginfo_t *how, void *context) {
    (void)number, (void)how, (void)context;
    mprotect((char *)slots + page, page, PROT_READ | PROT_WRITE);
    slots[0].announced += 1;
    slots[page / sizeof *slots + 1].announced += 10;
    interruptions++;
}

static void a_snapshot_is_one_moment(void **unused) {
    (void)unused;
    page = (size_t)sysconf(_SC_PAGESIZE);
    log_header *h = mmap(NULL, sizeof *h, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    slots = mmap(NULL, SLOTS * sizeof *slots + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *h = (log_header){.slots = SLOTS, .used = SLOTS, .clock = PLUMB_CLOCK_SNAPSHOT};
    slots[0].announced = 100;
    struct sigaction mine = {.sa_sigaction = announce_meanwhile, .sa_flags = SA_SIGINFO}, before;
    sigaction(SIGSEGV, &mine, &before);
    snapshot_scanner s;
    scanner_init(&s, SLOTS);
    mprotect((char *)slots + page, page, PROT_NONE);
    uint64_t sum = clock_scan(h, slots, NULL, &s);
    sigaction(SIGSEGV, &before, NULL);
    assert_int_equal(interruptions, 1);
    assert_true(sum == 100 || sum == 101 || sum == 111); /* never without the first and with what followed it */
    scanner_free(&s);
    munmap(slots, SLOTS * sizeof *slots + page);
    munmap(h, sizeof *h);
}

/* ---- time stamps ---- */

static uint64_t now(void) { return clock_tsc_after() & UINT64_MAX >> PLUMB_STAMP_SHIFT; }

/* A call's stamp was taken after what came before the call, a return's after what came before the return. */
static void stamps_lie_in_between(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = "queue", .clock = PLUMB_CLOCK_TSC, .threads = 1};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_log *l = plumb_record_join(r);
    if (!l) print_message("%s\n", plumb_record_error(r));
    for (unsigned i = 0; l && i < 100000; i++) {
        uint64_t first = now();
        plumb_call_int(l, 0, i);
        const plumb_word *record = ((log_writer *)(void *)l)->record;
        uint64_t second = now();
        plumb_ret_none(l);
        uint64_t third = now(), call = record[2] >> PLUMB_STAMP_SHIFT, ret = record[3] >> PLUMB_STAMP_SHIFT;
        assert_true(first <= call && call <= second && second <= ret && ret <= third);
    }
    plumb_record_leave(l);
    plumb_record_close(r);
}

TEST_MAIN(TEST(a_snapshot_is_one_moment), TEST(stamps_lie_in_between))
