/* Treiber's stack with a monitor exported by plumb:
 *
 *     plumb export-monitor --object stack --kind pattern --to promela > monitor.pml
 *     (or --kind points and spin -DPOINTS, or --kind count and spin -DCOUNT)
 *     spin -a treiber_stack.pml && cc -O2 -o pan pan.c && ./pan
 *
 * -DWRONG: push writes top instead of comparing and swapping. The node of a value is the value's number: none is freed. */
#define MONITOR_VALUES 3
#include "monitor_calls.pml"

byte top;
byte next[MONITOR_VALUES + 1];
byte done;

inline push(v) {
    atomic { CALL_INSERT(v); t = top }
    do
    :: next[v] = t;
#ifdef WRONG
       atomic { top = v; POINT_INSERT(v); RETURN_INSERT(v); t = 0 }
       break
#else
       atomic {
           if
           :: top == t -> top = v; POINT_INSERT(v); RETURN_INSERT(v); t = 0; break
           :: else -> t = top
           fi
       }
#endif
    od
}

inline pop() {
    atomic { CALL_REMOVE(); t = top; if :: t == 0 -> RETURN_MISS() :: else fi }
    do
    :: t == 0 -> break
    :: else ->
       n = next[t];
       atomic {
           if
           :: top == t -> top = n; POINT_REMOVE(t); RETURN_REMOVE(t); t = 0; n = 0; break
           :: else -> n = 0; t = top; if :: t == 0 -> RETURN_MISS() :: else fi
           fi
       }
    od
}

proctype pushes_and_pops(byte v) {
    byte t, n;
    push(v);
    pop();
    done++
}

proctype pops(byte unused) {
    byte t, n;
    pop();
    done++
}

init {
    BEGIN();
    atomic { run pushes_and_pops(1); run pushes_and_pops(2); run pops(0) }
    done == 3;
    END()
}
