/* No instruction of arm64 is hooked: what inline assembly does to memory would be hidden from the explorer, so only
 * instructions that touch registers alone are let through. The compiler's own atomics are calls of the runtime
 * (-fsanitize=thread); one that is an instruction, in a function that is not to be instrumented, is refused, too. */
#include "explore/compile/rewrite.h"

#include "base/mem.h"
#include "explore/compile/assembly_place.h"

#include <stdlib.h>
#include <string.h>

typedef struct arm64_rewriter {
    text *complaints;
    rewrite_result result;
    assembly_place *place;
    bool by_hand, all_by_hand; /* inside inline assembly; the whole text */
    bool in_comment;
    char *room, *numbers; /* for a line without comments, and one without marks of numbers */
} arm64_rewriter;

static void refuse(arm64_rewriter *r, text_piece what, const char *why) {
    r->result.refused++;
    place_complain(r->place, r->complaints, what, why);
}

static bool is_one_of(text_piece word, const char *const *list) {
    for (; *list; list++)
        if (piece_is(word, *list)) return true;
    return false;
}

/* They compute in registers, or do nothing that another thread could see. */
static bool touches_registers_only(const statement *s) {
    static const char *const known[] = {
        "nop",   "yield", "hint", "isb",    "sev",    "sevl",   "wfe",    "mov",   "movz",  "movk",  "movn",
        "mvn",   "add",   "adds", "sub",    "subs",   "neg",    "and",    "ands",  "orr",   "orn",   "eor",
        "bic",   "lsl",   "lsr",  "asr",    "ror",    "mul",    "madd",   "msub",  "umulh", "smulh", "umull",
        "smull", "udiv",  "sdiv", "clz",    "rbit",   "rev",    "rev16",  "rev32", "cls",   "cmp",   "cmn",
        "tst",   "csel",  "cset", "csinc",  "cinc",   "uxtb",   "uxth",   "sxtb",  "sxth",  "sxtw",  "ubfx",
        "sbfx",  "bfi",   "extr", "crc32b", "crc32h", "crc32w", "crc32x", NULL};
    return is_one_of(s->mnemonic, known) && !piece_has(s->whole, "[");
}

/* Loads and stores that are exclusive, acquire or release, atomic updates, and barriers. */
static bool is_synchronisation(text_piece mnemonic) {
    static const char *const family[] = {"ldxr",  "ldaxr", "stxr",  "stlxr", "ldxp",  "ldaxp",  "stxp",   "stlxp",
                                         "ldar",  "ldlar", "ldapr", "stlr",  "stllr", "cas",    "swp",    "ldadd",
                                         "ldset", "ldclr", "ldeor", "ldsma", "ldsmi", "ldumax", "ldumin", "stadd",
                                         "stset", "stclr", "steor", "stsma", "stsmi", "stumax", "stumin", NULL};
    static const char *const whole[] = {"dmb", "dsb", "clrex", NULL};
    for (const char *const *f = family; *f; f++)
        if (piece_starts(mnemonic, *f)) return true;
    return is_one_of(mnemonic, whole);
}

/* gcc calls these in place of atomic instructions, and they choose between two kinds of them. */
static bool calls_outlined_atomic(const statement *s) {
    return (piece_is(s->mnemonic, "bl") || piece_is(s->mnemonic, "b")) && s->operands == 1 &&
           piece_starts(s->operand[0], "__aarch64_");
}

static void check_by_hand(arm64_rewriter *r, const statement *s) {
    if (s->kind == STATEMENT_LABEL || (s->kind == STATEMENT_INSTRUCTION && touches_registers_only(s))) return;
    refuse(r, s->whole, "inline assembly that may touch memory is not explored on arm64");
}

static void check_by_compiler(arm64_rewriter *r, const statement *s) {
    if (s->kind == STATEMENT_DIRECTIVE && piece_is(s->mnemonic, ".file")) place_note_file(r->place, s->whole);
    if (s->kind == STATEMENT_DIRECTIVE && piece_is(s->mnemonic, ".loc")) place_note_loc(r->place, s->whole);
    if (s->kind != STATEMENT_INSTRUCTION) return;
    if (is_synchronisation(s->mnemonic) || calls_outlined_atomic(s))
        refuse(r, s->whole, "an atomic instruction or a barrier that the compiler did not make a call is not explored");
}

/* gcc: #APP, #NO_APP; clang: the same behind //, and comments around assembly outside functions. */
static bool note_border(arm64_rewriter *r, text_piece line) {
    if (piece_is(line, "#APP") || piece_is(line, "//APP") ||
        piece_starts(line, "// Start of file scope inline assembly"))
        r->by_hand = true;
    else if (piece_is(line, "#NO_APP") || piece_is(line, "//NO_APP") ||
             piece_starts(line, "// End of file scope inline assembly"))
        r->by_hand = r->all_by_hand;
    else return false;
    r->in_comment = false;
    return true;
}

/* Unlike on x86-64 two slashes begin a comment anywhere in a line, and # stands before numbers: there it is
 * taken off. */
static text_piece without_comment(text_piece line, char *room) {
    const char *slashes = memmem(line.at, line.size, "//", 2), *quote = memchr(line.at, '"', line.size);
    const size_t n = slashes && !(quote && quote < slashes) ? (size_t)(slashes - line.at) : line.size;
    const bool remark = piece_starts(piece_trim(line), "#");
    for (size_t i = 0; i < n; i++) room[i] = line.at[i] == '#' && !remark && !quote ? ' ' : line.at[i];
    return (text_piece){room, n};
}

static void check_line(arm64_rewriter *r, text_piece line) {
    statement s;
    const text_piece bare = piece_trim(line);
    if (note_border(r, bare)) return;
    if (r->by_hand && place_note_marker(r->place, bare, r->all_by_hand ? "#" : "//")) return;
    text_piece rest = line_strip(without_comment(line, r->numbers), &r->in_comment, r->room);
    while (statement_next(&rest, &s)) {
        if (r->by_hand) check_by_hand(r, &s);
        else check_by_compiler(r, &s);
    }
}

rewrite_result rewrite_arm64(text_piece in, const rewrite_options *o, text *out, text *complaints) {
    arm64_rewriter r = {.complaints = complaints,
                        .place = mem_zero(1, sizeof *r.place),
                        .by_hand = o->by_hand,
                        .all_by_hand = o->by_hand,
                        .room = mem_alloc(in.size + 1),
                        .numbers = mem_alloc(in.size + 1)};
    r.place->source = o->source;
    text_bytes(out, in.at, in.size);
    if (in.size && in.at[in.size - 1] != '\n') text_char(out, '\n');
    while (in.size) {
        const char *end = memchr(in.at, '\n', in.size);
        const size_t n = end ? (size_t)(end - in.at) : in.size;
        check_line(&r, (text_piece){in.at, n});
        in = piece_from(in, end ? n + 1 : n);
    }
    text_add(out, MARKER_TEXT);
    place_free(r.place);
    FREE_ALL(r.place, r.room, r.numbers);
    return r.result;
}
