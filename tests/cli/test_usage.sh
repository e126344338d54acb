#!/bin/bash
# Help, usage errors and lists.
. "$(dirname "$0")/lib.sh"

plumb; exits "plumb alone succeeds" 0
says "plumb alone has an example" out "plumb check history.edn"
plumb help check; exits "help of a command" 0
says "help lists options of the table" out "--timeout T"
plumb check --help; exits "--help of a command" 0
says "--help is the same help" out "--timeout T"
plumb --version; exits "--version" 0
says "--version names the command" out "plumb "
plumb chekc x; exits "unknown command" 64
says "unknown command suggests the nearest" err "did you mean 'check'?"
plumb check --objct queue x; exits "unknown option" 64
says "unknown option suggests the nearest" err "did you mean --object?"
one_line "usage errors are one line" err
plumb check; exits "check without file" 64
plumb check --timeout; exits "missing argument" 64
says "missing argument is named" err "--timeout needs an argument"
for given in 0 -1 abc 5x nan 1e999; do plumb check --timeout "$given" x; exits "--timeout $given is refused" 64; done
for given in 0 x 5Q; do plumb check --memory "$given" x; exits "--memory $given is refused" 64; done
plumb check --threads 0 x; exits "--threads 0 is refused" 64
plumb check --color sometimes x; exits "--color is a choice" 64
says "choices are listed" err "auto, always or never"
plumb check --json=1 x; exits "a flag takes no argument" 64
plumb check --object nothing x; exits "unknown object" 64
plumb check --engine nothing x; exits "unknown engine" 64
plumb check --format nothing x; exits "unknown format" 64
plumb check --criterion fast x; exits "unknown criterion" 64
says "the criteria that exist are named" err "expected one of linearizable, quasi(...)"
plumb check --on-fail cas=maybe x; exits "--on-fail wants observe or drop" 64
plumb convert a; exits "convert wants two files" 64
plumb convert a b c; exits "convert wants no more than two files" 64
plumb generate; exits "generate wants an object" 64
plumb generate --object queue --mutate nothing; exits "unknown mutation" 64
plumb generate queue; exits "an object by itself" 64; says "help is offered" err "plumb generate --help"
plumb generate --mutations; says "mutations of every object" out stale-read
plumb generate --object queue --mutations; exits "mutations of one object" 0
ok "only those that apply" "$(grep -q wrong-order "$SCRATCH/out" && ! grep -q stale-read "$SCRATCH/out"; echo $?)"
for list in objects engines formats; do
    plumb $list; exits "$list" 0
    plumb $list --names; exits "$list --names" 0
    ok "$list --names has only names" "$(! grep -q ' ' "$SCRATCH/out"; echo $?)"
done
plumb --dump-options bash; exits "completion script is printed" 0
ok "completion script is bash" "$(bash -n "$SCRATCH/out"; echo $?)"
completes() { # words: what the shell offers for the last one
    bash -c ". '$SCRATCH/out'; plumb() { '$PLUMB' \"\$@\"; }; COMP_WORDS=(plumb $1); COMP_CWORD=$(($(wc -w <<<"$1"))); _plumb plumb \"\${COMP_WORDS[-1]}\" \"\${COMP_WORDS[-2]}\"; echo \"\${COMPREPLY[@]}\"" 
}
ok "completes commands" "$([ "$(completes 'gen')" = generate ]; echo $?)"
ok "completes options" "$([ "$(completes 'check --timeo')" = --timeout ]; echo $?)"
ok "completes choices" "$([ "$(completes 'check --color al')" = always ]; echo $?)"
finish
