/* The page of a certificate. */
#ifndef PLUMB_CLI_VIEW_H
#define PLUMB_CLI_VIEW_H

#include "base/error.h"

/* The certificate at `path` is checked again; on the page it is called `named`. `trusted`: what plug-in may be run for
 * it; NULL: none. The exit code: of its verdict, or of what is wrong, which was said. */
int view_certificate(const char *path, const char *named, const char *trusted, const char *page, error *e);

#endif
