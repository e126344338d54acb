#include "explore/compile/rewrite.h"

#include "explore/compile/target.h"

rewrite_result rewrite_assembly(text_piece in, const rewrite_options *o, text *out, text *complaints) {
    if (TARGET_MACHINE == EM_AARCH64) return rewrite_arm64(in, o, out, complaints);
    return rewrite_x86_64(in, o, out, complaints);
}
