/* What `plumb cc` writes into a program and the machine inside the process reads: the code word of the assembly hook,
 * the frame that its thunk makes, and the facts found at link time. */
#ifndef PLUMB_EXPLORE_MODEL_FACTS_H
#define PLUMB_EXPLORE_MODEL_FACTS_H

#include <stdint.h>

/* ---- the hook before an instruction of inline assembly
 * --------------------------------------------------------------------
 *
 *     leaq -128(%rsp), %rsp ; pushq %rdi ; leaq OPERAND, %rdi ; pushq $CODE
 *     call *__plumb_asm@GOTPCREL(%rip)        (or __plumb_asm_wide: the object uses more than xmm registers)
 *     leaq 8(%rsp), %rsp ; popq %rdi ; leaq 128(%rsp), %rsp
 *     the instruction
 *
 * The thunk keeps all registers and flags. CODE = kind | size << 8 | flags << 16 | (register + 1) << 24. The register
 * of XCHG and CAS holds what is to be written, where that is one of the frame: of cmpxchg16b it is rcx:rbx. */
enum asm_kind {
    ASM_LOAD = 1,
    ASM_STORE,
    ASM_RMW,
    ASM_CAS,   /* expected: al..rax, or rdx:rax of 16 bytes, edx:eax of cmpxchg8b */
    ASM_FENCE, /* size is the memory order: 5 mfence, 0 lfence and sfence */
    ASM_PAUSE,
    ASM_MOVS,
    ASM_STOS, /* addresses and count are in rsi, rdi, rcx */
    ASM_BT,   /* reserved: bit tests come as LOAD, RMW or URMW with a register */
    ASM_URMW, /* read, then write: no lock prefix */
    ASM_XCHG, /* writes what the register holds */
    /* rdtsc, of size 8: rdtscp. The hook stands in place of the instruction, under a name that proofs about loops do
     * not know: __plumb_rdtsc, __plumb_rdtsc_wide */
    ASM_CLOCK,
};

/* already shifted */
enum asm_flag {
    ASM_REPEAT = 1 << 16,   /* MOVS, STOS: rcx times */
    ASM_PAIR = 1 << 17,     /* CAS of two halves: cmpxchg8b, cmpxchg16b */
    ASM_UNLOCKED = 1 << 20, /* CAS without lock prefix */
    ASM_FS = 1 << 21,       /* the address is relative to the base of fs */
};
enum { ASM_SIZE_SHIFT = 8, ASM_REGISTER_SHIFT = 24, ASM_REGISTER_MASK = 0x1f };

/* What the thunk pushes, as words, from the lowest address. `register` in the code word is an index into this: bts, btr
 * and btc with a bit offset in a register reach address + (offset >> log2 of the bits) * size, the offset signed, of
 * `size` bytes. */
enum asm_frame {
    FRAME_R15,
    FRAME_R14,
    FRAME_R13,
    FRAME_R12,
    FRAME_R11,
    FRAME_R10,
    FRAME_R9,
    FRAME_R8,
    FRAME_RSI,
    FRAME_RBP,
    FRAME_RBX,
    FRAME_RDX,
    FRAME_RCX,
    FRAME_RAX,
    FRAME_FLAGS,
    FRAME_RETURN,
    FRAME_CODE,
    FRAME_RDI,
};

/* ---- facts of the link: the symbol __plumb_link of the executable
 * ---------------------------------------------------------
 *
 * A loop is listed by the return address of a hook in it. LOOP_PURE: when a thread comes to this hook a second time
 *   - in the same activation of the same function (between __tsan_func_entry and __tsan_func_exit), of the same
 *     operation,
 *   - with the same arguments (address, operand, and for compare-and-swap the expected value),
 *   - and in between it made no effective atomic write (filtered or not) and no plain write that was a step,
 * then everything the thread will ever look at is as it was the first time, other than shared memory. Plain writes that
 * were not steps were proved to be overwritten before they are read.
 * LOOP_CAS_LOADS: `do ...; while (!compare_exchange(&a, &t, n))`. When the compare-and-swap at `pc` fails and the hook
 * at `first` was executed in the same activation with the same address, with no effective write in between as above,
 * then the thread is in the very state in which it would be had it executed `first` only now.
 * LOOP_CONFIRMED: a thread has executed the atomic load at `first`, which read v at address a, and stands before the
 * hook at `pc` in the same iteration. It has written nothing since it came to a place where the loop is pure, and
 * before it writes anything or leaves the loop it will find v at a again, by a load or a compare-and-swap, or else come
 * back to that place. All that it accesses on the way is what it would access if others changed whatever they like
 * meanwhile. _ZERO, _OTHER: if v is 0, is not. LOOP_RELIES: that holds of the load at `pc` while no thread changes the
 * variable at address `first`. LOOP_HEAD: that place is the hook at `first`. Every load that is confirmed is listed
 * so. */
enum loop_kind {
    LOOP_PURE = 1,
    LOOP_CAS_LOADS = 2,
    LOOP_CONFIRMED,
    LOOP_CONFIRMED_ZERO,
    LOOP_CONFIRMED_OTHER,
    LOOP_RELIES,
    LOOP_HEAD
};

typedef struct loop_fact {
    uint64_t pc;    /* sorted */
    uint32_t kind;  /* enum loop_kind; a pc may be there with each */
    uint32_t first; /* of another hook, or of a variable; the executable lies below 4 GB */
} loop_fact;

#define FACTS_MAGIC "plumb/1"

typedef struct link_facts {
    char magic[8];
    uint32_t analysed; /* 0: no decoder was there, nothing is known of loops */
    uint32_t loops, loops_room;
    uint32_t opaque, opaque_room; /* bytes of text: names of linked objects that were not compiled by us, a line each */
    uint32_t unused;
    /* loop_fact loop[loops_room]; char opaque[opaque_room]; */
} link_facts;

#endif
