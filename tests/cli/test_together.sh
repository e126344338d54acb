#!/bin/bash
# Operations that take effect together, from end to end: generate, check, certificates, monitor, pages.
. "$(dirname "$0")/lib.sh"

own_criterion() { case $1 in exchanger) echo linearizable ;; elimination | immediate-snapshot) echo set-linearizable ;; *) echo interval-linearizable ;; esac; }

for object in exchanger elimination immediate-snapshot write-snapshot set-agreement renaming; do
    history=$SCRATCH/$object.jsonl
    own=$(own_criterion $object)
    plumb generate --object $object --ops 40 --threads 3 --overlap 0.8 --seed 4 --output "$history"
    exits "$object: a history is made" 0
    plumb check --object $object --certificate "$SCRATCH/$object.cert" "$history"
    exits "$object: it is right" 0
    says "$object: by its own criterion" out "$own: 40 operations"
    plumb certify "$SCRATCH/$object.cert"
    exits "$object: the certificate holds" 0
    says "$object: and names the criterion" out "are $own"
    plumb check --object $object --criterion interval --json --quiet "$history"
    exits "$object: it is interval-linearizable" 0
    says "$object: with its steps" out '"steps":[{"op":'
    plumb monitor --object $object "$history"
    exits "$object: the monitor agrees" 0
    says "$object: by the same criterion" out "$own: "
    plumb monitor --object $object --criterion interval "$history"
    exits "$object: by another as well" 0
done

mutated() { # object mutation
    plumb generate --object "$1" --ops 20 --threads 3 --overlap 0.7 --mutate "$2" --seed 2 --output "$SCRATCH/bad.jsonl"
    exits "$1, $2: a violation is planted" 0
    plumb check --object "$1" --certificate "$SCRATCH/bad.cert" "$SCRATCH/bad.jsonl"
    exits "$1, $2: it is found" 1
    says "$1, $2: and decided again" out "re-checked"
    plumb certify "$SCRATCH/bad.cert"
    exits "$1, $2: the certificate holds" 0
    plumb monitor --object "$1" "$SCRATCH/bad.jsonl"
    exits "$1, $2: the monitor finds it" 1
}
mutated exchanger one-sided
mutated elimination one-sided
mutated immediate-snapshot unseen-own
mutated write-snapshot forgotten
mutated set-agreement too-many-decisions
mutated set-agreement fresh-value
mutated renaming taken-name

# The example of interval-linearizability: 0 sees 1, 1 sees 2, and 0 does not.
cat >"$SCRATCH/ws.jsonl" <<'END'
{"client":0,"op":"write_snapshot","args":[0,"a"],"call":0,"ret":3,"res":["a","b"]}
{"client":1,"op":"write_snapshot","args":[1,"b"],"call":1,"ret":6,"res":["a","b","c"]}
{"client":2,"op":"write_snapshot","args":[2,"c"],"call":4,"ret":5,"res":["a","b","c"]}
END
plumb check --object write-snapshot "$SCRATCH/ws.jsonl"
exits "write-snapshot: right over time" 0
says "the steps are shown" out '   1  #0 write_snapshot(0, "a") -> ["a" "b"]; #1 write_snapshot(1, "b") -> ["a" "b" "c"] begins   | ["a" "b"]'
plumb check --object write-snapshot --criterion set "$SCRATCH/ws.jsonl"
exits "not at once" 1
says "the report says of what" out "not a set-linearizable write-snapshot"
plumb check --object write-snapshot --criterion interval --html "$SCRATCH/page.html" "$SCRATCH/ws.jsonl"
exits "a page is written" 0
ok "it tells the steps" "$(grep -q 'Steps that explain it' "$SCRATCH/page.html"; echo $?)"
plumb check --object write-snapshot --criterion interval --certificate "$SCRATCH/ws.cert" "$SCRATCH/ws.jsonl"
sed 's/"ends":\[0,1,1\]/"ends":[1,1,1]/' "$SCRATCH/ws.cert" | grep -v '"end"' >"$SCRATCH/other.cert"
plumb certify "$SCRATCH/other.cert"
exits "a certificate without its end is none" 65
plumb check --object write-snapshot --engine search "$SCRATCH/ws.jsonl"
exits "engines of orders do not decide it" 2
says "and say so" out "does not decide criterion interval-linearizable"

# Tasks: solved when all have answered.
cat >"$SCRATCH/task.jsonl" <<'END'
{"client":0,"op":"decide","args":[1],"call":0,"ret":3,"res":2}
{"client":1,"op":"decide","args":[2],"call":1,"ret":4,"res":1}
END
plumb check --object 'set-agreement(2)' "$SCRATCH/task.jsonl"
exits "a task" 0
says "all have answered" out "all 2 have answered: the task is solved"
echo '{"client":2,"op":"decide","args":[3],"call":2,"ret":null}' >>"$SCRATCH/task.jsonl"
plumb check --object 'set-agreement(2)' "$SCRATCH/task.jsonl"
says "not all have" out "2 of 3 have answered: right so far"
plumb check --object 'set-agreement(1)' "$SCRATCH/task.jsonl"
exits "too many decisions" 1

plumb check --object queue --criterion set "$SCRATCH/task.jsonl"
exits "no such criterion for a queue" 64
one_line "one line says so" err
plumb monitor --object lock --criterion 'quasi(2)' "$SCRATCH/task.jsonl"
exits "a criterion that an object has not is not watched" 64
plumb objects
says "objects: their criteria" out "its own: interval-linearizable"
finish
