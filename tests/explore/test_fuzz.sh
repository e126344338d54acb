#!/bin/bash
# A handful of the random programs that `make soak` holds the explorer against (tools/explorer-fuzz), and that the comparison can fail.
. "$(dirname "$0")/../cli/lib.sh"
plain_scratch
tool=$(realpath "$(dirname "$0")/../../tools/explorer-fuzz/run.py")
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
command -v python3 >/dev/null || { echo "skip no python3"; exit 0; }
cd "$SCRATCH" || exit 1
export PLUMB PYTHONDONTWRITEBYTECODE=1
fuzz() { "$tool" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"; code=$?; }

fuzz programs --seed 1 --count 8 --plumb "$PLUMB"
exits "programs" 0
says "were run" out "programs: 8 runs"
fuzz programs --seed 91173 --count 1 --plumb "$PLUMB"
exits "the clock behind a counted loop, in every order" 0
fuzz operations --seed 1 --count 2 --plumb "$PLUMB"
exits "operations" 0
says "were run" out "0 findings"

# A tool that never finds anything says so of everything: one that claims what it did not look at must be found.
cat >claims <<'S'
#!/bin/bash
[ "$1" = cc ] && exec "$PLUMB" "$@"
printf 'no violation\ncovered: every interleaving\n'
S
chmod +x claims
fuzz programs --seed 1 --count 8 --plumb ./claims
exits "a claim without a look is a finding" 1
says "with the outcomes that were missed" out "missed"

finish
