#include "support/read_text.h"

#include "base/mem.h"
#include "format/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

history *read_bytes(const char *format_name, const void *p, size_t n, bool independent, error *e) {
    read_options options = {.format = format_name ? format_find(format_name) : NULL, .independent = independent};
    input *in = input_memory("test", p, n, e);
    history *h = format_read_input(in, &options, NULL, e);
    input_close(in);
    return h;
}

history *read_text(const char *format_name, const char *content, error *e) {
    return read_bytes(format_name, content, strlen(content), false, e);
}

bool write_bound(const char *format_name, const history *h, const object *o, text *out, error *e) {
    const format *f = format_find(format_name);
    if (!f->write) return error_set(e, EXIT_USAGE, "format %s is read only", f->name);
    output *to = output_to_text(out, e);
    bool good = f->write(h, o, to, e);
    return output_close(to) && good && e->code == 0;
}

bool write_text(const char *format_name, const history *h, text *out, error *e) {
    return write_bound(format_name, h, NULL, out, e);
}

void print_history(const history *h, bool with_clients, text *out) {
    uint32_t *seen = MEM_ARRAY(uint32_t, h->clients), next = 0;
    memset(seen, 0xff, h->clients * sizeof *seen);
    for (uint32_t i = 0; i < h->n; i++) {
        operation op;
        history_operation(h, i, &op);
        if (with_clients) {
            if (seen[op.client] == UINT32_MAX) seen[op.client] = next++;
            text_printf(out, "%u ", seen[op.client]);
        }
        text_printf(out, "%s(", h->method_name[op.method]);
        if (op.key != VALUE_NONE) {
            text_char(out, '@');
            value_print(h->values, op.key, out);
            text_char(out, ' ');
        }
        for (unsigned a = 0; a < op.nargs; a++) {
            if (a) text_char(out, ' ');
            value_print(h->values, op.arg[a], out);
        }
        text_add(out, ") -> ");
        value_print(h->values, op.res, out);
        if (history_pending(h, i)) text_printf(out, " [%u,-]\n", op.call);
        else text_printf(out, " [%u,%u]\n", op.call, op.ret);
    }
    free(seen);
}

const char *data_directory(void) {
    const char *path = getenv("PLUMB_DATA");
    struct stat s;
    if (!path) path = "../shared/data";
    if (stat(path, &s) == 0) return path;
    fprintf(stderr, "skipped: no recorded histories at %s\n", path);
    return NULL;
}
