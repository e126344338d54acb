#include "explore/compile/callee.h"

#include <assert.h>
#include <string.h>

const char *callee_in_slot(const elf_file *f, uint64_t address) {
    elf_symbols s = elf_symbols_of(f, SHT_DYNSYM);
    for (unsigned i = 0; i < f->sections; i++) {
        size_t n;
        if (f->section[i].sh_type != SHT_RELA) continue;
        const Elf64_Rela *r = elf_contents(f, &f->section[i], sizeof *r, &n);
        for (size_t k = 0; k < n; k++)
            if (r[k].r_offset == address && ELF64_R_SYM(r[k].r_info) < s.size)
                return elf_string(f, s.strings, s.at[ELF64_R_SYM(r[k].r_info)].st_name);
    }
    return "";
}

/* Stubs are [endbr64] [bnd] jmp *slot(%rip). */
static const char *callee_of_stub(const elf_file *f, uint64_t address) {
    const unsigned char *p = elf_at(f, address, 11);
    if (!p) return "";
    size_t at = 0;
    if (!memcmp(p, "\xf3\x0f\x1e\xfa", 4)) at = 4;
    if (p[at] == 0xf2) at++;
    assert(at + 6 <= 11); /* of what was asked for */
    if (p[at] != 0xff || p[at + 1] != 0x25) return "";
    int32_t disp;
    const unsigned char *d = elf_at(f, address + at + 2, 4);
    if (!d) return "";
    memcpy(&disp, d, 4);
    return callee_in_slot(f, address + at + 6 + (uint64_t)(int64_t)disp);
}

const char *callee_at(const elf_file *f, uint64_t address) {
    elf_symbols s = elf_symbols_of(f, SHT_SYMTAB);
    const char *name = callee_of_stub(f, address);
    for (size_t i = 0; i < s.size && !*name; i++)
        if (ELF64_ST_TYPE(s.at[i].st_info) == STT_FUNC && s.at[i].st_shndx != SHN_UNDEF && s.at[i].st_value == address)
            name = elf_string(f, s.strings, s.at[i].st_name);
    return name;
}
