#!/bin/bash
# Writes docs/REFERENCE.md, the reference of the public functions, to standard output: from the headers, whose comments
# and declarations are the only place where they are described. tests/house/test_exports.sh compares the two.
cd "$(dirname "$0")/.." || exit 1

cat <<'HEAD'
# Reference of the library

Every type and function of the public headers, in the order of the headers. Made by `tools/reference.sh` from the comments there: change those, then run it.
What may change and what stays: [CONTRIBUTING.md](../CONTRIBUTING.md#abi). Manual pages: plumb-record(3), plumb-test(3).

HEAD

for header in value plumbline monitor object record verify guard segments remote test bits driver; do
    awk -v header="$header" '
        function plain(text) { # a comment without its signs, as one paragraph for each paragraph
            gsub(/^[ \t]*\/\*[ ]?/, "", text); gsub(/[ ]*\*\/[ \t]*$/, "", text); return text
        }
        function end_comment() {said = said (said == "" ? "" : "\n") comment; comment = ""}
        function show(code, about) {
            printf "```c\n%s\n```\n", code
            if (about != "") printf "%s\n", about
            print ""
        }
        FNR == 1 {printf "## plumbline/%s.h\n\n", header; top = 1}
        # the comment that the header begins with: text, and examples indented by four
        top {
            line = $0
            sub(/^\/\* ?/, "", line); sub(/^ \* ?/, "", line)
            last = sub(/ *\*\/$/, "", line)
            code = line ~ /^    /
            if (code && !was) print (blank ? "" : "\n") "```c"
            if (!code && was && line != "") {print "```"; print ""; was = 0}
            if (code) {sub(/^    /, "", line); was = 1}
            if (line == "" && was) {held = 1; next}
            if (held) {if (code) print ""; held = 0}
            print line
            blank = line == ""
            if (last) {if (was) print "```"; print ""; top = 0; was = 0}
            next
        }
        /^#|^extern "C"|^}$|^$/ && !block {if (/^$/) said = ""; next}
        /^\/\* ----/ && !block {
            title = $0; gsub(/^\/\* -+ | -+ \*\/$/, "", title); printf "### %s\n\n", title; said = ""; next
        }
        # comments in front of a declaration
        !block && (incomment || /^\/\*/) {
            line = $0
            incomment = line !~ /\*\/$/
            gsub(/^\/\* ?| ?\*\/$/, "", line); sub(/^ \* ?/, "", line)
            said = said (said == "" ? "" : "\n") line
            next
        }
        # static inline functions: what they are called with
        !block && /^static inline/ {
            code = $0; sub(/^static inline /, "", code)
            while (code !~ /\{/) {getline; sub(/^ +/, " "); code = code $0}
            whole = code
            sub(/ *\{.*/, ";", code)
            show(code, said); said = ""
            if (whole !~ /\}$/) block = "inline"
            next
        }
        block == "inline" {if (/^}/) block = ""; next}
        # types, as they stand
        !block && /^(typedef|enum|struct|extern)/ {
            code = $0
            if (/;( *\/\*.*\*\/)?$/) {show(code, said); said = ""; next}
            block = "type"; next
        }
        block == "type" {
            code = code "\n" $0
            if (/^}.*;/) {show(code, said); said = ""; block = ""}
            next
        }
        # functions: in one line, and what is said behind them
        /^PLUMB_(API|EXPORT)/ {
            code = $0
            while (code !~ /;/) {getline; sub(/^ +/, " "); code = code $0}
            about = code; sub(/^[^;]*; */, "", about); sub(/;.*/, ";", code); sub(/^PLUMB_(API|EXPORT) /, "", code)
            while (about ~ /^\/\*/ && about !~ /\*\/$/) {getline; sub(/^ +\*? ?/, " "); about = about $0}
            gsub(/^\/\* ?| ?\*\/$/, "", about)
            show(code, said == "" ? about : about == "" ? said : said "\n" about); said = ""
            next
        }' "include/plumbline/$header.h"
done | cat -s
