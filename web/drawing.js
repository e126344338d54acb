/* Lanes in which operations are drawn with the mouse. Times are whole numbers from 0 to 100; what reaches the right edge
 * is pending. */
const SPAN = 100, LANE = 34, LEFT = 70, BAR = 24;

class Drawing {
    constructor(svg, changed) {
        Object.assign(this, { svg, changed, operations: [], clients: 3, core: new Set(), chosen: null, drag: null });
        svg.addEventListener('pointerdown', e => this.begin(e));
        svg.addEventListener('pointermove', e => this.move(e));
        svg.addEventListener('pointerup', e => this.end(e));
        svg.addEventListener('keydown', e => this.key(e));
        new ResizeObserver(() => this.show()).observe(svg);
    }

    set(operations) {
        const last = Math.max(1, ...operations.map(o => o.to ?? o.from)), scale = (SPAN - 8) / last;
        this.order = [...new Set(operations.map(o => o.client))].sort((a, b) => a - b);
        this.operations = operations.map(o => ({ ...o, client: this.order.indexOf(o.client) + 1, from: o.from * scale, to: o.to === null ? null : o.to * scale }));
        this.clients = Math.max(3, this.order.length);
        this.chosen = null;
        this.show();
    }

    x(time) { return LEFT + (this.svg.clientWidth - LEFT) * time / SPAN; }
    time(e) {
        const r = this.svg.getBoundingClientRect();
        return Math.round(Math.min(SPAN, Math.max(0, (e.clientX - r.left - LEFT) / (r.width - LEFT) * SPAN)) * 4) / 4;
    }
    client(e) { return Math.floor((e.clientY - this.svg.getBoundingClientRect().top) / LANE) + 1; }
    at(e) { return this.operations[e.target.closest?.('[data-k]')?.dataset.k] ?? null; }

    begin(e) {
        const o = this.at(e), grip = e.target.dataset?.grip;
        this.svg.setPointerCapture(e.pointerId);
        this.svg.focus();
        if (o) this.drag = { o, grip: grip ?? 'both', time: this.time(e), from: o.from, to: o.to };
        else if (this.client(e) <= this.clients) {
            const made = { client: this.client(e), words: '', from: this.time(e), to: this.time(e), fresh: true };
            this.operations.push(made);
            this.drag = { o: made, grip: 'to', time: made.from, from: made.from, to: made.to };
        }
        this.chosen = this.drag?.o ?? null;
        this.show();
    }

    move(e) {
        const d = this.drag;
        if (!d) return;
        const by = this.time(e) - d.time, bounded = t => Math.min(SPAN, Math.max(0, t));
        if (d.grip !== 'to') d.o.from = bounded(d.from + by);
        if (d.grip !== 'from') d.o.to = bounded((d.to ?? SPAN) + by) >= SPAN ? null : bounded((d.to ?? SPAN) + by);
        if (d.o.to !== null && d.o.to < d.o.from) [d.o.from, d.o.to] = [d.o.to, d.o.from];
        this.show();
    }

    /* Twice on one operation: its words. (The browser's own double click is lost, since bars are drawn anew in between.) */
    end(e) {
        const d = this.drag, o = d?.o;
        this.drag = null;
        if (!o) return;
        if (o.fresh) {
            delete o.fresh;
            if (o.to !== null && o.to - o.from < 1) o.to = Math.min(SPAN - 1, o.from + 8);
            this.edit(o);
        } else if (o.from !== d.from || o.to !== d.to) this.changed();
        else if (this.pressed?.o === o && e.timeStamp - this.pressed.at < 500) this.edit(o);
        this.pressed = { o, at: e.timeStamp };
    }

    key(e) {
        if (!this.chosen) return;
        if (e.key === 'Enter') this.edit(this.chosen);
        else if (e.key === 'Delete' || e.key === 'Backspace') this.remove(this.chosen);
        else return;
        e.preventDefault();
    }

    remove(o) {
        this.operations = this.operations.filter(one => one !== o);
        this.chosen = null;
        this.show();
        this.changed();
    }

    edit(o) {
        document.getElementById('words')?.remove();
        const box = document.createElement('input'), r = this.svg.getBoundingClientRect();
        Object.assign(box, { id: 'words', value: o.words, placeholder: 'enq(1)', spellcheck: false });
        Object.assign(box.style, { left: `${r.left + scrollX + this.x(o.from)}px`, top: `${r.top + scrollY + (o.client - 1) * LANE + 4}px` });
        let over = false;
        const done = keep => {
            if (over) return;
            over = true;
            if (keep) o.words = box.value.trim();
            box.remove();
            if (!o.words) return this.remove(o);
            this.show();
            this.changed();
        };
        box.addEventListener('keydown', e => { if (e.key === 'Enter') done(true); else if (e.key === 'Escape') done(false); });
        box.addEventListener('blur', () => done(true));
        document.body.append(box);
        box.focus();
        box.select();
    }

    show() {
        const make = (name, attributes, text) => {
            const one = document.createElementNS('http://www.w3.org/2000/svg', name);
            for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
            if (text !== undefined) one.textContent = text;
            return one;
        };
        const width = this.svg.clientWidth, parts = [];
        this.svg.setAttribute('height', this.clients * LANE);
        for (let c = 0; c < this.clients; c++) {
            parts.push(make('rect', { class: 'lane', x: 0, y: c * LANE, width, height: LANE }));
        }
        for (let c = 0; c < this.clients; c++)
            parts.push(make('text', { class: 'name', x: 6, y: c * LANE + 22 }, `client ${this.order?.[c] ?? c + 1}`));
        this.operations.forEach((o, k) => {
            const y = (o.client - 1) * LANE + (LANE - BAR) / 2, x = this.x(o.from), end = this.x(o.to ?? SPAN);
            const state = [o.to === null && 'pending', this.core.has(o) && 'core', this.chosen === o && 'chosen'].filter(Boolean).join(' ');
            const group = make('g', { 'data-k': k, class: state });
            group.append(make('rect', { class: 'bar', x, y, width: Math.max(4, end - x), height: BAR, rx: 4 }),
                make('text', { x: x + 6, y: y + 16 }, o.words),
                make('rect', { class: 'grip', 'data-grip': 'from', x: x - 4, y, width: 8, height: BAR }),
                make('rect', { class: 'grip', 'data-grip': 'to', x: end - 4, y, width: 8, height: BAR }));
            parts.push(group);
        });
        this.svg.replaceChildren(...parts);
    }
}
