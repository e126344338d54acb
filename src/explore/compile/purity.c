/* The proof, for one hook in one loop:
 *   W = what the instructions on cycles through the hook write: registers, stack slots, cells of memory.
 *   L = what is live behind the hook: read later on some path before it is replaced on it.
 * If L and W have nothing in common, all that the thread will look at is the same whenever it stands there again in the
 * same activation (shared memory aside). Everything that is not understood reads everything, and in a loop refuses the
 * proof. */
#include "explore/compile/purity.h"

#include "base/mem.h"
#include "explore/compile/confirmed.h"
#include "explore/compile/liveness.h"
#include "explore/compile/purity_cas.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTION_MAX = 20000 };

/* ---- heads ---- */

static bool head_is_pure(const function *f, size_t head, register_set written) {
    const hook *h = &f->hook[head];
    uint64_t cells = f->cells == 64 ? ~UINT64_C(0) : (UINT64_C(1) << f->cells) - 1;
    size_t at = f->next[head][0];
    if (at == SIZE_MAX) return false;
    live_set l = f->live[at];
    /* Results are a function of memory and of compared arguments. The other registers that a call may use mean nothing
     * behind it: that they are live says only that a function is called which might have had more arguments. */
    if (h->kind != HOOK_ASM) l.registers &= ~clobbered;
    if (h->kind == HOOK_SWAP) {
        tracked_cell c = expected_cell(f, head); /* so is this */
        for (unsigned k = 0; k < f->cells; k++)
            if (cell_replaces(f, head, &c, &f->cell[k])) l.cells &= ~(UINT64_C(1) << k);
    }
    return !(l.registers & written) && !(l.cells & cells);
}

static bool is_candidate(const hook *h) { return h->kind == HOOK_ASM || h->kind == HOOK_READ || h->kind >= HOOK_LOAD; }

static void add_loop(pure_loops *out, uint64_t pc, uint32_t kind, uint64_t first) {
    out->at = MEM_GROW(out->at, loop_fact, out->size + 1);
    out->at[out->size++] = (loop_fact){pc, kind, (uint32_t)first};
}

static uint64_t behind(const function *f, size_t call) { return f->code.at[call].address + f->code.at[call].length; }

/* True: there are some. */
static bool add_confirmed(const function *f, size_t head, register_set written, pure_loops *out) {
    confirmed_loads found;
    confirmed_find(f, head, written, &found);
    for (size_t i = 0; i < found.size; i++) {
        const confirmed_load *c = &found.at[i];
        uint32_t kind = c->zero && c->other ? LOOP_CONFIRMED : c->zero ? LOOP_CONFIRMED_ZERO : LOOP_CONFIRMED_OTHER;
        bool first = true;
        for (size_t k = 0; k < i; k++) first &= found.at[k].load != c->load;
        add_loop(out, behind(f, c->hook), kind, behind(f, c->load));
        if (first) add_loop(out, behind(f, c->load), LOOP_HEAD, behind(f, head));
        for (size_t k = 0; k < found.cells && first; k++) add_loop(out, behind(f, c->load), LOOP_RELIES, found.cell[k]);
    }
    bool some = found.size > 0;
    confirmed_free(&found);
    return some;
}

/* All candidates of one loop at once. */
static void analyse_loop(function *f, bool *done, pure_loops *out) {
    register_set written;
    bool understood = collect_writes(f, &written), confirmed = false;
    if (understood) solve_liveness(f);
    for (size_t i = 0; i < f->code.size; i++) {
        const instruction *in = &f->code.at[i];
        if (!f->in_loop[i] || in->flow != FLOW_CALL) continue;
        done[i] = true;
        if (!understood) continue;
        if (is_candidate(&f->hook[i]) && head_is_pure(f, i, written)) {
            add_loop(out, behind(f, i), LOOP_PURE, 0);
            confirmed = confirmed || add_confirmed(f, i, written, out);
        }
        size_t first = cas_replaces_load(f, i, written);
        if (first < f->code.size) add_loop(out, behind(f, i), LOOP_CAS_LOADS, behind(f, first));
    }
}

static void analyse_function(function *f, pure_loops *out) {
    function_prepare(f);
    if (!f->has_entry || f->hopeless) return;
    bool *done = mem_zero(f->code.size, 1);
    for (size_t i = 0; i < f->code.size; i++)
        if (!done[i] && f->code.at[i].flow == FLOW_CALL && is_candidate(&f->hook[i]) && f->before[i].reached &&
            find_loop(f, i))
            analyse_loop(f, done, out);
    free(done);
}

/* ---- all functions ---- */

/* gcc moves unlikely parts of f to f.cold. */
static const Elf64_Sym *cold_part(const elf_file *e, const elf_symbols *s, const char *name) {
    size_t n = strlen(name);
    for (size_t i = 0; i < s->size; i++) {
        const char *other = elf_string(e, s->strings, s->at[i].st_name);
        if (!strncmp(other, name, n) && !strcmp(other + n, ".cold") && s->at[i].st_size) return &s->at[i];
    }
    return NULL;
}

static int by_address(const void *a, const void *b) {
    const instruction *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool decode_function(const elf_file *e, const elf_symbols *s, const Elf64_Sym *symbol, function *f) {
    code *c = &f->code;
    const Elf64_Sym *cold = cold_part(e, s, elf_string(e, s->strings, symbol->st_name));
    if (symbol->st_size == 0 || symbol->st_size > FUNCTION_MAX || !code_decode(c, e, symbol->st_value, symbol->st_size))
        return false;
    if (cold && !code_decode(c, e, cold->st_value, cold->st_size)) return false;
    if (cold) qsort(c->at, c->size, sizeof *c->at, by_address);
    f->entry = code_find(c, symbol->st_value);
    return f->entry < c->size;
}

static int by_pc(const void *a, const void *b) {
    const loop_fact *x = a, *y = b;
    if (x->pc != y->pc) return x->pc < y->pc ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

bool purity_analyse(const elf_file *program, pure_loops *out) {
    *out = (pure_loops){0};
    if (!code_decoder_available()) return false;
    elf_symbols s = elf_symbols_of(program, SHT_SYMTAB);
    for (size_t i = 0; i < s.size; i++) {
        function f = {0};
        if (ELF64_ST_TYPE(s.at[i].st_info) != STT_FUNC || s.at[i].st_shndx == SHN_UNDEF) continue;
        if (decode_function(program, &s, &s.at[i], &f)) analyse_function(&f, out);
        function_free(&f);
    }
    if (out->size) qsort(out->at, out->size, sizeof *out->at, by_pc);
    return true;
}

void pure_loops_free(pure_loops *l) { free(l->at); }
