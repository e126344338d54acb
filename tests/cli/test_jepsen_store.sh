#!/bin/bash
# Folders that Jepsen wrote: the history is judged once, with its times; faults of the nemesis are intervals; the test
# map and what Jepsen said are told; independent keys are known by their folder.
. "$(dirname "$0")/lib.sh"
cd "$SCRATCH" || exit 1

store() { # folder: a run of a register, as Jepsen writes it
    mkdir -p "$1/n1"
    cat >"$1/history.edn" <<'E'
{:type :invoke, :f :write, :value 1, :process 0, :time 1000000, :index 0}
{:type :ok, :f :write, :value 1, :process 0, :time 3000000, :index 1}
{:type :info, :f :start-partition, :value :majority, :process :nemesis, :time 4000000, :index 2}
{:type :info, :f :start-partition, :value [:isolated {"n1" #{"n2"}}], :process :nemesis, :time 5000000, :index 3}
{:type :invoke, :f :read, :value nil, :process 1, :time 6000000, :index 4}
{:type :ok, :f :read, :value nil, :process 1, :time 7500000, :index 5}
{:type :info, :f :stop-partition, :value nil, :process :nemesis, :time 8000000, :index 6}
{:type :info, :f :stop-partition, :value :healed, :process :nemesis, :time 9000000, :index 7}
{:type :info, :f :kill, :value nil, :process :nemesis, :time 9500000, :index 8}
E
    sed -n 's/.*:type :\([a-z]*\), :f :\([a-z-]*\), :value \([^,]*\), :process \([^,]*\),.*/\4\t:\1\t:\2\t\3/p' "$1/history.edn" >"$1/history.txt"
    { printf '%s\n' '2024-01-01 00:00:00,000{GMT}	INFO	[main] jepsen.core: Running test:' \
        '{:remote #jepsen.control.Remote{:x 1}' ' :concurrency 10' ' :name "etcd register"' \
        ' :nodes ["n1" "n2" "n3"]' ' :checker #object[jepsen.Checker 0x1 "x"]}'
      sed 's/^/2024-01-01 INFO [worker] jepsen.util: /' "$1/history.txt"; } >"$1/jepsen.log"
    printf '{:perf {:valid? true},\n :linear {:valid? false},\n :valid? false}\n' >"$1/results.edn"
    printf 'JEPSEN\0\0\0\1' >"$1/test.jepsen"
    echo "etcd started" >"$1/n1/etcd.log"
}
store run
plumb check run; exits "a store is judged" 1
says "the test map and what Jepsen said" err "run: a run of Jepsen, test etcd register, 3 nodes, concurrency 10; its own checkers said :valid? false"
says "its history, once" err "read run/history.edn: jepsen-edn, 2 clients, 2 ok"
says "explained as a file is, with times" out "#0  0  write(1)        1.000 ms..3.000 ms"
plumb check -q --json run/; exits "with a slash" 1; one_line "one verdict" out
plumb check --quiet run; ok "quiet says nothing of it" "$([ ! -s err ]; echo $?)"
plumb convert -q --to jsonl run/history.edn h.jsonl
ok "a fault lasts from its call to the completion of its end" \
    "$(grep -qF '{"annotation":"nemesis start-partition \"majority\"","time":4000000,"until":9000000}' h.jsonl; echo $?)"
ok "its completion is a moment" "$(grep -F 'isolated' h.jsonl | grep -qF '"time":5000000}'; echo $?)"
ok "a fault without an end has none" "$(grep -qF '{"annotation":"nemesis kill","time":9500000}' h.jsonl; echo $?)"
plumb view -q -o page.html run/history.edn; ok "the page has the band" "$(grep -qF '(4.000 ms..9.000 ms)' page.html; echo $?)"

# kill is ended by start; start is no fault then, and a fault of its own otherwise
cat >faults.edn <<'E'
{:type :info, :f :kill-db, :process :nemesis, :time 10}
{:type :info, :f :kill-db, :process :nemesis, :time 11}
{:type :info, :f :pause, :process :nemesis, :time 12}
{:type :info, :f :start-db, :process :nemesis, :time 20}
{:type :info, :f :start-db, :process :nemesis, :time 21}
{:type :info, :f :resume, :process :nemesis, :time 22}
{:type :info, :f :start, :process :nemesis, :time 30}
{:type :info, :f :stop, :process :nemesis, :time 40}
{:type :info, :f :start, :process :nemesis, :time 50}
{:type :info, :f :stop, :process :nemesis, :time 60}
{:type :invoke, :f :read, :value nil, :process 1, :time 70}
{:type :ok, :f :read, :value nil, :process 1, :time 80}
E
plumb convert -q --to jsonl faults.edn f.jsonl
lasting=$(sed -n 's/.*nemesis \([a-z-]*\)","time":\([0-9]*\),"until":\([0-9]*\)}/\1 \2 \3/p' f.jsonl | tr '\n' ';')
ok "each end ends its own fault" "$([ "$lasting" = "kill-db 10 21;pause 12 22;start 30 40;start 50 60;" ]; echo $?)"
[ "$lasting" = "kill-db 10 21;pause 12 22;start 30 40;start 50 60;" ] || echo "# $lasting"

# times that are missing or go back are not shown: the order of the maps counts
sed 's/:time 6000000/:time 2/' run/history.edn >back.edn
plumb check -q back.edn; exits "times that go back" 1; says "are not shown" out "write(1)        0..1"
sed 's/:time [0-9]*/:time -1/' run/history.edn >none.edn
plumb check -q none.edn; says "negative times are none" out "write(1)        0..1"
sed 's/:time 6000000/:time 6.5/' run/history.edn >odd.edn; plumb check -q odd.edn; exits "a time that is no integer is none" 1

# independent keys
mkdir -p keys/independent/0
cat >keys/history.edn <<'E'
{:type :invoke, :f :write, :value [0 1], :process 0, :time 1}
{:type :ok, :f :write, :value [0 1], :process 0, :time 2}
{:type :invoke, :f :read, :value [5 nil], :process 0, :time 3}
{:type :ok, :f :read, :value [5 nil], :process 0, :time 4}
E
cp keys/history.edn keys/independent/0/; echo '{:valid? true}' >keys/results.edn
plumb check keys; exits "independent keys are known by their folder" 0; says "and told" err "independent keys; its own checkers said :valid? true"
rm -r keys/independent; plumb check -q keys; exits "without the folder values are pairs" 1

# a store of several runs, with links to the last; a run that has only its text
mkdir -p store/etcd; store store/etcd/1; store store/etcd/2; rm store/etcd/2/history.edn store/etcd/2/test.jepsen; ln -s etcd/2 store/latest
plumb check --json store; exits "a store of runs" 1
ok "each run once" "$([ "$(wc -l <out)" -eq 2 ]; echo $?)"; says "history.txt where there is no other" out 'store/etcd/2/history.txt'
rm store/etcd/1/results.edn store/etcd/1/jepsen.log store/etcd/1/test.jepsen
plumb check --json store; ok "a folder with none of Jepsen's files is walked as before" "$([ "$(wc -l <out)" -eq 3 ]; echo $?)"
head -c 70000 /dev/zero | tr '\0' '{' >store/etcd/2/results.edn; printf 'Running test {:name [' >store/etcd/2/jepsen.log
plumb check -q store/etcd/2; exits "damaged maps are not needed" 1
finish
