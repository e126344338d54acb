#include "explore/compile/foreign.h"

#include "explore/compile/disassemble.h"
#include "explore/compile/lint.h"
#include "explore/compile/rewrite.h"

#include <string.h>

/* ---- one object ---- */

typedef struct foreign_object {
    const compiler *compiler;
    const char *input;
    const elf_file *file;
    text source, object; /* paths */
    text *why;
} foreign_object;

static bool assemble(const foreign_object *o, const text *assembly) {
    word_list command = {0};
    error e = {0};
    words_all(&command, &o->compiler->command);
    const char *rest[] = {"-x", "assembler", "-c", text_str(&o->source), "-o", text_str(&o->object)};
    for (unsigned i = 0; i < 6; i++) words_add(&command, rest[i]);
    bool good = file_write(text_str(&o->source), assembly->at, assembly->size, &e) && !command_run_silently(&command);
    if (!good) text_add(o->why, "the assembler does not take it");
    words_free(&command);
    return good;
}

/* The text says what the object is: assembled as it is, it gives the same bytes and relocations. */
static bool holds(const foreign_object *o) {
    text assembly = {0}, bytes = {0};
    elf_file again;
    bool good = disassemble(o->file, true, &assembly, o->why) && assemble(o, &assembly);
    if (good && !(file_read(text_str(&o->object), &bytes) && elf_open(&again, bytes.at, bytes.size))) {
        text_add(o->why, "what the assembler made cannot be read");
        good = false;
    }
    good = good && disassembly_holds(o->file, &again, o->why);
    text_free(&assembly);
    text_free(&bytes);
    return good;
}

static bool add_hooks(const foreign_object *o) {
    text assembly = {0}, hooked = {0}, complaints = {0};
    bool good = disassemble(o->file, false, &assembly, o->why);
    if (good) {
        const rewrite_options how = {.source = o->input, .by_hand = true};
        good = !rewrite_assembly((text_piece){text_str(&assembly), assembly.size}, &how, &hooked, &complaints).refused;
        if (!good) text_printf(o->why, "%.*s", (int)strcspn(text_str(&complaints), "\n"), text_str(&complaints));
    }
    good = good && assemble(o, &hooked);
    text *all[] = {&assembly, &hooked, &complaints};
    for (unsigned i = 0; i < 3; i++) text_free(all[i]);
    return good;
}

static bool take_one(foreign_object *o, const text *bytes) {
    elf_file f;
    o->file = &f;
    return elf_open(&f, bytes->at, bytes->size) && holds(o) && add_hooks(o);
}

/* ---- all of them ---- */

static bool was_tried(const foreign_objects *o, const char *input) {
    for (size_t i = 0; i < o->input.size; i++)
        if (!strcmp(o->input.at[i], input)) return true;
    return false;
}

static bool take_input(foreign_objects *o, const char *input, const text *bytes, const compiler *c,
                       const scratch_folder *s) {
    text why = {0};
    foreign_object one = {.compiler = c, .input = input, .why = &why};
    text_printf(&one.source, "%s/foreign%zu.s", s->path, o->input.size);
    text_printf(&one.object, "%s/foreign%zu.o", s->path, o->input.size);
    bool taken = take_one(&one, bytes);
    words_add(&o->input, input);
    words_add(&o->object, taken ? text_str(&one.object) : "");
    if (!taken) text_printf(&o->why, "%s: could not be taken apart: %s\n", input, text_str(&why));
    text *all[] = {&why, &one.source, &one.object};
    for (unsigned i = 0; i < 3; i++) text_free(all[i]);
    return taken;
}

bool foreign_take(foreign_objects *o, const word_list *inputs, const compiler *c, const scratch_folder *s) {
    bool any = false;
    for (size_t i = 0; i < inputs->size; i++) {
        text bytes = {0};
        if (!was_tried(o, inputs->at[i]) && input_is_foreign_object(inputs->at[i], &bytes))
            any |= take_input(o, inputs->at[i], &bytes, c, s);
        text_free(&bytes);
    }
    return any;
}

static const char *taken_object(const foreign_objects *o, const char *input) {
    for (size_t i = 0; i < o->input.size; i++)
        if (*o->object.at[i] && !strcmp(o->input.at[i], input)) return o->object.at[i];
    return NULL;
}

static bool is_member(const char *input) { return *input && input[strlen(input) - 1] == ')'; }

void foreign_link(const foreign_objects *o, const word_list *link, word_list *command) {
    for (size_t i = 0; i < o->input.size; i++)
        if (is_member(o->input.at[i]) && *o->object.at[i]) words_add(command, o->object.at[i]);
    for (size_t i = 0; i < link->size; i++) {
        const char *object = taken_object(o, link->at[i]);
        words_add(command, object ? object : link->at[i]);
    }
}

void foreign_free(foreign_objects *o) {
    words_free(&o->input);
    words_free(&o->object);
    text_free(&o->why);
}
