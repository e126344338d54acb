#!/bin/bash
# Every row of src/explore/model/explore_options.def is an option of `plumb explore`: the parser takes it, --help, the manual page
# and the completion tell of it, and what the executions depend on is in the report. A new row is tested without a word here.
. "$(dirname "$0")/lib.sh"
plain_scratch
here=$(cd "$(dirname "$0")" && pwd)
table=$here/../../src/explore/model/explore_options.def
# "NAME KIND ROW" of every row, on one line each.
rows=$(sed -n '/^SENT_OPTION(\|^HERE_OPTION(/p' "$table" | sed -E 's/^(SENT|HERE)_OPTION\([a-z_]+, "([a-z-]+)", ([A-Z]+).*/\2 \3 \1/')
ok "the table has rows" "$([ "$(wc -l <<<"$rows")" -ge 30 ]; echo $?)"
ok "every row begins with field, name and kind" "$(grep -cvE '^[a-z-]+ [A-Z]+ (SENT|HERE)$' <<<"$rows")"

plumb explore --help
cp "$SCRATCH/out" "$SCRATCH/help"
plumb --dump-options man explore
cp "$SCRATCH/out" "$SCRATCH/man"
plumb --dump-options bash
sed -n 's/^ *explore) words="\(.*\)" ;;/\1/p' "$SCRATCH/out" | tr ' ' '\n' >"$SCRATCH/completion"
plumb explore --json --quiet --time 1 "$SCRATCH/none.c"
exits "a test that is not there" 66
missing() { # file pattern-with-NAME: names whose pattern is not in the file
    while read -r name _; do grep -qE -- "${2//NAME/$name}" "$SCRATCH/$1" || echo "$name"; done <<<"$rows"
}
none() { # name words
    [ -z "$2" ] || echo "# ${2//$'\n'/ }"
    ok "$1" "$([ -z "$2" ]; echo $?)"
}
none "--help lists each" "$(missing help '^  (-[a-z], )?--NAME( |$)')"
none "the manual page lists each" "$(missing man '^(\*-[a-z]\*, )?\*--NAME\*')"
none "the completion offers each" "$(missing completion '^--NAME$')"
none "and no other but help" "$(grep -vxF -- "$(awk '{print "--" $1} END {print "--help"}' <<<"$rows")" "$SCRATCH/completion" | grep .)"

# The parser knows each, and tells what it expects: a flag takes no argument, the others need one.
refused=$(while read -r name kind _; do
    if [ "$kind" = FLAG ]; then plumb explore "--$name=1" x.c; expected="--$name takes no argument"
    else plumb explore "--$name"; expected="--$name needs an argument"; fi
    grep -qF -- "$expected" "$SCRATCH/err" && [ "$code" -eq 64 ] || echo "$name"
done <<<"$rows")
none "the parser knows each" "$refused"

if [ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] && command -v python3 >/dev/null; then
    plumb explore --quiet --json --time 20 --program "enq(1) | deq" --reuse never --steps 1999 --races --schedule "$SCRATCH/schedule" "$here/../../corpus/michael_scott_queue.c"
    python3 -c '
import json, sys
options = json.load(open(sys.argv[1] + "/out"))["options"]
sent = sys.argv[2].split()
assert sorted(options) == sorted(sent), (sorted(options), sorted(sent))
assert options["reuse"] == "never" and options["steps"] == 1999 and options["races"] is True and options["leaks"] is False, options
assert options["program"] is None or options["program"] == "enq(1) | deq", options
' "$SCRATCH" "$(awk '$3 == "SENT" {print $1}' <<<"$rows")" 2>"$SCRATCH/err"
    ok "the report tells those that executions depend on, and their values" $?
fi

# ---- names and flags with blanks ----
if [ -e "$(dirname "$(realpath "$PLUMB")")/libplumbline-explore.so" ]; then
    PLUMB=$(realpath "$PLUMB")
    mkdir "$SCRATCH/a folder"
    cp "$here"/../../examples/explore/queue.[ch] "$SCRATCH/a folder"
    { echo '_Static_assert(sizeof NOTE == 5, "the flag is one word");'; cat "$here/../../examples/explore/queue_test.c"; } >"$SCRATCH/a folder/my test.c"
    cd "$SCRATCH/a folder" || exit 1
    plumb explore -q --jobs 1 '-DNOTE="a  b"' "my test.c" queue.c
    exits "a name and a flag with blanks" 1
    says "how to repeat it, as a shell takes it" out "replay: plumb replay 'my test.schedule' ("
    plumb replay "my test.schedule"
    exits "a schedule has them, too" 1
    sed 's|^flags: .*|flags: -DNOTE=\\ -O1\\ -wrapper\\ x -I..\\ x -wrapper y|' "my test.schedule" >"other.schedule"
    plumb replay other.schedule
    says "what would run is told word by word" err "read other things: -wrapper y; --trust"
fi
finish
