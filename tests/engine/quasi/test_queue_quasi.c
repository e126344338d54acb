#include "support/quasi_trial.h"

static const quasi_trial trial = {
    .engine = "queue-quasi", .object = "queue", .right = TAKE_OLDEST, .seed = 701, .histories = 8000};

int main(void) { return quasi_trial_run(&trial, 12); }
