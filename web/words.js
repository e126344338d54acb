/* Words for an operation, as reports write them: "enq(1)", "deq() -> 2", "put(x, 1)"; and operations as lines of JSON. */
const KEYED = new Set(['get', 'put', 'delete', 'append', 'putifabsent', 'getandset']);

/* 1, 1.5, true, null, "x", [1,2] as JSON has them; empty, full and any other bare word are themselves. */
function valueOf(word) {
    const plain = word.trim();
    if (plain === 'none' || plain === '') return null;
    try { return JSON.parse(plain); } catch { return plain; }
}

/* At commas outside of brackets and strings. */
function splitArguments(list) {
    const parts = [''];
    let depth = 0, quoted = false;
    for (const c of list) {
        if (c === '"') quoted = !quoted;
        if (!quoted) depth += '([{'.includes(c) ? 1 : ')]}'.includes(c) ? -1 : 0;
        if (c === ',' && !depth && !quoted) parts.push('');
        else parts[parts.length - 1] += c;
    }
    return parts.filter((part, k) => k || part.trim());
}

/* { op, args, res } or null where the words are not understood. */
function parseWords(words) {
    const found = /^\s*([A-Za-z][\w-]*)\s*(?:\((.*?)\)|\s([^>]*?))?\s*(?:->\s*(.+?)\s*)?$/s.exec(words);
    if (!found) return null;
    return { op: found[1], args: splitArguments(found[2] ?? found[3] ?? '').map(valueOf), res: found[4] === undefined ? null : valueOf(found[4]) };
}

function lineOf(operation, keyed) {
    const said = parseWords(operation.words);
    if (!said) return null;
    const { op, res } = said, line = { client: operation.client, op };
    let args = said.args;
    if (args.length && (keyed || KEYED.has(op))) { line.key = args[0]; args = args.slice(1); }
    const moment = t => Math.round(t * 1000);
    Object.assign(line, { args, call: moment(operation.from), ret: operation.to === null ? null : moment(operation.to) });
    if (operation.to !== null) line.res = res;
    return JSON.stringify(line);
}

/* The drawn operations as native lines: in the order of their calls, which is how reports number them. */
function linesOf(operations, object) {
    const keyed = /^(kv|map)\b/.test(object);
    const ordered = [...operations].sort((a, b) => a.from - b.from || a.client - b.client);
    return { ordered, text: ordered.map(one => lineOf(one, keyed)).filter(Boolean).join('\n') + '\n' };
}

/* Native lines that can be drawn; null: they are of another format, or too many. */
function operationsOf(text, most) {
    const lines = text.split('\n').filter(line => line.trim());
    if (!lines.length || lines.length > most) return null;
    try {
        const operations = lines.map(line => JSON.parse(line)).filter(o => !('plumb' in o) && !('event' in o)).map(o => {
            const args = [...('key' in o ? [o.key] : []), ...(o.args ?? [])].map(wordOf).join(', ');
            const answer = o.ret === null || o.res === null || o.res === undefined ? '' : ` -> ${wordOf(o.res)}`;
            return { client: o.client, words: `${o.op}(${args})${answer}`, from: o.call, to: o.ret };
        });
        const drawable = operations.length && operations.every(o => Number.isFinite(o.from) && Number.isInteger(o.client));
        return drawable ? operations : null;
    } catch { return null; }
}

const wordOf = value => typeof value === 'string' && /^[A-Za-z][\w-]*$/.test(value) ? value : JSON.stringify(value);
