/* The exported monitors under one set of names: patterns and counts want to know what an operation is, points when it takes effect. */
#define MONITOR_PROCESSES 4
#include "monitor.pml"

#ifdef POINTS
#define BEGIN() skip
#define END() skip
#define CALL_INSERT(v) monitor_call()
#define POINT_INSERT(v) monitor_insert(v)
#define RETURN_INSERT(v) monitor_return()
#define CALL_REMOVE() monitor_call()
#define POINT_REMOVE(v) monitor_remove(v)
#define RETURN_REMOVE(v) monitor_return()
#define RETURN_MISS() monitor_return_miss()
#else
#ifdef COUNT
#define BEGIN() skip
#define END() skip
#define INITIAL(v) monitor_initial(v)
#else
#define BEGIN() monitor_begin()
#define END() monitor_end()
#define INITIAL(v) monitor_call_insert(v); monitor_return_insert(v)
#endif
#define CALL_INSERT(v) monitor_call_insert(v)
#define POINT_INSERT(v) skip
#define RETURN_INSERT(v) monitor_return_insert(v)
#define CALL_REMOVE() monitor_call_remove()
#define POINT_REMOVE(v) skip
#define RETURN_REMOVE(v) monitor_return_remove(v)
#define RETURN_MISS() monitor_return_miss()
#endif
