/* The queue of Michael and Scott with a monitor exported by plumb:
 *
 *     plumb export-monitor --object queue --kind pattern --to promela > monitor.pml
 *     (or --kind points and spin -DPOINTS, or --kind count and spin -DCOUNT)
 *     spin -a michael_scott_queue.pml && cc -O2 -o pan pan.c && ./pan
 *
 * -DWRONG: dequeue writes head instead of comparing and swapping. The node of a value is the value's number plus one; node 1 is
 * the dummy, 0 is none; none is freed. */
#define MONITOR_VALUES 2
#include "monitor_calls.pml"

byte head = 1, tail = 1;
byte next[MONITOR_VALUES + 2];
byte done;

inline enqueue(v) {
    atomic { CALL_INSERT(v); t = tail }
    do
    :: n = next[t];
       if
       :: t != tail -> t = tail
       :: else ->
          if
          :: n != 0 -> atomic { if :: tail == t -> tail = n :: else fi; t = tail; n = 0 }
          :: else ->
             atomic {
                 if
                 :: next[t] == 0 -> next[t] = v + 1; POINT_INSERT(v); break
                 :: else -> t = tail; n = 0
                 fi
             }
          fi
       fi
    od;
    atomic { if :: tail == t -> tail = v + 1 :: else fi; RETURN_INSERT(v); t = 0; n = 0 }
}

inline dequeue() {
    atomic { CALL_REMOVE(); h = head }
    do
    :: t = tail;
       n = next[h];
       if
       :: h != head -> h = head
       :: else ->
          if
          :: h == t && n == 0 -> atomic { RETURN_MISS(); h = 0; t = 0; break }
          :: h == t && n != 0 -> atomic { if :: tail == t -> tail = n :: else fi; h = head }
          :: else ->
#ifdef WRONG
             atomic { head = n; POINT_REMOVE(n - 1); RETURN_REMOVE(n - 1); h = 0; t = 0; n = 0; break }
#else
             atomic {
                 if
                 :: head == h -> head = n; POINT_REMOVE(n - 1); RETURN_REMOVE(n - 1); h = 0; t = 0; n = 0; break
                 :: else -> h = head
                 fi
             }
#endif
          fi
       fi
    od
}

proctype producer(byte v) {
    byte h, t, n;
    enqueue(v);
    dequeue();
    done++
}

proctype consumer(byte unused) {
    byte h, t, n;
    dequeue();
    done++
}

init {
    BEGIN();
    atomic { run producer(1); run producer(2); run consumer(0) }
    done == 3;
    END()
}
