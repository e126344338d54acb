#include "support/make_history.h"

#include "history/builder.h"
#include "theory/theory_object.h"

#include <ctype.h>
#include <stdio.h>

static void fail(const char *what, const char *at) {
    fprintf(stderr, "make_history: %s at '%s'\n", what, at);
    abort();
}

static const char *blanks(const char *p) {
    while (*p == ' ') p++;
    return p;
}

static const char *one_value(values *v, const char *p, value *out) {
    char *end;
    size_t n = strcspn(p, " ,)];[");
    if (*p == '[') {
        value item[16];
        size_t count = 0;
        for (p = blanks(p + 1); *p != ']'; p = blanks(p)) p = one_value(v, p, &item[count++]);
        *out = value_tuple(v, item, count);
        return p + 1;
    }
    long long i = strtoll(p, &end, 10);
    if (end == p + n && n) *out = value_int(v, i);
    else if (n == 5 && !memcmp(p, "empty", n)) *out = VALUE_EMPTY;
    else if (n == 4 && !memcmp(p, "full", n)) *out = VALUE_FULL;
    else if (n == 4 && !memcmp(p, "none", n)) *out = VALUE_NONE;
    else if (n == 4 && !memcmp(p, "true", n)) *out = VALUE_TRUE;
    else if (n == 5 && !memcmp(p, "false", n)) *out = VALUE_FALSE;
    else *out = value_bytes(v, p, n);
    return p + n;
}

static const char *one_operation(builder *b, const char *p, uint32_t line) {
    values *v = builder_values(b);
    value arg[8], res = VALUE_NONE;
    call_record call = {.client = CLIENT_OWN, .key = VALUE_NONE, .arg = arg, .line = line};
    if (isdigit((unsigned char)*p)) p = blanks(one_value(v, p, &call.client));
    size_t n = strcspn(p, "(");
    if (p[n] != '(') fail("expected method(", p);
    call.method = builder_method(b, p, n, line);
    for (p = blanks(p + n + 1); *p != ')'; p = blanks(p)) {
        if (*p == ',') p = blanks(p + 1);
        p = one_value(v, p, &arg[call.nargs++]);
    }
    p = blanks(p + 1);
    if (p[0] == '-' && p[1] == '>') p = blanks(one_value(v, blanks(p + 2), &res));
    int used = 0;
    long long from, to = STAMP_NEVER;
    if (sscanf(p, "[%lld,%lld]%n", &from, &to, &used) != 2 || !used) {
        to = STAMP_NEVER;
        used = 0;
        if (sscanf(p, "[%lld,-]%n", &from, &used) != 1 || !used) fail("expected [call,return]", p);
    }
    if (!builder_operation(b, &call, from, to, res)) fail("builder refused", p);
    return blanks(p + used);
}

bound make_history(const char *object_name, const char *operations) {
    return make_relaxed_history(object_name, "linearizable", operations);
}

bound make_relaxed_history(const char *object_name, const char *by, const char *operations) {
    error e = {0};
    builder *b = builder_new("test", &e);
    uint32_t line = 1;
    for (const char *p = blanks(operations); *p; line++) {
        p = one_operation(b, p, line);
        while (*p == ';' || *p == ' ' || *p == '\n') p++;
    }
    bound r = {.o = specification_open(object_name, NULL, &e), .h = builder_finish(b)};
    builder_free(b);
    criterion c;
    bool relaxes = strcmp(by, "linearizable") != 0;
    if (!r.o || (relaxes && (!criterion_parse(by, &c, &e) || !object_relax(r.o, &c, &e)))) fail(e.what, by);
    if (!r.h || !object_bind(r.o, r.h, "test", &e)) fail(e.what, operations);
    return r;
}

void free_bound(bound *b) {
    history_free(b->h);
    object_close(b->o);
}
