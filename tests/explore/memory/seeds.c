/* The same seed gives the same numbers, in every thread; another gives others. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *run(void *p) {
    srand(3);
    int first = rand();
    srand(4);
    assert(first != rand());
    srand(3);
    assert(first == rand());
    assert(first == *(int *)p);
    return 0;
}
int main(void) {
    pthread_t t[2];
    srand(3);
    int first = rand();
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, run, &first);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
