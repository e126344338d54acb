/* An annotation with its times as one value, for formats that have room for a value: {"text": .., "time": ..,
 * "until": ..}. One without times is its text. */
#ifndef PLUMB_FORMAT_NOTE_VALUE_H
#define PLUMB_FORMAT_NOTE_VALUE_H

#include "history/history.h"

value note_value(values *t, const annotation *note);
annotation note_of_value(values *t, value v); /* its place is not set */

#endif
