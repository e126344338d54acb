#include "explore/compile/arguments.h"

#include "base/mem.h"
#include "explore/compile/file.h"
#include "explore/compile/response.h"

#include <stdlib.h>
#include <string.h>

/* ---- languages ---- */

static const char *const language_names[] = {
    "none", "c", "c++", "cpp-output", "c++-cpp-output", "assembler", "assembler-with-cpp"};
const char *language_name(language l) { return language_names[l]; }

static bool language_find(const char *name, language *out) {
    *out = LANGUAGE_OTHER;
    for (language l = LANGUAGE_NONE; l < LANGUAGE_OTHER; l++)
        if (!strcmp(name, language_names[l])) *out = l;
    return *out != LANGUAGE_OTHER;
}

static language language_of_file(const char *path) {
    static const struct {
        const char *extension;
        language language;
    } known[] = {
        {".c", LANGUAGE_C},        {".i", LANGUAGE_C_READY}, {".ii", LANGUAGE_CXX_READY}, {".cc", LANGUAGE_CXX},
        {".cp", LANGUAGE_CXX},     {".cxx", LANGUAGE_CXX},   {".cpp", LANGUAGE_CXX},      {".CPP", LANGUAGE_CXX},
        {".c++", LANGUAGE_CXX},    {".C", LANGUAGE_CXX},     {".s", LANGUAGE_ASM},        {".S", LANGUAGE_ASM_CPP},
        {".sx", LANGUAGE_ASM_CPP}, {".h", LANGUAGE_OTHER},   {".hh", LANGUAGE_OTHER},     {".hpp", LANGUAGE_OTHER},
        {".m", LANGUAGE_OTHER},    {".f", LANGUAGE_OTHER},   {".f90", LANGUAGE_OTHER},
    };
    const char *dot = strrchr(file_base(path), '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (!strcmp(dot, known[i].extension)) return known[i].language;
    return LANGUAGE_NONE;
}

/* ---- what an argument is for ---- */

enum purpose { FOR_COMPILE = 1, FOR_ASSEMBLE = 2, FOR_LINK = 4 };

typedef struct known {
    const char *name;
    bool prefix;   /* followed by more in the same word */
    bool separate; /* when the word is exactly this, an argument follows */
    unsigned purpose;
} known;

/* Anything else is one word, and for compiling and linking. */
static const known table[] = {
    {"-I", true, true, FOR_COMPILE},
    {"-D", true, true, FOR_COMPILE},
    {"-U", true, true, FOR_COMPILE},
    {"-A", false, true, FOR_COMPILE},
    {"-include", true, true, FOR_COMPILE},
    {"-imacros", true, true, FOR_COMPILE},
    {"-isystem", true, true, FOR_COMPILE},
    {"-idirafter", true, true, FOR_COMPILE},
    {"-iquote", true, true, FOR_COMPILE},
    {"-iprefix", true, true, FOR_COMPILE},
    {"-iwithprefixbefore", true, true, FOR_COMPILE},
    {"-iwithprefix", true, true, FOR_COMPILE},
    {"-isysroot", true, true, FOR_COMPILE | FOR_LINK},
    {"--sysroot", true, true, FOR_COMPILE | FOR_LINK},
    {"-imultilib", true, true, FOR_COMPILE},
    {"-MF", true, true, FOR_COMPILE},
    {"-MT", true, true, FOR_COMPILE},
    {"-MQ", true, true, FOR_COMPILE},
    {"-M", true, false, FOR_COMPILE},
    {"-Wp,", true, false, FOR_COMPILE},
    {"-Xpreprocessor", false, true, FOR_COMPILE},
    {"-Xclang", false, true, FOR_COMPILE},
    {"-mllvm", false, true, FOR_COMPILE},
    {"-aux-info", false, true, FOR_COMPILE},
    {"-dumpbase-ext", false, true, FOR_COMPILE},
    {"-dumpbase", false, true, FOR_COMPILE},
    {"-dumpdir", false, true, FOR_COMPILE},
    {"--param", false, true, FOR_COMPILE},
    {"-Wa,", true, false, FOR_ASSEMBLE},
    {"-Xassembler", false, true, FOR_ASSEMBLE},
    {"-l", true, true, FOR_LINK},
    {"-L", true, true, FOR_LINK},
    {"-Wl,", true, false, FOR_LINK},
    {"-Xlinker", false, true, FOR_LINK},
    {"-T", true, true, FOR_LINK},
    {"-u", false, true, FOR_LINK},
    {"-z", false, true, FOR_LINK},
    {"-e", false, true, FOR_LINK},
    {"-s", false, false, FOR_LINK},
    {"-rdynamic", false, false, FOR_LINK},
    {"-r", false, false, FOR_LINK},
    {"-nostdlib", false, false, FOR_LINK},
    {"-nodefaultlibs", false, false, FOR_LINK},
    {"-nostartfiles", false, false, FOR_LINK},
    {"-nolibc", false, false, FOR_LINK},
    {"-fuse-ld=", true, false, FOR_LINK},
    {"-static-libgcc", false, false, FOR_LINK},
    {"-static-libstdc++", false, false, FOR_LINK},
    {"-target", false, true, FOR_COMPILE | FOR_ASSEMBLE | FOR_LINK},
    {"-B", true, true, FOR_COMPILE | FOR_ASSEMBLE | FOR_LINK},
    {"-wrapper", false, true, FOR_COMPILE | FOR_ASSEMBLE | FOR_LINK},
    {"-specs", true, false, FOR_COMPILE | FOR_LINK},
    {"-pipe", false, false, FOR_COMPILE | FOR_ASSEMBLE},
    {"-v", false, false, FOR_COMPILE | FOR_ASSEMBLE | FOR_LINK},
    {"-std=", true, false, FOR_COMPILE},
    {"-ansi", false, false, FOR_COMPILE},
};

static const known *find_known(const char *word) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t n = strlen(table[i].name);
        if (!strncmp(word, table[i].name, n) && (table[i].prefix || !word[n])) return &table[i];
    }
    return NULL;
}

static bool starts(const char *word, const char *with) { return !strncmp(word, with, strlen(with)); }
static bool is(const char *word, const char *other) { return !strcmp(word, other); }

/* The program must show us everything and lie at fixed addresses; one line says what stands against it. */
static bool refuse(const char *w, error *e) {
    const char *why = NULL;
    if (starts(w, "-flto")) why = "with link-time optimisation there is no assembly to look at; leave it out";
    else if (is(w, "-masm=intel")) why = "only AT&T assembly is understood";
    else if (starts(w, "-fsanitize=") && !is(w, "-fsanitize=thread"))
        why = "no sanitizer works together with the explorer's hooks";
    else if (is(w, "-static") || is(w, "-static-pie"))
        why = "the explorer's runtime is a shared library; link dynamically";
    else if (is(w, "-shared"))
        why = "shared libraries are not reset between executions; link the objects into the program";
    else if (is(w, "-m32") || is(w, "-mx32") || is(w, "-m16")) why = "only 64-bit programs are explored";
    else if (is(w, "-fsplit-stack")) why = "threads are fibers on stacks of the explorer";
    return !why || error_set(e, EXIT_USAGE, "cc: %s is refused: %s", w, why);
}

/* Said by us, or without meaning here: objects are never position independent, debug information stays in the
 * object. */
static bool is_dropped(const char *w) {
    static const char *const dropped[] = {
        "-fsanitize=thread", "-fPIC",    "-fpic",    "-fPIE",    "-fpie",         "-pie", "-no-pie",
        "-fno-pie",          "-fno-PIE", "-fno-pic", "-fno-PIC", "-gsplit-dwarf", "-c",   NULL};
    for (unsigned i = 0; dropped[i]; i++)
        if (is(w, dropped[i])) return true;
    return false;
}

static bool asks_compiler(const char *w) {
    return is(w, "-E") || is(w, "-S") || is(w, "-M") || is(w, "-MM") || is(w, "-fsyntax-only") || is(w, "-###") ||
           is(w, "--version") || starts(w, "-dumpversion") || is(w, "-dumpmachine") || is(w, "-dumpspecs") ||
           is(w, "-dumpfullversion") || starts(w, "-print-") || starts(w, "--print-") || starts(w, "--help") ||
           is(w, "-emit-llvm");
}

static void add_source(arguments *a, const char *path, language l) {
    a->sources = MEM_GROW(a->sources, source, a->source_count + 1);
    a->sources[a->source_count++] = (source){path, l, a->link.size};
    words_add(&a->link, "");
}

static void add_word(arguments *a, unsigned purpose, const char *word) {
    if (purpose & FOR_COMPILE) words_add(&a->compile, word);
    if (purpose & FOR_ASSEMBLE) words_add(&a->assemble, word);
    if (purpose & FOR_LINK) words_add(&a->link, word);
}

/* --asm-unknown=..., --foreign=..., --keep-assembly=DIR: ours, the compiler never sees them. */
static bool own_option(arguments *a, const char *w, bool *own, error *e) {
    const struct {
        const char *name;
        bool *flag;
    } choice[] = {{"--asm-unknown=", &a->unknown_is_warning}, {"--foreign=", &a->foreign_is_warning}};
    *own = true;
    for (unsigned i = 0; i < 2; i++) {
        if (!starts(w, choice[i].name)) continue;
        const char *value = w + strlen(choice[i].name);
        if (!is(value, "warn") && !is(value, "refuse"))
            return error_set(e, EXIT_USAGE, "cc: %s: expected warn or refuse", w);
        *choice[i].flag = is(value, "warn");
        return true;
    }
    if (starts(w, "--keep-assembly=")) {
        free(a->keep);
        a->keep = mem_string(w + strlen("--keep-assembly="));
    } else *own = false;
    return true;
}

static void note_dependencies(arguments *a, const char *w) {
    if (is(w, "-MD") || is(w, "-MMD")) a->dependencies = true;
    else if (starts(w, "-MF") || (starts(w, "-Wp,-M") && strstr(w, "D,"))) a->dependency_file = true;
    else if (starts(w, "-MT") || starts(w, "-MQ")) a->dependency_target = true;
}

static bool take_option(arguments *a, size_t *i, language *forced, error *e) {
    const char *w = a->all.at[*i], *next = *i + 1 < a->all.size ? a->all.at[*i + 1] : NULL;
    if (!refuse(w, e)) return false;
    if (is(w, "-c") && a->wanted == WANT_PROGRAM) a->wanted = WANT_OBJECTS;
    if (is_dropped(w)) return true;
    if (starts(w, "-o") && (w[2] || next) && !starts(w, "-object")) {
        a->output = w[2] ? w + 2 : a->all.at[++*i];
        return true;
    }
    if (starts(w, "-x") && (w[2] || next)) {
        const char *name = w[2] ? w + 2 : a->all.at[++*i];
        if (!language_find(name, forced))
            return error_set(e, EXIT_USAGE, "cc: -x %s is refused: only C, C++ and assembly are explored", name);
        return true;
    }
    note_dependencies(a, w);
    const known *k = find_known(w);
    unsigned purpose = k                 ? k->purpose
                       : starts(w, "-m") ? FOR_COMPILE | FOR_ASSEMBLE | FOR_LINK
                                         : FOR_COMPILE | FOR_LINK;
    add_word(a, purpose, w);
    if (k && k->separate && is(w, k->name)) {
        if (!next) return error_set(e, EXIT_USAGE, "cc: %s needs an argument", w);
        add_word(a, purpose, a->all.at[++*i]);
    }
    return true;
}

static bool take_input(arguments *a, const char *w, language forced, error *e) {
    language l = forced != LANGUAGE_NONE ? forced : language_of_file(w);
    if (l == LANGUAGE_OTHER) return error_set(e, EXIT_USAGE, "cc: %s: only C, C++ and assembly are explored", w);
    if (l == LANGUAGE_NONE) words_add(&a->link, w);
    else add_source(a, w, l);
    return true;
}

static bool take_all(arguments *a, error *e) {
    language forced = LANGUAGE_NONE;
    for (size_t i = 0; i < a->all.size; i++) {
        const char *w = a->all.at[i];
        bool good = w[0] == '-' && w[1] ? take_option(a, &i, &forced, e) : take_input(a, w, forced, e);
        if (!good) return false;
    }
    if (a->wanted == WANT_OBJECTS && a->output && a->source_count > 1)
        return error_set(e, EXIT_USAGE, "cc: -o cannot be given with -c and several sources");
    return true;
}

bool arguments_parse(char **argv, size_t argc, arguments *a, error *e) {
    word_list given = {0};
    bool own, inputs = false;
    *a = (arguments){0};
    response_expand(argv, argc, &given);
    for (size_t i = 0; i < given.size && !e->code; i++) {
        const char *w = given.at[i];
        if (!own_option(a, w, &own, e)) break;
        if (own) continue;
        words_add(&a->all, w);
        if (asks_compiler(w)) a->wanted = WANT_COMPILER;
        if (w[0] != '-' || !w[1]) inputs = true;
    }
    words_free(&given);
    if (e->code) return false;
    if (!inputs) a->wanted = WANT_COMPILER;
    return a->wanted == WANT_COMPILER || take_all(a, e);
}

void arguments_free(arguments *a) {
    words_free(&a->all);
    words_free(&a->compile);
    words_free(&a->assemble);
    words_free(&a->link);
    free(a->sources);
    free(a->keep);
}
