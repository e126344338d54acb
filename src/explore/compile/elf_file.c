#include "explore/compile/elf_file.h"
#include "explore/compile/target.h"

#include <assert.h>
#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool inside(const elf_file *f, uint64_t offset, uint64_t size) {
    return offset <= f->size && size <= f->size - offset;
}

bool elf_open(elf_file *f, const void *bytes, size_t size) {
    *f = (elf_file){.bytes = bytes, .size = size};
    const Elf64_Ehdr *h = bytes;
    if (size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_machine != TARGET_MACHINE)
        return false;
    if (((uintptr_t)bytes | h->e_shoff) % _Alignof(Elf64_Shdr)) return false;
    f->header = h;
    if (h->e_shnum &&
        (h->e_shentsize != sizeof(Elf64_Shdr) || !inside(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr))))
        return false;
    f->section = (const Elf64_Shdr *)(const void *)(f->bytes + h->e_shoff);
    f->sections = h->e_shnum;
    assert(!f->sections || inside(f, h->e_shoff, (uint64_t)f->sections * sizeof(Elf64_Shdr)));
    return true;
}

const char *elf_string(const elf_file *f, unsigned table, size_t offset) {
    if (table >= f->sections) return "";
    const Elf64_Shdr *s = &f->section[table];
    if (s->sh_type != SHT_STRTAB || !inside(f, s->sh_offset, s->sh_size) || offset >= s->sh_size) return "";
    const char *p = (const char *)f->bytes + s->sh_offset;
    assert(inside(f, s->sh_offset + offset, 1));
    return memchr(p + offset, 0, s->sh_size - offset) ? p + offset : "";
}

const char *elf_section_name(const elf_file *f, const Elf64_Shdr *s) {
    assert(s >= f->section && s < f->section + f->sections);
    return elf_string(f, f->header->e_shstrndx, s->sh_name);
}

const Elf64_Shdr *elf_section(const elf_file *f, const char *name) {
    for (unsigned i = 0; i < f->sections; i++)
        if (!strcmp(elf_section_name(f, &f->section[i]), name)) return &f->section[i];
    return NULL;
}

const void *elf_contents(const elf_file *f, const Elf64_Shdr *s, size_t element, size_t *count) {
    *count = 0;
    if (!s || s->sh_type == SHT_NOBITS || !inside(f, s->sh_offset, s->sh_size)) return NULL;
    if (element > 1 && s->sh_offset % 8) return NULL;
    *count = s->sh_size / element;
    assert(element && *count * element <= f->size - s->sh_offset);
    return f->bytes + s->sh_offset;
}

const unsigned char *elf_at(const elf_file *f, uint64_t address, size_t n) {
    for (unsigned i = 0; i < f->sections; i++) {
        const Elf64_Shdr *s = &f->section[i];
        if (!(s->sh_flags & SHF_ALLOC) || s->sh_type == SHT_NOBITS || address < s->sh_addr) continue;
        uint64_t offset = address - s->sh_addr;
        if (offset < s->sh_size && n <= s->sh_size - offset && inside(f, s->sh_offset, s->sh_size))
            return f->bytes + s->sh_offset + offset;
    }
    return NULL;
}

elf_symbols elf_symbols_of(const elf_file *f, unsigned type) {
    for (unsigned i = 0; i < f->sections; i++) {
        if (f->section[i].sh_type != type) continue;
        elf_symbols s = {.strings = f->section[i].sh_link};
        s.at = elf_contents(f, &f->section[i], sizeof(Elf64_Sym), &s.size);
        return s;
    }
    return (elf_symbols){0};
}

bool elf_defines(const elf_file *f, const char *symbol) {
    elf_symbols s = elf_symbols_of(f, SHT_DYNSYM);
    for (size_t i = 0; i < s.size; i++)
        if (s.at[i].st_shndx != SHN_UNDEF && !strcmp(elf_string(f, s.strings, s.at[i].st_name), symbol)) return true;
    return false;
}

bool is_archive(const void *bytes, size_t size) { return size >= SARMAG && !memcmp(bytes, ARMAG, SARMAG); }

/* GNU names: "file.o/", or "/123" into the member "//" that holds long names, ended by "/\n". */
static void member_name(const char *bytes, size_t size, const struct ar_hdr *h, archive_member *m) {
    size_t at = SARMAG;
    if (h->ar_name[0] != '/') {
        snprintf(m->name, sizeof m->name, "%.*s", (int)strcspn(h->ar_name, "/"), h->ar_name);
        return;
    }
    size_t wanted = strtoul(h->ar_name + 1, NULL, 10);
    m->name[0] = '\0';
    while (at + sizeof *h <= size) {
        const struct ar_hdr *o = (const void *)(bytes + at);
        size_t length = strtoul(o->ar_size, NULL, 10);
        at += sizeof *h;
        if (length > size - at) return;
        if (!memcmp(o->ar_name, "// ", 3) && wanted < length) {
            const char *name = bytes + at + wanted, *end = memchr(name, '/', length - wanted);
            snprintf(m->name, sizeof m->name, "%.*s", (int)(end ? (size_t)(end - name) : length - wanted), name);
            return;
        }
        at += length + (length & 1);
    }
}

bool archive_next(const void *bytes, size_t size, size_t *at, archive_member *m) {
    const char *p = bytes;
    if (*at == 0) *at = SARMAG;
    while (*at + sizeof(struct ar_hdr) <= size) {
        const struct ar_hdr *h = (const void *)(p + *at);
        size_t length = strtoul(h->ar_size, NULL, 10);
        *at += sizeof *h;
        if (length > size - *at) return false;
        m->bytes = p + *at;
        m->size = length;
        assert((const char *)m->bytes + m->size <= p + size);
        *at += length + (length & 1);
        if (h->ar_name[0] == '/' && (h->ar_name[1] == ' ' || h->ar_name[1] == '/' || h->ar_name[1] == 'S'))
            continue; /* index, long names */
        member_name(p, size, h, m);
        return true;
    }
    return false;
}
