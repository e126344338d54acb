#include "observe/pattern_file.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 16, LONGEST = 1 << 16, COUNT_MOST = 8, COUNT_STANDARD = 5 };

typedef struct pattern_reading {
    pattern_set *s;
    pattern *now; /* NULL: none has begun */
    const char *file;
    unsigned line, began; /* where the pattern began */
    char *word[WORDS];
    unsigned words;
    error *e;
} pattern_reading;

/* The operation that found nothing gets the letter that no value has, once all values are known. */
enum { MISS_LATER = PATTERN_LETTERS };

typedef struct operation_kind {
    uint8_t roles, letter;
} operation_kind;

static bool complain(const pattern_reading *r, const char *what, const char *word, const char *expected) {
    return error_set(r->e, EXIT_BAD_INPUT, "%s:%u: %s%s%s%s; expected %s", r->file, r->line, what, word ? " '" : "",
                     word ? word : "", word ? "'" : "", expected);
}

/* ---- operations ---- */

static void list_roles(const char *object, text *out) {
    for (unsigned k = 0; k < PATTERN_ROLES; k++) {
        const char *name = pattern_role_name(object, (pattern_role)k);
        if (!*name) continue;
        text_printf(out, "%s%s%s", out->size ? ", " : "", name, k == DOES_MISS ? "" : "(1)");
    }
}

static bool unknown_operation(const pattern_reading *r, const char *word) {
    text names = {0};
    list_roles(r->s->object, &names);
    complain(r, "unknown operation", word, text_str(&names));
    text_free(&names);
    return false;
}

static bool value_letter(pattern_reading *r, const char *digits, uint8_t *letter) {
    if ((digits[0] != '1' && digits[0] != '2') || digits[1]) return complain(r, "number", digits, "1 or 2");
    *letter = (uint8_t)(digits[0] - '1');
    letter_kind *k = &r->now->letter[*letter];
    if (*k == LETTER_UNUSED) *k = LETTER_VALUE;
    return true;
}

static int role_named(const char *object, const char *name) {
    for (unsigned k = 0; k < PATTERN_ROLES && *name; k++)
        if (!strcmp(pattern_role_name(object, (pattern_role)k), name)) return (int)k;
    return -1;
}

/* "enq|deq(1)": all of them by the same number. */
static bool read_operation(pattern_reading *r, char *word, operation_kind *out) {
    *out = (operation_kind){0};
    if (role_named(r->s->object, word) == DOES_MISS) {
        *out = (operation_kind){.roles = 1u << DOES_MISS, .letter = MISS_LATER};
        return true;
    }
    char *open = strchr(word, '('), *close = open ? strchr(open, ')') : NULL, *rest;
    if (!close || close[1]) return unknown_operation(r, word);
    *open = *close = 0;
    for (char *name = strtok_r(word, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
        int role = role_named(r->s->object, name);
        if (role < 0 || role == DOES_MISS) return unknown_operation(r, name);
        out->roles |= (uint8_t)(1u << role);
    }
    return out->roles ? value_letter(r, open + 1, &out->letter) : unknown_operation(r, "");
}

/* ---- what must be seen ---- */

static bool add_events(pattern_reading *r, operation_kind first, bool second_returns, operation_kind second) {
    pattern *p = r->now;
    if (p->events + 2 > PATTERN_EVENTS)
        return complain(r, "too many lines of before and twice", NULL, "at most four in a pattern");
    p->event[p->events] = (pattern_event){.returns = true, .roles = first.roles, .letter = first.letter};
    p->event[p->events + 1] = (pattern_event){
        .returns = second_returns, .roles = second.roles, .letter = second.letter, .after = (uint8_t)(1u << p->events)};
    p->events = (uint8_t)(p->events + 2);
    return true;
}

static bool read_before(pattern_reading *r) {
    operation_kind first, second;
    if (r->words != 3) return complain(r, "too many words", NULL, "OP before OP");
    return read_operation(r, r->word[0], &first) && read_operation(r, r->word[2], &second) &&
           add_events(r, first, false, second);
}

static bool read_twice(pattern_reading *r) {
    operation_kind k;
    if (r->words != 2) return complain(r, "not one operation", NULL, "twice OP");
    if (!read_operation(r, r->word[1], &k)) return false;
    if (k.letter == MISS_LATER) return complain(r, "two that find nothing", NULL, "one such operation in a pattern");
    return add_events(r, k, true, k);
}

static bool read_values(pattern_reading *r) {
    uint8_t letter = 0;
    if (r->words < 2) return complain(r, "no number", NULL, "values 1, or values 1 2");
    for (unsigned i = 1; i < r->words; i++) {
        if (!value_letter(r, r->word[i], &letter)) return false;
        r->now->letter[letter] = LETTER_VALUES;
    }
    return true;
}

static bool read_blocked(pattern_reading *r) {
    pattern *p = r->now;
    operation_kind k;
    uint8_t letter = 0, covers = 0;
    if (r->words < 4 || strcmp(r->word[2], "by") != 0)
        return complain(r, "by whom is missing", NULL, "OP blocked by 1");
    if (p->blocks == PATTERN_BLOCKED)
        return complain(r, "too many blocked operations", NULL, "at most two in a pattern");
    if (!read_operation(r, r->word[0], &k)) return false;
    if (k.roles & (k.roles - 1)) return complain(r, "either of two is blocked", NULL, "one kind of operation");
    for (unsigned i = 3; i < r->words; i++, covers |= (uint8_t)(1u << letter))
        if (!value_letter(r, r->word[i], &letter)) return false;
    if (p->covers && p->covers != covers)
        return complain(r, "blocked by other numbers than above", NULL, "the same numbers in a pattern");
    p->covers = covers;
    p->blocked[p->blocks++] = (blocked_operation){.role = (uint8_t)__builtin_ctz(k.roles), .letter = k.letter};
    return true;
}

static bool read_count(pattern_reading *r) {
    char *end = NULL;
    unsigned long n = r->words > 1 ? strtoul(r->word[1], &end, 10) : 0;
    bool more = r->words == 4 && !strcmp(r->word[2], "or") && !strcmp(r->word[3], "more");
    if (!end || *end || n < 1 || n > COUNT_MOST || (r->words != 2 && !more))
        return complain(r, "count", r->words > 1 ? r->word[1] : "", "count 1 to count 8, and perhaps: or more");
    r->now->most = (uint8_t)n;
    r->now->most_is_enough = more;
    return true;
}

static bool read_condition(pattern_reading *r) {
    const char *second = r->words > 1 ? r->word[1] : "";
    if (!r->now) return complain(r, "an indented line before the first pattern", NULL, "pattern NAME: SENTENCE");
    if (!strcmp(r->word[0], "twice")) return read_twice(r);
    if (!strcmp(r->word[0], "values")) return read_values(r);
    if (!strcmp(r->word[0], "count")) return read_count(r);
    if (!strcmp(second, "before")) return read_before(r);
    if (!strcmp(second, "blocked")) return read_blocked(r);
    return complain(r, "unknown condition", r->word[0],
                    "OP before OP, twice OP, values N, OP blocked by N, or count N");
}

/* ---- a whole pattern ---- */

static bool can_be_bad(const automaton *a) {
    for (unsigned s = AUTOMATON_START; s < a->states; s++)
        for (unsigned c = 0; c < PATTERN_SYMBOLS; c++)
            if (a->next[s][c] == AUTOMATON_BAD) return true;
    return false;
}

/* It is one operation: where its call is seen as well, its return comes behind that. */
static void order_miss(pattern *p, uint8_t letter) {
    uint8_t calls = 0;
    for (unsigned i = 0; i < p->events; i++)
        if (p->event[i].letter == letter && !p->event[i].returns) calls |= (uint8_t)(1u << i);
    for (unsigned i = 0; i < p->events; i++)
        if (p->event[i].letter == letter && p->event[i].returns) p->event[i].after |= calls;
}

static bool speaks_of_miss(const pattern *p) {
    bool any = false;
    for (unsigned i = 0; i < p->events; i++) any |= p->event[i].letter == MISS_LATER;
    for (unsigned i = 0; i < p->blocks; i++) any |= p->blocked[i].letter == MISS_LATER;
    return any;
}

static bool place_miss(pattern_reading *r) {
    pattern *p = r->now;
    uint8_t free_letter = 0;
    if (!speaks_of_miss(p)) return true;
    while (free_letter < PATTERN_LETTERS && p->letter[free_letter] != LETTER_UNUSED) free_letter++;
    if (free_letter == PATTERN_LETTERS)
        return complain(r, "two numbers of values and an operation that found nothing, in pattern", p->name,
                        "one number then");
    p->letter[free_letter] = LETTER_MISS;
    for (unsigned i = 0; i < p->events; i++)
        if (p->event[i].letter == MISS_LATER) p->event[i].letter = free_letter;
    for (unsigned i = 0; i < p->blocks; i++)
        if (p->blocked[i].letter == MISS_LATER) p->blocked[i].letter = free_letter;
    order_miss(p, free_letter);
    return true;
}

/* The pattern that was read last, checked as a whole. */
static bool is_whole(pattern_reading *r) {
    pattern *p = r->now;
    if (!p->events && !p->blocks)
        return complain(r, "nothing to be seen of pattern", p->name, "at least one condition");
    if (!place_miss(r)) return false;
    if (!p->most) p->most = COUNT_STANDARD;
    automaton *a = MEM_NEW(automaton);
    bool small = automaton_derive(a, p), possible = small && can_be_bad(a);
    free(a);
    if (!small) return complain(r, "too many states for pattern", p->name, "fewer conditions, or a smaller count");
    if (!possible) return complain(r, "no execution has pattern", p->name, "conditions that can all be met");
    return true;
}

/* What is wrong with it is told of the line in which it began. */
static bool end_pattern(pattern_reading *r) {
    const unsigned line = r->line;
    if (!r->now) return true;
    r->line = r->began;
    if (!is_whole(r)) return false;
    r->line = line;
    return true;
}

static bool is_word(const char *s) {
    for (; *s; s++)
        if ((*s < 'a' || *s > 'z') && (*s < '0' || *s > '9') && *s != '_') return false;
    return true;
}

/* It becomes part of comments and of drawings. */
static bool is_harmless(const char *s) {
    if (strstr(s, "*/") || strstr(s, "/*")) return false;
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || *s == '"' || *s == '\\' || *s == 0x7f) return false;
    return true;
}

/* "pattern NAME: SENTENCE", not yet cut into words. */
static bool begin_pattern(pattern_reading *r, char *line) {
    char *name = line + strlen("pattern") + strspn(line + strlen("pattern"), " \t"), *colon = strchr(name, ':');
    if (!colon || colon == name || strcspn(name, " \t") < (size_t)(colon - name))
        return complain(r, "a pattern without its name", NULL, "pattern NAME: SENTENCE");
    if (!r->s->object) return complain(r, "a pattern before the object", NULL, "object queue, say, further up");
    if (r->s->count == PATTERN_SET) return complain(r, "too many patterns", NULL, "at most 16");
    if (!is_harmless(name)) return complain(r, "quotes, backslashes or comments in a pattern's line", NULL, "words");
    *colon = 0;
    for (unsigned i = 0; i < r->s->count; i++)
        if (!strcmp(r->s->at[i].name, name)) return complain(r, "another pattern has the name", name, "a new one");
    r->began = r->line;
    r->now = &r->s->at[r->s->count++];
    *r->now = (pattern){.object = r->s->object, .name = name, .sentence = colon + 1 + strspn(colon + 1, " \t")};
    return true;
}

static bool read_object(pattern_reading *r) {
    pattern_set *known = r->words == 2 ? pattern_set_of(r->word[1]) : NULL;
    pattern_set_free(known);
    if (!known) return complain(r, "object", r->words > 1 ? r->word[1] : "", "queue, stack, register, lock or set");
    if (r->s->object) return complain(r, "a second object", NULL, "one for the whole file");
    r->s->object = mem_string(r->word[1]);
    return true;
}

static bool read_name(pattern_reading *r) {
    if (r->words != 2 || !is_word(r->word[1]) || (*r->word[1] >= '0' && *r->word[1] <= '9') || r->s->name)
        return complain(r, "name", r->words > 1 ? r->word[1] : "", "one word of small letters, once");
    r->s->name = mem_string(r->word[1]);
    return true;
}

/* ---- lines ---- */

static bool cut(pattern_reading *r, char *line) {
    char *rest;
    r->words = 0;
    for (char *w = strtok_r(line, " \t,", &rest); w; w = strtok_r(NULL, " \t,", &rest)) {
        if (r->words == WORDS) return complain(r, "too many words", NULL, "fewer in a line");
        r->word[r->words++] = w;
    }
    return true;
}

static bool read_line(pattern_reading *r, char *line) {
    bool indented = *line == ' ' || *line == '\t';
    line[strcspn(line, "#\r")] = 0;
    for (size_t n = strlen(line); n && (line[n - 1] == ' ' || line[n - 1] == '\t');) line[--n] = 0;
    if (!*line) return true;
    if (!strncmp(line, "pattern", 7) && (line[7] == ' ' || line[7] == '\t'))
        return end_pattern(r) && begin_pattern(r, line);
    if (!cut(r, line)) return false;
    if (indented) return read_condition(r);
    if (!strcmp(r->word[0], "object")) return read_object(r);
    if (!strcmp(r->word[0], "name")) return read_name(r);
    return complain(r, "unknown item", r->word[0], "object, name, pattern, or a condition that is indented");
}

static bool read_lines(pattern_reading *r) {
    for (char *line = r->s->words, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        r->line++;
        if (!read_line(r, line)) return false;
    }
    if (!end_pattern(r)) return false;
    if (!r->s->count) return complain(r, "no pattern", NULL, "pattern NAME: SENTENCE");
    if (!r->s->name) r->s->name = mem_string(r->s->object);
    return true;
}

pattern_set *pattern_file_parse(const char *source, const char *file, error *e) {
    pattern_set *s = MEM_NEW(pattern_set);
    pattern_reading r = {.s = s, .file = file, .e = e};
    s->words = mem_string(source);
    if (read_lines(&r)) return s;
    pattern_set_free(s);
    return NULL;
}

static bool read_whole(const char *path, char *source, error *e) {
    FILE *f = fopen(path, "rb");
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", path, strerror(errno));
    size_t n = fread(source, 1, LONGEST + 1, f);
    bool bad = ferror(f);
    fclose(f);
    if (bad) return error_set(e, EXIT_CANNOT_OPEN, "cannot read %s: %s", path, strerror(errno));
    if (n > LONGEST) return error_set(e, EXIT_BAD_INPUT, "%s: more than 64 KiB; expected bad patterns", path);
    if (memchr(source, 0, n)) return error_set(e, EXIT_BAD_INPUT, "%s: a zero byte in it; expected text", path);
    source[n] = 0;
    return true;
}

pattern_set *pattern_file_open(const char *path, error *e) {
    char *source = mem_alloc(LONGEST + 2);
    pattern_set *s = read_whole(path, source, e) ? pattern_file_parse(source, path, e) : NULL;
    free(source);
    return s;
}

/* ---- printing ---- */

static void print_kind(const pattern *p, unsigned roles, unsigned letter, text *out) {
    const char *between = "";
    for (unsigned k = 0; k < PATTERN_ROLES; k++) {
        if (!(roles >> k & 1)) continue;
        text_printf(out, "%s%s", between, pattern_role_name(p->object, (pattern_role)k));
        between = "|";
    }
    if (roles != 1u << DOES_MISS) text_printf(out, "(%u)", letter + 1);
}

/* Each event that comes behind another is one line with it. */
static void print_events(const pattern *p, text *out) {
    for (unsigned i = 0; i < p->events; i++) {
        const pattern_event *second = &p->event[i];
        if (!second->after) continue;
        const pattern_event *first = &p->event[__builtin_ctz(second->after)];
        if (!first->returns) continue; /* a call and the return of the same operation */
        text_add(out, second->returns ? "  twice " : "  ");
        print_kind(p, first->roles, first->letter, out);
        if (!second->returns) text_add(out, " before ");
        if (!second->returns) print_kind(p, second->roles, second->letter, out);
        text_char(out, '\n');
    }
}

static void print_numbers(unsigned letters, text *out) {
    for (unsigned k = 0; k < PATTERN_LETTERS; k++)
        if (letters >> k & 1) text_printf(out, " %u", k + 1);
    text_char(out, '\n');
}

static void print_blocked(const pattern *p, text *out) {
    for (unsigned i = 0; i < p->blocks; i++) {
        text_add(out, "  ");
        print_kind(p, 1u << p->blocked[i].role, p->blocked[i].letter, out);
        text_add(out, " blocked by");
        print_numbers(p->covers, out);
    }
    if (p->blocks) text_printf(out, "  count %u%s\n", p->most, p->most_is_enough ? " or more" : "");
}

static void print_pattern(const pattern *p, text *out) {
    unsigned many = 0;
    for (unsigned k = 0; k < PATTERN_LETTERS; k++) many |= (unsigned)(p->letter[k] == LETTER_VALUES) << k;
    text_printf(out, "\npattern %s: %s\n", p->name, p->sentence);
    if (many) text_add(out, "  values");
    if (many) print_numbers(many, out);
    print_events(p, out);
    print_blocked(p, out);
}

void pattern_file_print(const pattern_set *s, text *out) {
    text_printf(out, "object %s\n", s->object);
    if (strcmp(s->name, s->object) != 0) text_printf(out, "name %s\n", s->name);
    for (unsigned i = 0; i < s->count; i++) print_pattern(&s->at[i], out);
}
