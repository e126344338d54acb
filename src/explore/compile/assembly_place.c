#include "explore/compile/assembly_place.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void place_set(assembly_place *p, text_piece file, unsigned long line) {
    free(p->name);
    p->name = mem_zero(file.size + 1, 1);
    memcpy(p->name, file.at, file.size);
    p->line = line;
}

static text_piece unquote(text_piece p) {
    return p.size > 1 && p.at[0] == '"' ? (text_piece){p.at + 1, p.size - 2} : p;
}

/* .file 1 "name", and of DWARF 5 .file 1 "directory" "name" [md5 ...] */
void place_note_file(assembly_place *p, text_piece directive) {
    char *end;
    unsigned long n = strtoul(directive.at + strlen(".file"), &end, 10);
    const char *limit = directive.at + directive.size, *first = memchr(directive.at, '"', directive.size);
    if (!first || end > first || n >= PLACE_FILES_MAX) return;
    const char *second = memchr(first + 1, '"', (size_t)(limit - first - 1));
    const char *third = second ? memchr(second + 1, '"', (size_t)(limit - second - 1)) : NULL;
    const char *fourth = third ? memchr(third + 1, '"', (size_t)(limit - third - 1)) : NULL;
    if (!second) return;
    text_piece name = fourth ? (text_piece){third + 1, (size_t)(fourth - third - 1)}
                             : (text_piece){first + 1, (size_t)(second - first - 1)};
    free(p->file[n]);
    p->file[n] = mem_zero(name.size + 1, 1);
    memcpy(p->file[n], name.at, name.size);
}

void place_note_loc(assembly_place *p, text_piece directive) {
    char *end;
    unsigned long file = strtoul(directive.at + strlen(".loc"), &end, 10), line = strtoul(end, NULL, 10);
    if (file < PLACE_FILES_MAX && p->file[file] && line)
        place_set(p, (text_piece){p->file[file], strlen(p->file[file])}, line);
}

bool place_note_marker(assembly_place *p, text_piece line, const char *mark) {
    const size_t skip = strlen(mark);
    if (!piece_starts(line, mark) || line.size < skip + 3 || line.at[skip] != ' ') return false;
    if (!isdigit((unsigned char)line.at[skip + 1])) return false;
    char *end;
    unsigned long number = strtoul(line.at + skip + 1, &end, 10);
    text_piece rest = piece_trim(piece_from(line, (size_t)(end - line.at)));
    const char *close = rest.size > 1 && rest.at[0] == '"' ? memchr(rest.at + 1, '"', rest.size - 1) : NULL;
    if (!close) return false;
    if (close > rest.at + 1 && number)
        place_set(p, unquote((text_piece){rest.at, (size_t)(close - rest.at) + 1}), number);
    return true;
}

void place_complain(const assembly_place *p, text *complaints, text_piece what, const char *why) {
    text_add(complaints, p->name ? p->name : p->source);
    if (p->name) text_printf(complaints, ":%lu", p->line);
    text_printf(complaints, ": %.*s: %s\n", (int)what.size, what.at, why);
}

void place_free(assembly_place *p) {
    for (unsigned i = 0; i < PLACE_FILES_MAX; i++) free(p->file[i]);
    free(p->name);
}
