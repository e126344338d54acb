/* The processor that programs under test are compiled for: the one that this command was built for. */
#ifndef PLUMB_EXPLORE_COMPILE_TARGET_H
#define PLUMB_EXPLORE_COMPILE_TARGET_H

#include <elf.h>

#ifdef __aarch64__
enum { TARGET_MACHINE = EM_AARCH64 };
#else
enum { TARGET_MACHINE = EM_X86_64 };
#endif

#endif
