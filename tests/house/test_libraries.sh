#!/bin/bash
# Each library holds what its job needs (cmake/libraries.cmake) and nothing else: it needs no other libraries than those named
# here, exports no other names, and the linker took nothing from a room that is not named here.
BUILD=${PLUMB_BUILD:-build}
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip sanitizers bring libraries and names of their own"; exit 0; fi
number=0 bad=0

result() { # title findings: a line of TAP
    number=$((number + 1))
    if [ -z "$2" ]; then echo "ok $number - $1"; else echo "$2" | sed 's/^/# /'; echo "not ok $number - $1"; bad=1; fi
}

needed() { readelf -d "$BUILD/lib$1.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort; }
# What others can bind to. (ld leaves the ends of a section in the table, hidden.)
exported() {
    readelf --dyn-syms -W "$BUILD/lib$1.so" | awk '$7 != "UND" && $5 != "LOCAL" && $6 != "HIDDEN" && $8 {print $8}' |
        sed -e 's/@.*//' -e '/^Name$/d' -e '/^PLUMBLINE_/d' | sort -u
}
undefined() { nm -D --undefined-only "$BUILD/lib$1.so" | awk '{print $NF}' | sed 's/@.*//' | sort -u; }
symbols() { nm "$BUILD/lib$1.so" | awk '{print $NF}' | sed 's/@.*//' | sort -u; }

# The files of src that the link map has code or data of, as room/file: sections that were kept have an address.
files() {
    awk '/^Linker script and memory map/ {kept = 1}
         !kept {next}
         NF == 1 && /^ \.[a-z]/ {section = $1; next}  # a long name: address, size and file are on the next line
         {
             if ($1 ~ /^\./) {section = $1; address = $2; size = $3; file = $4} else {address = $1; size = $2; file = $3}
             if (section ~ /^\.(text|data|rodata|bss)/ && file ~ /\/src\// && size != "0x0" && address !~ /^0x0*$/) print file
         }' "$BUILD/lib$1.map" | sed -E 's|.*/src/(.*)\.cc?\.o$|\1|' | sort -u
}
rooms() { files "$1" | sed 's|/[^/]*$||' | sort -u; }

more() { grep -vxE "$2" <<<"$1" | grep . | sed "s|^|$3 |"; }     # lines that the pattern does not allow
missing() { for word in $2; do grep -qxF "$word" <<<"$1" || echo "$3 $word"; done; } # words that are on the list in vain

libraries=(plumbline-record plumbline plumbline-explore)
declare -A may_need=(
    [plumbline-record]='libc\.so\.6'
    # libstdc++ and libgcc_s are CaDiCaL's: plumb_check() may choose the engine `symbolic`
    [plumbline]='lib(c|m|z|zstd|stdc\+\+|gcc_s|cadical)\.so\.[0-9]+'
    # libgcc_s unwinds the stack when a thread is cancelled or exits
    [plumbline-explore]='lib(c|m|gcc_s)\.so\.[0-9]+|ld-linux.*'
)
engine='engine engine/general engine/linear engine/quasi engine/saturate engine/symbolic'
declare -A has_rooms=(
    [plumbline-record]='base object runtime/record'
    [plumbline]="api base $engine evidence format history monitor object remote report runtime runtime/record theory"
    [plumbline-explore]="base $engine explore/campaign explore/graph explore/inside explore/model explore/reduction explore/strategy history object observe theory"
)
# What programs under test find in place of the C library's, the compiler's and libstdc++'s.
interposed='(_Fork|__assert_fail|__libc_start_main|main|v?fork|clone|exec.*|_?exit|quick_exit|abort|system|posix_spawnp?|p(open|close)'
interposed+='|__tsan_.*|__plumb_(asm|rdtsc)(_wide)?|__wrap_(mem|str|stp|bcmp|atoi).*|__cxa_(guard_.*|atexit|thread_atexit_impl)|_Z(da|dl|na|nw)[Pm].*'
interposed+='|(__)?pthread_.*|(cnd|mtx|thrd|tss|sem)_.*|call_once|reallocarray|wait.*|(tg|p)?kill(pg)?|pause|raise|alarm|setitimer|sig.*|.*sleep|sched_.*'
interposed+='|.*alloc|c?free|memalign|posix_memalign|malloc_usable_size|strn?dup|s?brk|mmap(64)?|mremap|shm.*|sem(get|op|timedop)|msg.*|mq_.*'
interposed+='|s?rand(om)?|time.*|gettimeofday|clock.*|(get|set|make|swap)context|dl(open|close)|syscall'
interposed+='|p?poll|p?select|epoll_.*|eventfd|pipe2?|socketpair|accept4?|connect|(recv|send).*|read|write|aio_.*|flock|lockf)'
declare -A may_export=([plumbline-record]='plumb_.*' [plumbline]='plumb_.*' [plumbline-explore]="plumb_.*|$interposed")

for l in "${libraries[@]}"; do
    if [ ! -e "$BUILD/lib$l.so" ] || [ ! -e "$BUILD/lib$l.map" ]; then result "there is lib$l.so with its map" "no $BUILD/lib$l.so or .map"; continue; fi
    result "lib$l needs no other libraries" "$(more "$(needed "$l")" "${may_need[$l]}" needs)"
    result "lib$l exports only its own names" "$(more "$(exported "$l")" "${may_export[$l]}" exports)"
    has=$(rooms "$l")
    result "lib$l has only rooms that it needs" "$(more "$has" "${has_rooms[$l]// /|}" 'has room')"
    result "lib$l has every room on its list" "$(missing "$has" "${has_rooms[$l]}" 'lacks room')"
done

record=plumbline-record
# abort(): only of misuse, and only when PLUMB_ABORT_ON_MISUSE asks for it.
result "lib$record never ends the program" "$(undefined $record | grep -xE '_?_?exit|_Exit|quick_exit|exit_group|raise'
    grep -l '\babort()' src/runtime/record/*.c | grep -v '/misuse\.c$')"
result "lib$record has no C++" "$(symbols $record | grep -E '^_Z|^__cxa_[^f]|^__gxx')"
# One word each is the start-up code's.
result "lib$record keeps no state outside its handles" \
    "$(size -A "$BUILD/lib$record.so" | awk '$1 ~ /^\.(data|bss|tdata|tbss)$/ && $2 > 8 {print $1 " has " $2 " bytes"}')"
result "lib$record has files of base and object that it needs, no others" \
    "$(files $record | grep -vE '^runtime/record/' | grep -vxE 'base/(error|printable|utf8)|object/registry')"
result "lib$record has every file of runtime/record" "$(missing "$(files $record)" "$(cd src && echo runtime/record/*.c | sed 's/\.c\b//g')" lacks)"
result "only the recorder is exported from lib$record" \
    "$(exported $record | grep -vxE 'plumb_(record_(open|error|method|close|join|leave|here|look|sync)|call|call_word_slowly|ret|ret_(fail|unknown|word_slowly)|tag)')"
# Names without a version would lose the promise of one when they change.
version=PLUMBLINE_$(sed -nE 's/^project\(Plumbline VERSION ([0-9]+\.[0-9]+).*/\1/p' CMakeLists.txt)
for l in plumbline-record plumbline; do
    result "what lib$l exports is of version $version" "$(readelf --dyn-syms -W "$BUILD/lib$l.so" |
        awk '$7 != "UND" && $5 != "LOCAL" && $8 ~ /^plumb_/ {print $8}' | grep -v "@@$version\$")"
done
# exit(): base/mem.c, when memory runs out outside of any call. abort(): as above; runtime/sketch.c in builds that check
# themselves.
result "libplumbline never ends the program" "$(files plumbline | sed 's|.*|src/&.c|' |
    xargs grep -lsE '\b(_?exit|_Exit|quick_exit|abort|assert_perror)\(' | grep -vxE 'src/(base/mem|runtime/record/misuse|runtime/sketch)\.c')"
# Pages, plots and terminals are the command's.
result "libplumbline writes reports as JSON only" "$(files plumbline | grep '^report/' | grep -vxE 'report/(json|report)')"
result "libplumbline has all that lib$record has" "$(comm -23 <(exported $record) <(exported plumbline))"
exit $bad
