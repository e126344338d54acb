#include "explore/compile/link.h"

#include "base/mem.h"
#include "explore/compile/elf_file.h"
#include "explore/compile/foreign.h"
#include "explore/compile/lint.h"
#include "explore/compile/purity.h"
#include "explore/model/facts.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct linking {
    const compiler *compiler;
    const arguments *args;
    const scratch_folder *scratch;
    error *error;
    const char *output;
    text runtime_path, runtime; /* the library's path and contents */
    unsigned loops_room, opaque_room;
    bool partial; /* -r: objects into one object */
    foreign_objects foreign;
} linking;

/* Room for the facts of the link, filled in when the program is there. */
static bool write_facts_source(const linking *l, text *path) {
    text t = {0};
    text_printf(path, "%s/facts.s", l->scratch->path);
    text_printf(
        &t,
        "\t.section .plumb.link,\"a\",@progbits\n\t.globl __plumb_link\n\t.type __plumb_link,@object\n\t.balign 16\n"
        "__plumb_link:\n\t.asciz \"" FACTS_MAGIC "\"\n\t.long 0, 0, %u, 0, %u, 0\n\t.zero %zu\n"
        "\t.size __plumb_link,.-__plumb_link\n\t.section .note.GNU-stack,\"\",@progbits\n",
        l->loops_room, l->opaque_room, l->loops_room * sizeof(loop_fact) + l->opaque_room);
    bool good = file_write(text_str(path), t.at, t.size, l->error);
    text_free(&t);
    return good;
}

/* Calls of memcpy and its variants in the code under test go to the runtime: whatever it defines as __wrap_NAME. */
static void add_wraps(const linking *l, word_list *command) {
    elf_file f;
    if (!elf_open(&f, l->runtime.at, l->runtime.size)) return;
    elf_symbols s = elf_symbols_of(&f, SHT_DYNSYM);
    for (size_t i = 0; i < s.size; i++) {
        const char *name = elf_string(&f, s.strings, s.at[i].st_name);
        if (s.at[i].st_shndx != SHN_UNDEF && !strncmp(name, "__wrap_", 7))
            words_printf(command, "-Wl,--wrap=%s", name + 7);
    }
}

/* The runtime comes first, so that its pthread_create, malloc, ... are the ones that all objects find. */
static void add_runtime(const linking *l, word_list *command) {
    const char *path = text_str(&l->runtime_path), *slash = strrchr(path, '/');
    const char *flags[] = {"-no-pie",         "-Wl,-z,now",          "-Wl,--push-state,--no-as-needed",         path,
                           "-Wl,--pop-state", "-Wl,-u,__plumb_link", "-Wl,--export-dynamic-symbol=__plumb_link"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) words_add(command, flags[i]);
    words_printf(command, "-Wl,-rpath,%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    add_wraps(l, command);
}

static int run_linker(const linking *l, const char *map) {
    word_list command = {0};
    text path = {0};
    int code = 0;
    words_all(&command, &l->compiler->command);
    if (!l->partial) add_runtime(l, &command);
    foreign_link(&l->foreign, &l->args->link, &command);
    if (!l->partial) {
        if (!write_facts_source(l, &path)) code = l->error->code;
        const char *facts[] = {"-x", "assembler", text_str(&path), "-x", "none"};
        for (unsigned i = 0; i < 5; i++) words_add(&command, facts[i]);
    }
    if (l->compiler->clang) words_add(&command, "-Wno-unused-command-line-argument");
    words_printf(&command, "-Wl,-Map=%s", map);
    words_add(&command, "-o");
    words_add(&command, l->output);
    if (code == 0) code = command_run(&command);
    words_free(&command);
    text_free(&path);
    return code;
}

/* ---- after the link ---- */

static void print_lines(const char *before, const text *lines) {
    for (const char *p = text_str(lines), *end; (end = strchr(p, '\n')); p = end + 1)
        fprintf(stderr, "plumb: cc: %s%.*s\n", before, (int)(end - p), p);
}

static int refuse_foreign(const linking *l, const text *complaints) {
    bool warning = l->args->foreign_is_warning;
    print_lines(warning ? "warning: " : "", complaints);
    if (warning || complaints->size == 0) return 0;
    print_lines("", &l->foreign.why);
    fprintf(stderr, "plumb: cc: compile their sources with plumb cc, too; or --foreign=warn, and then what they do is "
                    "not explored\n");
    return EXIT_BAD_INPUT;
}

static int read_map(const linking *l, const char *map, word_list *inputs) {
    text map_text = {0};
    if (file_read(map, &map_text)) map_inputs(text_str(&map_text), inputs);
    text_free(&map_text);
    if (inputs->size) return 0;
    error_set(l->error, EXIT_INTERNAL, "cc: the linker's map lists no inputs; only GNU ld is understood");
    return EXIT_INTERNAL;
}

static int check_inputs(const linking *l, const word_list *inputs, const text *program, text *opaque) {
    text complaints = {0};
    lint_inputs(inputs, program, &(lint_runtime){text_str(&l->runtime_path), &l->runtime}, &complaints, opaque);
    int code = refuse_foreign(l, &complaints);
    text_free(&complaints);
    return code;
}

/* --foreign=warn: foreign code stays as it is. */
static bool take_foreign(linking *l, const word_list *inputs) {
    return !l->partial && !l->args->foreign_is_warning && foreign_take(&l->foreign, inputs, l->compiler, l->scratch);
}

static bool patch(const char *path, uint64_t offset, const text *t, error *e) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && pwrite(fd, t->at, t->size, (off_t)offset) == (ssize_t)t->size;
    if (fd >= 0) close(fd);
    return good || error_set(e, EXIT_CANNOT_OPEN, "cc: %s: cannot write the facts of the link", path);
}

/* False with room enlarged: link again. */
static bool write_facts(linking *l, const text *program, const text *opaque, int *code) {
    elf_file f;
    pure_loops loops = {0};
    text bytes = {0};
    bool fits = true;
    const Elf64_Shdr *s = elf_open(&f, program->at, program->size) ? elf_section(&f, ".plumb.link") : NULL;
    link_facts head = {.magic = FACTS_MAGIC,
                       .loops_room = l->loops_room,
                       .opaque_room = l->opaque_room,
                       .opaque = (uint32_t)opaque->size};
    if (!s) {
        error_set(l->error, *code = EXIT_INTERNAL, "cc: %s has no section .plumb.link; a linker script that drops it?",
                  l->output);
        return true;
    }
    head.analysed = purity_analyse(&f, &loops);
    head.loops = (uint32_t)loops.size;
    if (loops.size > l->loops_room || opaque->size > l->opaque_room) {
        l->loops_room = (uint32_t)loops.size + 16;
        l->opaque_room = (uint32_t)opaque->size + 16;
        fits = false;
    } else {
        assert(loops.size <= l->loops_room && opaque->size <= l->opaque_room);
        text_bytes(&bytes, &head, sizeof head);
        if (loops.size) text_bytes(&bytes, loops.at, loops.size * sizeof *loops.at);
        if (!patch(l->output, s->sh_offset, &bytes, l->error)) *code = l->error->code;
        text_clear(&bytes);
        text_bytes(&bytes, text_str(opaque), opaque->size);
        if (*code == 0 && opaque->size &&
            !patch(l->output, s->sh_offset + sizeof head + l->loops_room * sizeof(loop_fact), &bytes, l->error))
            *code = l->error->code;
    }
    text_free(&bytes);
    pure_loops_free(&loops);
    return fits;
}

static int link_once(linking *l, bool *again) {
    text map = {0}, program = {0}, opaque = {0};
    word_list inputs = {0};
    text_printf(&map, "%s/map", l->scratch->path);
    int code = run_linker(l, text_str(&map));
    if (code == 0 && !file_read(l->output, &program)) code = EXIT_CANNOT_OPEN;
    if (code == 0) {
        code = read_map(l, text_str(&map), &inputs);
        *again = code == 0 && take_foreign(l, &inputs);
        if (code == 0 && !*again) code = check_inputs(l, &inputs, &program, &opaque);
        if (code == 0 && !*again && !l->partial) *again = !write_facts(l, &program, &opaque, &code);
        if (code) unlink(l->output);
    }
    words_free(&inputs);
    text_free(&map);
    text_free(&program);
    text_free(&opaque);
    return code;
}

int link_program(const compiler *c, const arguments *a, const scratch_folder *s, error *e) {
    linking l = {.compiler = c,
                 .args = a,
                 .scratch = s,
                 .error = e,
                 .output = a->output ? a->output : "a.out",
                 .loops_room = 1024,
                 .opaque_room = 4096};
    for (size_t i = 0; i < a->link.size; i++)
        if (!strcmp(a->link.at[i], "-r")) l.partial = true;
    int code = EXIT_INTERNAL;
    if (place_of_runtime(&l.runtime_path, e)) {
        if (!file_read(text_str(&l.runtime_path), &l.runtime))
            error_set(e, code = EXIT_CANNOT_OPEN, "cc: %s: cannot be read", text_str(&l.runtime_path));
        else
            for (bool again = true; again;) {
                again = false;
                code = link_once(&l, &again);
            }
    }
    text_free(&l.runtime_path);
    text_free(&l.runtime);
    foreign_free(&l.foreign);
    return code;
}
