#include "explore/compile/statement.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

bool piece_is(text_piece p, const char *word) {
    return strlen(word) == p.size && (p.size == 0 || !memcmp(p.at, word, p.size));
}
bool piece_starts(text_piece p, const char *word) {
    return strlen(word) <= p.size && !memcmp(p.at, word, strlen(word));
}
bool piece_has(text_piece p, const char *word) { return memmem(p.at, p.size, word, strlen(word)) != NULL; }
text_piece piece_from(text_piece p, size_t skip) {
    assert(skip <= p.size);
    return (text_piece){p.at + skip, p.size - skip};
}

text_piece piece_trim(text_piece p) {
    while (p.size && isspace((unsigned char)p.at[0])) {
        p.at++;
        p.size--;
    }
    while (p.size && isspace((unsigned char)p.at[p.size - 1])) p.size--;
    return p;
}

/* Length of the quoted string or character constant at p, 1 for any other character: nothing inside means anything. */
static size_t literal_length(const char *p, size_t n) {
    assert(n);
    if (*p == '\'') { /* 'c, '\n; a closing quote is optional to gas */
        size_t k = n > 1 && p[1] == '\\' ? 3 : 2;
        if (k < n && p[k] == '\'') k++;
        return k <= n ? k : n;
    }
    if (*p != '"') return 1;
    for (size_t i = 1; i < n; i++) {
        if (p[i] == '\\') i++;
        else if (p[i] == '"') return i + 1;
    }
    return n;
}

text_piece line_strip(text_piece line, bool *in_comment, char *room) {
    size_t out = 0;
    bool blank = true; /* so far: gas takes a slash at the beginning of a line for a comment */
    for (size_t i = 0; i < line.size;) {
        const char *p = line.at + i;
        size_t left = line.size - i;
        if (*in_comment) {
            bool ends = left > 1 && p[0] == '*' && p[1] == '/';
            if (ends) {
                *in_comment = false;
                room[out++] = ' ';
            }
            i += ends ? 2 : 1;
        } else if (left > 1 && p[0] == '/' && p[1] == '*') {
            *in_comment = true;
            i += 2;
        } else if (*p == '#' || (*p == '/' && blank)) {
            break;
        } else {
            size_t k = literal_length(p, left);
            memcpy(room + out, p, k);
            if (!isspace((unsigned char)*p)) blank = false;
            out += k;
            i += k;
        }
    }
    assert(out <= line.size);
    room[out] = '\0';
    return (text_piece){room, out};
}

static const char *const prefix_names[] = {"lock",     "rep",    "repe",    "repz", "repne",  "repnz", "xacquire",
                                           "xrelease", "data16", "notrack", "bnd",  "addr32", NULL};
const char *prefix_name(unsigned i) {
    assert(i < sizeof prefix_names / sizeof *prefix_names);
    return prefix_names[i];
}

static unsigned prefix_bit(text_piece word) {
    for (unsigned i = 0; prefix_names[i]; i++)
        if (piece_is(word, prefix_names[i])) return 1u << i;
    return 0;
}

static bool is_symbol_character(char c) { return isalnum((unsigned char)c) || strchr("_.$@", c); }

static size_t word_length(text_piece p) {
    size_t n = 0;
    while (n < p.size && is_symbol_character(p.at[n])) n++;
    return n;
}

static void split_operands(text_piece p, statement *s) {
    int depth = 0;
    size_t start = 0;
    for (size_t i = 0; i <= p.size; i += i < p.size ? literal_length(p.at + i, p.size - i) : 1) {
        if (i < p.size && p.at[i] == '(') depth++;
        if (i < p.size && p.at[i] == ')') depth--;
        if (i < p.size && (p.at[i] != ',' || depth > 0)) continue;
        text_piece one = piece_trim((text_piece){p.at + start, i - start});
        start = i + 1;
        if (one.size == 0) continue;
        assert(one.at >= p.at && one.at + one.size <= p.at + p.size);
        if (s->operands < OPERANDS_MAX) s->operand[s->operands] = one;
        if (s->operands <= OPERANDS_MAX) s->operands++;
    }
}

static void parse_instruction(text_piece p, statement *s) {
    s->kind = STATEMENT_INSTRUCTION;
    for (;;) {
        size_t n = 0; /* a mnemonic ends at white space only: {vex3} and quotes are no words */
        while (n < p.size && !isspace((unsigned char)p.at[n])) n++;
        unsigned bit = prefix_bit((text_piece){p.at, n});
        if (!bit) {
            s->mnemonic = (text_piece){p.at, n};
            s->whole = p;
            split_operands(piece_from(p, n), s);
            return;
        }
        s->prefixes |= bit;
        p = piece_trim(piece_from(p, n));
    }
}

/* One statement ends at a semicolon, or after the colon of a label. */
bool statement_next(text_piece *rest, statement *s) {
    for (;;) {
        *rest = piece_trim(*rest);
        if (rest->size == 0) return false;
        if (rest->at[0] != ';') break;
        *rest = piece_from(*rest, 1);
    }
    memset(s, 0, sizeof *s);
    size_t word = word_length(*rest);
    text_piece behind = piece_trim(piece_from(*rest, word));
    if (word && behind.size && behind.at[0] == ':') {
        s->kind = STATEMENT_LABEL;
        s->mnemonic = s->whole = (text_piece){rest->at, word};
        *rest = piece_from(behind, 1);
        return true;
    }
    size_t end = 0;
    while (end < rest->size && rest->at[end] != ';') end += literal_length(rest->at + end, rest->size - end);
    assert(end && end <= rest->size); /* every statement takes something off */
    s->whole = piece_trim((text_piece){rest->at, end});
    *rest = piece_from(*rest, end);
    if (word && behind.size && behind.at[0] == '=') {
        s->kind = STATEMENT_ASSIGNMENT;
        s->mnemonic = (text_piece){s->whole.at, word};
    } else if (s->whole.at[0] == '.') {
        s->kind = STATEMENT_DIRECTIVE;
        s->mnemonic = (text_piece){s->whole.at, word};
        split_operands(piece_from(s->whole, word), s);
    } else {
        parse_instruction(s->whole, s);
    }
    return true;
}
