#include "explore/inside/processor.h"

/* Of a new fiber rbx holds the body, r12 the argument. */
__asm__(".text\n"
        ".globl fiber_exchange\n.hidden fiber_exchange\n.type fiber_exchange,@function\n"
        "fiber_exchange:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp,(%rdi)\n"
        "  movq %rsi,%rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  popq %rcx\n  jmp *%rcx\n"
        ".size fiber_exchange,.-fiber_exchange\n"
        ".globl fiber_hold\n.hidden fiber_hold\n.type fiber_hold,@function\n"
        "fiber_hold:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp,(%rdi)\n"
        "  subq $8,%rsp\n"
        "  call *%rsi\n"
        "  addq $8,%rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size fiber_hold,.-fiber_hold\n"
        ".globl fiber_begin\n.hidden fiber_begin\n.type fiber_begin,@function\n"
        "fiber_begin:\n"
        "  .cfi_startproc\n"
        "  .cfi_undefined rip\n"
        "  xorl %ebp,%ebp\n"
        "  movq %r12,%rdi\n"
        "  call *%rbx\n"
        "  ud2\n"
        "  .cfi_endproc\n"
        ".size fiber_begin,.-fiber_begin\n");

void *frame_new(uintptr_t top, uintptr_t body, uintptr_t argument) {
    uintptr_t *sp = (uintptr_t *)top;
    *--sp = 0;
    *--sp = 0; /* calls are made with an aligned stack */
    *--sp = (uintptr_t)fiber_begin;
    *--sp = 0; /* rbp */
    *--sp = body;
    *--sp = argument;
    sp -= 3; /* r13, r14, r15 */
    sp[0] = sp[1] = sp[2] = 0;
    return sp;
}
