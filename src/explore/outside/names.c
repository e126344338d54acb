#include "explore/outside/names.h"

#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_ROUNDS = 32 };

struct names {
    debug_info *d;
    const execution *x;
    type_id *type;      /* of each block */
    const char **owner; /* a global variable that points to it from the start: "q"; NULL: none */
    unsigned *ordinal;
    bool *introduced; /* it was said which block had been there before */
};

/* ---- where an address is ---- */

/* Blocks are used again: the one that was there at that step, or the last one before. */
static int block_at(const names *n, uintptr_t address, uint32_t at_step) {
    int best = -1;
    for (uint32_t i = 0; i < n->x->blocks; i++) {
        const heap_block *b = &n->x->block[i];
        if (address < b->address || address >= b->address + b->size || (b->from > at_step && best >= 0)) continue;
        assert(b->size);
        best = (int)i;
    }
    return best;
}

static const memory_region *region_at(const names *n, uintptr_t address) {
    for (uint32_t i = 0; i < n->x->regions; i++)
        if (address - n->x->region[i].address < n->x->region[i].size) return &n->x->region[i];
    return NULL;
}

static const global_variable *variable_at(const names *n, uintptr_t address, bool thread_local_one) {
    for (unsigned i = 0; n->d && i < debug_info_globals(n->d); i++) {
        const global_variable *g = debug_info_global(n->d, i);
        if (g->thread_local_one == thread_local_one && address >= g->address && address < g->address + g->size)
            return g;
    }
    return NULL;
}

/* The variable at an address, and how far into it the address is. Each thread has its own of a thread-local one. */
static const global_variable *global_at(const names *n, uintptr_t address, size_t *offset) {
    const memory_region *r = region_at(n, address);
    bool own = r && r->kind == REGION_THREAD_LOCAL && !*r->name;
    if (r && !own) return NULL;
    const global_variable *g = variable_at(n, own ? address - r->address : address, own);
    assert(!own || address - r->address < r->size);
    if (g) *offset = (own ? address - r->address : address) - g->address;
    return g;
}

/* ---- types of blocks ---- */

/* Tagged pointers: the low bits and the high bits may carry something else. */
static uintptr_t pointer_part(uint64_t v) { return (uintptr_t)(v & UINT64_C(0x0000fffffffffff8)); }

static bool give_type(names *n, uint64_t pointer, type_id pointee, uint32_t at_step, const char *owner) {
    size_t size = debug_info_type_size(n->d, pointee);
    int b = pointee && size > 0 ? block_at(n, pointer_part(pointer), at_step) : -1;
    if (b < 0 || n->type[b]) return false;
    size_t offset = pointer_part(pointer) - n->x->block[b].address, room = n->x->block[b].size;
    /* a node that is part of an item */
    type_id whole = room > size ? debug_info_container(n->d, pointee, offset, room) : 0;
    if (offset && !whole) return false;
    assert((uint32_t)b < n->x->blocks && !n->type[b]);
    n->type[b] = whole ? whole : pointee;
    n->owner[b] = owner;
    return true;
}

/* What lies at an address, in type; 0: unknown. */
static type_id type_at(const names *n, uintptr_t address, uint32_t at_step, size_t *inside) {
    text path = {0};
    type_id t = 0;
    size_t into = 0;
    int b = block_at(n, address, at_step);
    const global_variable *g = b < 0 ? global_at(n, address, &into) : NULL;
    if (b >= 0 && n->type[b]) {
        size_t size = debug_info_type_size(n->d, n->type[b]), offset = address - n->x->block[b].address;
        t = debug_info_member(n->d, n->type[b], size ? offset % size : offset, &path, inside);
    } else if (g) {
        t = debug_info_member(n->d, g->type, into, &path, inside);
    }
    text_free(&path);
    return t;
}

static bool follow_word(names *n, uintptr_t address, uint64_t word, uint32_t at_step, const char *owner) {
    size_t inside;
    type_id t = type_at(n, address, at_step, &inside);
    return t && inside == 0 && give_type(n, word, debug_info_pointee(n->d, t), at_step, owner);
}

/* A global that points elsewhere later is no name for what it pointed to at first. */
static bool changes(const execution *x, uintptr_t address) {
    for (uint32_t i = 0; i < x->steps; i++)
        if (x->step[i].step.at[0].address == address && step_is_effective(&x->step[i].step)) return true;
    return false;
}

static bool follow_memory(names *n) {
    bool news = false;
    for (uint32_t m = 0; m < n->x->memories; m++) {
        const memory_piece *p = &n->x->memory[m];
        for (size_t i = 0; i + 8 <= p->size; i += 8) {
            uint64_t word;
            memcpy(&word, p->bytes + i, 8);
            if (!word) continue;
            const global_variable *g = variable_at(n, p->address + i, false);
            bool owns = g && g->address == p->address + i && !changes(n->x, g->address);
            news |= follow_word(n, p->address + i, word, 0, owns ? g->name : NULL);
        }
    }
    return news;
}

static bool follow_steps(names *n) {
    bool news = false;
    for (uint32_t i = 0; i < n->x->steps; i++) {
        const step *s = &n->x->step[i].step;
        if (s->size >= 8) news |= follow_word(n, s->at[0].address, s->value, i, NULL);
        if (s->size >= 8 && s->kind == STEP_CAS) news |= follow_word(n, s->at[0].address, s->expected, i, NULL);
    }
    return news;
}

static const char *block_kind(const names *n, uint32_t b) {
    const char *type = n->type[b] ? debug_info_type_name(n->d, n->type[b]) : NULL;
    return type ? type : "block";
}

/* Without the arguments of templates. */
static size_t kind_size(const char *kind) { return strcspn(kind, "<"); }

static void number_blocks(names *n) {
    for (uint32_t i = 0; i < n->x->blocks; i++) {
        n->ordinal[i] = 1;
        size_t size = kind_size(block_kind(n, i));
        for (uint32_t j = 0; j < i; j++) {
            const char *other = block_kind(n, j);
            n->ordinal[i] += kind_size(other) == size && !strncmp(other, block_kind(n, i), size);
        }
    }
}

names *names_new(debug_info *d, const execution *x) {
    names *n = MEM_NEW(names);
    n->d = d;
    n->x = x;
    n->type = mem_zero(x->blocks + 1, sizeof *n->type);
    n->owner = mem_zero(x->blocks + 1, sizeof *n->owner);
    n->ordinal = mem_zero(x->blocks + 1, sizeof *n->ordinal);
    n->introduced = mem_zero(x->blocks + 1, sizeof *n->introduced);
    for (int i = 0; d && i < MANY_ROUNDS; i++) {
        bool news = follow_memory(n);
        news |= follow_steps(n);
        if (!news) break;
    }
    number_blocks(n);
    return n;
}

void names_free(names *n) { FREE_ALL(n->type, n->owner, n->ordinal, n->introduced, n); }

/* ---- names ---- */

static void name_block(const names *n, int b, text *out) {
    assert(b >= 0 && (uint32_t)b < n->x->blocks && n->ordinal[b] >= 1);
    const char *kind = block_kind(n, (uint32_t)b);
    text_printf(out, "%.*s#%u", (int)kind_size(kind), kind, n->ordinal[b]);
}

/* Memory that is used again: to a compare-and-swap the new block is the old one. Said once. */
static void introduce_block(const names *n, int b, text *out) {
    if (n->introduced[b]) return;
    n->introduced[b] = true;
    for (int before = b; before-- > 0;) {
        if (n->x->block[before].address != n->x->block[b].address) continue;
        text_add(out, " (once ");
        name_block(n, before, out);
        text_char(out, ')');
        return;
    }
}

/* What std::array and std::atomic call their only member says nothing. */
static void drop_wrappers(text *path) {
    static const char *const wrapper[] = {"._M_elems", "._M_base", "._M_i", "._M_b", "._M_p"};
    for (size_t i = 0; i < sizeof wrapper / sizeof *wrapper; i++) {
        size_t n = strlen(wrapper[i]);
        for (char *p = path->size ? strstr(path->at, wrapper[i]) : NULL; p; p = strstr(p, wrapper[i])) {
            if (p[n] && p[n] != '.' && p[n] != '[') {
                p += n;
                continue;
            }
            memmove(p, p + n, strlen(p + n) + 1);
            path->size -= n;
        }
    }
}

static void add_member(const names *n, type_id t, size_t offset, text *out) {
    size_t inside = offset;
    text path = {0};
    if (t) debug_info_member(n->d, t, offset, &path, &inside);
    drop_wrappers(&path);
    text_add(out, text_str(&path));
    text_free(&path);
    if (inside) text_printf(out, "+%zu", inside);
}

/* Memory that is no variable of the program: a variable or file of a library, or just whose it is. Stacks grow
 * downwards. */
static void name_region(const memory_region *r, uintptr_t address, text *out) {
    uintptr_t offset = address - r->address;
    assert(offset < r->size);
    if (r->kind == REGION_STACK) {
        text_printf(out, "stack@%u-%" PRIuPTR, r->thread, r->size - offset);
        return;
    }
    text_add(out, *r->name ? r->name : "thread-local");
    if (r->kind == REGION_THREAD_LOCAL) text_printf(out, "@%u", r->thread);
    if (offset) text_printf(out, "+%" PRIuPTR, offset);
}

static void name_variable(const names *n, const global_variable *g, uintptr_t address, text *out) {
    text_add(out, g->name);
    if (g->thread_local_one) text_printf(out, "@%u", region_at(n, address)->thread);
}

/* A block that holds several of its type: "[3].value". */
static void add_element(const names *n, int b, size_t offset, text *out) {
    size_t size = n->type[b] ? debug_info_type_size(n->d, n->type[b]) : 0, room = n->x->block[b].size;
    if (size && room > size && room % size == 0) {
        text_printf(out, "[%zu]", offset / size);
        offset %= size;
    }
    add_member(n, n->type[b], offset, out);
}

bool name_address(const names *n, uintptr_t address, uint32_t at_step, text *out) {
    size_t into = 0;
    int b = block_at(n, address, at_step);
    const global_variable *g = b < 0 ? global_at(n, address, &into) : NULL;
    const memory_region *r = b < 0 && !g ? region_at(n, address) : NULL;
    const char *symbol;
    if (b >= 0) {
        size_t offset = address - n->x->block[b].address;
        if (n->owner[b]) {
            text path = {0};
            add_element(n, b, offset, &path);
            text_printf(out, "%s%s%s", n->owner[b], path.size && path.at[0] == '.' ? "->" : "",
                        path.size && path.at[0] == '.' ? path.at + 1 : text_str(&path));
            text_free(&path);
        } else {
            name_block(n, b, out);
            add_element(n, b, offset, out);
            introduce_block(n, b, out);
        }
    } else if (g) {
        name_variable(n, g, address, out);
        add_member(n, g->type, into, out);
    } else if (r) {
        name_region(r, address, out);
    } else if (n->d && (symbol = debug_info_symbol(n->d, address, &into))) {
        text_printf(out, "%.*s", (int)strcspn(symbol, "@"), symbol); /* without its version */
        if (into) text_printf(out, "+%zu", into);
    } else {
        text_printf(out, "0x%" PRIxPTR, address);
        return false;
    }
    return true;
}

void name_object(const names *n, uintptr_t address, uint32_t at_step, text *out) {
    size_t start = out->size;
    name_address(n, address, at_step, out);
    for (size_t i = start; i + 1 < out->size; i++) {
        bool inner = (out->at[i] == '.' || out->at[i] == '>') && out->at[i + 1] == '_';
        if (!inner) continue;
        out->size = out->at[i] == '>' ? i - 1 : i;
        out->at[out->size] = 0;
    }
}

/* What a pointer at the place of a step points to, in type; 0: there is no pointer. */
static type_id pointee_at(const names *n, uint32_t at_step) {
    size_t inside = 0;
    const type_id t = at_step < n->x->steps ? type_at(n, n->x->step[at_step].step.at[0].address, at_step, &inside) : 0;
    return t && !inside ? debug_info_pointee(n->d, t) : 0;
}

/* "pool[2].next" is pool[2] to a pointer to what is larger than its first member. */
static void name_inside(const names *n, const global_variable *g, size_t into, type_id pointee, text *out) {
    size_t inside = 0;
    text path = {0};
    const type_id leaf = debug_info_member(n->d, g->type, into, &path, &inside);
    const char *last = path.size ? strrchr(path.at, ']') : NULL;
    if (last && !inside && leaf && debug_info_type_size(n->d, leaf) < debug_info_type_size(n->d, pointee))
        text_bytes(out, path.at, (size_t)(last + 1 - path.at));
    else add_member(n, g->type, into, out);
    text_free(&path);
}

/* Where a number may be no address, only the beginnings of variables: few numbers are just such an address. */
static bool name_pointer(const names *n, uint64_t v, uint32_t at_step, text *out) {
    size_t into = 0;
    const global_variable *g = global_at(n, (uintptr_t)v, &into);
    const memory_region *r = g ? NULL : region_at(n, (uintptr_t)v);
    const type_id pointee = g && into ? pointee_at(n, at_step) : 0;
    if (!(g && (into == 0 || pointee)) && !(r && r->kind == REGION_STACK)) return false;
    text_char(out, '&');
    if (g) name_variable(n, g, (uintptr_t)v, out);
    else name_region(r, (uintptr_t)v, out);
    if (g && into) name_inside(n, g, into, pointee, out);
    return true;
}

void name_value(const names *n, uint64_t v, unsigned size, uint32_t at_step, text *out) {
    int b = size >= 8 && v > 4096 ? block_at(n, pointer_part(v), at_step) : -1;
    int64_t number = size == 1 ? (int8_t)v : size == 2 ? (int16_t)v : size == 4 ? (int32_t)v : (int64_t)v;
    size_t element = b >= 0 && n->type[b] ? debug_info_type_size(n->d, n->type[b]) : 0;
    if (element && element < 8 && v - n->x->block[b].address <= n->x->block[b].size &&
        (v - n->x->block[b].address) % element == 0) {
        name_block(n, b, out); /* the low bits of a pointer to such small things are no tag */
        if (v != n->x->block[b].address) text_printf(out, "[%" PRIuPTR "]", (v - n->x->block[b].address) / element);
    } else if (b >= 0) {
        uintptr_t start = n->x->block[b].address;
        /* then the low bits are part of the address */
        bool inside = v - start <= n->x->block[b].size && pointer_part(v) != start;
        name_block(n, b, out);
        if (inside || pointer_part(v) != start) text_printf(out, "+%" PRIuPTR, (inside ? v : pointer_part(v)) - start);
        if (!inside && v != pointer_part(v)) text_printf(out, " tag %" PRIu64, (v >> 48) + (v & 7));
        introduce_block(n, b, out);
    } else if (size >= 8 && v == 0) {
        text_add(out, "0");
    } else if (size >= 8 && v > 4096 && name_pointer(n, v, at_step, out)) {
        return;
    } else if (number > -100000000 && number < 100000000) {
        text_int(out, number);
    } else {
        text_printf(out, "0x%" PRIx64, v);
    }
}
