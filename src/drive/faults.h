/* Faults while the load runs: one after the other, chosen by the seed, each an interval with a note in the history. */
#ifndef PLUMB_DRIVE_FAULTS_H
#define PLUMB_DRIVE_FAULTS_H

#include "drive/service.h"
#include "drive/reel.h"

enum fault_kind {
    FAULT_KILL = 1,
    FAULT_PAUSE = 2,
    FAULT_KILL_CLIENT = 4,
    FAULT_PAUSE_CLIENT = 8,
    FAULT_PARTITION = 16, /* some nodes and the others do not hear each other */
    FAULT_ONE_WAY = 32    /* the others do not hear some */
};

typedef struct faults_settings {
    unsigned kinds; /* fault_kind, together */
    uint64_t seed;
    uint32_t clients;
    double every, lasts; /* seconds: from the beginning of one to the next, on average; and how long one is */
} faults_settings;

typedef struct faults faults;

/* "kill,pause"; what cannot be done to this service is refused by name. */
bool faults_parse(const char *words, const service *s, unsigned *kinds, error *e);
bool faults_need_network(const char *words); /* is there one that takes links away? */
faults *faults_start(const faults_settings *s, service *sv, reel *t);
uint32_t faults_count(const faults *f);
/* Ends what goes on, and waits until every node runs and answers again. False: one does not; why says which. */
bool faults_heal(faults *f, text *why);
void faults_free(faults *f); /* after faults_heal */

#endif
