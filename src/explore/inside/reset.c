/* Every execution starts from the memory that the constructors left: the writable segments of the program (and of
 * libraries that it brings along, libstdc++ included) are copied before the first one and put back before each.
 *
 * Only pages that were ever written are put back. Small segments are copied whole; larger ones are write-protected at
 * first, and a fault marks the page for good: executions repeat themselves, so there are soon no more faults. */
#include "explore/inside/reset.h"
#include "explore/inside/snapshot.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>

enum { PAGE = PAGE_KNOWN, SEGMENTS_MAX = 64, SMALL = 16 * PAGE };

typedef struct segment {
    char *low, *copy;
    size_t size;
    uint32_t *dirty; /* pages that were written; NULL: the whole segment is put back */
    uint32_t dirty_count;
    uint8_t *is_dirty;
} segment;

static segment segments[SEGMENTS_MAX] PROCESS_STATE;
static unsigned segment_count PROCESS_STATE;
static struct { uintptr_t low, high; } code[SEGMENTS_MAX] PROCESS_STATE;
static unsigned code_count PROCESS_STATE;
static bool needs_cxx PROCESS_STATE;

/* Libraries whose state is not the program's: libc's is shared with us, the others have none that matters. */
static bool name_is_system(const char *name) {
    static const char *const system[] = {"/libc.so",          "/ld-linux",  "linux-vdso",  "/libm.so",
                                         "/libpthread.so",    "/libdl.so",  "/librt.so",   "/libgcc_s.so",
                                         "plumbline-explore", "/libz.so",   "/libzstd.so", "/libcadical",
                                         "/libdw.so",         "/libelf.so", "/liblzma.so", "/libbz2.so"};
    for (unsigned i = 0; i < sizeof system / sizeof *system; i++)
        if (strstr(name, system[i])) return true;
    return false;
}

/* libstdc++ is also in the process when only our own engines need it; then its state is left alone. */
static bool executable_needs_cxx(const struct dl_phdr_info *info) {
    const ElfW(Dyn) *d = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (!d) return false;
    const char *strings = NULL;
    for (const ElfW(Dyn) *e = d; e->d_tag != DT_NULL; e++)
        if (e->d_tag == DT_STRTAB) strings = (const char *)e->d_un.d_ptr;
    for (const ElfW(Dyn) *e = d; e->d_tag != DT_NULL && strings; e++)
        if (e->d_tag == DT_NEEDED && strstr(strings + e->d_un.d_val, "libstdc++")) return true;
    return false;
}

static void segment_keep(uintptr_t low, uintptr_t high) {
    if (high <= low || segment_count == SEGMENTS_MAX) return;
    segment *s = &segments[segment_count++];
    *s = (segment){.low = (char *)low, .size = high - low};
    INVARIANT(s->size < (size_t)1 << 40);
    s->copy = malloc(s->size);
    memcpy(s->copy, s->low, s->size);
    if (s->size <= SMALL) return;
    size_t pages = (s->size + PAGE - 1) / PAGE + 1;
    s->dirty = malloc(pages * sizeof *s->dirty);
    s->is_dirty = calloc(pages, 1);
}

static int object_look(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    bool first = !(*(unsigned *)context)++;
    if (first) needs_cxx = executable_needs_cxx(info);
    bool cxx = strstr(info->dlpi_name, "/libstdc++") != NULL;
    if (!first && (name_is_system(info->dlpi_name) || (cxx && !needs_cxx))) return 0;
    uintptr_t low = 0, high = 0, fixed = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t a = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_W)) {
            low = a;
            high = a + p->p_memsz;
        }
        if (p->p_type == PT_GNU_RELRO) fixed = (a + p->p_memsz + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && !cxx && code_count < SEGMENTS_MAX) {
            code[code_count].low = a;
            code[code_count++].high = a + p->p_memsz;
        }
    }
    segment_keep(fixed > low && fixed < high ? fixed : low, high);
    return 0;
}

void reset_each_segment(void (*each)(void *context, uintptr_t address, const void *bytes, size_t size), void *context) {
    /* the executable's own */
    if (segment_count) each(context, (uintptr_t)segments[0].low, segments[0].low, segments[0].size);
}

bool program_variable(uintptr_t address) {
    return segment_count && address - (uintptr_t)segments[0].low < segments[0].size;
}

bool program_owns(uintptr_t pc) {
    for (unsigned i = 0; i < code_count; i++)
        if (pc - code[i].low < code[i].high - code[i].low) return true;
    return false;
}

/* A page that only partly belongs to the segment is dirty from the start: others write there as well. */
static void segment_watch(segment *s) {
    uintptr_t first = ((uintptr_t)s->low + PAGE - 1) / PAGE * PAGE, end = ((uintptr_t)s->low + s->size) / PAGE * PAGE;
    if (first != (uintptr_t)s->low) {
        s->is_dirty[0] = 1;
        s->dirty[s->dirty_count++] = 0;
    }
    if (end != (uintptr_t)s->low + s->size) {
        uint32_t last = (uint32_t)(end / PAGE - (uintptr_t)s->low / PAGE);
        if (!s->is_dirty[last]) {
            s->is_dirty[last] = 1;
            s->dirty[s->dirty_count++] = last;
        }
    }
    if (end > first) mprotect((void *)first, end - first, PROT_READ);
}

bool reset_open(char *wrong, size_t room) {
    (void)wrong, (void)room;
    __libc_single_threaded = 0; /* else libstdc++ counts references without atomics */
    unsigned seen = 0;
    dl_iterate_phdr(object_look, &seen);
    for (unsigned i = 0; i < segment_count; i++)
        if (segments[i].dirty) segment_watch(&segments[i]);
    return true;
}

bool reset_fault(uintptr_t address) {
    for (unsigned i = 0; i < segment_count; i++) {
        segment *s = &segments[i];
        if (!s->dirty || address - (uintptr_t)s->low >= s->size) continue;
        uint32_t page = (uint32_t)(address / PAGE - (uintptr_t)s->low / PAGE);
        INVARIANT(page <= s->size / PAGE + 1 && s->dirty_count <= s->size / PAGE + 1);
        if (s->is_dirty[page]) return false;
        s->is_dirty[page] = 1;
        s->dirty[s->dirty_count++] = page;
        return mprotect((void *)(address / PAGE * PAGE), PAGE, PROT_READ | PROT_WRITE) == 0;
    }
    return false;
}

typedef struct extent {
    uintptr_t from, size;
} extent;

static extent page_extent(const segment *s, uint32_t page) {
    uintptr_t base = (uintptr_t)s->low / PAGE * PAGE + (uintptr_t)page * PAGE, low = (uintptr_t)s->low,
              high = low + s->size;
    uintptr_t from = base < low ? low : base, to = base + PAGE > high ? high : base + PAGE;
    INVARIANT(from >= low && from < to && to <= high && to - from <= PAGE);
    return (extent){from, to - from};
}

static void page_restore(const segment *s, uint32_t page) {
    extent e = page_extent(s, page);
    memcpy((void *)e.from, s->copy + (e.from - (uintptr_t)s->low), e.size);
}

void reset_memory(void) {
    for (unsigned i = 0; i < segment_count; i++) {
        const segment *s = &segments[i];
        if (!s->dirty) memcpy(s->low, s->copy, s->size);
        for (uint32_t k = 0; k < s->dirty_count; k++) page_restore(s, s->dirty[k]);
    }
}

/* Pages that were written for the first time behind a snapshot are as they were at the start of every execution. */
void segments_copy(tape *t) {
    for (unsigned i = 0; i < segment_count; i++) {
        const segment *s = &segments[i];
        uint32_t dirty = s->dirty_count;
        if (!s->dirty) tape_copy(t, s->low, s->size);
        tape_copy(t, &dirty, sizeof dirty);
        INVARIANT(dirty <= s->dirty_count); /* pages stay dirty */
        for (uint32_t k = 0; k < dirty; k++) {
            extent e = page_extent(s, s->dirty[k]);
            tape_copy(t, (void *)e.from, e.size);
        }
        for (uint32_t k = dirty; k < s->dirty_count; k++) page_restore(s, s->dirty[k]);
    }
}

/* Pages that are as at the start say nothing, whenever they were first written. */
static void segment_hash(hash128 *h, const segment *s) {
    if (!s->dirty) hash128_bytes(h, s->low, s->size);
    for (uint32_t k = 0; k < s->dirty_count; k++) {
        const extent e = page_extent(s, s->dirty[k]);
        if (!memcmp((const void *)e.from, s->copy + (e.from - (uintptr_t)s->low), e.size)) continue;
        hash128_words(h, e.from, e.size);
        hash128_bytes(h, (const void *)e.from, e.size);
    }
}

void segments_hash(hash128 *h) {
    for (unsigned i = 0; i < segment_count; i++) segment_hash(h, &segments[i]);
}
