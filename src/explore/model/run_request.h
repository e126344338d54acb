/* What a run of the program under test is asked for, as it travels: from the command line, to the other process, into a
 * saved schedule, into reports. The fields and their ways are rows of explore_options.def. */
#ifndef PLUMB_EXPLORE_MODEL_RUN_REQUEST_H
#define PLUMB_EXPLORE_MODEL_RUN_REQUEST_H

#include "base/error.h"
#include "explore/model/memory_model.h"
#include "explore/model/talk.h"

#define RUN_STRATEGIES "auto dfs bounded dpor states pct random graphs"
#define RUN_REUSE "newest oldest choose never"
#define WORK_BEGINS "begin" /* of run_request.work: nothing was left by an earlier run */
#define RUN_PROGRESS "none obstruction-free lock-free wait-free"

#define RUN_TYPE_FLAG bool
#define RUN_TYPE_TEXT const char *
#define RUN_TYPE_WORD const char *
#define RUN_TYPE_COUNT uint64_t
#define RUN_TYPE_BYTES uint64_t
#define RUN_TYPE_SECONDS double

typedef struct run_request {
#define SENT_OPTION(field, name, kind, ...) RUN_TYPE_##kind field;
#define SENT_FIELD(field, kind, ...) RUN_TYPE_##kind field;
#include "explore/model/explore_options.def"
    /* Not sent: called with each history (talk_history) of the answer; NULL: histories are not asked for. */
    void (*history)(void *context, const char *history);
    void *context; /* of history */
} run_request;

extern const run_request run_request_standard; /* when nothing is said */

typedef enum run_option_kind { RUN_FLAG, RUN_TEXT, RUN_WORD, RUN_COUNT, RUN_BYTES, RUN_SECONDS } run_option_kind;
typedef enum run_option_where { RUN_SENT, RUN_KEPT } run_option_where;

typedef struct run_option {
    const char *key;  /* in messages and schedules: the name of the field */
    const char *name; /* on the command line; NULL: cannot be said there */
    run_option_kind kind;
    run_option_where where;
    size_t offset;     /* in run_request */
    const char *words; /* RUN_WORD: what there is; RUN_TEXT: the word for NULL, or NULL */
} run_option;

extern const run_option run_options[];
extern const unsigned run_options_n;

/* The value as a message and a saved schedule write it. False: nothing is written, NULL has no word. */
bool run_option_write(const run_option *o, const run_request *r, text *out);
/* The reverse; strings stay where they are. False: not a value of this option. */
bool run_option_read(const run_option *o, run_request *r, const char *value);
void run_option_json(const run_option *o, const run_request *r, text *out);

void run_request_send(const run_request *r, text *line); /* fields KEY=VALUE of a message */
/* From the fields of a message, which own its strings. False: a value is none (e says which). */
bool run_request_take(run_request *r, const talk_line *l, error *e);
/* "reuse=newest races=0 ...": what the replay of a schedule depends on. */
void run_request_keep(const run_request *r, text *out);
/* The reverse, over a request that has the rest; cuts `kept` up, which owns the strings afterwards. Keys that are not
 * known are those of another version, and an error. */
bool run_request_recall(run_request *r, char *kept, error *e);

#endif
