#include "format/misnamed.h"

#include <string.h>

const char *misnamed(const char *name, size_t size) {
    static const char *const meant[][2] = {
        {"result", "res"},     {"output", "res"},     {"returned", "res"},  {"arg", "args"},       {"input", "args"},
        {"arguments", "args"}, {"process", "client"}, {"thread", "client"}, {"session", "client"}, {"return", "ret"},
        {"end", "ret"},        {"response", "ret"},   {"complete", "ret"},  {"finish", "ret"}};
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (strlen(meant[i][0]) == size && !memcmp(meant[i][0], name, size)) return meant[i][1];
    return NULL;
}
