/* plumb certify: does this certificate hold? Only the independent checker is asked. */
#include "cli/commands.h"
#include "evidence/certificate.h"
#include "evidence/proof.h"

typedef struct certify_settings {
    const char *object, *history;
} certify_settings;

static const option options[] = {
    {.name = "object", .letter = 'o', .argument = "PLUGIN", .kind = OPTION_TEXT, .offset = offsetof(certify_settings, object),
     .help = "the plug-in that defines the certificate's object",
     .more = "A certificate about an object that is not built in needs the code that defines it. Which code is run is never the certificate's choice.",
     .complete = "file"},
    {.name = "history", .argument = "FILE", .kind = OPTION_TEXT, .offset = offsetof(certify_settings, history), .complete = "file",
     .help = "of a proof: are its clauses those of this history?",
     .more = "The clauses are made again from the history by the engine that made them, and compared."},
    {0},
};

static int run_certify(void *settings, char **operand, unsigned operands) {
    const certify_settings *s = settings;
    error e = {0};
    text said = {0};
    (void)operands;
    int code = proof_is(operand[0]) ? proof_certify(operand[0], s->history, &said, &e) : certify(operand[0], s->object, &said, &e);
    if (e.code) {
        text_free(&said);
        return complain(&e);
    }
    if (said.size && said.at[said.size - 1] != '\n') text_char(&said, '\n');
    int printed = print_text(&said);
    return printed ? printed : code;
}

const command command_certify = {
    .name = "certify",
    .arguments = "[OPTION]... CERTIFICATE",
    .summary = "check a certificate or a proof again, with the independent checkers only",
    .about = "Exit: 0 the certificate holds, 1 it is refused, 2 undecided (deciding the core again took too much),\n"
             "65 it is no certificate, 66 cannot open.",
    .options = options,
    .settings_size = sizeof(certify_settings),
    .min_operands = 1,
    .max_operands = 1,
    .run = run_certify,
};
