#include "support/expected.h"

#include "support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_expected(const char *path, text *out) {
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;) text_bytes(out, chunk, n);
    fclose(f);
    return true;
}

static void write_expected(const char *path, const text *found) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text_str(found), 1, found->size, f), found->size);
    fclose(f);
}

/* Where two texts differ first: the number of the line, and where it begins in each. */
static unsigned first_difference(const char **a, const char **b) {
    unsigned line = 1;
    const char *p = *a, *q = *b;
    for (; *p && *p == *q; p++, q++) {
        if (*p != '\n') continue;
        line++;
        *a = p + 1;
        *b = q + 1;
    }
    return line;
}

void is_expected(const char *path, text *found) {
    text expected = {0};
    if (getenv("PLUMB_WRITE_EXPECTED")) write_expected(path, found);
    if (!read_expected(path, &expected)) fail_msg("there is no %s", path);
    if (strcmp(text_str(found), text_str(&expected)) != 0) {
        const char *is = text_str(found), *was = text_str(&expected);
        unsigned line = first_difference(&is, &was);
        fail_msg("%s:%u: expected\n%.*s\nand made now\n%.*s", path, line, (int)strcspn(was, "\n"), was,
                 (int)strcspn(is, "\n"), is);
    }
    text_free(&expected);
    text_free(found);
}
