/* Static probes: places that bpftrace, perf and SystemTap find by name (`bpftrace -l 'usdt:libplumbline-record.so:*'`,
 * `readelf -n`). A probe that is not watched is one instruction that does nothing. The place, its name and where its
 * arguments are stand in a note of the ELF file, in the form that these tools share (SystemTap's version 3 notes):
 * three addresses (of the place, of a base by which a prelinked file can be told, of no semaphore), then provider, name
 * and arguments ("8@" and an operand each) as strings.
 *
 * Not in code that the explorer runs, and not on processors whose operands these tools are not known to read here. */
#ifndef PLUMB_BASE_PROBE_H
#define PLUMB_BASE_PROBE_H

#include <stdint.h>

#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__PLUMBLINE__)
#define PROBE_NOTE(name, arguments) \
    "990: nop\n" \
    ".pushsection .note.stapsdt,\"?\",\"note\"\n" \
    ".balign 4\n" \
    ".4byte 992f-991f, 994f-993f, 3\n" \
    "991: .asciz \"stapsdt\"\n" \
    "992: .balign 4\n" \
    "993: .8byte 990b\n" \
    ".8byte _.stapsdt.base\n" \
    ".8byte 0\n" \
    ".asciz \"plumbline\"\n" \
    ".asciz \"" #name "\"\n" \
    ".asciz \"" arguments "\"\n" \
    "994: .balign 4\n" \
    ".popsection\n" \
    ".ifndef _.stapsdt.base\n" \
    ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
    ".weak _.stapsdt.base\n" \
    ".hidden _.stapsdt.base\n" \
    "_.stapsdt.base: .space 1\n" \
    ".size _.stapsdt.base, 1\n" \
    ".popsection\n" \
    ".endif\n"
#define PROBE(name, a, b) __asm__ volatile(PROBE_NOTE(name, "8@%0 8@%1") : : "nor"((uint64_t)(a)), "nor"((uint64_t)(b)))
#else
#define PROBE(name, a, b) ((void)(a), (void)(b))
#endif

#endif
