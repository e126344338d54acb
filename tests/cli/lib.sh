# For shell tests: TAP lines "ok N - name" and "not ok N - name". PLUMB is the command under test.
set -u
PLUMB=${PLUMB:-build/plumb}
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
number=0 bad=0
export LC_ALL=C
export XDG_STATE_HOME=$SCRATCH/state # nothing of a test stays with the user
unset NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS

plain_scratch() { # for what takes no names with blanks: plumb explore, pkg-config
    case $SCRATCH in *[[:space:]]*) ;; *) return ;; esac
    rm -rf "$SCRATCH"
    export TMPDIR=/tmp
    SCRATCH=$(mktemp -d)
    export XDG_STATE_HOME=$SCRATCH/state
}

ok() { # name status-of-the-test
    number=$((number + 1))
    if [ "$2" -eq 0 ]; then echo "ok $number - $1"; return; fi
    echo "not ok $number - $1"
    bad=1
    if [ -f "$SCRATCH/out" ]; then sed 's/^/#   stdout: /' "$SCRATCH/out" | head -5; fi
    if [ -f "$SCRATCH/err" ]; then sed 's/^/#   stderr: /' "$SCRATCH/err" | head -5; fi
}

# Runs plumb with the arguments; its output is in $SCRATCH/out and $SCRATCH/err, its exit code in $code.
plumb() {
    timeout 60 "$PLUMB" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    code=$?
}

exits() { # name expected-code
    [ "$code" -eq "$2" ] || echo "# exit code $code, expected $2"
    ok "$1" "$([ "$code" -eq "$2" ]; echo $?)"
}

says() { # name file(out|err) fixed-string
    ok "$1" "$(grep -qF -- "$3" "$SCRATCH/$2"; echo $?)"
}

one_line() { # name file: exactly one line
    ok "$1" "$([ "$(wc -l <"$SCRATCH/$2")" -eq 1 ]; echo $?)"
}

has_loopback() { # false: a sandbox left the machine's own address without an interface
    ! (exec 3<>/dev/tcp/127.0.0.1/9) 2>&1 | grep -q unreachable
}

finish() {
    echo "1..$number"
    exit $bad
}
