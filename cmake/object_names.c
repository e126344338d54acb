/* Prints the built-in objects without what they do: object types with names, parameters and whether an initial value
 * is taken, and nothing else. libplumbline-record is made from these (cmake/libraries.cmake). */
#include "object/types.h"

#include <inttypes.h>
#include <stdio.h>

static void print_string(const char *s) {
    if (s) printf("\"%s\"", s);
    else printf("0");
}

static void print_type(const char *symbol, const object_type *t) {
    printf("static const method %s_methods[] = {\n", symbol);
    for (unsigned m = 0; m < t->method_count; m++) {
        printf("    {.name = ");
        print_string(t->methods[m].name);
        printf(", .aliases = ");
        print_string(t->methods[m].aliases);
        printf("},\n");
    }
    printf("};\nconst object_type object_type_%s = {\n    .name = ", symbol);
    print_string(t->name);
    printf(",\n    .aliases = ");
    print_string(t->aliases);
    printf(",\n    .methods = %s_methods,\n    .method_count = %u,\n    .takes_init = %d,\n    .parameters = {", symbol,
           t->method_count, t->takes_init);
    for (unsigned p = 0; p < OBJECT_PARAMETERS && t->parameters[p].name; p++)
        printf("%s{\"%s\", %" PRId64 ", %" PRId64 ", %" PRId64 ", 0}", p ? ", " : "", t->parameters[p].name,
               t->parameters[p].standard, t->parameters[p].min, t->parameters[p].max);
    printf("%s},\n};\n\n", t->parameters[0].name ? "" : "{0}");
}

int main(void) {
    printf("/* Made by cmake/object_names.c. */\n#include \"object/types.h\"\n\n");
#define OBJECT_TYPE(name) print_type(#name, &object_type_##name);
#include "object/types.def"
#undef OBJECT_TYPE
    return 0;
}
