/* What coordinators and workers send: units of work, results, notes about workers and runs. Bytes from other machines:
 * nothing that is read is trusted (remote/wire.h). */
#ifndef PLUMB_SCALE_UNIT_H
#define PLUMB_SCALE_UNIT_H

#include "base/error.h"
#include "base/sha256.h"
#include "remote/wire.h"

enum { UNIT_BLOBS = 4, UNIT_TRIES = 3, UNIT_INLINE = 128 << 10 };

typedef struct unit {
    char kind[16];                     /* what to do with it: "check", "explore" */
    char run[64];                      /* its run's name */
    char id[24];                       /* of it within the run */
    char label[200];                   /* for people: the file, the test program */
    char blob[UNIT_BLOBS][SHA256_HEX]; /* contents that it needs (remote/blobs.h) */
    unsigned blobs;
    double seconds;   /* it is ended after so long; 0: never */
    wire_reader body; /* of its kind; not owned */
} unit;

void unit_pack(const unit *u, const void *body, size_t size, text *out);
bool unit_unpack(const void *p, size_t n, unit *out); /* `body` points into p */

typedef enum result_state {
    RESULT_DONE,
    RESULT_SET_ASIDE, /* it ended its workers as often as UNIT_TRIES */
    RESULT_REFUSED,   /* the worker cannot do it: the body says why */
    RESULT_STATES,
} result_state;

typedef struct unit_result {
    char id[24], worker[64];
    result_state state;
    double seconds; /* of work */
    wire_reader body;
} unit_result;

/* Of a result that is a refusal: "65 why". */
bool result_refusal(const unit_result *r, error *e); /* false, with the error set */
void result_pack(const unit_result *r, const void *body, size_t size, text *out);
bool result_unpack(const void *p, size_t n, unit_result *out);

/* Texts and numbers in bodies, for those who make them. */
void pack_bytes(text *out, const void *p, size_t n);
void pack_string(text *out, const char *s); /* NULL is told from "" */
void pack_real(text *out, double x);
wire_reader unpack_bytes(wire_reader *r);
char *unpack_string(wire_reader *r); /* the caller's; NULL: that was packed */
bool unpack_name(wire_reader *r, char *out, size_t room);
double unpack_real(wire_reader *r);

/* The log of a run's results, and the key of its state. */
void run_log(const char *run, char out[96]);
void run_key(const char *run, char out[96]);

#endif
