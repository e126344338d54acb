#include "support/quasi_trial.h"

static const quasi_trial trial = {
    .engine = "stack-quasi", .object = "stack", .right = TAKE_NEWEST, .seed = 703, .histories = 8000};

int main(void) { return quasi_trial_run(&trial, 12); }
