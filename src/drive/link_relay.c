#include "drive/link_relay.h"

#include "base/random.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    VIRTIO_HEADER = 10, /* struct virtio_net_hdr: checksums and sizes that a network card would fill in */
    FRAME_ROOM = VIRTIO_HEADER + 14 + 65536,
    FRAMES = 4096,              /* that wait in one direction; more are dropped */
    CLIENT_ADDRESS = 0x0a6300fe /* 10.99.0.254 */
};
#define NANOSECONDS INT64_C(1000000000)

struct relay_setting {
    _Atomic uint32_t delay, loss;
};

typedef struct relay_frame {
    int64_t due;
    uint32_t size;
    unsigned char *bytes;
} relay_frame;

typedef struct relay_way { /* one direction of one link: first in, first out */
    int from, to;
    relay_frame frame[FRAMES];
    uint32_t first, count;
} relay_way;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NANOSECONDS + t.tv_nsec;
}

/* ---- frames ---- */

static uint32_t address_at(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Between two nodes: IPv4, and neither end is where the clients are. */
static bool is_between_nodes(const unsigned char *bytes, size_t size) {
    const unsigned char *frame = bytes + VIRTIO_HEADER;
    if (size < VIRTIO_HEADER + 14 + 20 || frame[12] != 8 || frame[13] != 0) return false;
    return address_at(frame + 26) != CLIENT_ADDRESS && address_at(frame + 30) != CLIENT_ADDRESS;
}

static void hand_on(const relay_way *w, const unsigned char *bytes, size_t size) {
    (void)!send(w->to, bytes, size, MSG_DONTWAIT); /* one that is lost is lost */
}

static void keep_frame(relay_way *w, const unsigned char *bytes, size_t size, int64_t due) {
    if (w->count == FRAMES) return;
    unsigned char *copy = malloc(size);
    if (!copy) return;
    memcpy(copy, bytes, size);
    w->frame[(w->first + w->count++) % FRAMES] = (relay_frame){due, (uint32_t)size, copy};
}

static void take_frames(relay_way *w, const relay_setting *s, random_source *r) {
    static unsigned char bytes[FRAME_ROOM];
    for (ssize_t n; (n = recv(w->from, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;) {
        uint32_t delay = atomic_load(&s->delay), loss = atomic_load(&s->loss);
        bool between = is_between_nodes(bytes, (size_t)n);
        if (between && loss && random_below(r, 100) < loss) continue;
        if (between && (delay || w->count)) keep_frame(w, bytes, (size_t)n, now() + delay * INT64_C(1000000));
        else hand_on(w, bytes, (size_t)n);
    }
}

/* Those that are due, in their order. */
static void give_frames(relay_way *w, int64_t moment) {
    while (w->count && w->frame[w->first].due <= moment) {
        relay_frame *f = &w->frame[w->first];
        hand_on(w, f->bytes, f->size);
        free(f->bytes);
        w->first = (w->first + 1) % FRAMES;
        w->count--;
    }
}

/* ---- the process ---- */

static int open_end(const char *format, unsigned link) {
    char name[16];
    int one = 1, fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    snprintf(name, sizeof name, format, link + 1);
    unsigned index = if_nametoindex(name);
    struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)index};
    struct packet_mreq all = {.mr_ifindex = (int)index, .mr_type = PACKET_MR_PROMISC};
    if (fd >= 0 && index && !setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) &&
        !setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) &&
        !setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) &&
        !bind(fd, (struct sockaddr *)&to, sizeof to))
        return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static int64_t next_due(const relay_way *way, unsigned ways) {
    int64_t due = INT64_MAX;
    for (unsigned i = 0; i < ways; i++)
        if (way[i].count && way[i].frame[way[i].first].due < due) due = way[i].frame[way[i].first].due;
    return due;
}

_Noreturn static void relay(relay_way *way, unsigned ways, const relay_setting *setting) {
    struct pollfd look[2 * RELAY_LINKS];
    random_source r = {.s = 1};
    for (unsigned i = 0; i < ways; i++) look[i] = (struct pollfd){.fd = way[i].from, .events = POLLIN};
    for (;;) {
        int64_t due = next_due(way, ways), wait = due == INT64_MAX ? NANOSECONDS : due - now();
        struct timespec t = {.tv_sec = wait > 0 ? wait / NANOSECONDS : 0, .tv_nsec = wait > 0 ? wait % NANOSECONDS : 0};
        if (ppoll(look, ways, &t, NULL) < 0 && errno != EINTR) _exit(1);
        for (unsigned i = 0; i < ways; i++) {
            if (look[i].revents) take_frames(&way[i], &setting[i / 2], &r);
            give_frames(&way[i], now());
        }
    }
}

bool link_relay_start(link_relay *r, unsigned links, char *why, size_t size) {
    assert(links <= RELAY_LINKS && !r->setting);
    relay_way *way = calloc(2 * (size_t)links, sizeof *way);
    r->setting = mmap(NULL, links * sizeof *r->setting, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool good = way && r->setting != MAP_FAILED;
    for (unsigned i = 0; i < links && good; i++) {
        int node = open_end("v%u", i), bridge = open_end("p%u", i);
        way[2 * i].from = way[2 * i + 1].to = node;
        way[2 * i].to = way[2 * i + 1].from = bridge;
        good = node >= 0 && bridge >= 0;
    }
    if (!good) snprintf(why, size, "no relay of links: %s", strerror(errno));
    pid_t child = good ? fork() : -1;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        relay(way, 2 * links, r->setting);
    }
    for (unsigned i = 0; way && i < links; i++) {
        if (way[2 * i].from > 0) close(way[2 * i].from);
        if (way[2 * i].to > 0) close(way[2 * i].to);
    }
    free(way);
    return child > 0;
}

bool link_relay_set(link_relay *r, unsigned link, unsigned delay, unsigned loss) {
    if (!r->setting) return false;
    atomic_store(&r->setting[link].delay, delay);
    atomic_store(&r->setting[link].loss, loss);
    return true;
}
