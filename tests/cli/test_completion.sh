#!/bin/bash
# Completion of bash, zsh and fish, all made from the option tables: what a shell offers in each place.
. "$(dirname "$0")/lib.sh"
case $PLUMB in /*) ;; *) PLUMB=$PWD/$PLUMB ;; esac
cd "$SCRATCH" || exit 1
mkdir bin home; ln -s "$PLUMB" bin/plumb
export PATH=$SCRATCH/bin:$PATH HOME=$SCRATCH/home XDG_CONFIG_HOME=$SCRATCH/home XDG_DATA_HOME=$SCRATCH/home TERM=dumb
for shell in bash zsh fish; do "$PLUMB" --dump-options $shell >plumb.$shell; done
plumb --dump-options csh; exits "another shell" 64; says "is told which there are" err "expected bash, zsh, fish, or man and a command"

# Each command's options are in every script.
missing=
for command in $("$PLUMB" help | sed -n 's/^  \([a-z-]*\)  .*/\1/p' | grep -vx 'cc\|c++'); do # which hand theirs on to a compiler
    for option in $("$PLUMB" help "$command" | sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\).*/\2/p'); do
        grep -q -- "--$option" plumb.bash && grep -q -- "--$option" plumb.zsh && grep -qE -- "from $command' -l $option( |$)" plumb.fish || missing="$missing $command:$option"
    done
done
ok "no option is missing" "$([ -z "$missing" ]; echo $?)"; [ -z "$missing" ] || echo "#$missing"

offered_by_bash() { # words...: the last is completed
    bash -c '. ./plumb.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _plumb "$1" "${COMP_WORDS[$COMP_CWORD]}" "${COMP_WORDS[$((COMP_CWORD - 1))]}"; printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}
offered_by_fish() { fish -c "source plumb.fish; complete -C '$*'" | cut -f1; }
offered_by_zsh() { # what _plumb asks of the completion system, whose functions print what they are given
    zsh -f -c 'compdef() { }; compadd() { print -rl -- "${(@P)2}" }; _describe() { print -rl -- "${(@P)2}" }; _files() { print -rl -- * }
        _arguments() { local a; print -rl -- "$@"; for a in "$@"; do case $a in (*$words[-2]\[*: _plumb_names*) ${=a##*: };; (\*:*) ${a##*:};; esac; done }
        source ./plumb.zsh; words=("$@"); CURRENT=$#; _plumb' - "$@"
}
check() { # shell: what is offered in a few places
    ok "$1: commands" "$("offered_by_$1" plumb exp | grep -q 'explore'; echo $?)"
    ok "$1: options" "$("offered_by_$1" plumb check --cert | grep -q -- '--certificate'; echo $?)"
    ok "$1: words of a choice" "$("offered_by_$1" plumb check --evidence q | grep -q 'quick'; echo $?)"
    ok "$1: names that a command lists" "$("offered_by_$1" plumb check --object multi | grep -q 'multi-register'; echo $?)"
    ok "$1: files" "$("offered_by_$1" plumb check plumb.z | grep -q 'plumb.zsh'; echo $?)"
    ok "$1: commands behind help" "$("offered_by_$1" plumb help cert | grep -q 'certify'; echo $?)"
}
check bash
if command -v fish >/dev/null; then check fish; else echo "skip - no fish"; fi
if command -v zsh >/dev/null; then mkdir site; cp plumb.zsh site/_plumb; check zsh; else echo "skip - no zsh"; fi
finish
