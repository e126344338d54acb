/* GNU's qsort_r, which the C library of emscripten has not. Included into every file by the build. */
#ifndef PLUMB_WEB_QSORT_R_H
#define PLUMB_WEB_QSORT_R_H

#include <stddef.h>

void qsort_r(void *base, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *context);

#endif
