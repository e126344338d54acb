/* Tests over sockets need the machine's own address, which some sandboxes leave without an interface. */
#ifndef PLUMB_SUPPORT_LOOPBACK_H
#define PLUMB_SUPPORT_LOOPBACK_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <unistd.h>

/* Can a socket connect to another one here? */
static inline bool has_loopback(void) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listening = socket(AF_INET, SOCK_STREAM, 0), asking = socket(AF_INET, SOCK_STREAM, 0);
    bool can = listening >= 0 && asking >= 0 && !bind(listening, (struct sockaddr *)&at, size) &&
               !listen(listening, 1) && !getsockname(listening, (struct sockaddr *)&at, &size) &&
               !connect(asking, (struct sockaddr *)&at, size);
    if (listening >= 0) close(listening);
    if (asking >= 0) close(asking);
    return can;
}

#define NEEDS_LOOPBACK() \
    do { \
        if (has_loopback()) break; \
        print_message("no connections to 127.0.0.1 here\n"); \
        skip(); \
    } while (0)

#endif
