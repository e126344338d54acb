#include "drive/world.h"

#include "base/random.h"
#include "drive/node_clock.h"
#include "drive/node_network.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Below the ports that the kernel hands out by itself, so that no connection takes one in between. */
enum { FIRST_PORT = 20000, LAST_PORT = 32000, PORT_TRIES = 2000 };

/* ---- options ---- */

const char *set_find(const char *set, const char *name, size_t *length) {
    size_t n = strlen(name);
    for (const char *p = set; p && *p;) {
        size_t word = strcspn(p, " ");
        if (word > n && !strncmp(p, name, n) && p[n] == '=') {
            *length = word - n - 1;
            return p + n + 1;
        }
        p += word;
        p += strspn(p, " ");
    }
    return NULL;
}

static const char *world_option(const plumb_world *w, const char *name) {
    world_details *d = w->private_details;
    size_t n;
    const char *given = set_find(d->set, name, &n);
    if (given) {
        snprintf(d->option, sizeof d->option, "%.*s", (int)n, given);
        return d->option;
    }
    for (uint32_t i = 0; i < d->driver->option_count; i++)
        if (!strcmp(d->driver->options[i].name, name)) return d->driver->options[i].standard;
    return "";
}

/* ---- addresses ---- */

static const char *world_host(const plumb_world *w, uint32_t node) {
    const world_details *d = w->private_details;
    assert(node < KEEPER_NODES);
    return d->host[node];
}

static uint16_t world_port(const plumb_world *w, uint32_t node, uint32_t which) {
    const world_details *d = w->private_details;
    assert(node < KEEPER_NODES && which < WORLD_PORTS);
    return d->port[node][which];
}

static bool is_free(uint16_t port) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
    int one = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    bool free = s >= 0 && !bind(s, (struct sockaddr *)&a, sizeof a);
    if (s >= 0) close(s);
    return free;
}

static bool taken_before(const world_details *d, uint16_t port) {
    for (unsigned n = 0; n < KEEPER_NODES; n++)
        for (unsigned i = 0; i < WORLD_PORTS; i++)
            if (d->port[n][i] == port) return true;
    return false;
}

static bool choose_port(world_details *d, random_source *r, uint16_t *out, error *e) {
    for (unsigned i = 0; i < PORT_TRIES; i++) {
        uint16_t port = (uint16_t)(FIRST_PORT + random_below(r, LAST_PORT - FIRST_PORT));
        if (taken_before(d, port) || !is_free(port)) continue;
        *out = port;
        return true;
    }
    return error_set(e, EXIT_CANNOT_OPEN, "drive: no free port between %d and %d", FIRST_PORT, LAST_PORT);
}

/* ---- folders ---- */

static const char *world_folder(const plumb_world *w, uint32_t node) {
    const world_details *d = w->private_details;
    assert(node < KEEPER_NODES);
    return d->folder[node];
}

static bool make_folder(world_details *d, uint32_t node, error *e) {
    uid_t user;
    gid_t group;
    snprintf(d->folder[node], sizeof d->folder[node], "%s/n%u", d->base, node + 1);
    snprintf(d->log[node], sizeof d->log[node], "%s/n%u.log", d->base, node + 1);
    if (mkdir(d->folder[node], 0700) && errno != EEXIST)
        return error_set(e, EXIT_CANNOT_OPEN, "%s: %s", d->folder[node], strerror(errno));
    if (server_user(&user, &group) && chown(d->folder[node], user, group))
        return error_set(e, EXIT_CANNOT_OPEN, "%s: %s", d->folder[node], strerror(errno));
    return true;
}

/* ---- processes ---- */

static bool tell(bool good, text *said, char *why, size_t size) {
    if (!good) snprintf(why, size, "%s", text_str(said));
    text_free(said);
    return good;
}

static bool world_execute(const plumb_world *w, const char *const *argv, char *why, size_t size) {
    world_details *d = w->private_details;
    text said = {0};
    char log[560];
    snprintf(log, sizeof log, "%s/setup.log", d->base);
    keeper_job job = {.argv = argv, .log = log, .as_server = true};
    return tell(keeper_execute(d->keeper, &job, &said), &said, why, size);
}

static bool world_run(const plumb_world *w, uint32_t node, const char *const *argv, char *why, size_t size) {
    world_details *d = w->private_details;
    text said = {0};
    clock_words words;
    const char *with_clock[KEEPER_WORDS + 1];
    assert(node < w->nodes);
    keeper_job job = {.slot = node, .argv = argv, .log = d->log[node], .as_server = true};
    if (d->clocked) {
        unsigned n = 0;
        node_clock_words(d->base, node, &words);
        for (; n < CLOCK_WORDS; n++) with_clock[n] = words.room[n];
        for (const char *const *a = argv; *a && n < KEEPER_WORDS; a++) with_clock[n++] = *a;
        with_clock[n] = NULL;
        job.argv = with_clock;
        if (!node_clock_set(d->base, node, 0, &said)) return tell(false, &said, why, size);
    }
    return tell(keeper_run(d->keeper, &job, &said), &said, why, size);
}

bool driver_world_open(driver_world *w, const plumb_driver *d, const service_settings *s, keeper *k, error *e) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    random_source r = {.s = (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32};
    *w = (driver_world){.details = {.keeper = k, .driver = d, .set = s->set, .base = s->folder, .clocked = s->clocked}};
    w->w = (plumb_world){.struct_size = sizeof w->w,
                         .object = s->object,
                         .at = s->at,
                         .nodes = s->at ? 0 : s->nodes,
                         .timeout = s->timeout,
                         .private_details = &w->details,
                         .option = world_option,
                         .host = world_host,
                         .port = world_port,
                         .folder = world_folder,
                         .execute = world_execute,
                         .run = world_run};
    for (uint32_t n = 0; n < w->w.nodes; n++) {
        if (!make_folder(&w->details, n, e)) return false;
        if (s->networked) snprintf(w->details.host[n], sizeof w->details.host[n], NODE_ADDRESS, n + 1);
        else snprintf(w->details.host[n], sizeof w->details.host[n], "127.0.0.1");
        for (unsigned i = 0; i < WORLD_PORTS; i++)
            if (!choose_port(&w->details, &r, &w->details.port[n][i], e)) return false;
    }
    return true;
}
