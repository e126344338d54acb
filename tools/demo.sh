#!/bin/bash
# Checks the example histories one by one: what plumb says of a right one and of a wrong one of several objects. Then explores
# the wrong queue of the README.
cd "$(dirname "$0")/.." || exit 1
good=0 bad=0 other=0
for f in examples/histories/*; do
    echo "\$ plumb check $f"
    build/plumb check "$f"
    case $? in 0) good=$((good + 1)) ;; 1) bad=$((bad + 1)) ;; *) other=$((other + 1)) ;; esac
    echo
done
echo "\$ plumb explore examples/explore/queue_test.c examples/explore/queue.c"
build/plumb explore --schedule "$(mktemp -u)" examples/explore/queue_test.c examples/explore/queue.c
[ $? -eq 1 ] || other=$((other + 1))
echo
echo "$((good + bad + other)) histories: $good linearizable, $bad violations"
[ "$other" -eq 0 ]
