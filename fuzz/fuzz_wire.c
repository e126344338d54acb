/* A replica must answer, or not listen to, whatever bytes it is sent; and what it keeps can be read by any process that
 * gathers. */
#include "remote/store.h"

#include <stdlib.h>

static void read_all(const replica_store *s) {
    values *t = values_new();
    wire_entry e;
    for (uint32_t i = 0; i < s->logs; i++)
        for (uint64_t k = 0; k < s->log[i].length; k++) wire_read_entry(stored_entry(&s->log[i], k), t, &e);
    values_free(t);
}

static void answers_are_frames(const text *out) {
    enum wire_kind kind;
    uint64_t ticket;
    wire_reader body;
    size_t used = 0;
    while (used < out->size) {
        size_t n = wire_frame(out->at + used, out->size - used, &kind, &ticket, &body);
        if (!n || body.bad) abort();
        used += n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    replica_store s;
    text out = {0};
    enum wire_kind kind;
    uint64_t ticket;
    wire_reader body;
    replica_store_init(&s, 1, 1 << 20);
    bool listens = true;
    for (size_t used; listens && n && (used = wire_frame(p, n, &kind, &ticket, &body)); p += used, n -= used)
        listens = replica_store_answer(&s, kind, ticket, body, &out);
    answers_are_frames(&out);
    read_all(&s);
    text_free(&out);
    replica_store_free(&s);
    return 0;
}
