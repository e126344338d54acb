/* plumb certify: does this certificate hold? Only the independent checker is asked. */
#include "cli/commands.h"
#include "evidence/certificate.h"
#include "report/colour.h"

#include <unistd.h>

static int run_certify(void *settings, char **operand, unsigned operands) {
    (void)settings;
    (void)operands;
    error e = {0};
    text said = {0};
    int code = certify(operand[0], &said, &e);
    if (e.code) return complain(&e);
    int printed = print_text(&said);
    return printed ? printed : code;
}

const command command_certify = {
    .name = "certify",
    .arguments = "CERTIFICATE",
    .summary = "check a certificate again, with the independent checker only",
    .about = "Exit: 0 the certificate holds, 1 it is refused, 2 its core is too large to decide again, 65 it is no certificate.",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_certify,
};
