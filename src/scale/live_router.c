#include "scale/live_router.h"

#include <string.h>

#define EVERY_PART UINT32_MAX

typedef struct live_line { /* what matters of it */
    bool call, ends, everywhere, keyed, named;
    value client, key;
} live_line;

void live_router_init(live_router *r, uint32_t part, uint32_t parts) {
    *r = (live_router){.part = part, .parts = parts, .names = values_new()};
    assert(part < parts);
}

void live_router_free(live_router *r) {
    values_free(r->names);
    free(r->open.slot);
    tokens_free(&r->t);
    text_free(&r->key);
    *r = (live_router){0};
}

static bool is(const token *k, const char *what) {
    return k->kind == TOKEN_STRING && k->size == strlen(what) && !memcmp(k->at, what, k->size);
}

static bool take_event(live_router *r, const token *k, live_line *out) {
    out->call = is(k, "call");
    out->ends = is(k, "return") || is(k, "fail") || is(k, "info");
    out->everywhere = is(k, "note");
    return tokens_skip(&r->t, k);
}

static bool take_field(live_router *r, const token *name, live_line *out) {
    const bool client = is(name, "client"), key = is(name, "key"), event = is(name, "event");
    const bool header = is(name, "plumb") || is(name, "format") || is(name, "annotation");
    token k;
    if (!tokens_skip(&r->t, name) || tokens_next(&r->t, &k) == TOKEN_WRONG) return false;
    if (header) out->everywhere = true;
    if (event) return take_event(r, &k, out);
    if (!client && !key) return tokens_skip(&r->t, &k);
    if (client) out->named = true;
    else out->keyed = true;
    return tokens_value(&r->t, &k, r->names, false, client ? &out->client : &out->key);
}

static bool read_line(live_router *r, const char *p, size_t n, live_line *out) {
    token k;
    tokens_init_line(&r->t, DIALECT_JSON, p, n, 1);
    if (tokens_next(&r->t, &k) != TOKEN_MAP) return false;
    while (tokens_next(&r->t, &k) != TOKEN_CLOSE)
        if (k.kind == TOKEN_END || k.kind == TOKEN_WRONG || !take_field(r, &k, out)) return false;
    return true;
}

/* By its text: the numbers of values differ from process to process. */
static uint32_t part_of_key(live_router *r, value key) {
    text_clear(&r->key);
    value_print(r->names, key, &r->key);
    return (uint32_t)(hash_mix(hash_bytes(text_str(&r->key), r->key.size)) % r->parts);
}

static uint32_t part_of(live_router *r, const char *p, size_t n) {
    live_line line = {0};
    if (!read_line(r, p, n, &line)) return 0;
    if (line.call && line.named) {
        const uint32_t part = line.keyed ? part_of_key(r, line.key) : 0;
        if (value_map_find(&r->open, line.client) != VALUE_MAP_ABSENT) value_map_remove(&r->open, line.client);
        value_map_add(&r->open, line.client, part);
        return part;
    }
    if (line.ends && line.named) {
        const uint32_t part = value_map_find(&r->open, line.client);
        if (part != VALUE_MAP_ABSENT) value_map_remove(&r->open, line.client);
        return part == VALUE_MAP_ABSENT ? 0 : part;
    }
    return line.everywhere ? EVERY_PART : 0;
}

void live_router_sort(live_router *r, const char *p, size_t n, text *out) {
    for (const char *end = p + n; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const size_t length = stop ? (size_t)(stop - p) : (size_t)(end - p);
        const uint32_t part = !length ? EVERY_PART : r->parts == 1 ? 0 : part_of(r, p, length);
        if (length && (part == r->part || part == EVERY_PART)) {
            text_bytes(out, p, length);
            text_char(out, '\n');
        }
        p += length + (stop != NULL);
    }
}
