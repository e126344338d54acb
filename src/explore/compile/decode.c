#include "explore/compile/decode.h"

#ifdef PLUMB_CAPSTONE

#include <capstone.h>
#include <stdio.h>
#include <string.h>

bool decode_available(void) { return true; }

static bool is_atomic(const cs_insn *i) {
    const cs_x86 *x = &i->detail->x86;
    if (x->prefix[0] == X86_PREFIX_LOCK) return true;
    if (i->id != X86_INS_XCHG) return false;
    for (unsigned k = 0; k < x->op_count; k++)
        if (x->operands[k].type == X86_OP_MEM) return true;
    return false;
}

/* A locked instruction on the own stack is how compilers write a fence: it hides nothing. */
static bool is_stack_fence(const cs_insn *i) {
    const cs_x86_op *o = i->detail->x86.operands; /* in the order of AT&T */
    return i->detail->x86.op_count == 2 && o[0].type == X86_OP_IMM && o[1].type == X86_OP_MEM &&
           o[1].mem.base == X86_REG_RSP;
}

unsigned decode_count_atomics(const unsigned char *code, size_t size, char *first, size_t room) {
    csh h;
    unsigned count = 0;
    uint64_t address = 0;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &h) != CS_ERR_OK) return 0;
    cs_option(h, CS_OPT_DETAIL, CS_OPT_ON);
    cs_option(h, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    cs_insn *i = cs_malloc(h);
    while (size) {
        if (!cs_disasm_iter(h, &code, &size, &address, i)) { /* data among code: go on at the next byte */
            code++;
            size--;
            address++;
            continue;
        }
        if (!is_atomic(i) || is_stack_fence(i)) continue;
        if (room && count == 0) snprintf(first, room, "%s %s", i->mnemonic, i->op_str);
        count++;
    }
    cs_free(i, 1);
    cs_close(&h);
    return count;
}

/* Where a direct jump or call goes to, and what an operand relative to the next instruction is. */
static void decode_target(csh h, const cs_insn *i, decoded *d) {
    const cs_x86 *x = &i->detail->x86;
    d->goes_to = (cs_insn_group(h, i, CS_GRP_JUMP) || cs_insn_group(h, i, CS_GRP_CALL)) && x->op_count == 1 &&
                 x->operands[0].type == X86_OP_IMM;
    if (d->goes_to) d->target = (uint64_t)x->operands[0].imm;
    for (unsigned k = 0; k < x->op_count; k++)
        if (x->operands[k].type == X86_OP_MEM && x->operands[k].mem.base == X86_REG_RIP) {
            d->in_place = true;
            d->target = i->address + i->size + (uint64_t)x->operands[k].mem.disp;
        }
}

static bool is_padding(const cs_insn *i) {
    return i->id == X86_INS_NOP || i->id == X86_INS_FNOP || (i->id == X86_INS_XCHG && !strcmp(i->op_str, "%ax, %ax"));
}

bool decode_each(const unsigned char *code, size_t size, bool (*each)(void *context, const decoded *d), void *context) {
    csh h;
    uint64_t address = 0;
    bool good = true;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &h) != CS_ERR_OK) return false;
    cs_option(h, CS_OPT_DETAIL, CS_OPT_ON);
    cs_option(h, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    cs_insn *i = cs_malloc(h);
    while (good && size && (good = cs_disasm_iter(h, &code, &size, &address, i))) {
        decoded d = {
            .at = i->address, .size = i->size, .mnemonic = i->mnemonic, .operands = i->op_str, .pads = is_padding(i)};
        decode_target(h, i, &d);
        good = each(context, &d);
    }
    cs_free(i, 1);
    cs_close(&h);
    return good;
}

#else

#ifdef __aarch64__

#include <stdio.h>
#include <string.h>

/* Instructions have four bytes each, and a few bits tell the families of atomics. */
static const char *atomic_family(uint32_t instruction) {
    if ((instruction & 0x3f000000) == 0x08000000)
        return "an exclusive or ordered load or store, or a compare-and-swap"; /* ldxr, stlr, cas, ... */
    if ((instruction & 0x3b200c00) == 0x38200000) return "an atomic update";   /* ldadd, swp, ... */
    return NULL;
}

bool decode_available(void) { return true; }

unsigned decode_count_atomics(const unsigned char *code, size_t size, char *first, size_t room) {
    unsigned count = 0;
    for (size_t at = 0; at + 4 <= size; at += 4) {
        uint32_t instruction;
        memcpy(&instruction, code + at, sizeof instruction);
        const char *family = atomic_family(instruction);
        if (family && room && count == 0) snprintf(first, room, "%s", family);
        count += family != NULL;
    }
    return count;
}

#else

bool decode_available(void) { return false; }

unsigned decode_count_atomics(const unsigned char *code, size_t size, char *first, size_t room) {
    (void)code, (void)size, (void)first, (void)room;
    return 0;
}

#endif

bool decode_each(const unsigned char *code, size_t size, bool (*each)(void *context, const decoded *d), void *context) {
    (void)code, (void)size, (void)each, (void)context;
    return false;
}

#endif
