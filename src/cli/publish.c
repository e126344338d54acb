/* plumb publish: lines of the event form, to a subject of a cluster. */
#include "cli/cluster_options.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "format/input.h"
#include "scale/live_part.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct publish_settings {
    transport_settings cluster;
    const char *subject;
    uint64_t batch;
    bool quiet;
} publish_settings;

static const publish_settings standard_settings = {.batch = 500};

#define ROW(...) OPTION_ROW(publish_settings, __VA_ARGS__)

static const option options[] = {
    CLUSTER_ROWS(ROW),
    ROW(subject, "subject", TEXT, .argument = "S", .help = "where to: orders.eu, for example (needed)"),
    ROW(batch, "batch", COUNT, .argument = "N", .min = 1, .standard = "500",
        .help = "lines in one message, at most; fewer when no more come"),
    ROW(quiet, QUIET_OPTION, .help = "do not say how many"),
    {0}};

enum { MESSAGE_BYTES = 256 << 10 };

typedef struct publishing {
    cluster to;
    char log[TRANSPORT_NAME];
    text message;
    uint64_t lines, in_message, messages;
    error *e;
} publishing;

/* A message that is not acknowledged may be there all the same: it is not sent again, and what follows it would be
 * out of order. */
static bool send(publishing *p) {
    char why[TRANSPORT_WHY] = "";
    if (!p->in_message) return true;
    const transport_answer a = p->to.type->append(p->to.t, p->log, p->message.at, p->message.size, NULL, why);
    text_clear(&p->message);
    p->in_message = 0;
    p->messages++;
    return a == TRANSPORT_DONE || error_set(p->e, EXIT_CANNOT_OPEN, "not published: %s", why);
}

static bool send_in_silence(void *context) { return send(context); }

static bool publish_lines(publishing *p, input *in, const publish_settings *s) {
    size_t n;
    for (char *line; (line = input_line(in, &n));) {
        if (!n) continue;
        if (n + 1 > MESSAGE_BYTES)
            return error_set(p->e, EXIT_BAD_INPUT, "%s:%u: a line of %zu bytes; expected at most %d", input_name(in),
                             input_line_number(in), n, MESSAGE_BYTES);
        if (p->message.size + n + 1 > MESSAGE_BYTES && !send(p)) return false;
        text_bytes(&p->message, line, n);
        text_char(&p->message, '\n');
        p->lines++;
        if (++p->in_message >= s->batch && !send(p)) return false;
    }
    return !p->e->code && send(p);
}

static int run_publish(void *settings, char **operand, unsigned operands) {
    publish_settings *s = settings;
    error e = {0};
    publishing p = {.e = &e};
    if (!s->cluster.url) error_set(&e, EXIT_USAGE, "expected --cluster URL");
    else if (!s->subject || !subject_is_one(s->subject) || strchr(s->subject, '*'))
        error_set(&e, EXIT_USAGE, "expected --subject S: letters, digits, '-', '_' and '.'");
    cluster_settings_complete(&s->cluster);
    interrupt_listen();
    s->cluster.stop = &interrupted;
    input *in = e.code ? NULL : input_open(operands ? operand[0] : "-", &e);
    if (in && cluster_open(&p.to, &s->cluster, &e)) {
        subject_log(s->subject, p.log);
        input_watch(in, NULL, &interrupted);
        input_on_silence(in, send_in_silence, &p);
        const bool good = publish_lines(&p, in, s);
        if (!s->quiet)
            fprintf(stderr, "%" PRIu64 " lines in %" PRIu64 " messages to %s%s\n", p.lines, p.messages, s->subject,
                    good ? "" : ", not all of them");
        cluster_close(&p.to);
    }
    if (in) input_close(in);
    text_free(&p.message);
    return e.code ? complain(&e) : 0;
}

COMMAND(publish, "--cluster URL --subject S [OPTION]... [FILE|-]", "publish events, for `plumb monitor --cluster`",
        options, publish_settings,
        .about =
            "Lines of the event form, from one process that knows their order. Services that publish by themselves: "
            "plumbline/remote.h.\nExit: 0 all are in the stream, 64 usage, 66 no cluster, or not acknowledged.",
        .standard_settings = &standard_settings, .max_operands = 1);
