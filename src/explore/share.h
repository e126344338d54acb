/* Several processes explore one tree together. */
#ifndef PLUMB_EXPLORE_SHARE_H
#define PLUMB_EXPLORE_SHARE_H

#include "explore/walk.h"

typedef struct share share;

bool share_next(share *s, walk *k);
void share_offer(share *s, uint32_t number, thread_set initials, unsigned preferred);

#endif
