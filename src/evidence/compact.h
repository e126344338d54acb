/* Certificates of large linearizable histories, small: a file in our binary format (format/binary.c) whose operations
 * stand in the order in which they took effect, two bytes or so each, with an annotation that says what is claimed:
 *
 *     {"plumb":"certificate/2","object":"queue","init":null,"ordered":1000000,"digests":"0 6a09..\n1 32ab..\n"}
 *
 * The first `ordered` operations are the witness; pending ones behind it did not take effect. A digest binds what one
 * client was answered, call by call (base/digest.h): it has the same one in its hands (plumb_guard_digest).
 * Such a file is a history as well: `plumb check` reads it. */
#ifndef PLUMB_EVIDENCE_COMPACT_H
#define PLUMB_EVIDENCE_COMPACT_H

#include "evidence/certificate.h"
#include "format/token.h"

#define COMPACT_KIND "certificate/2"

bool compact_write(const char *path, const history *h, const object *o, const witness *w, error *e);
bool compact_write_to(output *out, const history *h, const object *o, const witness *w, error *e);
bool compact_is(input *in); /* by its first bytes */
/* as certify_input; history_path may be NULL */
int compact_certify(input *in, const char *trusted, const char *history_path, text *report, error *e);

/* What is claimed in other such files (segment.h): one JSON object as the annotation before all operations. */
bool compact_write_claim(output *out, const history *h, const object *o, const witness *w, const text *claim, error *e);
/* Field after field; false: there is no claim, or the function refused a field. `field` is cut to 15 characters. */
bool compact_read_claim(const history *h, bool (*read)(void *context, const char *field, const token *k),
                        void *context);
bool compact_is_word(const token *k, const char *word);
char *compact_string(const token *k);                                   /* a copy */
uint64_t compact_digest(uint64_t digest, const history *h, uint32_t i); /* with this operation of its client */
/* The order that the file's own gives: operation by number. */
witness compact_order(const history *h, uint32_t n);

#endif
