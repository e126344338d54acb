/* Inline assembly: `plumb cc` puts a call of __plumb_asm before every instruction that touches memory (facts.h). The
 * program executes the instruction itself as soon as the hook returns; no other thread runs in between, so hook and
 * instruction are one. */
#include "explore/inside/signals.h"
#include "explore/inside/access.h"
#include "explore/inside/buffers.h"
#include "explore/inside/failures.h"
#include "explore/inside/hooks.h"
#include "explore/inside/messages.h"
#include "explore/inside/time.h"
#include "explore/model/facts.h"

/* Saves the flags and all general registers as facts.h lists them, looks whether there is anything to do without
 * touching the vector registers, and only then saves those: a hook may switch fibers. */
#define KEEP(r) "  pushq %" r "\n  .cfi_adjust_cfa_offset 8\n"
#define LOSE(r) "  popq %" r "\n  .cfi_adjust_cfa_offset -8\n"
#define THUNK(name, clock, save, restore) \
    ".globl " name "\n.type " name ",@function\n.globl " clock "\n.type " clock ",@function\n" name ":\n" clock ":\n" \
    "  .cfi_startproc\n" \
    "  pushfq\n  .cfi_adjust_cfa_offset 8\n" KEEP("rax") KEEP("rcx") KEEP("rdx") KEEP("rbx") \
        KEEP("rbp") "  .cfi_rel_offset rbp,0\n" KEEP("rsi") KEEP("r8") KEEP("r9") KEEP("r10") KEEP("r11") KEEP("r12") \
            KEEP("r13") KEEP("r14") \
                KEEP("r15") "  movq %rsp,%rbp\n  .cfi_def_cfa_register rbp\n" \
                            "  cld\n  movq %rdi,%rbx\n  movq %rbp,%rsi\n  andq $-64,%rsp\n" \
                            "  call assembly_concerns\n  testb %al,%al\n  jz 1f\n" save \
                            "  movq %rbx,%rdi\n  movq %rbp,%rsi\n  call assembly_hook\n" restore \
                            "1: movq %rbp,%rsp\n  .cfi_def_cfa_register rsp\n" LOSE("r15") LOSE("r14") LOSE("r13") \
                                LOSE("r12") LOSE("r11") LOSE("r10") LOSE("r9") LOSE("r8") LOSE("rsi") \
                                    LOSE("rbp") "  .cfi_restore rbp\n" LOSE("rbx") LOSE("rdx") LOSE("rcx") \
                                        LOSE("rax") "  popfq\n  .cfi_adjust_cfa_offset -8\n" \
                                                    "  ret\n  .cfi_endproc\n.size " name ",.-" name "\n"
#define SAVE1(n) "  movups %xmm" #n "," #n "*16(%rsp)\n"
#define LOAD1(n) "  movups " #n "*16(%rsp),%xmm" #n "\n"
#define ALL(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
/* SSE, AVX, and the three parts of AVX-512; the header behind the first 512 bytes has to be clear. */
#define XSAVE \
    "  subq $2816,%rsp\n  xorl %edx,%edx\n" \
    "  movq %rdx,512(%rsp)\n  movq %rdx,520(%rsp)\n  movq %rdx,528(%rsp)\n  movq %rdx,536(%rsp)\n" \
    "  movq %rdx,544(%rsp)\n  movq %rdx,552(%rsp)\n  movq %rdx,560(%rsp)\n  movq %rdx,568(%rsp)\n" \
    "  movl $0xe6,%eax\n  xsave64 (%rsp)\n"
#define XRESTORE "  movl $0xe6,%eax\n  xorl %edx,%edx\n  xrstor64 (%rsp)\n"

__asm__(".text\n" THUNK("__plumb_asm", "__plumb_rdtsc", "  subq $256,%rsp\n" ALL(SAVE1), ALL(LOAD1)));
__asm__(".text\n" THUNK("__plumb_asm_wide", "__plumb_rdtsc_wide", XSAVE, XRESTORE));

bool assembly_concerns(uintptr_t a, const uint64_t *frame)
    __attribute__((visibility("hidden"), used, target("general-regs-only")));
void assembly_hook(uintptr_t a, uint64_t *frame) __attribute__((visibility("hidden"), used));

enum { OWN_STACK_LOOKS = 1024 }; /* one in so many accesses of the own stack is looked at: it may be one that spins */

static inline __attribute__((target("general-regs-only"))) bool on_own_stack(uintptr_t a, uint64_t code) {
    return own_stack(a) && !(code & ASM_FS);
}

/* A fence orders volatile accesses, for data races only: steps are ordered already. A pause is a hint; waiting is seen
 * by what is read. */
bool assembly_concerns(uintptr_t a, const uint64_t *frame) {
    unsigned kind = frame[FRAME_CODE] & 0xff;
    if (kind == ASM_CLOCK) return true; /* it has to be done */
    if (mode_now() == OUTSIDE || kind == ASM_PAUSE) return false;
    if (kind == ASM_FENCE) return mode_now() == RECORDING;
    if ((kind == ASM_LOAD || kind == ASM_STORE) && on_own_stack(a, frame[FRAME_CODE]) &&
        !shared_count_quiet(OWN_STACK_LOOKS))
        return false;
    return true;
}

/* What x86 does is no execution graph: code with assembly is for --model tso. */
#define ACCESSES "inline assembly that accesses memory"
static void assembly_is_step(const char *what, uintptr_t pc) {
    limit_at(PLACE_ASSEMBLY, pc);
    if (messages_wanted())
        fail(FAILURE_UNMODELLED, "%s at %#lx under a weak memory model (--model tso has it)", what, (unsigned long)pc);
}

static uint64_t value_at(uintptr_t a, uint32_t size) { return bytes_at(a, size < 8 ? size : 8); }

static bool update_is_step(uintptr_t a, uint32_t size, uintptr_t pc) {
    signal_point(pc);
    if (address_is_heap(a)) heap_check_access(a, size, true, pc);
    if (mode_now() != RECORDING) return false;
    if (buffers_wanted()) buffer_drain(pc); /* whatever it is about */
    if (own_stack(a) || own_tls(a)) {
        shared_quiet(a);
        return false;
    }
    if (shared_touch(a, size, true)) {
        assembly_is_step(ACCESSES, pc);
        return true;
    }
    spin_forget(fiber_now());
    return false;
}

static void update_step(uintptr_t a, uint32_t size, uintptr_t pc, uintptr_t sp) {
    if (!update_is_step(a, size, pc)) return;
    step *s = step_describe(STEP_UPDATE, a, size, PLACE_WRITE, pc);
    s->flags |= STEP_MARKER;
    step_is_opaque(true); /* so that it is always a step */
    spin_before(s, sp);
    step_take();
    if (address_is_heap(a)) heap_check_access(a, size, true, pc);
    step_settles_later(value_at(a, size), sp);
    races_access(s, false, true);
    races_sync_access(s, true, true);
}

static uint64_t low_bytes(uint64_t v, uint32_t size) { return size < 8 ? v & ((UINT64_C(1) << 8 * size) - 1) : v; }

static void exchange_step(uintptr_t a, uint32_t size, uint64_t operand, uintptr_t pc, uintptr_t sp) {
    if (!update_is_step(a, size, pc)) return;
    step *s = step_describe(STEP_UPDATE, a, size, PLACE_WRITE, pc);
    step_refreshes(UPDATE_SET, low_bytes(operand, size), 0);
    if (spin_before(s, sp)) return;
    step_take();
    if (address_is_heap(a)) heap_check_access(a, size, true, pc);
    step *last = step_last();
    last->value = low_bytes(operand, size);
    races_access(last, false, true);
    races_sync_access(last, true, true);
    if (last->at[0].role == PLACE_WRITE) spin_forget(fiber_now());
    else spin_saw(last, value_at(a, size), sp);
}

/* The halves of cmpxchg8b and cmpxchg16b are in two registers. */
static uint64_t pair_low(uint64_t low, uint64_t high, uint32_t size) {
    return size == 8 ? (low & UINT32_MAX) | high << 32 : low;
}

/* rax decides whether a compare-and-swap fails. Where its new value is in no register that is known, take it for a
 * change. */
static void cas_step(uintptr_t a, uint32_t size, const uint64_t *frame, uintptr_t pc) {
    uint32_t code = (uint32_t)frame[FRAME_CODE], from = code >> ASM_REGISTER_SHIFT & ASM_REGISTER_MASK;
    bool pair = code & ASM_PAIR, known = pair || from;
    if (size == 16 && a % 16)
        fail(FAILURE_CRASH, "thread %u: cmpxchg16b of %#lx, whose address is no multiple of 16, at %#lx",
             fiber_now()->number, (unsigned long)a, (unsigned long)pc);
    if (!update_is_step(a, size, pc)) return;
    step *s = step_describe(STEP_CAS, a, size, PLACE_WRITE, pc);
    s->expected = pair ? pair_low(frame[FRAME_RAX], frame[FRAME_RDX], size) : low_bytes(frame[FRAME_RAX], size);
    s->expected_high = size == 16 ? frame[FRAME_RDX] : 0;
    uint64_t low = pair   ? pair_low(frame[FRAME_RBX], frame[FRAME_RCX], size)
                   : from ? low_bytes(frame[from - 1], size)
                          : ~s->expected;
    uint64_t high = size == 16 ? frame[FRAME_RCX] : 0;
    step_refreshes(UPDATE_CAS, low, high);
    step_is_opaque(!known);
    if (spin_before(s, (uintptr_t)frame)) return;
    step_take();
    if (address_is_heap(a)) heap_check_access(a, size, true, pc);
    step *last = step_last();
    bool fails = last->flags & STEP_FAILED;
    if (!fails) {
        last->value = low;
        last->high = high;
    }
    races_access(s, false, !fails);
    races_sync_access(s, true, !fails);
    if (last->at[0].role == PLACE_READ && size <= 8) spin_saw(last, value_at(a, size), (uintptr_t)frame);
    else spin_forget(fiber_now());
}

/* Without a lock prefix reading and writing are two accesses. The instruction does both at once, later: so give it back
 * what it would have read, and what others wrote in between is lost, as it would be. */
static void torn_steps(uintptr_t a, uint32_t size, uintptr_t pc, uintptr_t sp) {
    uint8_t seen[16];
    INVARIANT(size <= sizeof seen);
    access_visible(a, size, false, pc, sp);
    memcpy(seen, (const void *)a, size);
    access_visible(a, size, true, pc, sp);
    memcpy((void *)a, seen, size);
}

static void string_accesses(unsigned kind, uint64_t size, const uint64_t *frame, uintptr_t pc) {
    uint64_t count = frame[FRAME_CODE] & ASM_REPEAT ? frame[FRAME_RCX] : 1;
    if (!count) return;
    if (kind == ASM_MOVS) access_plain(frame[FRAME_RSI], count * size, false, pc, (uintptr_t)frame);
    access_plain(frame[FRAME_RDI], count * size, true, pc, (uintptr_t)frame);
}

static uintptr_t bit_address(uintptr_t a, uint32_t size, int64_t offset) {
    if (size == 4) offset = (int32_t)offset;
    if (size == 2) offset = (int16_t)offset;
    return a + (uintptr_t)((offset >> (size == 8 ? 6 : size == 4 ? 5 : 4)) * (int64_t)size);
}

/* In place of rdtsc and rdtscp: what they leave in rdx:rax, and in ecx the number of the processor. */
static void clock_hook(uint64_t *frame, bool processor, uintptr_t pc) {
    uint64_t n = mode_now() == OUTSIDE ? __builtin_ia32_rdtsc() : clock_look(pc);
    frame[FRAME_RAX] = n & UINT32_MAX;
    frame[FRAME_RDX] = n >> 32;
    if (processor) frame[FRAME_RCX] = 0;
}

void assembly_hook(uintptr_t a, uint64_t *frame) {
    uint32_t code = (uint32_t)frame[FRAME_CODE], size = code >> ASM_SIZE_SHIFT & 0xff,
             bits = code >> ASM_REGISTER_SHIFT & ASM_REGISTER_MASK;
    uintptr_t pc = frame[FRAME_RETURN], sp = (uintptr_t)frame;
    INVARIANT((code & 0xff) >= ASM_LOAD && (code & 0xff) <= ASM_CLOCK && bits <= FRAME_RDI + 1);
    if (((code & 0xff) == ASM_LOAD || (code & 0xff) == ASM_STORE) && on_own_stack(a, code)) {
        shared_quiet_many(a, OWN_STACK_LOOKS);
        return;
    }
    if (code & ASM_FS) a += thread_pointer();
    bool bit_offset = bits && (code & 0xff) != ASM_XCHG && (code & 0xff) != ASM_CAS;
    if (bit_offset) a = bit_address(a, size, (int64_t)frame[bits - 1]);
    switch ((enum asm_kind)(code & 0xff)) {
    case ASM_LOAD: access_visible(a, size, false, pc, sp); break;
    case ASM_STORE: access_visible(a, size, true, pc, sp); break;
    case ASM_RMW:
    case ASM_BT: update_step(a, size, pc, sp); break;
    case ASM_XCHG: exchange_step(a, size, frame[bits - 1], pc, sp); break;
    case ASM_CAS:
        if (code & ASM_UNLOCKED) torn_steps(a, size, pc, sp);
        else cas_step(a, size, frame, pc);
        break;
    case ASM_URMW: torn_steps(a, size, pc, sp); break;
    case ASM_MOVS:
    case ASM_STOS: string_accesses(code & 0xff, size, frame, pc); break;
    case ASM_CLOCK: clock_hook(frame, size == 8, pc); break;
    case ASM_FENCE:
        assembly_is_step("a fence in inline assembly", pc);
        if (buffers_wanted() && size == SEQUENTIALLY_CONSISTENT) buffer_drain(pc);
        races_fence(SEQUENTIALLY_CONSISTENT);
        break;
    case ASM_PAUSE: break;
    }
}
