#include "scale/unit.h"

#include "base/mem.h"
#include "engine/self_check.h"

#include <stdio.h>
#include <string.h>

#define UNIT_VERSION 1

void pack_bytes(text *out, const void *p, size_t n) {
    wire_add(out, n, 8);
    if (n) text_bytes(out, p, n);
}

void pack_string(text *out, const char *s) {
    wire_add(out, s != NULL, 1);
    if (s) pack_bytes(out, s, strlen(s));
}

void pack_real(text *out, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    wire_add(out, bits, 8);
}

wire_reader unpack_bytes(wire_reader *r) {
    const uint64_t n = wire_number(r, 8);
    if (n > r->left) r->bad = true;
    return r->bad ? (wire_reader){.bad = true} : wire_bytes(r, (size_t)n);
}

char *unpack_string(wire_reader *r) {
    if (!wire_number(r, 1)) return NULL;
    const wire_reader s = unpack_bytes(r);
    if (r->bad) return NULL;
    char *out = mem_alloc(s.left + 1);
    if (s.left) memcpy(out, s.p, s.left);
    out[s.left] = '\0';
    return out;
}

bool unpack_name(wire_reader *r, char *out, size_t room) {
    const wire_reader s = unpack_bytes(r);
    if (r->bad || s.left >= room || (s.left && memchr(s.p, 0, s.left))) {
        r->bad = true;
        return false;
    }
    if (s.left) memcpy(out, s.p, s.left);
    out[s.left] = '\0';
    return true;
}

double unpack_real(wire_reader *r) {
    const uint64_t bits = wire_number(r, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void pack_name(text *out, const char *s) { pack_bytes(out, s, strlen(s)); }

/* What was packed is understood by those who get it. */
SELF_CHECK static bool unit_arrives(const text *packed, size_t from, const unit *u, size_t size) {
    unit copy;
    return unit_unpack(packed->at + from, packed->size - from, &copy) && !strcmp(copy.kind, u->kind) &&
           !strcmp(copy.run, u->run) && !strcmp(copy.id, u->id) && !strcmp(copy.label, u->label) &&
           copy.blobs == u->blobs && copy.body.left == size;
}

SELF_CHECK static bool result_arrives(const text *packed, size_t from, const unit_result *r, size_t size) {
    unit_result copy;
    return result_unpack(packed->at + from, packed->size - from, &copy) && !strcmp(copy.id, r->id) &&
           !strcmp(copy.worker, r->worker) && copy.state == r->state && copy.body.left == size;
}

void unit_pack(const unit *u, const void *body, size_t size, text *out) {
    SELF_CHECK const size_t from = out->size;
    assert(u->blobs <= UNIT_BLOBS && u->seconds >= 0);
    wire_add(out, UNIT_VERSION, 1);
    pack_name(out, u->kind);
    pack_name(out, u->run);
    pack_name(out, u->id);
    pack_name(out, u->label);
    wire_add(out, u->blobs, 1);
    for (unsigned i = 0; i < u->blobs; i++) pack_name(out, u->blob[i]);
    pack_real(out, u->seconds);
    pack_bytes(out, body, size);
    assert_costly(unit_arrives(out, from, u, size));
}

bool unit_unpack(const void *p, size_t n, unit *out) {
    wire_reader r = {.p = p, .left = n};
    *out = (unit){0};
    if (wire_number(&r, 1) != UNIT_VERSION) return false;
    unpack_name(&r, out->kind, sizeof out->kind);
    unpack_name(&r, out->run, sizeof out->run);
    unpack_name(&r, out->id, sizeof out->id);
    unpack_name(&r, out->label, sizeof out->label);
    out->blobs = (unsigned)wire_number(&r, 1);
    if (out->blobs > UNIT_BLOBS) return false;
    for (unsigned i = 0; i < out->blobs; i++) unpack_name(&r, out->blob[i], sizeof out->blob[i]);
    out->seconds = unpack_real(&r);
    out->body = unpack_bytes(&r);
    assert(r.bad || out->body.left <= n);
    return wire_is_done(&r) && out->seconds >= 0;
}

void result_pack(const unit_result *r, const void *body, size_t size, text *out) {
    SELF_CHECK const size_t from = out->size;
    assert(r->state < RESULT_STATES);
    wire_add(out, UNIT_VERSION, 1);
    pack_name(out, r->id);
    pack_name(out, r->worker);
    wire_add(out, r->state, 1);
    pack_real(out, r->seconds);
    pack_bytes(out, body, size);
    assert_costly(result_arrives(out, from, r, size));
}

bool result_unpack(const void *p, size_t n, unit_result *out) {
    wire_reader r = {.p = p, .left = n};
    *out = (unit_result){0};
    if (wire_number(&r, 1) != UNIT_VERSION) return false;
    unpack_name(&r, out->id, sizeof out->id);
    unpack_name(&r, out->worker, sizeof out->worker);
    const uint64_t found = wire_number(&r, 1);
    out->state = found < RESULT_STATES ? (result_state)found : RESULT_REFUSED;
    out->seconds = unpack_real(&r);
    out->body = unpack_bytes(&r);
    return wire_is_done(&r) && found < RESULT_STATES;
}

void run_log(const char *run, char out[96]) { snprintf(out, 96, "results.%s", run); }
void run_key(const char *run, char out[96]) { snprintf(out, 96, "runs.%s", run); }

bool result_refusal(const unit_result *r, error *e) {
    text all = {0};
    char *why = NULL;
    if (r->body.left) text_bytes(&all, r->body.p, r->body.left);
    const long code = strtol(text_str(&all), &why, 10);
    const bool known = code >= EXIT_USAGE && code <= EXIT_INTERNAL;
    error_set(e, known ? (int)code : EXIT_INTERNAL, "worker %s: %s", r->worker, known && *why == ' ' ? why + 1 : why);
    text_free(&all);
    return false;
}
