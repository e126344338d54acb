/* Treiber's stack with std::shared_ptr: nodes live as long as somebody holds them, so there is no ABA and nothing is
 * freed too early.
 *
 * BUG_STORE: pop stores the new head instead of exchanging it against the one it looked at. */
#include <plumbline/test.h>

#include <memory>

struct Node {
    int value;
    std::shared_ptr<Node> next;
};
static std::shared_ptr<Node> *head;

static void push(int v) {
    auto n = std::make_shared<Node>();
    n->value = v;
    n->next = std::atomic_load(head);
    while (!std::atomic_compare_exchange_strong(head, &n->next, n)) {}
}

static bool pop(int *v) {
    auto n = std::atomic_load(head);
#ifdef BUG_STORE
    if (n) std::atomic_store(head, n->next);
#else
    while (n && !std::atomic_compare_exchange_strong(head, &n, n->next)) {}
#endif
    if (n) *v = n->value;
    return n != nullptr;
}

PLUMB_OBJECT("stack")
PLUMB_SETUP { head = new std::shared_ptr<Node>; }
PLUMB_TEARDOWN { delete head; }
PLUMB_OP(push, v) { push((int)v); return plumb_none(); }
PLUMB_OP(pop) { int v; return pop(&v) ? plumb_int(v) : plumb_empty(); }
