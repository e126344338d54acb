/* The way into the process under test. */
#ifndef PLUMB_EXPLORE_INSIDE_START_H
#define PLUMB_EXPLORE_INSIDE_START_H

#include <stdbool.h>

bool program_constructing(void); /* the constructors of the program are running: before the first execution */
int explore_main(int argc, char **argv, char **envp, int (*main)(int, char **, char **)); /* serve.c */
int trial_main(int argc, char **argv, char **envp, int (*main)(int, char **, char **));   /* trial.c */

#endif
