/* Does the second malloc of one thread return the block that another has freed? OUTCOME: 2 it does not, 3 it does. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *_Atomic slot;
static int same, is_freed;
static void *allocates(void *p) {
    void *m = malloc(32);
    slot = m;
    void *q = malloc(32);
    same = q == m;
#ifdef FREES
    free(q);
#endif
    return p;
}
static void *frees(void *p) {
    void *m = atomic_exchange(&slot, 0);
    if (m) is_freed = 1;
    free(m);
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, allocates, 0);
    pthread_create(&t[1], 0, frees, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(same + 2 * is_freed != OUTCOME);
    return 0;
}
