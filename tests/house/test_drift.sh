#!/bin/bash
# What drifts while nothing breaks: functions without a caller, comments and documents that name files which are gone,
# links that lead nowhere, help and manual pages with words run together. Exit 1: something has drifted.
#
#   PLUMB=PATH   the command whose help is read; without it that part is skipped
number=0 bad=0
cd "$(dirname "$0")/../.." || exit 1

result() { # title findings: a line of TAP
    number=$((number + 1))
    if [ -z "$2" ]; then echo "ok $number - $1"; else head -40 <<<"$2" | sed 's/^/# /'; echo "not ok $number - $1"; bad=1; fi
}

# ---- functions ----

# Sources without comments and string literals, each line behind "FILE<tab>".
code() { # files, NUL-separated, on standard input
    xargs -0 awk '
        FNR == 1 {inside = 0}
        {
            line = $0
            gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
            out = ""
            while (1) {
                if (inside) {
                    end = index(line, "*/")
                    if (!end) break
                    line = substr(line, end + 2)
                    inside = 0
                }
                begin = index(line, "/*")
                slashes = index(line, "//")
                if (slashes && (!begin || slashes < begin)) {out = out substr(line, 1, slashes - 1); break}
                if (!begin) {out = out line; break}
                out = out substr(line, 1, begin - 1) " "
                line = substr(line, begin + 2)
                inside = 1
            }
            if (out != "") print FILENAME "\t" out
        }'
}

# Functions of src that occur in code only where they are declared and defined. Static ones are the compiler's to find,
# except in a header. Inside a process under test functions are also found by their names, by the linker and by a
# debugger: there only what a header declares is asked about. What include/ declares is for others to call.
unused() { # folders whose code counts as use
    find "$@" -name '*.[ch]' -print0 -o -name '*.def' -print0 -o -name '*.[ch]pp' -print0 | code | awk -F'\t' '
        {
            text = $2
            at_margin = text ~ /^[a-z_]/ && text !~ /^(typedef|extern "|else|return|if|for|while|switch|case|do|goto)\>/
            head = text
            name = ""
            if (at_margin && match(head, /^[^({=;]*[ *][A-Za-z_0-9]+\(/)) {
                name = substr(head, 1, RLENGTH - 1)
                is_static = name ~ /^static /
                sub(/.*[ *]/, "", name)
                own[name]++
                header = $1 ~ /\.h(pp)?$/
                if ($1 ~ /^include\//) public[name] = 1
                if ($1 ~ /^src\//) {
                    if (header) {declared[name] = 1; if (!(name in file)) file[name] = $1}
                    else if (!is_static) file[name] = $1
                    if (is_static && !header) hidden[name] = 1
                }
            }
            n = split(text, word, /[^A-Za-z_0-9]+/)
            for (i = 1; i <= n; i++) uses[word[i]]++
        }
        END {
            for (f in file) {
                if (f in public || (f in hidden && !(f in declared))) continue
                if (file[f] ~ /explore\/inside\// && !(f in declared)) continue
                if (f ~ /^(main|LLVMFuzzerTestOneInput)$/ || f ~ /^__/) continue
                if (uses[f] <= own[f]) print file[f], f
            }
        }' | sort
}

says_for_tests() { # file name: does the comment at its declaration say who calls it?
    grep -hE -B4 "[ *]$2\(" "${1%.c}.h" "$1" 2>/dev/null | grep -qiE '\<tests?\>|fuzz|debugger'
}

result "every function of src has a caller (one that only tests call says so)" "$(unused src include bench fuzz examples |
    while read -r file name; do
        says_for_tests "$file" "$name" || echo "$file: $name"
    done)"

# ---- names of files ----

# What comments and documents name: paths that begin at the root or at src, with a suffix of ours.
named_files() {
    grep -rnoE '\b(src|tests|docs|include|tools|bench|corpus|examples|fuzz|man|cmake|theories)/[A-Za-z_0-9./-]*[a-z0-9]\.(c|h|hpp|cpp|sh|md|def|thy|txt|cmake|js|scd|in)\b' \
        src include tests docs man fuzz bench tools README.md CONTRIBUTING.md CHANGELOG.md \
        --include='*.[ch]' --include='*.hpp' --include='*.cpp' --include='*.sh' --include='*.md' --include='*.scd' --include='*.def' 2>/dev/null
}
gone=$(named_files | while IFS=: read -r file line name; do
    case $name in bench/results/* | */a/b/*) continue ;; esac # made by a run; made up
    [ -e "$name" ] && continue
    # of a script only the comments: its commands fail by themselves
    case $file in *.sh) sed -n "${line}p" "$file" | grep -qE '^ *#' || continue ;; esac
    echo "$file:$line names $name"
done | sort -u)
# A walk-through may make up files.
result "comments and documents name files that exist" "$(grep -vE '^(docs/ADDING-AN-OBJECT.md|tests/house/)' <<<"$gone" | grep .)"

# Files of src by their path below src, as an #include has it.
below_src() {
    grep -rnoE '\b(base|history|object|format|theory|engine|evidence|generate|monitor|observe|runtime|remote|explore|report|api|cli)/[a-z_0-9/]*[a-z0-9]\.[ch]\b' src --include='*.[ch]' |
        grep -v '#include'
}
result "comments of src name sources that exist" "$(below_src | while IFS=: read -r file line name; do
    [ -e "src/$name" ] || [ -e "tests/$name" ] || [ -e "$name" ] || grep -qE "(src|tests|bench|fuzz|include|examples)/$name" <<<"$(sed -n "${line}p" "$file")" || echo "$file:$line names $name"
done | sort -u)"

# A bare file name in a comment is one of the same room (rooms inside it included); others are named with their room.
bare_names() {
    grep -rnE '^ *(/\*|\*)|/\*|//' src --include='*.[ch]' | grep -oE '^[^:]*:[0-9]+:|(^|[^a-z_0-9/.<"*-])[a-z_0-9]+\.[ch]\b' |
        awk '/^src\/.*:[0-9]+:$/ {at = $0; next} {gsub(/[^a-z_0-9.]/, ""); print at $0}'
}
sources=$(find src -name '*.[ch]' | sed -E 's|^src/([^/]*)/.*/([^/]*)$|\1/\2|; s|^src/||' | sort -u)
result "comments of src name files of their own room, or say which room" "$(bare_names | awk -F: '
    NR == FNR {known[$0]; next}
    $3 == "lock_queue.c" || $3 == "test.c" {next} # a user file, in examples
    {split($1, folder, "/"); if (!((folder[2] "/" $3) in known)) print $1 ":" $2 " names " $3}' <(echo "$sources") - | sort -u)"

# Documents name sources without their folder where the sentence has it: there is such a file somewhere.
everything=$(find src web include tests bench fuzz examples corpus tools cmake theories man docs -type f -printf '%f\n' | sort -u)
result "documents name sources that exist" "$(grep -noE '`[a-z_0-9/]*[a-z0-9]\.(c|h|hpp|def|sh|js|thy)`' README.md CONTRIBUTING.md docs/*.md docs/*/*.md |
    grep -vE '^docs/ADDING-AN-OBJECT\.md' | tr -d '`' | awk -F: '
        NR == FNR {known[$0]; next}
        $3 ~ /^(queue_test\.c|queue\.c|counter_test\.c|mine\.thy)$|\/a\/b\// {next} # the reader has these
        {name = $3; sub(/.*\//, "", name); if (!(name in known)) print $1 ":" $2 " names " $3}' <(echo "$everything") - | sort -u)"
# Names of several words are names of functions, types and fields; those of other projects begin with theirs.
known=$(grep -rhoIE '\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b' src include tests bench fuzz examples corpus theories tools cmake man \
    CMakeLists.txt CMakePresets.json Makefile; sed 's/\..*//' <<<"$everything")
result "documents name functions and types that exist" "$(
    grep -noE '`[a-z][a-z0-9]*(_[a-z0-9]+)+(\(\))?`' README.md CONTRIBUTING.md docs/*.md docs/*/*.md | grep -vE '^docs/ADDING-AN-OBJECT\.md' |
        tr -d '`()' | grep -vE ':(ck|urcu|cds)_' | awk -F: 'NR == FNR {known[$0]; next} !($3 in known) {print $1 ":" $2 " names " $3}' <(echo "$known") -)"
words='somebody|nobody|whoever|everybody|anybody'
result "documents and manual pages name the thread, operation or reader that is meant" \
    "$(grep -rniE "\b($words)\b" docs man README.md CONTRIBUTING.md CHANGELOG.md | cut -c1-120)"

result "tests/fast-lane.txt names tests that exist, and why they are slow" "$(
    programs=$(find tests -name 'test_*.c' | sed -e 's|^tests/||' -e 's|\.c$||' -e 's|/|_|g')
    grep -v '^#' tests/fast-lane.txt | while read -r name why; do
        grep -qxF "$name" <<<"$programs" || [ -n "$(find tests -name "$name")" ] || echo "no test $name"
        [ -n "$why" ] || echo "$name: no reason"
    done)"
result "docs/ALGORITHMS.md lists every engine" "$(sed -nE 's/^ENGINE\((.*)\)$/\1/p' src/engine/engines.def | tr _ - | while read -r name; do
    grep -qF "\`$name\`" docs/ALGORITHMS.md || echo "$name"
done)"

# ---- links ----

anchor() { # a heading as forges make anchors of it
    tr 'A-Z' 'a-z' | sed -e 's/[`*]//g' -e 's/[^a-z0-9 _-]//g' -e 's/ /-/g'
}
anchors() { # headings, and places that are named by hand
    sed -e '/^```/,/^```/d' "$1" | sed -nE 's/^#+ +(.*)$/\1/p' | anchor
    grep -oE '<a id="[^"]*">' "$1" | sed -E 's/.*"(.*)".*/\1/'
}
links() { grep -noE '\]\([^)[:space:]]+\)' "$1" | sed -E 's/^([0-9]+):\]\((.*)\)$/\1 \2/'; }
declare -A headings
broken=$(for f in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/*/*.md; do
    links "$f" | while read -r line target; do
        case $target in http*) continue ;; esac
        path=${target%%#*} part=
        case $target in *#*) part=${target#*#} ;; esac
        if [ -n "$path" ]; then to=$(dirname "$f")/$path; else to=$f; fi
        if [ ! -e "$to" ]; then echo "$f:$line: no $target"
        elif [ -n "$part" ]; then
            [ -n "${headings[$to]-}" ] || headings[$to]=$'\n'$(anchors "$to")$'\n'
            case ${headings[$to]} in *$'\n'"$part"$'\n'*) ;; *) echo "$f:$line: no heading for $target" ;; esac
        fi
    done
done)
result "links of documents lead somewhere" "$broken"
result "every document can be reached by links from README.md or CONTRIBUTING.md" "$(
    seen=" README.md CONTRIBUTING.md " work="README.md CONTRIBUTING.md"
    while [ -n "$work" ]; do
        next=
        for f in $work; do
            for target in $(links "$f" | awk '{print $2}'); do
                path=${target%%#*}
                case $path in http* | '') continue ;; esac
                to=$(realpath --relative-to=. "$(dirname "$f")/$path" 2>/dev/null)
                [ -d "$to" ] && to=$(ls "$to"/*.md 2>/dev/null)
                for t in $to; do
                    case $t in *.md) case $seen in *" $t "*) ;; *) [ -e "$t" ] && seen="$seen$t " next="$next $t" ;; esac ;; esac
                done
            done
        done
        work=$next
    done
    for f in docs/*.md docs/*/*.md; do case $seen in *" $f "*) ;; *) echo "$f" ;; esac; done
)"

# ---- words run together ----

if [ -n "${PLUMB-}" ] && [ -x "$PLUMB" ]; then
    # A line of the list of commands is a name, at least two blanks, and what it does.
    result "plumb --help: a command's name and what it does stand apart" "$("$PLUMB" --help 2>&1 |
        awk '/^  [a-z]/ && $0 !~ /^  [a-z+-]+( [^ ]+)*  +[^ ]/' | grep -vE '^  plumb ')"
    # An option, its argument, and then two blanks and what it does, or the end of the line.
    result "the help of each command: options and what they do stand apart" "$("$PLUMB" --help 2>&1 | sed -nE 's/^  ([a-z+-]+)  +.*/\1/p' |
        while read -r c; do
            "$PLUMB" help "$c" 2>&1 | grep -E '^ +-' | grep -vE '^ +(-[a-zA-Z], )?--?[a-zA-Z-]+([ =][^ ]+)?(  +[^ ].*)?$' | sed "s/^/$c: /"
        done)"
else
    number=$((number + 2))
    echo "skip $number - no PLUMB whose help could be read"
fi
# In scdoc an option and its argument are two words: *-D* _x_; emphasis inside of a word comes out as its marks.
result "manual pages: an option and its argument stand apart" "$(grep -nE '\*-[A-Za-z]\*_[A-Za-z]+_|[A-Za-z0-9]_[a-z]_|\[-[A-Z]_' man/*.scd)"
exit $bad
