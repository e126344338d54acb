/* Which run of this machine it is: what was in its memory is lost in the next one. Inline: the recorder's library has
 * no other part of this room. */
#ifndef PLUMB_BASE_BOOT_H
#define PLUMB_BASE_BOOT_H

#include "base/digest.h"

#include <fcntl.h>
#include <unistd.h>

/* Never the same after the machine was started again; 0: not known. */
static inline uint64_t boot_identity(void) {
    char id[64];
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, id, sizeof id);
    if (fd >= 0) close(fd);
    return n > 0 ? digest_bytes(DIGEST_START, id, (uint64_t)n) | 1 : 0;
}

#endif
