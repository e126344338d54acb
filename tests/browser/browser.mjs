/* A browser with an empty profile, no network to speak of, and an ear for everything that goes wrong. */
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'];

export async function openBrowser() {
    const browser = await chromium.launch({ executablePath: process.env.PLUMB_CHROMIUM ?? '/usr/bin/chromium', args });
    return {
        async page(path, { hash = '', before = null, ...options } = {}) {
            const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
            const page = await context.newPage();
            page.problems = [];
            page.requests = [];
            page.on('console', message => { if (['error', 'warning'].includes(message.type())) page.problems.push(message.text()); });
            page.on('pageerror', error => page.problems.push(String(error)));
            page.on('request', request => page.requests.push(request.url()));
            await before?.(page);
            await page.goto(pathToFileURL(path).href + hash);
            if (options.javaScriptEnabled !== false) await page.waitForFunction(() => window.plumb?.ready, null, { timeout: 60000 });
            return page;
        },
        close: () => browser.close(),
    };
}

export const closePage = page => page.context().close();
