#include "explore/compile/machine_code.h"

#include "base/mem.h"
#include "explore/compile/callee.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

size_t code_find(const code *c, uint64_t address) {
    size_t low = 0, high = c->size;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (c->at[mid].address < address) low = mid + 1;
        else high = mid;
    }
    return low < c->size && c->at[low].address == address ? low : c->size;
}

void code_free(code *c) { free(c->at); }

#ifdef PLUMB_CAPSTONE

#include <capstone.h>

bool code_decoder_available(void) { return true; }

/* ---- registers ---- */

static int general_index(x86_reg r, unsigned *size) {
    static const uint16_t names[GENERAL][4] = {
        {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL},
        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL},
        {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
        {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
        {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
        {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
        {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
        {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
        {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
        {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
        {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
    };
    static const x86_reg high[] = {X86_REG_AH, X86_REG_CH, X86_REG_DH, X86_REG_BH};
    for (int i = 0; i < GENERAL; i++)
        for (unsigned k = 0; k < 4; k++)
            if (names[i][k] == r) {
                *size = 8u >> k;
                return i;
            }
    for (int i = 0; i < 4; i++)
        if (high[i] == r) {
            *size = 1;
            return i;
        }
    return NO_REGISTER;
}

static int vector_index(x86_reg r, bool *wide) {
    if (r >= X86_REG_XMM0 && r <= X86_REG_XMM31) return (int)(r - X86_REG_XMM0);
    if (r >= X86_REG_YMM0 && r <= X86_REG_YMM31) {
        *wide = true;
        return (int)(r - X86_REG_YMM0);
    }
    if (r >= X86_REG_ZMM0 && r <= X86_REG_ZMM31) {
        *wide = true;
        return (int)(r - X86_REG_ZMM0);
    }
    return NO_REGISTER;
}

/* ---- operands ---- */

typedef struct decoding {
    const cs_insn *from;
    const cs_x86 *x;
    instruction *to;
    bool wide;
} decoding;

static void give_up(decoding *d) { d->to->unknown = true; }

static bool memory_of(decoding *d, const cs_x86_op *o, memory_operand *m) {
    unsigned size;
    *m = (memory_operand){.used = true,
                          .base = NO_REGISTER,
                          .index = NO_REGISTER,
                          .scale = (uint8_t)o->mem.scale,
                          .size = o->size,
                          .disp = o->mem.disp};
    if (o->mem.segment == X86_REG_FS) m->fs = true;
    else if (o->mem.segment == X86_REG_GS) return false;
    if (o->mem.base == X86_REG_RIP) m->disp += (int64_t)(d->from->address + d->from->size);
    else if (o->mem.base != X86_REG_INVALID) {
        m->base = (int8_t)general_index(o->mem.base, &size);
        if (m->base == NO_REGISTER || size != 8) return false;
    }
    if (o->mem.index != X86_REG_INVALID && o->mem.index != X86_REG_RIZ) {
        m->index = (int8_t)general_index(o->mem.index, &size);
        if (m->index == NO_REGISTER || size != 8) return false;
    }
    if (m->base != NO_REGISTER) d->to->reads |= BIT(m->base);
    if (m->index != NO_REGISTER) d->to->reads |= BIT(m->index);
    return true;
}

static void read_operand(decoding *d, unsigned k) {
    const cs_x86_op *o = &d->x->operands[k];
    unsigned size;
    if (o->type == X86_OP_MEM) {
        if (d->to->load.used || !memory_of(d, o, &d->to->load)) give_up(d);
    } else if (o->type == X86_OP_REG) {
        int g = general_index(o->reg, &size), v = vector_index(o->reg, &d->wide);
        if (g != NO_REGISTER) {
            d->to->reads |= BIT(g);
            d->to->values |= BIT(g);
        } else if (v != NO_REGISTER) d->to->reads |= VECTOR_BIT(v);
        else give_up(d);
    }
}

/* Writing 32 or 64 bits replaces a general register; `all` says whether a vector is replaced. */
static void write_operand(decoding *d, unsigned k, bool all) {
    const cs_x86_op *o = &d->x->operands[k];
    unsigned size;
    if (o->type == X86_OP_MEM) {
        if (d->to->store.used || !memory_of(d, o, &d->to->store)) give_up(d);
    } else if (o->type == X86_OP_REG) {
        int g = general_index(o->reg, &size), v = vector_index(o->reg, &d->wide);
        if (g != NO_REGISTER && size >= 4) d->to->writes |= BIT(g);
        else if (g != NO_REGISTER) d->to->partial |= BIT(g);
        else if (v != NO_REGISTER && all) d->to->writes |= VECTOR_BIT(v);
        else if (v != NO_REGISTER) d->to->partial |= VECTOR_BIT(v);
        else give_up(d);
    } else {
        give_up(d);
    }
}

/* ---- instructions ---- */

/* Only what is listed here is understood; capstone's own lists of accesses are not trusted with a proof. */
typedef enum meaning {
    MOVES,
    MERGES /* into a vector register */,
    LOADS_ADDRESS,
    COMBINES,
    COMPARES,
    UNARY,
    SETS,
    SELECTS,
    MEANS_NOTHING,
    UNKNOWN
} meaning;

static bool sets_on_condition(unsigned id) {
    switch (id) {
    case X86_INS_SETA:
    case X86_INS_SETAE:
    case X86_INS_SETB:
    case X86_INS_SETBE:
    case X86_INS_SETE:
    case X86_INS_SETG:
    case X86_INS_SETGE:
    case X86_INS_SETL:
    case X86_INS_SETLE:
    case X86_INS_SETNE:
    case X86_INS_SETNO:
    case X86_INS_SETNP:
    case X86_INS_SETNS:
    case X86_INS_SETO:
    case X86_INS_SETP:
    case X86_INS_SETS: return true;
    default: return false;
    }
}

static bool selects_on_condition(unsigned id) {
    switch (id) {
    case X86_INS_CMOVA:
    case X86_INS_CMOVAE:
    case X86_INS_CMOVB:
    case X86_INS_CMOVBE:
    case X86_INS_CMOVE:
    case X86_INS_CMOVG:
    case X86_INS_CMOVGE:
    case X86_INS_CMOVL:
    case X86_INS_CMOVLE:
    case X86_INS_CMOVNE:
    case X86_INS_CMOVNO:
    case X86_INS_CMOVNP:
    case X86_INS_CMOVNS:
    case X86_INS_CMOVO:
    case X86_INS_CMOVP:
    case X86_INS_CMOVS: return true;
    default: return false;
    }
}

static meaning meaning_of(unsigned id) {
    if (sets_on_condition(id)) return SETS;
    if (selects_on_condition(id)) return SELECTS;
    switch (id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVZX:
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
    case X86_INS_MOVAPS:
    case X86_INS_MOVUPS:
    case X86_INS_MOVAPD:
    case X86_INS_MOVUPD:
    case X86_INS_MOVDQA:
    case X86_INS_MOVDQU:
    case X86_INS_MOVD:
    case X86_INS_MOVQ:
    case X86_INS_VMOVDQA:
    case X86_INS_VMOVDQU:
    case X86_INS_VMOVAPS:
    case X86_INS_VMOVUPS:
    case X86_INS_VMOVQ:
    case X86_INS_VMOVD: return MOVES;
    case X86_INS_LEA: return LOADS_ADDRESS;
    case X86_INS_ADD:
    case X86_INS_SUB:
    case X86_INS_AND:
    case X86_INS_OR:
    case X86_INS_XOR:
    case X86_INS_ADC:
    case X86_INS_SBB:
    case X86_INS_SHL:
    case X86_INS_SHR:
    case X86_INS_SAR:
    case X86_INS_SAL:
    case X86_INS_ROL:
    case X86_INS_ROR:
    case X86_INS_PXOR:
    case X86_INS_XORPS:
    case X86_INS_XORPD:
    case X86_INS_PUNPCKLQDQ:
    case X86_INS_PAND:
    case X86_INS_POR:
    case X86_INS_PADDD:
    case X86_INS_PADDQ:
    case X86_INS_PINSRQ: return COMBINES;
    case X86_INS_MOVSS:
    case X86_INS_MOVSD:
    case X86_INS_MOVHPS:
    case X86_INS_MOVLPS: return MERGES;
    case X86_INS_CMP:
    case X86_INS_TEST:
    case X86_INS_BT:
    case X86_INS_UCOMISS:
    case X86_INS_UCOMISD:
    case X86_INS_COMISS:
    case X86_INS_COMISD: return COMPARES;
    case X86_INS_INC:
    case X86_INS_DEC:
    case X86_INS_NEG:
    case X86_INS_NOT:
    case X86_INS_BSWAP: return UNARY;
    case X86_INS_NOP:
    case X86_INS_ENDBR64:
    case X86_INS_PAUSE:
    case X86_INS_MFENCE:
    case X86_INS_LFENCE:
    case X86_INS_SFENCE:
    case X86_INS_UD2:
    case X86_INS_HLT:
    case X86_INS_INT3:
    case X86_INS_PREFETCHW:
    case X86_INS_PREFETCHT0: return MEANS_NOTHING;
    default: return UNKNOWN;
    }
}

/* xor r,r and its variants give zero whatever was there. */
static bool clears(const decoding *d) {
    unsigned id = d->from->id;
    bool kind =
        id == X86_INS_XOR || id == X86_INS_SUB || id == X86_INS_PXOR || id == X86_INS_XORPS || id == X86_INS_XORPD;
    return kind && d->x->op_count == 2 && d->x->operands[0].type == X86_OP_REG &&
           d->x->operands[1].type == X86_OP_REG && d->x->operands[0].reg == d->x->operands[1].reg &&
           d->x->operands[0].size >= 4;
}

static bool writes_all_flags(unsigned id) {
    return id == X86_INS_ADD || id == X86_INS_SUB || id == X86_INS_AND || id == X86_INS_OR || id == X86_INS_XOR ||
           id == X86_INS_CMP || id == X86_INS_TEST || id == X86_INS_NEG || id == X86_INS_ADC || id == X86_INS_SBB ||
           id == X86_INS_UCOMISS || id == X86_INS_UCOMISD || id == X86_INS_COMISS || id == X86_INS_COMISD;
}

static void note_flags(decoding *d, meaning m) {
    unsigned id = d->from->id;
    if (id == X86_INS_ADC || id == X86_INS_SBB || m == SETS || m == SELECTS) d->to->reads |= FLAGS_BIT;
    if (writes_all_flags(id)) d->to->writes |= FLAGS_BIT;
    else if (m == COMBINES || m == COMPARES || m == UNARY) d->to->partial |= FLAGS_BIT;
}

/* lock add $0, (mem) and its variants write back what was there: a fence. */
static bool is_fence(const decoding *d) {
    unsigned id = d->from->id;
    return d->x->prefix[0] == X86_PREFIX_LOCK && (id == X86_INS_ADD || id == X86_INS_OR || id == X86_INS_SUB) &&
           d->x->operands[1].type == X86_OP_IMM && d->x->operands[1].imm == 0;
}

/* Compare-and-swap, exchange, exchange-and-add and bit operations with memory. */
static bool decode_atomic(decoding *d) {
    unsigned id = d->from->id;
    bool memory = d->x->op_count && (d->x->operands[0].type == X86_OP_MEM ||
                                     (d->x->op_count > 1 && d->x->operands[1].type == X86_OP_MEM));
    switch (id) {
    case X86_INS_XCHG:
    case X86_INS_XADD:
        for (unsigned k = 0; k < 2; k++) {
            read_operand(d, k);
            write_operand(d, k, true);
        }
        break;
    case X86_INS_CMPXCHG:
        read_operand(d, 0);
        write_operand(d, 0, true);
        read_operand(d, 1);
        d->to->reads |= BIT(RAX);
        d->to->partial |= BIT(RAX); /* only when it fails */
        break;
    case X86_INS_CMPXCHG16B:
    case X86_INS_CMPXCHG8B:
        read_operand(d, 0);
        write_operand(d, 0, true);
        d->to->reads |= BIT(RAX) | BIT(RDX) | BIT(RBX) | BIT(RCX);
        d->to->partial |= BIT(RAX) | BIT(RDX);
        break;
    case X86_INS_BTS:
    case X86_INS_BTR:
    case X86_INS_BTC:
        if (memory && d->x->operands[1].type == X86_OP_REG) give_up(d); /* reaches beyond its operand */
        read_operand(d, 0);
        write_operand(d, 0, true);
        read_operand(d, 1);
        break;
    default: return false;
    }
    d->to->atomic = memory && (d->x->prefix[0] == X86_PREFIX_LOCK || id == X86_INS_XCHG);
    if (id != X86_INS_XCHG) d->to->writes |= FLAGS_BIT;
    return true;
}

/* Those with fixed registers. */
static bool decode_fixed(decoding *d) {
    instruction *i = d->to;
    switch (d->from->id) {
    case X86_INS_CDQE:
    case X86_INS_CWDE:
        i->reads |= BIT(RAX);
        i->writes |= BIT(RAX);
        return true;
    case X86_INS_CDQ:
    case X86_INS_CQO:
        i->reads |= BIT(RAX);
        i->writes |= BIT(RDX);
        return true;
    case X86_INS_MUL:
    case X86_INS_DIV:
    case X86_INS_IDIV:
        read_operand(d, 0);
        if (d->x->operands[0].size < 4) give_up(d);
        i->reads |= BIT(RAX) | BIT(RDX);
        i->writes |= BIT(RAX) | BIT(RDX);
        i->partial |= FLAGS_BIT;
        return true;
    case X86_INS_IMUL:
        if (d->x->op_count < 2) return false;
        for (unsigned k = 0; k < d->x->op_count; k++)
            if (k || d->x->op_count == 2) read_operand(d, k);
        write_operand(d, 0, true);
        i->partial |= FLAGS_BIT;
        return true;
    default: return false;
    }
}

static void decode_stack(decoding *d) {
    instruction *i = d->to;
    i->reads |= BIT(RSP);
    i->writes |= BIT(RSP);
    if (d->from->id == X86_INS_LEAVE) {
        i->pointer = POINTER_LEAVE;
        i->reads |= BIT(RBP);
        i->writes |= BIT(RBP);
        i->load = (memory_operand){.used = true, .base = RBP, .index = NO_REGISTER, .size = 8};
    } else if (d->from->id == X86_INS_PUSH) {
        i->pointer = POINTER_PUSH;
        if (d->x->operands[0].size != 8) give_up(d);
        if (d->x->operands[0].type != X86_OP_IMM) read_operand(d, 0);
        i->store = (memory_operand){.used = true, .base = RSP, .index = NO_REGISTER, .size = 8, .disp = -8};
    } else {
        i->pointer = POINTER_POP;
        if (d->x->operands[0].type != X86_OP_REG || d->x->operands[0].size != 8) give_up(d);
        else write_operand(d, 0, true);
        i->load = (memory_operand){.used = true, .base = RSP, .index = NO_REGISTER, .size = 8};
    }
}

/* Copies of pointers into the stack: mov, lea with a constant, add and sub of a constant. */
static void note_pointer(decoding *d) {
    const cs_x86_op *o = d->x->operands;
    unsigned a = 0, b = 0, id = d->from->id;
    if (d->x->op_count != 2 || o[0].type != X86_OP_REG) return;
    int to = general_index(o[0].reg, &a);
    if (to == NO_REGISTER || a != 8) return;
    int from = NO_REGISTER;
    int64_t add = 0;
    if (id == X86_INS_MOV && o[1].type == X86_OP_REG) from = general_index(o[1].reg, &b);
    else if (id == X86_INS_LEA && o[1].mem.index == X86_REG_INVALID) {
        from = general_index(o[1].mem.base, &b);
        add = o[1].mem.disp;
    } else if ((id == X86_INS_ADD || id == X86_INS_SUB) && o[1].type == X86_OP_IMM) {
        from = to;
        b = 8;
        add = id == X86_INS_ADD ? o[1].imm : -o[1].imm;
    }
    if (from == NO_REGISTER || b != 8) return;
    d->to->pointer = POINTER_COPY;
    d->to->to = (int8_t)to;
    d->to->from = (int8_t)from;
    d->to->add = add;
}

/* A register becomes a number that the instruction says: an address, most of the time. */
static void note_constant(decoding *d) {
    const cs_x86_op *o = d->x->operands;
    unsigned size = 0;
    memory_operand address;
    if (d->x->op_count != 2 || o[0].type != X86_OP_REG || general_index(o[0].reg, &size) == NO_REGISTER || size < 4)
        return;
    if (d->from->id == X86_INS_MOV && o[1].type == X86_OP_IMM) {
        d->to->constant = true;
        d->to->number = size == 4 ? (uint32_t)o[1].imm : o[1].imm;
    }
    if (d->from->id == X86_INS_LEA && o[1].mem.base == X86_REG_RIP && memory_of(d, &o[1], &address)) {
        d->to->constant = true;
        d->to->number = address.disp;
    }
}

static void note_comparison(decoding *d) {
    unsigned id = d->from->id, size = 0;
    if (id != X86_INS_CMP && id != X86_INS_TEST) return;
    d->to->compared_bits = id == X86_INS_TEST;
    d->to->compared_size = d->x->operands[0].size;
    for (unsigned k = 0; k < 2; k++) {
        const cs_x86_op *o = &d->x->operands[k];
        d->to->compared[k] = (int8_t)(o->type == X86_OP_REG ? general_index(o->reg, &size) : NO_REGISTER);
    }
    const cs_x86_op *second = &d->x->operands[1];
    if (second->type == X86_OP_IMM) {
        d->to->compared_number = true;
        d->to->compared_with = second->imm;
    }
}

static void decode_plain(decoding *d) {
    meaning m = meaning_of(d->from->id);
    memory_operand address;
    switch (m) {
    case MOVES:
        read_operand(d, 1);
        write_operand(d, 0, true);
        break;
    case MERGES:
        read_operand(d, 1);
        write_operand(d, 0, false);
        break;
    case LOADS_ADDRESS:
        if (!memory_of(d, &d->x->operands[1], &address)) give_up(d);
        d->to->values = d->to->reads;
        write_operand(d, 0, true);
        break;
    case COMBINES:
        if (!clears(d)) {
            read_operand(d, 0);
            if (d->x->op_count > 1) read_operand(d, 1);
        }
        if (!is_fence(d)) write_operand(d, 0, true);
        d->to->atomic = d->x->prefix[0] == X86_PREFIX_LOCK;
        break;
    case COMPARES:
        read_operand(d, 0);
        read_operand(d, 1);
        break;
    case UNARY:
        read_operand(d, 0);
        write_operand(d, 0, true);
        d->to->atomic = d->x->prefix[0] == X86_PREFIX_LOCK;
        break;
    case SETS: write_operand(d, 0, true); break;
    case SELECTS:
        read_operand(d, 0);
        read_operand(d, 1);
        write_operand(d, 0, true);
        break;
    case MEANS_NOTHING: break;
    case UNKNOWN: give_up(d); break;
    }
    note_flags(d, m);
    note_comparison(d);
    note_pointer(d);
    note_constant(d);
}

static void decode_call(decoding *d, const elf_file *f) {
    const cs_x86_op *o = &d->x->operands[0];
    d->to->flow = FLOW_CALL;
    d->to->callee = "";
    if (o->type == X86_OP_IMM) {
        d->to->target = (uint64_t)o->imm;
        d->to->callee = callee_at(f, d->to->target);
    } else if (o->type == X86_OP_MEM && o->mem.base == X86_REG_RIP)
        d->to->callee = callee_in_slot(f, d->from->address + d->from->size + (uint64_t)o->mem.disp);
    else if (o->type == X86_OP_MEM) {
        if (!memory_of(d, o, &d->to->load)) give_up(d);
    } else read_operand(d, 0);
}

static bool decode_flow(decoding *d, const elf_file *f, csh h) {
    const cs_insn *i = d->from;
    bool jump = cs_insn_group(h, i, CS_GRP_JUMP);
    if (cs_insn_group(h, i, CS_GRP_CALL) && i->id == X86_INS_CALL) decode_call(d, f);
    else if (i->id == X86_INS_RET) d->to->flow = FLOW_RETURN;
    else if (i->id == X86_INS_UD2 || i->id == X86_INS_HLT) d->to->flow = FLOW_STOP;
    else if (jump && d->x->operands[0].type != X86_OP_IMM) d->to->flow = FLOW_ANYWHERE;
    else if (jump) {
        d->to->flow = i->id == X86_INS_JMP ? FLOW_JUMP : FLOW_BRANCH;
        d->to->target = (uint64_t)d->x->operands[0].imm;
        d->to->callee = callee_at(f, d->to->target); /* when it leaves the function, a call in its place */
        if (d->to->flow == FLOW_BRANCH) d->to->reads |= FLAGS_BIT;
        if (i->id == X86_INS_JE || i->id == X86_INS_JNE)
            d->to->condition = i->id == X86_INS_JE ? CONDITION_EQUAL : CONDITION_DIFFERENT;
        if (i->id == X86_INS_JRCXZ || i->id == X86_INS_JECXZ || i->id == X86_INS_LOOP || i->id == X86_INS_LOOPE ||
            i->id == X86_INS_LOOPNE)
            give_up(d);
    } else return false;
    return true;
}

static void decode_one(decoding *d, const elf_file *f, csh h) {
    unsigned id = d->from->id;
    d->to->address = d->from->address;
    d->to->length = (uint8_t)d->from->size;
    d->to->padding = id == X86_INS_NOP || id == X86_INS_INT3;
    if (decode_flow(d, f, h)) return;
    if (id == X86_INS_PUSH || id == X86_INS_POP || id == X86_INS_LEAVE) decode_stack(d);
    else if (d->x->prefix[0] == X86_PREFIX_REP || d->x->prefix[0] == X86_PREFIX_REPNE) {
        if (id != X86_INS_PAUSE && id != X86_INS_NOP && id != X86_INS_ENDBR64) give_up(d);
    } else if (!decode_atomic(d) && !decode_fixed(d)) decode_plain(d);
}

bool code_decode(code *c, const elf_file *f, uint64_t address, uint64_t size) {
    csh h;
    const unsigned char *p = elf_at(f, address, size);
    size_t left = size;
    if (!p || cs_open(CS_ARCH_X86, CS_MODE_64, &h) != CS_ERR_OK) return false;
    cs_option(h, CS_OPT_DETAIL, CS_OPT_ON);
    cs_insn *i = cs_malloc(h);
    while (left && cs_disasm_iter(h, &p, &left, &address, i)) {
        if (c->size == c->room) c->at = MEM_GROW(c->at, instruction, c->room = c->room ? 2 * c->room : 256);
        assert(c->size < c->room && i->size && i->size <= 15);
        instruction *to = &c->at[c->size++];
        memset(to, 0, sizeof *to);
        decoding d = {i, &i->detail->x86, to, false};
        decode_one(&d, f, h);
        c->wide |= d.wide;
        assert(to->length == i->size && to->address == i->address);
        assert(!(to->values & ~to->reads) && to->flow <= FLOW_ANYWHERE);
        assert(c->size < 2 || to[-1].address != to->address);
    }
    cs_free(i, 1);
    cs_close(&h);
    return left == 0;
}

#else

bool code_decoder_available(void) { return false; }

bool code_decode(code *c, const elf_file *f, uint64_t address, uint64_t size) {
    (void)c, (void)f, (void)address, (void)size;
    return false;
}

#endif
