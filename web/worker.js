/* In a worker of its own, so that the page never waits: one history at a time, judged by the deciders. */
const module = plumbline();

async function unpacked(bytes) {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    }
    const zstd = bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd;
    if (zstd) throw new Error('packed with zstd, which browsers do not take off; unpack it first (zstd -d)');
    return bytes;
}

async function judge({ name, bytes, object, criterion, init, page }) {
    const m = await module, path = '/' + (name.replace(/[\/\0]/g, '_') || 'history');
    const plain = await unpacked(bytes);
    if (String.fromCharCode(...plain.slice(0, 5)) === 'PLUMB')
        throw new Error('native binary files are packed with zstd; `plumb convert` writes them as text');
    m.FS.writeFile(path, plain);
    const began = Date.now();
    const words = ['string', 'string', 'string', 'string', 'string', 'number', 'string'];
    const code = m.ccall('web_judge', 'number', words, [path, object, criterion, init, '', 20, page ? '/page.html' : '']);
    const text = which => m.ccall('web_text', 'string', ['number'], [which]);
    const html = page && m.FS.analyzePath('/page.html').exists ? m.FS.readFile('/page.html') : null;
    for (const used of [path, '/page.html']) if (m.FS.analyzePath(used).exists) m.FS.unlink(used);
    return { code, report: text(0), json: text(1), understood: text(2), html, milliseconds: Date.now() - began };
}

let turn = Promise.resolve();
onmessage = ({ data }) => {
    turn = turn.then(() => judge(data)).then(found => postMessage({ id: data.id, ...found }),
        wrong => postMessage({ id: data.id, code: 65, report: String(wrong.message ?? wrong), json: '{}', understood: '', html: null }));
};
module.then(m => postMessage({ objects: m.ccall('web_objects', 'string', [], []).trim().split('\n') }));
