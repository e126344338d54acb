/* Mouse, keys and tools: what they ask of the view. */

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
    if (view) recolour(view);
}

/* A page about an execution that has no history to show. */
function followWithoutHistory() {
    control('theme').hidden = false;
    control('theme').addEventListener('click', () => toggleTheme(null));
    document.addEventListener('keydown', event => { if (event.key === 'd' && !event.target.matches('input, select')) toggleTheme(null); });
    window.plumb = {ready: true, prepared: true, readyAfter: performance.now()};
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
