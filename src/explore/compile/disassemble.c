#include "explore/compile/disassemble.h"

#include "base/mem.h"
#include "explore/compile/decode.h"
#include "explore/compile/target.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OWN_SECTION ".plumb" /* behind the kind and before the number of a section: .text.plumb1 */
#define OWN_LABEL ".LP"
enum { LONG_JUMP = 5 }; /* bytes at least */

typedef struct taking {
    const elf_file *f;
    text *out, *why;
    bool padded;
    elf_symbols symbols;
    unsigned section;             /* that is being written */
    unsigned char **starts;       /* of each section with code: at which bytes instructions begin; NULL: no code */
    unsigned char **tables;       /* of each section with data: what code refers to, as tables of jumps are */
    const Elf64_Rela *relocation; /* of the section that is being written, by offset */
    size_t relocations, next_relocation;
} taking;

static bool refuse(taking *t, const char *what, const char *name) {
    if (!t->why->size) text_printf(t->why, what, name);
    return false;
}

/* ---- sections ---- */

static const Elf64_Shdr *section_at(const taking *t, unsigned i) { return &t->f->section[i]; }
static bool has_code(const Elf64_Shdr *s) { return s->sh_flags & SHF_EXECINSTR; }

/* Frames are needed for exceptions and by debuggers only; notes are about the file. */
static bool is_written(const elf_file *f, const Elf64_Shdr *s) {
    const char *name = elf_section_name(f, s);
    return s->sh_flags & SHF_ALLOC && s->sh_type != SHT_NOTE && strcmp(name, ".eh_frame") &&
           strncmp(name, ".note", 5) && (s->sh_size || !has_code(s));
}

static const char *section_refusal(const taking *t, const Elf64_Shdr *s) {
    if (s->sh_type == SHT_GROUP) return "it has sections in groups";
    if (!is_written(t->f, s)) return NULL;
    if (s->sh_flags & SHF_TLS) return "it has data of each thread";
    if (!strncmp(elf_section_name(t->f, s), ".gcc_except_table", 17)) return "it has exceptions";
    if (has_code(s) && s->sh_flags & SHF_WRITE) return "it has code that can be written";
    if (s->sh_type != SHT_PROGBITS && s->sh_type != SHT_NOBITS) return "it has a section of a kind that is not known";
    return NULL;
}

static bool sections_known(taking *t) {
    for (unsigned i = 1; i < t->f->sections; i++) {
        const char *why = section_refusal(t, section_at(t, i));
        if (why) return refuse(t, "%s", why);
    }
    return true;
}

static const char *section_kind(const Elf64_Shdr *s) {
    return has_code(s) ? ".text" : s->sh_type == SHT_NOBITS ? ".bss" : s->sh_flags & SHF_WRITE ? ".data" : ".rodata";
}

static void begin_section(taking *t, const Elf64_Shdr *s) {
    text_printf(t->out, "\t.section %s" OWN_SECTION "%u,\"a%s\",@%s\n\t.balign %" PRIu64 "\n", section_kind(s),
                t->section,
                has_code(s)               ? "x"
                : s->sh_flags & SHF_WRITE ? "w"
                                          : "",
                s->sh_type == SHT_NOBITS ? "nobits" : "progbits", s->sh_addralign ? (uint64_t)s->sh_addralign : 1);
    if (!has_code(s)) text_printf(t->out, OWN_LABEL "%u:\n", t->section);
}

/* ---- relocations ---- */

static int by_offset(const void *a, const void *b) {
    const Elf64_Rela *x = a, *y = b;
    return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

/* Of a section, by offset; the caller frees them. */
static Elf64_Rela *relocations_of(const elf_file *f, unsigned section, size_t *n) {
    *n = 0;
    for (unsigned i = 1; i < f->sections; i++) {
        const Elf64_Shdr *s = &f->section[i];
        if (s->sh_type != SHT_RELA || s->sh_info != section) continue;
        const Elf64_Rela *at = elf_contents(f, s, sizeof *at, n);
        Elf64_Rela *own = *n ? mem_copy(at, *n * sizeof *at) : NULL;
        if (own) qsort(own, *n, sizeof *own, by_offset);
        return own;
    }
    return NULL;
}

static const Elf64_Sym *symbol_of(const taking *t, const Elf64_Rela *r) {
    const size_t i = ELF64_R_SYM(r->r_info);
    return i < t->symbols.size ? &t->symbols.at[i] : NULL;
}
static const char *symbol_name(const taking *t, const Elf64_Sym *y) {
    return elf_string(t->f, t->symbols.strings, y->st_name);
}
static bool is_defined(const taking *t, const Elf64_Sym *y) {
    return y->st_shndx != SHN_UNDEF && y->st_shndx < t->f->sections;
}

/* The next one, when it lies before `end`. */
static const Elf64_Rela *relocation_before(taking *t, uint64_t end) {
    if (t->next_relocation == t->relocations || t->relocation[t->next_relocation].r_offset >= end) return NULL;
    return &t->relocation[t->next_relocation++];
}

/* ---- names of places ---- */

static bool is_name(const char *name) {
    if (!*name || isdigit((unsigned char)*name)) return false;
    for (const char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("_.$", *p)) return false;
    return true;
}

static bool add_place(taking *t, unsigned section, uint64_t offset) {
    if (section >= t->f->sections || !is_written(t->f, section_at(t, section)))
        return refuse(t, "%s", "it refers to a section that is left out");
    if (!has_code(section_at(t, section))) {
        text_printf(t->out, OWN_LABEL "%u+%" PRId64, section, (int64_t)offset);
        return true;
    }
    if (offset >= section_at(t, section)->sh_size || !t->starts[section][offset])
        return refuse(t, "%s", "it refers to the middle of an instruction");
    text_printf(t->out, OWN_LABEL "%u_%" PRIx64, section, offset);
    return true;
}

static bool add_reference(taking *t, const Elf64_Sym *y, int64_t offset) {
    if (!y || y->st_shndx == SHN_ABS || ELF64_ST_TYPE(y->st_info) == STT_TLS)
        return refuse(t, "%s", "it refers to a symbol of a kind that is not known");
    if (is_defined(t, y) &&
        (ELF64_ST_BIND(y->st_info) == STB_LOCAL || (offset && has_code(section_at(t, y->st_shndx)))))
        return add_place(t, y->st_shndx, y->st_value + (uint64_t)offset);
    const char *name = symbol_name(t, y);
    if (!is_name(name)) return refuse(t, "the name '%s' cannot be written in assembly", name);
    text_add(t->out, name);
    if (offset) text_printf(t->out, "%+" PRId64, offset);
    return true;
}

static bool name_taken_before(const taking *t, const Elf64_Sym *y) {
    for (const Elf64_Sym *x = t->symbols.at; x < y; x++)
        if (is_defined(t, x) && !strcmp(symbol_name(t, x), symbol_name(t, y))) return true;
    return false;
}

/* Functions are labels where they are, so that places in them have a name; data is named in front of everything. */
static void add_labels(taking *t, uint64_t offset) {
    for (const Elf64_Sym *y = t->symbols.at; y < t->symbols.at + t->symbols.size; y++) {
        const unsigned type = ELF64_ST_TYPE(y->st_info);
        if (y->st_shndx != t->section || y->st_value != offset || type == STT_SECTION || type == STT_FILE) continue;
        const char *name = symbol_name(t, y);
        if (ELF64_ST_BIND(y->st_info) == STB_LOCAL && (!is_name(name) || name_taken_before(t, y))) continue;
        if (type == STT_FUNC) text_printf(t->out, "\t.type %s,@function\n", name);
        text_printf(t->out, "%s:\n", name);
    }
}

static bool add_binding(taking *t, const Elf64_Sym *y) {
    const unsigned bind = ELF64_ST_BIND(y->st_info), type = ELF64_ST_TYPE(y->st_info);
    const char *name = symbol_name(t, y);
    if (bind == STB_LOCAL) return true;
    if (!is_name(name)) return refuse(t, "the name '%s' cannot be written in assembly", name);
    if (type == STT_GNU_IFUNC || type == STT_TLS) return refuse(t, "%s is of a kind that is not known", name);
    text_printf(t->out, "\t.%s %s\n", bind == STB_WEAK ? "weak" : "globl", name);
    if (y->st_other == STV_HIDDEN) text_printf(t->out, "\t.hidden %s\n", name);
    if (y->st_shndx == SHN_COMMON)
        text_printf(t->out, "\t.comm %s,%" PRIu64 ",%" PRIu64 "\n", name, y->st_size, y->st_value);
    if (!is_defined(t, y) || has_code(section_at(t, y->st_shndx))) return true;
    text_printf(t->out, "\t.type %s,@object\n\t.size %s,%" PRIu64 "\n\t.set %s,", name, name, y->st_size, name);
    bool good = add_place(t, y->st_shndx, y->st_value);
    text_char(t->out, '\n');
    return good;
}

/* ---- code ---- */

typedef struct marking { /* of one section */
    taking *t;
    unsigned section;
} marking;

static bool mark_start(void *context, const decoded *d) {
    const marking *m = context;
    m->t->starts[m->section][d->at] = 1;
    return true;
}

static bool mark_starts(taking *t) {
    for (unsigned i = 1; i < t->f->sections; i++) {
        const Elf64_Shdr *s = section_at(t, i);
        size_t n;
        if (!has_code(s) || !is_written(t->f, s)) continue;
        const unsigned char *code = elf_contents(t->f, s, 1, &n);
        t->starts[i] = mem_zero(s->sh_size + 1, 1);
        if (!code || !decode_each(code, n, mark_start, &(marking){t, i}))
            return refuse(t, "%s has bytes that are no instructions", elf_section_name(t->f, s));
    }
    return true;
}

/* Data that code refers to by its distance: each may be a table of jumps, whose entries are distances from there. */
static void mark_tables(taking *t) {
    for (unsigned i = 1; i < t->f->sections; i++) {
        if (!t->starts[i]) continue;
        size_t n;
        Elf64_Rela *r = relocations_of(t->f, i, &n);
        for (size_t k = 0; k < n; k++) {
            const Elf64_Sym *y = symbol_of(t, &r[k]);
            if (!y || ELF64_R_TYPE(r[k].r_info) != R_X86_64_PC32 || !is_defined(t, y)) continue;
            const Elf64_Shdr *s = section_at(t, y->st_shndx);
            const uint64_t at = y->st_value + (uint64_t)r[k].r_addend + 4;
            if (has_code(s) || at >= s->sh_size) continue;
            if (!t->tables[y->st_shndx]) t->tables[y->st_shndx] = mem_zero(s->sh_size, 1);
            t->tables[y->st_shndx][at] = 1;
        }
        free(r);
    }
}

/* Without what is implied: %es: of string instructions. */
static void add_operands(taking *t, const char *p, size_t n) {
    for (const char *end = p + n, *es; p < end; p = es) {
        es = memmem(p, (size_t)(end - p), "%es:", 4);
        text_bytes(t->out, p, (size_t)((es ? es : end) - p));
        es = es ? es + 4 : end;
    }
}

static const char *number_before(const char *from, const char *to) {
    while (to > from && (isxdigit((unsigned char)to[-1]) || to[-1] == 'x' || to[-1] == '-')) to--;
    return to;
}

typedef enum referring { BY_NAME, BY_TABLE /* of addresses that the linker makes */ } referring;

static bool add_target(taking *t, const decoded *d, const Elf64_Rela *r) {
    if (!r) return add_place(t, t->section, d->target);
    const int64_t offset = r->r_addend + (int64_t)(d->at + d->size - r->r_offset);
    const Elf64_Sym *y = symbol_of(t, r);
    if (!add_reference(t, y, offset)) return false;
    if (ELF64_R_TYPE(r->r_info) == R_X86_64_PLT32 && ELF64_ST_BIND(y->st_info) != STB_LOCAL && !offset)
        text_add(t->out, "@PLT");
    return true;
}

/* f@GOTPCREL(%rip): the symbol itself, whatever its section. */
static bool add_table_entry(taking *t, const decoded *d, const Elf64_Rela *r) {
    const Elf64_Sym *y = symbol_of(t, r);
    const char *name = y ? symbol_name(t, y) : "";
    if (!is_name(name) || ELF64_ST_BIND(y->st_info) == STB_LOCAL ||
        r->r_addend + (int64_t)(d->at + d->size - r->r_offset) != 0)
        return refuse(t, "%s", "it refers to an address in a way that is not known");
    text_printf(t->out, "%s@GOTPCREL", name);
    return true;
}

static bool relocation_kind(taking *t, const decoded *d, const Elf64_Rela *r, referring *how) {
    *how = BY_NAME;
    if (!r) return true;
    switch (ELF64_R_TYPE(r->r_info)) {
    case R_X86_64_PC32: return d->in_place || d->goes_to || refuse(t, "%s", "it has a relocation out of place");
    case R_X86_64_PLT32: return d->goes_to || refuse(t, "%s", "it has a relocation out of place");
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        *how = BY_TABLE;
        return d->in_place || refuse(t, "%s", "it has a relocation out of place");
    default:
        if (!t->why->size)
            text_printf(t->why, "its code has a relocation of type %u, as code has that is not position-independent",
                        (unsigned)ELF64_R_TYPE(r->r_info));
        return false;
    }
}

static void add_mnemonic(taking *t, const decoded *d, bool relocated) {
    const size_t n = strlen(d->mnemonic);
    const bool direct = d->goes_to && (!strcmp(d->mnemonic, "jmpq") || !strcmp(d->mnemonic, "callq"));
    /* a long jump where a short one would do: the assembler chose it while it did not know the distance */
    const bool wide = t->padded && d->goes_to && !relocated && d->size >= LONG_JUMP && d->mnemonic[0] == 'j';
    text_printf(t->out, "\t%s%.*s ", wide ? "{disp32} " : "", (int)(direct ? n - 1 : n), d->mnemonic);
}

static bool add_instruction(taking *t, const decoded *d) {
    referring how;
    const Elf64_Rela *r = relocation_before(t, d->at + d->size);
    const char *rip = d->in_place ? strstr(d->operands, "(%rip)") : NULL;
    if (!relocation_kind(t, d, r, &how)) return false;
    if (relocation_before(t, d->at + d->size)) return refuse(t, "%s", "it has two relocations in one instruction");
    if (d->in_place && !rip) return refuse(t, "'%s' is not understood", d->operands);
    add_mnemonic(t, d, r);
    bool good = true;
    if (d->goes_to) {
        good = add_target(t, d, r);
    } else if (rip) {
        add_operands(t, d->operands, (size_t)(number_before(d->operands, rip) - d->operands));
        good = how == BY_TABLE ? add_table_entry(t, d, r) : add_target(t, d, r);
        add_operands(t, rip, strlen(rip));
    } else {
        add_operands(t, d->operands, strlen(d->operands));
    }
    text_char(t->out, '\n');
    return good;
}

static void add_bytes(taking *t, const unsigned char *bytes, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        text_printf(t->out, "%s%u", i % 16 ? "," : i ? "\n\t.byte " : "\t.byte ", bytes[i]);
    if (n) text_char(t->out, '\n');
}

static bool write_instruction(void *context, const decoded *d) {
    taking *t = context;
    size_t n;
    const unsigned char *code = elf_contents(t->f, section_at(t, t->section), 1, &n);
    add_labels(t, d->at);
    text_printf(t->out, OWN_LABEL "%u_%" PRIx64 ":\n", t->section, d->at);
    if (!d->pads) return add_instruction(t, d);
    if (t->padded) add_bytes(t, code + d->at, d->size);
    return true;
}

/* ---- data ---- */

/* An entry of a table of jumps is the distance of its target from the table. */
static bool write_distance(taking *t, const Elf64_Rela *r) {
    const Elf64_Sym *y = symbol_of(t, r);
    const unsigned char *tables = t->tables[t->section];
    text_add(t->out, "\t.long ");
    if (y && is_defined(t, y) && has_code(section_at(t, y->st_shndx))) {
        uint64_t base = r->r_offset;
        while (tables && base && !tables[base]) base--;
        if (!tables || !tables[base]) return refuse(t, "%s", "it has a distance that belongs to no table");
        if (!add_reference(t, y, r->r_addend - (int64_t)(r->r_offset - base))) return false;
        text_printf(t->out, "-(" OWN_LABEL "%u+%" PRIu64 ")\n", t->section, base);
        return true;
    }
    if (!add_reference(t, y, r->r_addend)) return false;
    text_add(t->out, "-.\n");
    return true;
}

static bool write_relocated(taking *t, const Elf64_Rela *r, unsigned *size) {
    *size = ELF64_R_TYPE(r->r_info) == R_X86_64_64 ? 8 : 4;
    if (ELF64_R_TYPE(r->r_info) == R_X86_64_PC32) return write_distance(t, r);
    if (*size == 4) return refuse(t, "%s", "its data has a relocation that is not known");
    text_add(t->out, "\t.quad ");
    bool good = add_reference(t, symbol_of(t, r), r->r_addend);
    text_char(t->out, '\n');
    return good;
}

static bool write_data(taking *t, const Elf64_Shdr *s) {
    size_t n;
    const unsigned char *bytes = elf_contents(t->f, s, 1, &n);
    uint64_t at = 0;
    if (s->sh_type == SHT_NOBITS) {
        text_printf(t->out, "\t.zero %" PRIu64 "\n", (uint64_t)s->sh_size);
        return true;
    }
    for (const Elf64_Rela *r; (r = relocation_before(t, n));) {
        unsigned size;
        if (r->r_offset < at) return refuse(t, "%s", "it has relocations that overlap");
        add_bytes(t, bytes + at, r->r_offset - at);
        if (!write_relocated(t, r, &size)) return false;
        at = r->r_offset + size;
    }
    if (at > n) return refuse(t, "%s", "it has a relocation behind its data");
    if (bytes) add_bytes(t, bytes + at, n - at);
    return true;
}

/* ---- all of it ---- */

static bool write_section(taking *t, unsigned i) {
    const Elf64_Shdr *s = section_at(t, i);
    size_t n;
    Elf64_Rela *r = relocations_of(t->f, i, &t->relocations);
    t->section = i;
    t->relocation = r;
    t->next_relocation = 0;
    begin_section(t, s);
    bool good = has_code(s) ? decode_each(elf_contents(t->f, s, 1, &n), (size_t)s->sh_size, write_instruction, t)
                            : write_data(t, s);
    if (good && t->next_relocation != t->relocations) good = refuse(t, "%s", "it has a relocation out of place");
    free(r);
    return good;
}

static bool write_object(taking *t) {
    if (TARGET_MACHINE != EM_X86_64)
        return refuse(t, "%s", "it is code for arm64, and code for x86-64 alone is taken apart");
    bool good = sections_known(t) && mark_starts(t);
    if (good) mark_tables(t);
    for (size_t i = 1; good && i < t->symbols.size; i++) good = add_binding(t, &t->symbols.at[i]);
    for (unsigned i = 1; good && i < t->f->sections; i++)
        if (is_written(t->f, section_at(t, i))) good = write_section(t, i);
    text_add(t->out, "\t.section .note.GNU-stack,\"\",@progbits\n");
    return good;
}

bool disassemble(const elf_file *f, bool padded, text *out, text *why) {
    taking t = {.f = f, .out = out, .why = why, .padded = padded, .symbols = elf_symbols_of(f, SHT_SYMTAB)};
    t.starts = mem_zero(f->sections + 1, sizeof *t.starts);
    t.tables = mem_zero(f->sections + 1, sizeof *t.tables);
    bool good = f->header->e_type == ET_REL ? write_object(&t) : refuse(&t, "%s", "it is no object file");
    for (unsigned i = 0; i < f->sections; i++) FREE_ALL(t.starts[i], t.tables[i]);
    FREE_ALL(t.starts, t.tables);
    return good;
}

/* ---- the same again? ---- */

static const Elf64_Shdr *section_again(const elf_file *again, const Elf64_Shdr *s, unsigned number) {
    text name = {0};
    text_printf(&name, "%s" OWN_SECTION "%u", section_kind(s), number);
    const Elf64_Shdr *found = elf_section(again, text_str(&name));
    text_free(&name);
    return found;
}

static const Elf64_Sym *symbol_at(const elf_file *f, const Elf64_Rela *r, const char **name) {
    const elf_symbols s = elf_symbols_of(f, SHT_SYMTAB);
    const size_t i = ELF64_R_SYM(r->r_info);
    if (i >= s.size) return NULL;
    *name = elf_string(f, s.strings, s.at[i].st_name);
    return &s.at[i];
}

/* Either the same name and addend, or the same place of a section. */
static bool same_relocation(const elf_file *f, const Elf64_Rela *a, const elf_file *again, const Elf64_Rela *b) {
    const char *x_name = "", *y_name = "";
    const Elf64_Sym *x = symbol_at(f, a, &x_name), *y = symbol_at(again, b, &y_name);
    if (!x || !y || a->r_offset != b->r_offset) return false;
    if (x->st_shndx == SHN_UNDEF || x->st_shndx >= f->sections)
        return !strcmp(x_name, y_name) && a->r_addend == b->r_addend;
    const Elf64_Shdr *s = section_again(again, &f->section[x->st_shndx], x->st_shndx);
    return s && y->st_shndx == s - again->section &&
           (int64_t)x->st_value + a->r_addend == (int64_t)y->st_value + b->r_addend;
}

static bool same_section(const elf_file *f, unsigned i, const elf_file *again) {
    const Elf64_Shdr *a = &f->section[i], *b = section_again(again, a, i);
    size_t x, y, n, m;
    if (!b || a->sh_size != b->sh_size) return false;
    const unsigned char *p = elf_contents(f, a, 1, &x), *q = elf_contents(again, b, 1, &y);
    if (x != y || (x && memcmp(p, q, x))) return false;
    Elf64_Rela *r = relocations_of(f, i, &n), *s = relocations_of(again, (unsigned)(b - again->section), &m);
    bool same = n == m;
    for (size_t k = 0; same && k < n; k++) same = same_relocation(f, &r[k], again, &s[k]);
    FREE_ALL(r, s);
    return same;
}

bool disassembly_holds(const elf_file *f, const elf_file *again, text *why) {
    for (unsigned i = 1; i < f->sections; i++) {
        if (!is_written(f, &f->section[i]) || same_section(f, i, again)) continue;
        text_printf(why, "its section %s does not come out the same when it is assembled again",
                    elf_section_name(f, &f->section[i]));
        return false;
    }
    return true;
}
