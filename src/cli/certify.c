/* plumb certify: does this certificate hold? Only the independent checker is asked. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "evidence/certificate.h"
#include "evidence/proof.h"
#include "evidence/segment.h"

#include <string.h>

typedef struct certify_settings {
    const char *object, *history;
} certify_settings;

#define ROW(...) OPTION_ROW(certify_settings, __VA_ARGS__)

static const option options[] = {
    ROW(object, "object", TEXT, .letter = 'o', .argument = "PLUGIN", .complete = "file",
        .help = "the plug-in that defines the certificate's object",
        .more =
            "A certificate about an object that is not built in needs the code that defines it. Which code is run is "
            "never the certificate's choice."),
    ROW(history, "history", TEXT, .argument = "FILE", .complete = "file",
        .help = "is it about this history? refused if not",
        .more = "A certificate holds its history: the operations, their values and the order of their events have to "
                "be the "
                "same, in whatever format FILE is. The digest that is printed is that of *plumb check --json* "
                "(\"history\"). "
                "Of segments, all operations of the run are compared. "
                "The clauses of a proof are made again from the history by the engine that made them, and compared."),
    {0}};

static bool is_segment_name(const char *path) {
    size_t n = strlen(path), suffix = strlen(SEGMENT_SUFFIX);
    return n > suffix && !strcmp(path + n - suffix, SEGMENT_SUFFIX);
}

/* One after the other, in the order of their names when a folder was named: one that was being written when its program
 * died has another name. */
static int certify_chain(const certify_settings *s, const inputs *in, text *said, error *e) {
    segment_chain *c = chain_new(s->object);
    int code = EXIT_LINEARIZABLE;
    uint32_t segments = 0;
    if (s->history) chain_keep_operations(c);
    for (uint32_t i = 0; i < in->n && !code; i++) {
        if (in->any_directory && !is_segment_name(in->path[i])) continue;
        code = chain_add(c, in->path[i], said, e);
        segments++;
    }
    if (!segments) error_set(e, EXIT_BAD_INPUT, "no segments; expected files that plumb_guard_segments wrote");
    else if (!code) code = chain_end(c, said);
    if (segments && !code && !e->code && s->history) code = chain_tie(c, s->history, said, e);
    chain_free(c);
    return code;
}

static int certify_operands(const certify_settings *s, char **operand, unsigned operands, text *said, error *e) {
    inputs in;
    inputs_gather(&in, operand, operands);
    int code;
    if (operands > 1 || in.any_directory) code = certify_chain(s, &in, said, e);
    else if (proof_is(operand[0])) code = proof_certify(operand[0], s->history, said, e);
    else if (s->history) code = certify_history(operand[0], s->history, s->object, said, e);
    else code = certify(operand[0], s->object, said, e);
    inputs_free(&in);
    return code;
}

static int run_certify(void *settings, char **operand, unsigned operands) {
    const certify_settings *s = settings;
    error e = {0};
    text said = {0};
    int code = certify_operands(s, operand, operands, &said, &e);
    if (e.code) {
        text_free(&said);
        return complain(&e);
    }
    if (said.size && said.at[said.size - 1] != '\n') text_char(&said, '\n');
    int printed = print_text(&said);
    return printed ? printed : code;
}

COMMAND(certify, "[OPTION]... CERTIFICATE | FOLDER | SEGMENT SEGMENT...",
        "check a certificate or a proof again, with the independent checkers only", options, certify_settings,
        .about =
            "Several files, or a folder, are the segments of one run, in their order: each is checked, and that it "
            "goes on where the one\n"
            "before ended.\n"
            "Exit: 0 the certificate holds, 1 it is refused, 2 undecided (deciding the core again took too much),\n"
            "65 it is no certificate, 66 cannot open.",
        .min_operands = 1, .max_operands = UINT32_MAX);
