#include "evidence/certificate.h"
#include "evidence/compact.h"
#include "evidence/history_digest.h"
#include "evidence/oracle.h"
#include "evidence/retrial.h"
#include "evidence/witness_check.h"
#include "format/format.h"

#include <inttypes.h>

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

static int certify_witness(const certificate *c, text *report) {
    text why = {0};
    if (!c->h->n) return certify_nothing(report);
    int code = EXIT_LINEARIZABLE;
    if (!witness_keeps_own_order(c->h, &c->witness)) text_add(&why, "the witness swaps two operations of one client");
    else if (c->h->ties && c->o->type->together)
        text_add(&why, "operations of one client touch at a stamp, and could meet in one step");
    else witness_check(c->h, c->o, &c->witness, &why);
    if (!why.size) {
        text_printf(report, "holds: %u operations of object %s are ", c->h->n, c->o->name);
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
    text_printf(report, "holds: %u operations of object %s are a violation", c->h->n, c->o->name);
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
static bool digest_of_file(const char *path, const char *trusted, const named_history *like, uint64_t *out, error *e) {
    history *h = format_read(path, NULL, NULL, e);
    object *again = h ? certificate_open_object(path, 0, trusted, like->object, like->init, e) : NULL;
    bool good = again && object_bind(again, h, path, e);
    if (good) *out = history_digest(h, again);
    object_close(again);
    history_free(h);
    return good;
}

int certify_tie(const named_history *inside, const char *history_path, const char *trusted, text *report, error *e) {
    uint64_t outside = 0;
    if (!digest_of_file(history_path, trusted, inside, &outside, e)) return e->code;
    text name = {0};
    text_printable(&name, history_path);
    bool same = inside->digest == outside;
    if (!same) text_clear(report);
    if (same) text_printf(report, "the history is that of %s: %016" PRIx64 "\n", text_str(&name), inside->digest);
    else
        text_printf(report, "refused: it is about another history: %016" PRIx64 ", and %s is %016" PRIx64 "\n",
                    inside->digest, text_str(&name), outside);
    text_free(&name);
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
