/* Clients as numbers: one that is called by a number keeps it, the others get numbers that no client has. */
#include "support/cmocka.h"

#include "format/event_order.h"
#include "history/builder.h"

#include <stdlib.h>
#include <string.h>

static void add(builder *b, value client, int64_t call) {
    call_record c = {.client = client, .method = builder_method(b, "read", 4, 1), .key = VALUE_NONE, .line = 1};
    assert_true(builder_operation(b, &c, call, call + 1, VALUE_NONE));
}

static void many_clients(void **unused) {
    (void)unused;
    enum { MANY = 700 };
    error e = {0};
    builder *b = builder_new("many", &e);
    values *v = builder_values(b);
    for (int64_t c = 0; c < MANY; c++) add(b, value_int(v, 3 * c), 2 * c);
    add(b, value_bytes(v, "x", 1), 5000);
    add(b, value_int(v, -5), 5002);
    add(b, value_int(v, INT64_MAX), 5004);
    history *h = builder_finish(b);
    int64_t *number = client_numbers(h);
    assert_int_equal(h->clients, MANY + 3);
    for (uint32_t c = 0; c < MANY; c++) assert_int_equal(number[c], 3 * (int64_t)c);
    for (uint32_t c = MANY; c < MANY + 3; c++) assert_int_equal(number[c], 3 * (MANY - 1) + 1 + (int64_t)(c - MANY));
    free(number);
    history_free(h);
    builder_free(b);
}

/* A client that goes on after an operation that never returns is a new one; events are in the order of time. */
static void clients_go_on(void **unused) {
    (void)unused;
    error e = {0};
    builder *b = builder_new("pending", &e);
    values *v = builder_values(b);
    call_record c = {
        .client = value_int(v, 4), .method = builder_method(b, "read", 4, 1), .key = VALUE_NONE, .line = 1};
    assert_true(builder_call(b, &c));
    assert_true(builder_info(b, c.client, 2));
    assert_true(builder_call(b, &c));
    assert_true(builder_return(b, c.client, VALUE_NONE, 3));
    assert_true(builder_call(b, &c));
    assert_true(builder_return(b, c.client, VALUE_NONE, 4));
    history *h = builder_finish(b);
    event_order *o = event_order_new(h);
    assert_int_equal(o->client[0], 4);
    assert_int_equal(o->client[1], 5);
    assert_int_equal(o->client[2], 5);
    static const uint32_t operation_at[] = {0, 1, 1, 2, 2};
    static const bool returns[] = {false, false, true, false, true};
    uint32_t k = 0;
    for (uint32_t r = 0; r < o->events; r++) {
        if (o->event[r] == EVENT_NONE) continue;
        assert_int_equal(event_operation(o->event[r]), operation_at[k]);
        assert_true(event_is_return(o->event[r]) == returns[k]);
        k++;
    }
    assert_int_equal(k, 5);
    event_order_free(o);
    event_order_free(NULL);
    history_free(h);
    builder_free(b);
}

TEST_MAIN(TEST(many_clients), TEST(clients_go_on))
