/* The main() of tests that have none: the only member of libplumbline-main.a, so it is linked only when nothing else defines
 * one. The runtime takes over before main; it knows by the symbol that this is not a program to be run. */
#include <stdio.h>

extern const char plumb_default_main;
const char plumb_default_main = 1;

int main(void) {
    fputs("this is a test for `plumb explore`\n", stderr);
    return 64;
}
