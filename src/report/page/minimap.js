/* The whole length of the history in one strip: how much is open at each moment, what matters as ticks, what is in sight. */

const SAMPLES = 8; // for each pixel

function openAt(history, rank) {
    const calls = firstAtLeast(history.call, rank, 0, history.n);
    return 2 * calls - rank; // calls so far, less the returns so far
}

function activity(view, width) {
    const {history, axis} = view, heights = new Float64Array(width);
    for (let x = 0, before = 0; x < width; x++) {
        const rank = axis.rankAt((x + 1) / width * axis.end);
        if (axis.kind === 'events') for (let k = 0; k < SAMPLES; k++) heights[x] += openAt(history, axis.rankAt((x + k / SAMPLES) / width * axis.end));
        else heights[x] = rank - before;
        before = rank;
    }
    return heights;
}

/* It changes with axis and width only. */
function minimapShape(view, width) {
    if (view.mapShape?.axis !== view.axis || view.mapShape.width !== width) view.mapShape = {axis: view.axis, width, heights: activity(view, width)};
    return view.mapShape.heights;
}

function drawTicks(view, context, list, colour, top, height) {
    const {history, axis} = view, width = view.width;
    context.fillStyle = colour;
    let last = -9;
    for (let k = 0; k < list.length; k++) {
        const x = Math.round(axis.position(history.call[list[k]]) / axis.end * width);
        if (x <= last + 1) continue;
        context.fillRect(x - 1, top, 2, height);
        last = x;
    }
}

function drawMinimap(view) {
    const context = view.mapContext, {colours, axis, width} = view, height = view.mapHeight;
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    context.fillStyle = colours.band;
    context.fillRect(0, 0, width, height);
    const heights = minimapShape(view, Math.floor(width)), most = heights.reduce((a, b) => Math.max(a, b), 1);
    context.fillStyle = colours.removes;
    context.globalAlpha = 0.5;
    for (let x = 0; x < heights.length; x++) {
        const tall = heights[x] / most * (height - 14);
        context.fillRect(x, height - tall, 1, tall);
    }
    context.globalAlpha = 1;
    context.fillStyle = colours.note;
    for (const [rank, , until] of view.history.annotations) {
        const from = Math.round(axis.position(rank) / axis.end * width);
        const to = until === undefined ? from : Math.round(axis.position(until) / axis.end * width);
        context.fillRect(from, 8, Math.max(1, to - from), until === undefined ? height - 8 : 4);
    }
    drawTicks(view, context, view.found, colours.mark, 0, 8);
    drawTicks(view, context, view.history.core, colours.bad, 0, height);
    const from = view.from / axis.end * width, to = view.to / axis.end * width;
    context.fillStyle = colours.ink;
    context.globalAlpha = 0.16;
    context.fillRect(0, 0, from, height);
    context.fillRect(to, 0, width - to, height);
    context.globalAlpha = 1;
    context.strokeStyle = colours.ink;
    context.lineWidth = 1;
    context.strokeRect(Math.round(from) + 0.5, 0.5, Math.max(3, Math.round(to - from) - 1), height - 1);
}
