/* The deciders as WebAssembly answer as the command does, and the page around them does what it says. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { closePage, openBrowser } from './browser.mjs';
import { finish, note, ok, same } from './tap.mjs';

const { PLUMB: plumb, PLUMB_WEB: web, SCRATCH: scratch } = process.env;
const deciders = await createRequire(import.meta.url)(join(web, 'plumbline.js'))();

/* ---- the same words and verdicts as the command's ---- */

function inWeb(path, options) {
    const word = name => options[name] ?? '';
    deciders.FS.writeFile('/history', readFileSync(path));
    const types = ['string', 'string', 'string', 'string', 'string', 'number', 'string'];
    const code = deciders.ccall('web_judge', 'number', types, ['/history', word('object'), word('criterion'), word('init'), word('format'), 60, '']);
    return { code, found: JSON.parse(deciders.ccall('web_text', 'string', ['number'], [1])) };
}

function byCommand(path, options) {
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const ended = spawnSync(plumb, ['check', '--json', '--quiet', '--timeout', '60', ...words, path], { encoding: 'utf8' });
    return { code: ended.status, found: JSON.parse(ended.stdout || '{}') };
}

/* Engines that join in threads differ; the verdict, the object and that there is evidence do not. */
function outline({ code, found }) {
    return [code, found.verdict ?? null, found.object ?? null, found.operations ?? null, found.pending ?? null, found.witness ? found.witness.length : 0, !!found.core];
}

function alike(name, path, options = {}) {
    const seen = outline(inWeb(path, options)), wanted = outline(byCommand(path, options));
    same(name, seen, wanted);
}

const examples = 'examples/histories';
for (const name of readdirSync(examples)) alike(`${name}: as the command says`, join(examples, name));
alike('criteria too', join(examples, 'queue-wrong.jsonl'), { criterion: 'quasi(1)' });
writeFileSync(join(scratch, 'bad.jsonl'), '{"client":1,"op":"enq","args":[1],"call":3,"ret":1,"res":null}\n');
alike('bad input too', join(scratch, 'bad.jsonl'));
writeFileSync(join(scratch, 'empty.jsonl'), '');
alike('and nothing', join(scratch, 'empty.jsonl'));
for (const object of ['queue', 'stack', 'set', 'kv', 'register', 'cas-register', 'counter', 'deque', 'multiset', 'lock', 'pqueue-max', 'snapshot'])
    for (const seed of [1, 2]) {
        const path = join(scratch, `${object}-${seed}.jsonl`);
        execFileSync(plumb, ['generate', '--object', object, '--ops', '200', '--threads', '4', '--seed', String(seed), '-O', path, ...(object === 'lock' ? [] : ['--pending', '0.02'])], { stdio: 'ignore' });
        alike(`${object}, made with seed ${seed}`, path, { object });
        const lines = readFileSync(path, 'utf8').split('\n');
        const results = lines.map((line, k) => [line, k]).filter(([line]) => /"res":\d+/.test(line));
        if (!results.length) continue;
        const [line, k] = results[Math.floor(results.length / 2)];
        lines[k] = line.replace(/"res":\d+/, '"res":987654');
        writeFileSync(path, lines.join('\n'));
        alike(`${object}, one answer changed, seed ${seed}`, path, { object });
    }

/* ---- long ones ---- */
{
    const path = join(scratch, 'long.jsonl');
    execFileSync(plumb, ['generate', '--object', 'queue', '--ops', '100000', '--threads', '8', '--seed', '1', '-O', path], { stdio: 'ignore' });
    const began = Date.now(), { code } = inWeb(path, { object: 'queue' });
    same('100,000 operations are judged', code, 0);
    note(`100,000 operations of a queue: ${Date.now() - began} ms in node`);
}

/* ---- the page ---- */
const browser = await openBrowser();
const page = await browser.page(join(web, 'plumbline.html'));
const answered = () => page.waitForFunction(() => window.plumbWeb.answered > 0 && window.plumbWeb.last, null, { timeout: 60000 });
const asks = async what => {
    const before = await page.evaluate(() => window.plumbWeb.answered);
    await what();
    await page.waitForFunction(n => window.plumbWeb.answered > n, before, { timeout: 60000 });
};
const verdict = () => page.locator('#verdict').innerText();
await answered();
same('the first example is judged at once', await verdict(), 'violation');
ok('in the words of the report', (await page.locator('#report').innerText()).includes('no order is left'));
ok('its core is marked in the drawing', await page.locator('#lanes g.core').count() === 3);
ok('the page of plumb view is below', (await page.frameLocator('#page').locator('.sentences li').count()) > 0);
const lane = await page.locator('#lanes').boundingBox();
const drag = async (client, from, to, words) => {
    const x = t => lane.x + 70 + (lane.width - 70) * t / 100, y = lane.y + (client - 1) * 34 + 17;
    await page.mouse.move(x(from), y);
    await page.mouse.down();
    await page.mouse.move(x((from + to) / 2), y);
    await page.mouse.move(x(to), y);
    await page.mouse.up();
    if (words !== null) {
        await page.locator('#words').fill(words);
        await page.locator('#words').press('Enter');
    }
};
await asks(async () => {
    await page.evaluate(() => { window.plumbWeb.drawing.set([]); window.plumbWeb.drawing.clients = 3; window.plumbWeb.drawing.show(); });
    await drag(1, 5, 15, 'write(1)');
});
await asks(() => drag(2, 20, 30, 'read() -> 2'));
same('what is drawn is judged: a value that was never written', await verdict(), 'violation');
await page.locator('#lanes g[data-k="1"]').dblclick();
await asks(async () => { await page.locator('#words').fill('read() -> 1'); await page.locator('#words').press('Enter'); });
same('other words, another verdict', await verdict(), 'linearizable');
await asks(() => drag(3, 40, 99.9, 'write(7)'));
await page.mouse.move(0, 0);
ok('what reaches the edge is pending', (await page.evaluate(() => window.plumbWeb.last.found.pending)) === 1, await page.locator('#text').inputValue());
await asks(async () => { await page.evaluate(() => { document.querySelector('#written').open = true; }); await page.locator('#text').fill('[1] call enq(1)\n[1] return\n[2] call deq\n[2] return 5\n'); await page.locator('#judge').click(); });
same('text of another format is judged', await verdict(), 'violation');
await asks(async () => { await page.locator('#text').fill('no history\n'); await page.locator('#judge').click(); });
same('what is no history is not', await verdict(), 'not understood');
await asks(() => page.locator('#file').setInputFiles(join(scratch, 'long.jsonl')));
same('a file of 100,000 operations', await verdict(), 'linearizable');
note(`100,000 operations of a queue: ${await page.evaluate(() => window.plumbWeb.last.milliseconds)} ms in Chromium, page included`);
{ /* from a page of `plumb view` */
    spawnSync(plumb, ['view', '--quiet', '-o', join(scratch, 'view.html'), join(examples, 'queue-wrong.jsonl')]);
    copyFileSync(join(web, 'plumbline.html'), join(scratch, 'plumbline.html'));
    const view = await browser.page(join(scratch, 'view.html'));
    await view.locator('#try').click();
    await view.waitForFunction(() => window.plumbWeb?.answered > 0, null, { timeout: 60000 });
    same('a page of plumb view hands its history over', await view.locator('#verdict').innerText(), 'violation');
    same('and its object', await view.locator('#object').inputValue(), 'queue');
    same('it can be drawn on', await view.locator('#lanes g').count(), 6);
    await closePage(view);
}
same('nothing is asked of the network', page.requests.filter(url => !/^(file|blob|data):/.test(url)), []);
same('no error on the console', page.problems, []);
await closePage(page);
await browser.close();
finish();
