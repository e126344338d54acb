/* Pages to look at, made by the command under test. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = dirname(fileURLToPath(import.meta.url));
const plumb = process.env.PLUMB ?? join(here, '../../build/plumb');
const scratch = process.env.SCRATCH;

/* Runs plumb; a verdict is no failure. */
export function run(...args) {
    try {
        return execFileSync(plumb, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 30 });
    } catch (failed) {
        if (failed.status === 1 || failed.status === 2) return failed.stdout;
        throw new Error(`plumb ${args.join(' ')}: exit ${failed.status}: ${failed.stderr}`);
    }
}

export const stored = name => join(here, 'histories', name);
export const made = name => join(scratch, name);

export function pageOf(history, name, ...options) {
    const page = made(`${name}.html`);
    run('view', '-q', '-o', page, ...options, history);
    return page;
}

export function generate(name, ...options) {
    const path = made(name);
    run('generate', '-O', path, ...options);
    return path;
}

/* The operations of a native history, by call, as the page is to name them. */
export function operationsOf(path) {
    const lines = readFileSync(path, 'utf8').trim().split('\n').map(line => JSON.parse(line)).filter(one => one.op);
    return lines.sort((a, b) => a.call - b.call);
}
