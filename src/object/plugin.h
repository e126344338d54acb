/* Objects that users write as a shared library, by include/plumbline/object.h. */
#ifndef PLUMB_OBJECT_PLUGIN_H
#define PLUMB_OBJECT_PLUGIN_H

#include "object/object.h"
#include "plumbline/object.h"

bool plugin_named(const char *what); /* is this a path to a plug-in? It has a '/' or ends in .so */

/* Loads, checks the definition, runs the self-test. NULL: error set. */
object *plugin_open(const char *path, error *e);

#endif
