#include "explore/outside/schedule_trust.h"

#include "base/digest.h"
#include "base/mem.h"
#include "base/user_state.h"
#include "base/whole_file.h"
#include "explore/outside/word_list.h"
#include "object/plugin.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- copies of what was written here ---- */

enum { COPIES_MOST = 4096, COPY_LARGEST = 1 << 26 };

/* The folder and the lines. */
static bool copy_of(const saved_schedule *s, text *out) {
    char *here = getcwd(NULL, 0);
    if (!here) return false;
    text_printf(out, "%s\n", here);
    free(here);
    schedule_text(s, out);
    return true;
}

/* So many names: a later copy may take the place of another, which is then asked for. */
static bool copy_path(const text *copy, text *out) {
    if (!user_state_path("schedules", out)) return false;
    text_printf(out, "/%03x", (unsigned)(digest_bytes(DIGEST_START, copy->at, copy->size) % COPIES_MOST));
    return true;
}

bool schedule_remember(const saved_schedule *s) {
    text copy = {0}, path = {0};
    error unsaid = {0};
    bool kept = copy_of(s, &copy) && copy_path(&copy, &path) && user_state_make_folders(path.at) &&
                whole_file_write(path.at, copy.at, copy.size, &unsaid);
    text_free(&copy);
    text_free(&path);
    return kept;
}

static bool holds(const char *path, const text *expected) {
    FILE *f = fopen(path, "rb");
    char *found = f && expected->size < COPY_LARGEST ? MEM_ARRAY(char, expected->size + 1) : NULL;
    bool same = found && fread(found, 1, expected->size + 1, f) == expected->size &&
                !memcmp(found, expected->at, expected->size);
    free(found);
    if (f) fclose(f);
    return same;
}

bool schedule_is_own(const saved_schedule *s) {
    text copy = {0}, path = {0};
    bool own = copy_of(s, &copy) && copy_path(&copy, &path) && holds(path.at, &copy);
    text_free(&copy);
    text_free(&path);
    return own;
}

/* ---- what a schedule names ---- */

static bool starts(const char *word, const char *with) { return !strncmp(word, with, strlen(with)); }

static bool is_inside(const char *path) {
    if (!*path || *path == '/' || *path == '~') return false;
    for (const char *p = path; *p; p += strcspn(p, "/"), p += *p == '/')
        if (p[0] == '.' && p[1] == '.' && (!p[2] || p[2] == '/')) return false;
    return true;
}

/* Of -f: plain switches. What has a value may be a file or a program; some of the others write files. */
static bool switch_is_harmless(const char *word) {
    static const char *const not_these[] = {"plugin",        "dump",     "profile",   "lto",
                                            "compare-debug", "save-",    "callgraph", "auto-profile",
                                            "stack-usage",   "sanitize", "use-ld",    "test-coverage"};
    for (size_t i = 0; i < sizeof not_these / sizeof *not_these; i++)
        if (starts(word, not_these[i])) return false;
    return !strchr(word, '=') && !strchr(word, '/');
}

bool flag_is_harmless(const char *flag, bool *takes_next) {
    static const char *const whole[] = {
        "-w",    "-pedantic",      "-pedantic-errors", "-pthread",           "-mcx16",
        "-ansi", "--foreign=warn", "--foreign=refuse", "--asm-unknown=warn", "--asm-unknown=refuse"};
    *takes_next = !strcmp(flag, "-D") || !strcmp(flag, "-U") || !strcmp(flag, "-I");
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (!strcmp(flag, whole[i])) return true;
    if (starts(flag, "-I")) return *takes_next || is_inside(flag + 2);
    if (starts(flag, "-W")) return flag[2] && flag[3] != ',' && !strchr(flag, '/');
    if (starts(flag, "-f")) return switch_is_harmless(flag + 2);
    return starts(flag, "-D") || starts(flag, "-U") || starts(flag, "-O") || starts(flag, "-g") ||
           starts(flag, "-std=") || starts(flag, "-march=") || starts(flag, "-mtune=");
}

/* Escapes of a terminal are not for a stranger to write. */
static void add_plain(text *out, const char *from) {
    for (; *from; from++) text_char(out, *from >= ' ' && *from < 0x7f ? *from : '?');
}

static void add_plain_word(text *out, const char *word) {
    if (out->size) text_char(out, ' ');
    add_plain(out, word);
}

/* The words that are not harmless. What follows -I is a folder, what follows -D and -U a name. */
static void harmful_flags(const char *flags, text *out) {
    text next = {0};
    bool argument = false, is_folder = false;
    for (const char *p = flags; (p = word_list_next(p, &next));) {
        const char *word = text_str(&next);
        bool takes = false, harmless = argument ? !is_folder || is_inside(word) : flag_is_harmless(word, &takes);
        if (!harmless) add_plain_word(out, word);
        is_folder = takes && !strcmp(word, "-I");
        argument = takes;
    }
    text_free(&next);
}

/* The names that are not below this folder. */
static void outside_names(const char *sources, text *out) {
    text next = {0};
    for (const char *p = sources; (p = word_list_next(p, &next));)
        if (!is_inside(text_str(&next))) add_plain_word(out, text_str(&next));
    text_free(&next);
}

enum { SHOWN_MOST = 110 };

static void add_clause(text *out, const char *words, const text *what) {
    if (!what->size) return;
    text_printf(out, "%s%.*s%s", words, SHOWN_MOST, what->at, what->size > SHOWN_MOST ? "..." : "");
}

bool schedule_may_run(const saved_schedule *s, const char *path, error *e) {
    if (schedule_is_own(s)) return true;
    text what = {0}, sources = {0}, outside = {0}, flags = {0}, plug_in = {0}, arguments = {0};
    assert(s->sources);
    add_plain(&sources, s->sources);
    outside_names(s->sources, &outside);
    if (s->arguments) add_plain(&arguments, s->arguments);
    if (s->flags) harmful_flags(s->flags, &flags);
    if (s->object && plugin_named(s->object)) add_plain(&plug_in, s->object);
    add_clause(&what, "compile and run ", &sources);
    add_clause(&what, " with arguments ", &arguments);
    add_clause(&what, "; with flags that may run or read other things: ", &flags);
    add_clause(&what, "; load the plug-in ", &plug_in);
    add_clause(&what, "; outside this folder: ", &outside);
    error_set(e, EXIT_BAD_INPUT, "%.60s: not written by you in this folder; a replay would %s; --trust does it", path,
              text_str(&what));
    text *all[] = {&what, &sources, &outside, &flags, &plug_in, &arguments};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) text_free(all[i]);
    return false;
}
