#include "monitor/journal.h"

#include <assert.h>

/* Events by time; calls by number; what ends was called in here. */
#ifdef PLUMB_SELF_CHECKS
static void check_entry(const journal *j, journal_kind kind, const monitored *op, moment at) {
    bool called = false;
    for (uint32_t c = j->calls; c-- > 0 && !called;) called = j->op[c].number == op->number;
    assert(called == (kind != JOURNAL_CALL));
    assert(!j->n || j->entry[j->n - 1].at <= at);
    assert(kind != JOURNAL_CALL || !j->calls || j->op[j->calls - 1].number < op->number);
}
#else
static void check_entry(const journal *j, journal_kind kind, const monitored *op, moment at) {
    (void)j, (void)kind, (void)op, (void)at;
}
#endif

journal *journal_new(void) { return MEM_NEW(journal); }

void journal_free(journal *j) {
    if (!j) return;
    free(j->entry);
    free(j->op);
    free(j);
}

void journal_clear(journal *j) { j->n = j->calls = 0; }

bool journal_add(journal *j, journal_kind kind, const monitored *op, moment at) {
    if (j->n == JOURNAL_MOST) return false;
    check_entry(j, kind, op, at);
    if (j->n == j->room) {
        j->room = j->room ? 2 * j->room : 16;
        j->entry = MEM_GROW(j->entry, journal_entry, j->room);
    }
    if (kind == JOURNAL_CALL && j->calls == j->call_room) {
        j->call_room = j->call_room ? 2 * j->call_room : 16;
        j->op = MEM_GROW(j->op, monitored, j->call_room);
    }
    j->entry[j->n++] = (journal_entry){.number = op->number, .at = at, .res = op->res, .call = j->calls, .kind = kind};
    if (kind == JOURNAL_CALL) j->op[j->calls++] = *op;
    assert(j->n <= j->room && j->calls <= j->call_room && j->calls <= j->n);
    return true;
}

size_t journal_memory(const journal *j) {
    return j ? sizeof *j + j->room * sizeof *j->entry + j->call_room * sizeof *j->op : 0;
}
