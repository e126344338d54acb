#!/bin/sh
# Seeds for the fuzzers: small pieces of recorded histories and the hand-made files in fuzz/seeds.
#     fuzz/seeds.sh DIRECTORY          makes DIRECTORY/fuzz_<what>/...
set -eu
here=$(dirname "$0")
data=${PLUMB_DATA:-$here/../../shared/data}
out=${1:?usage: fuzz/seeds.sh DIRECTORY}

add() { # what, file: its first lines
    mkdir -p "$out/fuzz_$1"
    head -n 20 "$2" > "$out/fuzz_$1/$(basename "$2")"
}

for file in "$here"/seeds/*; do
    name=$(basename "$file")
    add "${name%%.*}" "$file"
    add token "$file"
done
for file in "$data"/porcupine/kv/*.txt; do
    if [ -e "$file" ]; then add jepsen_edn "$file"; add token "$file"; fi
done
for file in "$data"/porcupine/jepsen/etcd_00*.log; do
    if [ -e "$file" ]; then add jepsen_log "$file"; fi
done
for file in "$data"/violin/simple/*.log; do
    if [ -e "$file" ]; then add violin "$file"; fi
done
mkdir -p "$out/fuzz_theory"
cp "$here"/../theories/*.thy "$out/fuzz_theory"
mkdir -p "$out/fuzz_litmus"
cp "$here"/../tests/explore/weak/litmus/*.litmus "$out/fuzz_litmus"
