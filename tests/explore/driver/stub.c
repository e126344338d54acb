/* A runtime that explores nothing: it performs atomic operations, counts hooks, and in the assembly hook destroys every
 * register, flag and vector that the thunk promised to keep. What survives this survives a switch of fibers.
 *
 * Mutants of the thunk, which the torture test must notice: -DLOSE_FLAGS, -DLOSE_VECTORS, -DLOSE_WIDE. */
#include "explore/model/facts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned long hooks_of_compiler, hooks_of_asm;
unsigned long asm_kinds[16];
uint64_t asm_last_address, asm_last_code;

/* ---- what compilers call ---- */

#define ACCESS(name) void __tsan_##name(void *p); void __tsan_##name(void *p) { (void)p; hooks_of_compiler++; }
#define ACCESSES(n) ACCESS(read##n) ACCESS(write##n) ACCESS(unaligned_read##n) ACCESS(unaligned_write##n) \
    ACCESS(volatile_read##n) ACCESS(volatile_write##n) ACCESS(unaligned_volatile_read##n) ACCESS(unaligned_volatile_write##n) \
    ACCESS(read_write##n) ACCESS(unaligned_read_write##n)
ACCESSES(1) ACCESSES(2) ACCESSES(4) ACCESSES(8) ACCESSES(16)
ACCESS(func_entry) ACCESS(vptr_read)
/* what `plumb cc` makes of the hook of a small store that follows at once */
ACCESS(certain_write1) ACCESS(certain_write2) ACCESS(certain_volatile_write1) ACCESS(certain_volatile_write2)

#define PLAIN(name, ...) void __tsan_##name(__VA_ARGS__); void __tsan_##name(__VA_ARGS__)
PLAIN(func_exit, void) {}
PLAIN(init, void) {}
PLAIN(vptr_update, void **p, void *v) { (void)p, (void)v; }
PLAIN(read_range, void *p, unsigned long n) { (void)p, (void)n; hooks_of_compiler++; }
PLAIN(write_range, void *p, unsigned long n) { (void)p, (void)n; hooks_of_compiler++; }
PLAIN(atomic_thread_fence, int order) { (void)order; __sync_synchronize(); }
PLAIN(atomic_signal_fence, int order) { (void)order; }

#define ATOMIC(name, type, ...) type __tsan_##name(__VA_ARGS__); type __tsan_##name(__VA_ARGS__)
#define ATOMICS(n, type) \
    ATOMIC(atomic##n##_load, type, const volatile type *p, int o) { (void)o; hooks_of_compiler++; return *p; } \
    ATOMIC(atomic##n##_store, void, volatile type *p, type v, int o) { (void)o; hooks_of_compiler++; *p = v; } \
    ATOMIC(atomic##n##_exchange, type, volatile type *p, type v, int o) { (void)o; hooks_of_compiler++; type w = *p; *p = v; return w; } \
    ATOMIC(atomic##n##_fetch_add, type, volatile type *p, type v, int o) { (void)o; type w = *p; *p = (type)(w + v); return w; } \
    ATOMIC(atomic##n##_fetch_sub, type, volatile type *p, type v, int o) { (void)o; type w = *p; *p = (type)(w - v); return w; } \
    ATOMIC(atomic##n##_fetch_and, type, volatile type *p, type v, int o) { (void)o; type w = *p; *p = (type)(w & v); return w; } \
    ATOMIC(atomic##n##_fetch_or, type, volatile type *p, type v, int o) { (void)o; type w = *p; *p = (type)(w | v); return w; } \
    ATOMIC(atomic##n##_fetch_xor, type, volatile type *p, type v, int o) { (void)o; type w = *p; *p = (type)(w ^ v); return w; } \
    ATOMIC(atomic##n##_fetch_nand, type, volatile type *p, type v, int o) { (void)o; type w = *p; *p = (type) ~(w & v); return w; } \
    ATOMIC(atomic##n##_compare_exchange_strong, int, volatile type *p, type *e, type v, int o, int f) { \
        (void)o, (void)f; hooks_of_compiler++; if (*p == *e) return *p = v, 1; return *e = *p, 0; } \
    ATOMIC(atomic##n##_compare_exchange_weak, int, volatile type *p, type *e, type v, int o, int f) { \
        (void)o, (void)f; hooks_of_compiler++; if (*p == *e) return *p = v, 1; return *e = *p, 0; } \
    ATOMIC(atomic##n##_compare_exchange_val, type, volatile type *p, type e, type v, int o, int f) { \
        (void)o, (void)f; hooks_of_compiler++; type w = *p; if (w == e) *p = v; return w; }
ATOMICS(8, uint8_t) ATOMICS(16, uint16_t) ATOMICS(32, uint32_t) ATOMICS(64, uint64_t)
__extension__ typedef unsigned __int128 wide;
ATOMICS(128, wide)

void *__wrap_memcpy(void *d, const void *s, size_t n);
void *__wrap_memcpy(void *d, const void *s, size_t n) { hooks_of_compiler++; return memmove(d, s, n); }
void *__wrap_memset(void *d, int c, size_t n);
void *__wrap_memset(void *d, int c, size_t n) { hooks_of_compiler++; return memset(d, c, n); }

void plumb_pure_loop(void);
void plumb_pure_loop(void) {}

/* ---- the hook in assembly ---- */

void stub_asm(uint64_t address, const uint64_t *frame);
void stub_asm(uint64_t address, const uint64_t *frame) {
    hooks_of_asm++;
    asm_last_code = frame[FRAME_CODE];
    asm_last_address = address;
    asm_kinds[asm_last_code & 15]++;
}

#define PUSH " pushfq\n push %rax\n push %rcx\n push %rdx\n push %rbx\n push %rbp\n push %rsi\n push %r8\n push %r9\n push %r10\n push %r11\n" \
             " push %r12\n push %r13\n push %r14\n push %r15\n mov %rsp, %rbp\n cld\n mov %rbp, %rsi\n and $-64, %rsp\n"
#ifdef LOSE_FLAGS
#define POP_FLAGS " lea 8(%rsp), %rsp\n"
#else
#define POP_FLAGS " popfq\n"
#endif
#define POP " mov %rbp, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %r11\n pop %r10\n pop %r9\n pop %r8\n pop %rsi\n pop %rbp\n" \
            " pop %rbx\n pop %rdx\n pop %rcx\n pop %rax\n" POP_FLAGS " ret\n"
#define EACH_XMM(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define SAVE_XMM(n) " movups %xmm" #n ", 16*" #n "(%rsp)\n"
#define LOAD_XMM(n) " movups 16*" #n "(%rsp), %xmm" #n "\n"
#define BREAK_XMM(n) " pcmpeqb %xmm" #n ", %xmm" #n "\n"
#define BREAK_YMM(n) " vpcmpeqb %ymm" #n ", %ymm" #n ", %ymm" #n "\n"
/* Flags, registers and a stretch of memory below the stack pointer are filled with rubbish. */
#define BREAK " mov $-1, %rax\n mov %rax, %rcx\n mov %rax, %rdx\n mov %rax, %rbx\n mov %rax, %rsi\n mov %rax, %rdi\n mov %rax, %r8\n mov %rax, %r9\n" \
              " mov %rax, %r10\n mov %rax, %r11\n mov %rax, %r12\n mov %rax, %r13\n mov %rax, %r14\n mov %rax, %r15\n" \
              " mov $64, %ecx\n1: push %rax\n dec %ecx\n jnz 1b\n lea 512(%rsp), %rsp\n add $1, %rax\n cmc\n"
#define CLEAR_HEADER " movq $0, 512(%rsp)\n movq $0, 520(%rsp)\n movq $0, 528(%rsp)\n movq $0, 536(%rsp)\n movq $0, 544(%rsp)\n movq $0, 552(%rsp)\n" \
                     " movq $0, 560(%rsp)\n movq $0, 568(%rsp)\n"
#define MASK " mov $0xe6, %eax\n xor %edx, %edx\n"

#if defined(LOSE_VECTORS)
#define RESTORE_XMM ""
#define RESTORE_WIDE ""
#elif defined(LOSE_WIDE)
#define RESTORE_XMM EACH_XMM(LOAD_XMM)
#define RESTORE_WIDE " lea 576(%rsp), %rsp\n" EACH_XMM(LOAD_XMM)
#else
#define RESTORE_XMM EACH_XMM(LOAD_XMM)
#define RESTORE_WIDE MASK " xrstor (%rsp)\n"
#endif

__asm__(".text\n.globl __plumb_asm, __plumb_asm_wide\n.type __plumb_asm, @function\n.type __plumb_asm_wide, @function\n"
        "__plumb_asm:\n" PUSH " sub $256, %rsp\n" EACH_XMM(SAVE_XMM) " call stub_asm\n" EACH_XMM(BREAK_XMM) BREAK RESTORE_XMM POP
        "__plumb_asm_wide:\n" PUSH " sub $2816, %rsp\n" CLEAR_HEADER MASK " xsavec (%rsp)\n call stub_asm\n" EACH_XMM(BREAK_YMM) BREAK RESTORE_WIDE POP);

__attribute__((destructor)) static void report(void) {
    if (getenv("STUB_REPORT")) fprintf(stderr, "hooks: compiler %s, asm %lu\n", hooks_of_compiler ? "some" : "none", hooks_of_asm);
}
