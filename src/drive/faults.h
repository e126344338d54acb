/* Faults while the load runs: one after the other, chosen by the seed, each an interval with a note in the history. */
#ifndef PLUMB_DRIVE_FAULTS_H
#define PLUMB_DRIVE_FAULTS_H

#include "drive/fault_kinds.h"
#include "drive/reel.h"

typedef struct faults_settings {
    unsigned kinds; /* by kind a bit: 1 << its place in fault_kinds */
    uint64_t seed;
    uint32_t clients;
    double every, lasts; /* seconds: from the beginning of one to the next, on average; and how long one is */
} faults_settings;

typedef struct faults faults;

bool faults_parse(const char *words, unsigned *kinds, error *e); /* "kill,pause" */
unsigned faults_need(unsigned kinds);                            /* fault_need, together */
/* What cannot be done to this service is refused by name. */
bool faults_fit(unsigned kinds, const service *s, error *e);
/* All must outlive it; the load until faults_heal. */
faults *faults_start(const faults_settings *s, service *sv, load *l, reel *t);
uint32_t faults_count(const faults *f);
/* Ends what goes on, and waits until every node runs and answers again. False: one does not; why says which. Once
 * more: says the same. */
bool faults_heal(faults *f, text *why);
void faults_free(faults *f); /* after faults_heal */

#endif
