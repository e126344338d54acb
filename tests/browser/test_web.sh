#!/bin/bash
# The deciders as WebAssembly: verdicts equal to the command's, in node; the page that draws and judges, in Chromium.
# Needs build/web/plumbline.html (`make web`), node, and for the page npm and chromium.
cd "$(dirname "$0")/../.." || exit 1
skip() { echo "skip deciders in a browser: $1"; exit 0; }

[ -z "${PLUMB_SANITIZED-}" ] || skip "once, with the release build, is enough"
export PLUMB_WEB=${PLUMB_WEB:-$PWD/build/web}
[ -e "$PLUMB_WEB/plumbline.html" ] || skip "build/web/plumbline.html is not there (make web)"
for tool in node npm "${PLUMB_CHROMIUM:-chromium}"; do command -v "$tool" >/dev/null || skip "$tool is not there"; done
if ! [ -d tests/browser/node_modules/playwright-core ]; then
    (cd tests/browser && timeout 120 npm ci --ignore-scripts --no-audit --no-fund >/dev/null 2>&1) || skip "npm ci could not get playwright-core"
fi
PLUMB_CHROMIUM=$(command -v "${PLUMB_CHROMIUM:-chromium}")
SCRATCH=$(mktemp -d)
export PLUMB_CHROMIUM SCRATCH PLUMB=${PLUMB:-$PWD/build/plumb}
trap 'rm -rf "$SCRATCH"' EXIT
timeout 600 node tests/browser/web.mjs
