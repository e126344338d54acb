#include "explore/inside/processor.h"

#include <string.h>

#define HELD_STORE \
    "  sub sp,sp,#160\n" \
    "  stp x19,x20,[sp]\n  stp x21,x22,[sp,#16]\n  stp x23,x24,[sp,#32]\n  stp x25,x26,[sp,#48]\n" \
    "  stp x27,x28,[sp,#64]\n  stp x29,x30,[sp,#80]\n  stp d8,d9,[sp,#96]\n  stp d10,d11,[sp,#112]\n" \
    "  stp d12,d13,[sp,#128]\n  stp d14,d15,[sp,#144]\n" \
    "  mov x9,sp\n  str x9,[x0]\n"

/* Of a new fiber x19 holds the body, x20 the argument. */
__asm__(".text\n"
        ".globl fiber_exchange\n.hidden fiber_exchange\n.type fiber_exchange,%function\n"
        "fiber_exchange:\n" HELD_STORE "  mov sp,x1\n" HELD_LOAD "  mov x16,x30\n  br x16\n"
        ".size fiber_exchange,.-fiber_exchange\n"
        ".globl fiber_hold\n.hidden fiber_hold\n.type fiber_hold,%function\n"
        "fiber_hold:\n" HELD_STORE "  blr x1\n" HELD_LOAD "  ret\n"
        ".size fiber_hold,.-fiber_hold\n"
        ".globl fiber_begin\n.hidden fiber_begin\n.type fiber_begin,%function\n"
        "fiber_begin:\n"
        "  .cfi_startproc\n"
        "  .cfi_undefined x30\n"
        "  mov x29,xzr\n"
        "  mov x0,x20\n"
        "  blr x19\n"
        "  brk #1\n"
        "  .cfi_endproc\n"
        ".size fiber_begin,.-fiber_begin\n");

void *frame_new(uintptr_t top, uintptr_t body, uintptr_t argument) {
    uintptr_t *sp = (uintptr_t *)(top - HELD_BYTES);
    memset(sp, 0, HELD_BYTES);
    sp[0] = body;
    sp[1] = argument;
    sp[11] = (uintptr_t)fiber_begin;
    return sp;
}
