/* Certificates: a history and the evidence for its verdict in one file, so that anyone can check the answer again
 * without the engines that found it. JSON Lines:
 *
 *     {"plumb":"certificate/3","object":"queue","init":null,"verdict":"violation","operations":4,"history":"05bf..."}
 *         the last is the name of the history, as `plumb check` prints it (history_digest.h);
 *         and "criterion":"quasi(2)" where that is not linearizable
 *     {"client":2,"op":"enq","args":[7],"call":12,"ret":31,"res":null}              every operation, by its number
 *     {"witness":[0,2,1]}                        linearizable: the order, as numbers; may go on in further lines
 *     {"begins":[0,0,1]} {"ends":[0,1,1]}        of criteria by which operations take effect together: in which steps;
 *     -1: never {"assumed":[[3,7]]}                        what pending operations in it are assumed to return
 *     {"move":0,"cut":null,"keep":[0,1,3]}       violation: the moves that lead to the core (core.h)
 *         and "settled":7 behind the number where the object begins with that initial value from then on
 *     {"end":"a7f2..."}                          a checksum of all lines before
 *
 * Values are exact: integers, booleans, null for none, arrays for tuples, strings, and {"is":"empty"}, {"is":"full"},
 * {"hex":"ff"} for bytes that are not UTF-8; since version 2 any number, {"set":[...]} and {"map":[key,value,...]}.
 * Keys of keyed objects are the first argument. Versions before 3 do not name their history. */
#ifndef PLUMB_EVIDENCE_CERTIFICATE_H
#define PLUMB_EVIDENCE_CERTIFICATE_H

#include "evidence/judge.h"
#include "format/input.h"
#include "format/output.h"

#define CERTIFICATE_KIND "certificate/3"
#define CERTIFICATE_KIND_2 "certificate/2" /* read, not written */
#define CERTIFICATE_KIND_1 "certificate/1"

/* An undecided judgement has nothing to certify: that is an error (exit code 2). */
bool certificate_write(const char *path, const history *h, const object *o, const judgement *j, error *e);
bool certificate_write_to(output *out, const history *h, const object *o, const judgement *j, error *e);

typedef struct certificate {
    history *h;
    object *o; /* bound to h */
    verdict verdict;
    witness witness; /* linearizable */
    core core;       /* violation: op, cut and the moves */
    bool intact;     /* the checksum is right */
    bool named;      /* it says of which history it is: */
    uint64_t name;
} certificate;

/* False with the error set (65, 66) when this is no well-formed certificate. Nothing is checked yet. The object must
 * be built in, or defined by the plug-in `trusted` (NULL: none): a certificate does not choose which code is run. */
bool certificate_read(input *in, const char *trusted, certificate *out, error *e);
void certificate_free(certificate *c);

/* A certificate names a built-in object, or the one that the plug-in the reader trusts defines: never code of its own
 * choice. NULL with the error set, in line `line` (0: none) of `file`. */
object *certificate_open_object(const char *file, uint32_t line, const char *trusted, const char *name,
                                const char *init, error *e);

/* What is said, and returned, of a right certificate whose history has no operations. */
int certify_nothing(text *report);
/* "register from 0" */
void certify_say_object(const object *o, text *report);

/* Checks what was read; returns and reports as `certify` does. */
int certificate_check(const certificate *c, text *report);

/* Reads a certificate and checks it with the independent checkers only (witness_check, core_check_moves, the oracle and
 * the retrial), in time linear in its size, times the ways in which things can stand at one moment of a core. Returns
 * the exit code, and in `report` one line:
 *
 *     0   holds: what is proven          1   refused: why              2   undecided: the core took too much time or
 *     memory 65, 66, 70   no certificate, cannot be read: `e` is set, the report is empty */
int certify(const char *path, const char *trusted, text *report, error *e);
/* The same, and refused (1) unless it is about the history in that file (history_digest.h): the certificate holds its
 * history, so that one written before there were digests is tied as well. */
int certify_history(const char *path, const char *history_path, const char *trusted, text *report, error *e);
/* A history by its digest, and the object it is of. */
typedef struct named_history {
    uint64_t digest;
    const char *object, *init;
} named_history;
/* False: the file at `path` says another initial value than the certificate; the report is only that. */
bool certify_init(const char *inside, const char *outside, const char *path, text *report);
/* Is it that of the file? A line more in the report, or only one: refused. */
int certify_tie(const named_history *inside, const char *history_path, const char *trusted, text *report, error *e);
int certify_input(input *in, const char *trusted, text *report, error *e);

/* Detects accidents and careless edits, not forgers: what a certificate claims is checked by other means. */
#define CHECKSUM_START UINT64_C(0xcbf29ce484222325)
uint64_t certificate_checksum(uint64_t sum, const void *p, size_t n);

#endif
