#!/bin/sh
# A client of `plumb drive --exec` in the shell: a register, kept in a file of the run's folder.
#
#     plumb drive --exec examples/drive/register_client.sh --object register --clients 4
#
# The requests are simple enough to be taken apart without a JSON parser (docs/DRIVE.md describes them):
#     {"plumb":"drive/1",...,"folder":"/tmp/...",...}  ->  {"ready":true}
#     {"op":"write","args":[7]}                        ->  {"res":null}
#     {"op":"read","args":[]}                          ->  {"res":7}
read -r hello
folder=${hello#*\"folder\":\"}
folder=${folder%%\"*}
file=$folder/register
echo '{"ready":true}'

while read -r request; do
    argument=${request#*\"args\":[}
    argument=${argument%%]*}
    case $request in
        *'"op":"write"'*)
            # a file that is renamed is there whole or not at all
            echo "$argument" >"$file.$$" && mv "$file.$$" "$file" && echo '{"res":null}' ;;
        *'"op":"read"'*)
            if read -r held 2>/dev/null <"$file"; then echo "{\"res\":$held}"; else echo '{"res":null}'; fi ;;
        *)
            echo '{"fail":"no such operation"}' ;;
    esac
done
