#!/bin/bash
# The package for Python: its own tests, by the library and by the command alone, the example of its README, the fixture
# for pytest, and an installation that compiles nothing.
. "$(dirname "$0")/../cli/lib.sh"
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BINDING=$ROOT/bindings/python
command -v python3 >/dev/null || { echo "skip - no python3"; exit 0; }
case $PLUMB in /*) ;; *) PLUMB=$PWD/$PLUMB ;; esac
real=$(python3 -c "import sys; print(sys.executable)") # a wrapper may need what PATH has
export ROOT PLUMB PYTHONPATH=$BINDING PYTHONDONTWRITEBYTECODE=1
cd "$SCRATCH" || exit 1

library=${PLUMB_BUILD:-$ROOT/build}/libplumbline.so.0
run_tests() { # name way library
    WAY=$2 PLUMBLINE_LIBRARY=$3 timeout 300 python3 "$BINDING/tests/test_plumbline.py" >out 2>&1
    ok "$1" $?
}
run_tests "by the command" command ""
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip - a library with sanitizers is not loaded by python3"; else
    run_tests "by the library" library "$library"
    PLUMB='' PATH=/nowhere WAY=library PLUMBLINE_LIBRARY=$library "$real" "$BINDING/tests/test_plumbline.py" >out 2>&1
    ok "by the library, without a command" $?
fi
export PLUMBLINE_LIBRARY=
PLUMB='' PATH=/nowhere "$real" -c 'import plumbline; plumbline.check(plumbline.History("queue"))' >out 2>&1
ok "without both there is a message" "$(grep -qF 'PlumblineError: neither libplumbline nor the command' out; echo $?)"

sed -n '/^```python/,/^```/p' "$BINDING/README.md" | sed '/^```/d' >example.py
python3 example.py >out 2>&1; ok "the example of its README" "$(grep -qx 'linearizable 800' out; echo $?)"
ok "the recorder has under 300 lines" "$([ "$(wc -l <"$BINDING/plumbline/record.py")" -lt 300 ]; echo $?)"

with_module() { # module...: prints a python that has them
    local p
    for p in python3 /usr/bin/python3; do "$p" -c "import $1" 2>/dev/null && echo "$p" && return; done
    return 1
}
if python=$(with_module pytest); then
    cat >test_fixture.py <<'P'
def test_right(linearizable):
    r = linearizable("queue")
    r.run("enq", lambda x: None, 1)
    r.run("deq", lambda: 1)
def test_wrong(linearizable):
    linearizable("queue").run("deq", lambda: 5)
P
    "$python" -m pytest -q -p plumbline.pytest_plugin -p no:cacheprovider test_fixture.py >out 2>&1
    ok "pytest: the wrong one fails" "$(grep -q '2 passed, 1 error' out; echo $?)"
    ok "and says why" "$(grep -qF '#0 deq() -> 5' out; echo $?)"
else echo "skip - no pytest: the fixture"; fi

cp -r "$BINDING" source
if python=$(with_module pip,setuptools,wheel); then
    "$python" -m pip install -q --no-index --no-build-isolation --no-deps --target installed ./source >out 2>&1
    ok "pip installs it, compiling nothing" "$(PYTHONPATH=$SCRATCH/installed "$python" -c 'import plumbline; print(plumbline.__file__)' | grep -q installed; echo $?)"
else echo "skip - no pip, setuptools or wheel: the installation"; fi
finish
