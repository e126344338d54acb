/* Where events are along the picture: in their order, or at their times. */

function makeAxis(history, kind) {
    if (kind === 'time' && history.time.known) {
        const ticks = history.time.ticks(), end = ticks[ticks.length - 1] + 1;
        return {
            kind, end,
            position: rank => rank < ticks.length ? ticks[rank] : end,
            rankAt: position => firstAtLeast(ticks, position, 0, ticks.length),
            say: position => `+${history.time.since(Math.max(0, position))}`,
            title: 'since the start',
        };
    }
    const end = Math.max(1, history.events);
    return {
        kind: 'events', end,
        position: rank => rank < end ? rank : end,
        rankAt: position => Math.min(end, Math.max(0, Math.ceil(position))),
        say: position => String(Math.round(position)),
        title: 'event',
    };
}

/* Steps of 1, 2 or 5 times a power of ten, about `most` of them. */
function niceStep(span, most) {
    const rough = span / most, power = 10 ** Math.floor(Math.log10(rough));
    for (const factor of [1, 2, 5]) if (power * factor >= rough) return power * factor;
    return power * 10;
}

/* The linearization points of a witness: as early as calls and the points before allow, spread between two events. */
function makePoints(history) {
    const order = history.order(), slot = new Uint32Array(order.length), within = new Float64Array(order.length);
    for (let k = 0, last = 0, since = 0; k <= order.length; k++) {
        const now = k < order.length ? Math.max(last, history.call[order[k]]) : NEVER;
        if (now !== last && k) {
            for (let j = since; j < k; j++) within[j] = (j - since + 1) / (k - since + 1);
            since = k;
        }
        if (k < order.length) slot[k] = last = now;
    }
    const place = new Uint32Array(history.n).fill(NEVER);
    order.forEach((op, k) => { place[op] = k; });
    return {
        order, place,
        position(axis, k) {
            const from = axis.position(slot[k]);
            return from + within[k] * (axis.position(slot[k] + 1) - from);
        },
        firstFrom(rank) { return firstAtLeast(slot, rank, 0, slot.length); },
    };
}
