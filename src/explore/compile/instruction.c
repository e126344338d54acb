#include "explore/compile/instruction.h"

#include "explore/model/facts.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

typedef enum rule {
    NOTHING, /* computes an address, hints, jumps */
    READS,
    WRITES,
    MOVES,     /* last operand is the destination: a write there, else a read */
    UPDATES,   /* reads and writes when memory is the destination, else reads */
    EXCHANGES, /* locked, prefix or not */
    COMPARES_AND_SWAPS,
    TESTS_BIT,
    UPDATES_BIT,
    FENCES,
    PAUSES,
    LOOKS_AT_CLOCK,
    COPIES,
    FILLS, /* string instructions */
    REFUSED,
} rule;

/* Where the size comes from. SUFFIX: a last letter b, w, l, q, or else the register operand. */
enum { SUFFIX = 0, VECTOR = 255 /* 16, or 32 with a ymm register */ };

typedef struct mnemonic_row {
    const char *names; /* blank-separated */
    rule rule;
    unsigned size;
    const char *why; /* REFUSED */
} mnemonic_row;

static const mnemonic_row table[] = {
    {"mov movabs movnti", MOVES, SUFFIX, NULL},
    {"add sub and or xor adc sbb inc dec neg not xadd shl shr sar sal rol ror rcl rcr shld shrd", UPDATES, SUFFIX,
     NULL},
    {"cmp test imul mul div idiv bsf bsr popcnt lzcnt tzcnt andn bextr blsi blsr blsmsk bzhi pdep pext mulx rorx sarx "
     "shlx "
     "shrx "
     "crc32 adcx adox",
     READS, SUFFIX, NULL},
    {"bt", TESTS_BIT, SUFFIX, NULL},
    {"bts btr btc", UPDATES_BIT, SUFFIX, NULL},
    {"xchg", EXCHANGES, SUFFIX, NULL},
    {"cmpxchg", COMPARES_AND_SWAPS, SUFFIX, NULL},
    {"cmpxchg8b", COMPARES_AND_SWAPS, 8, NULL},
    {"cmpxchg16b", COMPARES_AND_SWAPS, 16, NULL},
    {"push pushq", READS, 8, NULL},
    {"pop popq", WRITES, 8, NULL},
    {"pushw", READS, 2, NULL},
    {"popw", WRITES, 2, NULL},
    {"movbe", MOVES, SUFFIX, NULL},
    {"movslq movsxd", READS, 4, NULL},
    {"fldcw", READS, 2, NULL},
    {"fnstcw fstcw fnstsw fstsw", WRITES, 2, NULL},
    {"ldmxcsr vldmxcsr", READS, 4, NULL},
    {"stmxcsr vstmxcsr", WRITES, 4, NULL},
    {"mfence", FENCES, 5, NULL},
    {"lfence sfence", FENCES, 0, NULL},
    {"pause", PAUSES, 0, NULL},
    {"lea leaw leal leaq prefetcht0 prefetcht1 prefetcht2 prefetchnta prefetchw prefetchwt1 prefetch nop nopw nopl "
     "nopq "
     "clflush "
     "clflushopt clwb cldemote",
     NOTHING, 0, NULL},

    /* SSE, and AVX with a v in front */
    {"movdqa movdqu movaps movups movapd movupd lddqu movntdq movntdqa movntps movntpd", MOVES, VECTOR, NULL},
    {"movss movd", MOVES, 4, NULL},
    {"movsd movlps movhps movlpd movhpd movntq", MOVES, 8, NULL},
    {"addss subss mulss divss minss maxss sqrtss comiss ucomiss cvtss2sd cvtss2si cvttss2si", READS, 4, NULL},
    {"addsd subsd mulsd divsd minsd maxsd sqrtsd comisd ucomisd cvtsd2ss cvtsd2si cvttsd2si movddup", READS, 8, NULL},
    {"addps addpd subps subpd mulps mulpd divps divpd minps minpd maxps maxpd sqrtps sqrtpd andps andpd andnps andnpd "
     "orps "
     "orpd "
     "xorps xorpd paddb paddw paddd paddq psubb psubw psubd psubq pand pandn por pxor pcmpeqb pcmpeqw pcmpeqd pcmpeqq "
     "pcmpgtb "
     "pcmpgtw pcmpgtd pcmpgtq pshufb pshufd pminub pmaxub pmuludq punpcklqdq punpckhqdq ptest",
     READS, VECTOR, NULL},

    {"rdtsc", LOOKS_AT_CLOCK, 4, NULL},
    {"rdtscp", LOOKS_AT_CLOCK, 8, NULL},
    {"rdrand rdseed rdpmc rdpid", REFUSED, 0,
     "its result differs from run to run, so executions could not be repeated"},
    {"xbegin xend xabort xtest", REFUSED, 0, "hardware transactions are not modelled"},
    {"syscall sysenter sysexit int", REFUSED, 0, "kernel calls from assembly are not modelled"},
    {"xlat xlatb maskmovdqu maskmovq clzero enqcmd enqcmds movdir64b umonitor umwait tpause monitor mwait", REFUSED, 0,
     "it touches memory that its operands do not name"},
    {"fxsave fxsave64 fxrstor fxrstor64 xsave xsave64 xsavec xsavec64 xsaveopt xsaveopt64 xrstor xrstor64 fnsave fsave "
     "frstor",
     REFUSED, 0, "saving the whole processor state is not modelled"},
    {"scasb scasw scasl scasq cmpsb cmpsw cmpsl cmpsq lodsb lodsw lodsl lodsq", REFUSED, 0,
     "string compare, scan and load are not modelled"},
    {"insb insw insl outsb outsw outsl", REFUSED, 0, "input and output are not modelled"},
    {"enter", REFUSED, 0, "it builds a stack frame"},
    {"wrfsbase wrgsbase swapgs", REFUSED, 0, "thread-local memory belongs to the explorer"},
    {"std", REFUSED, 0, "string instructions that run backwards are not modelled"},
};

static bool listed(const char *names, text_piece word) {
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");
        if (n == word.size && !memcmp(p, word.at, n)) return true;
        p += n + strspn(p + n, " ");
    }
    return false;
}

static const mnemonic_row *row_named(text_piece word) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (listed(table[i].names, word)) return &table[i];
    return NULL;
}

static unsigned suffix_size(char c) { return c == 'b' ? 1 : c == 'w' ? 2 : c == 'l' ? 4 : c == 'q' ? 8 : 0; }

/* ---- operands ---- */

static bool has_segment(text_piece o) {
    return o.size > 3 && o.at[0] == '%' && o.at[2] == 's' && memchr(o.at, ':', o.size);
}
static bool is_memory(text_piece o) { return o.at[0] != '$' && o.at[0] != '*' && (o.at[0] != '%' || has_segment(o)); }
static bool is_register(text_piece o) { return o.at[0] == '%' && !has_segment(o); }

/* Index in the frame of facts.h of a general register, and its size; -1: no general register. */
static int general_register(text_piece o, unsigned *size) {
    static const struct {
        const char *names;
        unsigned size;
    } width[] = {
        {"r15b r14b r13b r12b r11b r10b r9b r8b sil bpl bl dl cl al - - - dil spl bh dh ch ah", 1},
        {"r15w r14w r13w r12w r11w r10w r9w r8w si bp bx dx cx ax - - - di sp", 2},
        {"r15d r14d r13d r12d r11d r10d r9d r8d esi ebp ebx edx ecx eax - - - edi esp", 4},
        {"r15 r14 r13 r12 r11 r10 r9 r8 rsi rbp rbx rdx rcx rax - - - rdi rsp", 8},
    };
    if (!is_register(o)) return -1;
    text_piece name = piece_from(o, 1);
    for (size_t w = 0; w < 4; w++) {
        int index = 0;
        for (const char *p = width[w].names; *p; index++) {
            size_t n = strcspn(p, " ");
            if (n == name.size && !memcmp(p, name.at, n)) {
                *size = width[w].size;
                return index;
            }
            p += n + strspn(p + n, " ");
        }
    }
    return -1;
}

static bool uses_register(const statement *s, const char *kind) {
    for (unsigned i = 0; i < s->operands; i++)
        if (piece_has(s->operand[i], kind)) return true;
    return false;
}

/* Of an instruction without size letter: the size of its register operand, where a shift count is none. */
static unsigned operand_size(const statement *s, bool shift) {
    for (unsigned i = 0; i < s->operands; i++) {
        unsigned size;
        if (general_register(s->operand[i], &size) >= 0 && !(shift && i == 0 && piece_is(s->operand[i], "%cl")))
            return size;
    }
    return 0;
}

/* Nothing, or terms that all begin with a digit: no symbol. Local labels, 1f, are symbols. */
static bool only_numbers(text_piece p) {
    bool begins = true;
    if (p.size && (p.at[p.size - 1] == 'f' || p.at[p.size - 1] == 'b') && !piece_has(p, "0x")) return false;
    for (size_t i = 0; i < p.size; i++) {
        bool sign = strchr("+- (", p.at[i]);
        if (begins && !sign && !isdigit((unsigned char)p.at[i])) return false;
        begins = sign;
    }
    return true;
}

/* Base and index of (base, index, scale): 64-bit registers only, and nothing that moves with the instruction. */
static const char *address_check(text_piece before, text_piece inside) {
    for (size_t i = 0; i < inside.size; i++) {
        if (inside.at[i] != '%') continue;
        size_t n = strcspn(inside.at + i, ",) \t");
        text_piece name = {inside.at + i, n < inside.size - i ? n : inside.size - i};
        unsigned size = 0;
        if (piece_is(name, "%rip")) {
            if (only_numbers(before)) return "an address relative to this very instruction would change";
        } else if (general_register(name, &size) < 0) {
            return "gathering, scattering and unusual bases are not modelled";
        } else if (size != 8) {
            return "32-bit addresses are not modelled";
        }
    }
    return NULL;
}

/* An address that `leaq` can take at another place with the same result; NULL, or why not. */
static const char *operand_check(text_piece *o, unsigned *code) {
    if (has_segment(*o)) {
        if (piece_starts(*o, "%gs")) return "the gs segment is not modelled";
        if (piece_starts(*o, "%fs")) *code |= ASM_FS;
        *o = piece_trim(piece_from(*o, (size_t)((const char *)memchr(o->at, ':', o->size) - o->at) + 1));
    }
    if (piece_has(*o, "{")) return "masked accesses are not modelled";
    if (o->at[0] == '.' && (o->size == 1 || strchr("+- ", o->at[1])))
        return "an address relative to this very instruction would change";
    const char *open = memrchr(o->at, '(', o->size);
    size_t before = open ? (size_t)(open - o->at) : o->size;
    return open ? address_check(piece_trim((text_piece){o->at, before}), piece_from(*o, before)) : NULL;
}

/* ---- rules ---- */

static const char *string_instruction(const statement *s, access *out) {
    unsigned size = suffix_size(s->mnemonic.at[4]);
    unsigned kind = piece_starts(s->mnemonic, "movs") ? ASM_MOVS : ASM_STOS;
    if (uses_register(s, "%fs:") || uses_register(s, "%gs:"))
        return "string instructions with a segment are not modelled";
    for (unsigned i = 0; i < s->operands; i++) {
        text_piece o = s->operand[i];
        unsigned unused = 0;
        const char *why = is_memory(o) ? operand_check(&o, &unused) : NULL;
        if (why) return why;
    }
    out->code = kind | size << ASM_SIZE_SHIFT | (s->prefixes & PREFIX_ANY_REP ? ASM_REPEAT : 0);
    return NULL;
}

/* movs and stos with b, w, l or q, and either no operands, or (%rsi) and (%rdi), or a register and (%rdi). */
static bool is_string_instruction(const statement *s) {
    text_piece m = s->mnemonic;
    if (m.size != 5 || !suffix_size(m.at[4])) return false;
    if (piece_starts(m, "stos")) return true;
    return piece_starts(m, "movs") &&
           (s->operands == 0 || (s->operands == 2 && is_memory(s->operand[0]) && is_memory(s->operand[1])));
}

/* movzbl, movsbq, ... and movzb, movzw with the size of the destination left out: the first letter is the size that is
 * read. */
static unsigned extension_size(text_piece m) {
    if (!piece_starts(m, "movz") && !piece_starts(m, "movs")) return 0;
    if (m.size == 5) return m.at[4] == 'b' || m.at[4] == 'w' ? suffix_size(m.at[4]) : 0;
    return m.size == 6 && suffix_size(m.at[4]) < suffix_size(m.at[5]) ? suffix_size(m.at[4]) : 0;
}

static const char *bit_instruction(const statement *s, unsigned kind, unsigned size, access *out) {
    unsigned unused;
    int offset = general_register(s->operand[0], &unused);
    out->code = kind | size << ASM_SIZE_SHIFT | (offset >= 0 ? (unsigned)(offset + 1) << ASM_REGISTER_SHIFT : 0);
    return offset == FRAME_RDI + 1 ? "the stack pointer as a bit offset is not modelled" : NULL;
}

/* What is to be written, when one of the frame's registers holds all of it. */
static unsigned new_value(const statement *s) {
    for (unsigned i = 0; i < s->operands; i++) {
        unsigned size;
        int r = general_register(s->operand[i], &size);
        if (r >= 0) return r <= FRAME_RDI ? (unsigned)(r + 1) << ASM_REGISTER_SHIFT : 0;
    }
    return 0;
}

static const char *apply_rule(const statement *s, rule how, unsigned size, bool destination, access *out) {
    bool lock = s->prefixes & PREFIX_LOCK;
    unsigned update = lock ? ASM_RMW : ASM_URMW, kind = ASM_LOAD;
    switch (how) {
    case READS: break;
    case WRITES: kind = ASM_STORE; break;
    case MOVES: kind = destination ? ASM_STORE : ASM_LOAD; break;
    case UPDATES: kind = destination ? update : ASM_LOAD; break;
    case EXCHANGES: kind = new_value(s) ? ASM_XCHG | new_value(s) : ASM_RMW; break;
    case COMPARES_AND_SWAPS: kind = ASM_CAS | new_value(s) | (lock ? 0 : ASM_UNLOCKED); break;
    case TESTS_BIT: return bit_instruction(s, ASM_LOAD, size, out);
    case UPDATES_BIT: return bit_instruction(s, update, size, out);
    default: return "unknown instruction with a memory operand";
    }
    out->code = kind | size << ASM_SIZE_SHIFT;
    return NULL;
}

/* The row of a mnemonic: as it is, or without its size letter, or without the v of AVX. */
static const mnemonic_row *row_find(text_piece m, unsigned *size) {
    const mnemonic_row *r = row_named(m);
    *size = 0;
    if (!r && m.size > 1 && suffix_size(m.at[m.size - 1])) {
        r = row_named((text_piece){m.at, m.size - 1});
        if (r && r->size == SUFFIX && r->rule != NOTHING && r->rule != REFUSED) *size = suffix_size(m.at[m.size - 1]);
        else r = NULL;
    }
    if (!r && m.at[0] == 'v') {
        r = row_named(piece_from(m, 1));
        if (r && r->size == SUFFIX) r = NULL;
    }
    return r;
}

static const char *memory_access(const statement *s, unsigned index, access *out) {
    text_piece m = s->mnemonic;
    bool destination = index + 1 == s->operands,
         vector = uses_register(s, "%xmm") || uses_register(s, "%ymm") || uses_register(s, "%mm");
    unsigned size, fixed = extension_size(m);
    if (uses_register(s, "%zmm")) return "512-bit registers are not modelled";
    if (fixed) return apply_rule(s, READS, fixed, destination, out);
    if (piece_starts(m, "set") && s->operands == 1) return apply_rule(s, WRITES, 1, destination, out);
    if (piece_starts(m, "cmov") && operand_size(s, false))
        return apply_rule(s, READS, operand_size(s, false), destination, out);
    if ((piece_is(m, "movq") || piece_is(m, "vmovq")) && vector) return apply_rule(s, MOVES, 8, destination, out);
    const mnemonic_row *r = row_find(m, &size);
    if (!r) return "unknown instruction with a memory operand";
    if (r->rule == NOTHING) return NULL;
    if (r->size == VECTOR) size = uses_register(s, "%ymm") ? 32 : uses_register(s, "%mm") ? 8 : 16;
    else if (r->size != SUFFIX) size = r->size;
    if (!size && vector) return "unknown instruction with a memory operand";
    if (!size) size = operand_size(s, r->rule == UPDATES);
    if (!size) return "its size is not known: no size letter and no register";
    const char *why = apply_rule(s, r->rule, size, destination, out);
    if (!why && (piece_is(m, "cmpxchg8b") || piece_is(m, "cmpxchg16b"))) out->code |= ASM_PAIR;
    return why;
}

/* call *16(%rax): the address is loaded first. */
static bool goes_through_memory(text_piece to) { return to.size > 1 && to.at[0] == '*' && to.at[1] != '%'; }

/* call, ret, jmp *: fine in a function written in assembly, where they are what the compiler would have made too. */
static const char *transfer(const statement *s, bool function, bool *is_transfer) {
    text_piece m = s->mnemonic;
    bool call = piece_is(m, "call") || piece_is(m, "callq"), jump = m.at[0] == 'j' || piece_starts(m, "loop");
    bool back = piece_is(m, "ret") || piece_is(m, "retq") || piece_is(m, "leave") || piece_is(m, "leaveq");
    *is_transfer = call || jump || back;
    text_piece to = s->operands ? s->operand[0] : (text_piece){"", 0};
    if (call && !function) return "calls out of inline assembly are not modelled";
    if (back && !function) return "inline assembly must not leave the function";
    if (to.size > 1 && to.at[0] == '*' && (has_segment(piece_from(to, 1)) || !function))
        return "indirect jumps are not modelled";
    if (to.size > 1 && to.at[0] == '.' && strchr("+- ", to.at[1]))
        return "a jump relative to this very instruction would change";
    return NULL;
}

/* The table of addresses that the linker makes does not change, and its entries can only be loaded. */
static const char *checked_operand(access *out) {
    if (piece_has(out->operand, "@GOTPCREL") || piece_has(out->operand, "@gottpoff") ||
        piece_has(out->operand, "@GOTTPOFF")) {
        *out = (access){0};
        return NULL;
    }
    return operand_check(&out->operand, &out->code);
}

const char *instruction_access(const statement *s, bool function, access *out) {
    *out = (access){0};
    bool is_transfer;
    unsigned unused, memory = 0, index = 0;
    if (s->operands > OPERANDS_MAX) return "too many operands";
    const char *why = transfer(s, function, &is_transfer);
    if (!why && is_transfer && s->operands && goes_through_memory(s->operand[0])) {
        out->code = ASM_LOAD | 8 << ASM_SIZE_SHIFT;
        out->operand = piece_from(s->operand[0], 1);
        return checked_operand(out);
    }
    if (why || is_transfer) return why;
    if (is_string_instruction(s)) return string_instruction(s, out);
    const mnemonic_row *r = row_find(s->mnemonic, &unused);
    if (r && r->rule == REFUSED) return r->why;
    if (r && (r->rule == FENCES || r->rule == LOOKS_AT_CLOCK)) {
        out->code = (r->rule == FENCES ? ASM_FENCE : ASM_CLOCK) | r->size << ASM_SIZE_SHIFT;
        return NULL;
    }
    if (r && (r->rule == PAUSES || (piece_is(s->mnemonic, "nop") && s->prefixes & PREFIX_ANY_REP))) {
        out->code = ASM_PAUSE;
        return NULL;
    }
    for (unsigned i = 0; i < s->operands; i++)
        if (is_memory(s->operand[i])) {
            index = i;
            memory++;
        }
    if (s->prefixes & PREFIX_ANY_REP && !(r && memory == 0)) return "a repeated instruction that is not modelled";
    if (memory == 0 || (r && r->rule == NOTHING)) return NULL;
    if (memory > 1) return "two memory operands";
    why = memory_access(s, index, out);
    if (why || !out->code) return why;
    out->operand = s->operand[index];
    if (r && r->rule == WRITES && piece_starts(s->mnemonic, "pop")) out->displacement = (int)r->size;
    return checked_operand(out);
}

bool instruction_hides(const statement *s) {
    text_piece m = s->mnemonic;
    if (s->prefixes & PREFIX_LOCK || piece_starts(m, "cmpxchg")) return true;
    if (piece_is(m, "mfence") || piece_is(m, "lfence") || piece_is(m, "sfence") || piece_is(m, "pause")) return true;
    if (piece_is(m, "nop") && s->prefixes & PREFIX_ANY_REP) return true;
    if (piece_starts(m, "rdtsc")) return true;
    if (piece_starts(m, "movnt") || piece_starts(m, "vmovnt")) return true;
    if (!piece_starts(m, "xchg")) return false;
    for (unsigned i = 0; i < s->operands && i < OPERANDS_MAX; i++)
        if (is_memory(s->operand[i])) return true;
    return false;
}
