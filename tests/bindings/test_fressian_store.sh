#!/bin/bash
# Stores of Jepsen that have only their binary files, written by the Fressian of Debian's Clojure: the history, the test
# map and the results come from them, and are those of the text.
. "$(dirname "$0")/../cli/lib.sh"
HERE=$(cd "$(dirname "$0")" && pwd)
command -v java >/dev/null || { echo "skip - no java"; exit 0; }
jars=/usr/share/java
for jar in clojure data.fressian fressian; do [ -f $jars/$jar.jar ] || { echo "skip - no $jar.jar (libdata-fressian-clojure)"; exit 0; }; done
case $PLUMB in /*) ;; *) PLUMB=$PWD/$PLUMB ;; esac
class_path=
for jar in clojure spec.alpha core.specs.alpha data.fressian fressian; do class_path=$class_path:$jars/$jar.jar; done
cd "$SCRATCH" || exit 1
timeout 300 java -XX:-UsePerfData -Djava.io.tmpdir="$SCRATCH" -cp "${class_path#:}" clojure.main "$HERE/fressian_store.clj" run >out 2>err
ok "a store is written" $?
plumb check run; exits "test.jepsen is judged" 1
says "the test map and the results come from it" err "run: a run of Jepsen, test binary register, 3 nodes, concurrency 4; its own checkers said :valid? false"
says "and the history" err "read run/test.jepsen: jepsen-binary"
plumb check run/old; exits "test.fressian is judged" 1
says "its map, too" err "test binary register, 3 nodes, concurrency 4; its own checkers said :valid? false"
for file in run/test.jepsen run/old/test.fressian run/as.edn; do
    plumb convert -q --to jsonl $file "$(basename $file).jsonl"
    exits "$file is converted" 0
done
ok "it is the history of the text" "$(cmp -s test.jepsen.jsonl as.edn.jsonl; echo $?)"
ok "so is that of the old file" "$(cmp -s test.fressian.jsonl as.edn.jsonl; echo $?)"
ok "all of it" "$([ "$(grep -c '"op"\|"method"\|"f"' as.edn.jsonl)" -ge 80 ]; echo $?)"
head -c 1500 run/test.jepsen >cut.jepsen
plumb check cut.jepsen; exits "a file that ends early" 65; one_line "is refused in one line" err
finish
