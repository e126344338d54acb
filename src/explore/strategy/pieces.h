/* What is left of one program (share.h), cut into pieces for processes that share no memory, and what these bring back
 * put together again.
 *
 * A piece has some of the nodes with something left, as its own, and the nodes on the way to them, which are not its
 * own: it explores nothing there. Races that it finds offer alternatives to both. What it brings back is the state of
 * all nodes that it was given, and what is left below them. An alternative is claimed once: by the piece whose node it
 * is, or, offered by another one, in a later cut. So the traces are those that one process explores, as with a share:
 * those claimed earlier are asleep. Nothing else is said of the order of claims (docs/proofs/explorer.md). */
#ifndef PLUMB_EXPLORE_STRATEGY_PIECES_H
#define PLUMB_EXPLORE_STRATEGY_PIECES_H

#include "base/text.h"

#include <stdbool.h>

typedef struct work_pieces work_pieces;

/* "@KNOWN ... NODES", as a run leaves it. NULL: it is no such text, or the program is to begin anew. */
work_pieces *pieces_read(const char *work);
void pieces_free(work_pieces *p);
/* Into at most so many texts, each with something left; how many. What they have is claimed. */
unsigned pieces_cut(work_pieces *p, unsigned most, text *out);
/* What one of them has left, or brings back. False: it does not fit, or the program is to begin anew. */
bool pieces_join(work_pieces *p, const char *left);
bool pieces_bounded(const work_pieces *p); /* a bound kept one of them from something */
/* Is this the text of a run that learned of memory it had not known? Another run has to begin with it, alone. */
bool pieces_begin_anew(const char *left);

/* Of threads, however many the program's library can tell apart; hexadecimal. */
__extension__ typedef unsigned __int128 wide_set;
void wide_set_write(text *out, wide_set x);

/* Ends of a node's text: in a piece its own or not; in what a whole program has left neither. */
enum { NODE_PLAIN = ' ', NODE_OWN = '+', NODE_FOREIGN = '!' };

#endif
