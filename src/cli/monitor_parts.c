#include "cli/monitor_parts.h"

#include "cli/commands.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARTS_MOST = 256, NOTHING_HERE = 100 /* an exit code between us */ };

static int watch_part(const live_settings *s, judge_live_part *judge, void *context) {
    live_part p;
    error e = {0};
    int code;
    const bool mine = live_part_open(&p, s, &e);
    if (!mine && !e.code && p.verdict >= 0) {
        printf("violation: part %u of %u was found to be one before; another --name judges again\n", s->part + 1,
               s->parts);
        code = p.verdict;
    } else {
        const int events = mine ? live_part_events(&p, &e) : -1;
        code = events >= 0 ? judge(context, &p, events) : complain(&e);
        if (p.empty && s->parts > 1 && code == EXIT_UNDECIDED) code = NOTHING_HERE;
    }
    live_part_close(&p);
    return code;
}

/* Violations first, then what went wrong, then what is not known. */
static int worse(int a, int b) {
    if (a == EXIT_VIOLATION || b == EXIT_VIOLATION) return EXIT_VIOLATION;
    return a > b ? a : b;
}

static int wait_for_all(pid_t *child, uint32_t n) {
    int code = 0, status;
    uint32_t empty = 0;
    bool told = false;
    for (uint32_t left = n; left;) {
        const pid_t which = waitpid(-1, &status, 0);
        if (which < 0 && errno != EINTR) break;
        if (which > 0) {
            left--;
            const int one = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INTERNAL;
            if (one == NOTHING_HERE) empty++;
            else code = worse(code, one);
        }
        if ((interrupted || code == EXIT_VIOLATION) && !told) {
            told = true;
            for (uint32_t i = 0; i < n; i++) kill(child[i], SIGTERM);
        }
    }
    if (empty < n || !n) return code;
    puts("undecided: nothing was judged (no part had an operation)");
    return EXIT_UNDECIDED;
}

int watch_parts(const live_settings *s, judge_live_part *judge, void *context) {
    if (s->parts == 1) return watch_part(s, judge, context);
    pid_t child[PARTS_MOST];
    uint32_t n = 0;
    for (; n < s->parts && n < PARTS_MOST; n++) {
        live_settings own = *s;
        own.part = n;
        fflush(NULL);
        child[n] = fork();
        if (child[n] < 0) break;
        if (child[n]) continue;
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* a monitor that is killed leaves its parts to others */
        exit(watch_part(&own, judge, context));
    }
    return wait_for_all(child, n);
}
