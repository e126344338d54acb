/* A test-and-set lock with a monitor exported by plumb:
 *
 *     plumb export-monitor --object lock --kind pattern --to promela > monitor.pml      (or --kind count, and spin -DCOUNT)
 *     spin -a test_and_set_lock.pml && cc -O2 -o pan pan.c && ./pan
 *
 * -DWRONG: the test and the set are two steps. Every time somebody locks is a section with a number of its own. */
#define MONITOR_VALUES 4
#include "monitor_calls.pml"

bit held;
byte done;

inline acquire(section) {
    atomic { CALL_INSERT(section) }
#ifdef WRONG
    !held;
    atomic { held = 1; RETURN_INSERT(section) }
#else
    atomic { !held; held = 1; RETURN_INSERT(section) }
#endif
}

inline release(section) {
    atomic { CALL_REMOVE(); held = 0 }
    atomic { RETURN_REMOVE(section) }
}

proctype client(byte section) {
    acquire(section);
    release(section);
    acquire(section + 1);
    release(section + 1);
    done++
}

init {
    BEGIN();
    atomic { run client(1); run client(3) }
    done == 2;
    END()
}
