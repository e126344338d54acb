/* A theory file as an object: what is said of its histories by axioms, asked one operation at a time. */
#ifndef PLUMB_THEORY_THEORY_OBJECT_H
#define PLUMB_THEORY_THEORY_OBJECT_H

#include "theory/theory.h"

/* As object_open, and theory files ("mine.thy") besides. */
object *specification_open(const char *what, const char *init, error *e);
/* The same where data names it: a file must be one that was named otherwise, too (object/trust.h). */
object *specification_from_data(const char *what, const char *init, error *e);
/* The one the user named, else the one that the file at `path` names (`hint`), with `init`; `given`: what the user said
 * of that. What the file says wrongly is bad input. */
object *specification_of_file(const char *path, const char *named, const char *hint, const char *init,
                              const char *given, error *e);

/* The theory becomes the object's. NULL: error set, and the theory is freed. */
object *theory_object(theory *t, const char *name, const char *init, error *e);

/* The theory an object was made from; NULL: it was not. */
const theory *theory_of_object(const object *o);

#endif
