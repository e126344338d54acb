/* Besides what every reader must do: a blank before each line keeps it off the fast way, and changes nothing. */
#include "fuzz_reader.h"

static void indent(const uint8_t *p, size_t n, text *out) {
    text_char(out, ' ');
    for (size_t i = 0; i < n; i++) {
        text_char(out, (char)p[i]);
        if (p[i] == '\n') text_char(out, ' ');
    }
}

static void compare_ways(const uint8_t *p, size_t n) {
    text slow = {0}, a = {0}, b = {0};
    error e[2] = {0};
    indent(p, n, &slow);
    history *h[2] = {fuzz_read("plumb-jsonl", p, n, &e[0]), fuzz_read("plumb-jsonl", slow.at, slow.size, &e[1])};
    fuzz_require(!h[0] == !h[1] && !strcmp(e[0].what, e[1].what));
    if (h[0] && h[1]) {
        print_history(h[0], h[0]->client != NULL, &a);
        print_history(h[1], h[1]->client != NULL, &b);
        fuzz_require(!strcmp(text_str(&a), text_str(&b)));
    }
    history_free(h[0]);
    history_free(h[1]);
    text_free(&slow);
    text_free(&a);
    text_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bool packed = size >= 2 && (data[0] == 0x1f || data[0] == 0x28 || data[1] == 0x2a);
    if (!packed) compare_ways(data, size);
    return fuzz_reader("plumb-jsonl", data, size);
}
