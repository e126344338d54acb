#!/bin/bash
# Files from strangers: whatever a file names, no command loads or runs it. docs/SECURITY.md says what is trusted.
. "$(dirname "$0")/lib.sh"

printf '#include <stdio.h>\n__attribute__((constructor)) static void ran(void) { fclose(fopen("%s/ran", "w")); }\n' "$SCRATCH" >"$SCRATCH/evil.c"
cc -shared -fPIC -o "$SCRATCH/evil.so" "$SCRATCH/evil.c"
evil=$SCRATCH/evil.so

nothing_ran() { # title
    ok "$1: nothing was run" "$([ ! -e "$SCRATCH/ran" ]; echo $?)"
    rm -f "$SCRATCH/ran"
}

refused() { # title command...
    local title=$1
    shift
    plumb "$@" <"$SCRATCH/hint.violin"
    exits "$title: exit 65" 65
    says "$title: names what it did not open" err "$evil"
    one_line "$title: one line" err
    nothing_ran "$title"
}

printf '{"plumb":"history/1","object":"%s"}\n{"client":1,"op":"enq","args":[1],"call":1,"ret":2,"res":null}\n' "$evil" >"$SCRATCH/hint.jsonl"
printf '# @object %s\n[1] call enq(1)\n[1] return\n' "$evil" >"$SCRATCH/hint.violin"
for file in hint.jsonl hint.violin; do
    refused "check $file" check "$SCRATCH/$file"
    refused "view $file" view "$SCRATCH/$file"
    refused "monitor $file" monitor "$SCRATCH/$file"
    refused "convert $file" convert -q "$SCRATCH/$file" "$SCRATCH/out.violin"
done
refused "monitor of standard input" monitor -
mkdir "$SCRATCH/folder"
cp "$SCRATCH/hint.jsonl" "$SCRATCH/folder"
plumb check "$SCRATCH/folder"
exits "a folder: exit 65" 65
nothing_ran "a folder"

# The user may name it: then it is opened, and fails for its own reasons.
plumb check --object "$evil" "$SCRATCH/hint.violin"
exits "named by the user" 65
says "named by the user: it was loaded" err "no plumb_object_definition"
ok "named by the user: it ran" "$([ -e "$SCRATCH/ran" ]; echo $?)"

finish
