#include "format/misnamed.h"

#include <string.h>

const misnamed *misnamed_find(const char *name, size_t size) {
    static const misnamed others[] = {
        {"result", "res"},     {"output", "res"},     {"returned", "res"},  {"arg", "args"},       {"input", "args"},
        {"arguments", "args"}, {"process", "client"}, {"thread", "client"}, {"session", "client"}, {"return", "ret"},
        {"end", "ret"},        {"response", "ret"},   {"complete", "ret"},  {"finish", "ret"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].name) == size && !memcmp(others[i].name, name, size)) return &others[i];
    return NULL;
}
