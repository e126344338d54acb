#!/bin/bash
# The long run, in parts that do not need each other and run side by side: every test program with PLUMB_SOAK set (millions
# of random histories against the oracle, a hundred thousand through all formats; recorded runs of every object, verified live and
# checked afterwards), commands that are killed a thousand times while they write, programs that are killed, stopped and short of
# disk while they are recorded, the whole corpus and monitors on it and on all models, random programs whose executions are all known
# against the explorer, each set of defects planted in our own sources, random mutants of each room, each fuzz target; then, one after another, the fast lane on machines that differ
# from this one. A line when a part ends, the end of its log when it failed, and a table of all of them.
#
#   tools/soak.sh [PART...]        parts by name, or patterns such as 'fuzz_*', 'mutants_*', 'machine_one-core'; all by default
#
# Smaller, by the environment:
#   SOAK_HISTORIES=N   random histories of each test program, all objects together   (1: as many as each thinks fit, 2 million and more)
#   FUZZ_SECONDS=N     of CPU time for each fuzz target, however loaded the machine  (600)
#   SOAK_JOBS=N        parts at a time                                               (as many as there are cores)
#   SOAK_TIMEOUT=N     seconds after which a part has failed                         (14400)
#   SOAK_MUTANTS=N     random mutants of each room                                   (200)
#   SOAK_SEED=N        which mutants; printed at the start                           (the time)
#   SOAK_PROGRAMS=N    random programs, operations and corpus mutants for the explorer, held against brute force   (20000 each)
#   SOAK_KINDS="..."   of: tests defects mutants fuzz explorer machines              (all)
# What each part printed is in build/soak. Exit 0: no finding.
set -u
cd "$(dirname "$0")/.." || exit 1
export PLUMB_SOAK=${SOAK_HISTORIES:-1} FUZZ_SECONDS=${FUZZ_SECONDS:-600} SOAK_TIMEOUT=${SOAK_TIMEOUT:-14400}
export SOAK_MUTANTS=${SOAK_MUTANTS:-200} SOAK_SEED=${SOAK_SEED:-$(date +%s)} SOAK_PROGRAMS=${SOAK_PROGRAMS:-20000}
if [ -z "${PLUMB_DATA-}" ]; then export PLUMB_DATA=../shared/data; fi
kinds=" ${SOAK_KINDS:-tests defects mutants fuzz explorer machines} " jobs=${SOAK_JOBS:-$(nproc)} logs=build/soak
rm -rf "$logs"
mkdir -p "$logs"

wanted() { # name: was it asked for?
    [ ${#patterns[@]} -eq 0 ] && return 0
    for pattern in "${patterns[@]}"; do
        # shellcheck disable=SC2053
        [[ $1 == $pattern ]] && return 0
    done
    return 1
}
patterns=("$@")

list() { # name command...: a part, if it is wanted
    if wanted "$1"; then printf '%s\0' "$*"; fi
}

parts() { # the longest first
    if [[ $kinds == *" fuzz "* ]]; then
        for f in build/fuzz/fuzz/* build/fuzz/tests/fuzz_*; do
            { [ -f "$f" ] && [ -x "$f" ]; } || continue
            list "$(basename "$f")" "fuzz $f"
        done
    fi
    if [[ $kinds == *" explorer "* ]] && command -v python3 >/dev/null; then
        for kind in programs operations mutants; do list "explorer_$kind" "explorer $kind"; done
    fi
    if [[ $kinds == *" defects "* ]]; then
        for set in tools/defects/*/; do list "defects_$(basename "$set")" "tools/defects/run.sh $set"; done
    fi
    if [[ $kinds == *" mutants "* ]] && command -v python3 >/dev/null; then
        for room in src/*/; do list "mutants_$(basename "$room")" "mutants $(basename "$room")"; done
    fi
    if [[ $kinds == *" tests "* ]]; then
        for p in build/tests/differential_* build/tests/*; do
            { [ -f "$p" ] && [ -x "$p" ]; } || continue
            case $p in build/tests/differential_*) [ -z "${seen_differential-}" ] || continue ;; *) seen_differential=1 ;; esac
            list "$(basename "$p")" "$p"
        done
        list drive_kill "tools/drive-kill.sh 100"
        command -v emcmake >/dev/null && list web "make web && tests/browser/test_web.sh"
        for s in tests/explore/test_{corpus,monitors}.sh tests/cli/test_{export_monitor,whole_outputs,chaos,drive_services}.sh; do
            list "$(basename "$s" .sh)" "$s"
        done
    fi
}

# These need the machine, or the build directory, to themselves.
lonely_parts() {
    if [[ $kinds == *" machines "* ]]; then
        for m in one-core busy elsewhere plain-user no-network refused; do list "machine_$m" "env -u PLUMB_SOAK tools/machines/run.sh $m"; done
        list machine_arm64 "env -u PLUMB_SOAK tools/machines/arm64.sh"
    fi
}

mutants() { # room: rooms whose tests have been held against their mutants must stay there, of others the figures are printed
    local limit=100
    case $1 in format | api | theory | report | cli) limit=10 ;; esac
    env -u PLUMB_SOAK tools/mutate/run.py --room "$1" --count "$SOAK_MUTANTS" --seed "$SOAK_SEED" --limit $limit --built --jobs 1
}

explorer() { # kind
    env -u PLUMB_SOAK tools/explorer-fuzz/run.py "$1" --count "$SOAK_PROGRAMS" --seed "$SOAK_SEED" --plumb build/plumb --keep build/soak/artifacts
}

cpu_hundredths() { # process
    local stat user sys
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    read -r user sys < <(cut -d ' ' -f 12,13 <<<"${stat##*) }")
    echo $(((user + sys) * 100 / $(getconf CLK_TCK)))
}

fuzz() { # program: until it has had its CPU time
    local corpus=build/fuzz/corpus/${1##*/} program used=0 now code
    mkdir -p "$corpus" build/soak/artifacts
    "$1" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix=build/soak/artifacts/ "$corpus" &
    program=$!
    while [ "$used" -lt $((FUZZ_SECONDS * 100)) ] && now=$(cpu_hundredths $program); do
        used=$now
        sleep 1
    done
    kill -USR1 $program 2>/dev/null # it ends with the input it is at, and prints its figures
    wait $program
    code=$?
    echo "stat::cpu_seconds: $((used / 100))"
    return $code
}

run_part() { # "name command...": runs it, notes how it ended and how long it took
    local name=${1%% *} command=${1#* } start code seconds
    start=$(date +%s)
    # shellcheck disable=SC2086
    timeout -k 10 "$SOAK_TIMEOUT" bash -c "$command" >"build/soak/$name.log" 2>&1
    code=$?
    seconds=$(($(date +%s) - start))
    echo "$name $code $seconds" >>build/soak/parts
    if [ "$code" -eq 0 ]; then
        echo "ok      $name, $seconds s"
    else
        echo "FAILED  $name, $seconds s, exit $code; the end of build/soak/$name.log:"
        tail -15 "build/soak/$name.log" | sed 's/^/        /'
    fi
}
export -f run_part fuzz cpu_hundredths mutants explorer

prepare_fuzzers() {
    if ! command -v clang >/dev/null; then echo "skipped fuzz: no clang"; return; fi
    if ! { cmake --preset fuzz && cmake --build build/fuzz -j"$(nproc)"; } >"$logs/fuzz-build.log" 2>&1; then
        echo "FAILED  the fuzz targets do not build: build/soak/fuzz-build.log"
        echo "fuzz-build 1 0" >>"$logs/parts"
        return
    fi
    fuzz/seeds.sh build/fuzz/corpus
}

prepare_mutants() {
    if ! { cmake --preset checked -DBUILD_TESTING=ON && cmake --build build/checked -j"$(nproc)"; } >"$logs/mutants-build.log" 2>&1; then
        echo "FAILED  the checked build: build/soak/mutants-build.log"
        echo "mutants-build 1 0" >>"$logs/parts"
        return
    fi
    echo "mutants: seed $SOAK_SEED, $SOAK_MUTANTS of each room"
}

what_it_did() { # log: what a part says of itself, in a few words
    if grep -q 'stat::number_of_executed_units' "$1"; then
        sed -n 's/^stat::number_of_executed_units: *\([0-9]*\).*/\1 inputs/p; s/^stat::cpu_seconds: */in CPU s: /p' "$1" | paste -sd ' '
    elif grep -qE '^[0-9]+ caught, ' "$1"; then
        grep -E '^[0-9]+ caught, ' "$1" | tail -1
    elif grep -qE ' mutants, [0-9]+ killed' "$1"; then
        sed -n 's/^.*: \([0-9]* mutants, .* open\);.*/\1/p' "$1" | tail -1
    elif grep -qE ' runs, .* findings, ' "$1"; then
        tail -1 "$1"
    elif grep -qE '[0-9]+ passed, [0-9]+ failed' "$1"; then
        tail -1 "$1"
    else
        awk '/ histories[, ]/ {for (i = 2; i <= NF; i++) if ($i ~ /^histories/) n += $(i-1)}
             /^\[  PASSED  \]/ {p += $4} END {if (n) printf "%d histories, ", n; printf "%d tests", p}' "$1"
    fi
}

table() {
    local bad=0 total=0 name code seconds
    printf '\n%-36s %-8s %8s   %s\n' part result seconds what
    while read -r name code seconds; do
        if [ "$code" -ne 0 ]; then bad=$((bad + 1)); fi
        total=$((total + seconds))
        printf '%-36s %-8s %8d   %s\n' "$name" "$([ "$code" -eq 0 ] && echo ok || echo "FAILED")" "$seconds" \
            "$([ -f "$logs/$name.log" ] && what_it_did "$logs/$name.log")"
    done < <(sort -k3,3nr "$logs/parts")
    printf '%-36s %-8s %8d   of %d s with %d at a time\n' "$(wc -l <"$logs/parts") parts" "$bad failed" "$total" $(($(date +%s) - began)) "$jobs"
    [ "$bad" -eq 0 ]
}

began=$(date +%s)
if [[ $kinds == *" fuzz "* ]]; then prepare_fuzzers; fi
if [[ $kinds == *" mutants "* ]] && ! command -v python3 >/dev/null; then echo "skipped mutants: no python3"; fi
if parts | grep -qz '^mutants_'; then prepare_mutants; fi
parts | xargs -0 -r -n 1 -P "$jobs" bash -c 'run_part "$0"'
lonely_parts | xargs -0 -r -n 1 bash -c 'run_part "$0"'
if [ ! -s "$logs/parts" ]; then echo "soak: there is no such part" >&2; exit 64; fi
if table; then echo "soak: no finding"; else echo "soak: FINDINGS, see above and build/soak"; exit 1; fi
