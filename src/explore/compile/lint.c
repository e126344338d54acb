#include "explore/compile/lint.h"

#include "base/mem.h"
#include "explore/compile/decode.h"
#include "explore/compile/elf_file.h"
#include "explore/compile/file.h"
#include "explore/compile/rewrite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct lint {
    elf_file program, runtime;
    text *complaints, *opaque;
    unsigned refused;
} lint;

/* ---- the linker's map ---- */

/* "LOAD file" names every file; of archives only the members in the first table were taken. */
void map_inputs(const char *map, word_list *inputs) {
    bool members = false;
    for (const char *p = map, *end; *p; p = *end ? end + 1 : end) {
        end = strchrnul(p, '\n');
        size_t n = (size_t)(end - p);
        if (!strncmp(p, "Archive member included", 23)) members = true;
        else if (!strncmp(p, "As-needed library", 17) || !strncmp(p, "Discarded input", 15) ||
                 !strncmp(p, "Memory Config", 13))
            members = false;
        else if (members && n && *p != ' ' && memchr(p, '(', n)) {
            const char *close = memchr(p, ')', n);
            if (close) words_printf(inputs, "%.*s", (int)(close + 1 - p), p);
        } else if (!strncmp(p, "LOAD ", 5)) {
            words_printf(inputs, "%.*s", (int)(n - 5), p + 5);
        }
    }
}

/* ---- what belongs to the tool chain and to us ---- */

static bool matches(const char *base, const char *const *prefix) {
    for (; *prefix; prefix++)
        if (!strncmp(base, *prefix, strlen(*prefix))) return true;
    return false;
}

/* Start files and language support: their synchronisation is known to the runtime, or happens before and after the
 * test. */
static bool is_tool_chain(const char *path) {
    static const char *const known[] = {"crt1.o",
                                        "Scrt1.o",
                                        "gcrt1.o",
                                        "crti.o",
                                        "crtn.o",
                                        "crtbegin",
                                        "crtend",
                                        "libgcc.a",
                                        "libgcc_eh.a",
                                        "libgcc_s.so",
                                        "libc_nonshared.a",
                                        "libc.so",
                                        "libm.so",
                                        "libmvec.so",
                                        "libpthread.",
                                        "libdl.",
                                        "librt.",
                                        "libstdc++.",
                                        "libc++.",
                                        "libc++abi.",
                                        "libunwind.",
                                        "ld-linux",
                                        "ld-linux-x86-64",
                                        "libclang_rt.builtins",
                                        "libplumbline-explore",
                                        "linux-vdso",
                                        NULL};
    return matches(file_base(path), known);
}

/* ---- synchronisation that the runtime does not know ---- */

static bool could_synchronise(const char *symbol) {
    static const char *const family[] = {"pthread_", "sem_",  "mtx_",    "cnd_", "thrd_", "tss_",
                                         "__tsan_",  "GOMP_", "__kmpc_", "uv_",  NULL};
    static const char *const harmless[] = {"pthread_self",
                                           "pthread_equal",
                                           "pthread_attr_",
                                           "pthread_mutexattr_",
                                           "pthread_condattr_",
                                           "pthread_rwlockattr_",
                                           "pthread_barrierattr_",
                                           "pthread_setname_np",
                                           "pthread_getname_np",
                                           "pthread_setaffinity_np",
                                           "pthread_getaffinity_np",
                                           "pthread_sigmask",
                                           "pthread_atfork",
                                           "thrd_current",
                                           "thrd_equal",
                                           NULL};
    static const char *const single[] = {
        "call_once",   "syscall",     "poll",        "ppoll",       "select",          "pselect",      "epoll_wait",
        "epoll_pwait", "eventfd",     "sigwait",     "sigwaitinfo", "sigtimedwait",    "sigsuspend",   "pause",
        "wait",        "waitpid",     "fork",        "vfork",       "clone",           "semop",        "semtimedop",
        "msgrcv",      "msgsnd",      "mq_receive",  "mq_send",     "mq_timedreceive", "mq_timedsend", "lockf",
        "flock",       "aio_suspend", "swapcontext", NULL};
    for (const char *const *s = single; *s; s++)
        if (!strcmp(symbol, *s)) return true;
    return matches(symbol, family) && !matches(symbol, harmless);
}

/* The program takes it from a shared library, and not from the runtime. */
static bool is_unmodelled(const lint *l, const char *symbol) {
    if (!could_synchronise(symbol) || elf_defines(&l->runtime, symbol)) return false;
    elf_symbols s = elf_symbols_of(&l->program, SHT_DYNSYM);
    for (size_t i = 0; i < s.size; i++)
        if (s.at[i].st_shndx == SHN_UNDEF && !strcmp(elf_string(&l->program, s.strings, s.at[i].st_name), symbol))
            return true;
    return false;
}

static void lint_calls(lint *l, const char *name, const elf_file *f, unsigned table) {
    elf_symbols s = elf_symbols_of(f, table);
    for (size_t i = 0; i < s.size; i++) {
        const char *symbol = elf_string(f, s.strings, s.at[i].st_name);
        if (s.at[i].st_shndx != SHN_UNDEF || !is_unmodelled(l, symbol)) continue;
        l->refused++;
        text_printf(l->complaints, "%s: calls %s, which could block or synchronise and is not modelled\n", name,
                    symbol);
    }
}

/* ---- atomic instructions ---- */

typedef struct found_symbols {
    unsigned count;
    char first[160];
} found_symbols;

static void find_atomics(const elf_file *f, found_symbols *out) {
    for (unsigned i = 0; i < f->sections; i++) {
        const Elf64_Shdr *s = &f->section[i];
        size_t n;
        const unsigned char *code = s->sh_flags & SHF_EXECINSTR ? elf_contents(f, s, 1, &n) : NULL;
        if (code) out->count += decode_count_atomics(code, n, out->first, out->count ? 0 : sizeof out->first);
    }
}

static void lint_foreign(lint *l, const char *name, const elf_file *f) {
    found_symbols hidden = {0};
    if (!decode_available()) {
        text_printf(l->opaque, "%s (not looked into)\n", name);
        return;
    }
    find_atomics(f, &hidden);
    if (hidden.count == 0) {
        text_printf(l->opaque, "%s\n", name);
        return;
    }
    l->refused++;
    text_printf(l->opaque, "%s (with atomic instructions)\n", name); /* for those who go on all the same */
    text_printf(l->complaints,
                "%s: was not compiled by plumb cc and has %u atomic instruction%s that could not be seen, such as %s\n",
                name, hidden.count, hidden.count == 1 ? "" : "s", hidden.first);
}

static void lint_object(lint *l, const char *name, const void *bytes, size_t size) {
    elf_file f;
    if (!elf_open(&f, bytes, size)) return;
    bool shared = f.header->e_type == ET_DYN;
    lint_calls(l, name, &f, shared ? SHT_DYNSYM : SHT_SYMTAB);
    if (!elf_section(&f, MARKER_SECTION)) lint_foreign(l, name, &f);
}

/* ---- inputs ---- */

static bool member_read(const char *archive, size_t size, const char *name, size_t length, text *bytes) {
    archive_member m;
    size_t at = 0;
    while (archive_next(archive, size, &at, &m)) {
        if (strlen(m.name) != length || memcmp(m.name, name, length)) continue;
        text_bytes(bytes, m.bytes, m.size);
        return true;
    }
    return false;
}

/* Mapped, not read: a program takes many members of one large archive, and each asks for it again. */
static bool archive_read(const char *path, const char *name, size_t length, text *bytes) {
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const size_t size = fd >= 0 && !fstat(fd, &s) && s.st_size > 0 ? (size_t)s.st_size : 0;
    char *archive = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (archive == MAP_FAILED) return false;
    bool good = is_archive(archive, size) && member_read(archive, size, name, length, bytes);
    munmap(archive, size);
    return good;
}

bool input_read(const char *input, text *bytes) {
    const size_t n = strlen(input);
    const char *bracket = n && input[n - 1] == ')' ? strrchr(input, '(') : NULL;
    text path = {0};
    if (!bracket) return file_read(input, bytes) && !is_archive(bytes->at, bytes->size);
    text_bytes(&path, input, (size_t)(bracket - input));
    bool good = archive_read(text_str(&path), bracket + 1, (size_t)(input + n - 1 - (bracket + 1)), bytes);
    text_free(&path);
    return good;
}

static bool has_instructions(const elf_file *f) {
    for (unsigned i = 1; i < f->sections; i++)
        if (f->section[i].sh_flags & SHF_EXECINSTR && f->section[i].sh_size) return true;
    return false;
}

bool input_is_foreign_object(const char *input, text *bytes) {
    elf_file f;
    return !is_tool_chain(input) && input_read(input, bytes) && elf_open(&f, bytes->at, bytes->size) &&
           f.header->e_type == ET_REL && has_instructions(&f) && !elf_section(&f, MARKER_SECTION);
}

/* A shared library that the linker looked at matters only if the program will load it. */
static bool is_needed(const lint *l, const char *path, const text *content) {
    elf_file f;
    size_t n;
    const char *soname = file_base(path);
    if (!elf_open(&f, content->at, content->size) || f.header->e_type != ET_DYN) return true;
    const Elf64_Shdr *s = elf_section(&f, ".dynamic");
    const Elf64_Dyn *d = elf_contents(&f, s, sizeof *d, &n);
    for (size_t i = 0; i < n; i++)
        if (d[i].d_tag == DT_SONAME) soname = elf_string(&f, s->sh_link, d[i].d_un.d_val);
    s = elf_section(&l->program, ".dynamic");
    d = elf_contents(&l->program, s, sizeof *d, &n);
    for (size_t i = 0; i < n; i++)
        if (d[i].d_tag == DT_NEEDED && !strcmp(file_base(elf_string(&l->program, s->sh_link, d[i].d_un.d_val)), soname))
            return true;
    return false;
}

static void lint_input(lint *l, const char *input) {
    text content = {0};
    if (!is_tool_chain(input) && input_read(input, &content) && is_needed(l, input, &content))
        lint_object(l, input, content.at, content.size);
    text_free(&content);
}

unsigned lint_inputs(const word_list *inputs, const text *program, const lint_runtime *runtime, text *complaints,
                     text *opaque) {
    lint l = {.complaints = complaints, .opaque = opaque};
    if (!elf_open(&l.program, program->at, program->size)) l.program = (elf_file){0};
    if (!elf_open(&l.runtime, runtime->bytes->at, runtime->bytes->size)) l.runtime = (elf_file){0};
    for (size_t i = 0; i < inputs->size; i++) {
        bool again = !strcmp(inputs->at[i], runtime->path);
        for (size_t k = 0; k < i && !again; k++) again = !strcmp(inputs->at[i], inputs->at[k]);
        if (!again) lint_input(&l, inputs->at[i]);
    }
    return l.refused;
}
