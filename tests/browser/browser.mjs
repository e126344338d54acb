/* A browser of its own for each run: an empty profile, no network to speak of, and an ear for everything that goes wrong. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'];

export async function openBrowser() {
    const profile = mkdtempSync(join(tmpdir(), 'plumb-browser-'));
    const executablePath = process.env.PLUMB_CHROMIUM ?? '/usr/bin/chromium';
    const contexts = [];
    return {
        async page(path, { hash = '', ...options } = {}) {
            const context = await chromium.launchPersistentContext(join(profile, String(contexts.length)),
                { executablePath, args: flags, viewport: { width: 1280, height: 800 }, ...options });
            contexts.push(context);
            const page = context.pages()[0] ?? await context.newPage();
            page.problems = [];
            page.requests = [];
            page.on('console', message => { if (['error', 'warning'].includes(message.type())) page.problems.push(message.text()); });
            page.on('pageerror', error => page.problems.push(String(error)));
            page.on('request', request => page.requests.push(request.url()));
            await page.goto(pathToFileURL(path).href + hash);
            if (options.javaScriptEnabled !== false) await page.waitForFunction(() => window.plumb?.ready, null, { timeout: 60000 });
            return page;
        },
        async close() {
            for (const context of contexts) await context.close();
            rmSync(profile, { recursive: true, force: true });
        },
    };
}

export const closePage = page => page.context().close();
