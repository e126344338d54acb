#!/bin/bash
# --init: one value for all keys, one for each key, inline or from a file; offline, online, in certificates.
. "$(dirname "$0")/lib.sh"
H=$SCRATCH/kv.jsonl
cat >"$H" <<'END'
{"client":0,"op":"get","args":["x"],"call":1,"ret":2,"res":5}
{"client":0,"op":"get","args":["y"],"call":3,"ret":4,"res":"two words"}
{"client":0,"op":"get","args":["z"],"call":5,"ret":6,"res":null}
{"client":1,"op":"put","args":["x",7],"call":5,"ret":8,"res":null}
{"client":0,"op":"get","args":["x"],"call":9,"ret":10,"res":7}
END
printf '# what the store held\n"y" "two words"\n\nx 5\n' >"$SCRATCH/init.txt"
echo '{"x":5,"y":"two words"}' >"$SCRATCH/init.json"
for given in "$SCRATCH/init.txt" "@$SCRATCH/init.txt" "$SCRATCH/init.json" '{"x":5,"y":"two words"}'; do
    plumb check -q --init "$given" "$H"; exits "each key its own: $(basename "$given")" 0
    plumb monitor -q --init "$given" "$H"; exits "the same online" 0
    for engine in search frontier enumerate; do
        plumb check -q -e $engine --init "$given" "$H"; exits "the same by $engine" 0
    done
done
plumb check -q "$H"; exits "without it the keys are absent" 1
plumb check --init '{"x":6,"y":"two words"}' --certificate "$SCRATCH/c" "$H"; exits "another value is a violation" 1
says "of the read of it" out 'get("x") -> 5'
plumb certify "$SCRATCH/c"; exits "its certificate holds" 0
plumb monitor -q --init '{"x":6,"y":"two words"}' "$H"; exits "online too" 1
plumb check -q --init "$SCRATCH/init.txt" --certificate "$SCRATCH/c" "$H"; exits "a certificate of a witness" 0
plumb certify "$SCRATCH/c"; exits "begins with the same values" 0

head -1 "$H" >"$SCRATCH/one.jsonl"
plumb check -q --init 5 "$SCRATCH/one.jsonl"; exits "one value is that of every key" 0
plumb monitor -q --init 5 "$SCRATCH/one.jsonl"; exits "one value is that of every key, online" 0
printf '{"client":0,"op":"get","args":[1],"call":1,"ret":2,"res":"a"}\n' >"$SCRATCH/number.jsonl"
plumb check -q -o kv --init '{"1":"a"}' "$SCRATCH/number.jsonl"; exits "a key of JSON that reads as an integer" 0
plumb check -q -o kv --init "$SCRATCH/init.json" "$SCRATCH/number.jsonl"; exits "a key that is not named has none" 1

# registers, one for each key
printf '{"client":0,"op":"read","key":"a","args":[],"call":1,"ret":2,"res":1}\n%s\n' \
    '{"client":0,"op":"read","key":"b","args":[],"call":3,"ret":4,"res":2}' >"$SCRATCH/r.jsonl"
printf 'a 1\nb 2' >"$SCRATCH/r.txt"
for object in register cas-register; do
    plumb check -q -o $object --init "$SCRATCH/r.txt" "$SCRATCH/r.jsonl"; exits "a $object for each key" 0
    plumb monitor -q -o $object --init "$SCRATCH/r.txt" "$SCRATCH/r.jsonl"; exits "a $object for each key, online" 0
    plumb check -q -o $object --init '{"a":1}' "$SCRATCH/r.jsonl"; exits "the other $object has none" 1
done

printf 'a 1\nb\n' >"$SCRATCH/bad.txt"
plumb check -o kv --init "$SCRATCH/bad.txt" "$H"; exits "a line without a value" 64
says "is named" err "line 2: expected a key and its value"
plumb check -o kv --init '{"x":[1]}' "$H"; exits "a value that is a list" 64
plumb check -o kv --init '{"x":1' "$H"; exits "half an object" 64
plumb check -o kv --init "@$SCRATCH/nowhere" "$H"; exits "a file that is not there" 66
plumb check -o counter --init '{"a":"b"}' "$SCRATCH/r.jsonl"; exits "values are as the object wants them" 64
plumb check -o queue --init "$SCRATCH/r.txt" "$SCRATCH/r.jsonl"; exits "an object without initial values" 64
plumb generate -o kv -n 200 -j 4 --init "$SCRATCH/init.txt" --seed 3
cp "$SCRATCH/out" "$SCRATCH/g.jsonl"
plumb check -q --init "$SCRATCH/init.txt" "$SCRATCH/g.jsonl"; exits "a generated history begins with them" 0
plumb check -q "$SCRATCH/g.jsonl"; exits "and says so itself" 0

# What a file says is the initial value counts unless the command line says another, or names another object.
for form in jsonl events plumb plumblog; do
    plumb convert -q "$SCRATCH/g.jsonl" "$SCRATCH/again.$form"; exits "written as .$form" 0
    plumb check -q "$SCRATCH/again.$form"; exits "the values in .$form" 0
    plumb monitor -q "$SCRATCH/again.$form"; exits "the values in .$form, online" 0
    plumb check -q --init '"none of them"' "$SCRATCH/again.$form"; exits "the command line counts more than .$form" 1
done
for form in violin edn ops; do
    plumb convert -q "$SCRATCH/g.jsonl" "$SCRATCH/again.$form"; exits "no place in .$form" 65
    says "refused by .$form" err "the initial value"
done
printf '{"plumb":"history/1","object":"queue","init":1}\n{"client":0,"op":"enq","args":[1],"call":1,"ret":2}\n' >"$SCRATCH/bad.jsonl"
plumb check "$SCRATCH/bad.jsonl"; exits "a file's value that the object does not take" 65
plumb check -o queue "$SCRATCH/bad.jsonl"; exits "the same, with the object named" 65
says "the file is named" err "bad.jsonl: what it says of its initial value"
plumb monitor -o queue "$SCRATCH/bad.jsonl"; exits "the same online" 65
plumb check -o stack "$SCRATCH/bad.jsonl"; exits "of another object it is not asked" 65
says "but its methods are" err "enq"

# What is not whole is not linearizable, and says why.
printf '{"plumb":"history/1","object":"register","lacks":"it ends early"}\n{"client":1,"event":"call","op":"write","args":[1]}\n' >"$SCRATCH/part.events"
plumb check "$SCRATCH/part.events"; exits "a part is undecided" 2
says "why" out "it ends early"
plumb monitor "$SCRATCH/part.events"; exits "online too" 2
says "why, online" err "undecided: it ends early"
finish
