/* What is kept for a user between runs: files in $XDG_STATE_HOME/plumb (~/.local/state/plumb). */
#ifndef PLUMB_BASE_USER_STATE_H
#define PLUMB_BASE_USER_STATE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool user_state_path(const char *name, text *out); /* false: there is no such place */
bool user_state_make_folders(char *path);          /* all above a path; the path is as before */

/* A seal tells bytes that programs of this user wrote from those of strangers: a hash by a key that only this user can
 * read. The key is made when it is first asked for. False: there is no place to keep one. */
typedef struct seal_key {
    uint64_t half[2];
} seal_key;

bool user_seal_key(seal_key *out);
uint64_t seal_of(const seal_key *k, const void *p, size_t n); /* SipHash-2-4 */

#endif
