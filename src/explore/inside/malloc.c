/* The malloc family. Code under test gets memory from the machine's heap; our own code, and libc for itself (its
 * buffers live longer than one execution), get it from libc as always. */
#include "explore/inside/failures.h"
#include "explore/inside/faults.h"
#include "explore/inside/fiber.h"
#include "explore/inside/heap.h"
#include "explore/inside/real.h"
#include "explore/inside/start.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* libc and the dynamic linker: found once, by an address in each. */
static struct { uintptr_t low, high; } libc[2] PROCESS_STATE;

static int libc_look(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    unsigned i = strstr(info->dlpi_name, "/libc.so") ? 0 : strstr(info->dlpi_name, "/ld-linux") ? 1 : 2;
    for (unsigned k = 0; i < 2 && k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
            libc[i].low = info->dlpi_addr + p->p_vaddr;
            libc[i].high = libc[i].low + p->p_memsz;
        }
    }
    return 0;
}

static bool caller_is_libc(uintptr_t pc) {
    if (UNLIKELY(!libc[0].low)) {
        const mode before = mode_aside();
        dl_iterate_phdr(libc_look, NULL);
        mode_back(before);
    }
    return pc - libc[0].low < libc[0].high - libc[0].low || pc - libc[1].low < libc[1].high - libc[1].low;
}

static inline bool for_program(void) { return mode_now() != OUTSIDE || program_constructing(); }
static inline bool modelled(uintptr_t pc) { return for_program() && !caller_is_libc(pc); }

static void release(void *p, uintptr_t pc) {
    if (!p) return;
    if (!address_is_heap((uintptr_t)p)) {
        uintptr_t a = (uintptr_t)p;
        if (mode_now() != OUTSIDE && (address_is_stack(a) || address_is_tls(a)))
            fail(FAILURE_INVALID_FREE, "free of %p, which malloc never returned, at %#lx", p, (unsigned long)pc);
        __libc_free(p);
    } else if (for_program()) {
        heap_release(p, pc);
    }
}

/* As malloc does: it may be made to fail. */
static void *allocate(size_t n, size_t alignment, uintptr_t pc) {
    if (UNLIKELY(allocation_fails())) {
        errno = ENOMEM;
        return NULL;
    }
    return heap_allocate(n, alignment, pc);
}

static void *zeroed(void *p, size_t n) { return p ? memset(p, 0, n) : NULL; }

static void *resize(void *p, size_t size, uintptr_t pc) {
    void *q = allocate(size, 1, pc);
    if (!q || !p) return q;
    size_t old = address_is_heap((uintptr_t)p) ? heap_size(p) : malloc_usable_size(p);
    memcpy(q, p, old < size ? old : size);
    release(p, pc);
    return q;
}

EXPORT void *malloc(size_t n) { return modelled(CALLER) ? allocate(n, 1, CALLER) : __libc_malloc(n); }
EXPORT void free(void *p) { release(p, CALLER); }
EXPORT void cfree(void *p) { release(p, CALLER); }
EXPORT void *calloc(size_t a, size_t b) {
    size_t n;
    if (!modelled(CALLER)) return __libc_calloc(a, b);
    return __builtin_mul_overflow(a, b, &n) ? NULL : zeroed(allocate(n, 1, CALLER), n);
}
EXPORT void *realloc(void *p, size_t n) {
    return modelled(CALLER) || (p && address_is_heap((uintptr_t)p)) ? resize(p, n, CALLER) : __libc_realloc(p, n);
}
EXPORT void *reallocarray(void *p, size_t a, size_t b) {
    size_t n;
    if (__builtin_mul_overflow(a, b, &n)) return NULL;
    return modelled(CALLER) ? resize(p, n, CALLER) : __libc_realloc(p, n);
}
EXPORT void *memalign(size_t alignment, size_t n) {
    return modelled(CALLER) ? allocate(n, alignment, CALLER) : __libc_memalign(alignment, n);
}
EXPORT void *aligned_alloc(size_t alignment, size_t n) {
    return modelled(CALLER) ? allocate(n, alignment, CALLER) : __libc_memalign(alignment, n);
}
EXPORT void *valloc(size_t n) { return modelled(CALLER) ? allocate(n, 4096, CALLER) : __libc_memalign(4096, n); }
EXPORT void *pvalloc(size_t n) {
    return modelled(CALLER) ? allocate((n + 4095) / 4096 * 4096, 4096, CALLER) : __libc_memalign(4096, n);
}
EXPORT int posix_memalign(void **p, size_t alignment, size_t n) {
    *p = modelled(CALLER) ? allocate(n, alignment, CALLER) : __libc_memalign(alignment, n);
    return *p ? 0 : ENOMEM;
}
EXPORT size_t malloc_usable_size(void *p) {
    if (p && address_is_heap((uintptr_t)p)) return heap_size(p);
    return REAL(malloc_usable_size)(p);
}

/* Strings that libc would allocate for its caller. */
EXPORT char *strndup(const char *s, size_t n) {
    size_t length = strnlen(s, n);
    char *copy = modelled(CALLER) ? allocate(length + 1, 1, CALLER) : __libc_malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, s, length);
    copy[length] = 0;
    return copy;
}
EXPORT char *strdup(const char *s) {
    size_t size = strlen(s) + 1;
    char *copy = modelled(CALLER) ? allocate(size, 1, CALLER) : __libc_malloc(size);
    return copy ? memcpy(copy, s, size) : NULL;
}

/* operator new and delete of C++, by their mangled names. */
#define NEW(name, rest) \
    void *name(size_t n rest); \
    EXPORT void *name(size_t n rest) { return for_program() ? heap_allocate(n, 1, CALLER) : __libc_malloc(n ? n : 1); }
#define NEW_ALIGNED(name, rest) \
    void *name(size_t n, size_t alignment rest); \
    EXPORT void *name(size_t n, size_t alignment rest) { \
        return for_program() ? heap_allocate(n, alignment, CALLER) : __libc_memalign(alignment, n ? n : 1); \
    }
#define DELETE(name, rest) \
    void name(void *p rest); \
    EXPORT void name(void *p rest) { release(p, CALLER); }

#define NOTHROW , const void *nothrow __attribute__((unused))
#define SIZED , size_t size __attribute__((unused))
#define ALIGNED , size_t alignment __attribute__((unused))
NEW(_Znwm, )
NEW(_Znam, )
NEW(_ZnwmRKSt9nothrow_t, NOTHROW)
NEW(_ZnamRKSt9nothrow_t, NOTHROW)
NEW_ALIGNED(_ZnwmSt11align_val_t, )
NEW_ALIGNED(_ZnamSt11align_val_t, )
NEW_ALIGNED(_ZnwmSt11align_val_tRKSt9nothrow_t, NOTHROW)
NEW_ALIGNED(_ZnamSt11align_val_tRKSt9nothrow_t, NOTHROW)
DELETE(_ZdlPv, )
DELETE(_ZdaPv, )
DELETE(_ZdlPvm, SIZED)
DELETE(_ZdaPvm, SIZED)
DELETE(_ZdlPvRKSt9nothrow_t, NOTHROW)
DELETE(_ZdaPvRKSt9nothrow_t, NOTHROW)
DELETE(_ZdlPvSt11align_val_t, ALIGNED)
DELETE(_ZdaPvSt11align_val_t, ALIGNED)
DELETE(_ZdlPvmSt11align_val_t, SIZED ALIGNED)
DELETE(_ZdaPvmSt11align_val_t, SIZED ALIGNED)
