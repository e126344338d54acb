/* Certificates of runs that do not end, in segments: each one a file as those of compact.h, whose operations stand in
 * the order in which they took effect, and whose first ones (`carried`) are no operations of the run but tell the state
 * in which the segment before it ended (recall.h). It claims
 *
 *     {"plumb":"segment/1","object":"queue","init":null,"carried":3,"operations":65536,"link":"17 4711\n0 6a09..\n1
 *     32ab..\n",
 *      "from":"..","to":".."}
 *
 * `link`, how far the chain is before this segment: the number of the segment, the latest call of all segments before
 * it, and for each client the digest of what it was answered in them. `from` and `to` are digests of the links before
 * and behind it with the states there, so that each file says which one comes next. All operations of all segments, one
 * segment after the other, are a linearization of the run:
 *
 *     legal             each segment by replay, from the state in which the one before ended
 *     extends time      within a segment as always; and nothing in it returned before the latest call of the segments
 *     before it what was answered the digests go on from segment to segment; each client has the last ones in its hands
 *
 * Stamps are the numbers of events in the whole run; those of carried operations are below zero. */
#ifndef PLUMB_EVIDENCE_SEGMENT_H
#define PLUMB_EVIDENCE_SEGMENT_H

#include "evidence/compact.h"
#include "evidence/recall.h"

#define SEGMENT_KIND "segment/1"
#define SEGMENT_SUFFIX ".segment"

typedef struct client_digest {
    char *name;
    uint64_t digest;
} client_digest;

typedef struct chain_link { /* how far a chain is */
    uint64_t number;        /* of the next segment */
    int64_t horizon;        /* the latest call so far; -1: there was none */
    client_digest *client;
    uint32_t clients, room;
} chain_link;

void chain_link_free(chain_link *l);

/* The history: carried operations, then those of the run, numbered in the order in which they took effect. On success
 * the link has moved on behind the segment, and `told` holds the operations that the next one has to carry. */
bool segment_write(const char *path, const history *h, const object *o, uint32_t carried, chain_link *link,
                   recalled *told, error *e);

bool segment_is(const history *h);
/* frees the history */
int segment_certify_alone(history *h, const char *name, const char *trusted, const char *history_path, text *report,
                          error *e);

/* Segments one after the other. As `certify` each: the report has one line when something is refused, and nothing while
 * all is well; chain_end says what holds. */
typedef struct segment_chain segment_chain;
segment_chain *chain_new(const char *trusted);
int chain_add(segment_chain *c, const char *path, text *report, error *e);
int chain_end(const segment_chain *c, text *report); /* the exit code: that of segments without operations is 2 */
/* Before the first segment: their operations are kept, so that they can be tied to the history of the run. */
void chain_keep_operations(segment_chain *c);
/* After the last one: are their operations, one segment after the other, the history in that file? As certify_tie. */
int chain_tie(segment_chain *c, const char *history_path, text *report, error *e);
void chain_free(segment_chain *c);

#endif
