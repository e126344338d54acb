/* ELF files of x86-64 in memory, and archives of them: sections, symbols, relocations. Every offset is checked against
 * the size of the file before it is followed.
 *
 * Why not libelf: it comes with libdw, which is optional (docs/DEPENDENCIES.md), while `plumb cc` has to read objects
 * always. And a file here is a view of bytes that another structure owns, without a handle to close. */
#ifndef PLUMB_EXPLORE_COMPILE_ELF_FILE_H
#define PLUMB_EXPLORE_COMPILE_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct elf_file {
    const unsigned char *bytes;
    size_t size;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *section;
    unsigned sections;
} elf_file;

bool elf_open(elf_file *f, const void *bytes, size_t size); /* false: not a (whole) ELF file of x86-64 */
const char *elf_section_name(const elf_file *f, const Elf64_Shdr *s);
const Elf64_Shdr *elf_section(const elf_file *f, const char *name); /* NULL: none */
/* Contents of a section as an array; NULL and 0 when it has none or they do not lie in the file. */
const void *elf_contents(const elf_file *f, const Elf64_Shdr *s, size_t element, size_t *count);
const char *elf_string(const elf_file *f, unsigned table, size_t offset); /* "" when there is none */
/* The bytes that will be at an address; NULL when fewer than n are in the file. */
const unsigned char *elf_at(const elf_file *f, uint64_t address, size_t n);

typedef struct elf_symbols {
    const Elf64_Sym *at;
    size_t size;
    unsigned strings; /* section with the names */
} elf_symbols;
elf_symbols elf_symbols_of(const elf_file *f, unsigned type); /* SHT_SYMTAB or SHT_DYNSYM */
bool elf_defines(const elf_file *f, const char *symbol);      /* to other objects at run time */

/* Members of an archive one after the other: *at starts as 0. False at the end. */
typedef struct archive_member {
    char name[256];
    const void *bytes;
    size_t size;
} archive_member;
bool is_archive(const void *bytes, size_t size);
bool archive_next(const void *bytes, size_t size, size_t *at, archive_member *m);

#endif
