#include "history/builder_inside.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Times that the file gave its events. Where a return comes before a call at one time they do not say the order
 * that the lines say. */
void builder_keep_told_times(builder *b) {
    history *h = b->h;
    if (!b->by_events || !b->told_n || b->told_n != b->clock) return;
    h->call_time.wide = MEM_ARRAY(int64_t, (size_t)h->n + 1);
    h->ret_time.wide = MEM_ARRAY(int64_t, (size_t)h->n + 1);
    uint8_t *returns = mem_zero(b->clock, 1);
    for (uint32_t i = 0; i < h->n; i++) {
        h->call_time.wide[i] = b->told[b->call_time[i]];
        h->ret_time.wide[i] = history_pending(h, i) ? 0 : b->told[b->ret_time[i]];
        if (!history_pending(h, i)) returns[b->ret_time[i]] = 1;
    }
    bool returned = false; /* something did, at this time */
    for (uint32_t k = 0; k < b->clock; k++) {
        if (k && b->told[k] != b->told[k - 1]) returned = false;
        if (!returns[k] && returned) h->clock = CLOCK_SHOWN;
        returned |= returns[k];
    }
    free(returns);
}

/* The event of this rank happened at this tick of the builder's clock: it may be the first behind an annotation. */
static void note_event(const history *h, uint32_t *first, int64_t tick, uint32_t rank) {
    uint32_t low = 0, high = h->annotations; /* annotations below `low` were made no later than the event */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (h->annotation[middle].before <= tick) low = middle + 1;
        else high = middle;
    }
    assert(!low || h->annotation[low - 1].before <= tick);
    assert(low == h->annotations || h->annotation[low].before > tick);
    if (low && rank < first[low - 1]) first[low - 1] = rank;
}

/* From the builder's clock to ranks: an annotation stands before the first event, of an operation that was not dropped,
 * behind it in the file. With stamps the file has no order of returns: the first call counts. */
static void place_by_lines(builder *b) {
    history *h = b->h;
    uint32_t *first = MEM_ARRAY(uint32_t, h->annotations), next = h->events;
    memset(first, 0xff, h->annotations * sizeof *first);
    for (uint32_t i = 0; i < h->n; i++) {
        note_event(h, first, b->by_events ? b->call_time[i] : 2 * (int64_t)history_number(h, i), h->call[i]);
        if (b->by_events && !history_pending(h, i)) note_event(h, first, b->ret_time[i], h->ret[i]);
    }
    for (uint32_t a = h->annotations; a-- > 0;) {
        if (first[a] < next) next = first[a];
        h->annotation[a].before = next;
    }
    free(first);
}

static int by_time(const void *a, const void *b) {
    const annotation *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : (x->text > y->text) - (x->text < y->text);
}

static void place_event(annotation *note, uint32_t n, int64_t stamp, uint32_t rank) {
    uint32_t low = 0, high = n; /* notes below `low` were made no later than the event */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (note[middle].time <= stamp) low = middle + 1;
        else high = middle;
    }
    if (low && rank < note[low - 1].before) note[low - 1].before = rank;
}

/* Whole operations have no order of lines: a note that says its time stands before the first event that is not
 * earlier. */
static void place_by_times(history *h) {
    uint32_t n = 0;
    annotation *note = MEM_ARRAY(annotation, (size_t)h->annotations + 1);
    for (uint32_t a = 0; a < h->annotations; a++)
        if (h->annotation[a].timed) note[n++] = h->annotation[a];
    qsort(note, n, sizeof *note, by_time);
    for (uint32_t a = 0; a < n; a++) note[a].before = h->events;
    for (uint32_t i = 0; i < h->n && n; i++) {
        place_event(note, n, history_call_time(h, i), h->call[i]);
        if (!history_pending(h, i)) place_event(note, n, history_ret_time(h, i), h->ret[i]);
    }
    for (uint32_t a = n; a-- > 1;)
        if (note[a].before < note[a - 1].before) note[a - 1].before = note[a].before;
    annotation *line = MEM_ARRAY(annotation, (size_t)h->annotations + 1);
    uint32_t lines = 0, at = 0, k = 0;
    for (uint32_t a = 0; a < h->annotations; a++)
        if (!h->annotation[a].timed) line[lines++] = h->annotation[a];
    for (uint32_t a = 0; a < h->annotations; a++) {
        bool next_line = at < lines && (k == n || line[at].before <= note[k].before);
        h->annotation[a] = next_line ? line[at++] : note[k++];
    }
    free(line);
    free(note);
}

void builder_place_notes(builder *b) {
    if (!b->h->annotations) return;
    place_by_lines(b);
    if (history_has_stamps(b->h) && b->by_operations) place_by_times(b->h);
}
