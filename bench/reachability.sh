#!/bin/bash
# The static-detection table of "Linearizability checking: reductions to state reachability", on the corpus: each planted bug with
# a monitor A_k (k = 1 where the slides have 0 for B4 and B6), how it was found, the program (inserts x removes), and the published
# time. The two ABA bugs are looked for with --freed-reads --reuse choose, since otherwise they are a use after free before any history is bad;
# one of them with a program that is given. Every bug is asked for in less than 2 seconds.
# Exit 1: a bug was not found. `make bench` keeps it in bench/results/reachability.txt.
set -u
cd "$(dirname "$0")/.." || exit 1
plumb=${1:-build/plumb}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count_of() { grep -oE "$1" <<<"$2" | wc -l; }
table() {
    bad=0
    printf '%-20s  %-8s  %-4s  %1s  %-15s  %11s  %10s  %7s  %9s  %s\n' library bug PxQ k found preemptions executions seconds published program
    while read -r library bug k file flag published given; do
        how=()
        # ABA: a freed block may be read, and comes back
        [ "$flag" != BUG_ABA ] || how=(--freed-reads --reuse choose)
        [ -z "$given" ] || how+=(--program "$given")
        timeout 60 "$plumb" explore "${how[@]}" --quiet --color never --jobs 1 --monitor "count,k=$k" --flags "-D$flag" --schedule "$work/schedule" "corpus/$file" >"$work/out" 2>&1
        rm -f "$work/schedule"
        read -r preemptions executions seconds < <(sed -n 's/^found after \([0-9,]*\) executions*, .* \([0-9.]*\) s, with \([0-9]*\) preemptions*$/\3 \1 \2/p' "$work/out")
        program=$(sed -n 's/^threads: //p' "$work/out")
        missed=$(awk -v s="${seconds:-99}" 'BEGIN { if (s >= 2) print " MISSED" }')
        [ -n "$seconds" ] || bad=1
        printf '%-20s  %-8s  %-4s  %1s  %-15s  %11s  %10s  %7s%s  %9s  %s\n' "$library" "$bug" "$(count_of 'enq\(|push\(|add\(' "$program")x$(count_of 'deq|pop|remove|contains' "$program")" \
            "$k" "$(head -n 1 "$work/out" | cut -d: -f1)" "${preemptions:--}" "${executions:--}" "${seconds:--}" "$missed" "[$published]" "$program"
    done <<'END'
michael-scott-queue B1-head 1 two_lock_queue.c BUG_HEAD_LOCK 24.76
michael-scott-queue B1-tail 1 two_lock_queue.c BUG_TAIL_LOCK 45.44
treiber-stack B2 1 treiber_stack.c BUG_ABA 52.59 push(1) pop | pop push(2) push(3) pop
treiber-stack B3-push 1 annotated_stack.c BUG_CAS 24.46
treiber-stack B3-pop 1 annotated_stack.c BUG_POP 15.16
elimination-stack B4 1 elimination_stack.c BUG_BRACE 317.79
elimination-stack B5 1 elimination_stack.c BUG_ASSIGNMENT 222.04
elimination-stack B2 0 elimination_stack.c BUG_ABA 434.84
lock-coupling-set B6 1 lock_coupling_set.c BUG_UNLOCK 11.27
lfds-queue B7 1 free_list_queue.c BUG_COUNTER 77.00
END
    return $bad
}
echo "# $(date -u +%F), $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) cores, $("$plumb" version | head -1)"
table
