#include "support/quasi_trial.h"

static const quasi_trial trial = {
    .engine = "pqueue-quasi", .object = "pqueue-max", .right = TAKE_GREATEST, .seed = 702, .histories = 8000};

int main(void) { return quasi_trial_run(&trial, 12); }
