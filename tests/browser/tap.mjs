/* Lines that tools/run-tests.sh counts. */
let number = 0, bad = 0;

export function ok(name, holds, seen) {
    number++;
    console.log(`${holds ? 'ok' : 'not ok'} ${number} - ${name}`);
    if (holds) return;
    bad++;
    if (seen !== undefined) console.log(`#   seen: ${JSON.stringify(seen)}`);
}

export function same(name, seen, expected) { ok(name, JSON.stringify(seen) === JSON.stringify(expected), { seen, expected }); }
export function note(text) { console.log(`# ${text}`); }
export function finish() {
    console.log(`1..${number}`);
    process.exit(bad ? 1 : 0);
}
