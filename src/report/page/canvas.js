/* The whole history on a canvas. What is drawn depends on the room there is: how busy a row is, then boxes, then labels, then
 * the linearization points. A frame costs as much as there are pixels, however many operations there are. */

const GUTTER = 118, AXIS_HEIGHT = 24, NOTE_HEIGHT = 20, LABEL_ROOM = 46, POINT_ROOM = 3, LETTER = 6.7;
const ROLES = ['adds', 'removes', 'observes', 'changes'];

function readColours() {
    const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(`--${name}`).trim();
    const all = {};
    for (const name of ['ink', 'dim', 'line', 'paper', 'band', 'bad', 'mark', 'note', ...ROLES]) all[name] = colour(name);
    return all;
}

const channels = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));

const plotLeft = () => GUTTER;
const plotWidth = view => Math.max(50, view.width - GUTTER);
const headHeight = view => AXIS_HEIGHT + (view.history.annotations.length ? NOTE_HEIGHT : 0);
const scaleOf = view => plotWidth(view) / (view.to - view.from);
const xOf = (view, position) => GUTTER + (position - view.from) * scaleOf(view);
const positionAt = (view, x) => view.from + (x - GUTTER) / scaleOf(view);
const rowTop = (view, place) => headHeight(view) + place * view.rowHeight - view.scroll;
const endPosition = (view, i) => view.axis.position(Math.min(view.history.ret[i], view.history.events));

function visiblePlaces(view) {
    const first = Math.max(0, Math.floor(view.scroll / view.rowHeight));
    const last = Math.min(view.lanes.shown.length, Math.ceil((view.scroll + view.height - headHeight(view)) / view.rowHeight));
    return [first, last];
}

/* The stretch of a row's operations that reaches into the picture. */
function visibleOps(view, row) {
    const {start, calls} = view.lanes, {axis} = view;
    let from = firstAtLeast(calls, axis.rankAt(view.from), start[row], start[row + 1]);
    const to = firstAtLeast(calls, axis.rankAt(view.to) + 1, from, start[row + 1]);
    if (from > start[row]) from--;
    return [from, to];
}

/* ---- how busy rows are ---- */

/* For each pixel the rank at which it begins: the same for all rows. */
function pixelRanks(view) {
    const width = Math.floor(plotWidth(view)), ranks = new Uint32Array(width + 1);
    for (let x = 0; x <= width; x++) ranks[x] = view.axis.rankAt(view.from + x / scaleOf(view));
    return ranks;
}

/* The time the row was busy before a position, of which operation k is the first one called behind. */
function busyBefore(view, row, k, position) {
    const {busy, start, calls} = view.lanes;
    if (k === start[row]) return busy[k];
    const end = view.axis.position(calls[k - 1]) + busy[k] - busy[k - 1];
    return busy[k] - Math.max(0, end - position);
}

function paintBusy(view, row, ranks, pixels, from, to) {
    const {calls, adds, start} = view.lanes, width = ranks.length - 1, span = 1 / scaleOf(view);
    const [a, b] = view.mix;
    let k = firstAtLeast(calls, ranks[0], start[row], start[row + 1]), before = busyBefore(view, row, k, view.from);
    for (let x = 0; x < width; x++) {
        const next = firstAtLeast(calls, ranks[x + 1], k, start[row + 1]);
        const after = busyBefore(view, row, next, view.from + (x + 1) * span);
        const share = Math.min(1, (after - before) / span);
        const put = next > k ? (adds[next] - adds[k]) / (next - k) : k > start[row] ? adds[k] - adds[k - 1] : 0;
        const at = 4 * x;
        for (let c = 0; c < 3; c++) pixels[at + c] = a[c] * put + b[c] * (1 - put);
        pixels[at + 3] = share > 0 ? 40 + 200 * share : 0;
        k = next;
        before = after;
    }
}

function drawBusy(view, rows) {
    if (rows.length === 0) return;
    const {context} = view, ranks = pixelRanks(view), width = ranks.length - 1;
    const image = new ImageData(width, rows.length), sheet = view.sheet;
    rows.forEach(({row, from, to}, line) => paintBusy(view, row, ranks, image.data.subarray(4 * width * line, 4 * width * (line + 1)), from, to));
    sheet.width = width;
    sheet.height = rows.length;
    sheet.getContext('2d').putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    rows.forEach(({place}, line) => context.drawImage(sheet, 0, line, width, 1, GUTTER, rowTop(view, place) + 3, width, view.rowHeight - 6));
    context.imageSmoothingEnabled = true;
}

/* ---- boxes ---- */

function clipLabel(text, room) {
    const letters = Math.floor(room / LETTER);
    return text.length <= letters ? text : letters > 3 ? `${text.slice(0, letters - 1)}\u2026` : '';
}

/* The number goes first where not both fit: the pointer tells it. */
function boxLabel(history, i, room) {
    const said = sayOperation(history, i), all = `#${numberOf(history, i)} ${said}`;
    return all.length * LETTER <= room ? all : clipLabel(said, room);
}

function boxOf(view, i, place) {
    const left = Math.max(GUTTER, xOf(view, view.axis.position(view.history.call[i])));
    const right = Math.min(view.width, xOf(view, endPosition(view, i)));
    return {x: left, y: rowTop(view, place) + 3, width: Math.max(1, right - left), height: view.rowHeight - 6};
}

function drawBox(view, i, place) {
    const {context, colours, history} = view, box = boxOf(view, i, place);
    const role = history.methods[history.method[i]].role, pending = history.ret[i] === NEVER;
    context.globalAlpha = view.hasCore && !view.inCore.has(i) ? 0.45 : 1;
    context.fillStyle = colours[role];
    if (pending) context.globalAlpha *= 0.6;
    context.fillRect(box.x, box.y, box.width, box.height);
    context.globalAlpha = 1;
    if (box.width >= LABEL_ROOM) {
        context.fillStyle = pending || (view.hasCore && !view.inCore.has(i)) ? colours.ink : colours.paper;
        context.fillText(boxLabel(history, i, box.width - 8), box.x + 4, box.y + box.height / 2 + 4);
    }
}

function outline(view, i, colour, thick) {
    const place = view.lanes.placeOfRow[view.lanes.rowOf[i]];
    if (place < 0) return;
    const box = boxOf(view, i, place);
    if (box.y + box.height < headHeight(view) || box.y > view.height || box.x > view.width || xOf(view, endPosition(view, i)) < GUTTER) return;
    view.context.strokeStyle = colour;
    view.context.lineWidth = thick;
    view.context.strokeRect(box.x - 1, box.y - 1, Math.max(3, box.width + 2), box.height + 2);
}

/* Of a sorted list of operations those in sight, at most about one a pixel. */
function outlineAll(view, list, colour, thick) {
    const {history, axis} = view, least = 1 / scaleOf(view);
    let last = -Infinity;
    for (let k = 0; k < list.length; k++) {
        const position = axis.position(history.call[list[k]]);
        if (position > view.to) break;
        if (endPosition(view, list[k]) < view.from) continue;
        if (list.length > 2000 && position - last < least) continue;
        last = position;
        outline(view, list[k], colour, thick);
    }
}

function drawRows(view) {
    const [first, last] = visiblePlaces(view), {context, colours} = view, busyRows = [], boxRows = [];
    for (let place = first; place < last; place++) {
        const {row, top} = view.lanes.shown[place], [from, to] = visibleOps(view, row);
        context.fillStyle = colours.line;
        if (top) context.fillRect(0, Math.round(rowTop(view, place)), view.width, 1);
        if (to - from > plotWidth(view) / 3) busyRows.push({row, place, from, to});
        else boxRows.push({place, from, to});
    }
    drawBusy(view, busyRows);
    for (const {place, from, to} of boxRows)
        for (let k = from; k < to; k++) if (endPosition(view, view.lanes.ops[k]) >= view.from) drawBox(view, view.lanes.ops[k], place);
    outlineAll(view, view.history.core, colours.bad, 2);
    outlineAll(view, view.found, colours.mark, 2);
    if (view.selected >= 0) outline(view, view.selected, colours.ink, 2);
}

/* ---- the witness ---- */

function drawPoints(view) {
    const {history, axis, context, colours} = view;
    const shown = axis.rankAt(view.to) - axis.rankAt(view.from);
    if (!history.hasOrder || shown * POINT_ROOM > plotWidth(view)) return;
    const points = view.points(), last = axis.rankAt(view.to);
    context.strokeStyle = context.fillStyle = colours.ink;
    context.lineWidth = 1;
    context.beginPath();
    const spots = [];
    for (let k = points.firstFrom(Math.max(0, axis.rankAt(view.from) - 1)); k < points.order.length; k++) {
        const position = points.position(axis, k);
        if (position > axis.position(last)) break;
        const place = view.lanes.placeOfRow[view.lanes.rowOf[points.order[k]]];
        if (place >= 0 && position >= view.from) spots.push([xOf(view, position), rowTop(view, place) + view.rowHeight - 5]);
    }
    context.globalAlpha = 0.45;
    spots.forEach(([x, y], k) => k ? context.lineTo(x, y) : context.moveTo(x, y));
    context.stroke();
    context.globalAlpha = 1;
    for (const [x, y] of spots) {
        context.beginPath();
        context.arc(x, y, 3.5, 0, 7);
        context.fill();
    }
}

/* ---- around it ---- */

function drawAxis(view) {
    const {context, colours, axis} = view, step = Math.max(1, niceStep(view.to - view.from, plotWidth(view) / 110));
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, view.width, AXIS_HEIGHT);
    context.fillStyle = colours.dim;
    context.fillText(axis.title, 6, 16);
    for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
        const x = xOf(view, at);
        context.fillRect(Math.round(x), AXIS_HEIGHT - 5, 1, 5);
        context.fillText(axis.say(at), x + 3, 16);
    }
    context.fillRect(0, AXIS_HEIGHT - 1, view.width, 1);
}

/* A fault that lasted: a band over all rows, darker in the line of faults. */
function drawBand(view, from, to) {
    const {context} = view;
    context.globalAlpha = 0.12;
    context.fillRect(from, AXIS_HEIGHT, to - from, view.height);
    context.globalAlpha = 0.25;
    context.fillRect(from, AXIS_HEIGHT, to - from, NOTE_HEIGHT);
    context.globalAlpha = 1;
}

function drawAnnotations(view) {
    const {context, colours, history} = view;
    if (history.annotations.length === 0) return;
    context.fillStyle = colours.paper;
    context.fillRect(0, AXIS_HEIGHT, view.width, NOTE_HEIGHT);
    let free = GUTTER;
    for (const [rank, text, until] of history.annotations) {
        const begins = xOf(view, view.axis.position(rank) - 0.5);
        const ends = until === undefined ? begins : Math.max(begins, xOf(view, view.axis.position(until) - 0.5));
        if (ends < GUTTER || begins > view.width) continue;
        const x = Math.max(GUTTER, begins);
        context.fillStyle = colours.note;
        if (ends > x) drawBand(view, x, Math.min(ends, view.width));
        if (begins >= GUTTER) context.fillRect(Math.round(x), AXIS_HEIGHT, 1, view.height);
        if (x < free) continue;
        const label = clipLabel(text, 160);
        context.fillText(label, x + 4, AXIS_HEIGHT + 14);
        free = x + 10 + label.length * LETTER;
    }
    context.fillStyle = colours.dim;
    context.fillText('faults', 6, AXIS_HEIGHT + 14);
}

function drawCut(view) {
    const {history, context, colours} = view;
    if (history.cut === NEVER) return;
    const x = xOf(view, view.axis.position(history.cut) + (view.axis.kind === 'events' ? 0.5 : 0));
    if (x < GUTTER || x > view.width) return;
    context.strokeStyle = colours.bad;
    context.lineWidth = 1;
    context.setLineDash([4, 4]);
    context.beginPath();
    context.moveTo(x, headHeight(view));
    context.lineTo(x, view.height);
    context.stroke();
    context.setLineDash([]);
}

function drawNames(view) {
    const {context, colours} = view, [first, last] = visiblePlaces(view);
    context.fillStyle = colours.paper;
    context.fillRect(0, headHeight(view), GUTTER - 2, view.height);
    context.fillStyle = colours.ink;
    for (let place = first; place < last; place++) {
        const name = view.lanes.shown[place].name;
        if (name) context.fillText(clipLabel(name, GUTTER - 12), 6, rowTop(view, place) + view.rowHeight / 2 + 4);
    }
    const room = view.height - headHeight(view), total = view.lanes.shown.length * view.rowHeight;
    if (total > room) {
        context.fillStyle = colours.dim;
        context.fillRect(view.width - 5, headHeight(view) + view.scroll / total * room, 4, Math.max(12, room / total * room));
    }
}

function drawWhole(view) {
    const begun = performance.now(), {context, colours} = view;
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    context.font = '11px ui-monospace, "DejaVu Sans Mono", Consolas, monospace';
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, view.width, view.height);
    drawRows(view);
    drawPoints(view);
    drawCut(view);
    drawNames(view);
    drawAnnotations(view);
    drawAxis(view);
    drawMinimap(view);
    view.drawn++;
    view.slowest = Math.max(view.slowest, performance.now() - begun);
}

/* ---- which operation is it ---- */

function operationAt(view, x, y) {
    const place = Math.floor((y - headHeight(view) + view.scroll) / view.rowHeight);
    if (x < GUTTER || y < headHeight(view) || place < 0 || place >= view.lanes.shown.length) return -1;
    const {row} = view.lanes.shown[place], {start, calls, ops} = view.lanes, slack = 2 / scaleOf(view), position = positionAt(view, x);
    const behind = firstAtLeast(calls, view.axis.rankAt(position + slack) + 1, start[row], start[row + 1]);
    for (let k = behind - 1; k >= start[row] && k >= behind - 3; k--)
        if (view.axis.position(calls[k]) <= position + slack && endPosition(view, ops[k]) >= position - slack) return ops[k];
    return -1;
}

function placeOf(view, i) {
    const place = view.lanes.placeOfRow[view.lanes.rowOf[i]];
    if (place < 0) return null;
    const box = boxOf(view, i, place);
    return {x: box.x + box.width / 2, y: box.y + box.height / 2};
}
