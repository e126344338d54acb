#include "explore/outside/debug_info.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLUMB_DWARF

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <unistd.h>

struct debug_info {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf *dwarf;
    Dwarf_Die *type; /* [1..types-1] */
    uint32_t types;
    global_variable *global;
    unsigned globals;
};

/* ---- types ---- */

/* Qualifiers say nothing about members. Typedefs are kept: their names are what people wrote. */
static Dwarf_Die *bare(Dwarf_Die *die, Dwarf_Die *room, bool through_typedefs) {
    Dwarf_Attribute a;
    for (;;) {
        int tag = dwarf_tag(die);
        bool skip = tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_atomic_type ||
                    tag == DW_TAG_restrict_type || (through_typedefs && tag == DW_TAG_typedef);
        if (!skip) return die;
        if (!dwarf_attr_integrate(die, DW_AT_type, &a) || !dwarf_formref_die(&a, room)) return NULL;
        die = room;
    }
}

static type_id type_keep(debug_info *d, const Dwarf_Die *die) {
    for (uint32_t i = 1; i < d->types; i++)
        if (d->type[i].addr == die->addr) return i;
    d->type = MEM_GROW(d->type, Dwarf_Die, d->types + 1);
    d->type[d->types] = *die;
    return d->types++;
}

static type_id type_of(debug_info *d, Dwarf_Die *die) {
    Dwarf_Attribute a;
    Dwarf_Die to, room, *t;
    if (!dwarf_attr_integrate(die, DW_AT_type, &a) || !dwarf_formref_die(&a, &to)) return 0;
    t = bare(&to, &room, false);
    return t ? type_keep(d, t) : 0;
}

static bool find_definition(Dwarf_Die *parent, int tag, const char *name, Dwarf_Die *out) {
    Dwarf_Die child;
    Dwarf_Attribute a;
    if (dwarf_child(parent, &child)) return false;
    do {
        int is = dwarf_tag(&child);
        const char *called = is == tag ? dwarf_diename(&child) : NULL;
        if (called && !strcmp(called, name) && !dwarf_attr(&child, DW_AT_declaration, &a)) {
            *out = child;
            return true;
        }
        if (is == DW_TAG_namespace && find_definition(&child, tag, name, out)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* A structure that this unit only declares, `struct queue;`, is defined in another one. */
static void complete(debug_info *d, Dwarf_Die *die) {
    Dwarf_Attribute a;
    Dwarf_Off at = 0, next;
    size_t header;
    const char *name = dwarf_diename(die);
    if (!name || !dwarf_attr(die, DW_AT_declaration, &a)) return;
    while (dwarf_nextcu(d->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(d->dwarf, at + header, &unit) && find_definition(&unit, dwarf_tag(die), name, die)) return;
        at = next;
    }
}

static bool type_die(debug_info *d, type_id t, Dwarf_Die *out) {
    Dwarf_Die room, *die;
    if (!t) return false;
    assert(t < d->types);
    *out = d->type[t];
    die = bare(out, &room, true);
    if (!die) return false;
    *out = *die;
    complete(d, out);
    return true;
}

static size_t die_size(Dwarf_Die *die) {
    Dwarf_Word n;
    return dwarf_aggregate_size(die, &n) == 0 ? (size_t)n : 0;
}

size_t debug_info_type_size(debug_info *d, type_id t) {
    Dwarf_Die die;
    return type_die(d, t, &die) ? die_size(&die) : 0;
}

const char *debug_info_type_name(debug_info *d, type_id t) {
    const char *name = t ? dwarf_diename(&d->type[t]) : NULL;
    Dwarf_Die die;
    return name ? name : type_die(d, t, &die) ? dwarf_diename(&die) : NULL;
}

type_id debug_info_pointee(debug_info *d, type_id t) {
    Dwarf_Die die;
    if (!type_die(d, t, &die) || dwarf_tag(&die) != DW_TAG_pointer_type) return 0;
    return type_of(d, &die);
}

/* The member that covers `offset`; of a union the first. */
static bool member_at(Dwarf_Die *structure, size_t offset, Dwarf_Die *out, size_t *start) {
    Dwarf_Die child;
    if (dwarf_child(structure, &child)) return false;
    do {
        Dwarf_Attribute a;
        Dwarf_Word at = 0;
        Dwarf_Die type;
        int tag = dwarf_tag(&child);
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
        if (dwarf_attr(&child, DW_AT_data_member_location, &a) && dwarf_formudata(&a, &at)) continue;
        if (!dwarf_attr_integrate(&child, DW_AT_type, &a) || !dwarf_formref_die(&a, &type)) continue;
        size_t size = die_size(&type);
        /* an empty base covers nothing */
        if (offset < at || offset >= at + size || (tag == DW_TAG_inheritance && size <= 1)) continue;
        assert(offset - at < size);
        *out = child;
        *start = (size_t)at;
        return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

type_id debug_info_member(debug_info *d, type_id t, size_t offset, text *path, size_t *inside) {
    for (;;) {
        Dwarf_Die die, member;
        size_t start;
        *inside = offset;
        if (!type_die(d, t, &die)) return t;
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_array_type) {
            type_id element = type_of(d, &die);
            size_t size = debug_info_type_size(d, element);
            if (!size) return t;
            text_printf(path, "[%zu]", offset / size);
            offset %= size;
            t = element;
        } else if (tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type) {
            if (!member_at(&die, offset, &member, &start)) return t;
            if (dwarf_diename(&member) && dwarf_tag(&member) == DW_TAG_member)
                text_printf(path, ".%s", dwarf_diename(&member));
            offset -= start;
            t = type_of(d, &member);
        } else {
            return t;
        }
    }
}

/* Looks for the one structure of that size with such a member there: what lists and stacks are threaded through. A
 * pointer to a structure that begins with another one may be meant for that one: its head is a node. */
enum { NESTED_MOST = 4 };
typedef struct container_search {
    const char *member[NESTED_MOST]; /* of the type, of its first member, ... */
    unsigned members;
    size_t offset, size;
    Dwarf_Die found;
    unsigned count;
} container_search;

static void name_nested(container_search *c, Dwarf_Die die) {
    Dwarf_Die member, to, room, *type = &die;
    Dwarf_Attribute a;
    size_t start;
    while (type && c->members < NESTED_MOST && dwarf_diename(type)) {
        c->member[c->members++] = dwarf_diename(type);
        if (!member_at(type, 0, &member, &start) || !dwarf_attr_integrate(&member, DW_AT_type, &a) ||
            !dwarf_formref_die(&a, &to))
            return;
        type = bare(&to, &room, true);
    }
}

static bool is_nested(const container_search *c, const char *name) {
    for (unsigned i = 0; name && i < c->members; i++)
        if (!strcmp(name, c->member[i])) return true;
    return false;
}

static void search_containers(container_search *c, Dwarf_Die *parent) {
    Dwarf_Die child, member, type, room, *bare_type;
    Dwarf_Attribute a;
    size_t start;
    if (dwarf_child(parent, &child)) return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_namespace) search_containers(c, &child);
        if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type) || die_size(&child) != c->size ||
            !member_at(&child, c->offset, &member, &start))
            continue;
        if (start != c->offset || !dwarf_attr_integrate(&member, DW_AT_type, &a) || !dwarf_formref_die(&a, &type))
            continue;
        bare_type = bare(&type, &room, true);
        if (!is_nested(c, bare_type ? dwarf_diename(bare_type) : NULL)) continue;
        c->found = child;
        c->count++;
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* A structure without a name of its own is called as the typedef for it. */
static type_id named_type(debug_info *d, Dwarf_Die *unit, Dwarf_Die *structure) {
    Dwarf_Die child, to;
    Dwarf_Attribute a;
    if (!dwarf_diename(structure) && dwarf_child(unit, &child) == 0) {
        do {
            if (dwarf_tag(&child) != DW_TAG_typedef || !dwarf_attr_integrate(&child, DW_AT_type, &a) ||
                !dwarf_formref_die(&a, &to))
                continue;
            if (to.addr == structure->addr) return type_keep(d, &child);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
    return type_keep(d, structure);
}

type_id debug_info_container(debug_info *d, type_id member, size_t offset, size_t size) {
    Dwarf_Off at = 0, next;
    size_t header;
    Dwarf_Die die;
    container_search c = {.offset = offset, .size = size};
    if (type_die(d, member, &die)) name_nested(&c, die);
    if (!c.members) return 0;
    while (dwarf_nextcu(d->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        c.count = 0;
        if (dwarf_offdie(d->dwarf, at + header, &unit)) search_containers(&c, &unit);
        if (c.count == 1) return named_type(d, &unit, &c.found);
        at = next;
    }
    return 0;
}

/* ---- global variables ---- */

/* The number in a location, or the entry of the table of addresses that it stands for, as clang writes it. */
static bool operand_address(Dwarf_Attribute *location, Dwarf_Op *op, uintptr_t *out) {
    Dwarf_Attribute entry;
    Dwarf_Addr address;
    bool indexed = op->atom == DW_OP_addrx || op->atom == DW_OP_constx || op->atom == DW_OP_GNU_addr_index ||
                   op->atom == DW_OP_GNU_const_index;
    if (!indexed) {
        *out = (uintptr_t)op->number;
        return true;
    }
    if (dwarf_getlocation_attr(location, op, &entry) || dwarf_formaddr(&entry, &address)) return false;
    *out = (uintptr_t)address;
    return true;
}

static bool variable_address(Dwarf_Die *die, uintptr_t *out, bool *thread_local_one) {
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t n;
    if (!dwarf_attr_integrate(die, DW_AT_location, &a) || dwarf_getlocation(&a, &op, &n)) return false;
    *thread_local_one = n == 2 && (op[1].atom == DW_OP_GNU_push_tls_address || op[1].atom == DW_OP_form_tls_address);
    bool fixed =
        n == 1 && (op[0].atom == DW_OP_addr || op[0].atom == DW_OP_addrx || op[0].atom == DW_OP_GNU_addr_index);
    return (fixed || *thread_local_one) && operand_address(&a, &op[0], out);
}

static void take_variable(debug_info *d, Dwarf_Die *die) {
    uintptr_t address;
    bool thread_local_one;
    const char *name = dwarf_diename(die);
    if (!name || !strncmp(name, "plumb_item_", 11) || !variable_address(die, &address, &thread_local_one)) return;
    type_id type = type_of(d, die);
    size_t size = debug_info_type_size(d, type);
    d->global = MEM_GROW(d->global, global_variable, d->globals + 1);
    d->global[d->globals++] = (global_variable){
        .name = name, .address = address, .size = size ? size : 1, .type = type, .thread_local_one = thread_local_one};
}

/* Variables at file scope, and static ones inside functions. */
static void take_variables(debug_info *d, Dwarf_Die *parent) {
    Dwarf_Die child;
    if (dwarf_child(parent, &child)) return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable) take_variable(d, &child);
        else if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace)
            take_variables(d, &child);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void find_variables(debug_info *d) {
    Dwarf_Off at = 0, next;
    size_t header;
    while (dwarf_nextcu(d->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(d->dwarf, at + header, &unit)) take_variables(d, &unit);
        at = next;
    }
}

const char *debug_info_symbol(debug_info *d, uintptr_t address, size_t *offset) {
    GElf_Sym symbol;
    GElf_Off into;
    const char *name = dwfl_module_addrinfo(d->module, address, &into, &symbol, NULL, NULL, NULL);
    if (!name || into >= symbol.st_size) return NULL;
    *offset = (size_t)into;
    return name;
}

unsigned debug_info_globals(debug_info *d) { return d->globals; }
const global_variable *debug_info_global(debug_info *d, unsigned i) {
    assert(i < d->globals);
    return &d->global[i];
}

/* ---- lines ---- */

static bool is_function(Dwarf_Die *die) {
    int tag = dwarf_tag(die);
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Headers of the compiler and of its C++ library: what they were inlined for is meant. */
static bool is_compilers(const char *file) {
    return !strncmp(file, "/usr/lib/", 9) || (strstr(file, "/include/") && strstr(file, "/c++/"));
}

static bool is_installed(const char *file) { return !strncmp(file, "/usr/", 5) || !strncmp(file, "/opt/", 5); }

static bool is_header(const char *file) {
    static const char *const ends[] = {".h", ".hpp", ".hh", ".hxx", ".inl", ".ipp", ".tcc"};
    for (size_t i = 0, n = strlen(file); i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && !strcmp(file + n - strlen(ends[i]), ends[i])) return true;
    return false;
}

static bool call_place(Dwarf_Die *unit, Dwarf_Die *inlined, code_place *out) {
    Dwarf_Attribute a;
    Dwarf_Word file, line;
    Dwarf_Files *files;
    size_t n;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &a), &file) ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &a), &line))
        return false;
    if (dwarf_getsrcfiles(unit, &files, &n) || file >= n) return false;
    out->file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
    out->line = (unsigned)line;
    return out->file != NULL;
}

/* One call out. Of headers inlined into each other all lines are kept, the outermost first. */
static void step_out(code_place *p, const code_place *outer) {
    if (is_header(p->file) && !is_compilers(p->file)) {
        if (p->calls == PLACE_CALLS) p->calls--;
        memmove(&p->call[1], &p->call[0], p->calls * sizeof p->call[0]);
        p->call[0].file = p->file;
        p->call[0].line = p->line;
        p->calls++;
    }
    p->file = outer->file;
    p->line = outer->line;
}

/* Out of the compiler's headers, call by call, and from a header of a library to the one that called it. The first line
 * is that of the outermost header; without any, the innermost of the source itself. */
static void find_function(Dwarf_Die *unit, uintptr_t pc, code_place *p) {
    Dwarf_Die *lexical, *scope = NULL;
    /* behind an inlined function come the scopes of where it was defined, not of its calls */
    int n = dwarf_getscopes(unit, pc, &lexical);
    if (n <= 0) return;
    n = dwarf_getscopes_die(&lexical[0], &scope);
    free(lexical);
    for (int i = 0; i < n; i++) {
        code_place outer = *p;
        if (!is_function(&scope[i])) continue;
        p->function = dwarf_diename(&scope[i]);
        if (!p->file || dwarf_tag(&scope[i]) != DW_TAG_inlined_subroutine || !call_place(unit, &scope[i], &outer))
            break;
        const bool leave = is_compilers(p->file), header = is_header(p->file) && is_header(outer.file);
        if (!leave && (!header || is_compilers(outer.file))) {
            if (!p->calls && is_installed(p->file)) {
                p->caller = outer.file;
                p->caller_line = outer.line;
            }
            break;
        }
        step_out(p, &outer);
    }
    if (n > 0) free(scope);
}

/* The unit that has the code at `pc`. gcc writes a table from addresses to units, clang does not. */
static bool unit_at(debug_info *d, uintptr_t pc, Dwarf_Die *out) {
    Dwarf_Off at = 0, next;
    size_t header;
    if (dwarf_addrdie(d->dwarf, pc, out)) return true;
    while (dwarf_nextcu(d->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
        if (dwarf_offdie(d->dwarf, at + header, out) && dwarf_haspc(out, pc) > 0) return true;
        at = next;
    }
    return false;
}

enum { LINE_REACH = 64 };

code_place debug_info_line(debug_info *d, uintptr_t pc) {
    code_place p = {0};
    Dwarf_Die unit;
    int line = 0;
    if (!unit_at(d, pc - 1, &unit)) return p;
    Dwarf_Line *at = NULL;
    /* line 0: made by the compiler, for what stands before */
    for (uintptr_t back = 1; !line && back <= LINE_REACH; back++) {
        at = dwarf_getsrc_die(&unit, pc - back);
        if (!at || dwarf_lineno(at, &line)) break;
    }
    if (!at) return p;
    p.file = dwarf_linesrc(at, NULL, NULL);
    p.line = (unsigned)line;
    find_function(&unit, pc - 1, &p);
    return p;
}

/* ---- opening ---- */

static char *no_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = &no_path};

debug_info *debug_info_open(const char *binary) {
    debug_info *d = MEM_NEW(debug_info);
    Dwarf_Addr bias;
    d->types = 1;
    d->dwfl = dwfl_begin(&callbacks);
    if (d->dwfl) {
        dwfl_report_begin(d->dwfl);
        d->module = dwfl_report_offline(d->dwfl, "", binary, -1);
        dwfl_report_end(d->dwfl, NULL, NULL);
    }
    d->dwarf = d->module ? dwfl_module_getdwarf(d->module, &bias) : NULL;
    if (!d->dwarf) {
        debug_info_close(d);
        return NULL;
    }
    find_variables(d);
    return d;
}

void debug_info_close(debug_info *d) {
    if (!d) return;
    if (d->dwfl) dwfl_end(d->dwfl);
    FREE_ALL(d->type, d->global, d);
}

#else

struct debug_info {
    int nothing;
};
debug_info *debug_info_open(const char *binary) { return (void)binary, NULL; }
void debug_info_close(debug_info *d) { (void)d; }
code_place debug_info_line(debug_info *d, uintptr_t pc) { return (void)d, (void)pc, (code_place){0}; }
const char *debug_info_symbol(debug_info *d, uintptr_t address, size_t *offset) {
    return (void)d, (void)address, (void)offset, NULL;
}
unsigned debug_info_globals(debug_info *d) { return (void)d, 0; }
const global_variable *debug_info_global(debug_info *d, unsigned i) { return (void)d, (void)i, NULL; }
type_id debug_info_member(debug_info *d, type_id t, size_t offset, text *path, size_t *inside) {
    (void)d, (void)path;
    *inside = offset;
    return t;
}
type_id debug_info_pointee(debug_info *d, type_id t) { return (void)d, (void)t, 0; }
const char *debug_info_type_name(debug_info *d, type_id t) { return (void)d, (void)t, NULL; }
size_t debug_info_type_size(debug_info *d, type_id t) { return (void)d, (void)t, 0; }
type_id debug_info_container(debug_info *d, type_id member, size_t offset, size_t size) {
    return (void)d, (void)offset, (void)size, (void)member, 0;
}

#endif

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void code_place_write(const code_place *p, text *out) {
    text_printf(out, "%s:%u", last_name(p->file), p->line);
    for (unsigned i = 0; i < p->calls; i++) text_printf(out, " < %s:%u", last_name(p->call[i].file), p->call[i].line);
    if (p->caller) text_printf(out, " (%s:%u)", last_name(p->caller), p->caller_line);
}
