/* Instructions with their hooks, written out as `plumb cc` writes them. Registers, flags and vectors of a thread
 * survive what others do while it stands at a hook; updates with and without a lock prefix differ. The first argument
 * says which. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define HOOK(thunk, operand, code)                                                                                             \
    "leaq -128(%%rsp), %%rsp\n\tpushq %%rdi\n\tleaq " operand ", %%rdi\n\tpushq $" code "\n\tcall *" thunk "@GOTPCREL(%%rip)\n\t" \
    "leaq 8(%%rsp), %%rsp\n\tpopq %%rdi\n\tleaq 128(%%rsp), %%rsp\n\t"
#define RMW8 "0x803"
#define CAS8 "0x804"
#define CAS16 "0x21004"
#define URMW8 "0x80a"
#define STOS8 "0x10807"

uint64_t word, table[8];
struct { uint64_t low, high; } __attribute__((aligned(16))) pair;

static void both(void *(*a)(void *), void *(*b)(void *)) {
    pthread_t x, y;
    pthread_create(&x, NULL, a, (void *)1);
    pthread_create(&y, NULL, b, (void *)2);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
}

static void *locked(void *n) { (void)n; __asm__ volatile(HOOK("__plumb_asm", "word(%%rip)", RMW8) "lock; incq word(%%rip)" ::: "memory", "cc"); return NULL; }
static void *torn(void *n) { (void)n; __asm__ volatile(HOOK("__plumb_asm", "word(%%rip)", URMW8) "incq word(%%rip)" ::: "memory", "cc"); return NULL; }

static void *swap(void *n) {
    uint64_t old = 0;
    unsigned char done;
    __asm__ volatile(HOOK("__plumb_asm", "word(%%rip)", CAS8) "lock; cmpxchgq %2, word(%%rip)\n\tsetz %1" : "+a"(old), "=q"(done) : "r"((uint64_t)n) : "memory", "cc");
    if (!done) assert(old == 3 - (uint64_t)n); /* the other's */
    return NULL;
}

static void *swap_pair(void *n) {
    uint64_t low = 0, high = 0;
    unsigned char done = 0;
    while (!done)
        __asm__ volatile(HOOK("__plumb_asm", "pair(%%rip)", CAS16) "lock; cmpxchg16b pair(%%rip)\n\tsetz %2" : "+a"(low), "+d"(high), "=q"(done)
                         : "b"(low + 1), "c"(high + (uint64_t)n * 0) : "memory", "cc");
    return NULL;
}

static void *fill(void *n) {
    void *to = table;
    uint64_t count = 8;
    __asm__ volatile(HOOK("__plumb_asm", "(%%rsp)", STOS8) "rep stosq" : "+D"(to), "+c"(count) : "a"((uint64_t)n) : "memory");
    return NULL;
}

/* Carry is set, vectors are loaded, the hook switches to the other thread and back. */
#define SURVIVES(name, thunk, move, v, size)                                                                                   \
    static void *name(void *n) {                                                                                               \
        uint8_t in[2][size], out[2][size];                                                                                     \
        uint64_t sum = 0, kept = (uint64_t)n * 1000;                                                                           \
        memset(in[0], 16 * (int)(intptr_t)n, size), memset(in[1], 17 * (int)(intptr_t)n, size);                                \
        __asm__ volatile(move " (%1), %%" v "3\n\t" move " (%2), %%" v "15\n\tmovq %5, %%r11\n\tstc\n\t"                         \
                         HOOK(thunk, "word(%%rip)", RMW8) "adcq $0, %0\n\tlock; incq word(%%rip)\n\taddq %%r11, %0\n\t"          \
                         move " %%" v "3, (%3)\n\t" move " %%" v "15, (%4)"                                                     \
                         : "+r"(sum) : "r"(in[0]), "r"(in[1]), "r"(out[0]), "r"(out[1]), "r"(kept) : "memory", "cc", "r11", "xmm3", "xmm15"); \
        assert(!memcmp(in, out, sizeof in) && sum == kept + 1);                                                                \
        return NULL;                                                                                                           \
    }
SURVIVES(narrow, "__plumb_asm", "movups", "xmm", 16)
SURVIVES(wide, "__plumb_asm_wide", "vmovups", "ymm", 32)

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "locked";
    assert(word == 0 && table[0] == 0);
    if (!strcmp(what, "locked")) { both(locked, locked); assert(word == 2); }
    else if (!strcmp(what, "torn")) { both(torn, torn); assert(word == 2); }
    else if (!strcmp(what, "torn-lost")) { both(torn, torn); assert(word == 1 || word == 2); }
    else if (!strcmp(what, "swap")) { both(swap, swap); assert(word == 1 || word == 2); }
    else if (!strcmp(what, "pair")) { both(swap_pair, swap_pair); assert(pair.low == 2); }
    else if (!strcmp(what, "fill")) { both(fill, fill); for (int i = 1; i < 8; i++) assert(table[i] == table[0]); }
    else if (!strcmp(what, "narrow")) { both(narrow, narrow); assert(word == 2); }
    else if (!strcmp(what, "wide")) { both(wide, wide); assert(word == 2); }
    else return 64;
    return 0;
}
