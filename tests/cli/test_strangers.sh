#!/bin/bash
# Files from strangers: whatever a file names, no command loads or runs it. docs/SECURITY.md says what is trusted.
. "$(dirname "$0")/lib.sh"
plain_scratch

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

printf '{"plumb":"history/1","object":"%s"}\n{"client":1,"event":"call","op":"enq","args":[1]}\n{"client":1,"event":"return"}\n' "$evil" >"$SCRATCH/hint.events"
refused "check of events" check "$SCRATCH/hint.events"
refused "monitor of events" monitor "$SCRATCH/hint.events"
for kind in 1 2 3; do
    printf '{"plumb":"certificate/%s","object":"%s","init":null,"verdict":"linearizable","operations":0}\n{"witness":[]}\n{"end":"0"}\n' $kind "$evil" >"$SCRATCH/evil.cert"
    refused "certify of version $kind" certify "$SCRATCH/evil.cert"
done
# What else an object may be on the command line: a theory, serial runs, any file.
for other in "$SCRATCH/spec.thy" "$SCRATCH/x.serial" "$SCRATCH/x.serial:enq(1)" ./spec.thy /dev/zero "$SCRATCH/fifo"; do
    [ -e "$SCRATCH/fifo" ] || mkfifo "$SCRATCH/fifo"
    printf '{"plumb":"history/1","object":"%s"}\n{"client":1,"op":"enq","args":[1],"call":1,"ret":2}\n' "$other" >"$SCRATCH/other.jsonl"
    plumb check "$SCRATCH/other.jsonl"
    exits "an object that is $other" 65
done

# Folders: what is no file is not opened (a pipe would be waited for, a device has no end), links out of it are not walked.
mkdir -p "$SCRATCH/store" "$SCRATCH/links/below"
printf '{:type :invoke, :f :read, :value nil, :process 0}\n{:type :ok, :f :read, :value nil, :process 0}\n' >"$SCRATCH/store/history.edn"
cp "$SCRATCH/store/history.edn" "$SCRATCH/links/below"
limited() { timeout 60 "$PLUMB" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"; code=$?; }
for name in jepsen.log test.edn results.edn history.txt; do
    rm -rf "$SCRATCH"/store/{jepsen.log,test.edn,results.edn,history.txt}
    if [ $name = results.edn ]; then echo 'JEPSEN' >"$SCRATCH/store/test.jepsen"; else echo '{:valid? true}' >"$SCRATCH/store/results.edn"; fi
    mkfifo "$SCRATCH/store/$name"
    limited check "$SCRATCH/store"; exits "a store whose $name is a pipe" 0
    rm "$SCRATCH/store/$name"; ln -s /dev/zero "$SCRATCH/store/$name"
    limited check "$SCRATCH/store"; exits "a store whose $name is a device" 0
done
mkfifo "$SCRATCH/links/pipe.jsonl"
ln -s /dev/zero "$SCRATCH/links/zero.jsonl"; ln -s / "$SCRATCH/links/root"; ln -s .. "$SCRATCH/links/up"; ln -s . "$SCRATCH/links/below/round"; ln -s none "$SCRATCH/links/dangles.jsonl"
limited check "$SCRATCH/links"; exits "a folder of links" 0
says "one history in it" out "below/history.edn: linearizable"
ok "and no other" "$([ "$(grep -c 'linearizable:' "$SCRATCH/out")" = 1 ]; echo $?)"

# A checkpoint is a monitor's memory: only the user's own is taken up.
printf '# @object queue\n[1] call enq(1)\n[1] return\n' >"$SCRATCH/right.violin"
plumb monitor --checkpoint "$SCRATCH/saved" "$SCRATCH/right.violin"
exits "a checkpoint is written" 0
plumb monitor --checkpoint "$SCRATCH/saved" "$SCRATCH/right.violin"
exits "and taken up" 0
XDG_STATE_HOME=$SCRATCH/other-user plumb monitor --checkpoint "$SCRATCH/saved" "$SCRATCH/right.violin"
exits "a stranger's checkpoint" 65
says "a stranger's checkpoint: how to take it up" err "--trust"
one_line "a stranger's checkpoint: one line" err
XDG_STATE_HOME=/dev/null/none plumb monitor --checkpoint "$SCRATCH/saved" "$SCRATCH/right.violin"
exits "no place for a key" 65
XDG_STATE_HOME=$SCRATCH/other-user plumb monitor --trust --checkpoint "$SCRATCH/saved" "$SCRATCH/right.violin"
exits "--trust" 0

# The user may name it: then it is opened, and fails for its own reasons.
plumb check --object "$evil" "$SCRATCH/hint.violin"
exits "named by the user" 65
says "named by the user: it was loaded" err "no plumb_object_definition"
ok "named by the user: it ran" "$([ -e "$SCRATCH/ran" ]; echo $?)"

rm -f "$SCRATCH/ran"

# ---- schedules: a replay compiles and runs what they name --------------------------------------------------------------------
if [ -e "$(dirname "$(realpath "$PLUMB")")/libplumbline-explore.so" ]; then
    PLUMB=$(realpath "$PLUMB")
    mkdir "$SCRATCH/given" "$SCRATCH/given/below" "$SCRATCH/mine"
    cd "$SCRATCH/given" || exit 1
    cat >lost.c <<'C'
#include <plumbline/test.h>
static long n;
PLUMB_OBJECT("counter") PLUMB_INITIAL("0") PLUMB_THREADS("inc | inc : get")
PLUMB_OP(inc) { long was = __atomic_load_n(&n, __ATOMIC_SEQ_CST); __atomic_store_n(&n, was + 1, __ATOMIC_SEQ_CST); return plumb_none(); }
PLUMB_OP(get) { return plumb_int(n); }
C
    printf '#!/bin/sh\ntouch %s/ran\nexec "$@"\n' "$SCRATCH" >wrap.sh
    chmod +x wrap.sh
    cp "$SCRATCH/evil.c" "$SCRATCH/evil.so" .
    plumb explore -q --jobs 1 lost.c
    exits "a schedule is written" 1
    says "its replay needs no word" out "replay: plumb replay lost.schedule"
    plumb replay lost.schedule
    exits "the user's own schedule is replayed" 1

    asked() { # title what-would-run: lost.schedule is refused, nothing runs
        for file in "$PWD/lost.schedule" lost.schedule; do
            plumb replay "$file"
            exits "$1: exit 65" 65
            says "$1: says what would run" err "$2"
            says "$1: says how to do it" err "--trust"
            one_line "$1: one line" err
            nothing_ran "$1"
        done
    }
    cp lost.schedule kept
    sed 's|^flags:.*|flags: -DX -O1 -wrapper ./wrap.sh|' kept >lost.schedule
    asked "a schedule's flags" "-wrapper ./wrap.sh"
    ok "harmless flags are not named" "$(! grep -q -e -DX "$SCRATCH/err"; echo $?)"
    for flag in -fplugin=./evil.so -B./below -specs=x.specs @args -Wl,--plugin=./evil.so '-Xlinker -plugin' -I/etc '-include /etc/passwd' ./evil.so -levil; do
        sed "s|^flags:.*|flags: $flag|" kept >lost.schedule
        asked "flags $flag" "$flag"
    done
    sed 's|^object:.*|object: ./evil.so|' kept >lost.schedule
    asked "a schedule's object" "load the plug-in ./evil.so"
    sed 's|^sources:.*|sources: lost.c evil.c|' kept >lost.schedule
    asked "a schedule's sources" "compile and run lost.c evil.c"
    sed 's|^sources:.*|sources: ../evil.c|' kept >lost.schedule
    asked "sources elsewhere" "outside this folder: ../evil.c"
    printf 'plumb schedule 1\nsources: \033[2Jx.c\nchoices: 0\n' >lost.schedule
    asked "escapes are not printed" "compile and run ?[2Jx.c"

    # The same lines in another folder name other files.
    cp kept "$SCRATCH/mine/lost.schedule"
    cp lost.c "$SCRATCH/mine"
    cd "$SCRATCH/mine" || exit 1
    asked "a schedule of another folder" "compile and run lost.c"
    XDG_STATE_HOME=$SCRATCH/other plumb replay "$SCRATCH/mine/lost.schedule"
    exits "a schedule of another user" 65
    plumb replay --trust lost.schedule
    exits "--trust" 1

    # `plumb explore` tries a schedule that lies there first: with the code that the user names now, nothing else.
    cd "$SCRATCH/given" || exit 1
    sed 's|^flags:.*|flags: -wrapper ./wrap.sh|; s|^object:.*|object: ./evil.so|' kept >lost.schedule
    plumb explore -q --jobs 1 lost.c
    exits "explore beside a stranger's schedule" 1
    says "it was tried" out "found after 1 execution"
    nothing_ran "explore beside a stranger's schedule"

    # No place to keep a copy: the report says what the replay needs.
    XDG_STATE_HOME=/dev/null/none plumb explore -q --jobs 1 lost.c
    says "no place for a copy" out "plumb replay --trust lost.schedule"
fi

finish
