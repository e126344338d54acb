/* TCP, of this machine only but for what others may read: nothing here waits. */
#ifndef PLUMB_REMOTE_SOCKET_H
#define PLUMB_REMOTE_SOCKET_H

#include "base/error.h"
#include "base/text.h"

#include <netinet/in.h>

/* "127.0.0.1:7001". False with the error set: no address, or, unless `anywhere`, not one of this machine's own. */
bool socket_address(const char *what, size_t length, bool anywhere, struct sockaddr_in *out, error *e);
/* "0.0.0.0:9464", any address in numbers; ":9464" is this machine's own. */
bool socket_any_address(const char *what, struct sockaddr_in *out, error *e);
int socket_listen(struct sockaddr_in *at, error *e); /* port 0: one is chosen, and filled in */
int socket_connect(const struct sockaddr_in *to);    /* begun; -1: cannot */
int socket_accept(int listening);                    /* -1: no connection waits */
bool socket_is_connected(int fd);                    /* once it can be written to */

/* As much as goes now. False: the other one is gone. */
bool socket_send(int fd, text *out);
bool socket_receive(int fd, text *in, size_t most);
void text_drop(text *t, size_t n); /* its first n bytes */

#endif
