/* Ctrl-C for commands that run on one thread: a flag that long work looks at. */
#ifndef PLUMB_CLI_INTERRUPT_H
#define PLUMB_CLI_INTERRUPT_H

extern _Atomic int interrupted; /* by SIGINT or SIGTERM */

/* From now on. Without SA_RESTART, so that a read that waits ends. */
void interrupt_listen(void);

#endif
