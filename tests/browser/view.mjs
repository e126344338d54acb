/* The page in a real browser: does it show what the history holds, and does it do what it says? */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { closePage, openBrowser } from './browser.mjs';
import { measure } from './measure.mjs';
import { generate, here, made, operationsOf, pageOf, run, stored } from './pages.mjs';
import { compare } from './screenshots.mjs';
import { finish, note, ok, same } from './tap.mjs';

const browser = await openBrowser();
const quiet = (name, page) => {
    same(`${name}: no error on the console`, page.problems, []);
    same(`${name}: asks for nothing but itself`, page.requests.length, 1);
};
const text = (page, selector) => page.locator(selector).innerText();
const selected = page => page.evaluate(() => window.plumb.view.selected);
const range = page => page.evaluate(() => [window.plumb.view.from, window.plumb.view.to]);
const settled = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

/* ---- on a phone ---- */
{
    const phone = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true };
    const page = await browser.page(pageOf(stored('queue-wrong.jsonl'), 'queue-wrong'), phone);
    const inside = (selector, what) => page.evaluate(([one, room]) => {
        const spot = document.querySelector(one).getBoundingClientRect(), frame = document.querySelector(room).getBoundingClientRect();
        return spot.width > 0 && spot.left >= frame.left - 1 && spot.right <= frame.right + 1;
    }, [selector, what]);
    ok('a phone shows the names of clients beside the core', await inside('#core .lane-name', '#core .scroll'));
    ok('and its first operation', await inside('#core .operation rect', '#core .scroll'));
    await closePage(page);
}

/* ---- ten operations ---- */

const wrong = pageOf(stored('queue-wrong.jsonl'), 'queue-wrong'), right = pageOf(stored('queue-right.jsonl'), 'queue-right');
const keyed = pageOf(stored('kv-wrong.edn'), 'kv-wrong');
const blank = await browser.page(right);
await blank.goto('about:blank');
for (const [name, path] of [['queue-wrong', wrong], ['queue-right', right], ['kv-wrong', keyed]])
    for (const colorScheme of ['light', 'dark']) {
        const page = await browser.page(path, { colorScheme });
        quiet(`${name}, ${colorScheme}`, page);
        for (const part of ['scene', 'plot']) {
            const found = await compare(page, part === 'scene' ? '.scene' : '#plot', `${name}-${part}-${colorScheme}`, blank);
            ok(`${name}, ${colorScheme}: the ${part} looks as it did`, found.alike, found);
        }
        await closePage(page);
    }
await closePage(blank);

{
    const page = await browser.page(wrong);
    const sentence = page.locator('.sentences li').nth(1);
    await sentence.hover();
    const lit = await page.evaluate(() => [...document.querySelectorAll('.scene .operation.lit')].map(one => one.dataset.op));
    same('a sentence lights the operations it names', lit, ['0', '1']);
    same('and the arrow between them', await page.locator('.scene .arrow.time.lit').count(), 1);
    await page.locator('.scene .operation[data-op="1"] rect').hover();
    for (const [k, said] of (await page.locator('.sentences li').allInnerTexts()).entries()) {
        await page.locator('.sentences li').nth(k).hover();
        const named = [...new Set([...said.matchAll(/#(\d+)/g)].map(one => one[1]))].sort();
        const shown = await page.evaluate(() => [...document.querySelectorAll('.scene .operation.lit')].map(one => one.dataset.op).sort());
        same(`sentence ${k + 1} lights what it names`, shown, named);
    }
    await page.locator('.scene .operation[data-op="1"] rect').hover();
    ok('an operation lights the sentences that name it', await page.locator('.sentences li.lit').count() >= 2);
    ok('what cannot come next has its reason', (await text(page, 'ul.refused')).includes('the head of the queue is 1'));
    await page.locator('.scene .operation[data-op="3"] rect').click();
    await settled(page);
    same('a click in the picture selects it in the whole view', await selected(page), 3);
    await closePage(page);
}

/* ---- without scripts ---- */

{
    const page = await browser.page(wrong, { javaScriptEnabled: false });
    const rows = await page.locator('table.operations tbody tr').allInnerTexts();
    same('without scripts: the table of the core', rows.map(row => row.split('\t')[1]), ['#0 enq(1)', '#1 enq(2)', '#3 deq() -> 2']);
    ok('without scripts: picture and sentences', await page.locator('.scene').isVisible() && await page.locator('.sentences').isVisible());
    ok('without scripts: no tools that do nothing', !await page.locator('#tools').isVisible());
    await closePage(page);
}

/* ---- what histories hold ---- */

const special = { empty: 'empty', true: 'true', false: 'false', null: 'none' };
const sayValue = value => typeof value === 'string' && value in special ? value : value === null ? 'none' : JSON.stringify(value);

function expectedLabel(one, tells) {
    const said = [...('key' in one ? [one.key] : []), ...one.args].map(sayValue).join(', ');
    const result = one.ret === null ? ' pending' : one.res !== null || tells.includes(one.op) ? ` -> ${sayValue(one.res)}` : '';
    return `${one.op}(${said})${result}`;
}

for (const [name, tells, ...options] of [
    ['queue', [], '-o', 'queue', '-n', '3000', '-j', '5'],
    ['pqueue-min', [], '-o', 'pqueue-min', '-n', '3000', '--pending', '0.01'],
    ['register', ['read'], '-o', 'register', '-n', '2000', '--duplicates', '0.5'],
    ['kv', ['get'], '-o', 'kv', '-n', '2000', '-k', '9', '--pending', '0.02'],
    ['set', [], '-o', 'set', '-n', '2000', '--mutate', 'phantom-value'],
]) {
    const path = generate(`${name}.jsonl`, ...options), operations = operationsOf(path), page = await browser.page(pageOf(path, name, '--timeout', '20'));
    const shown = await page.evaluate(() => {
        const { history } = window.plumb.view, all = [];
        for (let i = 0; i < history.n; i++) all.push([window.plumb.label(i), history.clientNames[history.client[i]], history.call[i], history.ret[i]]);
        return all;
    });
    const at = operations.findIndex((one, i) => shown[i]?.[0] !== expectedLabel(one, tells) || shown[i][1] !== String(one.client));
    ok(`${name}: every operation is named as in the file`, at < 0 && shown.length === operations.length, at < 0 ? shown.length : [shown[at], operations[at]]);
    const events = operations.flatMap(one => one.ret === null ? [one.call] : [one.call, one.ret]).sort((a, b) => a - b);
    const rank = new Map(events.map((time, k) => [time, k]));
    ok(`${name}: calls and returns are in their places`,
        operations.every((one, i) => shown[i][2] === rank.get(one.call) && shown[i][3] === (one.ret === null ? 0xffffffff : rank.get(one.ret))));
    await closePage(page);
}

{
    const operations = operationsOf(generate('times.jsonl', '-o', 'queue', '-n', '500')), base = 1700000000000000000n;
    const stretched = operations.map((one, i) => ({ ...one, call: one.call * 1000 + i % 7, ret: one.ret * 1000 + i % 5 }));
    const path = made('stretched.jsonl');
    const exact = one => JSON.stringify(one).replace(/"(call|ret)":(\d+)/g, (_, what, time) => `"${what}":${base + BigInt(time)}`);
    (await import('node:fs')).writeFileSync(path, `{"plumb":"history/1","object":"queue"}\n${stretched.map(exact).join('\n')}\n`);
    const page = await browser.page(pageOf(path, 'stretched'), { hash: '#axis=time' });
    same('real time: the axis is offered and taken from the address', await page.evaluate(() => window.plumb.view.axis.kind), 'time');
    const said = await page.evaluate(() => [0, 250, 499].map(i => [window.plumb.view.history.time.say(window.plumb.view.history.call[i]),
        window.plumb.view.history.time.say(window.plumb.view.history.ret[i])]));
    same('real time: to the nanosecond', said, [0, 250, 499].map(i => [String(base + BigInt(stretched[i].call)), String(base + BigInt(stretched[i].ret))]));
    await page.locator('#plot').click({ position: { x: 400, y: 60 } });
    await page.keyboard.press('t');
    same('real time: t goes back to the order of events', await page.evaluate(() => window.plumb.view.axis.kind), 'events');
    quiet('real time', page);
    await closePage(page);
}

{
    const page = await browser.page(right);
    const found = await page.evaluate(() => {
        const { view } = window.plumb, { history } = view, points = view.points(), spots = [];
        for (let k = 0; k < points.order.length; k++) spots.push([points.order[k], points.position(view.axis, k)]);
        return { spots, within: spots.every(([i, x]) => x > history.call[i] && x < Math.min(history.ret[i], history.events)), rising: spots.every(([, x], k) => k === 0 || x > spots[k - 1][1]) };
    });
    ok('the witness: every point is within its operation, in the order', found.within && found.rising, found);
    const witness = JSON.parse(run('check', '--json', '-q', stored('queue-right.jsonl'))).witness;
    same('the witness is the one that was checked', found.spots.map(([i]) => i), witness);
    const operations = operationsOf(stored('queue-right.jsonl')), state = [];
    const expected = witness.map(i => {
        const one = operations[i];
        if (one.op === 'enq') state.push(one.args[0]);
        else if (one.res !== 'empty') state.shift();
        return `[${state.join(' ')}]`;
    });
    same('the state after each, in the table', await page.locator('table.witness td.state').allInnerTexts(), expected);
    same('and in the picture', await page.locator('.scene .point .state').allTextContents(), expected);
    await closePage(page);
}

/* ---- annotations ---- */

{
    const page = await browser.page(keyed);
    const shown = await page.evaluate(() => window.plumb.view.history.annotations);
    ok('faults are annotations', shown.length === 2 && shown[0][1].includes('partition n1'), shown);
    await page.selectOption('#lanes-by', 'key');
    same('lanes by key', await page.evaluate(() => window.plumb.view.lanes.shown.map(lane => lane.name).filter(Boolean)), ['key "a"', 'key "b"', 'key "c"']);
    await page.selectOption('#lanes-sorted', 'most');
    same('most operations first', await page.evaluate(() => window.plumb.view.lanes.shown[0].name), 'key "a"');
    const inFile = readFileSync(stored('kv-wrong.edn'), 'utf8').split('\n').filter(line => line.includes(':invoke') && line.includes(':key "a"')).length;
    same('find key a', await page.evaluate(() => [window.plumb.search('key a').length, window.plumb.search('key zz').length]), [inFile, 0]);
    await page.fill('#lanes-only', '"c"');
    same('only some of them', await page.evaluate(() => window.plumb.view.lanes.shown.map(lane => lane.name)), ['key "c"']);
    await closePage(page);
}

/* ---- ten thousand ---- */

{
    const path = generate('middle.jsonl', '-o', 'queue', '-n', '10000', '--mutate', 'wrong-order'), operations = operationsOf(path);
    const pagePath = pageOf(path, 'middle'), page = await browser.page(pagePath);
    quiet('10^4', page);
    const core = await page.evaluate(() => [...window.plumb.view.history.core]);
    ok('10^4: opens at the violation', await page.evaluate(i => {
        const { view } = window.plumb, at = view.axis.position(view.history.call[i]);
        return at >= view.from && at <= view.to && view.to - view.from < 1000;
    }, core[core.length - 1]));
    await page.locator('#plot').scrollIntoViewIfNeeded();
    const sought = await page.evaluate(() => {
        const { view } = window.plumb, rank = view.axis.rankAt((view.from + view.to) / 2);
        return view.history.call.findIndex((call, i) => call >= rank && view.history.ret[i] - call > 4);
    });
    const place = await page.evaluate(i => window.plumb.placeOf(i), sought);
    same('10^4: the operation under the pointer', await page.evaluate(({ x, y }) => window.plumb.operationAt(x, y), place), sought);
    await page.locator('#plot').hover({ position: place });
    ok('10^4: the pointer tells its name', (await text(page, '#tip')).includes(`#${sought} ${expectedLabel(operations[sought], [])}`));
    await page.locator('#plot').click({ position: place });
    ok('10^4: a click tells more', (await text(page, '#details')).includes(`#${sought} `) && await selected(page) === sought);

    await page.fill('#find', '#1234');
    await page.press('#find', 'Enter');
    same('find #1234', await selected(page), 1234);
    const dequeued = operations.findIndex(one => one.op === 'deq' && Number.isInteger(one.res));
    await page.fill('#find', `deq ${operations[dequeued].res}`);
    await page.press('#find', 'Enter');
    ok('find deq V', operations[await selected(page)].op === 'deq' && operations[await selected(page)].res === operations[dequeued].res, await text(page, '#found'));
    for (const query of ['client 2', 'c2']) {
        const found = await page.evaluate(query => window.plumb.search(query), query);
        same(`find ${query}`, found.length, operations.filter(one => one.client === 2).length);
    }
    same('find nothing', await page.evaluate(() => window.plumb.search('nonsense').length), 0);
    same('find what is written elsewhere', await page.evaluate(label => window.plumb.search(label), expectedLabel(operations[dequeued], [])), [dequeued]);
    await page.fill('#find', 'client 2');
    await page.press('#find', 'Enter');
    const first = await selected(page);
    await page.locator('#plot').focus();
    await page.keyboard.press('n');
    ok('n goes on, N back', await selected(page) > first && (await page.keyboard.press('N'), await selected(page)) === first);
    await page.keyboard.press(']');
    ok('] is the next in the lane', await page.evaluate(before => window.plumb.view.history.clientNames[window.plumb.view.history.client[window.plumb.view.selected]] === '2' && window.plumb.view.selected > before, first));

    await page.keyboard.press('f');
    const [from, to] = await range(page);
    ok('f shows everything', from <= 0 && to >= 20000, [from, to]);
    await page.keyboard.press('+');
    ok('+ comes nearer', (await range(page))[1] - (await range(page))[0] < (to - from) * 0.7);
    const before = await range(page);
    await page.keyboard.press('ArrowRight');
    ok('the arrow moves', (await range(page))[0] > before[0]);
    await page.keyboard.press('v');
    ok('v goes to the violation', core.includes(await selected(page)));
    await page.keyboard.press('/');
    same('/ is for finding', await page.evaluate(() => document.activeElement.id), 'find');
    ok('the address follows', await page.waitForFunction(op => location.hash.includes(`op=${op}&`), core[0], { timeout: 5000 }).catch(() => false));
    quiet('10^4, afterwards', page);

    const wheel = await range(page);
    await page.locator('#plot').hover({ position: { x: 600, y: 60 } });
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.waitForTimeout(50);
    ok('the wheel zooms with Ctrl', (await range(page))[1] - (await range(page))[0] < wheel[1] - wheel[0]);
    const still = await range(page);
    await page.mouse.move(600, 0);
    const box = await page.locator('#plot').boundingBox();
    await page.mouse.move(box.x + 600, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 60, { steps: 4 });
    await page.mouse.up();
    ok('dragging moves', (await range(page))[0] > still[0]);
    await page.locator('#minimap').click({ position: { x: 10, y: 20 } });
    ok('the minimap jumps', (await range(page))[0] < 500);
    await closePage(page);

    const linked = await browser.page(pagePath, { hash: '#op=4321' });
    same('a deep link', await selected(linked), 4321);
    ok('is in sight', await linked.evaluate(() => {
        const place = window.plumb.placeOf(4321);
        return window.plumb.operationAt(place.x, place.y) === 4321;
    }));
    await closePage(linked);
}

/* ---- dark, print, policy ---- */

{
    const page = await browser.page(wrong, { colorScheme: 'dark' });
    const paper = () => page.evaluate(() => [getComputedStyle(document.documentElement).backgroundColor,
        [...window.plumb.view.context.getImageData(window.plumb.view.plot.width - 2, window.plumb.view.plot.height - 2, 1, 1).data].join()]);
    same('dark: page and canvas', await paper(), ['rgb(20, 24, 30)', '20,24,30,255']);
    await page.locator('#plot').focus();
    await page.keyboard.press('d');
    await settled(page);
    same('d makes it light', await paper(), ['rgb(255, 255, 255)', '255,255,255,255']);
    await page.emulateMedia({ media: 'print' });
    ok('print: no tools, but the picture', !await page.locator('#tools').isVisible() && await page.locator('.scene').isVisible());
    await page.emulateMedia({ media: 'screen' });
    const policy = await page.evaluate(() => new Promise(done => {
        document.addEventListener('securitypolicyviolation', event => done(event.effectiveDirective));
        const script = document.createElement('script');
        script.textContent = 'window.hacked = 1';
        document.body.append(script);
        setTimeout(() => done('nothing'), 500);
    }));
    same('the policy allows no other script', [policy, await page.evaluate(() => window.hacked ?? null)], ['script-src-elem', null]);
    await closePage(page);
}

/* ---- strangers ---- */

{
    const page = await browser.page(pageOf(stored('strangers.jsonl'), 'strangers'));
    quiet('strangers', page);
    same('strangers: nothing of theirs runs', await page.evaluate(() => window.hacked ?? null), null);
    same('strangers: no elements of theirs', await page.locator('main img, main svg[onload], main script').count(), 0);
    ok('strangers: their words are shown as they are', (await page.evaluate(() => window.plumb.label(0))).includes('</script><script>window.hacked=3</script>'));
    await page.evaluate(() => { location.hash = 'op=0'; });
    await settled(page);
    ok('strangers: also in details', (await text(page, '#details')).includes('</script><script>window.hacked=1'));
    same('strangers: still nothing runs', await page.evaluate(() => window.hacked ?? null), null);
    await page.evaluate(() => { location.hash = 'find=%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D5%3E&op=abc&by=%3Cb%3E&axis=no'; });
    await settled(page);
    quiet('strangers, in the address', page);
    await closePage(page);
}

/* ---- from a certificate, from a monitor, step by step ---- */

{
    const certificate = made('queue.cert'), monitored = made('monitored.html'), events = made('queue.violin');
    run('check', '-q', '--certificate', certificate, stored('queue-wrong.jsonl'));
    const page = await browser.page(pageOf(certificate, 'certificate'));
    quiet('certificate', page);
    ok('certificate: the same core', (await page.evaluate(() => [...window.plumb.view.history.core])).join() === '0,1,3');
    await closePage(page);
    run('convert', '--to', 'violin', stored('queue-wrong.jsonl'), events);
    run('monitor', '-q', '--html', monitored, '-o', 'queue', events);
    const online = await browser.page(monitored);
    quiet('monitor', online);
    ok('monitor: shows the pattern', (await text(online, '.verdict')) === 'violation' && await online.locator('.scene .operation').count() > 1);
    await closePage(online);
}

if (process.env.PLUMB_SAMPLE_PAGE) {
    const page = await browser.page(process.env.PLUMB_SAMPLE_PAGE);
    quiet('interleaving', page);
    const empty = await browser.page(right);
    await empty.goto('about:blank');
    const seen = await compare(page, '.interleaving-columns', 'interleaving', empty);
    ok('interleaving: looks as it did', seen.alike, seen);
    await closePage(empty);
    const memory = async () => (await page.locator('#memory tbody tr').allInnerTexts()).map(row => row.replaceAll('\t', ' '));
    same('interleaving: memory at the end', await memory(), ['q->full 1 producer, step 5', 'q->cell 7 producer, step 12', 'q->owner 0 no step before',
        'q->n 1 producer, step 11', 'q->m 6 producer, step 11']);
    same('interleaving: dull steps are folded', await page.locator('.folded-row').allInnerTexts(), ['2 steps folded']);
    await page.locator('#step').fill('8');
    same('interleaving: memory at step 8', (await memory()).slice(0, 3), ['q->full 1 producer, step 5', 'q->cell 0 no step before', 'q->owner 0 ']);
    same('interleaving: what the step reads is lit', await page.locator('#memory tr.read td:first-child').allInnerTexts(), ['q->cell']);
    await page.locator('#step-back').click();
    same('interleaving: one back', await text(page, '#step-at'), 'step 7 of 13');
    await page.locator('#step').fill('5');
    same('interleaving: what the step writes is lit', await page.locator('#memory tr.written td:first-child').allInnerTexts(), ['q->full']);
    await page.locator('#step-back').click();
    same('interleaving: back over what is folded', await text(page, '#step-at'), 'step 2 of 13');
    await page.keyboard.press('.');
    same('interleaving: and on with a key', await text(page, '#step-at'), 'step 5 of 13');
    await page.locator('table.interleaving tbody tr:not(.folded-row) th').nth(9).click();
    same('interleaving: a click chooses the step', await text(page, '#step-at'), 'step 10 of 13');
    same('interleaving: what comes later is dim', await page.locator('table.interleaving tr.future').count(), 3);
    await page.locator('#step-fold').uncheck();
    same('interleaving: unfolded', await page.locator('table.interleaving tbody tr:visible').count(), 13);
    ok('interleaving: the schedule to copy', await page.locator('#copy-schedule').isVisible() && (await text(page, '#schedule')).startsWith('plumb-schedule'));
    await closePage(page);

    const bare = await browser.page(process.env.PLUMB_BARE_PAGE);
    quiet('a page without a history', bare);
    ok('a page without a history: the execution, and no empty view', await bare.locator('#interleaving').isVisible() && !await bare.locator('#whole').isVisible());
    const before = await bare.evaluate(() => getComputedStyle(document.body).color);
    await bare.keyboard.press('d');
    ok('a page without a history: dark', await bare.evaluate(() => getComputedStyle(document.body).color) !== before);
    await closePage(bare);
}

/* ---- explored code ---- */

if (existsSync(join(dirname(process.env.PLUMB), 'libplumbline-explore.so'))) {
    const explored = join(process.env.SCRATCH, 'explored.html');
    run('explore', '-q', '--jobs', '1', '--html', explored, '--flags', '-DBUG_HEAD', '--schedule', join(process.env.SCRATCH, 'explored.schedule'), join(here, '../../corpus/michael_scott_queue.c'));
    const page = await browser.page(explored);
    quiet('explored', page);
    same('explored: a column for each thread', await page.locator('table.interleaving thead th').allInnerTexts(), ['step', 'thread 1', 'thread 2']);
    const headOf = async () => (await page.locator('#memory tbody tr').allInnerTexts()).map(row => row.replaceAll('\t', ' ')).find(row => row.startsWith('q->head '));
    const steps = await page.locator('table.interleaving tbody tr:not(.folded-row)').allInnerTexts();
    const stores = steps.flatMap((row, k) => row.includes('writes q->head') ? [k] : []);
    same('explored: both threads write the head', stores.length, 2);
    ok('explored: the line stands beside it', stores.every(k => steps[k].includes('atomic_store(&q->head, next);') && steps[k].includes('michael_scott_queue.c:61')));
    same('explored: who wrote it at the end', await headOf(), `q->head node#2 thread 1, step ${stores[1] + 1}`);
    await page.locator('#step').fill(String(stores[0]));
    same('explored: before both', await headOf(), 'q->head node#1 no step before');
    await page.locator('#step').fill(String(stores[0] + 1));
    same('explored: after the first', await headOf(), `q->head node#2 thread 2, step ${stores[0] + 1}`);
    await page.locator('table.interleaving a[data-op="2"]').first().hover();
    same('explored: an operation in the table is lit in the picture', await page.evaluate(() => [...document.querySelectorAll('.scene .operation.lit')].map(one => one.dataset.op)), ['2']);
    await closePage(page);
    const silent = await browser.page(explored, { javaScriptEnabled: false });
    ok('explored, without scripts: every step is there', await silent.locator('table.interleaving tbody tr:visible').count() === steps.length);
    await closePage(silent);
}

/* ---- a million ---- */

{
    const path = generate('million.jsonl', '-o', 'queue', '-n', '1000000'), pagePath = pageOf(path, 'million');
    const each = statSync(pagePath).size / 1e6;
    ok('10^6: at most 8 bytes an operation', each <= 8, each);
    const page = await browser.page(pagePath);
    quiet('10^6', page);
    same('10^6: all there', await page.evaluate(() => window.plumb.view.history.n), 1000000);
    await page.fill('#find', '#777777');
    await page.press('#find', 'Enter');
    ok('10^6: found and in sight', await page.evaluate(() => {
        const place = window.plumb.placeOf(777777);
        return window.plumb.operationAt(place.x, place.y) === 777777;
    }));
    const line = readFileSync(path, 'utf8').split('\n', 777779)[777778];
    same('10^6: it is what the file says', await page.evaluate(() => window.plumb.label(777777)), expectedLabel(JSON.parse(line), []));
    quiet('10^6, afterwards', page);
    await closePage(page);
    const m = await measure(browser, pagePath, { frames: 12, repeats: 3 });
    note(`10^6: ${m.each.toFixed(1)} bytes an operation, ready after ${(m.ready / 1000).toFixed(2)} s, busy for ${m.busy.toFixed(2)} s of it, worst redraw ${m.worst.toFixed(1)} ms`);
}

await browser.close();
finish();
