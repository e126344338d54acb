/* A file that appears under its name when it is complete, or not at all.
 *
 * The bytes go to a file without a name in the same folder (O_TMPFILE; where the file system has none, one with a name
 * that begins with a dot), which takes the name only after it was flushed to the disk. A process that is killed, an
 * interrupted command or a full disk leaves the old file as it was. Devices, pipes and sockets have no other content
 * to protect: they are written directly. */
#ifndef PLUMB_BASE_WHOLE_FILE_H
#define PLUMB_BASE_WHOLE_FILE_H

#include "base/error.h"
#include "base/pool.h"

typedef struct whole_file {
    int fd;       /* write here; -1: not open */
    char *path;   /* of the file to be, behind symbolic links */
    char *beside; /* the name it has until then; NULL: none, or written directly */
    bool direct;
    pool_cleanup cleanup; /* it stays where it is while it is open */
} whole_file;

bool whole_file_open(whole_file *f, const char *path, error *e); /* false: cannot be created (66) */
bool whole_file_commit(whole_file *f,
                       error *e);       /* flushes, then gives it its name; closes; false: the old file stays */
void whole_file_abandon(whole_file *f); /* closes: nothing happened */

/* All bytes at once. "-": standard output. */
bool whole_file_write(const char *path, const void *bytes, size_t size, error *e);
/* All of them, whatever part the system takes at a time. False: errno says why. */
bool write_all_bytes(int fd, const void *bytes, size_t size);

#endif
