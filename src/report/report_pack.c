#include "report/report_pack.h"

#include "base/mem.h"
#include "base/printable.h"
#include "scale/unit.h"

#include <stdlib.h>
#include <string.h>

/* What comes from another machine is printed here: it is made printable when it is read (base/printable.h), but for
 * names of files, which are when they are printed. One list of what there is, walked by writer and reader alike: they
 * cannot disagree about the order. */
typedef struct packer {
    text *out; /* NULL: reading */
    wire_reader *in;
} packer;

static void number(packer *p, void *field, unsigned size) {
    uint64_t n = 0;
    if (p->out) memcpy(&n, field, size);
    if (p->out) wire_add(p->out, n, size);
    else n = wire_number(p->in, size);
    if (!p->out) memcpy(field, &n, size);
}

static void seconds(packer *p, double *field) {
    number(p, field, sizeof *field);
    if (!p->out && !(*field >= 0 && *field < 1e15)) *field = 0;
}

/* Its lines stay. */
static void add_printable(text *out, const char *s, size_t n) {
    char piece[PRINTABLE_PIECE];
    for (size_t used; n; s += used, n -= used) {
        if (*s == '\n') {
            text_char(out, '\n');
            used = 1;
        } else text_bytes(out, piece, printable_piece(s, n, piece, &used));
    }
}

static char *unpack_printable(wire_reader *in) {
    char *raw = unpack_string(in);
    if (!raw) return NULL;
    text t = {0};
    text_printable(&t, raw);
    free(raw);
    raw = mem_string(text_str(&t));
    text_free(&t);
    return raw;
}

static void truth(packer *p, bool *field) {
    uint8_t n = *field;
    number(p, &n, 1);
    *field = n != 0;
}

static void string(packer *p, char **field) {
    if (p->out) {
        pack_string(p->out, *field);
        return;
    }
    free(*field);
    *field = unpack_string(p->in);
}

static void words(packer *p, text *field) {
    if (p->out) {
        pack_bytes(p->out, text_str(field), field->size);
        return;
    }
    const wire_reader s = unpack_bytes(p->in);
    text_clear(field);
    if (s.left) add_printable(field, (const char *)s.p, s.left);
}

/* A word for people. */
static void name(packer *p, char **field) {
    if (p->out) {
        pack_string(p->out, *field);
        return;
    }
    free(*field);
    *field = unpack_printable(p->in);
}

/* The writer's are constants; the reader's belong to the report. */
static void constant(packer *p, const char **field, char **owner) {
    if (p->out) {
        pack_string(p->out, *field);
        return;
    }
    *owner = unpack_printable(p->in);
    *field = *owner;
}

static void numbers(packer *p, uint32_t **field, uint32_t n) {
    bool there = *field != NULL;
    truth(p, &there);
    if (!there) return;
    if (!p->out) {
        if (n > p->in->left / sizeof **field) p->in->bad = true;
        if (p->in->bad) return;
        *field = MEM_ARRAY(uint32_t, n);
    }
    for (uint32_t i = 0; i < n; i++) number(p, &(*field)[i], sizeof **field);
}

static void failure(packer *p, error *e) {
    char *what = e->what;
    number(p, &e->code, sizeof e->code);
    if (p->out) {
        pack_string(p->out, what);
        return;
    }
    what = unpack_string(p->in);
    copy_printable(e->what, sizeof e->what, what ? what : "");
    if (e->code && (e->code < EXIT_USAGE || e->code > EXIT_INTERRUPTED)) e->code = EXIT_INTERNAL; /* an exit status */
    free(what);
}

static void evidence(packer *p, report *r) {
    truth(p, &r->witness_checked);
    truth(p, &r->has_witness);
    number(p, &r->witness_n, sizeof r->witness_n);
    numbers(p, &r->witness, r->witness_n);
    numbers(p, &r->begins, r->witness_n);
    numbers(p, &r->ends, r->witness_n);
    words(p, &r->together);
    words(p, &r->task);
    truth(p, &r->has_core);
    number(p, &r->core_n, sizeof r->core_n);
    numbers(p, &r->core, r->core_n);
    number(p, &r->core_cut_operation, sizeof r->core_cut_operation);
    truth(p, &r->core_cut_returns);
    number(p, &r->core_cut, sizeof r->core_cut);
    truth(p, &r->core_minimal);
    constant(p, &r->core_checked_by, &r->unpacked[2]);
    words(p, &r->diagram);
    words(p, &r->sentences);
}

static void measurement(packer *p, report *r) {
    truth(p, &r->measured);
    truth(p, &r->bounded);
    number(p, &r->measure_low, sizeof r->measure_low);
    number(p, &r->measure_high, sizeof r->measure_high);
    number(p, &r->forced_n, sizeof r->forced_n);
    numbers(p, &r->forced, r->forced_n);
    number(p, &r->ahead_n, sizeof r->ahead_n);
    numbers(p, &r->ahead, r->ahead_n);
    number(p, &r->overtaken_n, sizeof r->overtaken_n);
    numbers(p, &r->overtaken, r->overtaken_n);
}

static void whole(packer *p, report *r) {
    uint8_t verdict_number = (uint8_t)r->verdict;
    string(p, &r->file);
    failure(p, &r->error);
    constant(p, &r->format, &r->unpacked[0]);
    name(p, &r->object);
    constant(p, &r->engine, &r->unpacked[1]);
    name(p, &r->criterion);
    truth(p, &r->relaxed);
    number(p, &r->operations, sizeof r->operations);
    number(p, &r->pending, sizeof r->pending);
    number(p, &r->sample, sizeof r->sample);
    number(p, &r->digest, sizeof r->digest);
    number(p, &r->parts, sizeof r->parts);
    number(p, &r->steps, sizeof r->steps);
    number(p, &verdict_number, 1);
    r->verdict = (verdict)verdict_number;
    words(p, &r->reason);
    seconds(p, &r->seconds);
    seconds(p, &r->evidence_seconds);
    seconds(p, &r->read_seconds);
    evidence(p, r);
    number(p, &r->prefix, sizeof r->prefix);
    measurement(p, r);
    words(p, &r->talk);
}

void report_pack(const report *r, text *out) { whole(&(packer){.out = out}, (report *)(uintptr_t)r); }

/* ---- what those who print rely on ---- */

/* None at all only where none are counted. */
static bool are_numbers(const uint32_t *number, uint32_t n) {
    if (n && !number) return false;
    for (uint32_t i = 0; i < n; i++)
        if (number[i] == UNKNOWN_COUNT) return false;
    return true;
}

static bool counts_fit(const report *r) {
    const bool counted = r->operations != UNKNOWN_COUNT;
    if (r->error.code) return true;
    return r->verdict == VERDICT_UNDECIDED ? r->reason.size && (!counted || r->pending <= r->operations)
                                           : counted && r->pending <= r->operations;
}

static bool evidence_fits(const report *r) {
    return are_numbers(r->witness, r->witness_n) && are_numbers(r->core, r->core_n) &&
           (!r->has_core || (r->core_n && r->core_n <= r->operations)) && !r->begins == !r->ends &&
           (!r->begins || r->witness);
}

static bool measurement_fits(const report *r) {
    return (!r->bounded || r->measure_low <= r->measure_high) && are_numbers(r->forced, r->forced_n) &&
           are_numbers(r->ahead, r->ahead_n) && are_numbers(r->overtaken, r->overtaken_n);
}

report *report_unpack(wire_reader *from) {
    report *r = report_new("");
    whole(&(packer){.in = from}, r);
    const bool known =
        r->verdict == VERDICT_LINEARIZABLE || r->verdict == VERDICT_VIOLATION || r->verdict == VERDICT_UNDECIDED;
    if (wire_is_done(from) && known && r->file && r->criterion && counts_fit(r) && evidence_fits(r) &&
        measurement_fits(r))
        return r;
    report_free(r);
    return NULL;
}
