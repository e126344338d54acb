#include "explore/debug_info.h"

#include "base/mem.h"

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

/* ---- types --------------------------------------------------------------------------------------------------------------- */

/* Qualifiers say nothing about members. Typedefs are kept: their names are what people wrote. */
static Dwarf_Die *bare(Dwarf_Die *die, Dwarf_Die *room, bool through_typedefs) {
    Dwarf_Attribute a;
    for (;;) {
        int tag = dwarf_tag(die);
        bool skip = tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_atomic_type || tag == DW_TAG_restrict_type ||
                    (through_typedefs && tag == DW_TAG_typedef);
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
        if (called && !strcmp(called, name) && !dwarf_attr(&child, DW_AT_declaration, &a)) return *out = child, true;
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
        if (offset < at || offset >= at + size) continue;
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
            if (dwarf_diename(&member) && dwarf_tag(&member) == DW_TAG_member) text_printf(path, ".%s", dwarf_diename(&member));
            offset -= start;
            t = type_of(d, &member);
        } else {
            return t;
        }
    }
}

/* ---- global variables ------------------------------------------------------------------------------------------------------ */

static bool variable_address(Dwarf_Die *die, uintptr_t *out) {
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t n;
    if (!dwarf_attr_integrate(die, DW_AT_location, &a) || dwarf_getlocation(&a, &op, &n) || n != 1 || op[0].atom != DW_OP_addr) return false;
    *out = (uintptr_t)op[0].number;
    return true;
}

static void take_variable(debug_info *d, Dwarf_Die *die) {
    uintptr_t address;
    const char *name = dwarf_diename(die);
    if (!name || !strncmp(name, "plumb_item_", 11) || !variable_address(die, &address)) return;
    type_id type = type_of(d, die);
    size_t size = debug_info_type_size(d, type);
    d->global = MEM_GROW(d->global, global_variable, d->globals + 1);
    d->global[d->globals++] = (global_variable){.name = name, .address = address, .size = size ? size : 1, .type = type};
}

/* Variables at file scope, and static ones inside functions. */
static void take_variables(debug_info *d, Dwarf_Die *parent) {
    Dwarf_Die child;
    if (dwarf_child(parent, &child)) return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable) take_variable(d, &child);
        else if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace) take_variables(d, &child);
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

unsigned debug_info_globals(debug_info *d) { return d->globals; }
const global_variable *debug_info_global(debug_info *d, unsigned i) { return &d->global[i]; }

/* ---- lines ------------------------------------------------------------------------------------------------------------------- */

static bool is_function(Dwarf_Die *die) {
    int tag = dwarf_tag(die);
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

static bool is_foreign(const char *file) { return !strncmp(file, "/usr/", 5); }

static bool call_place(Dwarf_Die *unit, Dwarf_Die *inlined, code_place *out) {
    Dwarf_Attribute a;
    Dwarf_Word file, line;
    Dwarf_Files *files;
    size_t n;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &a), &file) || dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &a), &line)) return false;
    if (dwarf_getsrcfiles(unit, &files, &n) || file >= n) return false;
    out->file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
    out->line = (unsigned)line;
    return out->file != NULL;
}

/* What a library's header was inlined for is what people wrote: out of it, call by call. */
static void find_function(Dwarf_Die *unit, uintptr_t pc, code_place *p) {
    Dwarf_Die *lexical, *scope = NULL;
    int n = dwarf_getscopes(unit, pc, &lexical); /* behind an inlined function come the scopes of where it was defined, not of its calls */
    if (n <= 0) return;
    n = dwarf_getscopes_die(&lexical[0], &scope);
    free(lexical);
    for (int i = 0; i < n; i++) {
        code_place outer = *p;
        if (!is_function(&scope[i])) continue;
        p->function = dwarf_diename(&scope[i]);
        if (!p->file || !is_foreign(p->file) || dwarf_tag(&scope[i]) != DW_TAG_inlined_subroutine || !call_place(unit, &scope[i], &outer)) break;
        *p = outer;
    }
    if (n > 0) free(scope);
}

code_place debug_info_line(debug_info *d, uintptr_t pc) {
    code_place p = {0};
    Dwarf_Addr bias;
    int line;
    Dwfl_Line *at = dwfl_module_getsrc(d->module, pc - 1);
    if (!at) return p;
    p.file = dwfl_lineinfo(at, NULL, &line, NULL, NULL, NULL);
    p.line = (unsigned)line;
    Dwarf_Die *unit = dwfl_module_addrdie(d->module, pc - 1, &bias);
    if (unit) find_function(unit, pc - 1 - bias, &p);
    return p;
}

/* ---- opening ------------------------------------------------------------------------------------------------------------------- */

static char *no_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address, .debuginfo_path = &no_path};

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
    free(d->type);
    free(d->global);
    free(d);
}

#else

struct debug_info {
    int nothing;
};
debug_info *debug_info_open(const char *binary) { return (void)binary, NULL; }
void debug_info_close(debug_info *d) { (void)d; }
code_place debug_info_line(debug_info *d, uintptr_t pc) { return (void)d, (void)pc, (code_place){0}; }
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

#endif
