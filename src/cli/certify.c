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
    certificate_answer answer = certificate_check(operand[0], &said, &e);
    (void)answer;
    return e.code ? complain(&e) : print_text(&said);
}

const command command_certify = {
    .name = "certify",
    .arguments = "CERTIFICATE",
    .summary = "check a certificate again, with the independent checker only",
    .about = "Exit: 0 the certificate proves that the history is linearizable, 1 it proves a violation, 65 it proves nothing.",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_certify,
};
