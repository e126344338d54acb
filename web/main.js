/* What is drawn, typed, opened or dropped is judged at once; the newest question wins. */
const by = id => document.getElementById(id);
const worker = new Worker(URL.createObjectURL(new Blob([by('deciders').textContent], { type: 'text/javascript' })));
const DRAWN_MOST = 60, PAGE_MOST = 200000, EXAMPLES = @EXAMPLES@;
let asked = 0, pageAddress = null, current = { name: 'drawn.jsonl', bytes: new Uint8Array(), drawn: null };

const drawing = new Drawing(by('lanes'), () => judgeDrawing());

function judge() {
    const id = ++asked;
    by('verdict').textContent = 'judging';
    by('verdict').className = 'waits';
    worker.postMessage({ id, name: current.name, bytes: current.bytes, object: by('object').value.trim(), criterion: by('criterion').value.trim(),
        init: by('init').value.trim(), page: current.bytes.length < PAGE_MOST * 100 });
}

function judgeDrawing() {
    const { ordered, text } = linesOf(drawing.operations, by('object').value.trim());
    by('text').value = text;
    current = { name: 'drawn.jsonl', bytes: new TextEncoder().encode(text), drawn: ordered };
    judge();
}

/* A history from elsewhere: drawn when it is small and native, shown on the page below in any case. */
function judgeBytes(name, bytes) {
    const text = bytes.length < 100000 ? new TextDecoder().decode(bytes) : '';
    const operations = operationsOf(text, DRAWN_MOST);
    by('text').value = text || `(${name}: ${bytes.length} bytes)`;
    drawing.set(operations ?? []);
    current = { name, bytes, drawn: operations ? [...drawing.operations].sort((a, b) => a.from - b.from || a.client - b.client) : null };
    judge();
}

function showPage(html) {
    if (pageAddress) URL.revokeObjectURL(pageAddress);
    pageAddress = html ? URL.createObjectURL(new Blob([html], { type: 'text/html' })) : null;
    by('page').hidden = !html;
    if (html) by('page').src = pageAddress;
}

worker.onmessage = ({ data }) => {
    if (data.objects) return by('objects').append(...data.objects.map(name => new Option(name)));
    if (data.id !== asked) return;
    const found = JSON.parse(data.json || '{}'), names = { 64: 'not asked properly', 65: 'not understood', 66: 'not understood', 70: 'internal error' };
    const word = names[data.code] ?? found.verdict ?? 'undecided';
    by('verdict').textContent = word;
    by('verdict').className = word;
    by('report').textContent = data.understood + data.report;
    drawing.core = new Set((found.core ?? []).map(k => current.drawn?.[k]).filter(Boolean));
    drawing.show();
    showPage(data.html);
    window.plumbWeb.last = { ...data, html: data.html?.length ?? 0, found };
    window.plumbWeb.answered = data.id;
};
worker.onerror = wrong => {
    by('verdict').textContent = 'internal error';
    by('report').textContent = wrong.message;
};

async function openFile(file) { judgeBytes(file.name, new Uint8Array(await file.arrayBuffer())); }

by('file').onchange = () => by('file').files[0] && openFile(by('file').files[0]);
by('judge').onclick = () => judgeBytes('pasted', new TextEncoder().encode(by('text').value));
by('save').onclick = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([current.bytes]));
    link.download = current.name;
    link.click();
};
by('client').onclick = () => { drawing.clients++; drawing.show(); };
by('what').onsubmit = e => e.preventDefault();
for (const id of ['object', 'criterion', 'init']) by(id).onchange = () => (current.drawn ? judgeDrawing() : judge());
by('example').append(...Object.keys(EXAMPLES).map(name => new Option(name)));
by('example').onchange = () => {
    const name = by('example').value;
    if (name) { by('object').value = ''; judgeBytes(name, new TextEncoder().encode(EXAMPLES[name])); }
};
document.addEventListener('dragover', e => { e.preventDefault(); document.body.classList.add('over'); });
document.addEventListener('dragleave', () => document.body.classList.remove('over'));
document.addEventListener('drop', e => {
    e.preventDefault();
    document.body.classList.remove('over');
    if (e.dataTransfer.files[0]) openFile(e.dataTransfer.files[0]);
});
document.addEventListener('paste', e => {
    if (/^(INPUT|TEXTAREA)$/.test(e.target.tagName)) return;
    const text = e.clipboardData.getData('text');
    if (text) judgeBytes('pasted', new TextEncoder().encode(text));
});
/* Pages of `plumb view` link to this one with their history behind the #. */
function judgeLink() {
    const found = /^#history=(.*)$/.exec(location.hash);
    if (!found) return false;
    const text = decodeURIComponent(found[1]), named = /"object":("(?:[^"\\]|\\.)*")/.exec(text.split('\n')[0]);
    by('object').value = named ? JSON.parse(named[1]) : '';
    judgeBytes('linked', new TextEncoder().encode(text));
    return true;
}
addEventListener('hashchange', judgeLink);

window.plumbWeb = { drawing, answered: 0, last: null };
if (!judgeLink()) {
    by('example').value = 'queue-wrong.jsonl';
    by('example').onchange();
}
window.plumb = { ready: true };
