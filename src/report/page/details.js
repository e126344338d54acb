/* What is known of one operation, in words. Values come from strangers: only ever text, never markup. */

function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== null) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
}

function factsOf(view, i) {
    const {history} = view, facts = [], clock = history.time;
    const name = clientName(history, i);
    if (name !== null) facts.push(['client', name]);
    if (history.key() && !history.keyed) facts.push(['key', sayValue(history, history.key()[i])]);
    facts.push(['called', `event ${history.call[i]}${clock.known ? `, at ${clock.say(history.call[i])}` : ''}`]);
    const ret = history.ret[i];
    facts.push(['returned', ret === NEVER ? 'never: it may have taken effect at any time since, or not at all'
        : `event ${ret}${clock.known ? `, at ${clock.say(ret)}` : ''}${ret > history.cut ? ' (after the moment when the violation shows)' : ''}`]);
    if (history.hasOrder) {
        const place = view.points().place[i];
        facts.push(['place in the order', place === NEVER ? 'none: it did not take effect' : String(place + 1)]);
    }
    const line = history.line()?.[i];
    if (line) facts.push(['line of the file', String(line)]);
    if (view.inCore.has(i)) facts.push(['core', 'one of the operations that make the violation']);
    return facts;
}

function showDetails(view) {
    const place = document.getElementById('details');
    place.replaceChildren();
    if (view.selected < 0) return;
    const i = view.selected, list = element('dl', null);
    place.append(element('h3', `#${numberOf(view.history, i)} ${sayOperation(view.history, i)}`), list);
    for (const [name, said] of factsOf(view, i)) list.append(element('dt', name), element('dd', said));
}

function showTip(view, i, x, y) {
    const tip = document.getElementById('tip');
    tip.hidden = i < 0;
    if (i < 0) return;
    const name = clientName(view.history, i), {history} = view;
    tip.replaceChildren(element('b', `#${numberOf(history, i)} ${sayOperation(history, i)}`),
        element('span', `${name === null ? '' : `client ${name}, `}events ${history.call[i]} to ${history.ret[i] === NEVER ? 'the end' : history.ret[i]}`));
    tip.style.left = `${Math.min(x + 14, view.width - tip.offsetWidth - 4)}px`;
    tip.style.top = `${y + 18}px`;
}
