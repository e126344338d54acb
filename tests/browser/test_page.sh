#!/bin/bash
# Pages in headless Chromium, driven by playwright-core. Needs node, npm and chromium (tools/install-deps.sh --test).
cd "$(dirname "$0")/../.." || exit 1
what="tests in a browser"
. tests/browser/chromium.sh

# The pages of the unit test: an interleaving, and one without a history.
sample=$(dirname "$PLUMB")/tests/report_test_html
if [ -x "$sample" ] && PLUMB_SAMPLE_PAGE=$SCRATCH/sample.html PLUMB_BARE_PAGE=$SCRATCH/bare.html "$sample" >/dev/null 2>&1; then export PLUMB_SAMPLE_PAGE=$SCRATCH/sample.html PLUMB_BARE_PAGE=$SCRATCH/bare.html; fi
timeout 500 node tests/browser/view.mjs
