#!/bin/bash
# The fast lane on machines that differ from this one: one core, a busy machine, another locale, time zone, home and folder
# for temporary files (whose name has blanks), a user without rights, no network (not even the machine's own address), a
# kernel that refuses membarrier and ptrace.
#
#   tools/machines/run.sh [--build BUILD] [NAME...]
#
#   NAME    one-core busy elsewhere plain-user no-network refused: all of these by default, one after the other;
#           odd: one-core, elsewhere, no-network and refused at once, for a first look
#   BUILD   as tools/run-tests.sh names it: release by default
#
# Uses the build directory as it is (build it with tests first). Prints what failed; exit 0: nothing did.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=release
if [ "${1-}" = --build ]; then build=${2-}; shift 2; fi
names=("$@")
[ ${#names[@]} -eq 0 ] && names=(one-core busy elsewhere plain-user no-network refused)
work=$(mktemp -d)
loads=()
trap 'kill ${loads[@]+"${loads[@]}"} 2>/dev/null; rm -rf "$work"' EXIT
bad=0
mkdir -p "$work/tmp of mine" "$work/home"
cc -o "$work/refuse" tools/machines/refuse.c || exit 1
cache=${CCACHE_DIR-$(ccache --get-config cache_dir 2>/dev/null)} # with another HOME everything would be compiled again
elsewhere=(env LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 TZ=Asia/Kathmandu HOME="$work/home" CCACHE_DIR="$cache" TMPDIR="$work/tmp of mine")

lane() { # command that runs what follows it...
    "$@" tools/run-tests.sh --fast "$build" >"$work/log" 2>&1
    code=$?
    grep -aE '^FAILED|^not ok|^\[  ERROR|^#' "$work/log" | head -20
    return $code
}

# A copy that belongs to the user `nobody`, seen at the path of this one, which the build directory knows.
lane_of_plain_user() {
    mkdir "$work/copy" && cp -a . "$work/copy" && chown -R nobody "$work/copy" && chmod 755 "$work" || return
    lane unshare -m bash -c 'mount --bind "$1" "$2" && cd "$2" && shift 2 && HOME=$PWD exec env -u CCACHE_DIR setpriv --reuid=nobody --clear-groups "$@"' \
        plain-user "$work/copy" "$PWD"
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
    elsewhere) lane "${elsewhere[@]}" ;;
    plain-user)
        if [ "$(id -u)" != 0 ]; then echo "plain-user: skipped, this is one"; continue; fi
        lane_of_plain_user
        ;;
    no-network) lane unshare -n ;;
    refused) lane "$work/refuse" ;;
    odd) lane unshare -n taskset -c 0 "${elsewhere[@]}" "$work/refuse" ;;
    *) echo "machines: no such machine: $name" >&2; exit 64 ;;
    esac
    report "$name" $?
done
exit $bad
