#!/bin/bash
# The crate for Rust: its own tests, by `cargo test` without a registry, and the example of its README.
. "$(dirname "$0")/../cli/lib.sh"
BINDING=$(cd "$(dirname "$0")/../../bindings/rust" && pwd)
command -v cargo >/dev/null && command -v rustc >/dev/null || { echo "skip - no cargo or rustc"; exit 0; }
case $PLUMB in /*) ;; *) PLUMB=$PWD/$PLUMB ;; esac
export PLUMB TMPDIR=$SCRATCH CARGO_TARGET_DIR=$SCRATCH/target
cp -r "$BINDING" "$SCRATCH/crate"
cd "$SCRATCH/crate" || exit 1
mkdir examples; sed -n '/^```rust/,/^```/p' README.md | sed '/^```/d' >examples/readme.rs
cargo test --offline -q >"$SCRATCH/out" 2>&1; ok "cargo test" $?
ok "without warnings" "$(grep -q '^warning' "$SCRATCH/out"; echo $((1 - $?)))"
cargo run --offline -q --example readme >"$SCRATCH/out" 2>&1; ok "the example of its README" "$(grep -qxF 'Linearizable [0, 1]' "$SCRATCH/out"; echo $?)"
ok "the recorder has under 300 lines" "$([ "$(wc -l <src/record.rs)" -lt 300 ]; echo $?)"
finish
