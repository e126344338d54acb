# What tests in headless Chromium need, driven by playwright-core: node, npm and chromium (tools/install-deps.sh --test). Sourced.
# Leaves PLUMB_CHROMIUM, SCRATCH (removed at the end) and PLUMB; skips, by the name in `what`, where something is missing.
skip() { echo "skip $what: $1"; exit 0; }

[ -z "${PLUMB_SANITIZED-}" ] || skip "once, with the release build, is enough"
for tool in node npm "${PLUMB_CHROMIUM:-chromium}"; do command -v "$tool" >/dev/null || skip "$tool is not there"; done
if ! [ -d tests/browser/node_modules/playwright-core ]; then
    (cd tests/browser && timeout 120 npm ci --ignore-scripts --no-audit --no-fund >/dev/null 2>&1) || skip "npm ci could not get playwright-core"
fi
PLUMB_CHROMIUM=$(command -v "${PLUMB_CHROMIUM:-chromium}")
SCRATCH=$(mktemp -d)
export PLUMB_CHROMIUM SCRATCH PLUMB=${PLUMB:-$PWD/build/plumb}
trap 'rm -rf "$SCRATCH"' EXIT
