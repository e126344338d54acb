/* One reader on arbitrary bytes: it either refuses them with one line and exit code 65, or makes a history that the
 * binary format carries unchanged, and that the reader's own format, if it can be written, gives back. */
#ifndef PLUMB_FUZZ_READER_H
#define PLUMB_FUZZ_READER_H

#include "format/format.h"
#include "format/output.h"
#include "support/read_text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static history *fuzz_read(const char *format_name, const void *p, size_t n, error *e) {
    read_options options = {.format = format_find(format_name)};
    input *in = input_memory("fuzz", p, n, e);
    history *h = format_read_input(in, &options, NULL, e);
    input_close(in);
    return h;
}

static void fuzz_require(int condition) {
    if (!condition) abort();
}

static void fuzz_same(const history *a, const history *b) {
    fuzz_require(a->n == b->n && a->pending == b->pending && a->annotations == b->annotations);
    for (uint32_t i = 0; i < a->n; i++)
        fuzz_require(a->call[i] == b->call[i] && a->ret[i] == b->ret[i] && a->nargs[i] == b->nargs[i]);
}

static void fuzz_carry(const history *h) {
    error e = {0};
    text t = {0};
    output *out = output_to_text(&t, &e);
    bool written = format_find("plumb-binary")->write(h, NULL, out, &e);
    fuzz_require(output_close(out) && written);
    history *back = fuzz_read("plumb-binary", t.at, t.size, &e);
    fuzz_require(back != NULL);
    fuzz_same(h, back);
    history_free(back);
    text_free(&t);
}

/* A writer may refuse, but what it writes must read the same. */
static void fuzz_write_and_read(const char *format_name, const history *h) {
    error e = {0};
    text written = {0}, before = {0}, after = {0};
    if (h->n <= 1000 && format_find(format_name)->write && write_text(format_name, h, &written, &e)) {
        history *again = fuzz_read(format_name, text_str(&written), written.size, &e);
        fuzz_require(again != NULL);
        print_history(h, h->client != NULL, &before);
        print_history(again, h->client != NULL, &after);
        fuzz_require(!strcmp(text_str(&before), text_str(&after)));
        history_free(again);
    }
    text_free(&written);
    text_free(&before);
    text_free(&after);
}

static inline int fuzz_reader(const char *format_name, const uint8_t *data, size_t size) {
    error e = {0};
    history *h = fuzz_read(format_name, data, size, &e);
    if (h) {
        fuzz_carry(h);
        fuzz_write_and_read(format_name, h);
    } else fuzz_require(e.code == EXIT_BAD_INPUT && !strchr(e.what, '\n'));
    history_free(h);
    return 0;
}

#endif
