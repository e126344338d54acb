#include "fuzz_reader.h"

/* Checksums keep a fuzzer out of the blocks: a file that begins with 'F' is the Fressian of a test map behind it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size && data[0] == 'F') return fuzz_reader("jepsen-binary", data + 1, size - 1);
    return fuzz_reader("jepsen-binary", data, size);
}
