#include "support/mirror.h"

#include "history/builder.h"
#include "support/cmocka.h"
#include "support/concurrent.h"

#include <string.h>
#include <sys/mman.h>

static size_t bytes_of(uint32_t room) { return sizeof(mirror) + (size_t)MIRROR_THREADS * room * sizeof(mirrored); }

mirror *mirror_new(uint32_t room) {
    mirror *m = mmap(NULL, bytes_of(room), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(m != MAP_FAILED);
    m->room = room;
    return m;
}

void mirror_free(mirror *m) { munmap(m, bytes_of(m->room)); }

const mirrored *mirror_at(const mirror *m, uint32_t slot, uint64_t number) {
    return &m->op[(uint64_t)slot * m->room + number];
}

/* All but the last one have come all the way. */
uint64_t mirror_count(const mirror *m, uint32_t slot, mirror_moment when) {
    uint64_t n = m->begun[slot];
    return n && !mirror_at(m, slot, n - 1)->at[when] ? n - 1 : n;
}

static value result_of(values *t, const mirrored *op) {
    if (op->adds) return VALUE_NONE;
    return op->value == CONCURRENT_EMPTY ? VALUE_EMPTY : value_int(t, op->value);
}

static unsigned method_of(builder *b, const object *o, const char *name) {
    const char *first = o->type->methods[object_type_method(o->type, name)].name;
    return builder_method(b, first, strlen(first), 0);
}

history *mirror_history(const mirror *m, const object *o, mirror_moment from, mirror_moment to) {
    error e = {0};
    builder *b = builder_new("mirror", &e);
    values *t = builder_values(b);
    unsigned take = method_of(b, o, "remove"), add = method_of(b, o, "add");
    for (uint32_t slot = 0; slot < MIRROR_THREADS; slot++) {
        uint64_t returned = mirror_count(m, slot, to);
        for (uint64_t i = 0; i < mirror_count(m, slot, from); i++) {
            const mirrored *op = mirror_at(m, slot, i);
            value arg = op->adds ? value_int(t, op->value) : VALUE_NONE;
            call_record call = {.client = value_int(t, slot),
                                .method = op->adds ? add : take,
                                .key = VALUE_NONE,
                                .arg = &arg,
                                .nargs = op->adds};
            bool back = i < returned;
            assert_true(builder_operation(b, &call, (int64_t)op->at[from], back ? (int64_t)op->at[to] : STAMP_NEVER,
                                          back ? result_of(t, op) : VALUE_UNKNOWN));
        }
    }
    history *h = builder_finish(b);
    if (!h) fail_msg("%s", e.what);
    builder_free(b);
    return h;
}
