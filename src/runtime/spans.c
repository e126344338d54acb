#include "runtime/spans.h"

#include "base/text.h"
#include "history/builder.h"

#include <assert.h>
#include <string.h>

static void show(spans *s, value_span *to, uint32_t *n, value_span x) {
    assert(*n <= SPANS && x.call < x.ret);
    for (uint32_t i = 0; i < *n; i++)
        if (to[i].call == x.call) return;
    if (*n < SPANS) to[(*n)++] = x;
    else s->incomplete = true;
}

void spans_add(spans *s, value_span add) { show(s, s->add, &s->adds, add); }
void spans_take(spans *s, value_span take) { show(s, s->take, &s->takes, take); }

/* A word that is a handle into one table, as a value of another. */
static value word_elsewhere(const values *from, uint64_t word, values *to) {
    if ((word & 7) != LOG_HANDLE) return word_as_value(to, word);
    return value_copy(to, from, (value)(word >> 3));
}

static bool build(builder *b, const values *from, unsigned which, bool adds, const value_span *s, int64_t name) {
    value v = word_elsewhere(from, s->v, builder_values(b));
    bool back = s->ret != SPAN_NEVER;
    call_record call = {
        .client = value_int(builder_values(b), name), .method = which, .key = VALUE_NONE, .arg = &v, .nargs = adds};
    return builder_operation(b, &call, (int64_t)s->call, back ? (int64_t)s->ret : STAMP_NEVER,
                             !back  ? VALUE_UNKNOWN
                             : adds ? VALUE_NONE
                                    : v);
}

static unsigned method_that(const object *o, unsigned role, builder *b) {
    const method *m = o->type->methods;
    while (!(m->role & role)) m++;
    assert(m < o->type->methods + o->type->method_count); /* containers add and remove */
    return builder_method(b, m->name, strlen(m->name), 0);
}

history *spans_history(const spans *s, const object *o, object **own) {
    error e = {0};
    *own = NULL;
    if (s->incomplete) return NULL;
    builder *b = builder_new("evidence", &e);
    unsigned add = method_that(o, ROLE_ADDS, b), take = method_that(o, ROLE_REMOVES, b);
    bool good = true;
    for (uint32_t i = 0; i < s->adds; i++) good = good && build(b, o->values, add, true, &s->add[i], i);
    for (uint32_t i = 0; i < s->takes; i++) good = good && build(b, o->values, take, false, &s->take[i], SPANS + i);
    history *h = good ? builder_finish(b) : NULL;
    builder_free(b);
    *own = h ? object_open(o->type->name, NULL, &e) : NULL;
    if (*own && object_bind(*own, h, "evidence", &e)) return h;
    object_close(*own);
    history_free(h);
    *own = NULL;
    return NULL;
}
