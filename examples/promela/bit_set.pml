/* A set as an array of bits, with a monitor exported by plumb:
 *
 *     plumb export-monitor --object set --kind pattern --to promela > monitor.pml
 *     spin -a bit_set.pml && cc -O2 -o pan pan.c && ./pan
 *
 * -DWRONG: a remove looks and clears in two steps, so that two of them may remove one element.
 * -DBLIND: contains never finds anything. */
#define MONITOR_VALUES 2
#define MONITOR_PROCESSES 4
#include "monitor.pml"

bit inside[MONITOR_VALUES + 1];
byte done;

inline add(v) {
    atomic { monitor_call_add(v) }
    atomic { found = inside[v]; inside[v] = 1 }
    atomic { monitor_return_add(v, !found); found = 0 }
}

inline remove(v) {
    atomic { monitor_call_remove(v) }
#ifdef WRONG
    found = inside[v];
    if
    :: found -> inside[v] = 0
    :: else
    fi;
#else
    atomic { found = inside[v]; inside[v] = 0 }
#endif
    atomic { monitor_return_remove(v, found); found = 0 }
}

inline contains(v) {
    atomic { monitor_call_contains(v) }
#ifdef BLIND
    found = 0;
#else
    found = inside[v];
#endif
    atomic { monitor_return_contains(v, found); found = 0 }
}

proctype adds(byte unused) {
    bit found;
    add(1);
    add(2);
    remove(1);
    done++
}

proctype removes(byte unused) {
    bit found;
    contains(1);
    remove(1);
    contains(1);
    done++
}

proctype looks(byte unused) {
    bit found;
    contains(2);
    remove(2);
    done++
}

init {
    monitor_begin();
    atomic { run adds(0); run removes(0); run looks(0) }
    done == 3;
    monitor_end()
}
