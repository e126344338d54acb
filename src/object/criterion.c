#include "object/criterion.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const criterion_type types[CRITERIA] = {
    [CRITERION_LINEARIZABLE] =
        {"linearizable", NULL, {NULL}, false, true, "some order of the operations is a run of the object"},
    [CRITERION_QUASI] =
        {"quasi",
         NULL,
         {"ahead", "overtaken"},
         true,
         true,
         "every removal has at most so many elements ahead, every element is overtaken at most so often"},
    [CRITERION_OUT_OF_ORDER] =
        {"out-of-order",
         NULL,
         {"ahead", "late"},
         true,
         true,
         "every removal has at most so many elements ahead, the head is bypassed at most so often in a row"},
    [CRITERION_ALIGNED] = {"aligned",
                           NULL,
                           {"displaced"},
                           false,
                           false,
                           "for comparison: results moved by at most so many removals, everything else in its place"},
    [CRITERION_LITERAL] = {"literal",
                           NULL,
                           {"displaced"},
                           false,
                           false,
                           "for comparison: removals moved by at most so many removals, adds free between them"},
    [CRITERION_ALL_EVENTS] =
        {"all-events", NULL, {"displaced"}, false, false, "for comparison: operations moved by at most so many places"},
    [CRITERION_SET] = {"set-linearizable",
                       "set",
                       {NULL},
                       false,
                       true,
                       "some sequence of sets of operations that take effect together is a run of the object"},
    [CRITERION_INTERVAL] =
        {"interval-linearizable",
         "interval",
         {NULL},
         false,
         true,
         "some sequence of steps, over several of which an operation may last, is a run of the object"},
    [CRITERION_SPURIOUS] = {"spurious",
                            NULL,
                            {NULL},
                            false,
                            true,
                            "linearizable without the answers it names, where another operation overlaps them"},
    [CRITERION_SEQUENTIAL] = {"sequential",
                              "sequentially-consistent",
                              {NULL},
                              false,
                              false,
                              "some order that keeps each client's own is a run of the object"},
    [CRITERION_PRODUCER_FIFO] = {"producer-fifo",
                                 NULL,
                                 {NULL},
                                 false,
                                 true,
                                 "linearizable as a queue that keeps the order of each producer's values alone"},
    [CRITERION_LOCAL] = {"local",
                         "locally-linearizable",
                         {NULL},
                         false,
                         true,
                         "what each client added, with the removals of that, is linearizable by itself"},
    [CRITERION_STALE] =
        {"stale", NULL, {"behind"}, false, true, "a read returns what is held or one of so many values held before"},
    [CRITERION_BY_METHOD] = {"quasi-by-method",
                             NULL,
                             {NULL},
                             false,
                             true,
                             "quasi(METHOD=N,...): each method has a limit of its own, and what is not named has 0"},
    [CRITERION_REGULAR] =
        {"regular", NULL, {NULL}, false, true, "each read by itself, with all writes, is linearizable"},
    [CRITERION_SAFE] = {"safe",
                        NULL,
                        {NULL},
                        false,
                        true,
                        "each read that overlaps no write is linearizable with all writes; others return anything"},
};

const criterion_type *criterion_type_of(criterion_kind kind) { return &types[kind]; }

static bool is_called(const char *name, const char *what, size_t n) {
    return name && strlen(name) == n && !memcmp(name, what, n);
}

static bool parse_number(const criterion_type *t, const char *s, size_t length, uint32_t *out, error *e) {
    char digits[16], *end;
    bool good = length > 0 && length < sizeof digits && s[0] >= '0' && s[0] <= '9';
    unsigned long n = 0;
    if (good) {
        memcpy(digits, s, length);
        digits[length] = 0;
        errno = 0;
        n = strtoul(digits, &end, 10);
        good = !*end && !errno && n <= CRITERION_MAX_LIMIT;
    }
    *out = (uint32_t)n;
    return good || error_set(e, EXIT_USAGE, "criterion %s: limit '%.*s'; expected a number from 0 to %d", t->name,
                             (int)length, s, CRITERION_MAX_LIMIT);
}

/* [name=]number: which limit it is goes to `at`. */
static bool parse_limit(const criterion_type *t, const char *s, size_t length, unsigned *at, uint32_t *out, error *e) {
    const char *equals = memchr(s, '=', length);
    if (!equals) return parse_number(t, s, length, out, e);
    size_t name = (size_t)(equals - s);
    for (*at = 0; *at < CRITERION_LIMITS && t->limit_name[*at]; ++*at)
        if (strlen(t->limit_name[*at]) == name && !memcmp(t->limit_name[*at], s, name))
            return parse_number(t, equals + 1, length - name - 1, out, e);
    return error_set(e, EXIT_USAGE, "criterion %s has no limit '%.*s'", t->name, (int)name, s);
}

static unsigned limits_of(const criterion_type *t) {
    unsigned n = 0;
    while (n < CRITERION_LIMITS && t->limit_name[n]) n++;
    return n;
}

static bool complain_limits(const criterion_type *t, error *e) {
    text want = {0};
    for (unsigned i = 0; i < limits_of(t); i++) text_printf(&want, "%s%s=N", i ? "," : "", t->limit_name[i]);
    error_set(e, EXIT_USAGE, "criterion %s: expected %s(%s)%s%s%s", t->name, t->name, text_str(&want),
              t->one_for_all ? " or " : "", t->one_for_all ? t->name : "", t->one_for_all ? "(N)" : "");
    text_free(&want);
    return false;
}

/* "enq=0,deq=2": names that are not limits of quasi are methods. Which ones there are, the object knows. */
static bool names_methods(criterion_kind kind, const char *limits) {
    const criterion_type *t = &types[CRITERION_QUASI];
    const char *equals = strchr(limits, '=');
    if (kind == CRITERION_BY_METHOD) return true;
    if (kind != CRITERION_QUASI || !equals) return false;
    for (unsigned i = 0; i < limits_of(t); i++)
        if (is_called(t->limit_name[i], limits, (size_t)(equals - limits))) return false;
    return true;
}

static bool parse_methods(const char *limits, criterion *out, error *e) {
    if (strlen(limits) >= CRITERION_ANSWERS)
        return error_set(e, EXIT_USAGE, "criterion quasi: expected at most %d characters", CRITERION_ANSWERS - 1);
    *out = (criterion){.kind = CRITERION_QUASI, .asked = true};
    snprintf(out->answers, sizeof out->answers, "%s", limits);
    return true;
}

bool criterion_method_limit(const char **list, char name[CRITERION_ANSWERS], uint32_t *limit, error *e) {
    const char *s = *list + strspn(*list, " ");
    size_t n = strcspn(s, ","), length = strcspn(s, "=,");
    if (length == n || length == 0)
        return error_set(e, EXIT_USAGE, "criterion quasi: '%.*s'; expected METHOD=N, such as quasi(enq=0,deq=2)",
                         (int)n, s);
    snprintf(name, CRITERION_ANSWERS, "%.*s", (int)length, s);
    *list = s + n + (s[n] == ',');
    return parse_number(&types[CRITERION_QUASI], s + length + 1, n - length - 1, limit, e);
}

bool criterion_parse_limits(criterion_kind kind, const char *limits, criterion *out, error *e) {
    const criterion_type *t = &types[kind];
    if (names_methods(kind, limits)) return parse_methods(limits, out, e);
    bool given[CRITERION_LIMITS] = {false}, named = false;
    unsigned position = 0, count = limits_of(t);
    *out = (criterion){.kind = kind, .asked = true};
    for (const char *s = limits; *s; position++) {
        size_t n = strcspn(s, ",");
        unsigned at = position;
        uint32_t number;
        named |= memchr(s, '=', n) != NULL;
        if (position >= count) return complain_limits(t, e);
        if (!parse_limit(t, s, n, &at, &number, e)) return false;
        if (given[at]) return complain_limits(t, e);
        given[at] = true;
        out->limit[at] = number;
        s += n;
        if (*s == ',' && s[1 + strspn(s + 1, " ")] == 0) return complain_limits(t, e);
        s += *s == ',';
        s += strspn(s, " ");
    }
    if (position == 1 && !named && t->one_for_all) given[1] = true;
    if (position == 1 && !named) out->limit[1] = out->limit[0];
    for (unsigned i = 0; i < count; i++)
        if (!given[i]) return complain_limits(t, e);
    return true;
}

static bool unknown(const char *what, error *e) {
    text names = {0};
    for (int k = 0; k < CRITERIA; k++)
        if (k != CRITERION_BY_METHOD)
            text_printf(&names, "%s%s%s", k ? ", " : "", types[k].name, types[k].limit_name[0] ? "(...)" : "");
    error_set(e, EXIT_USAGE, "unknown criterion '%.60s'; expected one of %s", what, text_str(&names));
    text_free(&names);
    return false;
}

/* "(deq=empty,enq=full)": what it says of the object is looked at later. */
static bool parse_answers(const char *s, criterion *out, error *e) {
    size_t n = strlen(s);
    out->kind = CRITERION_SPURIOUS;
    if (n < 3 || s[0] != '(' || s[n - 1] != ')' || !strchr(s, '='))
        return error_set(e, EXIT_USAGE,
                         "criterion spurious: expected spurious(METHOD=ANSWER,...), such as "
                         "spurious(deq=empty,enq=full), with when=always if nothing need overlap");
    if (n - 2 >= CRITERION_ANSWERS)
        return error_set(e, EXIT_USAGE, "criterion spurious: expected at most %d characters", CRITERION_ANSWERS - 1);
    memcpy(out->answers, s + 1, n - 2);
    return true;
}

bool criterion_parse(const char *what, criterion *out, error *e) {
    size_t name = strcspn(what, "("), length = strlen(what);
    *out = (criterion){.asked = true};
    int kind = 0;
    while (kind < CRITERIA && !is_called(types[kind].name, what, name) && !is_called(types[kind].alias, what, name))
        kind++;
    if (kind == CRITERIA) return unknown(what, e);
    if (kind == CRITERION_SPURIOUS) return parse_answers(what + name, out, e);
    bool has_limits = limits_of(&types[kind]) || kind == CRITERION_BY_METHOD;
    if (name == length) {
        if (kind == CRITERION_BY_METHOD) kind = CRITERION_QUASI;
        if (limits_of(&types[kind])) return complain_limits(&types[kind], e);
        out->kind = (criterion_kind)kind;
        return true;
    }
    if (what[length - 1] != ')' || !has_limits) return unknown(what, e);
    text inside = {0};
    text_bytes(&inside, what + name + 1, length - name - 2);
    bool good = criterion_parse_limits((criterion_kind)kind, text_str(&inside), out, e);
    text_free(&inside);
    return good;
}

void criterion_print(const criterion *c, text *out) {
    const criterion_type *t = &types[criterion_is_quasi(c) ? CRITERION_QUASI : c->kind];
    if (criterion_is_quasi(c) && c->answers[0]) {
        text_printf(out, "quasi(%s)", c->answers);
        return;
    }
    unsigned count = limits_of(t);
    text_add(out, t->name);
    if (c->kind == CRITERION_SPURIOUS) text_printf(out, "(%s)", c->answers);
    if (count == 0) return;
    if (count == 1 || (t->one_for_all && c->limit[0] == c->limit[1])) {
        text_printf(out, "(%u)", c->limit[0]);
        return;
    }
    text_printf(out, "(%s=%u,%s=%u)", t->limit_name[0], c->limit[0], t->limit_name[1], c->limit[1]);
}
