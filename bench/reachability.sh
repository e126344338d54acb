#!/bin/bash
# The static-detection table of "Linearizability checking: reductions to state reachability", on the corpus: each planted bug with
# the monitor A_k of the slides (B4: k=1 instead of 0; a set has no A_k here: all linearizations), how it was found, and the
# published time. The two ABA bugs are found as use after free before any history is bad.
set -u
cd "$(dirname "$0")/.." || exit 1
plumb=${1:-build/plumb}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$2"; }
echo "# $(date -u +%F), $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) cores, $("$plumb" version | head -1)"
printf '%-20s %-10s %-10s %-16s %5s %10s %8s %10s  %s\n' library bug monitor found pre executions seconds published program
while read -r library bug monitor file flag published; do
    timeout 60 "$plumb" explore --quiet --color never --jobs 1 --monitor "$monitor" --flags "-D$flag" --schedule "$work/schedule" "corpus/$file" >"$work/out" 2>&1
    rm -f "$work/schedule"
    numbers=$(sed -n 's/^found after \([0-9,]*\) executions*, .* \([0-9.]*\) s, with \([0-9]*\) preemptions*$/\3 \1 \2/p' "$work/out")
    # shellcheck disable=SC2086
    printf '%-20s %-10s %-10s %-16s %5s %10s %8s %10s  %s\n' "$library" "$bug" "$monitor" "$(head -n 1 "$work/out" | cut -d: -f1)" ${numbers:-- - -} "$published" \
        "$(sed -n 's/^threads: //p' "$work/out")"
done <<'END'
michael-scott-queue B1-head count,k=1 two_lock_queue.c BUG_HEAD_LOCK 24.76
michael-scott-queue B1-tail count,k=1 two_lock_queue.c BUG_TAIL_LOCK 45.44
treiber-stack B2 count,k=1 treiber_stack.c BUG_ABA 52.59
treiber-stack B3-push count,k=1 annotated_stack.c BUG_CAS 24.46
treiber-stack B3-pop count,k=1 annotated_stack.c BUG_POP 15.16
elimination-stack B4 count,k=1 elimination_stack.c BUG_BRACE 317.79
elimination-stack B5 count,k=1 elimination_stack.c BUG_ASSIGNMENT 222.04
elimination-stack B2 count,k=0 elimination_stack.c BUG_ABA 434.84
lock-coupling-set B6 all lock_coupling_set.c BUG_UNLOCK 11.27
lfds-queue B7 count,k=1 free_list_queue.c BUG_COUNTER 77.00
END
