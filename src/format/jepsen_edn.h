/* Jepsen's and Knossos' EDN: reading and writing are a file each. */
#ifndef PLUMB_FORMAT_JEPSEN_EDN_H
#define PLUMB_FORMAT_JEPSEN_EDN_H

#include "format/format.h"

bool jepsen_edn_read(input *in, builder *b, const read_options *options);
bool write_jepsen_edn(const history *h, const object *o, output *out, error *e);

#endif
