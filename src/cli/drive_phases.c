#include "cli/drive_phases.h"

#include "cli/option.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_ROOM = 64 };

/* The next word, up to one of `ends`, without blanks around it; false: it is too long. */
static bool take_word(const char **at, const char *ends, char out[WORD_ROOM]) {
    *at += strspn(*at, " ");
    size_t whole = strcspn(*at, ends), n = whole;
    while (n && (*at)[n - 1] == ' ') n--;
    if (n >= WORD_ROOM) return false;
    memcpy(out, *at, n);
    out[n] = '\0';
    *at += whole;
    return true;
}

static bool take_number(const char *word, double most, double *out) {
    char *end;
    *out = strtod(word, &end);
    return *word && !*end && *out >= 0 && *out <= most;
}

static bool take_pause(const char *word, double *out) {
    *out = 0;
    return !strcmp(word, "0") || parse_seconds(word, out);
}

static bool take_setting(const char *word, load_part *p) {
    if (!strncmp(word, "reads=", 6)) return take_number(word + 6, 1, &p->reads);
    if (!strncmp(word, "rate=", 5)) return take_number(word + 5, 1e9, &p->rate);
    if (!strncmp(word, "think=", 6)) return take_pause(word + 6, &p->think);
    return false;
}

static bool take_phase(const char **at, load_part *p) {
    char word[WORD_ROOM];
    if (!take_word(at, ":;", word) || !parse_seconds(word, &p->seconds)) return false;
    while (**at == ':' || **at == ',') {
        ++*at;
        if (!take_word(at, ",;", word) || !take_setting(word, p)) return false;
    }
    return true;
}

bool drive_phases_parse(const char *words, load_settings *s, error *e) {
    const char *at = words;
    while (at && *at) {
        load_part p = {.reads = s->plan.reads, .rate = s->rate, .think = s->think};
        if (s->parts == LOAD_PARTS) return error_set(e, EXIT_USAGE, "--phases: expected at most %d", LOAD_PARTS);
        if (!take_phase(&at, &p))
            return error_set(e, EXIT_USAGE,
                             "--phases '%.200s'; expected such as '10s:reads=0.9; 20s:reads=0.1,rate=200,think=5ms'",
                             words);
        s->part[s->parts++] = p;
        if (*at == ';') at++;
    }
    return true;
}
