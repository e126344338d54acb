#include "explore/inside/invariant.h"
#include "explore/inside/processor.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { INTERNAL_FAILURE = 70 };

static struct iovec words(const char *s) { return (struct iovec){(void *)(uintptr_t)s, strlen(s)}; }

/* By system calls alone: the fiber's stack may be small, and functions of libc may be intercepted. */
void invariant_broken(const char *condition, const char *file, int line) {
    char digits[12];
    char *at = digits + sizeof digits - 1;
    *at = 0;
    do *--at = (char)('0' + line % 10);
    while (line /= 10);
    const struct iovec said[] = {words("plumb: internal failure: "), words(file),      words(":"), words(at),
                                 words(": this does not hold: "),    words(condition), words("\n")};
    system_call(SYS_writev, STDERR_FILENO, (long)(uintptr_t)said, sizeof said / sizeof *said);
    for (;;) system_call(SYS_exit_group, INTERNAL_FAILURE, 0, 0);
}
