# Compiles programs for the explorer without `plumb cc`, as its machine needs them: hooks of -fsanitize=thread, but our runtime.
build=${PLUMB_BUILD:-$PWD/build}
sources=$PWD/tests/explore/machine
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0 bad=0

result() { # 0|1 text: one line of TAP
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; bad=1; fi
}

compile() { # compiler options source program
    local hooks="--param tsan-distinguish-volatile=1" standard=
    case $1 in clang*) hooks="-mllvm -tsan-distinguish-volatile=1 -mllvm -tsan-instrument-read-before-write=1" ;; esac
    case $1 in *++) standard=-std=c++17 ;; esac
    # shellcheck disable=SC2086
    "$1" $2 $standard -w -g -mcx16 -fno-pie -fsanitize=thread $hooks -Iinclude -c "$3" -o "$4.o" &&
        "$1" -no-pie -Wl,-z,now -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset "$4.o" -o "$4" -L"$build" -lplumbline-explore "-Wl,-rpath,$build"
}

explore() { # options program [argument]: what the trial says
    PLUMB_EXPLORE="trial=1 $1" timeout 60 "$2" ${3:+"$3"} 2>/dev/null
}
