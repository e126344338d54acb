/* Pictures compared with stored ones. Letters differ a little from machine to machine, so pictures are compared at a third of their
 * size, where a line of text is a grey stripe and what is drawn stays what it is.
 *
 * PLUMB_SCREENSHOTS=update stores what is seen. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { here } from './pages.mjs';

const SHRUNK = 3, MOST_APART = 24, SHARE = 0.002, SIZE_SHARE = 0.04;

/* Runs in the browser, in a page without a policy: the share of small pixels that are far apart. */
async function apart(pictures, SHRUNK, MOST_APART) {
    const small = [];
    for (const source of pictures) {
        const image = new Image();
        image.src = source;
        await image.decode();
        small.push({ image, width: image.naturalWidth, height: image.naturalHeight });
    }
    const width = Math.round(small[0].width / SHRUNK), height = Math.round(small[0].height / SHRUNK);
    const [a, b] = small.map(({ image }) => {
        const canvas = document.createElement('canvas');
        canvas.width = width;
        canvas.height = height;
        const context = canvas.getContext('2d');
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, width, height);
        return context.getImageData(0, 0, width, height).data;
    });
    let far = 0;
    for (let i = 0; i < a.length; i += 4) far += Math.max(Math.abs(a[i] - b[i]), Math.abs(a[i + 1] - b[i + 1]), Math.abs(a[i + 2] - b[i + 2])) > MOST_APART;
    return { share: far / (a.length / 4), sizes: small.map(({ width, height }) => [width, height]) };
}

export async function compare(page, selector, name, blank) {
    const path = join(here, 'expected', `${name}.png`);
    const seen = await page.locator(selector).screenshot({ animations: 'disabled' });
    if (process.env.PLUMB_SCREENSHOTS === 'update' || !existsSync(path)) writeFileSync(path, seen);
    const source = bytes => `data:image/png;base64,${bytes.toString('base64')}`;
    const found = await blank.evaluate(`(${apart})(${JSON.stringify([source(readFileSync(path)), source(seen)])}, ${SHRUNK}, ${MOST_APART})`);
    const [[w0, h0], [w1, h1]] = found.sizes;
    const sized = Math.abs(w0 - w1) <= SIZE_SHARE * w0 && Math.abs(h0 - h1) <= SIZE_SHARE * h0;
    return { alike: sized && found.share <= SHARE, ...found };
}
