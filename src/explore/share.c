#include "explore/share.h"
bool share_next(share *s, walk *k) { (void)s; (void)k; return false; }
void share_offer(share *s, uint32_t number, thread_set initials, unsigned preferred) { (void)s; (void)number; (void)initials; (void)preferred; }
