#include "evidence/certificate.h"

#include "base/mem.h"
#include "evidence/compact.h"
#include "evidence/history_digest.h"
#include "evidence/oracle.h"
#include "evidence/retrial.h"
#include "evidence/witness_check.h"
#include "format/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ORACLE_STEPS = 3000000 };
static const retrial_limits LARGE_CORES = {.steps = 300000000, .memory = (size_t)2 << 30};

static int refuse(text *report, const char *why) {
    text_printf(report, "refused: %s\n", why);
    return EXIT_VIOLATION;
}

int certify_nothing(text *report) {
    text_add(report, "undecided: nothing was judged (the certificate's history has no operations)\n");
    return EXIT_UNDECIDED;
}

void certify_say_object(const object *o, text *report) {
    text_add(report, o->name);
    if (!o->init_text) return;
    text_add(report, " from ");
    text_printable(report, o->init_text);
}

static int certify_witness(const certificate *c, text *report) {
    text why = {0};
    if (!c->h->n) return certify_nothing(report);
    int code = EXIT_LINEARIZABLE;
    if (!witness_keeps_own_order(c->h, &c->witness)) text_add(&why, "the witness swaps two operations of one client");
    else if (c->h->ties && c->o->type->together)
        text_add(&why, "operations of one client touch at a stamp, and could meet in one step");
    else witness_check(c->h, c->o, &c->witness, &why);
    if (!why.size) {
        text_printf(report, "holds: %u operations of object ", c->h->n);
        certify_say_object(c->o, report);
        text_add(report, " are ");
        criterion_print(&c->o->criterion, report);
        text_add(report, ": the witness was replayed and keeps the order of time\n");
    } else {
        code = refuse(report, text_str(&why));
    }
    text_free(&why);
    return code;
}

static void say_criterion(const certificate *c, text *report) {
    if (c->o->criterion.kind == CRITERION_LINEARIZABLE) return;
    text_add(report, " of ");
    criterion_print(&c->o->criterion, report);
}

/* By the oracle where it can; what is too much for it is seldom too much for the retrial. */
static oracle_answer decide_core(const certificate *c) {
    history *only = history_select(c->h, c->core.op, c->core.n, c->core.cut);
    object begun = core_object(c->o, &c->core);
    oracle_answer answer = oracle_linearizable(&begun, only, ORACLE_STEPS);
    if (answer == ORACLE_GAVE_UP) answer = retrial_linearizable(&begun, only, &LARGE_CORES);
    history_free(only);
    return answer;
}

static int certify_violation(const certificate *c, text *report) {
    switch (decide_core(c)) {
    case ORACLE_YES:
        text_add(report, "refused: the core is ");
        criterion_print(&c->o->criterion, report);
        text_char(report, '\n');
        return EXIT_VIOLATION;
    case ORACLE_GAVE_UP:
        text_printf(report,
                    "undecided: the core comes from the history by allowed moves, but its %u operations overlap too "
                    "much to be decided again\n",
                    c->core.n);
        return EXIT_UNDECIDED;
    case ORACLE_NO: break;
    }
    text_printf(report, "holds: %u operations of object ", c->h->n);
    certify_say_object(c->o, report);
    text_add(report, " are a violation");
    say_criterion(c, report);
    text_printf(report, ": their core, %u of them, was retraced and decided again\n", c->core.n);
    return EXIT_LINEARIZABLE;
}

static int certify_core(const certificate *c, text *report) {
    text why = {0};
    int code =
        core_check_moves(c->h, c->o, &c->core, &why) ? certify_violation(c, report) : refuse(report, text_str(&why));
    text_free(&why);
    return code;
}

int certificate_check(const certificate *c, text *report) {
    if (!c->intact) return refuse(report, "the file was changed after it was written: the checksum is wrong");
    if (c->named && c->name != history_digest(c->h, c->o))
        return refuse(report, "it names another history than the one it has");
    if (c->verdict == VERDICT_LINEARIZABLE)
        return c->core.moves ? refuse(report, "it says linearizable, but has a core") : certify_witness(c, report);
    return c->witness.n ? refuse(report, "it says violation, but has a witness") : certify_core(c, report);
}

static int certify_lines(input *in, const char *trusted, const char *history_path, text *report, error *e);

int certify_input(input *in, const char *trusted, text *report, error *e) {
    return compact_is(in) ? compact_certify(in, trusted, NULL, report, e) : certify_lines(in, trusted, NULL, report, e);
}

/* The history of a file, as the certificate's object sees it. */
typedef struct outside_history {
    uint64_t digest;
    char *init; /* what the file says of this object; NULL: nothing */
} outside_history;

static bool look_at_file(const char *path, const char *trusted, const named_history *like, outside_history *out,
                         error *e) {
    history *h = format_read(path, NULL, NULL, e);
    object *again = h ? certificate_open_object(path, 0, trusted, like->object, like->init, e) : NULL;
    bool good = again && object_bind(again, h, path, e);
    const char *init = good ? history_init(h, like->object, NULL) : NULL;
    if (good) *out = (outside_history){history_digest(h, again), init ? mem_string(init) : NULL};
    object_close(again);
    history_free(h);
    return good;
}

bool certify_init(const char *inside, const char *outside, const char *path, text *report) {
    if (!outside || (inside && !strcmp(inside, outside))) return true;
    text_clear(report);
    text_add(report, "refused: it is about the initial value ");
    if (inside) text_printable(report, inside);
    else text_add(report, "that there is without one");
    text_add(report, ", and ");
    text_printable(report, path);
    text_add(report, " says ");
    text_printable(report, outside);
    text_char(report, '\n');
    return false;
}

static void say_tie(const named_history *inside, const char *path, uint64_t outside, text *report) {
    text name = {0};
    text_printable(&name, path);
    if (inside->digest == outside) {
        text_printf(report, "the history is that of %s: %016" PRIx64 "\n", text_str(&name), outside);
    } else {
        text_clear(report);
        text_printf(report, "refused: it is about another history: %016" PRIx64 ", and %s is %016" PRIx64 "\n",
                    inside->digest, text_str(&name), outside);
    }
    text_free(&name);
}

int certify_tie(const named_history *inside, const char *history_path, const char *trusted, text *report, error *e) {
    outside_history outside = {0};
    if (!look_at_file(history_path, trusted, inside, &outside, e)) return e->code;
    bool same = inside->digest == outside.digest;
    if (!same || certify_init(inside->init, outside.init, history_path, report))
        say_tie(inside, history_path, outside.digest, report);
    else same = false;
    free(outside.init);
    return same ? EXIT_LINEARIZABLE : EXIT_VIOLATION;
}

static int certify_lines(input *in, const char *trusted, const char *history_path, text *report, error *e) {
    certificate c;
    int code = certificate_read(in, trusted, &c, e) ? certificate_check(&c, report) : e->code;
    if (!e->code && code == EXIT_LINEARIZABLE && history_path) {
        named_history inside = {history_digest(c.h, c.o), c.o->name, c.o->init_text};
        code = certify_tie(&inside, history_path, trusted, report, e);
    }
    certificate_free(&c);
    return code;
}

int certify_history(const char *path, const char *history_path, const char *trusted, text *report, error *e) {
    input *in = input_open(path, e);
    if (!in) return e->code;
    int code = compact_is(in) ? compact_certify(in, trusted, history_path, report, e)
                              : certify_lines(in, trusted, history_path, report, e);
    input_close(in);
    return code;
}

int certify(const char *path, const char *trusted, text *report, error *e) {
    input *in = input_open(path, e);
    if (!in) return e->code;
    int code = certify_input(in, trusted, report, e);
    input_close(in);
    return code;
}
