#!/bin/bash
# One word, one thing: no type is defined in two files of src, so that a search for its name finds one definition.
number=0 bad=0

result() { # title findings: a line of TAP
    number=$((number + 1))
    if [ -z "$2" ]; then echo "ok $number - $1"; else echo "$2" | sed 's/^/# /'; echo "not ok $number - $1"; bad=1; fi
}

# "NAME FILE" for every struct, enum or union with a body, and every typedef that closes one.
types() {
    find src -name '*.[ch]' -print0 | xargs -0 awk '
        /(^|[^a-z_0-9])(struct|enum|union) [a-z_0-9]+ (__attribute__.* )?\{/ && !/^[ ]*[*\/]/ {
            line = $0
            while (match(line, /(struct|enum|union) [a-z_0-9]+ (__attribute__[^{]* )?\{/)) {
                split(substr(line, RSTART, RLENGTH), word, " ")
                print word[2], FILENAME
                line = substr(line, RSTART + RLENGTH)
            }
        }
        /^\} (__attribute__.* )?[a-z_0-9]+;$/ {name = $NF; sub(";", "", name); print name, FILENAME}' | sort -u
}

result "no type is defined in two files" \
    "$(types | awk '{n[$1]++; at[$1] = at[$1] " " $2} END {for (t in n) if (n[t] > 1) print t ":" at[t]}' | sort)"
words='somebody|nobody|whoever|everybody|anybody'
result "comments name the thread, caller or process that is meant" "$(grep -rniE "\b($words)\b" src include tests bench fuzz corpus examples \
    --include='*.[ch]' --include='*.hpp' --include='*.cc' | head -20)"
exit $bad
