#!/bin/bash
# The classes for Java: their tests, by JUnit 4 of Debian, and the example of their README.
. "$(dirname "$0")/../cli/lib.sh"
BINDING=$(cd "$(dirname "$0")/../../bindings/java" && pwd)
command -v javac >/dev/null && command -v java >/dev/null || { echo "skip - no javac or java"; exit 0; }
case $PLUMB in /*) ;; *) PLUMB=$PWD/$PLUMB ;; esac
export PLUMB JAVA_TOOL_OPTIONS="-Djava.io.tmpdir=$SCRATCH -XX:-UsePerfData"
cd "$SCRATCH" || exit 1
javac -Xlint:all -Werror -encoding UTF-8 --release 11 -d classes "$BINDING"/src/plumbline/*.java >out 2>&1; ok "compiled without warnings" $?
sed -n '/^```java/,/^```/p' "$BINDING/README.md" | sed '/^```/d' >Example.java
javac -cp classes -d classes Example.java >out 2>&1 && java -cp classes Example >out 2>&1
ok "the example of its README" "$(grep -qxF 'LINEARIZABLE [0, 1]' out; echo $?)"
ok "the recorder has under 300 lines" "$([ "$(wc -l <"$BINDING/src/plumbline/Recorder.java")" -lt 300 ]; echo $?)"
junit=/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar
if [ -f /usr/share/java/junit4.jar ]; then
    javac -cp "classes:$junit" -d classes "$BINDING"/test/plumbline/*.java >out 2>&1 &&
        java -cp "classes:$junit" org.junit.runner.JUnitCore plumbline.PlumblineTest >out 2>&1
    ok "JUnit" $?
else echo "skip - no junit4: the tests of the classes"; fi
finish
