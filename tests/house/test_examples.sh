#!/bin/bash
# The examples in the comments that the public headers begin with are code: they compile, as C and as C++, with nothing
# but the header and the names that they say are the reader's own.
number=0 bad=0
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
command -v "${CC:-cc}" >/dev/null || { echo "skip 1 - no C compiler"; exit 0; }

result() { # title findings: a line of TAP
    number=$((number + 1))
    if [ -z "$2" ]; then echo "ok $number - $1"; else head -40 <<<"$2" | sed 's/^/# /'; echo "not ok $number - $1"; bad=1; fi
}

# The lines of the first comment that are indented; "..." stands for what the reader does, "$" for a shell.
example() { # header
    awk '/^ ?\*|^\/\/|^\/\*/ {print; if (/\*\/$/) exit; next} {exit}' "include/plumbline/$1" | sed -nE 's/^( \*|\/\/)     //p' |
        grep -vE '^\$|#include "my_' | sed -E 's/(^|[ :)])\.\.\.( |$)/\1;\2/'
}
own='#include <stdint.h>
#include <stdio.h>
typedef struct queue queue;
enum { ENQ, DEQ };
static queue *my_own;
void *my_connect(const char *at); int64_t my_get(void *link, int64_t key); void my_put(void *link, int64_t key, int64_t v); void my_close(void *link);
int64_t my_dequeue(queue *q); void my_enqueue(queue *q, int64_t v); void enqueue(queue *q, int64_t v);
queue *queue_new(void); void queue_free(queue *q); void queue_enqueue(queue *q, int v); int queue_dequeue(queue *q, int *v);'

program() { # header: the example, inside a function unless it has its own
    echo "#include <plumbline/$1>"
    [[ $1 == *.hpp ]] || echo "$own"
    case $1 in
        object.h | test.h | wrap.h | wrap_guard.h | driver.h) example "$1" ;;
        *.hpp) echo 'struct queue { void push(int) {} std::optional<int> try_pop() { return 7; } };'
               echo 'void example(queue &q); void example(queue &q) {'; example "$1"; echo '(void)q; }' ;;
        *) echo 'int64_t example(queue *q, plumb_recorder *r0); int64_t example(queue *q, plumb_recorder *r0) {'
           [ "$1" != verify.h ] || echo 'plumb_recorder *r = r0;'
           [ "$1" != segments.h ] || echo 'plumb_guard *g = plumb_guard_open(NULL);'
           [ "$1" != record.h ] || echo 'int64_t v;'
           example "$1"; echo '(void)q; (void)r0; (void)my_own; return 0; }' ;;
    esac
}
flags='-Iinclude -fsyntax-only -Wall -Wno-unused -Werror'

for header in plumbline.h monitor.h object.h record.h verify.h guard.h segments.h remote.h test.h bits.h driver.h wrap.h wrap_guard.h wrap.hpp wrap_guard.hpp; do
    { case $header in monitor.h | plumbline.h | object.h | test.h | bits.h | remote.h) echo 'typedef struct plumb_recorder plumb_recorder;' ;; esac
      program "$header"; } >"$work/example.c"
    result "$header has an example" "$([ "$(example "$header" | wc -l)" -gt 1 ] || echo none)"
    [[ $header == *.hpp ]] ||
        result "the example of $header is C" "$("${CC:-cc}" -std=gnu11 $flags "$work/example.c" 2>&1)"
    command -v "${CXX:-c++}" >/dev/null || continue
    result "the example of $header is C++" "$("${CXX:-c++}" -std=gnu++20 $flags -x c++ "$work/example.c" 2>&1)"
done
exit $bad
