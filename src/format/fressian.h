/* Fressian, the binary notation that Clojure programs write (github.com/Datomic/fressian, the wiki's "wire format"),
 * turned into EDN text: one value at a time, each code checked, nothing believed. Jepsen keeps its test maps and
 * histories in it (jepsen_binary.h).
 *
 * What a writer has put aside and refers to (the priority cache) is kept as the text that it became, so a small file
 * can mean a long text: there is a bound. Names and values that EDN could not carry as they are become strings. */
#ifndef PLUMB_FORMAT_FRESSIAN_H
#define PLUMB_FORMAT_FRESSIAN_H

#include "base/text.h"

enum { FRESSIAN_DEPTH = 100 }; /* values nested deeper are bad input */

typedef struct fressian_tag {
    text name;
    uint32_t fields;
} fressian_tag;

typedef struct fressian_put { /* one that is put aside */
    bool ready;
    size_t at, size; /* in `kept` */
} fressian_put;

typedef struct fressian {
    const unsigned char *p, *end;
    fressian_tag *tag;
    uint32_t tags;
    fressian_put *put;
    uint32_t puts;
    text kept;
    unsigned depth;
    uint64_t written, most; /* bytes of text */
    char wrong[120];        /* empty: nothing */
} fressian;

void fressian_init(fressian *f, const void *p, size_t n);
void fressian_free(fressian *f);

/* Is there another value? Footers are passed over. */
bool fressian_more(fressian *f);
/* Appends the next value; false: `wrong` says why. */
bool fressian_value(fressian *f, text *out);

/* The next value must be a map: its keys and values, one after the other. Each value is read by `entry`, with
 * fressian_value() or fressian_items(); false from it ends the reading. */
typedef bool fressian_entry(void *context, fressian *f, const text *key);
bool fressian_map(fressian *f, fressian_entry *entry, void *context);
bool fressian_at_list(const fressian *f); /* the next value is one */
/* Appends the next value, the items of a list each on a line of its own; nil has none. */
bool fressian_items(fressian *f, text *out);

#endif
