/* What `plumb cc` writes into a program before every instruction of inline assembly that touches memory: the code word, and the
 * frame that the thunk makes. */
#ifndef PLUMB_EXPLORE_INSIDE_FACTS_H
#define PLUMB_EXPLORE_INSIDE_FACTS_H

/*     leaq -128(%rsp), %rsp ; pushq %rdi ; leaq OPERAND, %rdi ; pushq $CODE
 *     call *__plumb_asm@GOTPCREL(%rip)        (or __plumb_asm_wide: the object uses more than xmm registers)
 *     leaq 8(%rsp), %rsp ; popq %rdi ; leaq 128(%rsp), %rsp
 *     the instruction
 *
 * The thunk keeps all registers and flags. CODE = kind | size << 8 | flags << 16 | (register + 1) << 24. */
enum asm_kind {
    ASM_LOAD = 1, ASM_STORE, ASM_RMW, ASM_CAS, /* expected: al..rax, or rdx:rax of 16 bytes, edx:eax of cmpxchg8b */
    ASM_FENCE,                                 /* size is the memory order: 5 mfence, 0 lfence and sfence */
    ASM_PAUSE, ASM_MOVS, ASM_STOS,             /* addresses and count are in rsi, rdi, rcx */
    ASM_BT,                                    /* reserved: bit tests come as LOAD, RMW or URMW with a register */
    ASM_URMW,                                  /* read, then write: no lock prefix */
};

enum asm_flag { /* already shifted */
    ASM_REPEAT = 1 << 16,   /* MOVS, STOS: rcx times */
    ASM_PAIR = 1 << 17,     /* CAS of two halves: cmpxchg8b, cmpxchg16b */
    ASM_UNLOCKED = 1 << 20, /* CAS without lock prefix */
    ASM_FS = 1 << 21,       /* the address is relative to the base of fs */
};
enum { ASM_SIZE_SHIFT = 8, ASM_REGISTER_SHIFT = 24, ASM_REGISTER_MASK = 0x1f };

/* What the thunk pushes, as words, from the lowest address. `register` in the code word is an index into this: bts and its
 * kin with a bit offset in a register reach address + (offset >> log2 of the bits) * size, the offset signed, of `size` bytes. */
enum asm_frame {
    FRAME_R15, FRAME_R14, FRAME_R13, FRAME_R12, FRAME_R11, FRAME_R10, FRAME_R9, FRAME_R8, FRAME_RSI, FRAME_RBP, FRAME_RBX,
    FRAME_RDX, FRAME_RCX, FRAME_RAX, FRAME_FLAGS, FRAME_RETURN, FRAME_CODE, FRAME_RDI,
};

#endif
