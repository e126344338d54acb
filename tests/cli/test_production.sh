#!/bin/bash
# plumb monitor in production: metrics while it runs, what a violation leaves behind, who is told; probes in the library.
. "$(dirname "$0")/lib.sh"

printf '[1] call enq 1\n[1] return\n[1] call enq 2\n[1] return\n' >"$SCRATCH/right"
cat "$SCRATCH/right" - >"$SCRATCH/wrong" <<'END'
[2] call deq
[2] return 2
END

# ---- metrics ----

ask() { # port path: what is answered
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
    printf 'GET %s HTTP/1.1\r\nHost: here\r\n\r\n' "$2" >&3
    cat <&3
    exec 3>&-
}

judge_with_metrics() {
    mkfifo "$SCRATCH/events"
    timeout 60 "$PLUMB" monitor -o queue --metrics :0 "$SCRATCH/events" >"$SCRATCH/verdict" 2>"$SCRATCH/where" &
    monitor=$!
    exec 4>"$SCRATCH/events"
    cat "$SCRATCH/right" >&4
    for try in $(seq 1000); do
        port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/metrics$|\1|p' "$SCRATCH/where")
        [ -n "$port" ] && ask "$port" /metrics >"$SCRATCH/out" 2>"$SCRATCH/err" && grep -q '^plumb_operations_checked_total{.*} 2$' "$SCRATCH/out" && break
        sleep 0.01
    done
    says "metrics say what was judged" out 'plumb_operations_checked_total{object="queue",source="'
    ok "both operations" "$(grep -q '^plumb_operations_checked_total{.*} 2$' "$SCRATCH/out"; echo $?)"
    ok "the verdict so far" "$(grep -q '^plumb_verdict{.*,verdict="linearizable"} 1$' "$SCRATCH/out"; echo $?)"
    says "as HTTP" out "HTTP/1.1 200 OK"
    says "with the type that Prometheus expects" out "Content-Type: text/plain; version=0.0.4"
    ask "$port" /other >"$SCRATCH/out" 2>"$SCRATCH/err"
    says "nothing else is there" out "HTTP/1.1 404 Not Found"
    exec 5<>"/dev/tcp/127.0.0.1/$port" # one that says nothing
    for i in 1 2 3; do ask "$port" /metrics >"$SCRATCH/out" 2>"$SCRATCH/err"; done
    says "a client that says nothing holds no other up" out "HTTP/1.1 200 OK"
    exec 5>&-
    exec 4>&-
    wait "$monitor"
    code=$?
    exits "the verdict is what it is without metrics" 0
    says "and is printed" verdict "linearizable: 4 events"
}
if has_loopback; then judge_with_metrics; else echo "skip no connections to 127.0.0.1 here"; fi
plumb monitor -o queue --metrics nowhere "$SCRATCH/right"
exits "an address that is none is a usage error" 64
one_line "in one line" err
plumb monitor -o queue --metrics 127.0.0.1:99999 "$SCRATCH/right"
exits "nor is a port that is none" 64

# ---- what a violation leaves behind ----

hook='printf "%s|%s|%s|%s\n" "$PLUMB_OBJECT" "$PLUMB_REASON" "$PLUMB_CERTIFICATE" "$PLUMB_PAGE" >"$TOLD"'
export TOLD=$SCRATCH/told
plumb monitor -q -o queue --save "$SCRATCH/found" --hook "$hook" "$SCRATCH/wrong"
exits "a violation is one" 1
ok "the hook was told" "$(grep -q "^queue|.*|$SCRATCH/found/violation-1.certificate|$SCRATCH/found/violation-1.html$" "$TOLD"; echo $?)"
ok "the page shows it" "$(grep -q '<p class="verdict">violation</p>' "$SCRATCH/found/violation-1.html"; echo $?)"
plumb certify "$SCRATCH/found/violation-1.certificate"
exits "the certificate holds" 0
plumb monitor -q -o queue --save "$SCRATCH/found" "$SCRATCH/wrong"
ok "the next one has the next number" "$([ -s "$SCRATCH/found/violation-2.certificate" ] && [ -s "$SCRATCH/found/violation-2.html" ]; echo $?)"
rm -f "$TOLD"
plumb monitor -q -o queue --save "$SCRATCH/none" --hook "$hook" "$SCRATCH/right"
exits "without a violation" 0
ok "nothing is written and nothing is run" "$([ ! -e "$TOLD" ] && [ -z "$(ls "$SCRATCH/none")" ]; echo $?)"
plumb monitor -q -o queue --hook 'exit 3' "$SCRATCH/wrong"
exits "a hook that fails changes no verdict" 1
says "and is said" err "--hook ended with 3"
touch "$SCRATCH/file"
plumb monitor -q -o queue --save "$SCRATCH/file" "$SCRATCH/wrong"
exits "a folder that is none is found out before anything is watched" 66
one_line "in one line" err
plumb monitor -q -o queue --hook 'touch "$EVIL"' "$SCRATCH/wrong"
exits "the reason is in the environment, not in the command" 1

# ---- probes ----

library=${PLUMB_BUILD:-build}/libplumbline-record.so
if [ "$(uname -m)" = x86_64 ] && command -v readelf >/dev/null && [ -e "$library" ]; then
    readelf -n "$library" >"$SCRATCH/out" 2>/dev/null
    for probe in join leave chunk dark misuse; do
        ok "probe $probe" "$(grep -A1 'Provider: plumbline' "$SCRATCH/out" | grep -q "Name: $probe\$"; echo $?)"
    done
else
    echo "# skip the probes: no readelf, no library or another processor"
fi

# ---- replicas of which no client did anything ----

ask_idle_replicas() {
    # in the foreground: else timeout sends SIGCONT behind its signal, which the leak sanitizer may wait behind for ever
    timeout --foreground 60 "$PLUMB" replica >"$SCRATCH/replica" & replica=$!
    for try in $(seq 1000); do [ -s "$SCRATCH/replica" ] && break; sleep 0.01; done
    plumb monitor --replicas "$(cat "$SCRATCH/replica")" --idle 0.2
    exits "nothing was judged: no verdict" 2
    says "is what it says" out "undecided: nothing was judged"
    kill "$replica"
    wait "$replica" 2>/dev/null
}
if has_loopback; then ask_idle_replicas; else echo "skip no connections to 127.0.0.1 here"; fi

finish
