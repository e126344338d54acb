#!/bin/bash
# What `make install` leaves behind can be used: through pkg-config and through find_package, from C and from C++.
. "$(dirname "$0")/lib.sh"
plain_scratch
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip the installation is tested with the release build"; exit 0; fi
BUILD=${PLUMB_BUILD:-build}
root=$SCRATCH/root

DESTDIR=$root cmake --install "$BUILD" --prefix /usr >"$SCRATCH/out" 2>"$SCRATCH/err"
ok "installs into DESTDIR" $?
lib=$(dirname "$(find "$root" -name libplumbline.so)")
for f in usr/bin/plumb usr/include/plumbline/plumbline.h usr/include/plumbline/object.h usr/share/bash-completion/completions/plumb; do
    ok "there is $f" "$([ -f "$root/$f" ]; echo $?)"
done
if command -v scdoc >/dev/null; then
    for page in man1/plumb.1 man1/plumb-check.1 man1/plumb-certify.1 man1/plumb-theory.1 man1/plumb-monitors.1 man1/plumb-export-monitor.1 man5/plumb-history.5; do
        ok "there is $page" "$([ -s "$root/usr/share/man/$page" ]; echo $?)"
    done
    ok "the manual has the options of the tables" "$(grep -q certificate "$root/usr/share/man/man1/plumb-check.1" && grep -q intervals "$root/usr/share/man/man1/plumb-export-monitor.1" && ! grep -rq "@OPTIONS" "$root/usr/share/man"; echo $?)"
fi
for name in plumbline plumbline-record; do
    ok "only plumb_ symbols are exported from $name" "$([ -z "$(nm -D --defined-only "$lib/lib$name.so" | grep -vE ' plumb_| A PLUMBLINE_')" ]; echo $?)"
done

cat >"$SCRATCH/user.c" <<'C'
#include <plumbline/object.h>
#include <plumbline/plumbline.h>
#include <stdio.h>
int main(void) {
    plumb_history *h = plumb_history_new();
    plumb_value one = plumb_int(1);
    plumb_history_call(h, 1, "enq", &one, 1);
    plumb_history_return(h, 1, plumb_none());
    plumb_history_call(h, 2, "deq", NULL, 0);
    plumb_history_return(h, 2, plumb_empty());
    plumb_result *r = plumb_check(h, "queue", NULL);
    int verdict = (int)plumb_result_verdict(r);
    printf("%s%s", plumb_version(), plumb_result_explanation(r));
    plumb_result_free(r);
    plumb_history_free(h);
    return verdict;
}
C
cp "$SCRATCH/user.c" "$SCRATCH/user.cc"
export PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
flags=$(pkg-config --cflags --libs plumbline 2>"$SCRATCH/err")
ok "pkg-config knows it" $?
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
cc -std=c11 $warn -o "$SCRATCH/user_c" "$SCRATCH/user.c" $flags 2>"$SCRATCH/err"; ok "compiles as C11 without warnings" $?
LD_LIBRARY_PATH=$lib "$SCRATCH/user_c" >"$SCRATCH/out"; ok "the C program finds the violation" "$([ $? -eq 1 ]; echo $?)"
if command -v c++ >/dev/null; then
    c++ -std=c++11 $warn -o "$SCRATCH/user_cc" "$SCRATCH/user.cc" $flags 2>"$SCRATCH/err"; ok "compiles as C++11 without warnings" $?
    LD_LIBRARY_PATH=$lib "$SCRATCH/user_cc" >"$SCRATCH/out"; ok "the C++ program finds the violation" "$([ $? -eq 1 ]; echo $?)"
fi

# A program that only records: with libplumbline-record alone, by pkg-config and by find_package.
cat >"$SCRATCH/recorded.c" <<'C'
#include <plumbline/wrap.h>
int main(void) {
    plumb_record_options o = {sizeof o, "queue", 0, "recorded.plumblog", 0, 0, 0, 0, 0, 0, 0};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_log *log = plumb_record_join(r);
    int queue = 0;
    if (plumb_record_error(r)) return 1;
    PLUMB_RECORDED(log, plumb_record_method(r, "enq"), 1, PLUMB_WORD_INT(7), queue = 7, PLUMB_WORD_NONE);
    PLUMB_RECORDED(log, plumb_record_method(r, "dequeue"), 0, PLUMB_WORD_NONE, queue = 0, PLUMB_WORD_INT(7));
    plumb_record_leave(log);
    plumb_record_close(r);
    return queue;
}
C
cp "$SCRATCH/recorded.c" "$SCRATCH/recorded.cc"
record_flags=$(pkg-config --cflags --libs plumbline-record 2>"$SCRATCH/err")
ok "pkg-config knows libplumbline-record" $?
cc -std=c11 $warn -o "$SCRATCH/recorded" "$SCRATCH/recorded.c" $record_flags 2>"$SCRATCH/err"; ok "a program that records is built" $?
(cd "$SCRATCH" && LD_LIBRARY_PATH=$lib ./recorded); ok "it runs" $?
plumb check -q "$SCRATCH/recorded.plumblog"; exits "what it recorded is linearizable" 0
loaded=$(LD_LIBRARY_PATH=$lib ldd "$SCRATCH/recorded")
ok "it loads libplumbline-record" "$(grep -q libplumbline-record <<<"$loaded"; echo $?)"
ok "it loads nothing but the C library besides" "$([ -z "$(grep -vE 'libplumbline-record|libc\.so|ld-linux|linux-vdso' <<<"$loaded")" ]; echo $?)"
if command -v c++ >/dev/null; then
    c++ -std=c++17 $warn -fsyntax-only -include plumbline/wrap.hpp "$SCRATCH/recorded.cc" $flags 2>"$SCRATCH/err"; ok "wrap.hpp compiles" $?
    c++ -std=c++17 $warn -fsyntax-only -include plumbline/wrap_guard.hpp "$SCRATCH/recorded.cc" $flags 2>"$SCRATCH/err"; ok "wrap_guard.hpp compiles" $?
fi

mkdir "$SCRATCH/project"
cp "$SCRATCH/user.c" "$SCRATCH/recorded.c" "$SCRATCH/project"
cat >"$SCRATCH/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(Plumbline 0.1 REQUIRED COMPONENTS record check)
add_executable(user user.c)
target_link_libraries(user PRIVATE Plumbline::plumbline)
add_executable(checks user.c)
target_link_libraries(checks PRIVATE Plumbline::check)
add_executable(recorded recorded.c)
target_link_libraries(recorded PRIVATE Plumbline::record)
CMAKE
env -u PKG_CONFIG_PATH cmake -S "$SCRATCH/project" -B "$SCRATCH/project/build" -DCMAKE_PREFIX_PATH="$root/usr" >"$SCRATCH/out" 2>"$SCRATCH/err" &&
    cmake --build "$SCRATCH/project/build" >>"$SCRATCH/out" 2>>"$SCRATCH/err"
ok "find_package(Plumbline) and the imported target work" $?
LD_LIBRARY_PATH=$lib "$SCRATCH/project/build/user" >"$SCRATCH/out"; ok "the program made with CMake runs" "$([ $? -eq 1 ]; echo $?)"
LD_LIBRARY_PATH=$lib "$SCRATCH/project/build/checks" >"$SCRATCH/out"; ok "so does the one made with the component check" "$([ $? -eq 1 ]; echo $?)"
ok "the one made with the component record needs only that" "$(readelf -d "$SCRATCH/project/build/recorded" | grep NEEDED | grep -q plumbline-record && ! readelf -d "$SCRATCH/project/build/recorded" | grep -q 'libplumbline\.so'; echo $?)"
sed -i 's/COMPONENTS record check/COMPONENTS record nonsense/' "$SCRATCH/project/CMakeLists.txt"
! env -u PKG_CONFIG_PATH cmake -S "$SCRATCH/project" -B "$SCRATCH/project/other" -DCMAKE_PREFIX_PATH="$root/usr" >"$SCRATCH/out" 2>"$SCRATCH/err"
ok "a component that is not there is not found" $?

# plumb init and plumb_add_test: a test that passes, and one that finds the bug.
plumb=$root/usr/bin/plumb
if [ -e "$lib/libplumbline-explore.so" ]; then
    mkdir "$SCRATCH/explored"
    for object in $("$plumb" objects --names); do
        (cd "$SCRATCH/explored" && "$plumb" init "$object") >>"$SCRATCH/out" 2>"$SCRATCH/err" || break
        file=$SCRATCH/explored/$(tr - _ <<<"$object")_test.c
        cc -std=c11 $warn -I"$root/usr/include" -c "$file" -o "$SCRATCH/starter.o" 2>"$SCRATCH/err" || break
        object=
    done
    ok "plumb init writes a test for every object that compiles without warnings" "$([ -z "$object" ]; echo $?)"
    (cd "$SCRATCH/explored" && "$plumb" init queue) >"$SCRATCH/out" 2>"$SCRATCH/err"
    ok "plumb init leaves a file alone that is there" "$([ $? -eq 66 ]; echo $?)"
    cat >"$SCRATCH/explored/counter_test.c" <<'C'
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_long total;
PLUMB_OBJECT("counter")
#ifdef LOSES
PLUMB_OP(inc) { atomic_store(&total, atomic_load(&total) + 1); return plumb_none(); }
#else
PLUMB_OP(inc) { atomic_fetch_add(&total, 1); return plumb_none(); }
#endif
PLUMB_OP(read) { return plumb_int(atomic_load(&total)); }
PLUMB_THREADS("inc | inc read")
C
    cat >"$SCRATCH/explored/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(explored C)
find_package(Plumbline 0.1 REQUIRED)
enable_testing()
plumb_add_test(right counter_test.c TIME 20)
plumb_add_test(wrong counter_test.c TIME 20 OPTIONS --flags -DLOSES)
CMAKE
    (cd "$SCRATCH/explored" && cmake -S . -B build -DCMAKE_PREFIX_PATH="$root/usr" && cd build && ctest -V) >"$SCRATCH/out" 2>"$SCRATCH/err"
    ok "plumb_add_test: the right version passes" "$(grep -q 'right .*Passed' "$SCRATCH/out"; echo $?)"
    ok "plumb_add_test: the wrong version fails" "$(grep -q 'wrong .*Failed' "$SCRATCH/out"; echo $?)"
    ok "plumb_add_test: and says why" "$(grep -q 'not linearizable with respect to counter' "$SCRATCH/out"; echo $?)"
fi
finish
