/* How fast is a page? Prints: the page, bytes, bytes an operation, seconds until it is ready (and how much of that the page's thread
 * had the processor), and of 120 frames along a zoom from everything down to a few operations and back, with lanes by client and by
 * method, the worst and the median. A frame is drawn five times and the fastest counts: others use the machine as well.
 *
 *     node tests/browser/measure.mjs PAGE... */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { closePage, openBrowser } from './browser.mjs';

export async function measure(browser, path, { frames = 60, repeats = 5 } = {}) {
    let session;
    const page = await browser.page(path, { before: async page => {
        session = await page.context().newCDPSession(page);
        await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    } });
    const { metrics } = await session.send('Performance.getMetrics'), busy = metrics.find(metric => metric.name === 'TaskDuration').value;
    await page.waitForFunction(() => window.plumb.prepared);
    const found = await page.evaluate(({ frames, repeats }) => {
        const { view } = window.plumb, times = [], end = view.axis.end, middle = (view.from + view.to) / 2;
        const stroll = () => {
            for (let k = 0; k < frames; k++) {
                const share = Math.abs(2 * k - frames) / frames, span = Math.exp(Math.log(20) + share * (Math.log(end) - Math.log(20)));
                window.plumb.zoomTo(middle - span / 2, middle + span / 2);
                const same = [];
                for (let again = 0; again < repeats; again++) same.push(window.plumb.redraw());
                times.push(Math.min(...same));
            }
        };
        stroll();
        const lanes = document.getElementById('lanes-by');
        lanes.value = 'method';
        lanes.dispatchEvent(new Event('change'));
        stroll();
        times.sort((a, b) => a - b);
        return { operations: view.history.n, ready: window.plumb.readyAfter, worst: times[times.length - 1], median: times[times.length >> 1] };
    }, { frames, repeats });
    await closePage(page);
    const bytes = statSync(path).size;
    return { ...found, busy, bytes, each: bytes / found.operations };
}

if (process.argv[1]?.endsWith('measure.mjs')) {
    const browser = await openBrowser();
    for (const path of process.argv.slice(2)) {
        const m = await measure(browser, path);
        console.log(`${basename(path, '.html').replace(/, \d+$/, '').padEnd(28)} ${String(m.operations).padStart(9)} operations ${String(m.bytes).padStart(9)} bytes ${m.each.toFixed(1).padStart(8)} B/op`
            + `  ready ${(m.ready / 1000).toFixed(2)} s, busy ${m.busy.toFixed(2)} s  redraw worst ${m.worst.toFixed(1)} ms, median ${m.median.toFixed(1)} ms`);
    }
    await browser.close();
}
