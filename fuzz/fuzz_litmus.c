/* A litmus test of arbitrary text is one, or is refused with one line; the condition of one can be answered. */
#include "explore/outside/litmus.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    error e = {0};
    litmus l;
    text program = {0};
    char *source = malloc(n + 1);
    bool holds;
    memcpy(source, p, n);
    source[n] = 0;
    const bool good = litmus_parse(&l, "fuzz", source, &e);
    if (!good && (e.code != EXIT_BAD_INPUT || strchr(e.what, '\n'))) abort();
    if (good) litmus_program(&l, &program);
    if (good && !litmus_holds(&l, "x=1 0:r0=1", &holds, &e)) abort();
    text_free(&program);
    litmus_free(&l);
    free(source);
    return 0;
}
