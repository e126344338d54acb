/* plumb cc, plumb c++: a compiler for programs that are to be explored. Its arguments are the compiler's. */
#include "cli/commands.h"
#include "explore/compile/driver.h"

static int run_cc(void *settings, char **operand, unsigned operands) {
    (void)settings;
    return driver_run(false, operand, operands);
}

static int run_cxx(void *settings, char **operand, unsigned operands) {
    (void)settings;
    return driver_run(true, operand, operands);
}

static const char about[] =
    "Takes the arguments of the C compiler, compiles, and links with the explorer's runtime, so that `plumb explore` "
    "can\n"
    "run the program through its interleavings, inline assembly included: make CC=\"plumb cc\". The compiler is gcc, "
    "or\n"
    "what PLUMB_CC (PLUMB_CXX for C++) names: gcc or clang. Three options are not the compiler's:\n\n"
    "  --asm-unknown=warn    go on with assembly that is not understood; what it does is not explored\n"
    "  --foreign=warn        go on with objects that have atomic instructions and were not compiled by plumb cc\n"
    "  --keep-assembly=DIR   leave the assembly with its hooks in DIR\n";

const command command_cc = {
    .name = "cc",
    .arguments = "[COMPILER-OPTION]... FILE...",
    .summary = "compile C for plumb explore",
    .about = about,
    .verbatim = true,
    .run = run_cc,
};

const command command_cxx = {
    .name = "c++",
    .arguments = "[COMPILER-OPTION]... FILE...",
    .summary = "compile C++ for plumb explore",
    .about = about,
    .verbatim = true,
    .run = run_cxx,
};
