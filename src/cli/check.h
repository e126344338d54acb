/* Judging files as `plumb check` does, for commands that do something with the verdict. */
#ifndef PLUMB_CLI_CHECK_H
#define PLUMB_CLI_CHECK_H

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/job.h"
#include "remote/transport.h"
#include "report/write.h"

typedef struct check_settings {
    const char *object, *init, *engine, *format, *criterion, *quasi, *junit, *sarif, *certificate, *proof, *html;
    bool measure;
    int removal, evidence;
    bool independent, json, github, verbose, quiet;
    bool *wrote;  /* receives whether a page was written; may be NULL */
    bool brief;   /* the verdict in a line, without the explanation */
    text on_fail; /* method=observe ... */
    text initial; /* what `init` is made of a file or a map */
    double timeout;
    uint64_t memory, threads;
    int color;
    transport_settings cluster; /* url NULL: here */
    const char *resume;         /* a run of the cluster to be gone on with */
} check_settings;

/* What the settings mean; `observe` is what s->read points into. */
bool check_understand(check_settings *c, job_settings *s, text *observe, error *e);

typedef struct check_reporter {
    const check_settings *c;
    const colours *colours, *talk_colours;
    bool several;
    int code;
} check_reporter;

check_reporter check_reporter_make(const check_settings *c, const inputs *in);
void check_report_one(void *reporter, uint32_t i, const report *r);
void check_report_all(check_reporter *p, const report *const *r, uint32_t n); /* summary, and files of all inputs */

/* check_cluster.c: the exit code. */
int check_on_cluster(check_settings *c, const job_settings *s, const inputs *in);

int check_files(check_settings *c, char **operand, unsigned operands); /* the exit code */

#endif
