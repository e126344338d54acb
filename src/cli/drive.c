/* plumb drive: a real service under load and faults, judged while it runs. */
#include "drive/drive.h"

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/drive_phases.h"
#include "cli/drive_report.h"
#include "cli/initial_option.h"
#include "cli/interrupt.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROW(...) OPTION_ROW(drive_options, __VA_ARGS__)

static const drive_options standard_settings = {.clients = 8,
                                                .time = 10,
                                                .seed = 1,
                                                .timeout = 1,
                                                .reads = -1,
                                                .quiet_time = 10,
                                                .every = 5,
                                                .lasts = 2,
                                                .occupancy = 32};

static const option options[] = {
    ROW(object, OBJECT_OPTION, .letter = 'o', .standard = "the first that the driver has; needed with --exec"),
    ROW(init, INIT_OPTION),
    ROW(exec, "exec", TEXT, .letter = 'x', .argument = "CMD", .help = "clients are programs: CMD is run once for each",
        .more = "By the shell. The program reads a line of JSON for each operation and answers with one; docs/DRIVE.md "
                "describes the lines, examples/drive/ has clients in Python, Go and shell."),
    ROW(clients, "clients", COUNT, .letter = 'c', .argument = "N", .min = 1, .max = KEEPER_CLIENTS, .standard = "8",
        .help = "clients, each with one operation at a time"),
    ROW(time, "time", SECONDS, .letter = 't', .argument = "T", .standard = "10",
        .help = "seconds of load (also 2m, 1h)"),
    ROW(ops, "ops", COUNT, .argument = "N", .min = 1, .standard = "as many as fit the time",
        .help = "end the load after about so many operations"),
    ROW(faults, "faults", TEXT, .letter = 'f', .argument = "F",
        .help =
            "faults, separated by commas: kill, pause, partition, partition-one-way, slow, lossy, clock, disk-full, "
            "kill-client, pause-client",
        .more = "kill: kill -9 of a server, which is started again; pause: SIGSTOP, then SIGCONT; the same of the "
                "programs of --exec. partition: some nodes and the others do not hear each other, in network "
                "namespaces of their own; slow, lossy: frames between them are delayed or dropped; disk-full: the "
                "folder of a "
                "node, on a disk in memory, has no room; clock: the time of day of a node jumps, where its server asks "
                "libc; all of these need root. Each is an interval in the history. Faults need servers "
                "that plumb drive started."),
    ROW(every, "every", SECONDS, .argument = "T", .standard = "5", .help = "seconds between two faults, on average"),
    ROW(lasts, "lasts", SECONDS, .argument = "T", .standard = "2", .help = "seconds that a fault lasts, on average"),
    ROW(nodes, "nodes", COUNT, .letter = 'n', .argument = "N", .min = 1, .max = KEEPER_NODES,
        .standard = "as the driver has it", .help = "servers to start"),
    ROW(at, "at", TEXT, .argument = "HOST:PORT", .help = "drive a service that runs already",
        .more = "It is not started, broken or ended. The load's keys begin with plumb- and a number of the run, and "
                "stay there; of PostgreSQL the tables plumb_rows, plumb_items and plumb_accounts are made anew."),
    ROW(set, "set", LIST, .argument = "NAME=VALUE", .help = "an option of the driver; may be given several times",
        .more = "`plumb drive NAME --describe` lists them."),
    ROW(timeout, "timeout", SECONDS, .argument = "T", .standard = "1",
        .help = "an operation that takes longer is pending: its outcome is unknown",
        .more = "The client goes on under a new name, over a new connection."),
    ROW(keys, "keys", COUNT, .letter = 'k', .argument = "N", .min = 1, .max = 1 << 20,
        .standard = "5 of kv and set, 1 of others",
        .help = "keys; of objects without keys: so many of them, each by itself"),
    ROW(rotate, "rotate", COUNT, .argument = "N", .min = 1, .standard = "never",
        .help = "each client goes on to new keys after N of its operations"),
    ROW(skew, "skew", TEXT, .argument = "S", .standard = "0", .help = "0: all keys alike; 1: as Zipf has it"),
    ROW(reads, "reads", SHARE, .letter = 'r', .argument = "P", .standard = "by the object's generator",
        .help = "share of operations that only read"),
    ROW(rate, "rate", COUNT, .argument = "N", .min = 1, .standard = "as fast as the answers come",
        .help = "operations a second, of all clients together"),
    ROW(think, "think", SECONDS, .argument = "T", .standard = "0",
        .help = "seconds between two operations of a client, on average"),
    ROW(phases, "phases", TEXT, .argument = "P", .help = "parts of the load, one after the other and again",
        .more =
            "Each is a time, then what is different in it: --phases '10s:reads=0.9; 20s:reads=0.1,rate=200,think=5ms'. "
            "What is not named is as --reads, --rate and --think have it; rate=0: as fast as the answers come."),
    ROW(occupancy, "occupancy", COUNT, .argument = "N", .min = 1, .max = 1 << 20, .standard = "32",
        .help = "values in a container that the load aims for"),
    ROW(quiet_time, "quiet-end", SECONDS, .argument = "T", .standard = "10",
        .help = "at most so long for the end: faults are over, everything is read once more"),
    ROW(seed, "seed", COUNT, .letter = 's', .argument = "N", .standard = "1",
        .help = "what is called, with which values, and which faults come: the same plan again",
        .more = "When things happen is up to the service: a second run has the same plan, not the same history."),
    ROW(go_on, "go-on", FLAG, .help = "do not stop at the first violation: list them all"),
    ROW(save, "save", TEXT, .argument = "FOLDER", .complete = "file",
        .standard = "after a violation, drive-NAME-1, drive-NAME-2, ...",
        .help = "keep history, page, certificate, logs and the command there"),
    ROW(html, HTML_OPTION, .help = "write the page to FILE, whatever the verdict"),
    ROW(certificate, "certificate", TEXT, .argument = "FILE", .complete = "file",
        .help = "write a certificate to FILE, whatever the verdict"),
    ROW(describe, "describe", FLAG, .help = "say which objects and options the driver has"),
    ROW(json, "json", FLAG, .help = "print the result as one JSON object"),
    ROW(quiet, QUIET_OPTION, .help = "the result only: no live line, no talk"),
    {0}};

/* ---- while it runs ---- */

static void show_live(void *context, const drive_status *s) {
    static double before;
    static uint64_t done_before;
    const drive_options *o = context;
    uint64_t done = atomic_load(&s->counts->done);
    if (o->quiet || !isatty(STDERR_FILENO)) return;
    double rate = s->seconds > before ? (double)(done - done_before) / (s->seconds - before) : 0;
    before = s->seconds;
    done_before = done;
    fprintf(stderr,
            "\r%.0f s: %.0f operations/s, %u open, %" PRIu64 " pending, %u fault%s, judged up to %.1f s: %s\033[K",
            s->seconds, rate, s->open, (uint64_t)atomic_load(&s->counts->unknown), s->faults, s->faults == 1 ? "" : "s",
            s->judged, monitor_verdict(s->monitor) == VERDICT_LINEARIZABLE ? "no violation" : "violation");
}

static void hide_live(const drive_options *o) {
    if (!o->quiet && isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

/* ---- what was asked for ---- */

static bool understand(const drive_options *o, const char *name, drive_settings *s, error *e) {
    char *end = NULL;
    double skew = o->skew ? strtod(o->skew, &end) : 0;
    if (!name == !o->exec)
        return error_set(e, EXIT_USAGE, "drive: expected the name of a driver, or --exec CMD (one of them)");
    if (o->skew && (*end || !*o->skew || !(skew >= 0) || skew > 10))
        return error_set(e, EXIT_USAGE, "--skew '%s'; expected a number from 0 to 10", o->skew);
    if (o->every < 0.01 || o->lasts < 0.001)
        return error_set(e, EXIT_USAGE, "--every, --lasts: expected at least 10ms and 1ms");
    if (o->timeout < 0.001) return error_set(e, EXIT_USAGE, "--timeout: expected at least 1ms");
    if (o->exec && (o->nodes || o->describe))
        return error_set(e, EXIT_USAGE, "--exec: plumb drive starts no servers then; expected no --nodes, --describe");
    *s = (drive_settings){.driver = name,
                          .exec = o->exec,
                          .object = o->object,
                          .faults = o->faults,
                          .service = {.at = o->at,
                                      .set = o->set.size ? text_str(&o->set) : NULL,
                                      .nodes = (uint32_t)o->nodes,
                                      .timeout = o->timeout},
                          .load = {.plan = {.seed = o->seed,
                                            .clients = (uint32_t)o->clients,
                                            .keys = (uint32_t)o->keys,
                                            .reads = o->reads,
                                            .skew = skew,
                                            .rotate = o->rotate,
                                            .occupancy = (uint32_t)o->occupancy},
                                   .rate = (double)o->rate,
                                   .think = o->think,
                                   .operations = o->ops},
                          .seconds = o->time,
                          .quiet = o->quiet_time,
                          .every = o->every,
                          .lasts = o->lasts,
                          .go_on = o->go_on,
                          .stop = &interrupted,
                          .look = show_live,
                          .context = (void *)o};
    return drive_phases_parse(o->phases, &s->load, e);
}

static int describe_driver(const char *name) {
    error e = {0};
    text out = {0};
    service_driver *d = driver_load(name, &e);
    if (!d) return complain(&e);
    const plumb_driver *p = driver_definition(d);
    text_printf(&out, "%s: %s\n", p->name, p->summary ? p->summary : "");
    if (p->most_nodes) text_printf(&out, "nodes: %u, at most %u\n", p->standard_nodes, p->most_nodes);
    for (uint32_t i = 0; i < p->object_count; i++)
        text_printf(&out, "object %s: %s\n", p->objects[i].object, p->objects[i].methods);
    for (uint32_t i = 0; i < p->option_count; i++)
        text_printf(&out, "--set %s=%s: %s%s%s%s\n", p->options[i].name, p->options[i].standard, p->options[i].summary,
                    p->options[i].choices ? " (" : "", p->options[i].choices ? p->options[i].choices : "",
                    p->options[i].choices ? ")" : "");
    driver_unload(d);
    return print_text(&out);
}

static int run_drive(void *settings, char **operand, unsigned operands) {
    drive_options *o = settings;
    const char *name = operands ? operand[0] : NULL;
    drive_settings s;
    drive_run r;
    error e = {0};
    text initial = {0};
    if (name && o->describe) return describe_driver(name);
    if (!understand(o, name, &s, &e) || !initial_option(o->init, &initial, &s.init, &e)) return complain(&e);
    interrupt_listen();
    signal(SIGPIPE, SIG_IGN);
    bool good = drive(&s, &r, &e);
    hide_live(o);
    int code = good ? drive_report(o, name, &r) : complain(&e);
    drive_close(&r);
    text_free(&o->set);
    text_free(&initial);
    return code;
}

COMMAND(drive, "[OPTION]... NAME | --exec CMD", "drive a real service under load and faults, judged while it runs",
        options, drive_options,
        .about =
            "NAME is a driver: memory, redis, memcached, etcd, zookeeper, nats, postgres, or the path of your own\n"
            "(./mine.so). The service is started on loopback ports and in folders of its own, loaded, broken, judged,\n"
            "and ended.\n"
            "Exit: 0 linearizable, 1 violation, 2 undecided, 64 usage, 65 bad input, 66 cannot start,\n"
            "70 internal error, 130 interrupted.",
        .standard_settings = &standard_settings, .max_operands = 1);
