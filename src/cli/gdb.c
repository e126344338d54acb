#include "cli/gdb.h"

#include "base/mem.h"
#include "base/scratch.h"
#include "base/whole_file.h"
#include "explore/outside/names.h"
#include "report/interleaving.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Stops are decided in the breakpoint: before a step of another thread than the one before, or before each when asked
 * for.
 *
 * The stack of a suspended thread is shown without writing registers and without calling functions of the program (gdb
 * writes all registers back after a call; on processors with AMX gdb 13 cannot). The innermost frame, which is that of
 * the running thread, is given to an unwinder of ours: its caller is what the suspended thread's saved context says. */
static const char script[] =
    "import gdb\n"
    "import gdb.unwinder\n"
    "steps = [line.rstrip('\\n') for line in open(STEPS)]\n"
    "class Step(gdb.Breakpoint):\n"
    "    last, every, number, thread = -1, False, -1, -1\n"
    "    def stop(self):\n"
    "        Step.number, Step.thread = int(gdb.parse_and_eval('$edi')), int(gdb.parse_and_eval('$esi'))\n"
    "        decisive = Step.every or Step.thread != Step.last or Step.number + 1 == len(steps)\n"
    "        Step.last = Step.thread\n"
    "        return decisive\n"
    "point = Step('plumb_explore_stop', internal=True)\n"
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
    "word = gdb.lookup_type('unsigned long')\n"
    "class Frame:\n"
    "    def __init__(self, sp, pc): self.sp, self.pc = gdb.Value(sp).cast(word), gdb.Value(pc).cast(word)\n"
    "class Suspended(gdb.unwinder.Unwinder):\n"
    "    at = 0\n"
    "    def __init__(self): super().__init__('plumbline-suspended')\n"
    "    def __call__(self, pending):\n"
    "        running = pending.read_register('rsp')\n"
    "        if not self.at or int(running) != self.top: return None\n"
    "        saved = gdb.selected_inferior().read_memory(self.at, 56).cast('B').cast('L')\n"
    "        info = pending.create_unwind_info(Frame(self.at, int(pending.read_register('rip'))))\n"
    "        for name, value in zip(['r15', 'r14', 'r13', 'r12', 'rbx', 'rbp', 'rip'], saved):\n"
    "            info.add_saved_register(name, gdb.Value(value).cast(word))\n"
    "        info.add_saved_register('rsp', gdb.Value(self.at + 56).cast(word))\n"
    "        return info\n"
    "    def show(self, at):\n"
    "        gdb.newest_frame().select()\n"
    "        self.top, self.at = int(gdb.parse_and_eval('(unsigned long)$rsp')), at\n"
    "        gdb.invalidate_cached_frames()\n"
    "        try: gdb.execute('backtrace')\n"
    "        finally:\n"
    "            self.at = 0\n"
    "            gdb.invalidate_cached_frames()\n"
    "suspended = Suspended()\n"
    "gdb.unwinder.register_unwinder(None, suspended)\n"
    "def backtrace(thread):\n"
    "    at = int(gdb.parse_and_eval('((unsigned long *)&plumb_explore_stacks)[%d]' % thread))\n"
    "    if not at: return False\n"
    "    print('thread %d:' % thread)\n"
    "    suspended.show(at)\n"
    "    return True\n"
    "class ThreadBacktraces(gdb.Command):\n"
    "    'Backtraces of the threads of the test: all, or those whose numbers are given.'\n"
    "    def __init__(self): super().__init__('thread-backtraces', gdb.COMMAND_STACK)\n"
    "    def invoke(self, argument, tty):\n"
    "        for t in [int(w) for w in argument.split() if int(w) < THREADS] or range(THREADS):\n"
    "            if t == Step.thread:\n"
    "                print('thread %d, whose turn it is:' % t)\n"
    "                gdb.execute('backtrace')\n"
    "            elif not backtrace(t) and argument: print('thread %d does not run' % t)\n"
    "        code_frame()\n"
    "NextStep()\n"
    "ThreadBacktraces()\n"
    "for line in ['set confirm off', 'set pagination off', 'set breakpoint pending on',\n"
    "             'set env PLUMB_EXPLORE question=' + QUESTION, 'handle SIGSEGV nostop noprint pass']:\n"
    "    gdb.execute(line, to_string=True)\n"
    "print('continue: to the next switch of threads; next-step: to the next step; thread-backtraces: where all threads "
    "stand')\n"
    "gdb.execute('run')\n";

static void write_steps(const execution *x, debug_info *d, text *out) {
    names *n = names_new(d, x);
    assert(!out->size);
    for (uint32_t i = 0; i < x->steps; i++) {
        code_place c = d ? debug_info_line(d, x->step[i].step.pc) : (code_place){0};
        step_phrase(x, n, i, out);
        if (c.file) text_printf(out, ", %s:%u", file_name(c.file), c.line);
        text_char(out, '\n');
    }
    names_free(n);
}

static void become_gdb(const char *script_path, char *const *program) {
    enum { BEFORE = 6 };
    size_t n = 0;
    while (program[n]) n++;
    const char **words = MEM_ARRAY(const char *, BEFORE + n + 1);
    memcpy(words, (const char *[]){"gdb", "-q", "-nx", "-x", script_path, "--args"}, BEFORE * sizeof *words);
    for (size_t i = 0; i <= n; i++) words[BEFORE + i] = program[i];
    execvp("gdb", (char *const *)(uintptr_t)words);
}

static int run_gdb(const char *script_path, char *const *program, error *e) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        become_gdb(script_path, program);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0) {
        error_set(e, EXIT_INTERNAL, "cannot start gdb: %s", strerror(errno));
        return EXIT_INTERNAL;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        error_set(e, EXIT_CANNOT_OPEN, "gdb is not installed");
        return EXIT_CANNOT_OPEN;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INTERNAL;
}

enum { FILES = 3 };

/* Files of one replay, in a directory of their own below TMPDIR. */
typedef struct gdb_files {
    text directory, path[FILES], content[FILES];
} gdb_files;

static bool files_write(gdb_files *f, error *e) {
    for (int i = 0; i < FILES; i++) assert(f->path[i].size);
    for (int i = 0; i < FILES; i++)
        if (!whole_file_write(f->path[i].at, f->content[i].at, f->content[i].size, e)) return false;
    return true;
}

static void files_remove(gdb_files *f) {
    for (int i = 0; i < FILES; i++) {
        if (f->path[i].size) unlink(f->path[i].at);
        text_free(&f->path[i]);
        text_free(&f->content[i]);
    }
    rmdir(text_str(&f->directory));
    text_free(&f->directory);
}

/* A JSON string is one of Python, too. */
static void write_script(const gdb_files *f, text *out) {
    text_add(out, "QUESTION = ");
    text_json(out, f->path[0].at, f->path[0].size);
    text_add(out, "\nSTEPS = ");
    text_json(out, f->path[1].at, f->path[1].size);
    if (session_preloads()) {
        text_add(out, "\nimport gdb\ngdb.execute('set env LD_PRELOAD ' + ");
        text_json(out, session_preloads(), strlen(session_preloads()));
        text_char(out, ')');
    }
    text_printf(out, "\nTHREADS = %d\n%s", THREADS_MOST, script);
}

int gdb_replay(const test_program *t, const run_request *how, const char *choices, const execution *x, debug_info *d,
               error *e) {
    static const char *const name[FILES] = {"question", "steps", "script.py"};
    gdb_files f = {0};
    if (!REPLAYS_IN_GDB) {
        error_set(e, EXIT_USAGE, "--gdb: the script for gdb knows the registers of x86-64 alone");
        return EXIT_USAGE;
    }
    if (!scratch_directory("plumb-gdb", &f.directory, e)) return e->code;
    for (int i = 0; i < FILES; i++) text_printf(&f.path[i], "%s/%s", f.directory.at, name[i]);
    session_replay_question(how, choices, &f.content[0]);
    text_char(&f.content[0], '\n');
    write_steps(x, d, &f.content[1]);
    write_script(&f, &f.content[2]);
    int code = files_write(&f, e) ? run_gdb(f.path[2].at, t->argv, e) : e->code;
    files_remove(&f);
    return code;
}
