/* A certificate of arbitrary bytes holds, does not hold, or is refused with one line. Most stop at the checksum, so
 * they are tried with the right one behind them, too. */
#include "evidence/certificate.h"

#include "format/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void certify_bytes(const void *p, size_t n) {
    error e = {0};
    text report = {0};
    input *in = input_memory("fuzz", p, n, &e);
    int code = certify_input(in, NULL, &report, &e);
    bool refused = (code == EXIT_BAD_INPUT || code == EXIT_CANNOT_OPEN) && !strchr(e.what, '\n');
    if (code != EXIT_LINEARIZABLE && code != EXIT_VIOLATION && code != EXIT_UNDECIDED && !refused) abort();
    input_close(in);
    text_free(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    text whole = {0};
    certify_bytes(p, n);
    text_bytes(&whole, p, n);
    if (n && p[n - 1] != '\n') text_char(&whole, '\n');
    text_printf(&whole, "{\"end\":\"%016" PRIx64 "\"}\n", certificate_checksum(CHECKSUM_START, whole.at, whole.size));
    certify_bytes(whole.at, whole.size);
    text_free(&whole);
    return 0;
}
