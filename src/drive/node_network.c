#include "drive/node_network.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IP_WORDS = 24, HUB = NETWORK_NODES };

bool node_network_enter(const node_network *n, unsigned node) {
    if (node >= n->nodes) return true;
    return setns(n->space[node], CLONE_NEWNET) == 0;
}

_Noreturn static void become_ip(const node_network *n, unsigned node, char *line) {
    char *argv[IP_WORDS + 1], *rest = NULL;
    unsigned words = 0;
    for (char *w = strtok_r(line, " ", &rest); w && words < IP_WORDS; w = strtok_r(NULL, " ", &rest)) argv[words++] = w;
    argv[words] = NULL;
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
    }
    if (!node_network_enter(n, node)) _exit(126);
    execvp(argv[0], argv);
    _exit(127);
}

/* Runs one command of ip in the namespace of the node; HUB: here. */
static bool ip(const node_network *n, unsigned node, char *why, size_t size, const char *format, ...) {
    char line[256], copy[256];
    int status = 0;
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    memcpy(copy, line, sizeof copy);
    pid_t child = fork();
    if (child == 0) become_ip(n, node, line);
    bool good = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good && WIFEXITED(status) && WEXITSTATUS(status) == 127)
        snprintf(why, size, "the command ip is not there (iproute2)");
    else if (!good) snprintf(why, size, "'%s' failed", copy);
    return good;
}

static bool new_space(int *file) {
    if (unshare(CLONE_NEWNET)) return false;
    *file = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    return *file >= 0;
}

/* The other end of the node's cable is on the bridge. */
static bool join_bridge(node_network *n, unsigned node, char *why, size_t size) {
    return ip(n, HUB, why, size, "ip link set v%u master hub", node + 1) &&
           ip(n, HUB, why, size, "ip link set v%u up", node + 1);
}

/* There is a relay between the other end and that of a second cable, which leads to the bridge. Both ends do not answer
 * themselves for the addresses behind them. */
static bool prepare_relay(node_network *n, unsigned node, char *why, size_t size) {
    return ip(n, HUB, why, size, "ip link add p%u type veth peer name b%u", node + 1, node + 1) &&
           ip(n, HUB, why, size, "ip link set b%u master hub", node + 1) &&
           ip(n, HUB, why, size, "ip link set b%u up", node + 1) &&
           ip(n, HUB, why, size, "ip link set p%u arp off up", node + 1) &&
           ip(n, HUB, why, size, "ip link set v%u arp off up", node + 1);
}

/* An end of the cable in the node's namespace, the other one here. Process 1 is the keeper, which is here. */
static bool connect_node(node_network *n, unsigned node, bool relayed, char *why, size_t size) {
    return ip(n, node, why, size, "ip link set lo up") &&
           ip(n, node, why, size, "ip link add eth0 type veth peer name v%u netns 1", node + 1) &&
           ip(n, node, why, size, "ip addr add " NODE_ADDRESS "/24 dev eth0", node + 1) &&
           ip(n, node, why, size, "ip link set eth0 up") &&
           (relayed ? prepare_relay(n, node, why, size) : join_bridge(n, node, why, size));
}

static bool make_hub(node_network *n, char *why, size_t size) {
    return ip(n, HUB, why, size, "ip link set lo up") && ip(n, HUB, why, size, "ip link add hub type bridge") &&
           ip(n, HUB, why, size, "ip addr add 10.99.0.254/24 dev hub") && ip(n, HUB, why, size, "ip link set hub up");
}

bool node_network_make(node_network *n, unsigned nodes, bool relayed, char *why, size_t size) {
    int hub = -1;
    assert(!n->nodes && nodes <= NETWORK_NODES && getpid() == 1);
    bool good = true;
    for (unsigned i = 0; i < nodes && good; i++) good = new_space(&n->space[i]);
    good = good && new_space(&hub); /* where this process stays */
    if (!good) {
        snprintf(why, size, "no network namespace: %s", strerror(errno));
        return false;
    }
    close(hub);
    n->nodes = nodes;
    good = make_hub(n, why, size);
    for (unsigned i = 0; i < nodes && good; i++) good = connect_node(n, i, relayed, why, size);
    return good && (!relayed || link_relay_start(&n->relay, nodes, why, size));
}

/* Packets to an address without a route are dropped where they are sent. */
bool node_network_cut(node_network *n, unsigned from, unsigned to, char *why, size_t size) {
    if (from >= n->nodes || to >= n->nodes) {
        snprintf(why, size, "there is no such link");
        return false;
    }
    return ip(n, from, why, size, "ip route replace blackhole " NODE_ADDRESS "/32", to + 1);
}

bool node_network_impair(node_network *n, unsigned node, unsigned delay, unsigned loss, char *why, size_t size) {
    if (node < n->nodes && link_relay_set(&n->relay, node, delay, loss)) return true;
    snprintf(why, size, "there is no such link");
    return false;
}

bool node_network_join(node_network *n, char *why, size_t size) {
    bool good = true;
    for (unsigned i = 0; i < n->nodes; i++) link_relay_set(&n->relay, i, 0, 0);
    for (unsigned i = 0; i < n->nodes; i++) good = ip(n, i, why, size, "ip route flush type blackhole") && good;
    return good;
}
