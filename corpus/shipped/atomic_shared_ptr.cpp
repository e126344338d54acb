/* Treiber's stack of std::atomic<std::shared_ptr>, as libstdc++ ships it (C++20).
 *
 * BUG_STORE: pop stores the new top instead of comparing it first. */
#include <plumbline/test.h>

#include <atomic>
#include <memory>

struct node {
    int64_t value;
    std::shared_ptr<node> next;
};
static std::atomic<std::shared_ptr<node>> top;

PLUMB_OBJECT("stack")
PLUMB_OP(push, v) {
    auto n = std::make_shared<node>();
    n->value = v;
    n->next = top.load();
    while (!top.compare_exchange_strong(n->next, n)) {}
    return plumb_none();
}
PLUMB_OP(pop) {
    auto t = top.load();
#ifdef BUG_STORE
    if (t) top.store(t->next);
#else
    while (t && !top.compare_exchange_strong(t, t->next)) {}
#endif
    return t ? plumb_int(t->value) : plumb_empty();
}
