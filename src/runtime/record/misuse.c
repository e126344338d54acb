/* Misuse of a recorder: an error that stays, in the recording itself, so that all who read it know. */
#include "base/probe.h"
#include "runtime/record/recorder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void abort_if_asked(const char *what) {
    const char *asked = getenv("PLUMB_ABORT_ON_MISUSE");
    if (!asked || strcmp(asked, "1") != 0) return;
    fprintf(stderr, "plumbline: %s\n", what);
    abort();
}

/* The first one is told. */
bool record_misuse(const recording *m, const char *how, ...) {
    log_header *h = m->header;
    uint64_t before = LOG_USED_RIGHT;
    char what[LOG_MISUSE_TEXT];
    va_list list;
    va_start(list, how);
    vsnprintf(what, sizeof what, how, list);
    va_end(list);
    abort_if_asked(what);
    if (!__atomic_compare_exchange_n(&h->misused, &before, LOG_MISUSE_BEING_TOLD, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        return false;
    memcpy(h->misuse, what, sizeof what);
    __atomic_store_n(&h->misused, LOG_MISUSED, __ATOMIC_SEQ_CST);
    PROBE(misuse, (uintptr_t)h->misuse, h->process);
    return false;
}

const char *recording_misuse(const recording *m) {
    if (!m->header) return NULL;
    switch (__atomic_load_n(&m->header->misused, __ATOMIC_SEQ_CST)) {
    case LOG_USED_RIGHT: return NULL;
    case LOG_MISUSED: return m->header->misuse;
    default: return "the recorder was misused";
    }
}

bool call_misuse(error *e, const char *how, ...) {
    char what[LOG_MISUSE_TEXT];
    va_list list;
    va_start(list, how);
    vsnprintf(what, sizeof what, how, list);
    va_end(list);
    abort_if_asked(what);
    return e && error_set(e, EXIT_USAGE, "%s", what);
}

bool options_have_size(const void *options, const char *call, error *e) {
    if (!options || *(const size_t *)options >= sizeof(size_t)) return true;
    return call_misuse(e, "%s: struct_size of the options is not set; expected their sizeof", call);
}

bool status_has_size(const void *status, const char *call, error *e) {
    if (status && *(const size_t *)status >= sizeof(size_t)) return true;
    return call_misuse(e, "%s: struct_size of the status is not set; expected its sizeof", call);
}
