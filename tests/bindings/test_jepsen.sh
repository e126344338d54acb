#!/bin/bash
# The checker for Jepsen, by Clojure of Debian; Jepsen itself is not there, its protocol is.
. "$(dirname "$0")/../cli/lib.sh"
BINDING=$(cd "$(dirname "$0")/../../bindings/jepsen" && pwd)
command -v java >/dev/null || { echo "skip - no java"; exit 0; }
jars=/usr/share/java
[ -f $jars/clojure.jar ] || { echo "skip - no clojure"; exit 0; }
case $PLUMB in /*) ;; *) PLUMB=$PWD/$PLUMB ;; esac
export PLUMB
class_path=$BINDING/src:$BINDING/test
for jar in clojure spec.alpha core.specs.alpha; do class_path=$class_path:$jars/$jar.jar; done
cd "$SCRATCH" || exit 1
timeout 300 java -XX:-UsePerfData -Djava.io.tmpdir="$SCRATCH" -cp "$class_path" clojure.main "$BINDING/test/plumbline/jepsen_test.clj" >out 2>&1
ok "the tests of the checker" $?
ok "all were run" "$(grep -q '^Ran 6 tests' out; echo $?)"
finish
