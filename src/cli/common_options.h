/* Options that several commands have: what is the same in their rows. `ROW(object, OBJECT_OPTION, .letter = 'o')` */
#ifndef PLUMB_CLI_COMMON_OPTIONS_H
#define PLUMB_CLI_COMMON_OPTIONS_H

#include "cli/initial_option.h"
#include "cli/option.h"

#define OBJECT_OPTION \
    "object", TEXT, .argument = "O", .complete = "objects", .help = "the object the operations are operations of"
#define INIT_OPTION "init", TEXT, .argument = "V", .standard = "none", .help = INITIAL_HELP, .more = INITIAL_MORE
#define CRITERION_OPTION \
    "criterion", TEXT, .argument = "C", .standard = "linearizable; a few objects have their own", \
                       .help = "what the history is to be"
#define FORMAT_OPTION "format", TEXT, .letter = 'f', .argument = "F", .complete = "formats"
#define TO_OPTION "to", TEXT, .letter = 't', .argument = "F", .complete = "formats", .help = "the format to write"
#define INDEPENDENT_OPTION "independent", FLAG, .help = "values are [key value] pairs of independent keys"
#define ON_FAIL_OPTION \
    "on-fail", LIST, .argument = "M=WHAT", .standard = "every method=drop", \
                     .help = "a failed operation of method M: observe it or drop it"
#define REMOVAL_OPTION \
    "removal", CHOICE, .argument = "RULE", .choices = REMOVAL_WORDS, .standard = "standard", \
                       .help = "what engine saturate forgets"
#define TIMEOUT_OPTION "timeout", SECONDS, .letter = 't', .argument = "T", .standard = "none"
#define MEMORY_OPTION \
    "memory", BYTES, .letter = 'm', .argument = "M", .standard = "three quarters of what is free", \
                     .help = "bytes for the whole run (also 500M, 2G); then undecided"
#define OUTPUT_OPTION "output", TEXT, .argument = "FILE", .complete = "file"
#define HTML_OPTION "html", TEXT, .argument = "FILE", .complete = "file"
#define QUIET_OPTION "quiet", FLAG, .letter = 'q'
#define COLOR_OPTION \
    "color", CHOICE, .argument = "WHEN", .choices = "auto always never", .standard = "auto", .help = "colour the report"

/* Rows of a command whose settings have a transport_settings `cluster` (src/remote/transport.h). */
#define CLUSTER_HELP "on other machines, through the cluster at URL: nats://HOST:PORT, tls://HOST:PORT, file:FOLDER"
#define CLUSTER_MORE \
    "Several servers of a cluster are separated by commas; nats://USER:PASSWORD@HOST names a user. file:FOLDER is " \
    "for " \
    "processes of one machine, without a server. See *plumb-worker*(1)."
#define CLUSTER_ROWS(ROW) \
    ROW(cluster.url, "cluster", TEXT, .argument = "URL", .help = CLUSTER_HELP, .more = CLUSTER_MORE), \
        ROW(cluster.user, "cluster-user", TEXT, .argument = "NAME", .help = "the user of the cluster", \
            .more = "Its password is in the environment variable PLUMB_CLUSTER_PASSWORD."), \
        ROW(cluster.credential, "cluster-credentials", TEXT, .argument = "FILE", .complete = "file", \
            .help = "a credentials file of NATS (JWT and NKEY), or one with the seed and the public key of an NKEY"), \
        ROW(cluster.authority, "cluster-ca", TEXT, .argument = "FILE", .complete = "file", \
            .help = "TLS: certificates that are trusted"), \
        ROW(cluster.certificate, "cluster-certificate", TEXT, .argument = "FILE", .complete = "file", \
            .help = "TLS: the certificate of this side"), \
        ROW(cluster.key, "cluster-key", TEXT, .argument = "FILE", .complete = "file", .help = "TLS: its key")

#endif
