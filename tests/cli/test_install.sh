#!/bin/bash
# What `make install` leaves behind can be used: through pkg-config and through find_package, from C and from C++.
. "$(dirname "$0")/lib.sh"
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
ok "only plumb_ symbols are exported" "$([ -z "$(nm -D --defined-only "$lib/libplumbline.so" | grep -v ' plumb_')" ]; echo $?)"

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
mkdir "$SCRATCH/project"
cp "$SCRATCH/user.c" "$SCRATCH/project"
cat >"$SCRATCH/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(Plumbline 0.1 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE Plumbline::plumbline)
CMAKE
env -u PKG_CONFIG_PATH cmake -S "$SCRATCH/project" -B "$SCRATCH/project/build" -DCMAKE_PREFIX_PATH="$root/usr" >"$SCRATCH/out" 2>"$SCRATCH/err" &&
    cmake --build "$SCRATCH/project/build" >>"$SCRATCH/out" 2>>"$SCRATCH/err"
ok "find_package(Plumbline) and the imported target work" $?
LD_LIBRARY_PATH=$lib "$SCRATCH/project/build/user" >"$SCRATCH/out"; ok "the program made with CMake runs" "$([ $? -eq 1 ]; echo $?)"

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
