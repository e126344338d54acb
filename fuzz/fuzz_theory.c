/* A theory of arbitrary text is one, or is refused with one line. */
#include "theory/theory.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    error e = {0};
    char *source = malloc(n + 1);
    memcpy(source, p, n);
    source[n] = 0;
    theory *t = theory_parse(source, "fuzz", "", &e);
    if (!t && (e.code != EXIT_BAD_INPUT || strchr(e.what, '\n'))) abort();
    theory_free(t);
    free(source);
    return 0;
}
