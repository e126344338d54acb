#!/bin/bash
# The examples of examples/runtime: built, recorded, checked, monitored, attached to, guarded; right and wrong.
. "$(dirname "$0")/lib.sh"
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip the examples are tested with the release build"; exit 0; fi
BUILD=${PLUMB_BUILD:-build}
flags=(-O2 -Wall -Wextra -Wpedantic -Werror -Iinclude -Iexamples/runtime -pthread)
link=(-L"$BUILD" -lplumbline -Wl,-rpath,"$BUILD")

build() { # name compiler-and-standard source [libraries]
    local name=$1 compiler=$2 source=$3
    shift 3
    $compiler "${flags[@]}" -o "$SCRATCH/$name" "$source" "${link[@]}" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    ok "$name is built without warnings" $?
}

examples=(ms_queue rwlock_map)
build ms_queue "cc -std=c11 -D_GNU_SOURCE" examples/runtime/ms_queue.c
build rwlock_map "cc -std=c11 -D_GNU_SOURCE" examples/runtime/rwlock_map.c
for e in exchanger agreement; do # operations that take effect together
    build $e "cc -std=c11 -D_GNU_SOURCE" examples/runtime/$e.c
    examples+=($e)
done
if command -v c++ >/dev/null; then build std_queue "c++ -std=c++17" examples/runtime/std_queue.cpp; examples+=(std_queue); fi
if [ -f /usr/include/ck_ring.h ]; then build ck_ring "cc -std=gnu11 -Wno-pedantic" examples/runtime/ck_ring.c; examples+=(ck_ring); fi

run() { timeout 60 "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"; code=$?; }

for e in "${examples[@]}"; do
    log=$SCRATCH/$e.plumblog
    run "$SCRATCH/$e" record "$log" 30000; exits "$e records" 0
    plumb check -q "$log"; exits "$e: what it recorded is linearizable" 0
    plumb monitor --attach "$log"; exits "$e: the same by a monitor that is attached afterwards" 0
    run "$SCRATCH/$e" monitor 100000; exits "$e is linearizable while it runs" 0
    run "$SCRATCH/$e" guard 30000; exits "$e: every answer is verified" 0
    run "$SCRATCH/$e" record "$log" 30000 wrong; plumb check -q "$log"; exits "$e: wrong, recorded" 1
    plumb monitor --attach "$log" --witness "$SCRATCH/$e.cert"; exits "$e: wrong, attached" 1
    run "$SCRATCH/$e" monitor 100000 wrong; exits "$e: wrong, monitored" 1
    run "$SCRATCH/$e" guard 30000 wrong; exits "$e: wrong, guarded" 1
done
plumb monitor --attach "$SCRATCH/ms_queue.plumblog" --html "$SCRATCH/ms_queue.html"; exits "a page from a monitor that is attached" 1
ok "shows the violation" "$(grep -q '<p class="verdict">violation</p>' "$SCRATCH/ms_queue.html" && grep -q 'ms_queue.plumblog' "$SCRATCH/ms_queue.html"; echo $?)"
plumb certify "$SCRATCH/ms_queue.cert"; exits "the witness of a monitor that was attached holds" 0
# What shows the violation may be forgotten when the monitor comes to it; what is written must hold.
if [ -e "$SCRATCH/rwlock_map.cert" ]; then plumb certify "$SCRATCH/rwlock_map.cert"; exits "and that of a map, whose evidence is a few of many operations" 0; fi

# certificates in segments
run "$SCRATCH/ms_queue" segments "$SCRATCH/run" 30000; exits "a guard writes segments" 0
plumb certify "$SCRATCH/run"; exits "which hold" 0
says "all of them" out "holds: 60000 operations of object queue in 6 segments are linearizable"
plumb certify "$SCRATCH"/run/*; exits "also as a list of files" 0
plumb certify "$SCRATCH/run/000000000002.segment"; exits "one of them by itself" 0
says "from where it begins" out "if the run came to the state in which segment 2 begins"
plumb check -q "$SCRATCH/run/000000000002.segment"; exits "each is a history" 0
for s in "$SCRATCH"/run/*.segment; do "$PLUMB" convert -q -t jsonl "$s" - ; done | grep -v -e '"call":-' -e annotation >"$SCRATCH/run.jsonl"
plumb certify --history "$SCRATCH/run.jsonl" "$SCRATCH/run"; exits "their operations are the history of the run" 0
says "which is said" out "the history is that of"
plumb certify --history "$SCRATCH/run.jsonl" "$SCRATCH/run/000000000000.segment"; exits "those of one segment are not" 1
plumb certify --history "$SCRATCH/run.jsonl" "$SCRATCH/run/000000000002.segment"; exits "nor of one from the middle" 1
head -c 1000 "$SCRATCH/run/000000000002.segment" >"$SCRATCH/run/000000000006.segment.new"
plumb certify "$SCRATCH/run"; exits "beside one that was not finished" 0
"$SCRATCH/ms_queue" segments "$SCRATCH/killed" 3000000 >/dev/null & program=$!
for try in $(seq 3000); do [ -e "$SCRATCH/killed/000000000002.segment" ] && break; sleep 0.01; done
kill -9 "$program" 2>/dev/null
wait "$program" 2>/dev/null
plumb certify "$SCRATCH/killed"; exits "those of a program that was killed hold as far as they go" 0
mv "$SCRATCH/run/000000000002.segment" "$SCRATCH/elsewhere"
plumb certify "$SCRATCH/run"; exits "without one in the middle they do not" 1
one_line "one line" out
says "says which" out "it is segment 3; expected segment 2"
plumb certify "$SCRATCH"/run/*1.segment "$SCRATCH/run/000000000000.segment"; exits "nor in another order" 1
plumb certify "$SCRATCH/run/000000000000.segment" "$SCRATCH/ms_queue.cert"; exits "nor with something else among them" 65
one_line "one line" err
mkdir "$SCRATCH/none"
plumb certify "$SCRATCH/none"; exits "an empty folder" 65

# a monitor that is there from the beginning of a program that is still running
"$SCRATCH/ms_queue" record "$SCRATCH/live.plumblog" 300000 wrong & program=$!
while [ ! -s "$SCRATCH/live.plumblog" ]; do sleep 0.01; done
sleep 0.02
plumb monitor --attach "$SCRATCH/live.plumblog"; exits "a violation is seen while the program runs" 1
kill -9 "$program" 2>/dev/null
wait "$program" 2>/dev/null
plumb monitor -q "$SCRATCH/live.plumblog"; exits "and is in the file after kill -9" 1

# several monitors of one ring: one is killed, the others go on
monitors() { # words for the program: two monitors beside it, of which one is killed; the exit code of the other
    local log=$SCRATCH/ring.plumblog
    rm -f "$log"
    "$SCRATCH/ms_queue" ring "$log" "$@" & program=$!
    while [ ! -s "$log" ]; do sleep 0.01; done
    "$PLUMB" monitor --attach "$log" >/dev/null 2>&1 & victim=$!
    timeout 60 "$PLUMB" monitor --json --attach "$log" >"$SCRATCH/out" 2>"$SCRATCH/err" & other=$!
    sleep 0.1
    kill -9 "$victim" 2>/dev/null
    wait "$victim" 2>/dev/null
    wait "$other"; code=$?
    wait "$program" 2>/dev/null
}
monitors 3000000
ok "after kill -9 of one monitor the other raises no false alarm" "$([ $code = 0 ] || [ $code = 2 ]; echo $?)"
ok "and goes on judging" "$(grep -q '"checked":[1-9][0-9][0-9][0-9]' "$SCRATCH/out"; echo $?)"
monitors 3000000 wrong; exits "and finds the violation" 1

plumb monitor --attach "$SCRATCH/nowhere"; exits "nothing to attach to" 66
echo nonsense >"$SCRATCH/nonsense"
plumb monitor --attach "$SCRATCH/nonsense"; exits "no log of a recorder" 65
one_line "one line" err
head -c 20000 "$SCRATCH/ms_queue.plumblog" >"$SCRATCH/cut.plumblog"
plumb check "$SCRATCH/cut.plumblog"; exits "a log that was cut is bad input" 65
one_line "and one line" err
records_at=$(od -An -tu8 -j24 -N8 "$SCRATCH/ms_queue.plumblog") # chunks_at of the header
head -c $((records_at + 50000)) "$SCRATCH/ms_queue.plumblog" >"$SCRATCH/cut.plumblog"
plumb check -q "$SCRATCH/cut.plumblog"
ok "cut among its records it is no verdict about the whole" "$([ $code = 1 ] || [ $code = 2 ]; echo $?)"

# a disk that is full: the program goes on, and what was recorded is judged
mkdir "$SCRATCH/small"
cat >"$SCRATCH/full.sh" <<EOF
mount -t tmpfs -o size=1m none "$SCRATCH/small" || exit 99
"$SCRATCH/ms_queue" record "$SCRATCH/small/full.plumblog" 300000 >"$SCRATCH/full.out" 2>&1; program=\$?
"$PLUMB" check "$SCRATCH/small/full.plumblog" >"$SCRATCH/out" 2>"$SCRATCH/err"; echo \$? >"$SCRATCH/full.code"
exit \$program
EOF
unshare -rm sh "$SCRATCH/full.sh" 2>"$SCRATCH/full.err"; code=$?
if [ -e "$SCRATCH/full.code" ]; then
    ok "a program whose disk is full is not killed" "$([ $code = 0 ]; echo $?)"
    ok "and what was recorded is judged" "$([ "$(cat "$SCRATCH/full.code")" = 2 ]; echo $?)"
    says "but is no verdict about the rest" out "operations were not recorded, for want of room; the "
fi
finish
