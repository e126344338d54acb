/* Finding operations: #12, deq 17, client 4, key x, or any value. Words are conditions, all of which must hold. */

function valuesNamed(history, word) {
    const found = new Set(), bare = word.replace(/^"(.*)"$/, '$1');
    if (/^-?\d+$/.test(word) && Math.abs(Number(word)) < INT_ZERO) found.add(Number(word) + INT_ZERO);
    const special = SPECIAL_NAMES.indexOf(word);
    if (special >= 0) found.add(SPECIAL + special);
    history.table().forEach((text, line) => {
        if (text === word || text === `"${bare}"`) found.add(INTERNED + line);
    });
    if (found.size === 0)
        history.table().forEach((text, line) => {
            if (text.includes(bare)) found.add(INTERNED + line);
        });
    return found;
}

function columnCondition(column, wanted) {
    if (wanted.size === 1) {
        const [one] = wanted;
        return i => column[i] === one;
    }
    return i => wanted.has(column[i]);
}

function valueCondition(history, word) {
    const wanted = valuesNamed(history, word), tests = [];
    if (wanted.size === 0) return () => false;
    if (history.key()) tests.push(columnCondition(history.key(), wanted));
    history.arg.forEach((column, a) => {
        if (!column()) return;
        const holds = columnCondition(column(), wanted);
        tests.push(i => a < history.nargs[i] && holds(i));
    });
    const returned = columnCondition(history.res(), wanted);
    tests.push(i => returned(i) && history.ret[i] !== NEVER);
    return i => tests.some(test => test(i));
}

function methodCondition(history, word) {
    const wanted = history.methods.findIndex(method => method.name === word);
    return wanted < 0 ? null : i => history.method[i] === wanted;
}

function clientCondition(history, name) {
    const wanted = history.clientNames.findIndex(text => text === name || text === `"${name}"`);
    return wanted < 0 ? () => false : i => history.client[i] === wanted;
}

function conditionsOf(history, query) {
    const words = query.match(/"[^"]*"|\S+/g) ?? [], conditions = [];
    for (let k = 0; k < words.length; k++) {
        const word = words[k], next = words[k + 1];
        if (/^#\d+$/.test(word)) {
            const wanted = operationNumbered(history, Number(word.slice(1)));
            conditions.push(i => i === wanted);
        } else if (word === 'client' && next !== undefined) {
            conditions.push(clientCondition(history, words[++k]));
        } else if (/^c\d+$/.test(word) && history.client) {
            conditions.push(clientCondition(history, word.slice(1)));
        } else if (word === 'key' && next !== undefined && history.keyedBy) {
            conditions.push(columnCondition(history.keyOrArgument(), valuesNamed(history, words[++k])));
        } else if (word === 'pending') {
            conditions.push(i => history.ret[i] === NEVER);
        } else {
            conditions.push(methodCondition(history, word) ?? valueCondition(history, word));
        }
    }
    return conditions;
}

/* The operations that are meant, ascending. `enq(3)` and `deq() -> 3` are understood as they are written elsewhere. */
function search(history, query) {
    const conditions = conditionsOf(history, query.replace(/->|[(),]/g, ' ').trim()), found = [];
    if (conditions.length === 0) return found;
    for (let i = 0; i < history.n; i++)
        if (conditions.every(holds => holds(i))) found.push(i);
    return found;
}
