/* Which files may be opened as objects because data names them.
 *
 * A history, a log, a certificate or a peer on the network can come from a stranger: the object it names is looked up
 * among the built-in ones. A plug-in is code, and which code runs is the choice of the command line or the program.
 * What these have opened once may be named by data as well: the header of a recorder's log names the plug-in that its
 * own program gave it. See docs/SECURITY.md. */
#ifndef PLUMB_OBJECT_TRUST_H
#define PLUMB_OBJECT_TRUST_H

#include "object/object.h"

void trust_file(const char *what); /* for the rest of this process; any thread */
bool file_is_trusted(const char *what);

/* As object_open, for a name that comes from data. NULL and an error (EXIT_BAD_INPUT): it is a file that was not
 * trusted. */
object *object_open_from_data(const char *what, const char *init, error *e);

#endif
