#!/bin/bash
# Every file that a command writes is the old one or the whole new one: whenever the command is killed, and whatever
# goes wrong. PLUMB_SOAK=1: a thousand kills.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/lib.sh
plain_scratch
examples=$PWD/examples/histories
kills=2
[ -z "${PLUMB_SOAK-}" ] || kills=56
folder=$SCRATCH/folder
mkdir "$folder"

# ---- standard output that takes nothing ----
if [ -w /dev/full ]; then
    refused() { # name, arguments: says so and fails
        local name=$1
        shift
        "$PLUMB" "$@" >/dev/full 2>"$SCRATCH/err"
        code=$?
        exits "$name: standard output is full" 66
        says "$name: says so" err "cannot write: No space left"
    }
    refused "check --json" check -q --json "$examples/queue-right.jsonl"
    refused "check" check -q "$examples/queue-right.jsonl"
    refused "check of a violation" check -q "$examples/queue-wrong.jsonl"
    refused "check --junit -" check -q --junit - "$examples/queue-right.jsonl"
    refused "convert" convert --to violin "$examples/queue-right.jsonl" -
    refused "generate" generate -o queue -n 10
    refused "view" view -q -o - "$examples/queue-right.jsonl"
    refused "view of a violation" view -q -o - "$examples/queue-wrong.jsonl"
    refused "monitor" monitor -q -o queue "$examples/queue-right.jsonl"
    refused "monitor --json" monitor -q --json -o queue "$examples/queue-wrong.jsonl"
    plumb check -q "$examples/queue-right.jsonl" --certificate "$SCRATCH/small.cert"
    refused "certify" certify "$SCRATCH/small.cert"
    refused "certify --history" certify --history "$examples/queue-right.jsonl" "$SCRATCH/small.cert"
    refused "theory" theory
    refused "theory --print" theory --print queue
    refused "init" init -o -
    refused "monitors" monitors
    refused "export-monitor" export-monitor
    for listing in objects engines formats help version; do refused "$listing" "$listing"; done
    refused "check --help" check --help
    plumb convert "$examples/queue-right.jsonl" /dev/full --to violin
    exits "a full device" 66
fi

# ---- a disk without room: half a file never takes the name ----
plumb generate -o queue -n 20000 --seed 1 -O "$SCRATCH/long.jsonl"
plumb check -q "$SCRATCH/long.jsonl" --certificate "$SCRATCH/long.cert"
limited() { # name target arguments: no file may have more than 8 blocks; the old one stays, nothing beside it
    local name=$1 target=$2
    shift 2
    rm -rf "$folder" && mkdir "$folder"
    echo old >"$target"
    (ulimit -f 8; trap '' XFSZ; exec "$PLUMB" "$@" >/dev/null 2>"$SCRATCH/err")
    code=$?
    exits "$name: no room" 66
    says "$name: says so" err "cannot write"
    ok "$name: the old file stays, alone" "$([ "$(cat "$target")" = old ] && [ "$(ls -A "$folder" | wc -l)" -eq 1 ]; echo $?)"
}
limited convert "$folder/h.violin" convert "$SCRATCH/long.jsonl" "$folder/h.violin"
limited generate "$folder/h.jsonl" generate -o queue -n 20000 -O "$folder/h.jsonl"
limited "check --certificate" "$folder/c" check -q --certificate "$folder/c" "$SCRATCH/long.jsonl"
limited "check --html" "$folder/p.html" check -q --html "$folder/p.html" "$SCRATCH/long.jsonl"
limited "view" "$folder/p.html" view -q -o "$folder/p.html" "$SCRATCH/long.jsonl"

# ---- bad input: what was there stays ----
rm -rf "$folder" && mkdir "$folder"
echo old >"$folder/h.violin"
plumb convert --to violin "$PWD/README.md" "$folder/h.violin"
ok "bad input leaves the old file" "$([ $code -ne 0 ] && [ "$(cat "$folder/h.violin")" = old ]; echo $?)"

# ---- killed at any moment ----
# The whole new file is known from a run that was let to its end (what is the same every time is
# compared byte by byte; pages and reports with times are compared by their last line; a checkpoint is whole if the
# command takes up from it, a certificate if it is accepted).
random=$$
fresh=0 # 1: there is no old file
killed() { # name target how arguments; `how` is "", last-line, schedule, certificate or accepted
    local name=$1 target=$2 how=$3 began ended length
    shift 3
    rm -rf "$folder" && mkdir "$folder"
    began=$(date +%s%N)
    "$PLUMB" "$@" >/dev/null 2>"$SCRATCH/err"
    ended=$(date +%s%N)
    length=$(((ended - began) / 1000 + 1))
    ok "$name: writes the file and nothing else" "$([ -s "$target" ] && [ "$(ls -A "$folder" | wc -l)" -eq 1 ]; echo $?)"
    cp "$target" "$SCRATCH/whole" || return
    local torn=0 i wait
    for ((i = 0; i < kills; i++)); do
        random=$(((random * 1103515245 + 12345) % 2147483648))
        wait=$((random % length))
        rm -rf "$folder" && mkdir "$folder"
        [ "$fresh" = 1 ] || echo old >"$target"
        timeout -s KILL "$(printf '%d.%06d' $((wait / 1000000)) $((wait % 1000000 + 1)))" "$PLUMB" "$@" >/dev/null 2>&1
        if [ ! -e "$target" ]; then [ "$fresh" = 1 ] || torn=1; continue; fi
        [ "$(head -c 8 "$target" | tr -d '\0')" = old ] && continue
        if [ "$how" = accepted ]; then "$PLUMB" "$@" >/dev/null 2>&1 || torn=1
        elif [ "$how" = certificate ]; then "$PLUMB" certify "$target" >/dev/null 2>&1 || torn=1
        elif [ "$how" = schedule ]; then [ "$(tail -n 1 "$target" | cut -c 1-9)" = "choices: " ] && [ -z "$(tail -c 1 "$target")" ] || torn=1
        elif [ -n "$how" ]; then [ "$(tail -n 1 "$target")" = "$(tail -n 1 "$SCRATCH/whole")" ] || torn=1
        else cmp -s "$target" "$SCRATCH/whole" || torn=1; fi
    done 2>/dev/null
    ok "$name: killed, the old file or the new one" $torn
}
killed "convert" "$folder/h.violin" "" convert "$SCRATCH/long.jsonl" "$folder/h.violin"
killed "convert, packed" "$folder/h.edn.gz" "" convert "$SCRATCH/long.jsonl" "$folder/h.edn.gz"
killed "convert, packed with zstd" "$folder/h.jsonl.zst" "" convert "$SCRATCH/long.jsonl" "$folder/h.jsonl.zst"
killed "generate" "$folder/h.jsonl" "" generate -o queue -n 20000 --seed 7 -O "$folder/h.jsonl"
killed "check --certificate" "$folder/c" "" check -q --certificate "$folder/c" "$SCRATCH/long.jsonl"
killed "check --html" "$folder/p.html" last-line check -q --html "$folder/p.html" "$SCRATCH/long.jsonl"
killed "check --junit" "$folder/j.xml" last-line check -q --junit "$folder/j.xml" "$SCRATCH/long.jsonl"
killed "check --sarif" "$folder/s.sarif" "" check -q --sarif "$folder/s.sarif" "$examples/queue-wrong.jsonl"
killed "view" "$folder/p.html" last-line view -q -o "$folder/p.html" "$SCRATCH/long.jsonl"
killed "view of a violation" "$folder/p.html" last-line view -q -o "$folder/p.html" "$examples/queue-wrong.jsonl"
killed "monitor --witness" "$folder/w" "" monitor -q --witness "$folder/w" -o queue "$examples/queue-wrong.jsonl"
killed "monitor --html" "$folder/p.html" last-line monitor -q --html "$folder/p.html" -o queue "$examples/queue-wrong.jsonl"
fresh=1
killed "monitor --checkpoint" "$folder/m" accepted monitor -q -o queue --checkpoint "$folder/m" --every 1000 "$SCRATCH/long.jsonl"
killed "init" "$folder/new.c" "" init -o "$folder/new.c"
fresh=0

# A folder of outputs: each file that is there is whole, whichever are there.
whole_folder() {
    local file
    for file in "$folder"/*; do
        case $file in
            *.html) [ "$(tail -n 1 "$file")" = "</html>" ] ;;
            *.certificate) "$PLUMB" certify "$file" >/dev/null 2>&1 ;;
            *.jsonl) cmp -s "$file" "$SCRATCH/whole-folder/${file##*/}" || [ "$("$PLUMB" check -q --json -o queue "$file" 2>/dev/null | grep -c '"error":null')" = 1 ] ;;
            */command) [ -z "$(tail -c 1 "$file")" ] ;;
            *) [ -d "$file" ] || [ ! -e "$file" ] ;;
        esac || return 1
    done
}
killed_folder() { # name arguments; all is written to $folder
    local name=$1 began length torn=0 i wait
    shift
    rm -rf "$folder" "$SCRATCH/whole-folder" && mkdir "$folder"
    began=$(date +%s%N)
    "$PLUMB" "$@" >/dev/null 2>"$SCRATCH/err"
    length=$((($(date +%s%N) - began) / 1000 + 1))
    ok "$name: writes a folder" "$([ "$(ls "$folder" | wc -l)" -ge 2 ] && whole_folder; echo $?)"
    mv "$folder" "$SCRATCH/whole-folder"
    for ((i = 0; i < kills; i++)); do
        random=$(((random * 1103515245 + 12345) % 2147483648))
        wait=$((random % length))
        rm -rf "$folder" && mkdir "$folder"
        timeout -s KILL "$(printf '%d.%06d' $((wait / 1000000)) $((wait % 1000000 + 1)))" "$PLUMB" "$@" >/dev/null 2>&1
        whole_folder || torn=1
    done 2>/dev/null
    ok "$name: killed, each file is whole or not there" $torn
}
killed_folder "monitor --save" monitor -q --save "$folder" -o queue "$examples/queue-wrong.jsonl"
drive="drive memory --object queue -q --ops 300 --time 5 --quiet-end 1"
killed_folder "drive --save" $drive --save "$folder"
killed "drive --html" "$folder/p.html" last-line $drive --html "$folder/p.html"
killed "drive --certificate" "$folder/c" certificate $drive --certificate "$folder/c"
if "$PLUMB" engines | grep -q symbolic && "$PLUMB" check -q --engine symbolic --proof "$SCRATCH/proof" "$examples/queue-wrong.jsonl" >/dev/null 2>&1; [ -s "$SCRATCH/proof" ]; then
    killed "check --proof" "$folder/proof" "" check -q --engine symbolic --proof "$folder/proof" "$examples/queue-wrong.jsonl"
fi

# explore: the schedule that fails, its page and reports
test=examples/explore/queue_test.c
if [ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] && "$PLUMB" cc -o "$SCRATCH/test" "$test" "${test%_test.c}.c" >/dev/null 2>&1; then
    explore="explore -q --time 30 --schedule"
    killed "explore --schedule" "$folder/s" schedule $explore "$folder/s" "$SCRATCH/test"
    cat >"$SCRATCH/right.c" <<'C'
#include <plumbline/test.h>
static long n;
PLUMB_OBJECT("counter") PLUMB_INITIAL("0") PLUMB_THREADS("inc | inc | inc : get")
PLUMB_OP(inc) { __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST); return plumb_none(); }
PLUMB_OP(get) { return plumb_int(n); }
C
    fresh=1
    killed "explore --checkpoint" "$folder/kept" accepted explore -q -s dfs -j 1 --schedule "$SCRATCH/none" --checkpoint "$folder/kept" "$SCRATCH/right.c"
    fresh=0
    killed "explore --html" "$folder/p.html" last-line $explore "$SCRATCH/s" --html "$folder/p.html" "$SCRATCH/test"
    killed "explore --junit" "$folder/j.xml" last-line $explore "$SCRATCH/s" --junit "$folder/j.xml" "$SCRATCH/test"
    killed "explore --sarif" "$folder/s.sarif" "" $explore "$SCRATCH/s" --sarif "$folder/s.sarif" "$SCRATCH/test"
fi
finish
