/* etcd's robustness reports: what one line of operations.json says. etcd_parse.c reads it, etcd_operations.c decides
 * what operation of a key-value store it is, etcd_write.c writes such lines. */
#ifndef PLUMB_FORMAT_ETCD_OPERATIONS_H
#define PLUMB_FORMAT_ETCD_OPERATIONS_H

#include "format/format.h"
#include "format/token.h"
#include "history/builder.h"

typedef struct etcd_range {
    bool given;
    value start, end; /* an empty string as end: one key */
    int64_t revision; /* not 0: reads the past */
} etcd_range;

typedef struct etcd_pair { /* a key with its value, as a range returned it */
    value key, content;
    int64_t revision; /* that wrote it */
} etcd_pair;

typedef enum etcd_action { ETCD_OTHER, ETCD_RANGE, ETCD_PUT, ETCD_DELETE, ETCD_COMPARE /* and put */ } etcd_action;

typedef struct etcd_step { /* one operation inside a transaction */
    etcd_action action;
    etcd_range range;
    value key, content; /* of a put; the key of a delete */
} etcd_step;

typedef struct etcd_steps {
    unsigned count;
    etcd_step first;
} etcd_steps;

typedef struct etcd_condition {
    value key;
    int64_t revision, version;
} etcd_condition;

typedef struct etcd_pairs {
    bool given;
    unsigned count;
    etcd_pair first;
} etcd_pairs;

typedef enum etcd_type {
    ETCD_TYPE_OTHER,
    ETCD_TYPE_RANGE,
    ETCD_TYPE_TXN,
    ETCD_TYPE_LEASE_GRANT,
    ETCD_TYPE_LEASE_REVOKE,
    ETCD_TYPE_DEFRAGMENT,
    ETCD_TYPE_COMPACT
} etcd_type;

typedef struct etcd_record {
    uint32_t line;
    value client; /* VALUE_UNKNOWN: missing */
    int64_t call, ret;
    bool has_call, has_ret, has_input;
    etcd_type type;
    value type_name;
    etcd_range range;
    unsigned conditions;
    etcd_condition condition; /* the first */
    etcd_steps success, failure;
    bool unknown;     /* an error, or a response of which only a part is known */
    bool failed;      /* the conditions did not hold */
    etcd_pairs found; /* by the range, or by the first step of the transaction */
    int64_t revision; /* of the store after it */
} etcd_record;

/* Every pair that a response shows is handed out, with the key's revision. */
typedef void etcd_seen(void *context, const etcd_pair *pair);

typedef struct etcd_parser {
    builder *b;
    values *v;
    tokens t;
    etcd_seen *seen;
    void *context;
} etcd_parser;

bool etcd_parse(etcd_parser *r, const char *p, size_t n, uint32_t line, etcd_record *out);
bool etcd_write(const history *h, const object *o, output *out, error *e);

#endif
