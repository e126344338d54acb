/* A comparison of a register with a number and the branch on it write nothing but flags. Where the register is known to
 * hold a number on a way to them, every execution on that way goes on at the same place, whatever else it has seen; so
 * the way may lead there at once, if no instruction behind it reads the flags. Executions stay paths of the control
 * flow, but for these two instructions. */
#include "explore/compile/decided.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum { LOOK_AHEAD = 16, CHAIN_MOST = 8 };

/* Registers that hold the same number on every way to an instruction. */
typedef struct known_numbers {
    bool reached;
    uint16_t known;
    int64_t number[GENERAL];
} known_numbers;

static void execute(const function *f, size_t i, known_numbers *n) {
    const instruction *in = &f->code.at[i];
    register_set changed = in->flow == FLOW_CALL ? clobbered : in->writes | in->partial;
    register_set one = in->writes & (BIT(GENERAL) - 1);
    n->known = in->unknown ? 0 : (uint16_t)(n->known & ~changed);
    if (in->unknown || in->flow != FLOW_NEXT || !in->constant || !one || one & (one - 1)) return;
    n->known |= (uint16_t)one;
    assert(__builtin_ctzll(one) < GENERAL);
    n->number[__builtin_ctzll(one)] = in->number;
}

/* True when less is known than before. */
static bool meet(known_numbers *into, const known_numbers *n) {
    if (!into->reached) {
        *into = *n;
        return true;
    }
    uint16_t both = into->known & n->known;
    for (unsigned r = 0; r < GENERAL; r++)
        if (both >> r & 1 && into->number[r] != n->number[r]) both &= (uint16_t)~BIT(r);
    assert(!(both & ~into->known)); /* less and less is known: it ends */
    if (both == into->known) return false;
    into->known = both;
    return true;
}

static void find_numbers(const function *f, known_numbers *before) {
    size_t *work = MEM_ARRAY(size_t, 2 * f->code.size * (GENERAL + 2) + 2), n = 0;
    before[f->entry].reached = true;
    work[n++] = f->entry;
    while (n) {
        size_t i = work[--n];
        assert(i < f->code.size && before[i].reached);
        known_numbers after = before[i];
        execute(f, i, &after);
        for (unsigned k = 0; k < 2; k++) {
            size_t to = f->next[i][k];
            if (to != SIZE_MAX && meet(&before[to], &after)) work[n++] = to;
        }
    }
    free(work);
}

/* An instruction that reads the flags there depends on the comparison that was left out. */
static bool flags_are_dead(const function *f, size_t i) {
    for (unsigned k = 0; k < LOOK_AHEAD && i != SIZE_MAX; k++) {
        const instruction *in = &f->code.at[i];
        if (in->unknown || in->reads & FLAGS_BIT || in->flow == FLOW_BRANCH || f->exits[i] || f->leaves[i])
            return false;
        if (in->flow == FLOW_CALL) return f->hook[i].kind != HOOK_ASM;
        if (in->flow == FLOW_RETURN || in->writes & FLAGS_BIT) return true;
        i = f->next[i][in->flow == FLOW_JUMP];
    }
    return false;
}

/* Of registers in full: parts of them may be the high ones. */
static bool comparison_decided(const instruction *in, const known_numbers *n, bool *equal) {
    int r = in->compared[0];
    bool zero = in->compared_bits && in->compared[1] == r;
    if ((in->compared_size != 4 && in->compared_size != 8) || r == NO_REGISTER || !(n->known >> r & 1)) return false;
    if (in->load.used || in->store.used || (!zero && (in->compared_bits || !in->compared_number))) return false;
    uint64_t differ = (uint64_t)n->number[r] ^ (zero ? 0 : (uint64_t)in->compared_with);
    *equal = in->compared_size == 8 ? !differ : !(uint32_t)differ;
    return true;
}

/* Where a way that comes to i with these numbers goes on; i itself when nothing is decided there. */
static size_t goes_on_at(const function *f, size_t i, const known_numbers *n) {
    bool equal;
    if (!f->code.at[i].compared_size || !comparison_decided(&f->code.at[i], n, &equal)) return i;
    size_t branch = f->next[i][0];
    if (branch == SIZE_MAX || f->code.at[branch].flow != FLOW_BRANCH || f->exits[branch] || f->leaves[branch]) return i;
    condition c = f->code.at[branch].condition;
    if (c == CONDITION_OTHER) return i;
    size_t to = f->next[branch][equal == (c == CONDITION_EQUAL)];
    return to != SIZE_MAX && flags_are_dead(f, to) ? to : i;
}

void follow_decided(function *f) {
    known_numbers *before = mem_zero(f->code.size, sizeof *before);
    find_numbers(f, before);
    for (size_t i = 0; i < f->code.size; i++) {
        known_numbers after = before[i];
        if (!after.reached) continue;
        execute(f, i, &after);
        for (unsigned k = 0; k < 2; k++)
            for (unsigned chain = 0; chain < CHAIN_MOST && f->next[i][k] != SIZE_MAX; chain++) {
                size_t to = goes_on_at(f, f->next[i][k], &after);
                if (to == f->next[i][k]) break;
                f->next[i][k] = to;
            }
    }
    free(before);
}
