/* Colours of the terminal, or none of them. */
#ifndef PLUMB_REPORT_COLOUR_H
#define PLUMB_REPORT_COLOUR_H

#include "engine/engine.h"

typedef struct colours {
    const char *good, *bad, *doubt, *dim, *off; /* all "" when there is to be no colour */
} colours;

typedef enum colour_wish { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } colour_wish;

/* `auto`: a non-empty NO_COLOR says no, then CLICOLOR_FORCE yes, then CLICOLOR=0 no, then a terminal on `fd`
 * decides. */
const colours *colours_choose(colour_wish wish, int fd);
const char *colours_verdict(const colours *c, verdict v);

#endif
