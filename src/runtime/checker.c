#include "runtime/checker.h"

#include "evidence/certificate.h"

#include <stdlib.h>

value word_as_value(values *t, uint64_t word) {
    switch (word & 7) {
    case LOG_INT: return value_int(t, (int64_t)word >> 3);
    case LOG_HANDLE: return (value)(word >> 3);
    default: return VALUE_SPECIAL + (value)(word >> 3);
    }
}

checker *checker_new(const object *o, uint32_t clients, const checker_options *options, error *e) {
    bool by_name = !options->general && !o->relaxed; /* those that know the strict object by its name */
    if (by_name && queue_checker_fits(o)) return queue_checker_new(o, clients, options);
    if (by_name && stack_checker_fits(o)) return stack_checker_new(o, clients, options);
    return monitor_checker_new(o, clients, options, e);
}

bool checker_write_witness(checker *c, const char *path, error *e) {
    object *own = NULL;
    history *h = c->verdict == VERDICT_VIOLATION ? c->type->evidence(c, &own) : NULL;
    if (!h) return error_set(e, EXIT_UNDECIDED, "the operations that show the violation by themselves are forgotten");
    const object *o = own ? own : c->o;
    free(h->number); /* of the operations among all that were watched: a certificate stands by itself */
    h->number = NULL;
    judgement j = {0};
    budget b;
    budget_init(&b, 10, 0);
    bool good = judge(h, o, &(judge_options){0}, &b, NULL, &j, e) && j.verdict == VERDICT_VIOLATION;
    if (good) good = certificate_write(path, h, o, &j, e);
    else if (!e->code) error_set(e, EXIT_UNDECIDED, "the operations could not be decided again");
    judgement_free(&j);
    history_free(h);
    object_close(own);
    return good;
}
