/* Where the parts of Plumbline are that a compiled test needs: beside the command in the build tree, or as
 * installed. */
#ifndef PLUMB_EXPLORE_COMPILE_PLACES_H
#define PLUMB_EXPLORE_COMPILE_PLACES_H

#include "base/error.h"
#include "explore/compile/words.h"

/* libplumbline-explore.so; the environment variable PLUMB_RUNTIME names another one. */
bool place_of_runtime(text *path, error *e);
bool place_of_runtime_many(text *path, error *e);      /* the one for many threads, beside it */
bool place_of_headers(text *path, error *e);           /* the directory that has plumbline/test.h */
bool place_of_driver(const char *name, text *path);    /* the shared object of `plumb drive NAME`; false: not there */
bool place_of_transport(const char *name, text *path); /* the same of `--cluster NAME://` */

typedef struct compiler {
    word_list command; /* PLUMB_CC or PLUMB_CXX, else gcc or g++ */
    bool clang;
} compiler;
void compiler_choose(compiler *c, bool cxx);
void compiler_free(compiler *c);

#endif
