/* Puts it together: reads the data, follows mouse, keys and address, and draws when something has changed. */

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

/* ---- mouse and keys ---- */

function followPointer(view) {
    const {plot, map} = view;
    let drag = null;
    plot.addEventListener('pointerdown', event => {
        drag = {x: event.offsetX, y: event.offsetY, from: view.from, to: view.to, scroll: view.scroll, moved: false};
        plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener('pointermove', event => {
        if (!drag) {
            const i = operationAt(view, event.offsetX, event.offsetY);
            plot.classList.toggle('over', i >= 0);
            return showTip(view, i, event.offsetX, event.offsetY);
        }
        const shift = (drag.x - event.offsetX) / scaleOf(view);
        drag.moved ||= Math.abs(drag.x - event.offsetX) + Math.abs(drag.y - event.offsetY) > 3;
        if (!drag.moved) return;
        setRange(view, drag.from + shift, drag.to + shift);
        setScroll(view, drag.scroll + drag.y - event.offsetY);
    });
    plot.addEventListener('pointerup', event => {
        if (drag && !drag.moved) select(view, operationAt(view, event.offsetX, event.offsetY), false);
        drag = null;
    });
    plot.addEventListener('pointerleave', () => showTip(view, -1));
    plot.addEventListener('dblclick', event => zoom(view, 0.4, positionAt(view, event.offsetX)));
    plot.addEventListener('wheel', event => {
        if (!event.ctrlKey && document.activeElement !== plot) return;
        event.preventDefault();
        if (event.shiftKey) return setScroll(view, view.scroll + event.deltaY);
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return setRange(view, view.from + event.deltaX / scaleOf(view), view.to + event.deltaX / scaleOf(view));
        zoom(view, Math.exp(event.deltaY * 0.002), positionAt(view, event.offsetX));
    }, {passive: false});
    const jump = event => {
        const at = event.offsetX / view.width * view.axis.end, half = (view.to - view.from) / 2;
        setRange(view, at - half, at + half);
    };
    map.addEventListener('pointerdown', event => {
        map.setPointerCapture(event.pointerId);
        jump(event);
    });
    map.addEventListener('pointermove', event => { if (event.buttons) jump(event); });
}

function neighbour(view, by) {
    if (view.selected < 0) return;
    const {rowOf, start, ops} = view.lanes, row = rowOf[view.selected];
    const at = ops.subarray(start[row], start[row + 1]).indexOf(view.selected) + start[row] + by;
    if (at >= start[row] && at < start[row + 1]) select(view, ops[at], true);
}

function toggleTheme(view) {
    const root = document.documentElement, dark = getComputedStyle(root).getPropertyValue('--is-dark').trim() === '1';
    root.dataset.theme = dark ? 'light' : 'dark';
    recolour(view);
}

function keyActions(view) {
    const pan = share => setRange(view, view.from + (view.to - view.from) * share, view.to + (view.to - view.from) * share);
    return {
        v: () => nextOfCore(view), f: () => fitAll(view), '+': () => zoom(view, 0.6), '=': () => zoom(view, 0.6), '-': () => zoom(view, 1 / 0.6),
        ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2),
        ArrowUp: () => setScroll(view, view.scroll - view.rowHeight), ArrowDown: () => setScroll(view, view.scroll + view.rowHeight),
        Home: () => setRange(view, 0, view.to - view.from), End: () => setRange(view, view.axis.end - (view.to - view.from), view.axis.end),
        '/': () => control('find').focus(), n: () => nextFound(view, 1), N: () => nextFound(view, -1),
        '[': () => neighbour(view, -1), ']': () => neighbour(view, 1),
        t: () => useAxis(view, view.axis.kind === 'events' ? 'time' : 'events'), d: () => toggleTheme(view),
        Escape: () => select(view, -1, false),
    };
}

function followKeys(view) {
    const actions = keyActions(view), forPlot = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'];
    document.addEventListener('keydown', event => {
        if (event.target.matches('input, select') || event.ctrlKey || event.metaKey || event.altKey) return;
        if (forPlot.includes(event.key) && document.activeElement !== view.plot) return; // they scroll the page
        const action = actions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    });
}

function followTools(view) {
    const on = (id, kind, act) => control(id).addEventListener(kind, act);
    let later;
    control('tools').addEventListener('submit', event => event.preventDefault());
    on('find', 'input', () => {
        clearTimeout(later);
        later = setTimeout(() => find(view, control('find').value), view.history.n > 100000 ? 250 : 60);
    });
    on('find', 'keydown', event => {
        if (event.key === 'Escape') view.plot.focus();
        if (event.key !== 'Enter') return;
        event.preventDefault();
        clearTimeout(later);
        if (view.foundFor !== control('find').value) find(view, view.foundFor = control('find').value);
        nextFound(view, event.shiftKey ? -1 : 1);
    });
    on('find-back', 'click', () => nextFound(view, -1));
    on('find-on', 'click', () => nextFound(view, 1));
    on('lanes-by', 'change', () => useLanes(view));
    on('lanes-sorted', 'change', () => useLanes(view));
    on('lanes-only', 'input', () => useLanes(view));
    on('axis', 'change', () => useAxis(view, control('axis').value));
    on('zoom-in', 'click', () => zoom(view, 0.6));
    on('zoom-out', 'click', () => zoom(view, 1 / 0.6));
    on('fit', 'click', () => fitAll(view));
    on('to-core', 'click', () => nextOfCore(view));
    on('theme', 'click', () => toggleTheme(view));
    window.addEventListener('resize', () => resize(view));
    window.addEventListener('hashchange', () => {
        if (readAddress(view)) control('whole').scrollIntoView({block: 'nearest'});
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => recolour(view));
}

async function open() {
    linkCore();
    linkInterleaving();
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
