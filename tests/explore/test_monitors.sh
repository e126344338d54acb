#!/bin/bash
# plumb explore --monitor: monitors agree with the complete engines on the corpus, and marked linearization points are accepted
# when they are right, refuted when they are wrong, and told from a wrong object.
plumb=${PLUMB:-build/plumb}
[ -e "$plumb" ] || exit 1
if [ ! -e "$(dirname "$plumb")/libplumbline-explore.so" ]; then echo "skip monitors: the explorer is not built with sanitizers"; exit 0; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 bad=0
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$2"; }
# Right ones to so many executions of each program, wrong ones until they are found: how long that takes does not matter.
check() { # name, file, flag, monitor, wanted verdict, wanted failure (empty: any)
    limit=()
    [ "$5" = violation ] || limit=(--executions "$executions")
    line=$(timeout 120 "$plumb" explore --quiet --json --time 100 "${limit[@]}" --monitor "$4" --flags "-D$3" --schedule "$work/schedule" "corpus/$2" 2>"$work/err")
    number=$((number + 1))
    rm -f "$work/schedule"
    if [ "$(field verdict "$line")" = "$5" ] && { [ -z "$6" ] || [ "$(field failure "$line")" = "$6" ]; }; then echo "ok $number - $1"
    else echo "not ok $number - $1"; echo "# wanted $5 $6, got: $line $(cat "$work/err")"; bad=1; fi
}
executions=1000
for monitor in all pattern; do
    check "$monitor accepts the queue" michael_scott_queue.c X $monitor linearizable
    check "$monitor accepts the stack" treiber_stack.c X $monitor linearizable
    check "$monitor accepts the register" seqlock_register.c X $monitor linearizable
    check "$monitor accepts the lock" test_and_set_lock.c X $monitor linearizable
    check "$monitor accepts the set" lazy_set.c X $monitor linearizable
    check "$monitor refutes a queue" michael_scott_queue.c BUG_TAIL $monitor violation
    check "$monitor refutes a stack" elimination_stack.c BUG_BRACE $monitor violation
    check "$monitor refutes a register" seqlock_register.c BUG_RECHECK $monitor violation
    check "$monitor refutes a lock" test_and_set_lock.c BUG_TEST $monitor violation
    check "$monitor refutes a set" lock_coupling_set.c BUG_UNLOCK $monitor violation
done
check "A_1 refutes a queue" michael_scott_queue.c BUG_HEAD count,k=1 violation violation
check "A_1 refutes a set" lock_coupling_set.c BUG_UNLOCK count,k=1 violation violation
check "A_1 does not claim what it cannot" treiber_stack.c X count,k=1 undecided
executions=5000
check "right marks, right stack" annotated_stack.c X points linearizable
check "right marks, wrong stack" annotated_stack.c BUG_CAS points violation violation
check "marked where top is read" annotated_stack.c WRONG_PUSH points violation "wrong annotation"
check "marked once in each attempt" annotated_stack.c WRONG_POP points violation "wrong annotation"
check "not marked" annotated_stack.c WRONG_MISSING points violation "wrong annotation"
check "right marks, right queue" annotated_queue.c X points linearizable
check "right marks, wrong queue" annotated_queue.c BUG_TAIL points violation violation
check "marked where tail is swung" annotated_queue.c WRONG_TAIL points violation "wrong annotation"
check "right marks, right set; contains has none" lazy_set.c X points linearizable
check "right marks, wrong set" lazy_set.c BUG_ONE_LOCK points violation violation
check "marked where the node is unlinked" lazy_set.c WRONG_REMOVE points violation "wrong annotation"
"$plumb" explore --quiet --monitor pattern corpus/snark_deque.c >"$work/out" 2>&1; code=$?
number=$((number + 1))
if [ $code = 64 ] && grep -q "not for deque" "$work/out"; then echo "ok $number - no patterns for a deque"; else echo "not ok $number - no patterns for a deque: $(cat "$work/out")"; bad=1; fi
# On every history of every execution of every scenario: pattern, A_0..A_4 and all linearizations against the complete engines.
# A thousand executions of each program; PLUMB_SOAK: to the end, or a minute.
limit=(--time 100 --executions 1000) decided=0
if [ -n "${PLUMB_SOAK-}" ]; then limit=(--time 60); fi
while read -r file flag truth; do
    case $file in '#'* | '') continue ;; esac
    grep -qE 'PLUMB_OBJECT\("(queue|stack|register|lock|set)"\)' "corpus/$file" || continue
    timeout 160 "$plumb" explore --quiet --color never "${limit[@]}" --monitor agree --flags "-D${flag/#-/X}" --schedule "$work/schedule" "corpus/$file" >"$work/out" 2>"$work/err"; code=$?
    rm -f "$work/schedule"
    number=$((number + 1))
    said=$(sed -n 's/^note: monitor agree: .*not for it: all agree//p' "$work/out" | tr ',' '\n' | grep . | sort -u | tr '\n' ',')
    grep -q "on " <<<"$said" && decided=$((decided + 1))
    # A bit has two values only, and some programs add an element again: what patterns cannot tell apart they refuse, all else they decide.
    case $file$said in tromp_bit*silent* | harris_michael_set*silent* | skip_list_set*silent*) code=70 ;; tromp_bit* | harris_michael_set* | skip_list_set*) ;; *silent* | *refuse*) code=70 ;; esac
    # Where a use after free is found before anything else there is nothing to compare.
    if [ $code -ge 64 ] || { [ $code != 1 ] && [ -z "$said" ]; }; then echo "not ok $number - monitors agree on $file $flag ($truth): $(cat "$work/err" "$work/out")"; bad=1
    else echo "ok $number - monitors agree on $(sed -n 's/.*, \([0-9,]*\) distinct histories.*/\1/p' "$work/out") histories of $file $flag ($truth):${said:- $(head -1 "$work/out")}"; fi
done <corpus/cases.txt
number=$((number + 1))
if [ $decided -ge 25 ]; then echo "ok $number - patterns decide histories of $decided cases"; else echo "not ok $number - patterns decide histories of $decided cases only"; bad=1; fi
exit $bad
