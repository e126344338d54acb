#include "cli/gdb.h"

#include "explore/outside/names.h"
#include "report/interleaving.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Stops are decided in the breakpoint: before a step of another thread than the one before, or before each when asked
 * for. A thread that does not run is shown by lending its registers to the one that gdb knows. */
static const char script[] =
    "import gdb\n"
    "steps = [line.rstrip('\\n') for line in open(STEPS)]\n"
    "class Step(gdb.Breakpoint):\n"
    "    last, every, number, thread = -1, False, -1, -1\n"
    "    def stop(self):\n"
    "        Step.number, Step.thread = int(gdb.parse_and_eval('$edi')), int(gdb.parse_and_eval('$esi'))\n"
    "        decisive = Step.every or Step.thread != Step.last or Step.number + 1 == len(steps)\n"
    "        Step.last = Step.thread\n"
    "        return decisive\n"
    "point = Step('plumb_explore_step', internal=True)\n"
    "def ours(frame): return 'plumbline-explore' in (gdb.solib_name(frame.pc()) or '')\n"
    "class Hidden:\n"
    "    name, enabled, priority = 'plumbline', True, 100\n"
    "    def __init__(self): gdb.current_progspace().frame_filters[self.name] = self\n"
    "    def filter(self, frames): return (f for f in frames if not ours(f.inferior_frame()))\n"
    "Hidden()\n"
    "def code_frame():\n"
    "    frame = gdb.newest_frame()\n"
    "    while frame.older() and ours(frame): frame = frame.older()\n"
    "    frame.select()\n"
    "    gdb.execute('frame')\n"
    "def stopped(event):\n"
    "    if not isinstance(event, gdb.BreakpointEvent) or point not in event.breakpoints: return\n"
    "    words = steps[Step.number] if Step.number < len(steps) else 'a step that was not there'\n"
    "    print('step %d of %d: thread %d %s' % (Step.number + 1, len(steps), Step.thread, words))\n"
    "    code_frame()\n"
    "gdb.events.stop.connect(stopped)\n"
    "class NextStep(gdb.Command):\n"
    "    'Go on to the next step of any thread; `continue` goes on to the next switch.'\n"
    "    def __init__(self): super().__init__('next-step', gdb.COMMAND_RUNNING)\n"
    "    def invoke(self, argument, tty):\n"
    "        Step.every = True\n"
    "        try: gdb.execute('continue')\n"
    "        finally: Step.every = False\n"
    "def backtrace(thread):\n"
    "    gdb.newest_frame().select()\n"
    "    sp = int(gdb.parse_and_eval('((unsigned long (*)(unsigned))plumb_explore_stack)(%d)' % thread))\n"
    "    if not sp: return False\n"
    "    word = lambda i: int(gdb.parse_and_eval('((unsigned long *)%d)[%d]' % (sp, i)))\n"
    "    names = ['r15', 'r14', 'r13', 'r12', 'rbx', 'rbp', 'rip']\n"
    "    kept = [(n, int(gdb.parse_and_eval('(unsigned long)$' + n))) for n in names + ['rsp']]\n"
    "    lent = [(n, word(i)) for i, n in enumerate(names)] + [('rsp', sp + 56)]\n"
    "    print('thread %d:' % thread)\n"
    "    try:\n"
    "        for n, v in lent: gdb.execute('set $%s = %d' % (n, v))\n"
    "        gdb.execute('backtrace')\n"
    "    finally:\n"
    "        for n, v in kept: gdb.execute('set $%s = %d' % (n, v))\n"
    "    return True\n"
    "class ThreadBacktraces(gdb.Command):\n"
    "    'Backtraces of the threads of the test: all, or those whose numbers are given.'\n"
    "    def __init__(self): super().__init__('thread-backtraces', gdb.COMMAND_STACK)\n"
    "    def invoke(self, argument, tty):\n"
    "        for t in [int(w) for w in argument.split()] or range(16):\n"
    "            if t == Step.thread:\n"
    "                print('thread %d, whose turn it is:' % t)\n"
    "                gdb.execute('backtrace')\n"
    "            elif not backtrace(t) and argument: print('thread %d does not run' % t)\n"
    "        code_frame()\n"
    "NextStep()\n"
    "ThreadBacktraces()\n"
    "for line in ['set confirm off', 'set pagination off', 'set breakpoint pending on', 'set env PLUMB_EXPLORE "
    "question=' + QUESTION,\n"
    "             'handle SIGSEGV nostop noprint pass']: gdb.execute(line, to_string=True)\n"
    "print('continue: to the next switch of threads; next-step: to the next step; thread-backtraces: where all threads "
    "stand')\n"
    "gdb.execute('run')\n";

static void write_steps(const execution *x, debug_info *d, text *out) {
    names *n = names_new(d, x);
    for (uint32_t i = 0; i < x->steps; i++) {
        code_place c = d ? debug_info_line(d, x->step[i].step.pc) : (code_place){0};
        step_phrase(x, n, i, out);
        if (c.file) text_printf(out, ", %s:%u", file_name(c.file), c.line);
        text_char(out, '\n');
    }
    names_free(n);
}

static bool write_whole(const char *path, const text *t, error *e) {
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(text_str((text *)(uintptr_t)t), 1, t->size, f) == t->size;
    if (f && fclose(f)) good = false;
    return good || error_set(e, EXIT_CANNOT_OPEN, "cannot write %s: %s", path, strerror(errno));
}

static int run_gdb(const char *script_path, const char *binary, error *e) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execlp("gdb", "gdb", "-q", "-nx", "-x", script_path, binary, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return error_set(e, EXIT_INTERNAL, "cannot start gdb: %s", strerror(errno)), EXIT_INTERNAL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return error_set(e, EXIT_CANNOT_OPEN, "gdb is not installed"), EXIT_CANNOT_OPEN;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INTERNAL;
}

int gdb_replay(const test_program *t, const run_request *how, const char *choices, const execution *x, debug_info *d,
               error *e) {
    char directory[] = "/tmp/plumb-gdb-XXXXXX";
    static const char *const name[] = {"question", "steps", "script.py"};
    text content[3] = {{0}}, path[3] = {{0}};
    if (!mkdtemp(directory))
        return error_set(e, EXIT_CANNOT_OPEN, "cannot make a directory %s: %s", directory, strerror(errno)),
               EXIT_CANNOT_OPEN;
    for (int i = 0; i < 3; i++) text_printf(&path[i], "%s/%s", directory, name[i]);
    session_replay_question(how, choices, &content[0]);
    text_char(&content[0], '\n');
    write_steps(x, d, &content[1]);
    text_printf(&content[2], "QUESTION = '%s'\nSTEPS = '%s'\n%s", path[0].at, path[1].at, script);
    bool good = true;
    for (int i = 0; good && i < 3; i++) good = write_whole(path[i].at, &content[i], e);
    int code = good ? run_gdb(path[2].at, t->binary, e) : e->code;
    for (int i = 0; i < 3; i++) unlink(path[i].at), text_free(&path[i]), text_free(&content[i]);
    rmdir(directory);
    return code;
}
