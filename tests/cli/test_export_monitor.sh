#!/bin/bash
# Exported monitors: Spin exhausts the right models and finds the planted bugs; the C header accepts and refutes histories.
plumb=$(realpath "${PLUMB:-build/plumb}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 bad=0
say() { number=$((number + 1)); if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; bad=1; fi; }

# Only the largest model is worth the time of an optimizing compiler.
spin_result() { # model, object, kind, flags: "exhausted" or "refuted" (by an assertion of the monitor)
    local optimize=-O0; [ "$1 $3" = "michael_scott_queue.pml pattern" ] && optimize=-O1
    rm -rf "$work/m"; mkdir "$work/m"; cp examples/promela/*.pml "$work/m"
    "$plumb" export-monitor --object "$2" --kind "$3" --to promela >"$work/m/monitor.pml" || return 1
    # shellcheck disable=SC2086
    (cd "$work/m" && timeout 60 spin $4 -a "$1" >spin.log 2>&1 && timeout 120 cc $optimize -w -DSAFETY -DVECTORSZ=1024 -o pan pan.c && timeout 120 ./pan -m100000 >pan.log 2>&1
     grep -q 'max search depth too small' pan.log && exit
     grep -q 'assertion violated' pan.log && echo refuted
     grep -q 'errors: 0$' pan.log && echo exhausted)
}
if command -v spin >/dev/null; then
    while read -r model object kind flag; do
        case $model in long:*) [ -n "${PLUMB_SOAK-}" ] || continue; model=${model#long:} ;; esac
        [ "$(spin_result "$model" "$object" "$kind" "$flag")" = exhausted ]; say $? "Spin exhausts $model with monitor $kind"
        [ "$(spin_result "$model" "$object" "$kind" "-DWRONG $flag")" = refuted ]; say $? "Spin finds the bug of $model with monitor $kind"
    done <<'END'
treiber_stack.pml stack pattern
treiber_stack.pml stack points -DPOINTS
treiber_stack.pml stack count -DCOUNT
michael_scott_queue.pml queue pattern
michael_scott_queue.pml queue points -DPOINTS
michael_scott_queue.pml queue count -DCOUNT
test_and_set_lock.pml lock pattern
long:test_and_set_lock.pml lock count -DCOUNT
cached_register.pml register pattern
long:cached_register.pml register count -DCOUNT
bit_set.pml set pattern
treiber_stack.pml stack all -DCOUNT
michael_scott_queue.pml queue all -DCOUNT
test_and_set_lock.pml lock all -DCOUNT
cached_register.pml register all -DCOUNT
bit_set.pml set all
END
    [ "$(spin_result bit_set.pml set pattern -DBLIND)" = refuted ]; say $? "Spin finds an element that is never found"
else echo "skip models: spin is not installed"; fi

# Nothing of a template is left that another object needs: no condition that is always true or never.
for object in queue stack register lock set; do
    for language in c promela; do
        { "$plumb" export-monitor --object $object --to $language; "$plumb" export-monitor --object $object --kind all --to $language; } >"$work/words"
        grep -nE '@|\((0|1|true|false) (&&|\|\|)|(&&|\|\|) (0|1|true|false)\>' "$work/words"
        [ $? -eq 1 ]; say $? "the $object in $language has no leftovers"
    done
done
"$plumb" export-monitor --object queue --criterion 'quasi(2)' >"$work/words" 2>&1
[ $? -eq 64 ]; say $? "a criterion is refused"

# Every header alone, by every compiler that is there, without a warning.
headers=0
for what in all:queue all:stack all:register all:lock all:set pattern:queue pattern:stack pattern:register pattern:lock pattern:set count:queue count:stack count:register count:lock points:queue points:stack; do
    header=${what#*:}_${what%:*}.h
    "$plumb" export-monitor --object "${what#*:}" --kind "${what%:*}" --to c >"$work/$header"
    printf '#include "%s"\nint main(void) { return 0; }\n' "$header" >"$work/alone.c"
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        $compiler -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I"$work" -fsyntax-only "$work/alone.c" || headers=1
        $compiler -std=c99 -DNDEBUG -Wall -Wextra -Wpedantic -Werror -I"$work" -fsyntax-only "$work/alone.c" || headers=1
    done
done
say $headers "every exported header compiles alone without a warning"

# As a bounded model checker uses it: any choice may be made, and every one is tried. In -DWRONG the removes do not overlap.
cat >"$work/choose.c" <<'END'
static unsigned choice[64], limit[64], at;
static unsigned choose(unsigned n) { return limit[at] = n, choice[at++]; }
#define QUEUE_MONITOR_VALUES 3
#define QUEUE_MONITOR_CHOOSE(n) choose(n)
#include "queue_pattern.h"
static void program(void) {
    queue_monitor m = {0};
    unsigned c, d, first = choose(2);
    queue_monitor_call_insert(&m, 1), queue_monitor_return_insert(&m, 1);
    queue_monitor_call_insert(&m, 2), queue_monitor_return_insert(&m, 2);
    c = queue_monitor_call_remove(&m);
#ifdef WRONG
    queue_monitor_return_remove(&m, c, 1 + first);
    d = queue_monitor_call_remove(&m);
    queue_monitor_return_remove(&m, d, 2 - first);
#else
    d = queue_monitor_call_remove(&m);
    queue_monitor_return_remove(&m, c, 1 + first);
    queue_monitor_return_remove(&m, d, 2 - first);
#endif
    queue_monitor_check(&m);
}
int main(void) { /* every sequence of choices, in the order of numbers */
    for (;;) {
        at = 0;
        program();
        while (at && choice[at - 1] + 1 >= limit[at - 1]) choice[--at] = 0;
        if (!at) return 0;
        choice[at - 1]++;
    }
}
END
${CC:-cc} -std=c11 -O1 -w -I"$work" -o "$work/choose" "$work/choose.c" && "$work/choose"; say $? "all choices: a right program is not refuted"
${CC:-cc} -std=c11 -O1 -w -DWRONG -I"$work" -o "$work/choose" "$work/choose.c" && ! timeout 60 "$work/choose" 2>/dev/null; say $? "all choices: a wrong program is refuted"

cat >"$work/test.c" <<'END'
#include "queue_pattern.h"
#include "stack_pattern.h"
#include "register_pattern.h"
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
${CC:-cc} -std=c99 -Wall -Wextra -pedantic -Werror -I"$work" -o "$work/test" "$work/test.c" && "$work/test"; say $? "the C headers accept and refute"
"$plumb" export-monitor --object deque >"$work/out" 2>&1; [ $? = 64 ] && grep -q 'expected one of: queue, stack, register, lock, set' "$work/out"; say $? "no monitor for a deque: usage"
"$plumb" export-monitor --object set --kind count >/dev/null 2>&1; [ $? = 64 ]; say $? "no count for a set: usage"
"$plumb" export-monitor --object queue --kind count -k 3 | grep -q 'define QUEUE_COUNT_K 3'; say $? "-k sets the intervals"

"$plumb" monitors -o deque >"$work/out" 2>&1; [ $? = 64 ] && grep -q 'no bad patterns for object deque' "$work/out"; say $? "nothing to list for a deque: usage"

# Every automaton of every object is drawn, and graphviz can read it.
"$plumb" monitors --dot >"$work/all.dot"
[ "$(grep -c '^digraph' "$work/all.dot")" = "$("$plumb" monitors | sed '1,/^bad patterns:/d' | wc -l)" ]; say $? "as many automata are drawn as there are patterns"
if command -v nop >/dev/null; then [ "$(nop "$work/all.dot" 2>"$work/err" | grep -c digraph)" = "$(grep -c '^digraph' "$work/all.dot")" ] && [ ! -s "$work/err" ]; say $? "graphviz reads them all"
else echo "skip drawing: graphviz is not installed"; fi
exit $bad
