/* Every way through one iteration is followed from the head of the loop until it comes back there (the iteration has
 * failed: it wrote nothing, so it left nothing behind), leaves the loop, or writes. On the way registers and stack
 * slots hold symbols. A load is confirmed
 *   - where what it read is compared with what a later load of the same address read, on the side where they are equal;
 *   - by a compare-and-swap of that address that expects what it read, when it succeeds.
 * On every other way it has to come back to the head. What is accessed meanwhile must be accessed in the same way if
 * others change memory: its address may depend on what was read before the load, and on what the load has read, but not
 * on what was read later. */
#include "explore/compile/confirmed.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS_MAX = 12,
    LOADS_MAX = 16,
    WORD = 8,
    STEPS_MAX = 20000,
    DEPTH_MAX = 128 /* calls and branches of one way */,
    EVERYTHING = 255
};

typedef enum symbol_kind {
    SYMBOL_COMPUTED, /* nothing else is known */
    SYMBOL_OLD,      /* what register `base` held at the head */
    SYMBOL_CONSTANT, /* the number `base` */
    SYMBOL_CELL,     /* what the variable at address `base` holds */
    SYMBOL_LOADED,   /* what load number `base` has read */
    SYMBOL_SWAPPED,  /* whether a compare-and-swap that confirms the loads `base` (bits) has succeeded */
    SYMBOL_FOUND,    /* what such a one has found */
} symbol_kind;

typedef struct symbol {
    uint8_t kind;
    /* on loads up to this one, counted from 1; 0: on none; EVERYTHING: on any memory, read at any time */
    uint8_t depends;
    uint64_t base;
    int64_t add;
} symbol;

typedef struct path_state {
    symbol reg[GENERAL];
    struct {
        tracked_cell at;
        symbol holds;
    } slot[SLOTS_MAX]; /* that were written on the way */
    unsigned slots;
    struct {
        size_t site;
        symbol address;
        unsigned same; /* as this one: the first that read this value */
    } load[LOADS_MAX];
    unsigned loads;
    bool compared, with_zero; /* what the flags say */
    symbol left, right;
} path_state;

/* Bit k: on every way from here load k is confirmed or the iteration fails, if it has read zero, or anything else. */
typedef struct loads_found {
    uint32_t zero, other;
} loads_found;

typedef struct confirming {
    const function *f;
    size_t head;
    register_set written;
    bool *around; /* reached without passing the head, from the entry of the function or from something that writes */
    bool begun, lost;
    unsigned steps, depth;
    confirmed_loads *out;
} confirming;

static const loads_found nothing = {0, 0}, all = {UINT32_MAX, UINT32_MAX};

static loads_found both(loads_found a, loads_found b) { return (loads_found){a.zero & b.zero, a.other & b.other}; }
static loads_found only(loads_found v, uint32_t loads) { return (loads_found){v.zero & loads, v.other & loads}; }
static loads_found with(loads_found v, uint32_t loads) { return (loads_found){v.zero | loads, v.other | loads}; }

/* ---- symbols ---- */

static const symbol anything = {.kind = SYMBOL_COMPUTED, .depends = EVERYTHING};

static bool symbols_equal(const symbol *a, const symbol *b) {
    return a->kind == b->kind && a->kind != SYMBOL_COMPUTED && a->base == b->base && a->add == b->add;
}

static bool is_loaded(const symbol *s) { return s->kind == SYMBOL_LOADED && !s->add; }

static uint8_t depends_on(const path_state *t, const symbol *s) {
    assert(s->kind != SYMBOL_LOADED || s->base < t->loads);
    return s->kind == SYMBOL_LOADED ? (uint8_t)(t->load[s->base].same + 1) : s->depends;
}

static uint8_t depends_on_registers(const path_state *t, register_set r) {
    uint8_t most = 0;
    for (unsigned k = 0; k < GENERAL; k++)
        if (r >> k & 1 && k != RSP && depends_on(t, &t->reg[k]) > most) most = depends_on(t, &t->reg[k]);
    return most;
}

static uint32_t loads_so_far(const path_state *t) { return (UINT32_C(1) << t->loads) - 1; }

/* The loads in whose windows an address must not depend on this: they came before what it depends on. */
static uint32_t loads_before(const path_state *t, uint8_t depends) {
    return depends == EVERYTHING ? loads_so_far(t)
           : depends             ? ((UINT32_C(1) << (depends - 1)) - 1) & loads_so_far(t)
                                 : 0;
}

/* All loads that are known to have read what load k has read. */
static uint32_t same_as(const path_state *t, uint64_t k) {
    uint32_t set = 0;
    assert(k < t->loads && t->load[k].same <= k);
    for (unsigned i = 0; i < t->loads; i++)
        if (t->load[i].same == t->load[k].same) set |= UINT32_C(1) << i;
    return set;
}

/* Those of them at this address. */
static uint32_t loads_at(const path_state *t, const symbol *address, const symbol *value) {
    uint32_t set = is_loaded(value) ? same_as(t, value->base) : 0;
    for (unsigned i = 0; i < t->loads; i++)
        if (!symbols_equal(&t->load[i].address, address)) set &= ~(UINT32_C(1) << i);
    return set;
}

/* ---- stack slots ---- */

static symbol slot_get(const path_state *t, const tracked_cell *c) {
    symbol old = {.kind = SYMBOL_COMPUTED};
    for (unsigned i = 0; i < t->slots; i++) {
        if (!cells_overlap(&t->slot[i].at, c)) continue;
        return t->slot[i].at.at == c->at && t->slot[i].at.size == c->size ? t->slot[i].holds : anything;
    }
    return old; /* not written since the head */
}

static bool slot_set(path_state *t, const tracked_cell *c, symbol s) {
    unsigned n = 0;
    for (unsigned i = 0; i < t->slots; i++) {
        if (!cells_overlap(&t->slot[i].at, c)) t->slot[n++] = t->slot[i];
        else if (t->slot[i].at.at != c->at || t->slot[i].at.size != c->size) return false;
    }
    assert(n <= t->slots && t->slots <= SLOTS_MAX);
    t->slots = n;
    if (n == SLOTS_MAX) return false;
    t->slot[t->slots].at = *c;
    t->slot[t->slots++].holds = s;
    return true;
}

/* ---- plain instructions ---- */

static int only_general(register_set s) {
    return s && !(s & (s - 1)) && s <= 0xffff ? __builtin_ctzll(s) : NO_REGISTER;
}

static void note_cell(confirming *p, uint64_t address) {
    confirmed_loads *o = p->out;
    for (size_t i = 0; i < o->cells; i++)
        if (o->cell[i] == address) return;
    o->cell = MEM_GROW(o->cell, uint64_t, o->cells + 1);
    o->cell[o->cells++] = address;
}

/* What is loaded, and for which loads the address is not safe. */
static symbol read_memory(confirming *p, size_t i, const path_state *t, uint32_t *unsafe) {
    const memory_operand *m = &p->f->code.at[i].load;
    tracked_cell c = resolve(p->f, i, m);
    if (c.kind == CELL_STACK) return slot_get(t, &c);
    if (c.kind == CELL_FIXED && c.size == WORD) {
        note_cell(p, (uint64_t)c.at);
        return (symbol){.kind = SYMBOL_CELL, .base = (uint64_t)c.at};
    }
    if (c.kind == CELL_ANYWHERE) *unsafe |= loads_so_far(t);
    register_set base = (m->base != NO_REGISTER ? BIT(m->base) : 0) | (m->index != NO_REGISTER ? BIT(m->index) : 0);
    if (c.kind == CELL_POINTER) *unsafe |= loads_before(t, depends_on_registers(t, base));
    return anything;
}

/* The symbol of the one register that an instruction replaces. */
static symbol computed(const path_state *t, const instruction *in, const symbol *loaded) {
    if (in->load.used && !in->values && !in->partial) return *loaded;
    if (in->pointer == POINTER_COPY) {
        symbol s = t->reg[in->from];
        s.add += in->add;
        return s;
    }
    if (in->constant) return (symbol){.kind = SYMBOL_CONSTANT, .base = (uint64_t)in->number};
    uint8_t depends = depends_on_registers(t, in->reads & 0xffff);
    if (in->load.used && loaded->depends > depends) depends = loaded->depends;
    return (symbol){.kind = SYMBOL_COMPUTED, .depends = depends};
}

static void set_flags(path_state *t, const instruction *in) {
    t->compared = false;
    if (!in->compared_size || in->load.used || in->compared[0] == NO_REGISTER || in->compared[1] == NO_REGISTER) return;
    t->left = t->reg[in->compared[0]];
    t->right = t->reg[in->compared[1]];
    t->with_zero = in->compared_bits && in->compared[0] == in->compared[1];
    bool whole = in->compared_size == WORD || (t->with_zero && t->left.kind == SYMBOL_SWAPPED);
    t->compared = whole && (t->with_zero || !in->compared_bits);
}

/* False: nothing is known from here on. */
static bool execute(confirming *p, size_t i, path_state *t, uint32_t *unsafe) {
    const instruction *in = &p->f->code.at[i];
    symbol loaded = anything, result;
    if (in->atomic) return false;
    if (result_is_unused(p->f, i)) { /* clang reads again what it had an atomic load read */
        for (unsigned r = 0; r < GENERAL; r++)
            if ((in->writes | in->partial) >> r & 1) t->reg[r] = anything;
        return true;
    }
    if (in->load.used) loaded = read_memory(p, i, t, unsafe);
    result = computed(t, in, &loaded);
    if (in->store.used) {
        tracked_cell c = resolve(p->f, i, &in->store);
        int from = in->load.used || in->pointer != POINTER_NONE ? NO_REGISTER : only_general(in->values);
        symbol stored = from != NO_REGISTER && c.size == WORD ? t->reg[from] : result;
        if (c.kind != CELL_STACK || !slot_set(t, &c, stored)) return false;
    }
    if ((in->writes | in->partial) & FLAGS_BIT || in->compared_size) set_flags(t, in);
    for (unsigned r = 0; r < GENERAL; r++)
        if ((in->writes | in->partial) >> r & 1 && r != RSP) t->reg[r] = in->partial >> r & 1 ? anything : result;
    return true;
}

/* ---- one iteration ---- */

static loads_found follow(confirming *p, size_t i, path_state t);

static loads_found branch(confirming *p, size_t i, const path_state *t) {
    const instruction *in = &p->f->code.at[i];
    const symbol *a = &t->left, *b = &t->right;
    bool jumps = in->condition == CONDITION_EQUAL;
    loads_found equal, different = follow(p, p->f->next[i][!jumps], *t);
    path_state side = *t;
    side.compared = false;
    if (!t->compared || in->condition == CONDITION_OTHER) return both(follow(p, p->f->next[i][jumps], *t), different);
    if (t->with_zero && a->kind == SYMBOL_SWAPPED) /* zero: it has failed */
        return only(follow(p, p->f->next[i][jumps], side), (uint32_t)a->base);
    if (t->with_zero && is_loaded(a)) {
        uint32_t known = same_as(t, a->base);
        equal = follow(p, p->f->next[i][jumps], side);
        return (loads_found){(equal.zero & different.zero) | (equal.zero & known),
                             (equal.other & different.other) | (different.other & known)};
    }
    const symbol *found = a->kind == SYMBOL_FOUND ? a : b, *expected = found == a ? b : a;
    if (!t->with_zero && found->kind == SYMBOL_FOUND && !found->add && is_loaded(expected) &&
        found->base >> expected->base & 1)
        return only(different, (uint32_t)found->base);
    if (t->with_zero || !is_loaded(a) || !is_loaded(b) ||
        !symbols_equal(&t->load[a->base].address, &t->load[b->base].address))
        return both(follow(p, p->f->next[i][jumps], *t), different);
    uint64_t older = a->base < b->base ? a->base : b->base, newer = a->base + b->base - older;
    uint32_t confirmed = same_as(t, older) & ((UINT32_C(1) << newer) - 1);
    for (unsigned k = 0; k < side.loads; k++)
        if (t->load[k].same == t->load[newer].same) side.load[k].same = t->load[older].same;
    equal = with(follow(p, p->f->next[i][jumps], side),
                 loads_at(t, &t->load[newer].address, a->base == older ? a : b) & confirmed);
    return both(equal, different);
}

static void forget_clobbered(path_state *t) {
    for (unsigned r = 0; r < GENERAL; r++)
        if (clobbered >> r & 1) t->reg[r] = anything;
    t->compared = false;
}

static void note(confirming *p, const path_state *t, size_t at, loads_found v) {
    confirmed_loads *o = p->out;
    for (unsigned k = 0; k < t->loads; k++) {
        size_t i = 0;
        while (i < o->size && (o->at[i].load != t->load[k].site || o->at[i].hook != at)) i++;
        if (i == o->size) {
            o->at = MEM_GROW(o->at, confirmed_load, o->size + 1);
            o->at[o->size++] = (confirmed_load){t->load[k].site, at, true, true};
        }
        o->at[i].zero &= v.zero >> k & 1;
        o->at[i].other &= v.other >> k & 1;
    }
}

static loads_found behind(confirming *p, size_t call, path_state *t, symbol result) {
    assert(p->f->code.at[call].flow == FLOW_CALL && t->loads <= LOADS_MAX);
    forget_clobbered(t);
    t->reg[RAX] = result;
    return follow(p, p->f->next[call][0], *t);
}

static loads_found load(confirming *p, size_t i, path_state *t, symbol address) {
    symbol result = anything;
    if (p->f->hook[i].size == WORD && t->loads < LOADS_MAX) {
        t->load[t->loads].site = i;
        t->load[t->loads].address = address;
        t->load[t->loads].same = t->loads;
        result = (symbol){.kind = SYMBOL_LOADED, .base = t->loads++};
    }
    return behind(p, i, t, result);
}

static loads_found swap(confirming *p, size_t i, path_state *t, symbol address) {
    bool value = p->f->hook[i].kind == HOOK_SWAP_VALUE;
    tracked_cell c = expected_cell(p->f, i);
    if (p->f->hook[i].size != WORD || (!value && c.kind != CELL_STACK)) return nothing;
    symbol expected = value ? t->reg[RSI] : slot_get(t, &c);
    uint32_t confirms = loads_at(t, &address, &expected);
    if (!confirms || (!value && !slot_set(t, &c, anything))) return nothing;
    return only(
        behind(p, i, t,
               (symbol){.kind = value ? SYMBOL_FOUND : SYMBOL_SWAPPED, .depends = EVERYTHING, .base = confirms}),
        confirms);
}

static loads_found call(confirming *p, size_t i, path_state *t) {
    const function *f = p->f;
    path_state before = *t;
    symbol address = t->reg[RDI];
    bool stack = f->before[i].known >> RDI & 1;
    uint32_t unsafe = stack ? 0 : loads_before(t, depends_on(t, &address));
    loads_found v = nothing;
    switch (f->hook[i].kind) {
    case HOOK_READ: v = behind(p, i, t, anything); break;
    case HOOK_OTHER:
        if (stack) v = behind(p, i, t, anything);
        break;
    case HOOK_LOAD: v = load(p, i, t, address); break;
    case HOOK_SWAP:
    case HOOK_SWAP_VALUE: v = swap(p, i, t, address); break;
    default: break;
    }
    v = only(v, ~unsafe);
    note(p, &before, i, v);
    return v;
}

static loads_found follow_straight(confirming *p, size_t i, path_state t) {
    const function *f = p->f;
    uint32_t unsafe = 0;
    for (;; i = f->next[i][f->code.at[i].flow == FLOW_JUMP]) {
        if (i == SIZE_MAX || f->code.at[i].unknown || f->exits[i] || f->leaves[i]) return nothing;
        if (i == p->head && p->begun) return only(all, ~unsafe);
        if (i == p->head) p->begun = true;
        if (p->steps++ == STEPS_MAX) {
            p->lost = true;
            return nothing;
        }
        switch (f->code.at[i].flow) {
        case FLOW_JUMP: break;
        case FLOW_NEXT:
            if (!execute(p, i, &t, &unsafe)) return nothing;
            break;
        case FLOW_BRANCH: return only(branch(p, i, &t), ~unsafe);
        case FLOW_CALL: return only(call(p, i, &t), ~unsafe);
        default: return nothing;
        }
    }
}

static loads_found follow(confirming *p, size_t i, path_state t) {
    if (p->depth == DEPTH_MAX) p->lost = true;
    if (p->lost) return nothing;
    p->depth++;
    loads_found v = follow_straight(p, i, t);
    p->depth--;
    return v;
}

/* ---- the head ---- */

/* Every path to the head comes through this. */
static size_t straight_before(const function *f, size_t head) {
    size_t i = head;
    while (i > 0 && f->enter[i + 1] - f->enter[i] == 1 && f->from[f->enter[i]] == i - 1 &&
           f->code.at[i - 1].flow == FLOW_NEXT)
        i--;
    return i;
}

/* The head is a hook that looks at the same address whenever the loop comes to it. */
static bool head_is_fixed(confirming *p, size_t start, path_state *t) {
    uint32_t unsafe = 0;
    for (size_t i = start; i < p->head; i++)
        if (p->f->code.at[i].unknown || !execute(p, i, t, &unsafe)) return false;
    const symbol *address = &t->reg[RDI];
    if (p->f->before[p->head].known >> RDI & 1) return true;
    return address->kind == SYMBOL_CONSTANT || address->kind == SYMBOL_CELL ||
           (address->kind == SYMBOL_OLD && !(p->written >> address->base & 1));
}

static bool may_write(const function *f, size_t i) {
    const instruction *in = &f->code.at[i];
    if (in->flow != FLOW_CALL)
        return in->unknown || in->atomic || (in->store.used && resolve(f, i, &in->store).kind != CELL_STACK);
    if (f->hook[i].kind == HOOK_OTHER) return !(f->before[i].known >> RDI & 1);
    return f->hook[i].kind != HOOK_READ && f->hook[i].kind != HOOK_LOAD;
}

static void find_around(confirming *p) {
    const function *f = p->f;
    size_t *work = MEM_ARRAY(size_t, f->code.size + 1), n = 0;
    p->around = mem_zero(f->code.size, 1);
    for (size_t i = 0; i < f->code.size; i++)
        if (i == f->entry || (f->in_loop[i] && may_write(f, i))) {
            p->around[i] = true;
            work[n++] = i;
        }
    while (n) {
        size_t i = work[--n];
        for (unsigned k = 0; k < 2 && i != p->head; k++) {
            size_t to = f->next[i][k];
            if (to != SIZE_MAX && !p->around[to]) {
                p->around[to] = true;
                work[n++] = to;
            }
        }
    }
    free(work);
}

static void keep_proved(confirming *p) {
    confirmed_loads *o = p->out;
    size_t n = 0;
    for (size_t i = 0; i < o->size && !p->lost; i++)
        if ((o->at[i].zero || o->at[i].other) && (!p->around[o->at[i].load] || o->at[i].load == p->head))
            o->at[n++] = o->at[i];
    assert(n <= o->size);
    o->size = n;
}

void confirmed_find(const function *f, size_t head, register_set written, confirmed_loads *out) {
    confirming p = {.f = f, .head = head, .written = written, .out = out};
    path_state t = {0}, first = {0};
    assert(head < f->code.size && f->in_loop[head]);
    *out = (confirmed_loads){0};
    if (f->escaped || (f->hook[head].kind != HOOK_READ && f->hook[head].kind != HOOK_LOAD)) return;
    for (unsigned r = 0; r < GENERAL; r++) t.reg[r] = first.reg[r] = (symbol){.kind = SYMBOL_OLD, .base = r};
    size_t start = straight_before(f, head);
    if (!head_is_fixed(&p, start, &first)) return;
    find_around(&p);
    follow(&p, start, t);
    keep_proved(&p);
    free(p.around);
}

void confirmed_free(confirmed_loads *l) {
    free(l->at);
    free(l->cell);
}
