/* plumb certify: does this certificate hold? Only the independent checker is asked. */
#include "cli/commands.h"
#include "evidence/certificate.h"

static int run_certify(void *settings, char **operand, unsigned operands) {
    error e = {0};
    text said = {0};
    (void)settings;
    (void)operands;
    int code = certify(operand[0], &said, &e);
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
    .arguments = "CERTIFICATE",
    .summary = "check a certificate again, with the independent checker only",
    .about = "Exit: 0 the certificate holds, 1 it is refused, 2 undecided (the core is too large to be decided again),\n"
             "65 it is no certificate, 66 cannot open.",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_certify,
};
