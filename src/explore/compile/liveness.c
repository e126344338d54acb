#include "explore/compile/liveness.h"

#include "base/mem.h"
#include "explore/compile/decided.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const register_set clobbered = BIT(RAX) | BIT(RCX) | BIT(RDX) | BIT(RSI) | BIT(RDI) | BIT(R8) | BIT(R9) | BIT(R10) |
                               BIT(R11) | FLAGS_BIT | VECTORS;
static const register_set arguments_set =
    BIT(RDI) | BIT(RSI) | BIT(RDX) | BIT(RCX) | BIT(R8) | BIT(R9) | BIT(RAX) | BIT(R10) | VECTORS;
static const register_set kept = BIT(RBX) | BIT(RBP) | BIT(R12) | BIT(R13) | BIT(R14) | BIT(R15);

/* ---- control flow ---- */

static void link_instruction(function *f, size_t i) {
    const instruction *in = &f->code.at[i];
    size_t *next = f->next[i];
    next[0] = next[1] = SIZE_MAX;
    bool falls =
        in->flow == FLOW_NEXT || in->flow == FLOW_BRANCH || (in->flow == FLOW_CALL && !never_returns(in->callee));
    bool adjacent = i + 1 < f->code.size && f->code.at[i + 1].address == in->address + in->length;
    if (falls && adjacent) next[0] = i + 1;
    else if (falls && in->flow != FLOW_CALL) f->exits[i] = true;
    if (in->flow == FLOW_ANYWHERE) f->hopeless = true; /* cycles may go unseen */
    if (in->flow != FLOW_JUMP && in->flow != FLOW_BRANCH) return;
    size_t to = code_find(&f->code, in->target);
    if (to < f->code.size) next[1] = to;
    else if (*in->callee) f->leaves[i] = true;
    else f->exits[i] = true;
}

/* ---- pointers into the stack ---- */

static bool known(const pointers *p, int r) { return r != NO_REGISTER && p->known >> r & 1; }

static void forget(pointers *p, register_set r) { p->known &= (uint16_t) ~(r & 0xffff); }

/* A pointer into the stack that is stored, or computed with in any other way, is lost to us. */
static void note_escape(function *f, const instruction *in, const pointers *p) {
    bool only_compares = !in->store.used && !((in->writes | in->partial) & 0xffff);
    if (in->pointer == POINTER_COPY || only_compares) return;
    if (in->values & p->known) f->escaped = true;
}

static void move_pointers(function *f, size_t i, pointers *p) {
    const instruction *in = &f->code.at[i];
    pointers old = *p;
    if (in->flow == FLOW_CALL) {
        if (f->hook[i].kind == HOOK_ASM) return;
        if (f->hook[i].kind == HOOK_NONE && p->known & arguments_set) f->escaped = true;
        forget(p, clobbered);
        return;
    }
    note_escape(f, in, p);
    forget(p, in->pointer == POINTER_PUSH || in->pointer == POINTER_POP ? in->writes & ~BIT(RSP)
                                                                        : in->writes | in->partial);
    if (in->unknown) p->known = 0;
    if (in->pointer == POINTER_PUSH) p->offset[RSP] -= 8;
    else if (in->pointer == POINTER_POP) p->offset[RSP] += 8;
    else if (in->pointer == POINTER_COPY && known(&old, in->from)) {
        p->known |= (uint16_t)BIT(in->to);
        p->offset[in->to] = old.offset[in->from] + in->add;
    } else if (in->pointer == POINTER_LEAVE && known(&old, RBP)) {
        p->known |= (uint16_t)BIT(RSP);
        p->offset[RSP] = old.offset[RBP] + 8;
    }
}

/* What is known on every way to an instruction. True when that became less. */
static bool meet_pointers(function *f, pointers *into, const pointers *p) {
    if (!into->reached) {
        *into = *p;
        return true;
    }
    uint16_t both = into->known & p->known;
    for (int r = 0; r < GENERAL; r++)
        if (both >> r & 1 && into->offset[r] != p->offset[r]) both &= (uint16_t)~BIT(r);
    if ((into->known | p->known) & ~both & ~BIT(RSP)) f->escaped = true;
    if (both == into->known) return false;
    into->known = both;
    return true;
}

static void follow_pointers(function *f) {
    size_t *work = MEM_ARRAY(size_t, 2 * f->code.size * (GENERAL + 2) + 2), n = 0;
    f->before[f->entry] = (pointers){.reached = true, .known = BIT(RSP)};
    work[n++] = f->entry;
    while (n) {
        size_t i = work[--n];
        pointers after = f->before[i];
        move_pointers(f, i, &after);
        for (unsigned k = 0; k < 2; k++) {
            size_t to = f->next[i][k];
            if (to != SIZE_MAX && meet_pointers(f, &f->before[to], &after)) work[n++] = to;
        }
    }
    free(work);
}

/* Code that is not reached by jumps catches exceptions. When it comes back, cycles have gone unseen. */
static void look_for_returning_handlers(function *f) {
    for (size_t i = 0; i < f->code.size; i++)
        for (unsigned k = 0; k < 2 && !f->before[i].reached && !f->code.at[i].padding; k++)
            if (f->next[i][k] != SIZE_MAX && f->before[f->next[i][k]].reached) f->hopeless = true;
}

/* ---- the function ---- */

static bool moves_stack(const instruction *in, int64_t add) {
    return in->pointer == POINTER_COPY && in->to == RSP && in->from == RSP && in->add == add;
}

static void make_harmless(instruction *in) {
    *in = (instruction){.address = in->address,
                        .length = in->length,
                        .flow = in->flow,
                        .callee = in->callee,
                        .reads = in->reads & ~BIT(RSP)};
}

/* The sequence around an assembly hook (facts.h) leaves everything as it was. False when it is not that sequence. */
static bool absorb_asm_hook(function *f, size_t call) {
    instruction *in = f->code.at + call;
    if (call < 3 || call + 3 >= f->code.size || in[-1].pointer != POINTER_PUSH) return false;
    bool address = in[-2].pointer != POINTER_PUSH; /* leaq OPERAND, %rdi */
    size_t first = call - (address ? 4 : 3);
    if (call < 4 && address) return false;
    if (address && in[-2].writes != BIT(RDI)) return false;
    instruction *start = f->code.at + first;
    if (!moves_stack(start, -128) || start[1].pointer != POINTER_PUSH || start[1].values != BIT(RDI)) return false;
    if (!moves_stack(in + 1, 8) || in[2].pointer != POINTER_POP || !(in[2].writes & BIT(RDI)) ||
        !moves_stack(in + 3, 128))
        return false;
    for (size_t i = first; i <= call + 3; i++) make_harmless(&f->code.at[i]);
    f->hook[call].reads = 0;
    return true;
}

static void link_backwards(function *f) {
    size_t n = f->code.size;
    f->enter = mem_zero(n + 2, sizeof *f->enter);
    f->from = mem_zero(2 * n + 1, sizeof *f->from);
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < 2; k++)
            if (f->next[i][k] != SIZE_MAX) f->enter[f->next[i][k] + 2]++;
    for (size_t i = 2; i < n + 2; i++) f->enter[i] += f->enter[i - 1];
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < 2; k++)
            if (f->next[i][k] != SIZE_MAX) f->from[f->enter[f->next[i][k] + 1]++] = i;
}

void function_prepare(function *f) {
    size_t n = f->code.size;
    f->hook = mem_zero(n, sizeof *f->hook);
    f->before = mem_zero(n, sizeof *f->before);
    f->next = mem_zero(n, sizeof *f->next);
    f->exits = mem_zero(n, sizeof *f->exits);
    f->leaves = mem_zero(n, sizeof *f->leaves);
    f->in_loop = mem_zero(n, sizeof *f->in_loop);
    f->live = mem_zero(n, sizeof *f->live);
    for (size_t i = 0; i < n; i++) {
        const instruction *in = &f->code.at[i];
        if (in->flow == FLOW_CALL) {
            f->hook[i] = hook_of(in->callee);
            if (f->hook[i].kind == HOOK_ENTRY) f->has_entry = true;
            if (returns_twice(in->callee)) f->hopeless = true;
            if (f->hook[i].kind == HOOK_ASM && !absorb_asm_hook(f, i)) f->hopeless = true;
        }
        link_instruction(f, i);
    }
    follow_pointers(f);
    look_for_returning_handlers(f);
    follow_decided(f);
    link_backwards(f);
}

void function_free(function *f) {
    void *all[] = {f->hook, f->before, f->next, f->exits, f->in_loop, f->live, f->enter, f->from, f->leaves};
    for (unsigned i = 0; i < 9; i++) free(all[i]);
    code_free(&f->code);
}

/* ---- loops ---- */

static void mark(size_t i, bool *seen, size_t *work, size_t *n) {
    if (seen[i]) return;
    seen[i] = true;
    work[(*n)++] = i;
}

static void reach(const function *f, size_t start, bool *seen, bool backwards, size_t *work) {
    size_t n = 0;
    work[n++] = start;
    while (n) {
        size_t i = work[--n];
        for (unsigned k = 0; k < 2 && !backwards; k++)
            if (f->next[i][k] != SIZE_MAX) mark(f->next[i][k], seen, work, &n);
        for (size_t k = f->enter[i]; k < f->enter[i + 1] && backwards; k++)
            if (f->before[f->from[k]].reached) mark(f->from[k], seen, work, &n);
    }
}

bool find_loop(function *f, size_t head) {
    assert(head < f->code.size);
    size_t n = f->code.size, *work = MEM_ARRAY(size_t, n + 1);
    bool *from = mem_zero(n, 1), *to = mem_zero(n, 1);
    reach(f, head, from, false, work);
    if (from[head]) reach(f, head, to, true, work);
    for (size_t i = 0; i < n; i++) f->in_loop[i] = from[i] && to[i];
    bool cycle = from[head];
    FREE_ALL(work, from, to);
    return cycle;
}

/* ---- memory ---- */

tracked_cell resolve(const function *f, size_t i, const memory_operand *m) {
    const pointers *p = &f->before[i];
    assert(i < f->code.size && m->used && m->base < GENERAL && m->index < GENERAL);
    tracked_cell c = {
        .kind = CELL_POINTER, .base = m->base, .index = m->index, .scale = m->scale, .at = m->disp, .size = m->size};
    if (m->fs) c.kind = m->base == NO_REGISTER && m->index == NO_REGISTER ? CELL_THREAD : CELL_ANYWHERE;
    else if (m->base == NO_REGISTER && m->index == NO_REGISTER) c.kind = CELL_FIXED;
    else if (known(p, m->base) && m->index == NO_REGISTER) {
        c.kind = CELL_STACK;
        c.at += p->offset[m->base];
    } else if (known(p, m->base) || known(p, m->index) || m->base == RSP) c.kind = CELL_ANYWHERE;
    return c;
}

bool cells_overlap(const tracked_cell *a, const tracked_cell *b) {
    assert(a->kind == b->kind);
    return a->at < b->at + (int64_t)b->size && b->at < a->at + (int64_t)a->size;
}
static bool same_base(const tracked_cell *a, const tracked_cell *b) {
    return a->base == b->base && a->index == b->index && (a->index == NO_REGISTER || a->scale == b->scale);
}

static bool may_touch(const function *f, size_t i, const tracked_cell *read, const tracked_cell *c) {
    if (read->kind == CELL_ANYWHERE) return true;
    if (read->kind == CELL_POINTER && c->kind == CELL_POINTER && f->in_loop[i] && same_base(read, c))
        return cells_overlap(read, c);
    if (read->kind == CELL_POINTER) return c->kind != CELL_STACK || f->escaped;
    if (c->kind == CELL_POINTER) return read->kind != CELL_STACK || f->escaped;
    return read->kind == c->kind && cells_overlap(read, c);
}

/* Bases of cells do not change in the loop; outside they may be something else. */
bool cell_replaces(const function *f, size_t i, const tracked_cell *write, const tracked_cell *c) {
    if (write->kind != c->kind || write->at > c->at || write->at + (int64_t)write->size < c->at + (int64_t)c->size)
        return false;
    if (c->kind == CELL_POINTER) return f->in_loop[i] && same_base(write, c);
    return c->kind != CELL_ANYWHERE;
}

static uint64_t cells_touched(const function *f, size_t i, const tracked_cell *read) {
    uint64_t set = 0;
    assert(f->cells <= CELLS_MAX);
    for (unsigned k = 0; k < f->cells; k++)
        if (may_touch(f, i, read, &f->cell[k])) set |= UINT64_C(1) << k;
    return set;
}

tracked_cell expected_cell(const function *f, size_t call) {
    assert(f->hook[call].kind == HOOK_SWAP || f->hook[call].kind == HOOK_SWAP_VALUE);
    memory_operand m = {.used = true, .base = RSI, .index = NO_REGISTER, .size = (uint8_t)f->hook[call].size};
    return resolve(f, call, &m);
}

static bool add_cell(function *f, tracked_cell c) {
    if (c.kind == CELL_ANYWHERE || f->cells == CELLS_MAX) return false;
    f->cell[f->cells++] = c;
    return true;
}

/* ---- what a loop writes ---- */

bool collect_writes(function *f, register_set *registers) {
    *registers = 0;
    f->cells = 0;
    for (size_t i = 0; i < f->code.size; i++) {
        const instruction *in = &f->code.at[i];
        const hook *h = &f->hook[i];
        if (!f->in_loop[i]) continue;
        if (in->unknown || !known(&f->before[i], RSP)) return false;
        if (in->flow == FLOW_CALL) {
            if (h->kind == HOOK_NONE || h->kind == HOOK_ENTRY || h->kind == HOOK_EXIT) return false;
            if (h->kind != HOOK_ASM) *registers |= clobbered;
            if (h->kind == HOOK_SWAP) {
                tracked_cell c = expected_cell(f, i);
                if (c.kind != CELL_STACK || !add_cell(f, c)) return false;
            }
            continue;
        }
        *registers |= in->writes | in->partial;
        if (!in->store.used) continue;
        tracked_cell c = resolve(f, i, &in->store);
        if (in->atomic && c.kind != CELL_STACK) continue; /* the hook before it tells the machine */
        if (!add_cell(f, c)) return false;
    }
    assert(f->cells <= CELLS_MAX);
    *registers &= ~BIT(RSP); /* known at every instruction: the same when the same place is reached */
    for (unsigned k = 0; k < f->cells; k++) {
        const tracked_cell *c = &f->cell[k];
        if (c->kind != CELL_POINTER) continue;
        if (c->base != NO_REGISTER && *registers >> c->base & 1) return false;
        if (c->index != NO_REGISTER && *registers >> c->index & 1) return false;
    }
    return true;
}

/* ---- liveness ---- */

static uint64_t outside_the_frame(const function *f) {
    uint64_t set = 0;
    for (unsigned k = 0; k < f->cells; k++)
        if (f->cell[k].kind != CELL_STACK || f->cell[k].at + (int64_t)f->cell[k].size > 0) set |= UINT64_C(1) << k;
    return set;
}

static live_set live_before_call(const function *f, size_t i, live_set after) {
    const instruction *in = &f->code.at[i];
    const hook *h = &f->hook[i];
    tracked_cell stacked = {.kind = CELL_STACK, .at = f->before[i].offset[RSP], .size = 256},
                 anywhere = {.kind = CELL_ANYWHERE};
    if (h->kind == HOOK_ASM) {
        after.registers |= h->reads;
        return after;
    }
    after.registers &= ~clobbered;
    after.registers |= in->reads | (h->kind == HOOK_NONE ? arguments_set : h->reads);
    if (h->kind == HOOK_NONE)
        after.cells |= f->escaped || !known(&f->before[i], RSP) ? cells_touched(f, i, &anywhere)
                                                                : outside_the_frame(f) | cells_touched(f, i, &stacked);
    if (h->kind == HOOK_SWAP) {
        tracked_cell c = expected_cell(f, i);
        after.cells |= cells_touched(f, i, &c);
    }
    if (h->kind >= HOOK_LOAD) { /* the hook itself reads memory, wherever it is */
        tracked_cell c = {.kind = CELL_POINTER, .base = NO_REGISTER, .index = NO_REGISTER, .size = h->size};
        after.cells |= cells_touched(f, i, &c);
    }
    return after;
}

/* clang leaves loads behind whose result is not used: they look at nothing that matters. */
static bool is_for_nobody(const instruction *in, register_set live) {
    register_set written = in->writes | in->partial;
    return in->flow == FLOW_NEXT && !in->store.used && written && !(written & (live | BIT(RSP)));
}

bool result_is_unused(const function *f, size_t i) {
    return f->next[i][0] != SIZE_MAX && is_for_nobody(&f->code.at[i], f->live[f->next[i][0]].registers);
}

static live_set live_before(const function *f, size_t i) {
    const instruction *in = &f->code.at[i];
    live_set set = {0}, all = {~UINT64_C(0), ~UINT64_C(0)};
    if (in->unknown || f->exits[i]) return all;
    for (unsigned k = 0; k < 2; k++)
        if (f->next[i][k] != SIZE_MAX) {
            set.registers |= f->live[f->next[i][k]].registers;
            set.cells |= f->live[f->next[i][k]].cells;
        }
    if (f->leaves[i]) {
        hook h = hook_of(in->callee);
        set.registers |= in->reads | kept | (h.kind == HOOK_NONE ? arguments_set : h.reads);
        set.cells |= outside_the_frame(f);
        return set;
    }
    if (in->flow == FLOW_RETURN)
        return (live_set){kept | BIT(RAX) | BIT(RDX) | VECTOR_BIT(0) | VECTOR_BIT(1), outside_the_frame(f)};
    if (in->flow == FLOW_CALL) return live_before_call(f, i, set);
    if (is_for_nobody(in, set.registers)) return set;
    if (in->store.used && !in->atomic) {
        tracked_cell c = resolve(f, i, &in->store);
        for (unsigned k = 0; k < f->cells; k++)
            if (cell_replaces(f, i, &c, &f->cell[k])) set.cells &= ~(UINT64_C(1) << k);
    }
    if (in->load.used) {
        tracked_cell c = resolve(f, i, &in->load);
        set.cells |= cells_touched(f, i, &c);
    }
    set.registers &= ~(f->code.wide ? in->writes & ~VECTORS : in->writes);
    set.registers |= in->reads;
    return set;
}

void solve_liveness(function *f) {
    memset(f->live, 0, f->code.size * sizeof *f->live);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = f->code.size; i-- > 0;) {
            live_set l = live_before(f, i);
            if (l.registers == f->live[i].registers && l.cells == f->live[i].cells) continue;
            f->live[i] = l;
            changed = true;
        }
    }
}
