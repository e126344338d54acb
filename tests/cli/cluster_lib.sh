# For tests of --cluster: workers, servers and what was started, which ends with the test.
. "$(dirname "$0")/lib.sh"
plain_scratch
export TMPDIR=$SCRATCH
PLUMB=$(realpath "$PLUMB")
root=$(realpath "$(dirname "$0")/../..")
cd "$SCRATCH" || exit 1
started=()
end_all() {
    for pid in ${started[@]+"${started[@]}"}; do kill -9 "$pid" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$SCRATCH"
}
trap end_all EXIT

sandbox=()
has_sandbox() { bwrap --unshare-all --uid 65534 --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp /bin/true 2>/dev/null; }
has_sandbox || sandbox=(--unsandboxed)

has_nats() {
    if [ ! -e "$(dirname "$PLUMB")/transports/nats.so" ]; then echo "skip - the NATS transport was not built (libnats-dev)"; return 1; fi
    if ! command -v nats-server >/dev/null; then echo "skip - no nats-server"; return 1; fi
    if ! has_loopback; then echo "skip - no loopback interface: nats-server"; return 1; fi
}
has_explorer() { [ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ]; }

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
start_nats() { # port folder [options]: waits until it answers
    local port=$1 folder=$2
    shift 2
    nats-server -js -sd "$folder" -a 127.0.0.1 -p "$port" -l "$folder.log" "$@" &
    nats=$!
    started+=($nats)
    for _ in $(seq 200); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
        sleep 0.05
    done
}
start_worker() { # url [options]: its process in $worker; says so when it is ready
    local url=$1
    shift
    "$PLUMB" worker --cluster "$url" "${sandbox[@]}" "$@" 2>"$SCRATCH/worker.$RANDOM.err" &
    worker=$!
    started+=($worker)
}
without_times() { sed -E 's/"[a-z_]*seconds":[0-9.]*//g; s/time="[0-9.]*"//g; s/, [0-9.]+ s$//'; }
