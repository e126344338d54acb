/* Two straight walks that meet: A from behind the load, B from behind the failed compare-and-swap. V is the value that
 * the one or the other has just read. Where they meet, at J, whatever is live must be the same on both ways:
 *   - it is V on both, or
 *   - no instruction of the loop writes it, and on way A it does not depend on V (nor on shared memory, which would be
 *     read later).
 * All that was executed between the load and the failed compare-and-swap lies on way A or in the loop, for J reaches
 * the compare-and-swap. So an execution in which the thread waits with its load until now continues in the same way. */
#include "explore/compile/purity_cas.h"

#include <assert.h>
#include <string.h>

enum { STEPS_MAX = 64, SLOTS_MAX = 8, WORD = 8, LOOK_BACK = 40 };

typedef struct cas_path {
    uint16_t same;       /* registers that are V */
    uint16_t different;  /* that depend on V in another way */
    register_set spoilt; /* by the last call: no code relies on them, though the next call may seem to take them */
    tracked_cell slot[SLOTS_MAX];
    unsigned slots; /* of the stack that are V */
} cas_path;

static int only_register(register_set s) {
    s &= 0xffff;
    return s && !(s & (s - 1)) ? __builtin_ctzll(s) : NO_REGISTER;
}

static bool slot_is_same(const cas_path *t, const tracked_cell *c) {
    for (unsigned i = 0; i < t->slots; i++)
        if (t->slot[i].at == c->at && t->slot[i].size == c->size) return true;
    return false;
}

static void forget_overlapping(cas_path *t, const tracked_cell *c) {
    unsigned n = 0;
    for (unsigned i = 0; i < t->slots; i++)
        if (!cells_overlap(&t->slot[i], c)) t->slot[n++] = t->slot[i];
    t->slots = n;
}

/* What an instruction stores. False: something that depends on V goes where we do not look for it. */
static bool walk_store(const function *f, size_t i, cas_path *t) {
    const instruction *in = &f->code.at[i];
    tracked_cell c = resolve(f, i, &in->store);
    int from = in->load.used || in->pointer != POINTER_NONE ? NO_REGISTER : only_register(in->values);
    bool depends = in->values & (t->same | t->different);
    if (in->atomic || c.kind == CELL_ANYWHERE) return false;
    bool copies =
        from != NO_REGISTER && t->same >> from & 1 && c.kind == CELL_STACK && c.size == WORD && t->slots < SLOTS_MAX;
    if (depends && !copies) return false;
    if (c.kind == CELL_STACK) forget_overlapping(t, &c);
    else if (f->escaped) t->slots = 0;
    if (copies) t->slot[t->slots++] = c;
    return true;
}

static bool walk_plain(const function *f, size_t i, cas_path *t) {
    const instruction *in = &f->code.at[i];
    cas_path old = *t;
    uint16_t written = (uint16_t)(in->writes | in->partial);
    if (in->unknown) return false;
    t->spoilt &= ~(in->writes | in->partial);
    if (in->store.used && !walk_store(f, i, t)) return false;
    t->same &= (uint16_t)~written;
    t->different &= (uint16_t)~written;
    if (in->pointer == POINTER_COPY && in->add == 0 && old.same >> in->from & 1) t->same |= (uint16_t)BIT(in->to);
    else if (in->values & (old.same | old.different)) t->different |= written;
    if (!in->load.used) return true;
    tracked_cell c = resolve(f, i, &in->load);
    int to = in->store.used || in->partial || in->values ? NO_REGISTER : only_register(in->writes);
    if (c.kind == CELL_STACK && to != NO_REGISTER && c.size == WORD && slot_is_same(&old, &c))
        t->same |= (uint16_t)BIT(to);
    else if (c.kind == CELL_STACK)
        for (unsigned k = 0; k < old.slots; k++) t->different |= cells_overlap(&old.slot[k], &c) ? written : 0;
    else {
        /* Shared memory would be read at another time: only a load whose result is not used does no harm. */
        register_set live = f->next[i][0] != SIZE_MAX ? f->live[f->next[i][0]].registers : ~UINT64_C(0);
        if (in->store.used || (in->writes | in->partial) & live) t->different |= written ? written : 0xffff;
    }
    return true;
}

/* One step of a walk. False: it ends here. */
static bool walk_step(const function *f, size_t i, cas_path *t) {
    const instruction *in = &f->code.at[i];
    if (in->flow == FLOW_JUMP) return true;
    if (in->flow != FLOW_CALL) return in->flow == FLOW_NEXT && walk_plain(f, i, t);
    if (f->hook[i].kind != HOOK_READ && f->hook[i].kind != HOOK_OTHER) return false;
    t->same &= (uint16_t)~clobbered;
    t->different &= (uint16_t)~clobbered;
    t->spoilt = clobbered;
    return true;
}

static size_t step_to(const function *f, size_t i) { return f->next[i][f->code.at[i].flow == FLOW_JUMP]; }

/* ---- does a branch separate success from failure? ---- */

/* Numbers for values of registers along the straight piece of code that ends at i: equal numbers, equal values. */
static void number_values(const function *f, size_t i, unsigned value[GENERAL]) {
    size_t first = i;
    unsigned fresh = GENERAL;
    while (first > 0 && i - first < LOOK_BACK && f->enter[first + 1] - f->enter[first] == 1 &&
           f->from[f->enter[first]] == first - 1 && f->code.at[first - 1].flow != FLOW_BRANCH)
        first--;
    for (unsigned r = 0; r < GENERAL; r++) value[r] = r;
    for (size_t k = first; k < i; k++) {
        const instruction *in = &f->code.at[k];
        register_set written = in->flow != FLOW_CALL         ? in->writes | in->partial
                               : f->hook[k].kind == HOOK_ASM ? 0
                                                             : clobbered;
        unsigned copied = in->pointer == POINTER_COPY && in->add == 0 ? value[in->from] : fresh++;
        for (unsigned r = 0; r < GENERAL; r++)
            if (in->unknown || written >> r & 1)
                value[r] = in->pointer == POINTER_COPY && !in->unknown ? copied : fresh++;
    }
}

/* test %al, %al behind a swap that answers yes or no; cmp of the value found with a register that holds what was
 * expected. */
static bool compares_result(const function *f, size_t swap, size_t i, register_set written_since) {
    const instruction *in = &f->code.at[i];
    unsigned value[GENERAL];
    if (!in->compared_size || in->compared[0] == NO_REGISTER || in->compared[1] == NO_REGISTER ||
        written_since & BIT(RAX))
        return false;
    if (f->hook[swap].kind == HOOK_SWAP)
        return in->compared_bits && in->compared[0] == RAX && in->compared[1] == RAX && in->compared_size <= 4;
    if (in->compared_bits || in->compared_size != WORD || (in->compared[0] == RAX) == (in->compared[1] == RAX))
        return false;
    int expected = in->compared[0] == RAX ? in->compared[1] : in->compared[0];
    number_values(f, swap, value);
    return !((written_since | clobbered) >> expected & 1) && value[expected] == value[RSI];
}

typedef struct path {
    size_t at[STEPS_MAX];
    cas_path trail[STEPS_MAX]; /* before the instruction */
    unsigned size;
} path;

/* From the failed compare-and-swap on. Exactly one branch, on its result, and we take the side of failure. */
static void walk_failure(const function *f, size_t swap, path *p) {
    cas_path t = {.spoilt = clobbered & ~BIT(RAX)};
    size_t i = f->next[swap][0];
    bool compared = false, branched = false;
    register_set written = 0;
    if (f->hook[swap].kind == HOOK_SWAP) t.slot[t.slots++] = expected_cell(f, swap);
    else t.same = BIT(RAX);
    for (p->size = 0; i != SIZE_MAX && p->size < STEPS_MAX; p->size++) {
        const instruction *in = &f->code.at[i];
        assert(i < f->code.size && p->size < STEPS_MAX);
        p->at[p->size] = i;
        p->trail[p->size] = t;
        if (in->flow == FLOW_BRANCH) {
            if (branched || !compared || in->condition == CONDITION_OTHER) return;
            bool fails_when_equal = f->hook[swap].kind == HOOK_SWAP;
            i = f->next[i][(in->condition == CONDITION_EQUAL) == fails_when_equal];
            branched = true;
            p->size = (unsigned)-1; /* the walks may meet only where failure is certain */
            continue;
        }
        if (compares_result(f, swap, i, written)) compared = true;
        else if ((in->writes | in->partial) & FLAGS_BIT || (in->flow == FLOW_CALL && !branched)) compared = false;
        written |= in->flow == FLOW_CALL ? clobbered : in->writes | in->partial;
        if (!walk_step(f, i, &t)) break;
        i = step_to(f, i);
    }
    if (!branched) p->size = 0;
}

/* ---- where the walks meet ---- */

static bool states_agree(const function *f, size_t at, const cas_path *a, const cas_path *b, register_set written) {
    live_set l = f->live[at];
    assert(!(a->same & a->different) && !(b->same & b->different));
    uint16_t depends = a->same | a->different;
    register_set matter = l.registers & (written | depends) & ~(a->spoilt & b->spoilt);
    if (matter & ~(register_set)(a->same & b->same)) return false;
    for (unsigned k = 0; k < f->cells; k++) {
        const tracked_cell *c = &f->cell[k];
        if (!(l.cells >> k & 1)) continue;
        if (c->kind != CELL_STACK || !slot_is_same(a, c) || !slot_is_same(b, c)) return false;
    }
    /* A slot that is V on way A and that the loop does not write keeps the old value there. */
    for (unsigned k = 0; k < a->slots; k++)
        if (!slot_is_same(b, &a->slot[k])) return false;
    return true;
}

static bool meets(const function *f, size_t load, const path *b, register_set written) {
    cas_path t = {.same = BIT(RAX), .spoilt = clobbered & ~BIT(RAX)};
    size_t i = f->next[load][0];
    for (unsigned n = 0; i != SIZE_MAX && n < STEPS_MAX; n++) {
        for (unsigned k = 0; k < b->size; k++)
            if (b->at[k] == i && f->in_loop[i]) return states_agree(f, i, &t, &b->trail[k], written);
        if (!walk_step(f, i, &t)) return false;
        i = step_to(f, i);
    }
    return false;
}

size_t cas_replaces_load(const function *f, size_t swap, register_set written) {
    path b;
    const hook *h = &f->hook[swap];
    if ((h->kind != HOOK_SWAP && h->kind != HOOK_SWAP_VALUE) || h->size != WORD) return f->code.size;
    walk_failure(f, swap, &b);
    for (size_t i = 0; i < f->code.size && b.size; i++)
        if (f->hook[i].kind == HOOK_LOAD && f->hook[i].size == WORD && !f->in_loop[i] && f->before[i].reached &&
            meets(f, i, &b, written))
            return i;
    return f->code.size;
}
