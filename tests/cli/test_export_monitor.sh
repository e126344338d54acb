#!/bin/bash
# Exported monitors: Spin exhausts the right models and finds the planted bugs; the C header accepts and refutes histories.
plumb=$(realpath "${PLUMB:-build/plumb}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 bad=0
say() { number=$((number + 1)); if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; bad=1; fi; }

spin_errors() { # model, object, kind, flags: prints the number of errors when the search was complete or found one
    rm -rf "$work/m"; mkdir "$work/m"; cp examples/promela/*.pml "$work/m"
    "$plumb" export-monitor --object "$2" --kind "$3" --to promela >"$work/m/monitor.pml" || return 1
    (cd "$work/m" && timeout 60 spin $4 -a "$1" >spin.log 2>&1 && timeout 120 cc -O1 -w -DSAFETY -DVECTORSZ=1024 -o pan pan.c && timeout 120 ./pan -m100000 >pan.log 2>&1
     grep -q 'max search depth too small' pan.log || sed -n 's/.*errors: //p' pan.log)
}
if command -v spin >/dev/null; then
    for kind in pattern points; do
        for model in "treiber_stack.pml stack" "michael_scott_queue.pml queue"; do
            set -- $model
            points=; [ $kind = points ] && points=-DPOINTS
            [ "$(spin_errors "$1" "$2" $kind "$points")" = 0 ]; say $? "Spin exhausts $1 with monitor $kind"
            [ "$(spin_errors "$1" "$2" $kind "-DWRONG $points")" = 1 ]; say $? "Spin finds the bug of $1 with monitor $kind"
        done
    done
else echo "# skip: spin is not installed"; fi

for object in queue stack register; do "$plumb" export-monitor --object $object --to c >"$work/${object}_monitor.h"; done
for object in queue stack; do "$plumb" export-monitor --object $object --kind points --to c >"$work/${object}_points.h"; done
cat >"$work/test.c" <<'END'
#include "queue_monitor.h"
#include "stack_monitor.h"
#include "register_monitor.h"
#include "queue_points.h"
#include "stack_points.h"
#define TWO(object, first, second)                                                                                             \
    static int object##_##first##second(void) {                                                                                \
        object##_monitor m = {0};                                                                                              \
        unsigned c;                                                                                                            \
        object##_monitor_call_insert(&m, 1), object##_monitor_return_insert(&m, 1);                                            \
        object##_monitor_call_insert(&m, 2), object##_monitor_return_insert(&m, 2);                                            \
        c = object##_monitor_call_remove(&m), object##_monitor_return_remove(&m, c, first);                                    \
        c = object##_monitor_call_remove(&m), object##_monitor_return_remove(&m, c, second);                                   \
        c = object##_monitor_call_remove(&m), object##_monitor_return_miss(&m, c);                                             \
        return object##_monitor_sees(&m);                                                                                      \
    }
TWO(queue, 1, 2) TWO(queue, 2, 1) TWO(stack, 1, 2) TWO(stack, 2, 1)
static int empty_too_early(void) {
    queue_monitor m = {0};
    unsigned c;
    queue_monitor_call_insert(&m, 1), queue_monitor_return_insert(&m, 1);
    c = queue_monitor_call_remove(&m), queue_monitor_return_miss(&m, c);
    return queue_monitor_sees(&m);
}
int main(void) {
    queue_points p = {{0}, 0, 0, {0}, {0}};
    stack_points s = {{0}, 0, 0, {0}, {0}};
    queue_points_call(&p, 0), queue_points_insert(&p, 0, 1), queue_points_return(&p, 0);
    queue_points_call(&p, 0), queue_points_remove(&p, 0, 1), queue_points_return(&p, 0);
    queue_points_call(&p, 0), queue_points_return_miss(&p, 0);
    stack_points_call(&s, 0), stack_points_insert(&s, 0, 1), stack_points_return(&s, 0);
    (void)register_monitor_check;
    return queue_12() || !queue_21() || !stack_12() || stack_21() || !empty_too_early();
}
END
${CC:-cc} -std=c99 -Wall -Wextra -pedantic -Werror -I"$work" -o "$work/test" "$work/test.c" && "$work/test"; say $? "the C headers compile alone, accept and refute"
"$plumb" export-monitor --object set >/dev/null 2>&1; [ $? = 64 ]; say $? "no monitor for a set: usage"
[ "$("$plumb" monitors --dot -o queue | grep -c '^digraph')" = 4 ]; say $? "four automata are drawn for a queue"
exit $bad
