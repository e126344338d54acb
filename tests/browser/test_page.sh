#!/bin/bash
# Pages in headless Chromium, driven by playwright-core. Needs node, npm and chromium (tools/install-deps.sh --test).
cd "$(dirname "$0")/../.." || exit 1
skip() { echo "skip tests in a browser: $1"; exit 0; }

[ -z "${PLUMB_SANITIZED-}" ] || skip "once, with the release build, is enough"
for tool in node npm "${PLUMB_CHROMIUM:-chromium}"; do command -v "$tool" >/dev/null || skip "$tool is not there"; done
if ! [ -d tests/browser/node_modules/playwright-core ]; then
    (cd tests/browser && timeout 120 npm ci --ignore-scripts --no-audit --no-fund >/dev/null 2>&1) || skip "npm ci could not get playwright-core"
fi
PLUMB_CHROMIUM=$(command -v "${PLUMB_CHROMIUM:-chromium}")
SCRATCH=$(mktemp -d)
export PLUMB_CHROMIUM SCRATCH PLUMB=${PLUMB:-$PWD/build/plumb}
trap 'rm -rf "$SCRATCH"' EXIT

# The pages of the unit test: an interleaving, and one without a history.
sample=$(dirname "$PLUMB")/tests/report_test_html
if [ -x "$sample" ] && PLUMB_SAMPLE_PAGE=$SCRATCH/sample.html PLUMB_BARE_PAGE=$SCRATCH/bare.html "$sample" >/dev/null 2>&1; then export PLUMB_SAMPLE_PAGE=$SCRATCH/sample.html PLUMB_BARE_PAGE=$SCRATCH/bare.html; fi
timeout 500 node tests/browser/view.mjs
