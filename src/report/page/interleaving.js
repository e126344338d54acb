/* One execution, step by step: a slider over the rows, and the shared memory as it is behind the step. */

/* What a step did to memory, or found there. */
function changesOf(row) {
    const changes = [];
    for (let c = 0; row.dataset[`location${c}`] !== undefined; c++)
        changes.push({location: row.dataset[`location${c}`], before: row.dataset[`before${c}`], after: row.dataset[`after${c}`],
                      aside: row.dataset.aside !== undefined});
    return changes;
}

/* Names appear from the start, so that the list does not jump. A value that no step wrote was there before, or was written while
   only one thread knew the place. */
function memoryAfter(changes, step) {
    const memory = new Map();
    changes.forEach((list, k) => {
        for (const {location, before, after, aside} of list) {
            if (!memory.has(location)) memory.set(location, {value: before, writer: -1, touched: k <= step, now: ''});
            if (k > step) continue;
            const cell = memory.get(location);
            cell.touched = true;
            if (!aside && after === undefined && before !== cell.value) [cell.value, cell.writer] = [before, -1];
            if (!aside && after !== undefined) [cell.value, cell.writer] = [after, k];
            cell.now = k === step ? after === undefined ? 'read' : 'written' : '';
        }
    });
    return memory;
}

function showMemory(place, rows, changes, threads, step) {
    const table = element('table', null), body = element('tbody', null);
    const head = element('tr', null);
    for (const name of ['shared memory', 'value', 'written by']) head.append(element('th', name, {scope: 'col'}));
    table.append(element('caption', `after step ${step + 1}`), head, body);
    for (const [location, cell] of memoryAfter(changes, step)) {
        const line = element('tr', null, {class: cell.touched ? cell.now : 'untouched'});
        const writer = cell.writer < 0 ? cell.touched ? 'no step before' : '' : `${threads[rows[cell.writer].dataset.thread]}, step ${cell.writer + 1}`;
        line.append(element('td', location), element('td', cell.value ?? '?'), element('td', writer));
        body.append(line);
    }
    place.replaceChildren(table);
}

/* Under a weak memory model: arrows from the write to the read that read it, and from the newest write to a read that did not see
   it, over the table; those of the step that is shown stand out. */
function drawArrows(section, rows, step) {
    const table = section.querySelector('table.interleaving'), box = table.getBoundingClientRect();
    let svg = section.querySelector('svg.arrows');
    if (!rows.some(row => row.dataset.from !== undefined || row.dataset.missed !== undefined)) return;
    if (!svg) {
        svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        svg.setAttribute('class', 'arrows');
        svg.setAttribute('aria-hidden', 'true');
        table.parentNode.append(svg);
    }
    svg.setAttribute('width', box.width);
    svg.setAttribute('height', box.height);
    const spot = row => {
        const cell = row.querySelector('.access')?.getBoundingClientRect();
        return cell && cell.height ? {left: cell.left - box.left, y: cell.top - box.top + cell.height / 2} : null;
    };
    const lines = [];
    rows.forEach((row, k) => {
        for (const kind of ['from', 'missed']) {
            if (row.dataset[kind] === undefined) continue;
            const a = spot(rows[Number(row.dataset[kind])]), b = spot(row);
            if (!a || !b) continue;
            const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
            const bend = Math.max(12, Math.abs(b.left - a.left) / 3);
            path.setAttribute('d', `M${a.left - 3},${a.y} C${a.left - bend},${a.y} ${b.left - bend},${b.y} ${b.left - 3},${b.y} m-6,-3 l6,3 l-6,3`);
            path.setAttribute('class', `${kind}${row.dataset.synchronises !== undefined && kind === 'from' ? ' synchronises' : ''}${k === step ? ' now' : ''}`);
            lines.push(path);
        }
    });
    svg.replaceChildren(...lines);
}

/* Runs of dull steps become one row that says how many there are. */
function foldDull(rows, columns, folded) {
    for (const old of document.querySelectorAll('.folded-row')) old.remove();
    for (let k = 0; k < rows.length; k++) rows[k].hidden = folded && rows[k].classList.contains('dull');
    for (let k = 0; folded && k < rows.length; k++) {
        if (!rows[k].hidden || (k && rows[k - 1].hidden)) continue;
        let end = k;
        while (end < rows.length && rows[end].hidden) end++;
        const line = element('tr', null, {class: 'folded-row'});
        line.append(element('td', `${end - k} step${end - k === 1 ? '' : 's'} folded`, {colspan: columns}));
        rows[k].before(line);
    }
}

function linkInterleaving() {
    const section = document.getElementById('interleaving');
    if (!section) return;
    const rows = [...section.querySelectorAll('table.interleaving tbody tr')], slider = document.getElementById('step');
    const threads = [...section.querySelectorAll('table.interleaving thead th')].slice(1).map(one => one.textContent);
    const fold = document.getElementById('step-fold'), copy = document.getElementById('copy-schedule');
    if (rows.length === 0) return;
    slider.max = rows.length;
    slider.value = rows.length;
    section.querySelector('.step-controls').hidden = false;

    const changes = rows.map(changesOf);
    let shown = rows.length - 1;

    function show(step, scroll) {
        slider.value = step + 1;
        document.getElementById('step-at').textContent = `step ${step + 1} of ${rows.length}`;
        for (let k = Math.min(step, shown) + 1; k <= Math.max(step, shown); k++) rows[k].classList.toggle('future', k > step);
        rows[shown].classList.remove('now');
        rows[step].classList.add('now');
        shown = step;
        showMemory(document.getElementById('memory'), rows, changes, threads, step);
        drawArrows(section, rows, step);
        if (scroll) rows[step].scrollIntoView({block: 'nearest'});
    }
    const move = by => {
        let step = Number(slider.value) - 1 + by;
        while (rows[step]?.hidden) step += by;
        if (rows[step]) show(step, true);
    };
    document.addEventListener('keydown', event => {
        const by = {',': -1, '.': 1}[event.key];
        if (by && !event.target.matches('input:not([type=range]), select') && !event.ctrlKey && !event.metaKey && !event.altKey) move(by);
    });
    slider.addEventListener('input', () => show(Number(slider.value) - 1, true));
    document.getElementById('step-back').addEventListener('click', () => move(-1));
    document.getElementById('step-on').addEventListener('click', () => move(1));
    fold.addEventListener('change', () => {
        foldDull(rows, threads.length + 1, fold.checked);
        drawArrows(section, rows, shown);
    });
    window.addEventListener('resize', () => drawArrows(section, rows, shown));
    rows.forEach((row, k) => row.addEventListener('click', () => show(k, false)));
    if (copy) {
        copy.hidden = false;
        copy.addEventListener('click', async () => {
            await navigator.clipboard?.writeText(document.getElementById('schedule').textContent);
            copy.textContent = 'copied';
        });
    }
    foldDull(rows, threads.length + 1, true);
    show(rows.length - 1, false);
}
