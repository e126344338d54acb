#include "explore/compile/driver.h"

#include "base/mem.h"
#include "base/whole_file.h"
#include "explore/compile/link.h"
#include "explore/compile/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compile_job {
    compiler compiler;
    arguments args;
    scratch_folder scratch;
    error error;
} compile_job;

/* Volatile accesses and the read of x++ are hooks of their own, or lost updates would never be seen. The macro that
 * tells code of a sanitizer is taken back where it can be: code is explored as it is shipped. */
static void add_hook_flags(word_list *command, bool clang) {
    static const char *const both[] = {"-fsanitize=thread", "-fno-pie", "-D__PLUMBLINE__=1", NULL};
    static const char *const of_gcc[] = {"--param", "tsan-distinguish-volatile=1", "-Wno-tsan", "-U__SANITIZE_THREAD__",
                                         NULL};
    static const char *const of_clang[] = {"-mllvm",
                                           "-tsan-distinguish-volatile=1",
                                           "-mllvm",
                                           "-tsan-instrument-read-before-write=1",
                                           "-Wno-unused-command-line-argument",
                                           NULL};
    const char *const *lists[] = {both, clang ? of_clang : of_gcc};
    for (unsigned l = 0; l < 2; l++)
        for (const char *const *w = lists[l]; *w; w++) words_add(command, *w);
}

/* The object that the compiler would have made. */
static void object_name(const compile_job *j, const source *s, size_t index, text *out) {
    if (j->args.wanted == WANT_OBJECTS && j->args.output) text_add(out, j->args.output);
    else if (j->args.wanted == WANT_OBJECTS) file_stem(out, s->path, ".o");
    else text_printf(out, "%s/%zu.o", j->scratch.path, index);
}

/* Without -MF and -MT the compiler would take the names from our temporary files. */
static void add_dependency_names(const compile_job *j, const source *s, const char *object, word_list *command) {
    text name = {0};
    bool objects = j->args.wanted == WANT_OBJECTS;
    if (!j->args.dependency_file) {
        const char *like = objects ? object : s->path, *slash = objects ? strrchr(like, '/') : NULL;
        if (slash) text_printf(&name, "%.*s", (int)(slash + 1 - like), like);
        file_stem(&name, like, ".d");
        words_add(command, "-MF");
        words_add(command, text_str(&name));
    }
    if (!j->args.dependency_target) {
        text_clear(&name);
        if (objects) text_add(&name, object);
        else file_stem(&name, s->path, ".o");
        words_add(command, "-MQ");
        words_add(command, text_str(&name));
    }
    text_free(&name);
}

/* plumbline/test.h is found without a flag, behind everything else. */
static void add_headers(word_list *command) {
    text headers = {0};
    error ignored = {0};
    if (place_of_headers(&headers, &ignored)) {
        words_add(command, "-idirafter");
        words_add(command, text_str(&headers));
    }
    text_free(&headers);
}

/* From source to the compiler's assembly text. A .s file is that already; a .S file only wants the preprocessor. */
static int to_assembly(const compile_job *j, const source *s, const char *object, const char *path, text *out) {
    if (s->language == LANGUAGE_ASM) {
        if (file_read(s->path, out)) return 0;
        fprintf(stderr, "plumb: cc: %s: cannot be read\n", s->path);
        return EXIT_CANNOT_OPEN;
    }
    word_list command = {0};
    words_all(&command, &j->compiler.command);
    words_add(&command, s->language == LANGUAGE_ASM_CPP ? "-E" : "-S");
    words_add(&command, "-g");
    words_all(&command, &j->args.compile);
    add_headers(&command);
    if (s->language != LANGUAGE_ASM_CPP) add_hook_flags(&command, j->compiler.clang);
    if (j->args.dependencies) add_dependency_names(j, s, object, &command);
    const char *rest[] = {"-x", language_name(s->language), s->path, "-o", path};
    for (unsigned i = 0; i < 5; i++) words_add(&command, rest[i]);
    int code = command_run(&command);
    words_free(&command);
    if (code == 0 && !file_read(path, out)) code = EXIT_CANNOT_OPEN;
    return code;
}

static int assemble(const compile_job *j, const source *s, const char *path, const char *object) {
    word_list command = {0};
    words_all(&command, &j->compiler.command);
    words_all(&command, &j->args.assemble);
    if (j->compiler.clang) { /* it warns of its own checksums of files; of the source it has warned already */
        words_add(&command, "-Wno-unused-command-line-argument");
        words_add(&command, "-Wa,--no-warn");
    }
    const char *rest[] = {"-x", "assembler", "-c", path, "-o", object};
    for (unsigned i = 0; i < 6; i++) words_add(&command, rest[i]);
    int code = command_run(&command);
    words_free(&command);
    if (code)
        fprintf(
            stderr,
            "plumb: cc: %s: the assembler refused its assembly with hooks (a loop or jrcxz instruction reaches only "
            "127 bytes)\n",
            s->path);
    return code;
}

/* Prefixed as messages of a compiler are, so that editors find the place. */
static void print_complaints(const text *complaints, bool warning) {
    for (const char *p = text_str(complaints), *end; (end = strchr(p, '\n')); p = end + 1)
        fprintf(stderr, "plumb: cc: %s%.*s\n", warning ? "warning: " : "", (int)(end - p), p);
}

static int compile_source(compile_job *j, size_t index) {
    const source *s = &j->args.sources[index];
    text in = {0}, out = {0}, complaints = {0}, object = {0}, path = {0};
    object_name(j, s, index, &object);
    text_printf(&path, "%s/%zu.s", j->scratch.path, index);
    int code = to_assembly(j, s, text_str(&object), text_str(&path), &in);
    if (code == 0) {
        rewrite_options o = {.source = s->path,
                             .by_hand = s->language == LANGUAGE_ASM || s->language == LANGUAGE_ASM_CPP};
        rewrite_result r = rewrite_assembly((text_piece){text_str(&in), in.size}, &o, &out, &complaints);
        print_complaints(&complaints, j->args.unknown_is_warning);
        if (r.refused && !j->args.unknown_is_warning) code = EXIT_BAD_INPUT;
    }
    if (code == 0 && j->args.keep) {
        text kept = {0};
        text_printf(&kept, "%s/", j->args.keep);
        file_stem(&kept, s->path, ".plumb.s");
        if (!whole_file_write(text_str(&kept), out.at, out.size, &j->error)) code = j->error.code;
        text_free(&kept);
    }
    if (code == 0 && !file_write(text_str(&path), out.at, out.size, &j->error)) code = j->error.code;
    if (code == 0) code = assemble(j, s, text_str(&path), text_str(&object));
    if (code == 0 && j->args.wanted == WANT_PROGRAM) {
        free(j->args.link.at[s->link_index]);
        j->args.link.at[s->link_index] = mem_string(text_str(&object));
    }
    text *all[] = {&in, &out, &complaints, &object, &path};
    for (unsigned i = 0; i < 5; i++) text_free(all[i]);
    return code;
}

static int run_compiler(const compile_job *j) {
    word_list command = {0};
    words_all(&command, &j->compiler.command);
    words_all(&command, &j->args.all);
    int code = command_run(&command);
    words_free(&command);
    return code;
}

static int run_steps(compile_job *j) {
    int code = 0;
    if (!scratch_open(&j->scratch, &j->error)) return j->error.code;
    for (size_t i = 0; i < j->args.source_count && code == 0; i++) code = compile_source(j, i);
    if (code == 0 && j->args.wanted == WANT_PROGRAM)
        code = link_program(&j->compiler, &j->args, &j->scratch, &j->error);
    scratch_close(&j->scratch);
    return code;
}

static int job_run(compile_job *j, bool cxx, char **argv, size_t argc) {
    compiler_choose(&j->compiler, cxx);
    int code;
    if (!arguments_parse(argv, argc, &j->args, &j->error)) code = j->error.code;
    else code = j->args.wanted == WANT_COMPILER ? run_compiler(j) : run_steps(j);
    arguments_free(&j->args);
    compiler_free(&j->compiler);
    return code;
}

int driver_run(bool cxx, char **argv, size_t argc) {
    compile_job j = {0};
    int code = job_run(&j, cxx, argv, argc);
    if (j.error.code) fprintf(stderr, "plumb: %s\n", j.error.what);
    return code;
}

static bool is_cxx(const char *file) {
    static const char *const extension[] = {".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", NULL};
    const char *dot = strrchr(file_base(file), '.');
    for (unsigned i = 0; dot && extension[i]; i++)
        if (!strcmp(dot, extension[i])) return true;
    return false;
}

bool compile_test(const test_sources *t, const char *program, error *e) {
    word_list argv = {0};
    text headers = {0};
    bool cxx = false;
    if (!place_of_headers(&headers, e)) return false;
    words_add(&argv, t->no_optimisation ? "-O0" : "-O2");
    for (const char *const *f = t->files; *f; f++) {
        words_add(&argv, *f);
        if (is_cxx(*f)) cxx = true;
    }
    words_printf(&argv, "-I%s", text_str(&headers));
    for (const char *const *f = t->flags; f && *f; f++) words_add(&argv, *f);
    words_add(&argv, "-o");
    words_add(&argv, program);
    compile_job j = {0};
    int code = job_run(&j, cxx, argv.at, argv.size);
    if (j.error.code) *e = j.error;
    else if (code)
        error_set(e, EXIT_BAD_INPUT, "%s%s cannot be compiled", t->files[0], t->files[0] && t->files[1] ? ", ..." : "");
    words_free(&argv);
    text_free(&headers);
    return code == 0;
}
