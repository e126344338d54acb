#include "support/judge_history.h"

#include "format/format.h"
#include "support/cmocka.h"

enum { SECONDS = 60 };

history *read_file(const char *path) {
    error e = {0};
    history *h = format_read(path, NULL, NULL, &e);
    if (!h) fail_msg("%s", e.what);
    return h;
}

verdict judge_history(history *h, const char *object_name) {
    error e = {0};
    object *o = object_open(object_name, NULL, &e);
    judgement j = {0};
    budget b;
    budget_init(&b, SECONDS, 0);
    if (!o || !object_bind(o, h, "history", &e) || !judge(h, o, &(judge_options){.quick = true}, &b, NULL, &j, &e))
        fail_msg("%s", e.what);
    verdict v = j.verdict;
    judgement_free(&j);
    object_close(o);
    return v;
}

plumb_verdict check_and_free(plumb_history *h, const char *object_name, const char *by) {
    plumb_result *r = plumb_check(h, object_name,
                                  &(plumb_check_options){.struct_size = sizeof(plumb_check_options), .criterion = by});
    plumb_verdict found = plumb_result_verdict(r);
    if (found == PLUMB_ERROR) fail_msg("%s", plumb_result_reason(r));
    plumb_result_free(r);
    plumb_history_free(h);
    return found;
}
