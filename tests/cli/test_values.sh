#!/bin/bash
# Values and times as people mean them: numbers by value, sets and maps without order, a client's own order, old files.
. "$(dirname "$0")/lib.sh"

lines() { printf '%s\n' "$@" >"$SCRATCH/h"; }
checks() { # name, exit code, options
    local name=$1 expected=$2; shift 2
    plumb check -q "$@" "$SCRATCH/h"; exits "$name" "$expected"
}

# numbers
lines '{"client":0,"op":"insert","args":[10.5],"call":0,"ret":1}' '{"client":0,"op":"insert","args":[9.5],"call":2,"ret":3}' \
    '{"client":0,"op":"deletemin","args":[],"call":4,"ret":5,"res":9.5}'
checks "9.5 is below 10.5" 0 -o pqueue-min
sed -i 's/deletemin/deletemax/' "$SCRATCH/h"; checks "and not above" 1 -o pqueue-max
lines '{"client":0,"op":"insert","args":[18446744073709551615],"call":0,"ret":1}' '{"client":0,"op":"insert","args":[9223372036854775808],"call":2,"ret":3}' \
    '{"client":0,"op":"deletemin","args":[],"call":4,"ret":5,"res":9223372036854775808}'
checks "integers beyond 64 bits" 0 -o pqueue-min
lines '{"client":0,"op":"write","args":[10.5],"call":0,"ret":1}' '{"client":0,"op":"write","args":[9.5],"call":2,"ret":3}' \
    '{"client":0,"op":"read","args":[],"call":4,"ret":5,"res":10.5}'
checks "the greater of two decimals" 0 -o max-register
lines '{"client":0,"op":"write","args":[1.0],"call":0,"ret":1}' '{"client":0,"op":"read","args":[],"call":4,"ret":5,"res":1e0}'
checks "1.0 is 1e0" 0 -o register
lines '{"client":0,"op":"write","args":["1.5"],"call":0,"ret":1}' '{"client":0,"op":"read","args":[],"call":4,"ret":5,"res":1.5}'
checks "the string 1.5 is no number" 1 -o register
plumb check -q -o register --init 2.50 - <<<'{"client":0,"op":"read","args":[],"call":4,"ret":5,"res":2.5}'; exits "an initial decimal" 0

# sets and maps
edn() { lines "{:process 0, :type :invoke, :f :write, :value $1}" "{:process 0, :type :ok, :f :write, :value $1}" \
    '{:process 0, :type :invoke, :f :read, :value nil}' "{:process 0, :type :ok, :f :read, :value $2}"; }
edn '#{1 2 3}' '#{3 2 1}'; checks "a set has no order" 0
plumb convert -q -f jepsen-edn -t jepsen-edn "$SCRATCH/h" -; says "a set is written as a set" out '#{1 2 3}'
plumb convert -q -f jepsen-edn -t plumb-jsonl "$SCRATCH/h" -; exits "JSON has no sets" 65; one_line "which is said in one line" err
plumb convert -q -f jepsen-edn "$SCRATCH/h" "$SCRATCH/set.plumb"; plumb check -q "$SCRATCH/set.plumb"; exits "the binary format has" 0
plumb check -q --certificate "$SCRATCH/set.cert" "$SCRATCH/h"; plumb certify "$SCRATCH/set.cert"; exits "so have certificates" 0
edn '{:a 1 :b 2}' '{:b 2 :a 1}'; checks "a map has no order" 0
edn '{:a 1 :b 2}' '[:a 1 :b 2]'; checks "a map is no vector" 1
edn '#{1 2}' '[1 2]'; checks "a set is no vector" 1
edn '#{}' '{}'; checks "a set is no map" 1
lines '{"plumb":"history/1","object":"kv"}' '{"client":1,"op":"put","key":"a","args":[{"x":1,"y":2}],"call":1,"ret":2}' \
    '{"client":1,"op":"get","key":"a","args":[],"call":3,"ret":4,"res":{"y":2,"x":1}}'
checks "an object of JSON has no order" 0
plumb convert -q -t plumb-jsonl "$SCRATCH/h" -; says "and is written as one" out '"res":{"x":1,"y":2}'

# time
lines '{"client":1,"op":"enq","args":[1],"call":5,"ret":7}' '{"client":1,"op":"deq","args":[],"call":7,"ret":8,"res":"empty"}'
checks "a client's own order at equal stamps" 1 -o queue
plumb check -q --json -o queue "$SCRATCH/h"; says "the event at which a core ends, by its operation" out '"core_cut_event":{"operation":1,"event":"return"}'
sed -i '2s/"client":1/"client":2/' "$SCRATCH/h"; checks "others overlap there" 0 -o queue
# A client's operation that is over at the stamp where another of it begins comes first, whatever the order of lines.
lines '{"client":1,"op":"enq","args":[3],"call":6,"ret":7}' '{"client":1,"op":"enq","args":[2],"call":6,"ret":6}' \
    '{"client":1,"op":"enq","args":[1],"call":1,"ret":6}' '{"client":2,"op":"deq","args":[],"call":10,"ret":11,"res":2}'
checks "a client's own order at equal stamps, lines the other way round" 1 -o queue
lines '{"client":1,"op":"enq","args":[3],"call":6,"ret":7}' '{"client":1,"op":"enq","args":[2],"call":6,"ret":6}' \
    '{"client":1,"op":"enq","args":[1],"call":1,"ret":6}' '{"client":2,"op":"deq","args":[],"call":10,"ret":11,"res":1}'
checks "and right where the first comes out" 0 -o queue
lines '{"client":0,"op":"write","args":[1],"call":0,"ret":1}' '{"client":0,"op":"read","args":[],"call":2,"ret":9223372036854775807,"res":2}'
checks "the largest integer is a time" 1 -o register
lines '{"client":0,"op":"lock","args":[],"call":0,"ret":1}' '{"client":0,"op":"unlock","args":[],"call":1,"ret":2}'
checks "a lock at equal stamps" 0 -o lock
plumb convert -q -t violin "$SCRATCH/h" "$SCRATCH/h.violin"; plumb check -q -o lock "$SCRATCH/h.violin"; exits "and as events" 0
# two clients each return and call again at one stamp: both orders cannot be kept by an order of events
lines '{"client":1,"op":"enq","args":[1],"call":0,"ret":5}' '{"client":1,"op":"deq","args":[],"call":5,"ret":9,"res":1}' \
    '{"client":2,"op":"enq","args":[2],"call":1,"ret":5}' '{"client":2,"op":"deq","args":[],"call":5,"ret":9,"res":2}'
checks "two clients at one stamp" 0 -o queue
plumb convert -q -t violin "$SCRATCH/h" -; exits "which events cannot say" 65; one_line "in one line" err
plumb convert -q -t operation-list "$SCRATCH/h" "$SCRATCH/h.ops"; exits "nor lists, where equal stamps come one after the other" 65
one_line "in one line" err
# operation lists: a return at t comes before a call at t, as their tools read them; converted, the order is kept
printf 'enq 2 0 1\nenq 1 1 2\ndeq 1 2 3\ndeq 2 3 4\n' >"$SCRATCH/t.ops"
plumb check -q -o queue "$SCRATCH/t.ops"; exits "one after the other" 1; says "with their stamps" out "returned (at 1) before #1 enq(1) was called (at 1)"
plumb monitor -q -o queue "$SCRATCH/t.ops"; exits "to a monitor, too" 1
for f in violin plumb-jsonl plumb-events operation-list plumb-binary jepsen-edn; do
    plumb convert -q -o queue -t $f "$SCRATCH/t.ops" "$SCRATCH/t"; plumb check -q -f $f -o queue "$SCRATCH/t"; exits "the same as $f" 1
done
printf 'enq 1 1 1\ndeq 1 1 1\ndeq empty 1 2\n' >"$SCRATCH/t.ops"; plumb check -q -o queue "$SCRATCH/t.ops"; exits "points at one stamp overlap" 0
lines '{"client":1,"op":"enq","args":[1],"call":0,"ret":5}' '{"client":2,"op":"deq","args":[],"call":5,"ret":9,"res":"empty"}'
checks "elsewhere they overlap" 0 -o queue
plumb convert -q -o queue -t operation-list "$SCRATCH/h" "$SCRATCH/t"; plumb check -q "$SCRATCH/t"; exits "and still do when written as a list" 0
# words of FastLin and Knossos
printf '# set\nadd 3 true 1 2\ncontains_true 3 3 4\ncontains_false 4 3 4\n' >"$SCRATCH/t.ops"; plumb check -q "$SCRATCH/t.ops"; exits "contains_true" 0
echo 'contains_false 3 5 6' >>"$SCRATCH/t.ops"; plumb check -q "$SCRATCH/t.ops"; exits "contains_false" 1
printf '# priorityqueue\ninsert 3 1 2\ninsert 4 3 4\npoll 3 5 6\n' >"$SCRATCH/t.ops"; plumb check -q "$SCRATCH/t.ops"; exits "priorityqueue" 1
lines '{:process 0, :type :invoke, :f :read, :value 3}' '{:process 0, :type :ok, :f :read, :value 3}'
checks "a read that carries its value at the invocation" 0 --init 3; checks "which is no argument" 1 --init 4
for o in lock rwlock semaphore 'semaphore(2)'; do
    plumb generate -o "$o" -n 100 -j 4 -s 3; ok "as many operations as were asked for: $o" "$([ "$(grep -c '"op"' "$SCRATCH/out")" = 100 ]; echo $?)"
    cp "$SCRATCH/out" "$SCRATCH/g.jsonl"; plumb check -q -t 20 "$SCRATCH/g.jsonl"; exits "which are right" 0
done

# nothing at all
echo '{"plumb":"history/1","object":"queue"}' >"$SCRATCH/none.jsonl"
for f in violin plumb-jsonl plumb-binary; do
    plumb convert -q -t $f "$SCRATCH/none.jsonl" "$SCRATCH/none"; plumb check -q "$SCRATCH/none"; exits "no operations as $f" 2
done
# a recorder that recorded nothing: the caller expected more
plumb convert -q -t plumb-log "$SCRATCH/none.jsonl" "$SCRATCH/none"; plumb check -q "$SCRATCH/none"; exits "no operations as plumb-log" 2
says "nothing was judged" out "nothing was judged: the log holds no operation"
for f in jepsen-edn jepsen-log operation-list; do
    plumb convert -q -t $f "$SCRATCH/none.jsonl" "$SCRATCH/none"; exits "no operations are nothing as $f" 65; one_line "which is said: $f" err
done

# Where a format does not name the object, the methods must not tell another one.
for object in elimination max-register set-agreement 'queue(2)'; do
    plumb generate -o "$object" -n 12 --seed 3 -O "$SCRATCH/named.jsonl"
    for f in jepsen-edn jepsen-log; do
        plumb convert -q -t $f "$SCRATCH/named.jsonl" "$SCRATCH/named"; exits "$object would be another object in $f" 65
        says "which is said" err "--object $object writes it all the same"
        plumb convert -q -t $f -o "$object" "$SCRATCH/named.jsonl" "$SCRATCH/named"; exits "$object in $f, for one who knows" 0
    done
    plumb convert -q -t violin "$SCRATCH/named.jsonl" "$SCRATCH/named"; exits "violin names $object" 0
done

# files of older versions
for f in history-1.plumb log-2.plumblog.gz values-1.jsonl; do plumb check -q tests/format/old/$f; exits "old $f" 0; done
plumb certify tests/format/old/history-1.cert; exits "an old certificate" 0
plumb convert -q -t plumb-jsonl tests/format/old/history-1.plumb "$SCRATCH/old.jsonl"
plumb convert -q -t plumb-jsonl tests/format/old/values-1.jsonl "$SCRATCH/text.jsonl"
ok "an old binary file reads as its text" "$(cmp -s "$SCRATCH/old.jsonl" "$SCRATCH/text.jsonl"; echo $?)"
plumb convert -q tests/format/old/values-1.jsonl "$SCRATCH/same.plumb"
ok "what has no new values is written as before" "$(cmp -s "$SCRATCH/same.plumb" tests/format/old/history-1.plumb; echo $?)"

finish
