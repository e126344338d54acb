#include "explore/model/schedule.h"

#include "base/mem.h"
#include "explore/model/step.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_SCHEDULE = 1 << 24 };

void schedule_add(schedule *s, unsigned choice, unsigned of) {
    assert(of ? choice < of : choice < THREADS_MOST);
    assert(of <= UINT8_MAX);
    if (s->length == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 64;
        s->choice = MEM_GROW(s->choice, uint8_t, s->capacity);
        s->of = MEM_GROW(s->of, uint8_t, s->capacity);
    }
    assert(s->length < s->capacity);
    s->choice[s->length] = (uint8_t)choice;
    s->of[s->length++] = (uint8_t)of;
}

bool schedule_equal(const schedule *a, const schedule *b) {
    return a->length == b->length &&
           (!a->length || (!memcmp(a->choice, b->choice, a->length) && !memcmp(a->of, b->of, a->length)));
}

void schedule_free(schedule *s) {
    free(s->choice);
    free(s->of);
    *s = (schedule){0};
}

/* What was written is read as the same schedule. */
#ifdef PLUMB_SELF_CHECKS
static void check_is_read_back(const schedule *s, const char *written) {
    schedule again = {0};
    text wrong = {0};
    bool read = schedule_read(&again, written, &wrong);
    assert(read && schedule_equal(s, &again));
    schedule_free(&again);
    text_free(&wrong);
}
#else
static void check_is_read_back(const schedule *s, const char *written) { (void)s, (void)written; }
#endif

void schedule_write(const schedule *s, text *out) {
    const size_t begun = out->size;
    for (uint32_t i = 0, run; i < s->length; i += run) {
        if (i) text_char(out, ' ');
        for (run = 1; !s->of[i] && i + run < s->length && !s->of[i + run] && s->choice[i + run] == s->choice[i]; run++)
            continue;
        if (s->of[i]) text_char(out, '?');
        text_int(out, s->choice[i]);
        if (s->of[i]) text_printf(out, "/%u", s->of[i]);
        if (run > 1) text_printf(out, "*%u", run);
        assert(run == 1 || !s->of[i]);
    }
    check_is_read_back(s, text_str(out) + begun);
}

typedef struct schedule_reader {
    const char *start, *at;
    text *wrong;
} schedule_reader;

static bool refuse(const schedule_reader *r, const char *expected) {
    text_printf(r->wrong, "character %zu: expected %s", (size_t)(r->at - r->start) + 1, expected);
    return false;
}

static bool read_number(schedule_reader *r, unsigned long limit, unsigned long *n, const char *expected) {
    const char *digit = r->at;
    for (*n = 0; *digit >= '0' && *digit <= '9' && *n <= limit; digit++) *n = *n * 10 + (unsigned long)(*digit - '0');
    if (digit == r->at || *n > limit) return refuse(r, expected);
    assert(digit > r->at);
    r->at = digit;
    return true;
}

static bool read_choice(schedule_reader *r, schedule *s) {
    unsigned long taken, of;
    r->at++;
    if (!read_number(r, UINT8_MAX - 1, &taken, "the number of an alternative")) return false;
    if (*r->at != '/') return refuse(r, "'/' and how many alternatives there were");
    r->at++;
    if (!read_number(r, UINT8_MAX, &of, "how many alternatives there were, at most 255")) return false;
    if (taken >= of) return refuse(r, "an alternative below their number");
    schedule_add(s, (unsigned)taken, (unsigned)of);
    return true;
}

static bool read_threads(schedule_reader *r, schedule *s) {
    unsigned long thread, times = 1;
    if (!read_number(r, THREADS_MOST - 1, &thread, "a thread's number below 80, or '?'")) return false;
    if (*r->at == '*') {
        r->at++;
        if (!read_number(r, LONGEST_SCHEDULE - s->length, &times, "how often, not too often")) return false;
    }
    while (times--) schedule_add(s, (unsigned)thread, 0);
    assert(s->length <= LONGEST_SCHEDULE);
    return true;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool schedule_read(schedule *s, const char *from, text *wrong) {
    assert(!s->length);
    schedule_reader r = {.start = from, .at = from, .wrong = wrong};
    for (;;) {
        while (is_blank(*r.at)) r.at++;
        if (!*r.at) return true;
        if (!(*r.at == '?' ? read_choice(&r, s) : read_threads(&r, s))) return false;
        if (*r.at && !is_blank(*r.at)) return refuse(&r, "a blank");
    }
}
