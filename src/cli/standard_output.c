#include "cli/standard_output.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int lost; /* errno of the first failure; 0: none */

void standard_output_failed(int why) {
    if (!lost) lost = why ? why : EIO;
}

int standard_output_end(int code) {
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) standard_output_failed(errno);
    if (!lost) return code;
    fprintf(stderr, "plumb: <stdout>: cannot write: %s\n", strerror(lost));
    lost = 0;
    clearerr(stdout);
    return code > EXIT_UNDECIDED ? code : EXIT_CANNOT_OPEN;
}
