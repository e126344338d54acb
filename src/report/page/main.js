/* Puts it together: reads the data, keeps what is in sight, follows the address, and draws when something has changed. */

const SMALL = 400; // events that are shown at once without a thought

function makeView(history) {
    const plot = document.getElementById('plot'), map = document.getElementById('minimap');
    const view = {
        history, plot, map,
        context: plot.getContext('2d', {alpha: false}),
        mapContext: map.getContext('2d', {alpha: false}),
        mapHeight: 46,
        sheet: document.createElement('canvas'),
        inCore: new Set(history.core), hasCore: history.core.length > 0,
        found: [], foundAt: -1, selected: -1, coreAt: -1,
        scroll: 0, rowHeight: 24, drawn: 0, slowest: 0,
    };
    view.points = once(() => makePoints(history));
    return view;
}

/* ---- what is in sight ---- */

function setRange(view, from, to) {
    const least = Math.min(view.axis.end, view.axis.kind === 'events' ? 6 : view.axis.end / view.history.events);
    let span = Math.min(view.axis.end * 1.02, Math.max(least, to - from));
    const middle = (from + to) / 2, edge = view.axis.end * 0.01;
    from = Math.max(-edge, Math.min(middle - span / 2, view.axis.end + edge - span));
    view.from = from;
    view.to = from + span;
    refresh(view);
}

const zoom = (view, factor, at = (view.from + view.to) / 2) => setRange(view, at - (at - view.from) * factor, at + (view.to - at) * factor);

function fitAll(view) { setRange(view, -view.axis.end * 0.005, view.axis.end * 1.005); }

function centre(view, i) {
    const from = view.axis.position(view.history.call[i]), to = endPosition(view, i), span = view.to - view.from;
    if (from < view.from || to > view.to) {
        const middle = to - from > span ? from + span / 3 : (from + to) / 2;
        setRange(view, middle - span / 2, middle + span / 2);
    }
    const place = view.lanes.placeOfRow[view.lanes.rowOf[i]], room = view.height - headHeight(view);
    const top = place * view.rowHeight;
    if (place >= 0 && (top < view.scroll || top + view.rowHeight > view.scroll + room)) setScroll(view, top - room / 2);
}

function setScroll(view, scroll) {
    const most = Math.max(0, view.lanes.shown.length * view.rowHeight - (view.height - headHeight(view)));
    view.scroll = Math.max(0, Math.min(most, scroll));
    refresh(view);
}

/* All of the core when that is not too long, else where it ends: that is where it shows. */
function toCore(view) {
    const {core, call, ret, events} = view.history, {axis} = view;
    if (core.length === 0) return fitAll(view);
    const last = core[core.length - 1], first = call[core[0]];
    const rets = [...core].map(i => Math.min(ret[i], view.history.cut)).filter(rank => rank < events);
    const end = Math.max(call[last] + 1, ...rets.slice(-SMALL));
    const start = end - first > SMALL ? end - SMALL / 4 : first, margin = Math.max(3, (end - start) * 0.2);
    const rank = at => axis.position(Math.max(0, Math.min(events, Math.round(at))));
    setRange(view, rank(start - margin), rank(end + margin));
    centre(view, last);
}

function nextOfCore(view) {
    const {core} = view.history;
    if (core.length === 0) return;
    if (view.coreAt < 0) toCore(view);
    view.coreAt = (view.coreAt + 1) % core.length;
    select(view, core[view.coreAt], true);
}

function select(view, i, show) {
    view.selected = i;
    if (i >= 0 && show) {
        const least = view.axis.kind === 'events' ? SMALL / 4 : view.axis.end / view.history.events * SMALL / 4;
        const middle = view.axis.position(view.history.call[i]);
        if (view.to - view.from > 4 * least) setRange(view, middle - least / 2, middle + least / 2);
        centre(view, i);
    }
    showDetails(view);
    refresh(view);
}

/* ---- settings ---- */

const control = id => document.getElementById(id);

function resize(view) {
    const rows = view.lanes.shown.length;
    view.ratio = window.devicePixelRatio || 1;
    view.rowHeight = rows <= 12 ? 28 : 22;
    view.width = control('stage').clientWidth;
    view.height = Math.round(Math.max(110, Math.min(headHeight(view) + rows * view.rowHeight + 6, window.innerHeight * 0.62)));
    for (const [canvas, height] of [[view.plot, view.height], [view.map, view.mapHeight]]) {
        canvas.width = Math.round(view.width * view.ratio);
        canvas.height = Math.round(height * view.ratio);
        canvas.style.width = `${view.width}px`;
        canvas.style.height = `${height}px`;
    }
    setScroll(view, view.scroll);
}

function recolour(view) {
    view.colours = readColours();
    view.mix = [channels(view.colours.adds), channels(view.colours.removes)];
    refresh(view);
}

function useLanes(view) {
    const by = control('lanes-by').value;
    if (view.lanes?.by !== by) {
        view.lanes = makeLanes(view.history, by);
        sumBusy(view.history, view.lanes, view.axis);
        view.scroll = 0;
    }
    showLanes(view.lanes, control('lanes-sorted').value, control('lanes-only').value);
    resize(view);
}

function useAxis(view, kind) {
    const from = view.axis ? view.axis.rankAt(view.from) : 0, to = view.axis ? view.axis.rankAt(view.to) : view.history.events;
    view.axis = makeAxis(view.history, kind);
    control('axis').value = view.axis.kind;
    if (!view.lanes) return;
    sumBusy(view.history, view.lanes, view.axis);
    setRange(view, view.axis.position(from), view.axis.position(to));
}

function offerLanes(view) {
    const choices = [['client', view.history.client ? 'client' : 'nothing']];
    if (view.history.keyedBy) choices.push(['key', 'key']);
    choices.push(['method', 'method']);
    for (const [value, name] of choices) control('lanes-by').append(element('option', name, {value}));
}

/* ---- finding ---- */

function find(view, query) {
    view.found = search(view.history, query);
    view.foundAt = -1;
    control('found').textContent = query.trim() === '' ? '' : view.found.length === 0 ? 'none' : `${view.found.length} found`;
    refresh(view);
}

function nextFound(view, by) {
    const {found} = view;
    if (found.length === 0) return;
    if (view.foundAt < 0) { // begin with the first one in sight
        const rank = view.axis.rankAt(view.from), here = found.findIndex(i => view.history.call[i] >= rank);
        view.foundAt = here < 0 ? 0 : here;
    } else {
        view.foundAt = (view.foundAt + by + found.length) % found.length;
    }
    control('found').textContent = `${view.foundAt + 1} of ${found.length}`;
    select(view, found[view.foundAt], true);
}

/* ---- the address ---- */

function readAddress(view) {
    const wish = new URLSearchParams(location.hash.slice(1));
    if (wish.has('by') && [...control('lanes-by').options].some(one => one.value === wish.get('by')) && control('lanes-by').value !== wish.get('by')) {
        control('lanes-by').value = wish.get('by');
        useLanes(view);
    }
    if (wish.has('axis') && wish.get('axis') !== view.axis.kind) useAxis(view, wish.get('axis'));
    if (wish.has('find')) {
        control('find').value = wish.get('find');
        find(view, wish.get('find'));
    }
    const from = Number(wish.get('from')), to = Number(wish.get('to'));
    if (wish.has('from') && to > from) setRange(view, from, to);
    if (/^\d+$/.test(wish.get('op') ?? '')) {
        const i = operationNumbered(view.history, Number(wish.get('op')));
        if (i >= 0) select(view, i, !wish.has('from'));
        return i >= 0;
    }
    return wish.has('from') || wish.has('find');
}

function writeAddress(view) {
    const wish = new URLSearchParams();
    if (view.selected >= 0) wish.set('op', numberOf(view.history, view.selected));
    if (control('lanes-by').selectedIndex > 0) wish.set('by', control('lanes-by').value);
    if (view.axis.kind !== 'events') wish.set('axis', view.axis.kind);
    if (control('find').value) wish.set('find', control('find').value);
    wish.set('from', +view.from.toPrecision(10));
    wish.set('to', +view.to.toPrecision(10));
    replaceAddress(`#${wish}`);
}

/* Some viewers of files do not allow it; then the address stays as it is. */
function replaceAddress(address) {
    try {
        window.history.replaceState(null, '', address);
    } catch {
        return;
    }
}

/* ---- drawing when something has changed ---- */

function refresh(view) {
    if (view.waiting || !view.colours) return;
    view.waiting = true;
    requestAnimationFrame(() => {
        view.waiting = false;
        drawWhole(view);
        if (!view.opening) {
            clearTimeout(view.addressLater);
            view.addressLater = setTimeout(() => writeAddress(view), 300);
        }
    });
}

async function open() {
    linkCore();
    linkInterleaving();
    if (!control('directory')) return followWithoutHistory();
    const directory = JSON.parse(control('directory').textContent);
    const history = makeHistory(directory, await readColumns(directory, control('columns').textContent));
    const view = makeView(history);
    view.opening = true;
    for (const id of ['tools', 'keys', 'theme']) control(id).hidden = false;
    control('to-core').hidden = !view.hasCore;
    control('axis-label').hidden = !history.time.known;
    offerLanes(view);
    useAxis(view, 'events');
    view.from = 0;
    view.to = view.axis.end;
    useLanes(view);
    recolour(view);
    if (!readAddress(view)) {
        if (history.events <= SMALL) fitAll(view);
        else toCore(view);
    }
    followPointer(view);
    followKeys(view);
    followTools(view);
    drawWhole(view);
    view.opening = false;
    expose(view);
    prepare(view);
}

/* What the first look at details would have to wait for, piece by piece while nobody looks. */
function prepare(view) {
    const {history} = view, pieces = [...history.arg, history.res, history.key, history.table, history.number];
    if (history.hasOrder) pieces.push(history.order, view.points);
    const next = () => {
        const piece = pieces.shift();
        if (!piece) {
            window.plumb.prepared = true;
            return;
        }
        piece();
        setTimeout(next);
    };
    setTimeout(next);
}

/* For tests, and for whoever likes the console. */
function expose(view) {
    window.plumb = {
        ready: true,
        readyAfter: performance.now(),
        view,
        drawnOnOpening: view.slowest,
        operationAt: (x, y) => operationAt(view, x, y),
        placeOf: i => placeOf(view, i),
        label: i => sayOperation(view.history, i),
        redraw() {
            const before = performance.now();
            drawWhole(view);
            for (const context of [view.context, view.mapContext]) context.getImageData(0, 0, 1, 1); // what was drawn is painted now, not later
            return performance.now() - before;
        },
        zoomTo: (from, to) => setRange(view, from, to),
        search: query => search(view.history, query),
    };
}

open().catch(problem => {
    document.getElementById('details').textContent = `This page could not be read: ${problem.message}`;
    throw problem;
});
