/* Idioms of inline assembly that a careless rewriting would break. Prints one line each; the same program compiled by
 * the plain compiler must print the same. Addresses and schedules have no influence on what is printed. */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define APART __attribute__((noinline))
#define LEAF __attribute__((noinline, no_sanitize("thread")))
typedef uint64_t u64;

static struct cells {
    u64 a[32];
    __attribute__((aligned(16))) u64 pair[2];
    char text[128];
} cells;
u64 global_table[8] = {11, 22, 33, 44, 55, 66, 77, 88};
static u64 busy;

static inline void disturb(void) { __asm__ volatile("lock; incq %0" : "+m"(busy) : : "cc", "memory"); }

APART static u64 carry_lives_across(void) {
    u64 r;
    __asm__ volatile("stc\n\tmovq %1, %0\n\tadcq $0, %0\n\tclc; movq %2, %%rcx; adcq %%rcx, %0" : "=&r"(r) : "m"(cells.a[0]), "m"(cells.a[1]) : "cc", "rcx");
    return r;
}

APART static u64 flag_outputs(void) {
    u64 expected = 5, again = 5;
    _Bool swapped, failed, old;
    cells.a[2] = 5;
    __asm__ volatile("lock cmpxchgq %3, %0" : "+m"(cells.a[2]), "=@ccz"(swapped), "+a"(expected) : "r"(99ul) : "memory");
    __asm__ volatile("lock cmpxchgq %3, %0" : "+m"(cells.a[2]), "=@ccnz"(failed), "+a"(again) : "r"(98ul) : "memory");
    __asm__ volatile("lock btsq %2, %0" : "+m"(cells.a[3]), "=@ccc"(old) : "r"(7ul) : "memory");
    return swapped + 2u * failed + 4u * old + 8 * expected + 1000 * again + 100000 * cells.a[2] + cells.a[3];
}

APART static u64 condition_to_memory(void) {
    char zero[2];
    cells.a[4] = 1;
    __asm__ volatile("lock decq %0; setz %1" : "+m"(cells.a[4]), "=m"(zero[0]) : : "cc", "memory");
    __asm__ volatile("lock;decq %0\n setz %1" : "+m"(cells.a[4]), "=m"(zero[1]) : : "cc", "memory");
    return (u64)zero[0] * 2 + (u64)zero[1] + cells.a[4];
}

LEAF static u64 red_zone_of_compiler(void) {
    volatile u64 local[8];
    u64 r, q, sum = 0;
    for (unsigned i = 0; i < 8; i++) local[i] = i * i + 3;
    __asm__ volatile("movq %1, %0" : "=r"(r) : "m"(cells.a[5]));
    __asm__ volatile("lock xaddq %0, %1" : "+r"(r), "+m"(busy) : : "memory", "cc");
    __asm__ volatile("movq %1, %0" : "=r"(q) : "m"(local[3]));
    for (unsigned i = 0; i < 8; i++) sum = sum * 31 + local[i];
    return sum + q;
}

LEAF static u64 red_zone_of_assembly(void) {
    u64 r;
    __asm__ volatile("movq $77, -8(%%rsp)\n movq %1, %%rax\n movq -8(%%rsp), %0" : "=r"(r) : "m"(busy) : "rax", "memory");
    return r;
}

APART static u64 stack_operands(void) {
    u64 local[5] = {1, 2, 3, 4, 5}, r = 10, x;
    long index = 1;
    __asm__ volatile("lock addq %1, %0" : "+m"(local[2]) : "r"(r) : "memory", "cc");
    __asm__ volatile("xchgq %0, %1" : "+r"(r), "+m"(local[4]) : : "memory");
    __asm__ volatile("movq (%1, %2, 8), %0" : "=r"(x) : "r"(local), "r"(index), "m"(local));
    __asm__ volatile("lock addl $0, 0(%%rsp)" : : : "memory", "cc");
    return local[0] + local[2] * 3 + local[4] * 5 + r * 7 + x;
}

APART static u64 symbols_with_index(long i) {
    u64 r, q;
    __asm__ volatile("movq global_table(, %1, 8), %0" : "=r"(r) : "r"(i));
    __asm__ volatile("movq 8+global_table(, %1, 8), %0" : "=r"(q) : "r"(i));
    return r * 3 + q;
}

/* The empty statements keep the values in registers on both sides of the hooks. */
LEAF static double doubles_live(double a, double b) {
    double c = a * b, d = a + b, e = a - b;
    u64 r;
    __asm__ volatile("" : "+x"(c), "+x"(d), "+x"(e));
    disturb();
    __asm__ volatile("movq %1, %0" : "=r"(r) : "m"(cells.a[6]));
    disturb();
    __asm__ volatile("" : "+x"(c), "+x"(d), "+x"(e));
    return c * d + e * (double)r;
}

#ifdef __AVX2__
LEAF static u64 wide_vectors_live(__m256i v) {
    __m256i w = _mm256_add_epi64(v, v);
    u64 out[4];
    __asm__ volatile("" : "+x"(w));
    disturb();
    __asm__ volatile("" : "+x"(w));
    w = _mm256_add_epi64(w, _mm256_set1_epi64x((long long)cells.a[6]));
    _mm256_storeu_si256((__m256i *)(void *)out, w);
    return out[0] + out[1] * 3 + out[2] * 5 + out[3] * 7;
}
#endif

APART static u64 goto_out(void) {
    unsigned n = 0;
    cells.a[7] = 0;
again:
    n++;
    __asm__ goto("lock btsq $3, %0\n\tjc %l1" : : "m"(cells.a[7]) : "memory", "cc" : was_set);
    if (n < 5) goto again;
    return 1000;
was_set:
    return n + cells.a[7];
}

APART static u64 loop_with_label(void) {
    u64 old;
    cells.a[8] = 40;
    __asm__ volatile("movq %0, %%rax\n1:\tleaq 2(%%rax), %%rcx\n\tlock; cmpxchgq %%rcx, %0\n\tjnz 1b\n\tmovq %%rax, %1"
                     : "+m"(cells.a[8]), "=r"(old) : : "rax", "rcx", "memory", "cc");
    return old * 100 + cells.a[8];
}

APART static u64 string_instructions(void) {
    char local[64];
    void *to = local;
    const void *from = cells.text;
    long n = 64;
    u64 h = 0;
    for (unsigned i = 0; i < 64; i++) cells.text[i] = (char)(i ^ 5);
    __asm__ volatile("rep; movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    to = cells.text, n = 8;
    __asm__ volatile("cld; rep stosq" : "+D"(to), "+c"(n) : "a"(0x0101010101010101ul) : "memory");
    for (unsigned i = 0; i < 64; i++) h = h * 31 + (u64)local[i] * 256 + (u64)cells.text[i];
    return h + (u64)((char *)to - cells.text) + (u64)n;
}

APART static u64 sixteen_bytes(void) {
    u64 compare[2] = {3, 4}, a = 1, d = 1;
    _Bool first, second;
    cells.pair[0] = 3, cells.pair[1] = 4;
    __asm__ volatile("movq 0(%4), %%rax; movq 8(%4), %%rdx; lock cmpxchg16b %0; setz %1"
                     : "+m"(*(u64(*)[2])cells.pair), "=q"(first) : "b"(7ul), "c"(8ul), "q"(compare) : "memory", "cc", "rax", "rdx");
    __asm__ volatile("lock cmpxchg16b %0" : "+m"(*(u64(*)[2])cells.pair), "=@ccz"(second), "+a"(a), "+d"(d) : "b"(9ul), "c"(9ul) : "memory");
    return first * 2u + second + cells.pair[0] * 10 + cells.pair[1] * 100 + a * 1000 + d * 10000;
}

APART static u64 eight_bytes(void) {
    unsigned a = 6, d = 5;
    _Bool z;
    cells.a[9] = (5ul << 32) | 6;
    __asm__ volatile("lock cmpxchg8b %0" : "+m"(cells.a[9]), "=@ccz"(z), "+a"(a), "+d"(d) : "b"(1), "c"(2) : "memory");
    return cells.a[9] + z;
}

APART static u64 base_is_destination(void) {
    u64 p = (u64)&cells.a[10];
    cells.a[10] = (u64)&cells.a[11], cells.a[11] = 4242;
    __asm__ volatile("movq (%0), %0; movq (%0), %0" : "+D"(p) : : "memory");
    return p;
}

APART static u64 pushes_and_pops(void) {
    u64 r, s;
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushq %%rbx; movq %1, %%rbx; movq %%rbx, %0; popq %%rbx; leaq 128(%%rsp), %%rsp" : "=a"(r) : "c"(cells.a[0]));
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushq %1; pushq 0(%%rsp); popq 0(%%rsp); popq %0; leaq 128(%%rsp), %%rsp" : "=r"(s) : "m"(cells.a[1]) : "memory");
    return r * 100 + s;
}

APART static u64 high_byte(void) {
    unsigned long v = 0x1234;
    __asm__ volatile("movb %%ah, %0" : "=m"(cells.text[9]) : "a"(v));
    __asm__ volatile("movzbl %1, %k0" : "=r"(v) : "m"(cells.text[9]));
    return v;
}

APART static u64 far_bits(void) {
    _Bool c;
    long bit = 130;
    memset(cells.a + 12, 0, 32);
    __asm__ volatile("lock btsq %2, %0; setc %1" : "+m"(cells.a[12]), "=q"(c) : "r"(bit) : "memory", "cc");
    bit = -1;
    __asm__ volatile("lock btcq %2, %0; setc %1" : "+m"(cells.a[14]), "=q"(c) : "r"(bit) : "memory", "cc");
    return cells.a[12] + cells.a[13] * 3 + cells.a[14] * 5 + c;
}

APART static u64 thread_pointer(void) {
    u64 a, b;
    __asm__ volatile("movq %%fs:0, %0" : "=r"(a));
    __asm__ volatile("movq %%fs:16, %0" : "=r"(b));
    return a == b;
}

APART static u64 every_register(void) {
    u64 in[13], out[13], *p = in, *q = out;
    for (unsigned i = 0; i < 13; i++) in[i] = (i + 1) * 0x9e3779b97f4a7c15u;
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n pushq %%rbp\n pushq %1\n movq %0, %%rax\n"
                     "movq 0(%%rax), %%rbx\n movq 8(%%rax), %%rcx\n movq 16(%%rax), %%rdx\n movq 24(%%rax), %%rsi\n movq 32(%%rax), %%rdi\n"
                     "movq 40(%%rax), %%r8\n movq 48(%%rax), %%r9\n movq 56(%%rax), %%r10\n movq 64(%%rax), %%r11\n movq 72(%%rax), %%r12\n"
                     "movq 80(%%rax), %%r13\n movq 88(%%rax), %%r14\n movq 96(%%rax), %%r15\n"
                     "lock incq busy_elsewhere(%%rip)\n lock; incq busy_elsewhere(%%rip)\n popq %%rbp\n"
                     "movq %%rbx, 0(%%rbp)\n movq %%rcx, 8(%%rbp)\n movq %%rdx, 16(%%rbp)\n movq %%rsi, 24(%%rbp)\n movq %%rdi, 32(%%rbp)\n"
                     "movq %%r8, 40(%%rbp)\n movq %%r9, 48(%%rbp)\n movq %%r10, 56(%%rbp)\n movq %%r11, 64(%%rbp)\n movq %%r12, 72(%%rbp)\n"
                     "movq %%r13, 80(%%rbp)\n movq %%r14, 88(%%rbp)\n movq %%r15, 96(%%rbp)\n popq %%rbp\n leaq 128(%%rsp), %%rsp"
                     : "+a"(p), "+b"(q) : : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
    return memcmp(in, out, sizeof in) == 0;
}
u64 busy_elsewhere;

APART static u64 unlocked_updates(void) {
    cells.a[20] = 7;
    __asm__ volatile("incq %0; addq $5, %0; shlq $2, %0; negq %0" : "+m"(cells.a[20]) : : "cc");
    return cells.a[20];
}

/* Functions in assembly: they return, and they call each other. */
__asm__(".text\n.globl add_in_assembly\n.type add_in_assembly, @function\nadd_in_assembly:\n\tmovq $5, %rax\n\tlock; xaddq %rax, (%rdi)\n\tcall add_one\n\tret\n"
        "add_one:\n\taddq (%rdi), %rax; ret\n.size add_in_assembly, .-add_in_assembly\n");
u64 add_in_assembly(u64 *p);

APART static u64 table_beside_code(void) {
    u64 r;
    __asm__ volatile("1: movq %1, %0\n\t.pushsection .rodata, \"a\"\n\t.quad 1b\n\t.popsection" : "=r"(r) : "m"(cells.a[0]));
    return r;
}

int main(void) {
    union { double d; u64 u; } x;
    for (unsigned i = 0; i < 32; i++) cells.a[i] = i * 7 + 1;
#define SHOW(call) printf("%-30s %016llx\n", #call, (unsigned long long)(call))
    SHOW(carry_lives_across());
    SHOW(flag_outputs());
    SHOW(condition_to_memory());
    SHOW(red_zone_of_compiler());
    SHOW(red_zone_of_assembly());
    SHOW(stack_operands());
    SHOW(symbols_with_index(3));
    x.d = doubles_live(1.5, 2.25);
    SHOW(x.u);
#ifdef __AVX2__
    SHOW(wide_vectors_live(_mm256_set_epi64x(1, 2, 3, 4)));
#endif
    SHOW(goto_out());
    SHOW(loop_with_label());
    SHOW(string_instructions());
    SHOW(sixteen_bytes());
    SHOW(eight_bytes());
    SHOW(base_is_destination());
    SHOW(pushes_and_pops());
    SHOW(high_byte());
    SHOW(far_bits());
    SHOW(thread_pointer());
    SHOW(every_register());
    SHOW(unlocked_updates());
    SHOW(add_in_assembly(&cells.a[21]));
    SHOW(table_beside_code());
    return 0;
}
