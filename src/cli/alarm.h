/* plumb monitor --save, --hook: what is left behind by a violation, and who is told. */
#ifndef PLUMB_CLI_ALARM_H
#define PLUMB_CLI_ALARM_H

#include "base/error.h"
#include "base/text.h"

typedef struct alarm_files { /* of one violation; empty texts: none */
    text certificate, page;
} alarm_files;

typedef struct alarm_news { /* of a violation; empty texts: there was none */
    text object, reason;
} alarm_news;

/* The next number in that folder, which is made when there is none: violation-N.certificate and violation-N.html. False
 * with the error set: the folder cannot be made or written to. */
bool alarm_files_in(const char *folder, alarm_files *out, error *e);
void alarm_files_free(alarm_files *f);
void alarm_news_set(alarm_news *n, const char *object, const char *reason);
void alarm_news_free(alarm_news *n);

/* Runs the command by the shell and waits for it. It finds PLUMB_OBJECT, PLUMB_REASON and, of the files that were
 * written, PLUMB_CERTIFICATE and PLUMB_PAGE in its environment, nothing in its words: a reason holds values of
 * strangers. What goes wrong is said on stderr. */
void alarm_run_hook(const char *command, const alarm_news *news, const alarm_files *files);

#endif
