#include "explore/outside/litmus.h"

#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LITMUS_BYTES = 1 << 20, VALUE_ROOM = 22 };

/* ---- words ---- */

bool litmus_wrong(litmus_reader *r, const char *what, const char *expected) {
    return error_set(r->e, EXIT_BAD_INPUT, "%s:%u: %.80s; expected %s", r->path, r->line, what, expected);
}

static bool begins(const litmus_reader *r, const char *with) { return !strncmp(r->at, with, strlen(with)); }

/* Behind `end`, or at the end of the file. */
static void skip_to(litmus_reader *r, const char *end) {
    for (; *r->at && !begins(r, end); r->at++) r->line += *r->at == '\n';
    if (*r->at && strcmp(end, "\n")) r->at += strlen(end);
}

void litmus_skip(litmus_reader *r) {
    for (;;) {
        if (isspace((unsigned char)*r->at)) r->line += *r->at++ == '\n';
        else if (begins(r, "//")) skip_to(r, "\n");
        else if (begins(r, "/*")) skip_to(r, "*/");
        else if (!r->in_code && begins(r, "(*")) skip_to(r, "*)");
        else return;
    }
}

bool litmus_word(litmus_reader *r, char out[LITMUS_WORD]) {
    litmus_skip(r);
    size_t n = 0;
    if (!isalpha((unsigned char)*r->at) && *r->at != '_') return false;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_') n++;
    if (n >= LITMUS_WORD) return litmus_wrong(r, "a name of more than 47 letters", "a shorter one");
    memcpy(out, r->at, n);
    out[n] = 0;
    r->at += n;
    return true;
}

bool litmus_sign(litmus_reader *r, const char *sign) {
    litmus_skip(r);
    if (!begins(r, sign)) return false;
    r->at += strlen(sign);
    return true;
}

bool litmus_number(litmus_reader *r, long *out) {
    litmus_skip(r);
    const char *digits = r->at + (*r->at == '-');
    char *end;
    if (!isdigit((unsigned char)*digits)) return false;
    errno = 0;
    *out = strtol(r->at, &end, 0);
    if (errno) return litmus_wrong(r, "a number that is too large", "one of 64 bits");
    r->at = end;
    return true;
}

/* ---- names ---- */

litmus_name *litmus_find(litmus *l, int thread, const char *name) {
    for (unsigned i = 0; i < l->names; i++)
        if (l->at[i].thread == thread && !strcmp(l->at[i].name, name)) return &l->at[i];
    return NULL;
}

litmus_name *litmus_add(litmus_reader *r, litmus *l, int thread, const char *name) {
    litmus_name *found = litmus_find(l, thread, name);
    if (found) return found;
    if (l->names == LITMUS_NAMES) {
        litmus_wrong(r, "more than 64 places and registers", "fewer");
        return NULL;
    }
    found = &l->at[l->names++];
    *found = (litmus_name){.thread = thread};
    snprintf(found->name, sizeof found->name, "%s", name);
    snprintf(found->type, sizeof found->type, "int");
    return found;
}

/* "x", "[x]", "0:r0". NULL: none of them. */
static litmus_name *place_read(litmus_reader *r, litmus *l) {
    char word[LITMUS_WORD];
    long thread = -1;
    const bool bracket = litmus_sign(r, "[");
    if (!bracket && litmus_number(r, &thread) && (thread < 0 || thread >= LITMUS_THREADS || !litmus_sign(r, ":"))) {
        litmus_wrong(r, "a number that is no thread's", "0:r0 with a thread below 16");
        return NULL;
    }
    if (!litmus_word(r, word) || (bracket && !litmus_sign(r, "]"))) {
        litmus_wrong(r, "no name of a place or register", "x, [x] or 0:r0");
        return NULL;
    }
    return litmus_add(r, l, (int)thread, word);
}

/* ---- the parts of a file ---- */

static bool head_read(litmus_reader *r, litmus *l) {
    char word[LITMUS_WORD] = "";
    litmus_skip(r);
    if (!litmus_word(r, word) || strcmp(word, "C"))
        return litmus_wrong(r, *word ? "not a litmus test of the C dialect" : "not a litmus test", "C NAME");
    while (*r->at == ' ' || *r->at == '\t') r->at++;
    const size_t n = strcspn(r->at, " \t\r\n");
    if (!n) return litmus_wrong(r, "a test without a name", "C NAME");
    snprintf(l->name, sizeof l->name, "%.*s", (int)n, r->at);
    skip_to(r, "{"); /* a description, and what tools have noted */
    return *r->at || litmus_wrong(r, "no initial state", "{ x = 0; }");
}

static bool type_skip(litmus_reader *r, litmus *l, char type[LITMUS_WORD]) {
    const litmus_reader before = *r;
    char word[LITMUS_WORD];
    (void)l;
    *type = 0;
    if (!litmus_word(r, word) || !litmus_type_begins(word)) {
        *r = before;
        return true;
    }
    snprintf(type, LITMUS_WORD, "%s", word);
    return !litmus_sign(r, "*") || litmus_wrong(r, "a pointer in the initial state", "numbers alone");
}

static bool initial_read(litmus_reader *r, litmus *l) {
    while (!litmus_sign(r, "}")) {
        char type[LITMUS_WORD];
        if (litmus_sign(r, ";")) continue;
        if (!*r->at) return litmus_wrong(r, "an initial state without end", "}");
        if (!type_skip(r, l, type)) return false;
        litmus_name *n = place_read(r, l);
        if (!n) return false;
        if (*type) snprintf(n->type, sizeof n->type, "%s", type);
        if (litmus_sign(r, "=") && !litmus_number(r, &n->first))
            return litmus_wrong(r, "an initial value that is no number", "x = 1");
    }
    return true;
}

static bool locations_read(litmus_reader *r, litmus *l) {
    if (!litmus_sign(r, "[")) return litmus_wrong(r, "locations without a list", "locations [x; 0:r0;]");
    while (!litmus_sign(r, "]")) {
        if (litmus_sign(r, ";")) continue;
        litmus_name *n = place_read(r, l);
        if (!n) return false;
        n->observed = true;
    }
    return true;
}

static bool quantifier_read(litmus_reader *r, litmus *l) {
    char word[LITMUS_WORD] = "";
    const bool negated = litmus_sign(r, "~");
    litmus_word(r, word);
    if (!strcmp(word, "locations") && !negated) return locations_read(r, l) && quantifier_read(r, l);
    if (!strcmp(word, "exists")) l->asks = negated ? LITMUS_NOT_EXISTS : LITMUS_EXISTS;
    else if (!strcmp(word, "forall") && !negated) l->asks = LITMUS_FORALL;
    else {
        char what[LITMUS_WORD + 24];
        snprintf(what, sizeof what, "'%s' behind the threads", *word ? word : "nothing");
        return litmus_wrong(r, what, "exists, ~exists or forall");
    }
    return litmus_condition(r, l);
}

/* A register has to be one of the thread's own, and a number. */
static bool names_exist(litmus_reader *r, const litmus *l) {
    size_t room = 0;
    for (unsigned i = 0; i < l->names; i++) {
        const litmus_name *n = &l->at[i];
        char what[2 * LITMUS_WORD];
        snprintf(what, sizeof what, "%d:%s", n->thread, n->name);
        if (n->thread >= (int)l->threads) return litmus_wrong(r, what, "a register of a thread that there is");
        if (n->observed && strchr(n->type, '*')) return litmus_wrong(r, what, "a register that holds a number");
        if (n->observed) room += strlen(what) + VALUE_ROOM;
    }
    return room < OUTCOME_ROOM ||
           litmus_wrong(r, "more values in the condition and locations than an outcome has room for", "fewer");
}

bool litmus_parse(litmus *l, const char *path, const char *bytes, error *e) {
    litmus_reader r = {.path = path, .at = bytes, .line = 1, .e = e};
    *l = (litmus){0};
    if (!head_read(&r, l) || !initial_read(&r, l)) return false;
    for (litmus_skip(&r); *r.at == 'P' && isdigit((unsigned char)r.at[1]); litmus_skip(&r))
        if (!litmus_thread(&r, l)) return false;
    if (!l->threads) return litmus_wrong(&r, "no thread", "P0 (atomic_int *x) { ... }");
    return quantifier_read(&r, l) && names_exist(&r, l);
}

bool is_litmus(const char *path) {
    const size_t n = strlen(path), m = strlen(".litmus");
    return n > m && !strcmp(path + n - m, ".litmus");
}

bool litmus_read(litmus *l, const char *path, error *e) {
    FILE *f = fopen(path, "rb");
    *l = (litmus){0};
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", path, strerror(errno));
    char *bytes = MEM_ARRAY(char, LITMUS_BYTES + 1);
    const size_t n = fread(bytes, 1, LITMUS_BYTES, f);
    fclose(f);
    bytes[n] = 0;
    const bool good = n < LITMUS_BYTES && strlen(bytes) == n
                          ? litmus_parse(l, path, bytes, e)
                          : error_set(e, EXIT_BAD_INPUT, "%s:1: too long, or not text; expected a litmus test", path);
    free(bytes);
    return good;
}

void litmus_free(litmus *l) {
    for (unsigned i = 0; i < LITMUS_THREADS; i++) {
        text_free(&l->code[i]);
        text_free(&l->parameters[i]);
    }
    text_free(&l->condition);
}

/* ---- as a program ---- */

/* Registers are kept where the compiler cannot know that none looks: a load of one that is not observed may race. */
static void globals_write(const litmus *l, text *out) {
    for (unsigned i = 0; i < l->names; i++) {
        const litmus_name *n = &l->at[i];
        if (n->thread < 0) text_printf(out, "static %s plumb_at_%s = %ld;\n", n->type, n->name, n->first);
        else text_printf(out, "extern long plumb_%d_%s; long plumb_%d_%s;\n", n->thread, n->name, n->thread, n->name);
    }
}

static void thread_write(const litmus *l, unsigned t, text *out) {
    text_printf(out, "static void *plumb_thread_%u(void *plumb_unused) {\n", t);
    text_add(out, text_str(&l->parameters[t]));
    for (unsigned i = 0; i < l->names; i++)
        if (l->at[i].thread == (int)t)
            text_printf(out, "%s %s = (%s)%ld;\n", l->at[i].type, l->at[i].name, l->at[i].type, l->at[i].first);
    text_add(out, text_str(&l->code[t]));
    for (unsigned i = 0; i < l->names; i++)
        if (l->at[i].thread == (int)t) text_printf(out, "plumb_%u_%s = (long)%s;\n", t, l->at[i].name, l->at[i].name);
    text_add(out, "return plumb_unused;\n}\n");
}

static void outcome_write(const litmus *l, text *out) {
    const char *before = "";
    text told = {0};
    text_add(out, "plumb_outcome(\"");
    for (unsigned i = 0; i < l->names; i++) {
        const litmus_name *n = &l->at[i];
        if (!n->observed) continue;
        text_add(out, before);
        if (n->thread >= 0) text_printf(out, "%d:", n->thread);
        text_printf(out, "%s=%%ld", n->name);
        if (n->thread >= 0) text_printf(&told, ", plumb_%d_%s", n->thread, n->name);
        else text_printf(&told, ", (long)plumb_at_%s", n->name);
        before = " ";
    }
    text_printf(out, "%s\"%s);\n", *before ? "" : "true", text_str(&told));
    text_free(&told);
}

void litmus_program(const litmus *l, text *out) {
    text_add(out, "#include <plumbline/test.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdbool.h>\n"
                  "#include <stdint.h>\n");
    globals_write(l, out);
    for (unsigned t = 0; t < l->threads; t++) thread_write(l, t, out);
    text_printf(out, "int main(void) {\npthread_t t[%u];\n", l->threads);
    for (unsigned t = 0; t < l->threads; t++)
        text_printf(out, "pthread_create(&t[%u], 0, plumb_thread_%u, 0);\n", t, t);
    for (unsigned t = 0; t < l->threads; t++) text_printf(out, "pthread_join(t[%u], 0);\n", t);
    outcome_write(l, out);
    text_add(out, "return 0;\n}\n");
}
