#include "base/words.h"

#include <string.h>

int words_find(const char *words, const char *word, size_t length) {
    int index = 0;
    for (const char *w = words; w && *w; index++) {
        size_t n = strcspn(w, " ");
        if (n == length && memcmp(w, word, n) == 0) return index;
        w += n + strspn(w + n, " ");
    }
    return -1;
}
