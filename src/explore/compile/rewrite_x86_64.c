#include "explore/compile/rewrite.h"

#include "base/mem.h"
#include "explore/compile/assembly_place.h"
#include "explore/compile/instruction.h"
#include "explore/model/facts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_MAX = 64, SECTIONS_MAX = 64 };

typedef struct rewriter {
    const rewrite_options *options;
    text *out, *complaints;
    rewrite_result result;
    const char *thunk, *clock_thunk;

    bool by_hand;     /* inside inline assembly */
    bool in_function; /* ... that stands in a function of the compiler's: it must not return or call */
    bool in_comment;
    unsigned prefixes; /* a prefix that stood alone waits for its instruction */
    char *room;        /* for a line without comments */

    bool executable, previous_executable; /* the current section */
    bool section[SECTIONS_MAX];
    unsigned sections;
    bool cfa_open, cfa_on_stack; /* inside .cfi_startproc; the canonical frame address is computed from rsp */
    bool cfa_state[STATES_MAX];
    unsigned cfa_states;
    assembly_place *place;
    text_piece behind; /* the lines that follow */
} rewriter;

static void refuse(rewriter *r, text_piece what, const char *why) {
    r->result.refused++;
    place_complain(r->place, r->complaints, what, why);
}

/* ---- sections and call frame information ---- */

static bool section_is_executable(const statement *s) {
    if (s->operands > 1 && s->operand[1].at[0] == '"') return memchr(s->operand[1].at, 'x', s->operand[1].size) != NULL;
    return s->operands && (piece_starts(s->operand[0], ".text") || piece_is(s->operand[0], ".init") ||
                           piece_is(s->operand[0], ".fini"));
}

static void section_enter(rewriter *r, bool executable) {
    r->previous_executable = r->executable;
    r->executable = executable;
}

static void track_section(rewriter *r, const statement *s) {
    text_piece d = s->mnemonic;
    if (piece_is(d, ".text")) section_enter(r, true);
    else if (piece_is(d, ".data") || piece_is(d, ".bss")) section_enter(r, false);
    else if (piece_is(d, ".section")) section_enter(r, section_is_executable(s));
    else if (piece_is(d, ".previous")) section_enter(r, r->previous_executable);
    else if (piece_is(d, ".pushsection")) {
        if (r->sections < SECTIONS_MAX) r->section[r->sections++] = r->executable;
        section_enter(r, section_is_executable(s));
    } else if (piece_is(d, ".popsection") && r->sections) section_enter(r, r->section[--r->sections]);
}

static bool is_stack_pointer(text_piece p) { return piece_is(p, "7") || piece_is(p, "rsp") || piece_is(p, "%rsp"); }

/* Linear: compilers remember and restore the state around an early return, in the order of the text. */
static void track_cfa(rewriter *r, const statement *s) {
    text_piece d = s->mnemonic;
    if (!piece_starts(d, ".cfi_")) return;
    if (piece_is(d, ".cfi_startproc")) {
        r->cfa_open = r->cfa_on_stack = true;
        r->cfa_states = 0;
    } else if (piece_is(d, ".cfi_endproc")) r->cfa_open = false;
    else if ((piece_is(d, ".cfi_def_cfa_register") || piece_is(d, ".cfi_def_cfa")) && s->operands)
        r->cfa_on_stack = is_stack_pointer(s->operand[0]);
    else if (piece_is(d, ".cfi_escape")) r->cfa_on_stack = false;
    else if (piece_is(d, ".cfi_remember_state") && r->cfa_states < STATES_MAX)
        r->cfa_state[r->cfa_states++] = r->cfa_on_stack;
    else if (piece_is(d, ".cfi_restore_state") && r->cfa_states) r->cfa_on_stack = r->cfa_state[--r->cfa_states];
}

static const char *directive_refusal(const rewriter *r, text_piece d) {
    static const char *const meta[] = {".macro",   ".rept",   ".irp",      ".if",           ".else",
                                       ".include", ".incbin", ".altmacro", ".intel_syntax", ".code32",
                                       ".code16",  ".org",    NULL};
    static const char *const bytes[] = {".byte",  ".word",  ".short",   ".long",    ".int",   ".quad",
                                        ".octa",  ".hword", ".2byte",   ".4byte",   ".8byte", ".value",
                                        ".insn",  ".ascii", ".asciz",   ".string",  ".fill",  ".skip",
                                        ".space", ".zero",  ".uleb128", ".sleb128", NULL};
    for (unsigned i = 0; meta[i]; i++)
        if (piece_starts(d, meta[i])) return "this assembler directive hides what will be executed";
    for (unsigned i = 0; bytes[i] && r->executable; i++)
        if (piece_is(d, bytes[i])) return "bytes among the instructions may be instructions";
    return NULL;
}

static void track_directive(rewriter *r, const statement *s) {
    track_section(r, s);
    track_cfa(r, s);
    if (piece_is(s->mnemonic, ".file")) place_note_file(r->place, s->whole);
    else if (piece_is(s->mnemonic, ".loc") && !r->options->by_hand) place_note_loc(r->place, s->whole);
}

/* ---- hooks ---- */

/* What the hook itself pushed lies between the operand and the stack pointer that it was written for. */
enum { RED_ZONE = 128, PUSHED_BEFORE_ADDRESS = RED_ZONE + 8, PUSHED = RED_ZONE + 16 };

static void emit_address(rewriter *r, const access *a) {
    bool on_stack = piece_has(a->operand, "(%rsp");
    int shift = on_stack ? PUSHED_BEFORE_ADDRESS + a->displacement : 0;
    text_add(r->out, "\tleaq ");
    if (shift) text_printf(r->out, a->operand.at[0] == '(' ? "%d" : "%d+", shift);
    text_printf(r->out, "%.*s, %%rdi\n", (int)a->operand.size, a->operand.at);
}

static bool is_clock(const access *a) { return (a->code & 0xff) == ASM_CLOCK; }

/* Only lea and push: flags are kept. Nothing follows the instruction, so flag outputs and asm goto work as before. */
static void emit_hook(rewriter *r, const access *a) {
    bool adjust = r->cfa_open && r->cfa_on_stack;
    text_printf(r->out, "\tleaq -%d(%%rsp), %%rsp\n\tpushq %%rdi\n", RED_ZONE);
    if (a->operand.size) emit_address(r, a);
    text_printf(r->out, "\tpushq $%u\n", a->code);
    if (adjust) text_printf(r->out, "\t.cfi_adjust_cfa_offset %d\n", PUSHED);
    text_printf(r->out, "\tcall *%s@GOTPCREL(%%rip)\n", is_clock(a) ? r->clock_thunk : r->thunk);
    text_printf(r->out, "\tleaq 8(%%rsp), %%rsp\n\tpopq %%rdi\n\tleaq %d(%%rsp), %%rsp\n", RED_ZONE);
    if (adjust) text_printf(r->out, "\t.cfi_adjust_cfa_offset -%d\n", PUSHED);
    r->result.hooks++;
}

static void emit_statement(rewriter *r, const statement *s) {
    text_char(r->out, '\t');
    for (unsigned i = 0; prefix_name(i); i++)
        if (s->prefixes >> i & 1) text_printf(r->out, "%s ", prefix_name(i));
    text_printf(r->out, "%.*s\n", (int)s->whole.size, s->whole.at);
}

static void rewrite_instruction(rewriter *r, statement *s, bool hook) {
    access a = {0};
    s->prefixes |= r->prefixes;
    if (s->mnemonic.size == 0) {
        r->prefixes = s->prefixes;
        return;
    }
    r->prefixes = 0;
    if (hook && r->executable) {
        const char *why = instruction_access(s, !r->in_function, &a);
        if (why) refuse(r, s->whole, why);
        else if (a.code) emit_hook(r, &a);
    }
    if (!is_clock(&a)) emit_statement(r, s); /* the hook has done it */
}

static void rewrite_by_hand(rewriter *r, text_piece line) {
    statement s;
    text_piece rest = line_strip(line, &r->in_comment, r->room);
    while (statement_next(&rest, &s)) {
        if (s.kind == STATEMENT_INSTRUCTION) {
            rewrite_instruction(r, &s, true);
            continue;
        }
        if (s.kind == STATEMENT_LABEL) {
            text_printf(r->out, "%.*s:\n", (int)s.whole.size, s.whole.at);
            continue;
        }
        const char *why = s.kind == STATEMENT_DIRECTIVE ? directive_refusal(r, s.mnemonic) : NULL;
        if (why) refuse(r, s.whole, why);
        else if (s.kind == STATEMENT_DIRECTIVE) track_directive(r, &s);
        text_printf(r->out, "\t%.*s\n", (int)s.whole.size, s.whole.at);
    }
}

/* Most lines are the compiler's own plain instructions: they are copied without being taken apart. */
static bool may_hide(text_piece line) {
    static const char *const first[] = {"lock", "xchg",  "mfence", "lfence",  "sfence", "pause",
                                        "rep",  "movnt", "vmovnt", "cmpxchg", "rdtsc",  NULL};
    for (unsigned i = 0; first[i]; i++)
        if (piece_starts(line, first[i])) return true;
    return false;
}

static void copy_line(rewriter *r, text_piece line) {
    text_bytes(r->out, line.at, line.size);
    text_char(r->out, '\n');
}

/* ---- stores that are made before the next hook ----
 *
 * For the copy of a structure gcc calls the hook of the store before that of the load, and copies behind both. The
 * runtime knows by a mark that a store is still to come (inside/buffers.c); a byte or two have no room for one that no
 * program stores. Of these the text says it: a store between the hook and whatever is called next. */

/* A store into memory that is not the frame's, where compilers put what they have no register for. */
static bool is_store(text_piece line) {
    if (!piece_starts(line, "mov") && !piece_starts(line, "set")) return false;
    size_t from = line.size;
    for (unsigned depth = 0;
         from && (depth || (line.at[from - 1] != ',' && !isspace((unsigned char)line.at[from - 1])));) {
        from--;
        depth += line.at[from] == ')';
        depth -= line.at[from] == '(';
    }
    const text_piece to = piece_from(line, from);
    return to.size && to.at[0] != '%' && !piece_has(to, "%rsp") && !piece_has(to, "%rbp");
}

static bool stores_first(text_piece behind) {
    while (behind.size) {
        const char *end = memchr(behind.at, '\n', behind.size);
        const text_piece line = piece_trim((text_piece){behind.at, end ? (size_t)(end - behind.at) : behind.size});
        behind = piece_from(behind, end ? (size_t)(end - behind.at) + 1 : behind.size);
        if (!line.size || line.at[0] == '.' || line.at[line.size - 1] == ':') continue; /* directives, labels */
        if (line.at[0] == '#' || line.at[0] == 'j' || piece_starts(line, "call") || piece_starts(line, "ret"))
            return false;
        if (is_store(line)) return true;
    }
    return false;
}

/* "call __tsan_write1" becomes "call __tsan_certain_write1". */
static bool rewrite_small_store(rewriter *r, text_piece line) {
    static const char *const hooks[] = {"write1", "write2", "volatile_write1", "volatile_write2"};
    static const char family[] = "__tsan_";
    const char *name = memmem(line.at, line.size, family, sizeof family - 1);
    if (!name) return false;
    const text_piece rest = piece_from(line, (size_t)(name - line.at) + sizeof family - 1);
    size_t n = 0;
    while (n < rest.size && (isalnum((unsigned char)rest.at[n]) || rest.at[n] == '_')) n++;
    for (unsigned i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        if (!piece_is((text_piece){rest.at, n}, hooks[i]) || !stores_first(r->behind)) continue;
        text_bytes(r->out, line.at, (size_t)(rest.at - line.at));
        text_add(r->out, "certain_");
        copy_line(r, rest);
        return true;
    }
    return false;
}

static void rewrite_by_compiler(rewriter *r, text_piece line) {
    statement s = {0};
    text_piece bare = piece_trim(line);
    bool directive = bare.size && bare.at[0] == '.';
    if (piece_starts(bare, "call") && rewrite_small_store(r, line)) return;
    if (!directive && !may_hide(bare) && !r->prefixes) {
        copy_line(r, line);
        return;
    }
    text_piece rest = line_strip(line, &r->in_comment, r->room);
    if (!statement_next(&rest, &s) || s.kind != STATEMENT_INSTRUCTION) {
        if (s.kind == STATEMENT_DIRECTIVE) track_directive(r, &s);
        copy_line(r, line);
    } else {
        s.prefixes |= r->prefixes;
        rewrite_instruction(r, &s, instruction_hides(&s));
    }
}

/* gcc: #APP, #NO_APP; clang: the same, indented, and comments around assembly outside functions. */
static bool note_border(rewriter *r, text_piece line) {
    bool scope = piece_starts(line, "# Start of file scope inline assembly");
    if (scope || piece_is(line, "#APP")) {
        r->by_hand = true;
        r->in_function = !scope && r->cfa_open;
    } else if (piece_is(line, "#NO_APP") || piece_starts(line, "# End of file scope inline assembly")) {
        r->by_hand = r->options->by_hand;
        r->in_function = !r->by_hand;
        r->in_comment = false;
    } else {
        return false;
    }
    return true;
}

static void rewrite_line(rewriter *r, text_piece line) {
    text_piece bare = piece_trim(line);
    if (!r->options->by_hand && note_border(r, bare)) {
        copy_line(r, line);
    } else if (r->by_hand && place_note_marker(r->place, bare, "#")) {
        /* gcc marks assembly inside functions only */
        if (!r->options->by_hand) {
            r->in_function = true;
            copy_line(r, line);
        } else r->place->line--;
    } else if (r->by_hand) {
        rewrite_by_hand(r, line);
    } else {
        rewrite_by_compiler(r, line);
    }
    if (r->options->by_hand) r->place->line++;
}

/* Which thunk: saving more than the xmm registers costs, and few objects have more. */
static bool uses_wide_registers(text_piece in) {
    if (piece_has(in, "%ymm") || piece_has(in, "%zmm")) return true;
    for (const char *p = in.at; (p = memmem(p, in.size - (size_t)(p - in.at), "%k", 2)); p += 2)
        if ((size_t)(p - in.at) + 2 < in.size && isdigit((unsigned char)p[2])) return true;
    return false;
}

rewrite_result rewrite_x86_64(text_piece in, const rewrite_options *o, text *out, text *complaints) {
    rewriter *r = MEM_NEW(rewriter);
    *r = (rewriter){.options = o,
                    .place = mem_zero(1, sizeof *r->place),
                    .out = out,
                    .complaints = complaints,
                    .executable = true,
                    .by_hand = o->by_hand,
                    .in_function = !o->by_hand};
    r->place->source = o->source;
    bool wide = uses_wide_registers(in);
    r->thunk = wide ? "__plumb_asm_wide" : "__plumb_asm";
    r->clock_thunk = wide ? "__plumb_rdtsc_wide" : "__plumb_rdtsc";
    r->room = mem_alloc(in.size + 1);
    if (o->by_hand) place_set(r->place, (text_piece){o->source, strlen(o->source)}, 1);
    while (in.size) {
        const char *end = memchr(in.at, '\n', in.size);
        size_t n = end ? (size_t)(end - in.at) : in.size;
        const text_piece line = {in.at, n};
        r->behind = in = piece_from(in, end ? n + 1 : n);
        rewrite_line(r, line);
    }
    text_add(out, MARKER_TEXT);
    rewrite_result result = r->result;
    place_free(r->place);
    FREE_ALL(r->place, r->room, r);
    return result;
}
