/* Lanes: groups of operations (a client, a key, a method), each of one or more rows in which nothing overlaps.
 *
 * A row's operations stand in one stretch of `ops`, by call. Beside them run sums: of the time they take and of how many of them
 * put something in. So how busy a row is between two moments, and with what, is known from two searches, at any zoom. */

const NAMES_MOST = 20000; // more lanes than these are not sorted by name: nobody looks for one by scrolling, and it takes long
const ROWS_MOST = 16; // of one lane; what overlaps more than that is drawn in the last one

function groupBy(column, nameOf) {
    const number = new Map(), group = new Uint32Array(column.length), names = [];
    for (let i = 0; i < column.length; i++) {
        let g = number.get(column[i]);
        if (g === undefined) {
            g = names.length;
            number.set(column[i], g);
            names.push(nameOf(column[i]));
        }
        group[i] = g;
    }
    return {group, names};
}

function groupsOf(history, by) {
    if (by === 'key') return groupBy(history.keyOrArgument(), value => `key ${sayValue(history, value)}`);
    if (by === 'method') return groupBy(history.method, method => history.methods[method].name);
    if (history.client) return {group: history.client, names: history.clientNames.map(name => `client ${name}`)};
    return {group: new Uint32Array(history.n), names: ['operations']};
}

/* First fit: a row is free when its last operation has returned. */
function assignRows(history, group, groups) {
    const local = new Uint8Array(history.n), rows = new Uint8Array(groups), busyUntil = new Uint32Array(groups * ROWS_MOST);
    const {call, ret} = history;
    for (let i = 0; i < history.n; i++) {
        const g = group[i], base = g * ROWS_MOST;
        let row = 0;
        while (row < rows[g] && busyUntil[base + row] > call[i]) row++;
        if (row === rows[g] && row < ROWS_MOST) rows[g]++;
        if (row === ROWS_MOST) row--;
        busyUntil[base + row] = Math.max(busyUntil[base + row], ret[i]);
        local[i] = row;
    }
    return {local, rows};
}

function makeLanes(history, by) {
    const {group, names} = groupsOf(history, by), {local, rows} = assignRows(history, group, names.length);
    const firstRow = new Uint32Array(names.length + 1);
    for (let g = 0; g < names.length; g++) firstRow[g + 1] = firstRow[g] + rows[g];
    const total = firstRow[names.length], start = new Uint32Array(total + 1), rowOf = new Uint32Array(history.n);
    for (let i = 0; i < history.n; i++) start[(rowOf[i] = firstRow[group[i]] + local[i]) + 1]++;
    for (let row = 0; row < total; row++) start[row + 1] += start[row];
    const ops = new Uint32Array(history.n), next = start.slice(), calls = new Uint32Array(history.n);
    for (let i = 0; i < history.n; i++) {
        const at = next[rowOf[i]]++;
        ops[at] = i;
        calls[at] = history.call[i];
    }
    return {by, group, names, rows, firstRow, start, ops, calls, rowOf, shown: [], ...sums(history, start, ops)};
}

function sums(history, start, ops) {
    const adding = history.methods.map(method => method.role === 'adds' || method.role === 'changes');
    const adds = new Uint32Array(ops.length + 1);
    for (let k = 0; k < ops.length; k++) adds[k + 1] = adds[k] + adding[history.method[ops[k]]];
    return {adds, busy: null};
}

/* The time each row is busy, summed up along it, in the units of the axis. An operation counts until the next one in its row. */
function sumBusy(history, lanes, axis) {
    const {start, ops} = lanes, busy = new Float64Array(ops.length + 1);
    for (let row = 0; row + 1 < start.length; row++)
        for (let k = start[row]; k < start[row + 1]; k++) {
            const next = k + 1 < start[row + 1] ? history.call[ops[k + 1]] : history.events;
            busy[k + 1] = busy[k] + axis.position(Math.min(history.ret[ops[k]], next)) - axis.position(history.call[ops[k]]);
        }
    lanes.busy = busy;
}

/* Which lanes are shown and in which order, as a list of rows from top to bottom. */
function showLanes(lanes, sorted, only) {
    const count = g => lanes.start[lanes.firstRow[g + 1]] - lanes.start[lanes.firstRow[g]];
    const first = g => lanes.calls[lanes.start[lanes.firstRow[g]]];
    const order = [...lanes.names.keys()].filter(g => count(g) > 0 && lanes.names[g].toLowerCase().includes(only.toLowerCase()));
    const byName = new Intl.Collator('en', {numeric: true}).compare;
    if (sorted === 'name' && order.length <= NAMES_MOST) order.sort((a, b) => byName(lanes.names[a], lanes.names[b]));
    else if (sorted === 'most') order.sort((a, b) => count(b) - count(a));
    else order.sort((a, b) => first(a) - first(b));
    lanes.shown = [];
    lanes.placeOfRow = new Int32Array(lanes.start.length).fill(-1);
    for (const g of order)
        for (let r = 0; r < lanes.rows[g]; r++) {
            const row = lanes.firstRow[g] + r;
            lanes.placeOfRow[row] = lanes.shown.length;
            lanes.shown.push({row, name: r === 0 ? lanes.names[g] : '', top: r === 0});
        }
}
