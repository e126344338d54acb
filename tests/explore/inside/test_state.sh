#!/bin/bash
# State inside the process under test: every variable says whether snapshots keep it, belongs to one file, and is reached by
# others through that file's header only (src/explore/inside/attributes.h, fiber_parts.h, world_state.h).
here=src/explore/inside
build=${PLUMB_BUILD:-build}
number=0 bad=0

result() { # title findings: a line of TAP
    number=$((number + 1))
    if [ -z "$2" ]; then echo "ok $number - $1"; else echo "$2" | sed 's/^/# /'; echo "not ok $number - $1"; bad=1; fi
}

code() { # FILE: without comments
    sed -e '/^#include/d' -e 's|/\*[^*]*\*/||g' -e '/^ *\/\*/,/\*\//d' "$1"
}

# Variables of object files by their sections. References of the unwinder to its own functions are no state.
unmarked() {
    find "$build/CMakeFiles/plumb_inside.dir" -path "*/explore/inside/*.o" -print0 | xargs -0 -r -n 1 objdump -t |
        awk '/file format/ {file = $1; sub(/.*\//, "", file)}
             {for (i = 2; i <= 5; i++) if ($i == "O") {section = $(i + 1); name = $NF
                 if (section ~ /^(\.bss|\.data|\*COM\*|\.tbss|\.tdata)/ && section !~ /\.(process_state|copied_state)$/ &&
                     section !~ /^\.data\.rel\.ro/ && name !~ /^DW\.ref\./) print file ": " name " is in " section}}'
}
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "ok $((++number)) - # skip sanitizers add variables of their own"
elif [ ! -e "$build/CMakeFiles/plumb_inside.dir/src/explore/inside/snapshot.c.o" ]; then
    echo "ok $((++number)) - # skip no explorer in this build"
else result "every variable is marked: of the execution, copied, or of the process" "$(unmarked)"; fi

# "NAME HEADER" of what headers declare.
declared() { grep -oHE '^extern [^;(]*[ *]([a-z_]+)(\[[A-Z_]*\])? HIDDEN' $here/*.h | sed -E 's|^([^:]*):.*[ *]([a-z_]+)(\[[A-Z_]*\])? HIDDEN$|\2 \1|'; }
strangers() {
    declared | while read -r name header; do
        if [ "$name" = explored_world ]; then continue; fi
        for file in "$here"/*.[ch]; do
            if [ "$file" = "$header" ] || grep -qE "^[a-z_0-9]+ \**$name(\[[A-Z_]*\])? (EXECUTION|COPIED|PROCESS)_(STATE|COUNTS|DATA)" "$file"; then continue; fi
            if code "$file" | grep -qE "(^|[^a-z_>.])$name($|[^a-z_(])"; then echo "$file uses $name of $header"; fi
        done
    done
}
result "a state is used by its own file and header only" "$(strangers)"

writers=" $(sed -n '/^#ifndef/q; s/^ \*   \([a-z_.,h ]*\.[ch]\)  .*/\1/p' $here/world_state.h | tr ',\n' '  ') "
result "the world is written by the files that world_state.h lists" \
    "$(for file in "$here"/*.[ch]; do
        name=${file##*/}
        if [ "$name" = world_state.h ] || [ "$name" = scheduler.h ] || [[ $writers == *" $name "* ]]; then continue; fi
        if code "$file" | grep -q explored_world; then echo "$file"; fi
    done)"

# Who writes a part of a fiber: its file as fiber_parts.h names it, and the headers that go with that.
declare -A owner=([step]="steps.c steps.h" [calls]="access.c volatiles.c" [wait]="steps.c locks.c waits.c threads.c" [spin]="spin.c spin.h record.h"
    [operation]="record.c record.h" [thread]="threads.c handlers.c" [time]="yield.c clock.c time.h" [shared]="shared.c shared.h steps.c steps.h"
    [faults]="faults.c faults.h" [clocks]="races.c races.h" [reads]="spin.c spin.h" [keys]="threads.c")
fiber='(^|[^a-z_])(f|child|parent|fiber_now\(\)|fiber_at\([^)]*\)|\(\*f\))->'
change='(\[[^]]*\])*([a-z_.]*(\[[^]]*\])?)* *(=[^=]|\+\+|--|[|&^+-]=)'
result "a part of a fiber is changed by its own file and header only" \
    "$(for part in "${!owner[@]}"; do
        for file in "$here"/*.[ch]; do
            if [[ " ${owner[$part]} " == *" ${file##*/} "* ]]; then continue; fi
            code "$file" | grep -nE "($fiber$part(\.[a-z_]+)?$change|(\+\+|--)[a-z_()]*->$part\.)" | sed "s|^|$file: |"
        done
    done)"

copies=$(sed -n 's/^void \([a-z]*_copy\)(tape \*t);.*/\1/p' $here/snapshot.h)
result "copy_common lists every piece" \
    "$(list=$(sed -n '/^static void copy_common/,/^}/p' $here/snapshot.c)
    for c in $copies; do if [[ $list != *" $c(t);"* ]]; then echo "$c"; fi; done)"
result "every *_copy function is a piece" \
    "$(grep -ohE '^void [a-z_]+_copy\(tape \*t\)' $here/*.c | sed -E 's/void (.*)\(.*/\1/' | grep -vxF "$copies")"
exit $bad
