/* A report as bytes, for another machine: everything that is printed of it comes back. */
#ifndef PLUMB_REPORT_REPORT_PACK_H
#define PLUMB_REPORT_REPORT_PACK_H

#include "remote/wire.h"
#include "report/report.h"

void report_pack(const report *r, text *out);
report *report_unpack(wire_reader *from); /* NULL: no report */

#endif
