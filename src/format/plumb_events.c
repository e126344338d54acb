/* The event form of the native text format (plumb_jsonl.c reads both): one line a call, a return, a note, in the
 * order of time. For streams, and for programs that cannot wait for the return of an operation.
 *
 *     {"client":2,"event":"call","op":"enq","args":[7],"time":12}
 *     {"client":2,"event":"return","res":null,"time":31}
 *     {"event":"note","text":"kill n1","time":40,"until":55} */
#include "format/event_order.h"
#include "format/expressible.h"
#include "format/output.h"
#include "format/plumb_jsonl.h"
#include "history/value_map.h"

#include <stdlib.h>

static void write_event(const history *h, uint32_t event, text *out) {
    uint32_t i = event_operation(event);
    text_char(out, '{');
    json_client(h, i, out);
    if (event_is_return(event)) {
        text_add(out, "\"event\":\"return\",\"res\":");
        json_value(h->values, h->res[i], out);
    } else {
        text_add(out, "\"event\":\"call\",");
        json_call(h, i, out);
    }
    if (history_has_times(h) && h->clock != CLOCK_EVENTS) {
        text_add(out, ",\"time\":");
        text_int(out, event_is_return(event) ? history_ret_time(h, i) : history_call_time(h, i));
    }
    text_add(out, "}\n");
}

static void write_info(const history *h, uint32_t i, text *out) {
    text_char(out, '{');
    json_client(h, i, out);
    text_add(out, "\"event\":\"info\"}\n");
}

static void write_notes(const history *h, uint32_t *done, uint32_t rank, text *out) {
    for (; *done < h->annotations && h->annotation[*done].before <= rank; (*done)++) {
        text_add(out, "{\"event\":\"note\",\"text\":");
        json_value(h->values, h->annotation[*done].text, out);
        json_note_times(&h->annotation[*done], out);
    }
}

/* Clients keep their names: one that goes on after a pending operation says so by an info before its next call. */
static bool write_events(const history *h, const object *o, output *out, error *e) {
    if (!values_are_utf8(h, "plumb-events", e) || !results_are_not_words(h, "plumb-events", e)) return false;
    if (!values_are_ordered(h, "plumb-events", true, e) || !no_ties(h, "plumb-events", e)) return false;
    if (!heading_is_utf8(h, o, "plumb-events", e)) return false;
    if (!h->client && !order_is_enough(h, o, "plumb-events", e)) return false;
    event_order *order = event_order_new(h);
    value_map open = {0}; /* by name: the operation that is open */
    uint32_t notes = 0;
    bool good = true;
    json_header(h, o, output_text(out));
    for (uint32_t r = 0; r < order->events && good; r++) {
        if (order->event[r] == EVENT_NONE) continue;
        text *t = output_text(out);
        uint32_t i = event_operation(order->event[r]);
        write_notes(h, &notes, r, t);
        if (h->client) {
            value name = history_client_name(h, i);
            uint32_t before = value_map_find(&open, name);
            if (!event_is_return(order->event[r]) && before != VALUE_MAP_ABSENT) write_info(h, before, t);
            if (before != VALUE_MAP_ABSENT) value_map_remove(&open, name);
            if (!event_is_return(order->event[r])) value_map_add(&open, name, i);
        }
        write_event(h, order->event[r], t);
        good = output_flush(out);
    }
    write_notes(h, &notes, UINT32_MAX, output_text(out));
    event_order_free(order);
    free(open.slot);
    return good;
}

static int never_sniffed(const char *p, size_t n) {
    (void)p, (void)n;
    return 0; /* plumb-jsonl reads both forms */
}

const format format_plumb_events = {
    .name = "plumb-events",
    .summary =
        "plumb-jsonl, one line an event, for streams: {\"client\":2,\"event\":\"call\",\"op\":\"enq\",\"args\":[7]}",
    .suffixes = ".events .events.jsonl",
    .sniff = never_sniffed,
    .read = read_jsonl,
    .write = write_events,
};
