#!/bin/bash
# The deciders as WebAssembly: verdicts equal to the command's, in node; the page that draws and judges, in Chromium.
# Needs build/web/plumbline.html (`make web`).
cd "$(dirname "$0")/../.." || exit 1
export PLUMB_WEB=${PLUMB_WEB:-$PWD/build/web}
what="deciders in a browser"
[ -e "$PLUMB_WEB/plumbline.html" ] || { echo "skip $what: build/web/plumbline.html is not there (make web)"; exit 0; }
. tests/browser/chromium.sh
timeout 600 node tests/browser/web.mjs
