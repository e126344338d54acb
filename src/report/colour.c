#include "report/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const colours none = {"", "", "", "", ""};
static const colours ansi = {"\033[32m", "\033[31m", "\033[33m", "\033[2m", "\033[0m"};

static bool wanted(int fd) {
    const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE"), *maybe = getenv("CLICOLOR"),
               *term = getenv("TERM");
    if (no && *no) return false;
    if (force && *force && strcmp(force, "0")) return true;
    if (maybe && !strcmp(maybe, "0")) return false;
    if (term && !strcmp(term, "dumb")) return false;
    return isatty(fd);
}

const colours *colours_choose(colour_wish wish, int fd) {
    if (wish == COLOUR_ALWAYS) return &ansi;
    return wish == COLOUR_AUTO && wanted(fd) ? &ansi : &none;
}

const char *colours_verdict(const colours *c, verdict v) {
    return v == VERDICT_LINEARIZABLE ? c->good : v == VERDICT_VIOLATION ? c->bad : c->doubt;
}
