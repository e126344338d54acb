/* A log is mostly cursors and references, of which arbitrary bytes hit none. So the bytes are also taken as changes of
 * single words of a small log that is right: two bytes say which word (of those that are not all zero), eight what it
 * becomes. */
#include "fuzz_reader.h"

static const char small[] =
    "{\"plumb\":\"history/1\",\"object\":\"queue\"}\n"
    "{\"client\":1,\"op\":\"enq\",\"args\":[7],\"call\":1,\"ret\":2,\"res\":null}\n"
    "{\"client\":2,\"op\":\"enq\",\"args\":[\"a longer string\"],\"call\":1,\"ret\":5,\"res\":null}\n"
    "{\"client\":1,\"op\":\"deq\",\"args\":[],\"call\":3,\"ret\":6,\"res\":[1,[2,9223372036854775807],\"x\"]}\n"
    "{\"client\":3,\"op\":\"deq\",\"args\":[],\"call\":4,\"ret\":null,\"res\":null}\n";

typedef struct right_log {
    text t;
    uint32_t *word; /* that are not zero */
    uint32_t words;
} right_log;

static const right_log *make_log(void) {
    static right_log log;
    if (log.word) return &log;
    error e = {0};
    history *h = read_text("plumb-jsonl", small, &e);
    fuzz_require(h && write_text("plumb-log", h, &log.t, &e));
    history_free(h);
    log.word = malloc(log.t.size / 8 * sizeof *log.word);
    for (uint32_t i = 0; i < log.t.size / 8; i++) {
        uint64_t w;
        memcpy(&w, log.t.at + 8 * (size_t)i, 8);
        if (w) log.word[log.words++] = i;
    }
    return &log;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { CHANGE = 10, MOST = 8 };
    const right_log *log = make_log();
    fuzz_reader("plumb-log", data, size);
    char *copy = malloc(log->t.size);
    memcpy(copy, log->t.at, log->t.size);
    for (size_t at = 0; at + CHANGE <= size && at < MOST * CHANGE; at += CHANGE) {
        uint32_t which = (uint32_t)(data[at] | data[at + 1] << 8) % (log->words * 2),
                 word = log->word[which / 2] + (which & 1);
        /* the word, or the one behind it */
        if (word < log->t.size / 8) memcpy(copy + 8 * (size_t)word, data + at + 2, 8);
    }
    fuzz_reader("plumb-log", (const uint8_t *)copy, log->t.size);
    free(copy);
    return 0;
}
