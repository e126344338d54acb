#include "drive/fault_kinds.h"

#include "drive/node_clock.h"
#include "drive/node_disk.h"

#include <signal.h>

#define ANSWER_SECONDS 60
#define RECOVERY_SECONDS 5

static keeper *keeper_of(const fault_place *p) { return p->service->keeper; }

/* ---- servers ---- */

static bool begin_kill(const fault_place *p, const fault_case *c, text *why) {
    return keeper_signal(keeper_of(p), c->target, SIGKILL, why);
}

static bool start_again(const fault_place *p, const fault_case *c, text *why) {
    return keeper_again(keeper_of(p), c->target, why) && service_wait(p->service, c->target, ANSWER_SECONDS, why);
}

static bool begin_pause(const fault_place *p, const fault_case *c, text *why) {
    return keeper_signal(keeper_of(p), c->target, SIGSTOP, why);
}

static bool end_pause(const fault_place *p, const fault_case *c, text *why) {
    return keeper_signal(keeper_of(p), c->target, SIGCONT, why);
}

/* ---- clients: of programs the process, of drivers a thread of ours, which stops between two operations ---- */

static bool signal_client(const fault_place *p, const fault_case *c, int number) {
    return keeper_signal(keeper_of(p), KEEPER_NODES + c->target, number, NULL);
}

/* Between two of its programs there is none. */
static bool begin_kill_client(const fault_place *p, const fault_case *c, text *why) {
    (void)why;
    return signal_client(p, c, SIGKILL);
}

/* The load starts another program. */
static bool end_kill_client(const fault_place *p, const fault_case *c, text *why) {
    (void)p, (void)c, (void)why;
    return true;
}

static bool begin_pause_client(const fault_place *p, const fault_case *c, text *why) {
    (void)why;
    if (p->service->settings.clients_die) return signal_client(p, c, SIGSTOP);
    load_hold(p->load, c->target, true);
    return true;
}

static bool end_pause_client(const fault_place *p, const fault_case *c, text *why) {
    (void)why;
    if (p->service->settings.clients_die) signal_client(p, c, SIGCONT); /* it may have been ended */
    else load_hold(p->load, c->target, false);
    return true;
}

/* ---- links ---- */

/* Nodes of the set are not heard by the others any more, and with `both` do not hear them. */
static bool cut(const fault_place *p, const fault_case *c, bool both, text *why) {
    for (uint32_t a = 0; a < p->service->nodes; a++)
        for (uint32_t b = 0; b < p->service->nodes; b++) {
            if (!(c->target >> a & 1) || c->target >> b & 1) continue;
            if (!keeper_cut(keeper_of(p), a, b, why)) return false;
            if (both && !keeper_cut(keeper_of(p), b, a, why)) return false;
        }
    return true;
}

static bool begin_partition(const fault_place *p, const fault_case *c, text *why) { return cut(p, c, true, why); }
static bool begin_one_way(const fault_place *p, const fault_case *c, text *why) { return cut(p, c, false, why); }

static bool join(const fault_place *p, const fault_case *c, text *why) {
    (void)c;
    return keeper_join(keeper_of(p), why);
}

static unsigned delay_of(const fault_case *c) { return 10 + c->size / 5; } /* milliseconds */
static unsigned loss_of(const fault_case *c) { return 5 + c->size / 25; }  /* in a hundred */

static bool impair(const fault_place *p, const fault_case *c, unsigned delay, unsigned loss, text *why) {
    for (uint32_t n = 0; n < p->service->nodes; n++)
        if (c->target >> n & 1 && !keeper_impair(keeper_of(p), n, delay, loss, why)) return false;
    return true;
}

static bool begin_slow(const fault_place *p, const fault_case *c, text *why) {
    return impair(p, c, delay_of(c), 0, why);
}

static bool begin_lossy(const fault_place *p, const fault_case *c, text *why) {
    return impair(p, c, 0, loss_of(c), why);
}

static void say_delay(const fault_case *c, text *out) { text_printf(out, " by %u ms", delay_of(c)); }
static void say_loss(const fault_case *c, text *out) { text_printf(out, " by %u %%", loss_of(c)); }

/* ---- clocks ---- */

/* Back or forth, by a second to ten minutes. */
static int jump_of(const fault_case *c) {
    int seconds = 1 + (int)(c->size / 2) * (int)(c->size / 2) / 416;
    return c->size & 1 ? seconds : -seconds;
}

static bool begin_clock(const fault_place *p, const fault_case *c, text *why) {
    return node_clock_set(p->service->settings.folder, c->target, jump_of(c), why);
}

static bool end_clock(const fault_place *p, const fault_case *c, text *why) {
    return node_clock_set(p->service->settings.folder, c->target, 0, why);
}

static void say_jump(const fault_case *c, text *out) { text_printf(out, " by %+d s", jump_of(c)); }

/* ---- disks ---- */

static bool begin_full(const fault_place *p, const fault_case *c, text *why) {
    return node_disk_fill(p->service->settings.folder, c->target, why);
}

/* Many servers end when they cannot write; others (JetStream) go on and write nothing more until they are started
 * again, as an operator would do who has made room. */
static bool end_full(const fault_place *p, const fault_case *c, text *why) {
    text ended = {0};
    if (!node_disk_free(p->service->settings.folder, c->target, why)) return false;
    const bool lives = keeper_lives(keeper_of(p), c->target, &ended);
    const bool good = (lives && service_wait(p->service, c->target, RECOVERY_SECONDS, &ended)) ||
                      ((!lives || begin_kill(p, c, why)) && start_again(p, c, why));
    text_free(&ended);
    return good;
}

const fault_kind fault_kinds[FAULT_KINDS] = {
    {"kill", FAULT_OF_NODE, 0, begin_kill, start_again, NULL, false},
    {"pause", FAULT_OF_NODE, 0, begin_pause, end_pause, NULL, false},
    {"kill-client", FAULT_OF_CLIENT, 0, begin_kill_client, end_kill_client, NULL, true},
    {"pause-client", FAULT_OF_CLIENT, 0, begin_pause_client, end_pause_client, NULL, false},
    {"partition", FAULT_OF_LINKS, FAULT_NETWORK, begin_partition, join, NULL, false},
    {"partition-one-way", FAULT_OF_LINKS, FAULT_NETWORK, begin_one_way, join, NULL, false},
    {"slow", FAULT_OF_LINKS, FAULT_NETWORK | FAULT_RELAY, begin_slow, join, say_delay, false},
    {"lossy", FAULT_OF_LINKS, FAULT_NETWORK | FAULT_RELAY, begin_lossy, join, say_loss, false},
    {"clock", FAULT_OF_NODE, FAULT_CLOCKS, begin_clock, end_clock, say_jump, false},
    {"disk-full", FAULT_OF_NODE, FAULT_DISKS, begin_full, end_full, NULL, false},
};
