/* The other half of src/report/html_columns.c: from text in the page to arrays of numbers. */

const SPECIAL = 0x80000000, SPECIALS = 16, INTERNED = SPECIAL + SPECIALS;
const INT_ZERO = 1 << 30; // small integers are stored from here on

function bytesOfBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const characters = atob(text), bytes = new Uint8Array(characters.length);
    for (let i = 0; i < characters.length; i++) bytes[i] = characters.charCodeAt(i);
    return bytes;
}

async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* The columns by name, as bytes still: most are looked at only when somebody asks. */
async function readColumns(directory, base64) {
    const all = await inflate(bytesOfBase64(base64)), columns = new Map();
    let at = 0;
    for (const [name, size] of directory.columns) {
        columns.set(name, all.subarray(at, at + size));
        at += size;
    }
    return columns;
}

/* Seven bits a byte, the low ones first. */
function readNumbers(bytes, out) {
    for (let i = 0, at = 0; i < out.length; i++) {
        let byte = bytes[at++];
        if (byte < 128) {
            out[i] = byte;
            continue;
        }
        let number = byte & 127, scale = 128;
        do {
            byte = bytes[at++];
            number += (byte & 127) * scale;
            scale *= 128;
        } while (byte >= 128);
        out[i] = number;
    }
    return out;
}

const signed = number => number % 2 ? -(number + 1) / 2 : number / 2;

function readDifferences(bytes, n) {
    const numbers = readNumbers(bytes, new Float64Array(n)), out = new Uint32Array(n);
    for (let i = 0, last = 0; i < n; i++) out[i] = last += signed(numbers[i]);
    return out;
}

/* Rank r is the return of an operation called before, or else the next call. A span of 0: never returned. */
function readRanks(bytes, n, events) {
    const call = new Uint32Array(n), ret = readNumbers(bytes, new Uint32Array(n)), taken = new Uint8Array(events + 1);
    for (let i = 0, rank = 0; i < n; i++) {
        while (taken[rank]) rank++;
        call[i] = rank++;
        if (ret[i] === 0) {
            ret[i] = NEVER;
        } else {
            ret[i] += call[i];
            taken[ret[i]] = 1;
        }
    }
    return [call, ret];
}

/* First arguments that are not special, in their order: results may be told by their places in this list. */
function plainValues(column) {
    return column.filter(value => value < SPECIAL || value >= INTERNED);
}

/* A token below 16 is a special value; others tell the difference from the value the method had before, or, when there is a list of
 * arguments, by turns that or a distance in the list. */
function readValues(bytes, method, argument = null) {
    const n = method.length, out = new Uint32Array(n), before = new Float64Array(256);
    const list = argument ? plainValues(argument) : null;
    let passed = 0;
    for (let i = 0, at = 0; i < n; i++) {
        let byte = bytes[at++], number = byte & 127, scale = 128;
        while (byte >= 128) {
            byte = bytes[at++];
            number += (byte & 127) * scale;
            scale *= 128;
        }
        if (list && (argument[i] < SPECIAL || argument[i] >= INTERNED)) passed++;
        if (number < SPECIALS) {
            out[i] = SPECIAL + number;
            continue;
        }
        number -= SPECIALS;
        const distant = list && number % 2 === 1;
        if (list) number = (number - number % 2) / 2;
        number = number % 2 ? -(number + 1) / 2 : number / 2;
        out[i] = before[method[i]] = distant ? list[passed + number - 1] : before[method[i]] + number;
    }
    return out;
}

function readLines(bytes) {
    const lines = new TextDecoder().decode(bytes).split('\n');
    lines.pop();
    return lines;
}

/* A value that is computed when it is first asked for. */
function once(compute) {
    let known = false, value;
    return () => {
        if (!known) {
            value = compute();
            known = true;
        }
        return value;
    };
}
