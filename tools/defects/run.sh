#!/bin/bash
# Plants defects in our own sources, one at a time, and looks whether the tests notice.
#
#   tools/defects/run.sh [-v] [SET | FILE.defect]...      all sets (folders beside this script) by default
#   tools/defects/run.sh -n [SET | FILE.defect]...        only: does each still compile? As in build/checked
#
# A defect is a small file:
#   what: one line that says what is wrong then
#   file: the source it changes
#   sed: a sed command that changes exactly one line of it
#   tests: the test programs to run, as they are called in build/tests
#   build: checked      optional: built with asserts and self-checks, which have to notice it; else without
# Every defect is built in a scratch copy and must make one of its tests fail (or hang). A defect that no longer applies,
# or does not compile, is an error: it has to follow the sources. Exit 0: all caught.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
verbose=0 dry=0
if [ "${1-}" = -v ]; then verbose=1; shift; fi
if [ "${1-}" = -n ]; then dry=1; shift; fi

defects=()
if [ $# -eq 0 ]; then set -- "$here"/*/; fi
for what in "$@"; do
    if [ -d "$what" ]; then for f in "$what"/*.defect; do defects+=("$f"); done
    elif [ -d "$here/$what" ]; then for f in "$here/$what"/*.defect; do defects+=("$f"); done
    elif [ -f "$what" ]; then defects+=("$what")
    else echo "defects: no such set or file: $what" >&2; exit 64
    fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PLUMB_SOAK=${PLUMB_DEFECT_HISTORIES:-12000} PLUMB_DATA=${PLUMB_DATA:-$root/../shared/data}
unset PLUMB_SEED

field() { sed -n "s/^$1: //p" "$2"; }

compiles() { # defect: with the change, as build/checked compiles the source
    case $(field file "$1") in *.in) return 0 ;; esac # a template
    python3 - "$root" "$(field file "$1")" "$(field sed "$1")" "$scratch" <<'END'
import json, os, shlex, subprocess, sys
root, name, change, scratch = sys.argv[1:]
commands = {e["file"]: e for e in json.load(open(f"{root}/build/checked/compile_commands.json"))}
entry = commands.get(f"{root}/{name}") or commands[f"{root}/src/explore/outside/session.c"]  # a header: as any source is
words = [w for w in shlex.split(entry["command"]) if os.path.basename(w) != "ccache"]
words = [w for i, w in enumerate(words) if w not in ("-c", "-o") and words[i - 1] not in ("-c", "-o")]
source = f"{scratch}/{os.path.basename(name)}"
with open(source, "wb") as out:
    subprocess.run(["sed", change, f"{root}/{name}"], stdout=out, check=True)
call = [*words, "-w", "-fsyntax-only", "-x", "c", "-iquote", os.path.dirname(f"{root}/{name}"), source]
sys.exit(subprocess.run(call, cwd=entry["directory"]).returncode)
END
}

build() { # targets: quietly; false when it does not compile
    cmake --build "$scratch/$kind" -j"$(nproc)" --target "$@" >"$scratch/build.log" 2>&1
}

run_tests() { # programs: true when all of them pass
    for t in "$@"; do
        # The explorer's tests are long enough as they are, and with self-checks all of them.
        if ! (case $kind/$t in */explore_* | checked/*) unset PLUMB_SOAK ;; esac; cd "$scratch/tree" && timeout 120 "$scratch/$kind/tests/$t"; exit $?) >"$scratch/test.log" 2>&1; then
            failing=$t
            return 1
        fi
    done
}

if [ "$dry" -eq 1 ]; then
    broken=0
    for defect in "${defects[@]}"; do
        compiles "$defect" 2>"$scratch/build.log" || { echo "BROKEN $defect: $(head -1 "$scratch/build.log")"; broken=$((broken + 1)); }
    done
    echo "${#defects[@]} defects, $broken do not compile"
    [ "$broken" -eq 0 ]
    exit
fi

mkdir "$scratch/tree"
(cd "$root" && tar cf - --exclude=./build --exclude=./.git .) | tar xf - -C "$scratch/tree"
ln -s ../build "$scratch/tree/build" # where tests that compile programs look for the command

kind_of() { # defect: "build", without asserts, or "checked", with them
    if [ "$(field build "$1")" = checked ]; then echo checked; else echo build; fi
}

prepare() { # the sources as they are: builds what the defects of this kind need, and runs it
    mapfile -t all_tests < <(for d in "${defects[@]}"; do
        if [ "$(kind_of "$d")" = "$kind" ]; then field tests "$d" | tr ' ' '\n'; fi
    done | sort -u)
    if [ ${#all_tests[@]} -eq 0 ]; then return; fi
    flags=(-DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG")
    if [ "$kind" = checked ]; then flags=(-DCMAKE_C_FLAGS_RELEASE=-O1 -DPLUMB_SELF_CHECKS=ON); fi
    cmake -S "$scratch/tree" -B "$scratch/$kind" -DCMAKE_BUILD_TYPE=Release "${flags[@]}" >"$scratch/build.log" 2>&1 ||
        { cat "$scratch/build.log"; exit 70; }
    if ! build "${all_tests[@]}"; then tail -20 "$scratch/build.log"; echo "defects: the sources do not build as they are"; exit 70; fi
    if ! run_tests "${all_tests[@]}"; then tail -20 "$scratch/test.log"; echo "defects: $failing fails without any defect"; exit 70; fi
}
for kind in build checked; do prepare; done

caught=0 missed=0 broken=0
report() { printf '%-8s %-32s %-26s %s\n' "$1" "$name" "$source" "$2"; }

for defect in "${defects[@]}"; do
    name=$(basename "$defect" .defect) source=$(field file "$defect")
    target=$scratch/tree/$source kind=$(kind_of "$defect")
    cp "$target" "$scratch/original" 2>/dev/null || { report BROKEN "no such source"; broken=$((broken + 1)); continue; }
    sed -i -e "$(field sed "$defect")" "$target"
    changed=$(diff "$scratch/original" "$target" | grep -c '^<')
    if [ "$changed" -ne 1 ]; then
        report BROKEN "changes $changed lines; expected 1: follow the sources"
        broken=$((broken + 1))
    else
        [ "$verbose" -eq 1 ] && diff "$scratch/original" "$target"
        read -r -a tests < <(field tests "$defect")
        if ! build "${tests[@]}"; then
            report BROKEN "does not compile: $(grep -m1 error "$scratch/build.log")"
            broken=$((broken + 1))
        elif run_tests "${tests[@]}"; then
            report MISSED "$(field what "$defect")"
            missed=$((missed + 1))
        else
            report caught "by $failing"
            caught=$((caught + 1))
        fi
    fi
    cp "$scratch/original" "$target"
done

echo "$caught caught, $missed missed, $broken broken"
[ "$missed" -eq 0 ] && [ "$broken" -eq 0 ]
