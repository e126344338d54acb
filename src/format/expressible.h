/* What a format cannot say, its writer refuses: nothing is written that would be read as something else. Each check is
 * false, with the error set, when something in the history cannot be written. */
#ifndef PLUMB_FORMAT_EXPRESSIBLE_H
#define PLUMB_FORMAT_EXPRESSIBLE_H

#include "base/error.h"
#include "history/history.h"
#include "object/object.h"

/* line formats: without blanks, brackets, ... */
bool methods_are_words(const history *h, const char *format_name, error *e);
bool values_are_utf8(const history *h, const char *format_name, error *e); /* JSON and EDN have no other strings */
/* no sets and no maps; with `maps`, maps from strings */
bool values_are_ordered(const history *h, const char *format_name, bool maps, error *e);
/* formats that have an order of events and no stamps: clients under fresh numbers and operations that overlap only by
 * their stamps are other ones there */
bool order_is_enough(const history *h, const object *o, const char *format_name, error *e);
bool no_ties(const history *h, const char *format_name, error *e); /* of that, what is about stamps */
/* What a history says of itself beside its object: an initial value, that not all of it is here. */
const char *written_init(const history *h, const object *o); /* of the object, where it is bound to one */
bool heading_is_utf8(const history *h, const object *o, const char *format_name, error *e);
bool says_no_initial_value(const history *h, const object *o, const char *format_name, error *e);
bool says_it_is_whole(const history *h, const char *format_name, error *e);
/* JSON: "empty" is the constant, not the string */
bool results_are_not_words(const history *h, const char *format_name, error *e);

#endif
