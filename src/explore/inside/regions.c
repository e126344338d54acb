/* Whose memory an address is, when it is neither on the heap nor a variable of the program: stacks, thread-local
 * blocks, and what libraries keep. Asked for reports only. */
#include "explore/inside/fiber.h"
#include "explore/inside/handlers.h"
#include "explore/inside/reset.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A variable that the library exports, or else all of the library: the offset is a name, too. */
static bool foreign_region(uintptr_t address, machine_region *out) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!dladdr1((const void *)address, &info, (void **)&symbol, RTLD_DL_SYMENT)) return false;
    bool inside = symbol && info.dli_sname && address - (uintptr_t)info.dli_saddr < symbol->st_size;
    *out = (machine_region){.kind = 'f',
                            .address = (uintptr_t)(inside ? info.dli_saddr : info.dli_fbase),
                            .size = inside ? symbol->st_size : SIZE_MAX};
    snprintf(out->name, sizeof out->name, "%s", inside ? info.dli_sname : base_name(info.dli_fname));
    return true;
}

bool machine_region_of(uintptr_t address, machine_region *out) {
    *out = (machine_region){0};
    if (address_is_heap(address)) return false;
    if (handlers_region(address, out)) return true;
    uintptr_t stack = address - STACKS_BASE;
    if (stack < STACK_ROOM * THREADS_MAX) {
        unsigned t = (unsigned)(stack / STACK_ROOM);
        *out = (machine_region){.kind = 's', .thread = t, .address = STACKS_BASE + t * STACK_ROOM, .size = STACK_ROOM};
        return true;
    }
    const char *library;
    if (fiber_tls_find(address, &out->thread, &out->address, &out->size, &library)) {
        out->kind = 't';
        snprintf(out->name, sizeof out->name, "%s", base_name(library));
        return true;
    }
    return !program_variable(address) && foreign_region(address, out);
}
