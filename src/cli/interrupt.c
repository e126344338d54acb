#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

_Atomic int interrupted;

static void on_signal(int number) {
    (void)number;
    interrupted = 1;
}

void interrupt_listen(void) {
    struct sigaction a = {.sa_handler = on_signal};
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}
