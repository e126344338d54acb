/* Threads of a litmus test: what stands in them goes into the program as it is, word by word, and each word is one that
 * is known. Registers are declared at the head, so that those of inner blocks can be looked at as well. */
#include "explore/outside/litmus.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 100 };

static bool is_among(const char *const *list, const char *word) {
    for (; *list; list++)
        if (!strcmp(*list, word)) return true;
    return false;
}

bool litmus_type_begins(const char *word) {
    static const char *const types[] = {"int",
                                        "long",
                                        "short",
                                        "char",
                                        "unsigned",
                                        "signed",
                                        "bool",
                                        "int8_t",
                                        "int16_t",
                                        "int32_t",
                                        "int64_t",
                                        "uint8_t",
                                        "uint16_t",
                                        "uint32_t",
                                        "uint64_t",
                                        "intptr_t",
                                        "uintptr_t",
                                        "size_t",
                                        "volatile",
                                        "const",
                                        "_Atomic",
                                        "atomic_int",
                                        "atomic_uint",
                                        "atomic_long",
                                        "atomic_ulong",
                                        "atomic_short",
                                        "atomic_char",
                                        "atomic_bool",
                                        "atomic_uchar",
                                        "atomic_llong",
                                        "atomic_ullong",
                                        "atomic_size_t",
                                        "atomic_intptr_t",
                                        "atomic_uintptr_t",
                                        NULL};
    return is_among(types, word);
}

static bool is_known(const char *word) {
    static const char *const words[] = {"if",
                                        "else",
                                        "while",
                                        "do",
                                        "for",
                                        "true",
                                        "false",
                                        "NULL",
                                        "memory_order_relaxed",
                                        "memory_order_consume",
                                        "memory_order_acquire",
                                        "memory_order_release",
                                        "memory_order_acq_rel",
                                        "memory_order_seq_cst",
                                        "atomic_load",
                                        "atomic_load_explicit",
                                        "atomic_store",
                                        "atomic_store_explicit",
                                        "atomic_exchange",
                                        "atomic_exchange_explicit",
                                        "atomic_compare_exchange_strong",
                                        "atomic_compare_exchange_strong_explicit",
                                        "atomic_compare_exchange_weak",
                                        "atomic_compare_exchange_weak_explicit",
                                        "atomic_fetch_add",
                                        "atomic_fetch_add_explicit",
                                        "atomic_fetch_sub",
                                        "atomic_fetch_sub_explicit",
                                        "atomic_fetch_or",
                                        "atomic_fetch_or_explicit",
                                        "atomic_fetch_and",
                                        "atomic_fetch_and_explicit",
                                        "atomic_fetch_xor",
                                        "atomic_fetch_xor_explicit",
                                        "atomic_thread_fence",
                                        NULL};
    return is_among(words, word) || litmus_type_begins(word);
}

/* Words of a type, and stars. */
static bool type_read(litmus_reader *r, char type[2 * LITMUS_WORD], char name[LITMUS_WORD]) {
    *type = 0;
    for (;;) {
        const size_t n = strlen(type);
        if (litmus_sign(r, "*")) {
            if (n + 2 >= 2 * LITMUS_WORD) return litmus_wrong(r, "a type of too many words", "int or atomic_int");
            snprintf(type + n, 2 * LITMUS_WORD - n, "*");
            continue;
        }
        if (!litmus_word(r, name)) return litmus_wrong(r, "a type without a name behind it", "atomic_int *x");
        if (!litmus_type_begins(name)) return n || litmus_wrong(r, name, "a type, atomic_int *x");
        if (n + strlen(name) + 2 >= 2 * LITMUS_WORD)
            return litmus_wrong(r, "a type of too many words", "int or atomic_int");
        snprintf(type + n, 2 * LITMUS_WORD - n, "%s%s", n ? " " : "", name);
    }
}

static bool is_atomic(const char *type) { return strstr(type, "tomic") != NULL; }

/* atomic_int *x: x is a place of this type, whatever other threads call it. */
static bool parameter_read(litmus_reader *r, litmus *l, unsigned t) {
    char type[2 * LITMUS_WORD], name[LITMUS_WORD];
    if (!type_read(r, type, name)) return false;
    char *star = strchr(type, '*');
    if (!star || star[1]) return litmus_wrong(r, name, "a pointer to a number, atomic_int *x");
    *star = 0;
    litmus_name *n = litmus_add(r, l, -1, name);
    if (!n) return false;
    if (!n->atomic) {
        snprintf(n->type, sizeof n->type, "%s", type);
        n->atomic = is_atomic(type);
    }
    text_printf(&l->parameters[t], "%s *%s = (%s *)&plumb_at_%s; (void)%s;\n", type, name, type, name, name);
    return true;
}

static bool parameters_read(litmus_reader *r, litmus *l, unsigned t) {
    if (!litmus_sign(r, "(")) return litmus_wrong(r, "a thread without its places", "P0 (atomic_int *x)");
    if (litmus_sign(r, ")")) return true;
    do {
        if (!parameter_read(r, l, t)) return false;
    } while (litmus_sign(r, ","));
    return litmus_sign(r, ")") || litmus_wrong(r, "places that are not closed", ")");
}

static bool is_parameter(const litmus *l, unsigned t, const char *word) {
    char declared[LITMUS_WORD + 32];
    snprintf(declared, sizeof declared, "(void)%s;", word);
    return strstr(text_str(&l->parameters[t]), declared) != NULL;
}

/* int r0 = ...: the rest is an assignment. */
static bool register_read(litmus_reader *r, litmus *l, unsigned t) {
    char type[2 * LITMUS_WORD], name[LITMUS_WORD];
    if (!type_read(r, type, name)) return false;
    if (is_parameter(l, t, name)) return litmus_wrong(r, name, "a register that is not called as a place is");
    litmus_name *n = litmus_add(r, l, (int)t, name);
    if (!n) return false;
    snprintf(n->type, sizeof n->type, "%s", type);
    litmus_skip(r);
    if (*r->at == '=' && r->at[1] != '=') text_printf(&l->code[t], "%s ", name);
    else if (*r->at != ';') return litmus_wrong(r, name, "one register in a declaration: int r0 = 1;");
    return true;
}

static bool word_read(litmus_reader *r, litmus *l, unsigned t, bool begins_statement) {
    const litmus_reader before = *r;
    char word[LITMUS_WORD];
    if (!litmus_word(r, word)) return false;
    if (begins_statement && litmus_type_begins(word)) {
        *r = before;
        return register_read(r, l, t);
    }
    if (!is_known(word) && !is_parameter(l, t, word) && !litmus_find(l, (int)t, word))
        return litmus_wrong(r, word, "a place of the thread, a register of it, or a function of <stdatomic.h>");
    text_printf(&l->code[t], "%s ", word);
    return true;
}

static void line_write(litmus_reader *r, text *code, unsigned *line) {
    if (*line == r->line) return;
    *line = r->line;
    text_printf(code, "\n#line %u \"", r->line);
    for (const char *p = r->path; *p; p++) {
        if (*p == '"' || *p == '\\') text_char(code, '\\');
        text_char(code, *p == '\n' ? '_' : *p);
    }
    text_add(code, "\"\n");
}

static bool sign_read(litmus_reader *r, text *code, unsigned *depth) {
    if (!*r->at || !strchr("(){};,=<>!+-*/%&|^~?:", *r->at)) {
        char what[2] = {isprint((unsigned char)*r->at) ? *r->at : '?'};
        return *r->at ? litmus_wrong(r, what, "C with <stdatomic.h>, without preprocessor, arrays and strings")
                      : litmus_wrong(r, "a thread without end", "}");
    }
    *depth += *r->at == '{';
    *depth -= *r->at == '}';
    if (*depth > DEPTH_MOST) return litmus_wrong(r, "blocks in blocks in blocks", "fewer than 100");
    text_char(code, *r->at++);
    /* what belongs together stays so */
    if (!*r->at || !strchr("=<>&|+-", *r->at) || !strchr("=<>!&|+-", r->at[-1])) text_char(code, ' ');
    return true;
}

static bool number_read(litmus_reader *r, text *code) {
    const size_t n = strspn(r->at, "0123456789abcdefxABCDEFXuUlL");
    text_printf(code, "%.*s ", (int)n, r->at);
    r->at += n;
    return true;
}

static bool body_read(litmus_reader *r, litmus *l, unsigned t) {
    text *code = &l->code[t];
    unsigned depth = 0, line = 0;
    bool begins_statement = true, good = true;
    r->in_code = true;
    do {
        litmus_skip(r);
        line_write(r, code, &line);
        const char c = *r->at;
        if (isalpha((unsigned char)c) || c == '_') good = word_read(r, l, t, begins_statement);
        else if (isdigit((unsigned char)c)) good = number_read(r, code);
        else if (!depth && c != '{') good = litmus_wrong(r, "a thread without a body", "{ ... }");
        else good = sign_read(r, code, &depth);
        begins_statement = c == '{' || c == ';' || c == '}';
    } while (good && depth);
    text_char(code, '\n');
    r->in_code = false;
    return good;
}

bool litmus_thread(litmus_reader *r, litmus *l) {
    long number;
    r->at++; /* P */
    if (!litmus_number(r, &number)) return false;
    if (number != (long)l->threads || number >= LITMUS_THREADS)
        return litmus_wrong(r, "a thread with another number", "P0, P1, P2 and so on, up to P15");
    const unsigned t = l->threads++;
    return parameters_read(r, l, t) && body_read(r, l, t);
}
