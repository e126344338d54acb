/* Single-writer register: a register of which the history promises that one client does all the writing. */
#include "object/register.h"
#include "object/types.h"

/* Files without clients can only promise that no two writes overlap. */
static bool same_writer(const history *h, uint32_t a, uint32_t b) {
    if (h->client) return history_client_name(h, a) == history_client_name(h, b);
    return history_before(h, a, b);
}

static bool refuse(const history *h, uint32_t a, uint32_t b, const char *file, error *e) {
    uint32_t line = h->line ? h->line[b] : 0, other = h->line ? h->line[a] : 0;
    if (!h->client)
        return error_set(e, EXIT_BAD_INPUT,
                         "%s:%u: this write overlaps that of line %u; expected the writes of a single client", file,
                         line, other);
    text names = {0};
    text_add(&names, "client ");
    value_print(h->values, history_client_name(h, b), &names);
    text_add(&names, " writes, but client ");
    value_print(h->values, history_client_name(h, a), &names);
    error_set(e, EXIT_BAD_INPUT, "%s:%u: %s wrote in line %u; expected a single writer", file, line, text_str(&names),
              other);
    text_free(&names);
    return false;
}

static bool check_part(const history *h, const uint32_t *op, uint32_t n, const char *file, error *e) {
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (h->method[op[i]] != REGISTER_WRITE) continue;
        if (last != UINT32_MAX && !same_writer(h, last, op[i])) return refuse(h, last, op[i], file, e);
        last = op[i];
    }
    return true;
}

static bool check(const object *o, const history *h, const char *file, error *e) {
    partition *parts = object_partition(o, h);
    bool good = true;
    for (uint32_t p = 0; p < parts->count && good; p++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        good = check_part(h, op, n, file, e);
    }
    partition_free(parts);
    return good;
}

OBJECT_RECORD(object_type_swmr_register, "swmr-register", "a register that one client writes",
              .aliases = "single-writer-register", .methods = register_methods, .method_count = REGISTER_METHODS,
              .named_only = true, .takes_init = true, .init = register_init, .step = register_step,
              .leave_out = register_leave_out, .by_value = true, .describe = register_describe,
              .why_not = register_why_not, .check = check, .brings = register_brings, .looks_for = register_looks_for);
