/* Sentences, picture and tables speak of the same operations: what is pointed at in one is lit in all. */

const NARROW = 600; /* pixels: a phone */

/* A picture that is too wide begins where it goes wrong; where that is not known, with the end of a violation. */
function showTrouble(scene) {
    const room = scene.parentElement, trouble = scene.querySelector('.clash') ?? scene.querySelector('.operation.refused');
    if (room.scrollWidth <= room.clientWidth) return;
    if (innerWidth <= NARROW) { /* all of it where that can be read, else from the clients' names on */
        if (room.scrollWidth <= 2 * room.clientWidth) scene.classList.add('whole');
        return;
    }
    if (!trouble) {
        if (scene.closest('#core')) room.scrollLeft = room.scrollWidth;
        return;
    }
    const spot = trouble.getBoundingClientRect(), frame = room.getBoundingClientRect();
    room.scrollLeft = spot.right - frame.left - room.clientWidth + 180;
}

function linkCore() {
    const named = [...document.querySelectorAll('[data-op]')], arrows = [...document.querySelectorAll('.arrow[data-from]')];
    const sentences = [...document.querySelectorAll('.sentences li, .refused li, .steps li, .operations tr, .witness tr, .interleaving tr')];
    const numbers = node => new Set([...node.querySelectorAll('[data-op]')].map(one => one.dataset.op));

    function light(lit, from) {
        for (const node of named) node.classList.toggle('lit', lit.has(node.dataset.op));
        for (const arrow of arrows) arrow.classList.toggle('lit', lit.size > 1 && lit.has(arrow.dataset.from) && lit.has(arrow.dataset.to));
        for (const sentence of sentences) sentence.classList.toggle('lit', from !== sentence && lit.size === 1 && numbers(sentence).has([...lit][0]));
        document.body.classList.toggle('lighting', lit.size > 0);
    }
    const none = () => light(new Set());
    for (const node of named) {
        const one = event => {
            event.stopPropagation();
            light(new Set([node.dataset.op]));
        };
        node.addEventListener('pointerover', one);
        node.addEventListener('focus', one);
        node.addEventListener('blur', none);
    }
    for (const sentence of sentences) {
        sentence.addEventListener('pointerover', () => light(numbers(sentence), sentence));
        sentence.addEventListener('pointerleave', none);
    }
    for (const scene of document.querySelectorAll('.scene')) {
        showTrouble(scene);
        scene.addEventListener('pointerleave', none);
        scene.addEventListener('click', event => {
            const node = event.target.closest('[data-op]');
            if (node) location.hash = `op=${node.dataset.op}`;
        });
    }
}
