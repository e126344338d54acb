#!/bin/bash
# Prints the tables of docs/TOGETHER.md: which kind of specification each command takes, by criterion. Every cell is run: `yes` means that
# something which the criterion allows was accepted and something which it does not allow was refuted; a letter is the reason with which the
# command refused, word for word. Anything else is a cell "BAD", and the exit code is 1.
#     tools/cells/run.sh BUILD-FOLDER [KIND...] >docs/TOGETHER.md
set -u
build=$(realpath "${1:?the folder of a build}")
shift
kinds=("$@")
[ $# -gt 0 ] || kinds=(built-in plug-in theory pattern golden)
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C XDG_STATE_HOME=$work/state
cd "$work" || exit 1
cp "$here"/belt.thy "$here"/mine.pattern "$here"/explored.c .
root=$(realpath "$here/../..")
cc -std=c11 -D_GNU_SOURCE -O1 -I"$root/include" -o events "$here/events.c" -L"$build" -lplumbline -Wl,-rpath,"$build" || exit 1
cc -std=c11 -shared -fPIC -O1 -I"$root/include" -o line_queue.so "$here/line_queue.c" || exit 1
plumb() { timeout 60 "$build/plumb" "$@"; }

criteria=('linearizable' 'quasi(1)' 'quasi(enq=0,deq=1)' 'quasi(enq=1,deq=0)' 'out-of-order(1)' 'aligned(1)' 'literal(1)' 'all-events(1)'
    'spurious(deq=empty)' 'sequential' 'producer-fifo' 'local' 'stale(1)' 'regular' 'safe' 'set-linearizable' 'interval-linearizable')
commands=(check monitor explore 'explorer monitor' record guard certify generate export)

# ---- what each criterion allows, and linearizability does not; and what it refuses ----
in_order=('0 enq 1' '0 = none' '0 enq 2' '0 = none' '0 deq' '0 = 1' '0 deq' '0 = 2')
swapped=('0 enq 1' '0 = none' '0 enq 2' '0 = none' '0 deq' '0 = 2' '0 deq' '0 = 1')
thin_air=('0 enq 1' '0 = none' '0 enq 2' '0 = none' '0 deq' '0 = 9' '0 deq' '0 = 1')
two_producers=('0 enq 1' '0 = none' '1 enq 2' '1 = none' '2 deq' '2 = 2')
missed=('0 enq 1' '0 = none' '1 enq 2' '2 deq' '2 = empty' '1 = none')
elsewhere=('1 enq 2' '1 = none' '0 enq 1' '0 = none' '2 deq' '2 = 1' '2 deq' '2 = 2')
choose() { # criterion: sets right, wrong, object, init, explored programs
    object=queue init=() program='enq(1) enq(2) deq deq' right_flags='-DPICK=1' wrong_flags='-DTHIN_AIR'
    right=("${swapped[@]}") wrong=("${thin_air[@]}")
    case $1 in # what is about registers, or about operations together, is asked of the other kinds in terms of their queue
    stale* | regular | safe | set* | interval*) [ "$kind" = built-in ] || { name_object; return; } ;;
    esac
    case $1 in
    linearizable) right=("${in_order[@]}") wrong=("${swapped[@]}") right_flags='-DPICK=0' wrong_flags='-DPICK=1' ;;
    spurious*) right=("${missed[@]}") ;;
    sequential) right=("${elsewhere[@]}") ;;
    producer-fifo | local) right=("${two_producers[@]}") ;;
    stale*)
        object=register
        right=('0 write 1' '0 = none' '0 write 2' '0 = none' '0 read' '0 = 1') wrong=('0 write 1' '0 = none' '0 read' '0 = 7')
        program='write(1) write(2) read' right_flags='-DREGISTER -DREADS=STALE_READS' wrong_flags='-DREGISTER -DREADS=WRONG_READS' ;;
    regular | safe)
        object=register
        right=('0 write 1' '0 = none' '0 write 2' '1 read' '1 = 2' '1 read' '1 = 1' '0 = none')
        wrong=('0 write 1' '0 = none' '0 write 2' '1 read' '1 = 7' '0 = none')
        program='write(1) | read read' right_flags='-DREGISTER -DREADS=REGULAR_READS' wrong_flags='-DREGISTER -DREADS=SAFE_READS' ;;&
    safe)
        right=("${wrong[@]}") wrong=('0 write 1' '0 = none' '1 read' '1 = 7')
        right_flags='-DREGISTER -DREADS=SAFE_READS' wrong_flags='-DREGISTER -DREADS=WRONG_READS' ;;
    set* | interval*)
        object=elimination
        right=('0 push 1' '1 pop' '0 = true' '1 = 1') wrong=('0 push 1' '1 pop' '0 = true' '1 = 9')
        [ "$kind" = built-in ] && program='push(1) | pop' right_flags=-DELIMINATION wrong_flags=-DELIMINATION ;;
    esac
    [ "$object" = register ] && init=(--init 0)
    name_object
}
name_object() {
    case $kind in
    plug-in) object=./line_queue.so ;;
    theory) object=belt.thy ;;
    pattern) object=mine.pattern ;;
    golden) object=runs.serial ;;
    esac
}

# ---- the commands: $1 is right or wrong; exit code 0, 1, or 64/65 with the reason in `err` ----
history_of() { local -n events=$1; ./events history "${events[@]}" >"$1.jsonl"; }
run_check() { history_of "$1"; plumb check -q --object "$object" "${init[@]}" --criterion "$criterion" "$1.jsonl"; }
run_monitor() { history_of "$1"; plumb monitor -q --object "$object" "${init[@]}" --criterion "$criterion" "$1.jsonl"; }
explored() { # right|wrong more...
    local which=$1_flags specification=(--object "$object" "${init[@]}")
    shift
    [ "$kind" = golden ] && specification=(--object none --serial --golden 'explored.c -DPICK=0')
    plumb explore -q --jobs 1 -O1 "${specification[@]}" --criterion "$criterion" --flags "${!which}" --program "$program" "$@" explored.c
}
run_explore() { explored "$1"; }
run_explorer_monitor() {
    local object=$object monitor=all # patterns are about the operations of an object
    [ "$kind" = pattern ] && object=queue monitor=mine.pattern
    explored "$1" --monitor $monitor
}
run_record() {
    local -n events=$1
    ./events record "$object" "$1.log" "${events[@]}" && plumb check -q --object "$object" "${init[@]}" --criterion "$criterion" "$1.log"
}
run_guard() { local -n events=$1; ./events guard "$object" "$criterion" "${events[@]}"; }
run_certify() { # the certificate says what check said
    history_of "$1"
    rm -f certificate
    plumb check -q --object "$object" "${init[@]}" --criterion "$criterion" --certificate certificate "$1.jsonl"
    local code=$?
    if [ -e certificate ]; then plumb certify --object "$object" certificate || return 70; fi
    return $code
}
run_generate() { # what is made is right; of what is wrong there is none to be made
    [ "$1" = wrong ] && return 1
    local relax=(--relax "$criterion")
    [ "$criterion" = linearizable ] && relax=()
    plumb generate --object "$object" "${init[@]}" --ops 12 --threads 2 "${relax[@]}" --output made.jsonl &&
        plumb check -q --object "$object" "${init[@]}" --criterion "$criterion" made.jsonl
}
run_export() {
    [ "$1" = wrong ] && return 1
    plumb export-monitor --object "$object" --criterion "$criterion" >exported.h && cc -std=c99 -fsyntax-only -x c exported.h
}

# ---- the tables ----
reasons=() bad=0
letter_of() { # reason: its number among those known, in $letter
    local i
    for i in "${!reasons[@]}"; do [ "${reasons[i]}" = "$1" ] && { letter=$((i + 1)); return; }; done
    reasons+=("$1")
    letter=${#reasons[@]}
}
cell() { # command
    local run=run_${1// /_} code
    "$run" right >out 2>err
    code=$?
    if [ $code -eq 64 ] || [ $code -eq 65 ]; then
        letter_of "$(tail -n 1 err | sed 's/^plumb: //; s/^\(right\|wrong\|made\)\.\(jsonl\|log\)[0-9:]* *//; s/^criterion [^ :]*/criterion C/')"
        answer="($letter)"
        return
    fi
    if [ $code -eq 0 ]; then "$run" wrong >out 2>err; code=$?; [ $code -eq 1 ] && { answer=yes; return; }; fi
    answer="BAD" bad=1
    echo "$kind, $criterion, $1: exit code $code: $(tail -n 1 err) $(head -n 1 out)" >&2
}

# Serial runs as recorded histories are judged by: those of a program that does what the histories do.
if [[ " ${kinds[*]} " == *" golden "* ]]; then
    plumb explore -q --jobs 1 -O1 --object none --serial --schedule runs.schedule --program 'enq(1) enq(2) deq deq' explored.c >out 2>err || { cat err >&2; exit 1; }
fi
cat <<'HEAD'
# One specification, every command

Made by `tools/cells/run.sh`, which runs every cell: `yes` means that the command accepted something which the criterion allows (and, but for the first row,
linearizability does not), and refuted something which it does not allow. A number in parentheses is the reason with which it refuses, word for word (C is the criterion's name), below.
`tests/cli/test_cells.sh` makes the tables again and compares them with this page.

Columns: `explore` is `plumb explore --criterion`, *explorer monitor* the same with `--monitor all`, `record` a recorded run that is checked afterwards, `guard`
`plumb_guard_options.criterion`, `certify` a certificate of `check` that is checked again, `generate` a history made with `--relax` and checked, `export`
`plumb export-monitor`. What the criteria mean: [CRITERIA.md](CRITERIA.md).
HEAD
for kind in "${kinds[@]}"; do
    case $kind in
    built-in) what='Built-in objects (queue; register for stale, regular and safe; elimination for the last two)' ;;
    plug-in) what='A plug-in (a queue, `tools/cells/line_queue.c`)' ;;
    theory) what='A theory file (a queue, `tools/cells/belt.thy`)' ;;
    pattern) what='A file of bad patterns (`tools/cells/mine.pattern`; the explorer monitor is `--monitor mine.pattern`)' ;;
    golden) what='Golden code (`--serial --golden`; for other commands its serial runs, `runs.serial`)' ;;
    esac
    printf '\n## %s\n\n| criterion |' "$what"
    printf ' %s |' "${commands[@]}"
    printf '\n|---|'
    printf '%s' "${commands[@]/*/---|}"
    echo
    for criterion in "${criteria[@]}"; do
        choose "$criterion"
        printf '| `%s` |' "$criterion"
        for command in "${commands[@]}"; do
            cell "$command"
            printf ' %s |' "$answer"
        done
        echo
    done
done
printf '\n## Reasons\n\n'
for i in "${!reasons[@]}"; do echo "$((i + 1)). ${reasons[i]}"; done
exit $bad
