#!/bin/bash
# The fast lane on machines that differ from this one: one core, a busy machine, another locale, time zone, home and folder
# for temporary files, a user without rights, no network, a kernel that refuses membarrier and ptrace.
#
#   tools/machines/run.sh [NAME...]     one-core busy elsewhere plain-user no-network refused; all of them by default
#
# Uses build/ as it is (build it with tests first). Prints what failed; exit 0: nothing did.
set -u
cd "$(dirname "$0")/../.." || exit 1
names=("$@")
[ ${#names[@]} -eq 0 ] && names=(one-core busy elsewhere plain-user no-network refused)
work=$(mktemp -d)
loads=()
trap 'kill ${loads[@]+"${loads[@]}"} 2>/dev/null; rm -rf "$work"' EXIT
bad=0

lane() { # command that runs what follows it...
    "$@" tools/run-tests.sh --fast release >"$work/log" 2>&1
    code=$?
    grep -E '^FAILED|^not ok|^\[  ERROR|^#' "$work/log" | head -20
    return $code
}

report() { # name code
    echo "$1: $(tail -1 "$work/log")"
    [ "$2" -eq 0 ] || bad=1
}

for name in "${names[@]}"; do
    case $name in
    one-core) lane taskset -c 0 ;;
    busy)
        for _ in 1 2 3 4 5 6 7 8; do (while :; do :; done) & loads+=($!); done
        lane env
        code=$?
        kill "${loads[@]}" 2>/dev/null
        loads=()
        (exit $code)
        ;;
    elsewhere)
        mkdir -p "$work/tmp of mine" "$work/home"
        lane env LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 TZ=Asia/Kathmandu HOME="$work/home" TMPDIR="$work/tmp of mine"
        ;;
    plain-user)
        if [ "$(id -u)" != 0 ]; then echo "plain-user: skipped, this is one"; continue; fi
        mkdir "$work/copy" && cp -a . "$work/copy" && chown -R nobody "$work/copy" && chmod 755 "$work"
        (cd "$work/copy" && HOME=$work/copy setpriv --reuid=nobody --clear-groups tools/run-tests.sh --fast release) >"$work/log" 2>&1
        ;;
    no-network) lane unshare -n ;;
    refused)
        cc -o "$work/refuse" tools/machines/refuse.c && lane "$work/refuse"
        ;;
    *) echo "machines: no such machine: $name" >&2; exit 64 ;;
    esac
    report "$name" $?
done
exit $bad
