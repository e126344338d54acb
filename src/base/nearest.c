/* "Did you mean ...?": the nearest name by the number of letters to insert, leave out, change or swap with a
 * neighbour; a word that a name begins with is as near as one letter. */
#include "base/nearest.h"

#include "base/text.h"

#include <assert.h>
#include <string.h>

enum { LONGEST = 40, BEGINNING = 3 };

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static unsigned distance(const char *a, size_t n, const char *b, size_t m) {
    unsigned d[LONGEST + 1][LONGEST + 1];
    assert(n <= LONGEST && m <= LONGEST);
    for (unsigned i = 0; i <= n; i++) d[i][0] = i;
    for (unsigned j = 0; j <= m; j++) d[0][j] = j;
    for (unsigned i = 1; i <= n; i++)
        for (unsigned j = 1; j <= m; j++) {
            unsigned change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(change, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

const char *nearest_name(const char *word, const char *names, size_t *length) {
    size_t n = strlen(word);
    const char *best = NULL;
    unsigned best_distance = (unsigned)(n < 3 ? 1 : n / 3 + 1);
    if (n == 0 || n > LONGEST) return NULL;
    for (const char *w = names; *w;) {
        size_t m = strcspn(w, " ");
        if (m && m <= LONGEST) {
            unsigned d = n >= BEGINNING && m > n && !memcmp(word, w, n) ? 1 : distance(word, n, w, m);
            if (d < best_distance || (d == best_distance && !best)) {
                best = w;
                best_distance = d;
                *length = m;
            }
        }
        w += m + strspn(w + m, " ");
    }
    return best;
}

bool unknown_name(const char *kind, const char *what, size_t length, const char *names, error *e) {
    text word = {0};
    size_t n;
    text_bytes(&word, what, length);
    const char *near = nearest_name(text_str(&word), names, &n);
    text_free(&word);
    if (near) return error_set(e, EXIT_USAGE, "unknown %s '%s'; did you mean '%.*s'?", kind, what, (int)n, near);
    return error_set(e, EXIT_USAGE, "unknown %s '%s'; `plumb %ss` lists them", kind, what, kind);
}
