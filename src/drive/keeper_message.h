/* What `plumb drive` and its keeper say to each other, one packet each way. */
#ifndef PLUMB_DRIVE_KEEPER_MESSAGE_H
#define PLUMB_DRIVE_KEEPER_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum keeper_wish {
    KEEPER_RUN, /* words: log ("" none), then the command */
    KEEPER_AGAIN,
    KEEPER_SIGNAL,
    KEEPER_LIVES,
    KEEPER_EXECUTE, /* words as for KEEPER_RUN */
    KEEPER_NETWORK, /* slot: how many nodes; signal: with a relay */
    KEEPER_CUT,     /* slot cannot send to signal any more */
    KEEPER_IMPAIR,  /* what slot sends and is sent: late by signal / 128 ms, of a hundred signal % 128 are lost */
    KEEPER_JOIN,    /* all can again, and at once */
    KEEPER_END
} keeper_wish;

enum { KEEPER_TEXT = 16384 };

typedef struct keeper_request {
    uint32_t wish; /* keeper_wish */
    uint32_t slot;
    int32_t signal;
    uint8_t as_server, keep;
    uint32_t words, size;
    char text[KEEPER_TEXT]; /* words, each ended by a NUL */
} keeper_request;

typedef struct keeper_answer {
    bool good;
    char why[400];
} keeper_answer;

/* The keeper's own process: serves until the connection ends. Does not return. */
_Noreturn void keeper_serve(int connection, const char *folder, bool isolated);

#endif
