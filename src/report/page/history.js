/* The history as the page knows it: columns, and how operations are named. */

const NEVER = 0xffffffff;
const SPECIAL_NAMES = ['none', 'empty', 'full', '?', 'false', 'true'];
const NONE = SPECIAL, UNKNOWN = SPECIAL + 3;

function makeHistory(directory, columns) {
    const n = directory.operations;
    const [call, ret] = readRanks(columns.get('span'), n, directory.events);
    const method = columns.get('method'), nargs = readCounts(columns.get('nargs'), method);
    const values = name => once(() => columns.has(name) ? readValues(columns.get(name), method) : null);
    const first = values('arg0');
    const differences = (name, count) => once(() => columns.has(name) ? readDifferences(columns.get(name), count) : null);
    const countOf = name => { // differences have no count of their own: numbers end at bytes below 128
        let count = 0;
        for (const byte of columns.get(name) ?? []) count += byte < 128;
        return count;
    };
    return {
        n, call, ret, method, nargs,
        events: directory.events,
        methods: directory.methods,
        keyed: directory.keyed,
        annotations: directory.annotations,
        cut: directory.cut ?? NEVER,
        client: columns.has('client') ? readNumbers(columns.get('client'), new Uint32Array(n)) : null,
        clientNames: columns.has('clients') ? readLines(columns.get('clients')) : [],
        key: values('key'),
        keyOrArgument: columns.has('key') ? values('key') : first,
        keyedBy: columns.has('key') ? 'key' : directory.keyedBy,
        arg: [first, values('arg1'), values('arg2')],
        res: once(() => readValues(columns.get('res'), method, first())),
        table: once(() => readLines(columns.get('table'))),
        core: differences('core', countOf('core'))() ?? new Uint32Array(0),
        line: differences('line', n),
        number: differences('number', n),
        order: once(() => columns.has('order') ? readOrder(columns.get('order')) : null),
        hasOrder: columns.has('order'),
        time: makeClock(directory, columns),
    };
}

function readCounts(bytes, method) {
    const counts = new Uint8Array(bytes.length), before = new Uint8Array(256);
    for (let i = 0; i < bytes.length; i++) counts[i] = before[method[i]] += bytes[i];
    return counts;
}

function readOrder(bytes) {
    let n = 0;
    for (const byte of bytes) n += byte < 128;
    const numbers = readNumbers(bytes, new Float64Array(n)), order = new Uint32Array(n);
    for (let k = 0; k < n; k++) order[k] = k + signed(numbers[k]);
    return order;
}

/* 12.25 ms, 3.204511 s: from the start of the run. */
function sayNanoseconds(ns) {
    return ns < 1e9 ? `${Number((ns * 1e-6).toFixed(3))} ms` : `${Number((ns * 1e-9).toFixed(6))} s`;
}

/* When events happened. Without stamps in the file, or with stamps that count the events, there is only their order. */
function makeClock(directory, columns) {
    const base = BigInt(directory.time?.base ?? 0), unit = directory.time?.unit ?? 0, tick = directory.time?.tick ?? 0;
    const ticks = once(() => {
        const gaps = readNumbers(columns.get('time'), new Float64Array(directory.events));
        for (let k = 1; k < gaps.length; k++) gaps[k] += gaps[k - 1];
        return gaps;
    });
    const known = columns.has('time');
    return {
        known,
        ticks,
        say(rank) {
            if (!known) return String(base + BigInt(rank));
            if (tick) return sayNanoseconds((Number(base) + ticks()[rank] * unit) * tick);
            const exact = String(base + BigInt(Math.round(ticks()[rank] * unit)));
            return unit > 1 ? `about ${exact}` : exact;
        },
        since: at => tick ? sayNanoseconds(at * unit * tick) : String(Math.round(at * unit)),
    };
}

function sayValue(history, value) {
    if (value < SPECIAL) return String(value - INT_ZERO);
    if (value < INTERNED) return SPECIAL_NAMES[value - SPECIAL];
    return history.table()[value - INTERNED];
}

function sayOperation(history, i) {
    const method = history.methods[history.method[i]], said = [];
    if (history.keyed) said.push(sayValue(history, history.key()[i]));
    for (let a = 0; a < history.nargs[i]; a++) said.push(sayValue(history, history.arg[a]()?.[i] ?? NONE));
    let label = `${method.name}(${said.join(', ')})`;
    const res = history.res()[i];
    if (history.ret[i] === NEVER) label += ' pending';
    else if (res !== NONE || method.tells) label += ` -> ${sayValue(history, res)}`;
    return label;
}

const numberOf = (history, i) => history.number()?.[i] ?? i;

/* The operation with this number; -1: there is none. Numbers ascend, but for some histories they have gaps. */
function operationNumbered(history, number) {
    const numbers = history.number();
    if (!numbers) return number < history.n ? number : -1;
    const i = firstAtLeast(numbers, number, 0, history.n);
    if (i < history.n && numbers[i] === number) return i;
    return numbers.indexOf(number);
}

const clientName = (history, i) => history.client ? history.clientNames[history.client[i]] : null;

/* The first place in from..to whose number is at least so much; numbers ascend. */
function firstAtLeast(numbers, least, from, to) {
    while (from < to) {
        const middle = (from + to) >>> 1;
        if (numbers[middle] < least) from = middle + 1;
        else to = middle;
    }
    return from;
}
