#include "explore/compile/places.h"

#include "explore/compile/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PLUMB_LIBDIR
#define PLUMB_LIBDIR "lib"
#endif

/* The first of the directories, relative to that of the command, in which the file is. */
static bool find_beside(const char *const *directory, const char *name, text *path) {
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (; *directory; directory++) {
        text_clear(path);
        text_printf(path, "%s/%s%s", self, *directory, name);
        if (!file_exists(text_str(path))) continue;
        char *real = realpath(text_str(path), NULL);
        if (!real) continue;
        text_clear(path);
        text_add(path, real);
        free(real);
        return true;
    }
    return false;
}

/* Tests are programs in build/tests. */
static const char *const libraries[] = {"", "../" PLUMB_LIBDIR "/", "../lib/", "../lib64/", "../", NULL};
static const char *const headers[] = {"../include/", "../../include/", "../../../include/", NULL};

bool place_of_runtime(text *path, error *e) {
    const char *given = getenv("PLUMB_RUNTIME");
    if (given && *given) {
        text_add(path, given);
        return true;
    }
    return find_beside(libraries, "libplumbline-explore.so", path) ||
           error_set(
               e, EXIT_INTERNAL,
               "cc: libplumbline-explore.so is not beside plumb nor where it is installed; PLUMB_RUNTIME may name it");
}

bool place_of_runtime_many(text *path, error *e) {
    if (!place_of_runtime(path, e)) return false;
    const char *slash = strrchr(text_str(path), '/');
    path->size = slash ? (size_t)(slash + 1 - text_str(path)) : 0;
    text_add(path, "plumbline-many/libplumbline-explore.so");
    return file_exists(text_str(path)) || error_set(e, EXIT_INTERNAL, "%s is not there", text_str(path));
}

bool place_of_headers(text *path, error *e) {
    if (!find_beside(headers, "plumbline/test.h", path))
        return error_set(e, EXIT_INTERNAL, "the header plumbline/test.h is not where plumb was built or installed");
    path->size -= strlen("/plumbline/test.h");
    path->at[path->size] = '\0';
    return true;
}

static bool find_module(const char *const *directories, const char *name, text *path) {
    text file = {0};
    text_printf(&file, "%s.so", name);
    bool found = find_beside(directories, text_str(&file), path);
    text_free(&file);
    return found;
}

bool place_of_driver(const char *name, text *path) {
    static const char *const directories[] = {"drivers/", "../" PLUMB_LIBDIR "/plumbline/drivers/",
                                              "../lib/plumbline/drivers/", "../drivers/", NULL};
    return find_module(directories, name, path);
}

bool place_of_transport(const char *name, text *path) {
    static const char *const directories[] = {"transports/", "../" PLUMB_LIBDIR "/plumbline/transports/",
                                              "../lib/plumbline/transports/", "../transports/", NULL};
    return find_module(directories, name, path);
}

/* gcc-12 -> g++-12, clang-14 -> clang++-14; the rest of the path stays. */
static void name_cxx(const char *cc, text *out) {
    const char *base = file_base(cc), *clang = strstr(base, "clang"), *gcc = strstr(base, "gcc");
    if (clang) text_printf(out, "%.*sclang++%s", (int)(clang - cc), cc, clang + strlen("clang"));
    else if (gcc) text_printf(out, "%.*sg++%s", (int)(gcc - cc), cc, gcc + strlen("gcc"));
    else text_add(out, "g++");
}

void compiler_choose(compiler *c, bool cxx) {
    const char *cc = getenv("PLUMB_CC"), *own = getenv("PLUMB_CXX");
    text name = {0};
    if (!cc || !*cc) cc = "gcc";
    if (!cxx) text_add(&name, cc);
    else if (own && *own) text_add(&name, own);
    else name_cxx(cc, &name);
    words_split(&c->command, text_str(&name));
    if (c->command.size == 0) words_add(&c->command, cxx ? "g++" : "gcc");
    c->clang = strstr(text_str(&name), "clang") != NULL;
    text_free(&name);
}

void compiler_free(compiler *c) { words_free(&c->command); }
