/* Inside of the builder, for its own files only:
 *
 *     builder.c          takes events and operations into columns
 *     builder_finish.c   the history: sorted, ranked, its clients apart, its stamps packed
 *     builder_ties.c     equal stamps: what comes first
 *     builder_notes.c    where notes stand among the events, and the times that a file gives its events */
#ifndef PLUMB_HISTORY_BUILDER_INSIDE_H
#define PLUMB_HISTORY_BUILDER_INSIDE_H

#include "history/builder.h"
#include "history/value_map.h"

#define NO_OPERATION UINT32_MAX
enum { MAX_METHODS = 250, MAX_OPERATIONS = 0x7ffffff0, RECENT_CLIENTS = 64 };

typedef struct method_tag { /* tells most names apart at a glance */
    uint64_t start;         /* the first bytes of the name */
    size_t length;
} method_tag;

typedef struct client_state {
    value name;
    uint32_t open;    /* the operation whose call is open, or NO_OPERATION */
    uint32_t index;   /* of the client under which it calls now: changes after a pending operation */
    int64_t returned; /* whole operations: the last one's return */
} client_state;

struct builder {
    const char *file;
    error *e;
    history *h;
    uint32_t room;
    uint32_t expected;             /* operations, as far as the reader can tell; 0: it cannot */
    unsigned arg_columns;          /* how many of h->arg there are */
    int64_t *call_time, *ret_time; /* event files: file order */
    bool by_events, by_operations;
    bool order_only; /* stamps say the order and nothing else */
    bool ties_precede;
    bool spread; /* for ranking, stamps are three times what they were, and a bit: see builder_spread_ties */
    bool own_clients, named_clients;
    uint32_t clock; /* events so far */
    int64_t *told;  /* by event: what the file says when it was; as long as all events say so and it does not go back */
    uint32_t told_n, told_room;
    bool has_time; /* of the event that comes next */
    int64_t time;
    int64_t low, high; /* all stamps of whole operations lie between them, but for STAMP_NEVER */
    bool any_never;
    bool moved;    /* for ranking, all stamps are one less than they were */
    bool touching; /* some client's operation begins when its last one returned, or earlier */
    int64_t last_call;
    bool out_of_order; /* some call stamp is below the one before it */
    bool overlap;      /* some client's operation begins before its last one returned, if it did */

    client_state *client;
    uint32_t clients, client_room;
    value_map by_name;               /* client name -> client */
    uint32_t recent[RECENT_CLIENTS]; /* of whole operations: the client found last, by the name's low bits */
    uint32_t name_room, annotation_room;
    method_tag tag[MAX_METHODS];
    bool *dropped;          /* by operation; NULL until one is dropped */
    const event_sink *sink; /* takes the events; NULL: they are kept here */
    uint32_t dropped_room;
};

static inline bool builder_is_open(const builder *b, uint32_t i) { return b->h->res[i] == VALUE_UNKNOWN; }
const char *builder_client_text(const builder *b, value client, text *t);
uint32_t builder_new_client(builder *b, value name);     /* its index */
void builder_permute(builder *b, const uint32_t *order); /* all columns */

/* What rank_events needs to keep the order of a client's own operations; NULL: it is kept without. */
uint32_t *builder_keep_own_order(builder *b);
/* Where a return comes before a call at the same stamp: stamps to rank by instead; false: an error. And back. */
bool builder_spread_ties(builder *b);
void builder_gather_ties(builder *b, int64_t low);

void builder_place_notes(builder *b);
void builder_keep_told_times(builder *b);

#endif
