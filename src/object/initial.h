/* Initial values. The text of an object's initial value (--init) is one value, which every key has, or lines of a key
 * and its value: "x 1\ny \"two words\"\n". Keys that no line names have none.
 *
 * With values by key, states begin as `not looked up`; the first step of a part finds its key in the operation it is
 * given. So whatever runs the object needs to know nothing of keys. Engines, which look at `init` itself, are given the
 * object as it is for one key. */
#ifndef PLUMB_OBJECT_INITIAL_H
#define PLUMB_OBJECT_INITIAL_H

#include "object/object.h"

/* False (EXIT_USAGE): a line that is no key and value. */
bool initial_check_text(const char *given, error *e);
/* Reads o->init_text; values by key make a type of their own around o->type. */
void initial_use_values(object *o);
bool initial_check(const object *o, text *wrong); /* each value as the object wants it */
void initial_free(object *o);

/* What a part begins with. */
value object_initial(const object *o, value key);
/* The same object for operations of one key alone. Not to be closed; `o` stays open as long as it is used. */
object object_for_key(const object *o, value key);

#endif
