/* Certificates of large linearizable histories, small: a file in our binary format (format/binary.c) whose operations stand in the
 * order in which they took effect, two bytes or so each, with an annotation that says what is claimed:
 *
 *     {"plumb":"certificate/2","object":"queue","init":null,"ordered":1000000,"digests":"0 6a09..\n1 32ab..\n"}
 *
 * The first `ordered` operations are the witness; pending ones behind it did not take effect. A digest binds what one client
 * was answered, call by call (base/digest.h): it has the same one in its hands (plumb_guard_digest).
 * Such a file is a history as well: `plumb check` reads it. */
#ifndef PLUMB_EVIDENCE_COMPACT_H
#define PLUMB_EVIDENCE_COMPACT_H

#include "evidence/certificate.h"

#define COMPACT_KIND "certificate/2"

bool compact_write(const char *path, const history *h, const object *o, const witness *w, error *e);
bool compact_write_to(output *out, const history *h, const object *o, const witness *w, error *e);
bool compact_is(input *in);                                                      /* by its first bytes */
int compact_certify(input *in, const char *trusted, text *report, error *e);     /* as certify_input */

#endif
