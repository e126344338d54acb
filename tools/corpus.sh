#!/bin/bash
# tools/corpus.sh [FOLDER] [--tap | --markdown]: every case of FOLDER/cases.txt (corpus by default; corpus/shipped). Wrong ones must be
# found with default settings, right ones must pass for PLUMB_CORPUS_SECONDS (2 by default); those whose headers are not installed
# are skipped. Prints a table, TAP lines, or a table of docs/CORPUS.md. PLUMB_CC, PLUMB_CXX and PLUMB_CORPUS_FLAGS choose compilers
# and add flags, PLUMB_CORPUS_COMPILERS="gcc -O0,clang -O2" takes turns.
set -u
cd "$(dirname "$0")/.." || exit 1
plumb=${PLUMB:-build/plumb}
seconds=${PLUMB_CORPUS_SECONDS:-2}
folder=corpus
[ -d "${1-}" ] && folder=${1%/} && shift
tap=${1-}
number=0 bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "$tap" = --markdown ] && printf '%s\n' '| structure | bug | found as | threads and operations | executions | seconds |' '|---|---|---|---|---|---|'
[ -n "$tap" ] || printf '%-32s %-16s %-6s %-10s %-24s %10s %8s %8s  %s\n' file flag is for found executions seconds cpu threads
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$2"; }
story() { # file flag: the first sentence that its head says of a flag
    sed -n '1,/\*\//p' "$folder/$1" | tr '\n' ' ' | sed -e 's/ \* / /g' -e 's/  */ /g' | grep -o -e "$2: [^.;]*" | head -1 | sed "s/^$2: //"
}
turns() { # the compilers and levels of this case
    IFS=, read -ra turn <<<"${PLUMB_CORPUS_COMPILERS-}"
    [ ${#turn[@]} -gt 0 ] || return 0
    read -r compiler level <<<"${turn[$((number % ${#turn[@]}))]}"
    export PLUMB_CC=$compiler PLUMB_CORPUS_FLAGS=$level
    [ "$compiler" = clang ] && export PLUMB_CXX=clang++ || export PLUMB_CXX=g++
}
while read -r file flag truth more; do # more: flags for the compiler, or a criterion
    case $file in '#'* | '') continue ;; esac
    turns
    case $more in -* | "") criterion= ;; *) criterion=$more more= ;; esac
    flags=(--flags "$more ${PLUMB_CORPUS_FLAGS-}")
    [ "$flag" = - ] || flags+=(--flags "-D$flag")
    limit=() asked=()
    [ -z "$criterion" ] || asked=(--criterion "$criterion")
    [ "$truth" = right ] && limit=(--time "$seconds")
    TIMEFORMAT='%U'
    { cpu=$( { time timeout 100 "$plumb" explore --quiet --json "${limit[@]}" "${flags[@]}" "${asked[@]}" --schedule "$work/schedule" "$folder/$file" >"$work/out" 2>"$work/err"; } 2>&1 ); }
    if grep -Eq "No such file|file not found" "$work/err"; then
        number=$((number + 1))
        echo "skip $number - $file $flag: its headers are not installed"
        continue
    fi
    if grep -q "(not looked into)" "$work/out"; then
        number=$((number + 1))
        echo "skip $number - $file $flag: built without libcapstone"
        continue
    fi
    line=$(cat "$work/out")
    verdict=$(field verdict "$line")
    [ "$verdict" = violation ] && found=$(field failure "$line") || found=${verdict:-"$(head -c 60 "$work/err")"}
    wanted=linearizable
    [ "$truth" = wrong ] && wanted=violation
    number=$((number + 1))
    [ "$verdict" = "$wanted" ] && ok=ok || { ok="not ok"; bad=$((bad + 1)); }
    if [ "$tap" = --markdown ]; then
        threads=$(sed -n 's/.*"threads":"\([^"]*\)".*/\1/p' <<<"$line" | sed 's/|/\\|/g')
        if [ "$truth" = right ]; then echo "| ${file%.*}${flag/-/}${criterion:+ for $criterion} | none | $(sed -n 's/.*"covered":"\([^"]*\)".*/\1/p' <<<"$line") | | $(field executions "$line") | $(printf %.2f "$(field seconds "$line")") |" | sed "s/$flag |/ ($flag) |/;s/- |/|/"
        else echo "| ${file%.*}${criterion:+ for $criterion} | $flag: $(story "$file" "$flag") | $found | \`$threads\` | $(field executions "$line") | $(printf %.2f "$(field seconds "$line")") |"; fi
    elif [ "$tap" = --tap ]; then echo "$ok $number - $file $flag is $truth${criterion:+ for $criterion}${turn[*]:+ ($PLUMB_CC $PLUMB_CORPUS_FLAGS)}"
    else printf '%-32s %-16s %-6s %-10s %-24s %10s %8.2f %8s  %s %s\n' "$file" "$flag" "$truth" "${criterion:-lin.}" "$found" "$(field executions "$line")" "$(field seconds "$line")" "$cpu" "$(sed -n 's/.*"threads":"\([^"]*\)".*/\1/p' <<<"$line")" "$([ "$ok" = ok ] || echo '<== not as promised')"
    fi
    rm -f "$work/schedule"
done <"$folder/cases.txt"
[ -n "$tap" ] || echo "$((number - bad)) of $number as promised"
exit $((bad > 0))
