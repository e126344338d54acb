/* Stacks are as large as they are asked for, and of eight megabytes otherwise; a frame that is larger is an overflow.
 * */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef MB
#define MB 6
#endif
static atomic_int sum;
static __attribute__((noinline)) int frame(int v) {
    volatile char b[MB << 20];
    b[0] = b[sizeof b - 1] = (char)v;
    return b[0] + b[sizeof b - 1];
}
static void *run(void *p) {
    sum += frame(1);
    return p;
}
int main(void) {
    pthread_attr_t a;
    pthread_t t[2];
    pthread_attr_init(&a);
#ifdef ASKED
    pthread_attr_setstacksize(&a, (size_t)ASKED << 20);
#endif
#ifdef MAIN
    sum += frame(1) - 2;
#endif
    for (int i = 0; i < 2; i++) pthread_create(&t[i], &a, run, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(sum == 4);
    return 0;
}
