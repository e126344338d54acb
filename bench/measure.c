#include "bench/measure.h"

#include "base/budget.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec * 1e-6; }

cost measure(char *const argv[]) {
    double start = clock_seconds();
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        dup2(null, 2);
        execv(argv[0], argv);
        _exit(127);
    }
    int status = 0;
    struct rusage used;
    wait4(child, &status, 0, &used);
    return (cost){
        .wall = clock_seconds() - start,
        .cpu = seconds(used.ru_utime) + seconds(used.ru_stime),
        .user = seconds(used.ru_utime),
        .peak_mb = (double)used.ru_maxrss / 1024,
        .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
    };
}

cost measure_best(char *const argv[], unsigned runs) {
    cost best = measure(argv);
    for (unsigned i = 1; i < runs; i++) {
        cost again = measure(argv);
        if (again.cpu < best.cpu) best = again;
    }
    return best;
}

static double used_by(int who) {
    struct rusage used;
    getrusage(who, &used);
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double measure_self(void) { return used_by(RUSAGE_SELF); }
double measure_children(void) { return used_by(RUSAGE_CHILDREN); }

void measure_say(FILE *results, const char *words) {
    fputs(words, stdout);
    fflush(stdout);
    if (results) fputs(words, results);
}
