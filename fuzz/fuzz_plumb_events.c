#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_reader("plumb-events", data, size); }
