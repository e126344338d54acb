/* The folder that Jepsen writes for one run: store/TEST/TIME with
 *
 *     history.edn (or history.txt)   what happened: the one file that is judged
 *     jepsen.log, test.edn           the test map: its name, nodes, concurrency
 *     results.edn                    what Jepsen's own checkers said
 *     test.jepsen, test.fressian     all of it again, binary (jepsen_binary.h): read where there is no history in text
 *     independent/                   there when keys were checked independently: values are [key value]
 *
 * The rest (plots, logs of nodes, the histories of single keys again) is not looked at. */
#ifndef PLUMB_FORMAT_JEPSEN_STORE_H
#define PLUMB_FORMAT_JEPSEN_STORE_H

#include "base/text.h"

typedef struct jepsen_store {
    char *history; /* path */
    bool binary;   /* it is test.jepsen or test.fressian */
    bool independent;
    text about; /* one line, for people: the test, and what Jepsen said */
} jepsen_store;

/* False: the folder is none; then there is nothing to free. */
bool jepsen_store_open(const char *folder, jepsen_store *out);
void jepsen_store_free(jepsen_store *s);

#endif
