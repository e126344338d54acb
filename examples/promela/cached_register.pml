/* A register that readers keep a copy of, with a monitor exported by plumb:
 *
 *     plumb export-monitor --object register --kind pattern --to promela > monitor.pml      (or --kind count, and spin -DCOUNT)
 *     spin -a cached_register.pml && cc -O2 -o pan pan.c && ./pan
 *
 * -DWRONG: the writer forgets to say that the copy is old. The register holds 1 at the start. */
#define MONITOR_VALUES 3
#include "monitor_calls.pml"

byte cell = 1, copy = 1;
bit fresh = 1;
byte done;

proctype writer(byte unused) {
    byte v = 2;
    do
    :: v > MONITOR_VALUES -> break
    :: else ->
       atomic { CALL_INSERT(v) }
#ifdef WRONG
       atomic { cell = v; RETURN_INSERT(v) }
#else
       atomic { cell = v; fresh = 0; RETURN_INSERT(v) }
#endif
       v++
    od;
    done++
}

inline read() {
    atomic { CALL_REMOVE() }
    if
    :: atomic { fresh -> v = copy }
    :: atomic { !fresh -> copy = cell; fresh = 1; v = copy }
    fi;
    atomic { RETURN_REMOVE(v); v = 0 }
}

proctype reader(byte unused) {
    byte v;
    read();
    read();
    done++
}

init {
    BEGIN();
    atomic { INITIAL(1) }
    atomic { run writer(0); run reader(0); run reader(0) }
    done == 3;
    END()
}
