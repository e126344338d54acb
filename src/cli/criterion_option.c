#include "cli/criterion_option.h"

bool criterion_asked(const char *given, const char *quasi, bool measure, criterion *out, error *e) {
    if (measure && (given || quasi))
        return error_set(e, EXIT_USAGE,
                         "--measure asks for the criterion; expected it without --criterion and --quasi");
    if (given && quasi) return error_set(e, EXIT_USAGE, "--criterion and --quasi ask for two criteria; expected one");
    if (measure) out->kind = CRITERION_QUASI;
    if (quasi) return criterion_parse_limits(CRITERION_QUASI, quasi, out, e);
    return !given || criterion_parse(given, out, e);
}
