#ifndef PLUMB_WEB_ZSTD_ERRORS_H
#define PLUMB_WEB_ZSTD_ERRORS_H

#include <stddef.h>

enum { ZSTD_error_memory_allocation = 64 };
int ZSTD_getErrorCode(size_t code);

#endif
