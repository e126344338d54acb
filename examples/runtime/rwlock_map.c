/* A small map behind a pthread reader-writer lock, as kv: the key is the first argument, so calls have two values. */
#include "run.h"

enum { GET, PUT, DELETE, KEYS = 8 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int64_t map[KEYS]; /* 0: absent */

static int64_t get(client *c, unsigned k) {
    if (!goes_wrong(c)) pthread_rwlock_rdlock(&lock);
    else return -1; /* something that was never put there */
    int64_t v = map[k];
    pthread_rwlock_unlock(&lock);
    return v;
}

static void put(unsigned k, int64_t v) {
    pthread_rwlock_wrlock(&lock);
    map[k] = v;
    pthread_rwlock_unlock(&lock);
}

static void call(client *c, int which, const plumb_value *arg, size_t args) {
    if (c->log) plumb_call(c->log, which, arg, args);
    else plumb_guard_call(c->me, which, arg, args);
}

static void ret(client *c, plumb_value result) {
    plumb_answer a = PLUMB_VERIFIED;
    if (c->log) plumb_ret(c->log, result);
    else a = plumb_guard_ret(c->me, result);
    if (c->worst == PLUMB_VERIFIED) c->worst = a;
}

void work(client *c) {
    for (unsigned i = 0; i < c->operations; i++) {
        unsigned k = dice(c) % KEYS;
        int64_t v = ((int64_t)i << 1 | c->number) + 1;
        plumb_value arg[2] = {plumb_int(k), plumb_int(v)};
        switch (dice(c) % 8) {
        case 0: call(c, PUT, arg, 2), put(k, v), ret(c, plumb_none()); break;
        case 1: call(c, DELETE, arg, 1), put(k, 0), ret(c, plumb_none()); break;
        default: call(c, GET, arg, 1), v = get(c, k), ret(c, v ? plumb_int(v) : plumb_none()); break;
        }
    }
}

int main(int argc, char **argv) { return run_example(argc, argv, "kv"); }
