/* bench/report.html: the latest run of every file in bench/results, as tables and curves, published numbers beside
 * ours. */
#ifndef PLUMB_BENCH_REPORT_H
#define PLUMB_BENCH_REPORT_H

#include <stdbool.h>

bool bench_report(const char *results, const char *path);

#endif
