#!/bin/bash
# Budgets are promises, even inside a step that never returns; Ctrl-C prints what is known.
. "$(dirname "$0")/lib.sh"

cc -std=gnu11 -shared -fPIC -Iinclude -o "$SCRATCH/stubborn.so" tests/cli/plugins/stubborn.c || { echo "not ok 1 - plug-in compiles"; exit 1; }
history() { # amount
    printf '{"client":1,"op":"add","args":[1],"call":0,"ret":1,"res":null}\n{"client":1,"op":"add","args":[%s],"call":2,"ret":3,"res":null}\n' "$1"
    printf '{"client":1,"op":"get","args":[],"call":4,"ret":5,"res":99}\n'
}
history 2 >"$SCRATCH/good.jsonl"
history 4242 >"$SCRATCH/sleep.jsonl"
history 4243 >"$SCRATCH/loop.jsonl"
history 4244 >"$SCRATCH/eat.jsonl"
S=(--object "$SCRATCH/stubborn.so")

plumb check "${S[@]}" "$SCRATCH/good.jsonl"; exits "the plug-in itself works" 1
for how in sleep loop; do
    plumb check "${S[@]}" --timeout 300ms "$SCRATCH/$how.jsonl"; exits "--timeout inside a step ($how)" 2
    says "the reason is given ($how)" out "undecided: time budget spent"
    says "the operations are known ($how)" out "3 operations"
done
plumb check "${S[@]}" --timeout 2s --threads 1 "$SCRATCH/sleep.jsonl" "$SCRATCH/good.jsonl"; exits "the others go on" 1
says "the stuck one is undecided" out "sleep.jsonl: undecided"
says "the one behind it is decided" out "good.jsonl: violation"
plumb check "${S[@]}" --timeout 300ms --json "$SCRATCH/sleep.jsonl"
says "--json of a stuck one" out '"verdict":"undecided","reason":"time budget spent'

if [ -z "${PLUMB_SANITIZED-}" ]; then # sanitizers have a memory of their own
    cat >"$SCRATCH/peak.py" <<'PY'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PY
    plumb check "${S[@]}" --memory 200M "$SCRATCH/eat.jsonl"; exits "--memory inside a step" 2
    says "the reason is given (memory)" out "undecided: memory budget spent"
    if command -v python3 >/dev/null; then
        peak=$(timeout 60 python3 "$SCRATCH/peak.py" "$PLUMB" check -q "${S[@]}" --memory 200M "$SCRATCH/eat.jsonl")
        echo "# exit code and peak in MB: $peak"
        ok "the peak is within 10 %" "$([ "${peak#* }" -le 220 ]; echo $?)"
    fi
fi

# A hard history: an engine that listens.
{ echo '# @object register'
  for i in $(seq 40); do echo "[$i] call write($i)"; done
  for i in $(seq 40); do echo "[$((i + 100))] call read"; done
  for i in $(seq 40); do echo "[$i] return"; done
  for i in $(seq 40); do echo "[$((i + 100))] return $i"; done
  echo '[999] call write(1)'; echo '[999] return'
  echo '[999] call read'; echo '[999] return 5000'; } >"$SCRATCH/hard.violin"
plumb check --engine search --timeout 500ms "$SCRATCH/hard.violin"
ok "--timeout of an engine" "$([ "$code" -eq 2 ] || [ "$code" -eq 1 ]; echo $?)"

interrupt() { # seconds arguments...: starts plumb, waits, sends SIGINT
    local wait=$1
    shift
    "$PLUMB" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" <"$SCRATCH/pipe" &
    local pid=$!
    sleep "$wait"
    kill -INT "$pid"
    wait "$pid"
    code=$?
}
mkfifo "$SCRATCH/pipe"
sleep 30 >"$SCRATCH/pipe" & # keeps standard input open without a byte
writer=$!
# Background jobs of a script ignore SIGINT unless they set a handler, which plumb does.
interrupt 1 check -; exits "Ctrl-C while reading" 130
says "says that it was interrupted" out "undecided: interrupted while reading"
interrupt 1 check "${S[@]}" "$SCRATCH/sleep.jsonl"; exits "Ctrl-C inside a step" 130
says "says what is known" out "3 operations"
interrupt 1 check "${S[@]}" --threads 1 "$SCRATCH/good.jsonl" "$SCRATCH/sleep.jsonl" "$SCRATCH/good.jsonl"; exits "Ctrl-C among several" 130
says "what was decided before stands" out "good.jsonl: violation"
says "what was not begun is named" out "good.jsonl: undecided: interrupted before it was begun"
says "the summary is printed" out "files   linearizable"
interrupt 1 check --json "${S[@]}" "$SCRATCH/sleep.jsonl"
says "--json after Ctrl-C" out '"reason":"interrupted'

"$PLUMB" check - >"$SCRATCH/out" 2>"$SCRATCH/err" <"$SCRATCH/pipe" &
pid=$!
sleep 1
kill -USR1 $pid
sleep 0.5
kill -TERM $pid
wait $pid
code=$?
says "SIGUSR1 prints the status" err "plumb: -: reading"
exits "SIGTERM ends it as well" 143
kill $writer 2>/dev/null
finish
