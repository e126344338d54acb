/* A proof of arbitrary bytes holds, does not hold, or is refused with one line. */
#include "evidence/proof.h"

#include "base/whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int certify_path(const char *path, text *report, error *e) {
    static const char start[] = "c plumb.proof/1 ";
    char head[sizeof start] = "";
    FILE *f = fopen(path, "r");
    if (f && fgets(head, sizeof head, f) && proof_is(path) != !strcmp(head, start)) abort();
    if (f) fclose(f);
    return proof_certify(path, NULL, report, e);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    char path[64];
    error e = {0};
    text report = {0};
    int fd = memfd_create("proof", MFD_CLOEXEC);
    if (fd < 0 || !write_all_bytes(fd, p, n)) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int code = certify_path(path, &report, &e);
    bool refused = code == EXIT_BAD_INPUT && !strchr(e.what, '\n');
    if (code != EXIT_LINEARIZABLE && code != EXIT_VIOLATION && !refused) abort();
    close(fd);
    text_free(&report);
    return 0;
}
