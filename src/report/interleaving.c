#include "report/interleaving.h"

#include "base/mem.h"
#include "explore/outside/names.h"
#include "report/reads_from.h"

#include <inttypes.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- which steps matter ---- */

static bool is_write(const step *s) { return step_is_effective(s); }

static bool conflicts(const executed_step *a, const executed_step *b) {
    if (a->thread == b->thread || !(is_write(&a->step) || is_write(&b->step))) return false;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const place *p = &a->step.at[i], *q = &b->step.at[j];
            if (p->size && q->size && p->address < q->address + q->size && q->address < p->address + p->size)
                return true;
        }
    return false;
}

/* The step that this one races with last before it: what it saw, or overwrote. */
static bool noticed(const execution *x, uint32_t i) {
    for (uint32_t j = 0; j < x->steps; j++)
        if (conflicts(&x->step[i], &x->step[j])) return true;
    return false;
}

static bool repeats_read(const execution *x, uint32_t i) {
    const executed_step *s = &x->step[i];
    if (is_write(&s->step)) return false;
    for (uint32_t j = i; j-- > 0;) {
        const executed_step *b = &x->step[j];
        if (b->step.at[0].address != s->step.at[0].address) continue;
        if (is_write(&b->step)) return false;
        if (b->thread == s->thread) return b->step.pc == s->step.pc || b->step.value == s->step.value;
    }
    return false;
}

/* Memory that malloc hands out again: what a stale pointer needs. */
static bool used_again(const execution *x, uint32_t i) {
    for (uint32_t b = 0; b < x->blocks; b++)
        if (x->block[b].address == x->step[i].step.at[0].address && x->block[b].from > i && x->block[b].from != NO_STEP)
            return true;
    return false;
}

/* An operation begins or ends where there are invariants, or memory is allocated: no access of the program. */
static bool is_unseen(const step *s) {
    return s->kind == STEP_NOTHING && s->at[0].address - NO_MEMORY_BASE < NO_MEMORY_ROOM;
}
/* Nothing to tell: that, or a thread waits for another's end. */
static bool is_silent(const step *s) { return s->kind == STEP_JOIN || is_unseen(s); }

/* The next step that is told; x->steps: none is. */
static uint32_t told_after(const execution *x, uint32_t i) {
    for (i++; i < x->steps && is_unseen(&x->step[i].step);) i++;
    return i;
}

/* The more a step says, the later it is folded. */
static unsigned weight(const execution *x, uint32_t i) {
    const step *s = &x->step[i].step;
    if (is_unseen(s)) return 0;
    if (told_after(x, i) == x->steps || (s->kind == STEP_FREE && used_again(x, i))) return 4;
    if (!noticed(x, i)) return s->kind == STEP_FREE ? 3 : 0;
    if (is_write(s)) return s->flags & STEP_PLAIN ? 3 : 4;
    if (s->kind == STEP_CAS || s->kind == STEP_TRYLOCK) return 4;
    return repeats_read(x, i) ? 1 : 2;
}

static bool is_same(const executed_step *a, const executed_step *b) {
    return a->thread == b->thread && a->step.kind == b->step.kind && a->step.pc == b->step.pc &&
           a->step.at[0].address == b->step.at[0].address && a->step.value == b->step.value;
}

/* Of a thread that goes round and round, the rounds that are like the two before say nothing new. */
static void fold_rounds(const execution *x, uint8_t *shown) {
    enum { ROUND_MOST = 32 };
    for (uint32_t round = 1; round <= ROUND_MOST; round++)
        for (uint32_t i = round, same = 0; i + 1 < x->steps; i++) {
            same = is_same(&x->step[i], &x->step[i - round]) ? same + 1 : 0;
            if (same > 2 * round) shown[i] = 0;
        }
}

void interleaving_select(const execution *x, bool full, unsigned lines, uint8_t *shown) {
    unsigned count[5] = {0}, least = 1;
    for (uint32_t i = 0; i < x->steps; i++) {
        shown[i] = (uint8_t)weight(x, i);
        assert(shown[i] < sizeof count / sizeof *count);
        count[shown[i]]++;
    }
    while (least < 4 && count[1] + count[2] + count[3] + count[4] > lines) {
        count[least] = 0;
        least++;
    }
    for (uint32_t i = 0; i < x->steps; i++) shown[i] = full || shown[i] >= least;
    if (!full) fold_rounds(x, shown);
}

/* ---- one step as a phrase ---- */

static const char *verb(const step *s) {
    static const char *const by_kind[STEP_KINDS] = {[STEP_NOTHING] = "-",
                                                    [STEP_READ] = "reads",
                                                    [STEP_WRITE] = "writes",
                                                    [STEP_UPDATE] = "updates",
                                                    [STEP_CAS] = "cas",
                                                    [STEP_FREE] = "frees",
                                                    [STEP_LOCK] = "locks",
                                                    [STEP_TRYLOCK] = "tries to lock",
                                                    [STEP_UNLOCK] = "unlocks",
                                                    [STEP_RDLOCK] = "locks for reading",
                                                    [STEP_TRYRDLOCK] = "tries to lock for reading",
                                                    [STEP_WAIT] = "waits on",
                                                    [STEP_WAKE] = "wakes up from",
                                                    [STEP_SIGNAL] = "signals",
                                                    [STEP_BARRIER] = "meets at",
                                                    [STEP_ACQUIRE] = "acquires",
                                                    [STEP_TRYACQUIRE] = "tries to acquire",
                                                    [STEP_RELEASE] = "releases",
                                                    [STEP_JOIN] = "joins",
                                                    [STEP_YIELD] = "yields",
                                                    [STEP_FENCE] = "fence",
                                                    [STEP_FUTEX_WAIT] = "waits on futex",
                                                    [STEP_FUTEX_WAKE] = "wakes futex",
                                                    [STEP_ONCE] = "once",
                                                    [STEP_CLOCK] = "reads the clock",
                                                    [STEP_STORE] = "stores",
                                                    [STEP_FLUSH] = "store of"};
    return by_kind[s->kind] ? by_kind[s->kind] : "?";
}

static void cas_phrase(const step *s, const names *n, uint32_t i, text *out) {
    const char *then = s->flags & STEP_FAILED ? " expected, FAILS, is " : " -> ";
    uintptr_t second = step_second_word(s);
    text_add(out, ": ");
    name_value(n, s->expected, s->size, i, out);
    text_add(out, then);
    name_value(n, s->value, s->size, i, out);
    if (!second || (s->size == 16 && s->expected_high == s->high)) return;
    text_add(out, ", ");
    name_address(n, second, i, out);
    text_add(out, ": ");
    name_value(n, s->expected_high, 8, i, out);
    text_add(out, then);
    name_value(n, s->high, 8, i, out);
}

/* Under a weak memory model: from where a step read ("<- 3"; "<= 3" where it synchronises with it, too), and which
 * newer write it did not see. */
static void source_phrase(const execution *x, const names *n, uint32_t i, text *out) {
    const step *s = &x->step[i].step;
    const read_source r = read_source_of(x, i);
    if (r.own) text_add(out, " (own buffer)");
    else if (r.from != NO_STEP && x->step[r.from].thread != x->step[i].thread)
        text_printf(out, " %s %u", r.synchronises ? "<=" : "<-", r.from + 1);
    if (r.missed != NO_STEP && s->kind == STEP_READ) {
        text_add(out, " (stale, not ");
        name_value(n, x->step[r.missed].step.value, s->size, i, out);
        text_printf(out, " of step %u)", r.missed + 1);
    } else if (s->flags & STEP_STALE) text_add(out, " (not the newest)");
}

/* Under x86-TSO: "stores x = 1 (buffered)", "store of x = 1 reaches memory". */
static void store_phrase(const step *s, const names *n, uint32_t i, text *out) {
    text_char(out, ' ');
    name_address(n, s->at[0].address, i, out);
    if (s->size && s->size <= 8) {
        text_add(out, " = ");
        name_value(n, s->value, s->size, i, out);
    }
    text_add(out, s->kind == STEP_FLUSH ? " reaches memory" : " (buffered)");
}

void step_phrase(const execution *x, const names *n, uint32_t i, text *out) {
    assert(i < x->steps && x->step[i].step.kind < STEP_KINDS);
    const step *s = &x->step[i].step;
    text_add(out, verb(s));
    if (s->kind == STEP_CLOCK) {
        text_printf(out, " %" PRIu64 ".%09" PRIu64 " s", s->value / 1000000000, s->value % 1000000000);
        return;
    }
    if (s->kind == STEP_STORE || s->kind == STEP_FLUSH) {
        store_phrase(s, n, i, out);
        return;
    }
    if (s->at[0].size && s->at[0].role != PLACE_DRAIN) {
        text_char(out, ' ');
        if (s->kind == STEP_FREE) name_value(n, s->at[0].address, 8, i, out);
        else if (s->kind >= STEP_LOCK) name_object(n, s->at[0].address, i, out);
        else name_address(n, s->at[0].address, i, out);
    }
    if (s->kind == STEP_CAS) {
        cas_phrase(s, n, i, out);
    } else if (s->size && (s->kind == STEP_READ || s->kind == STEP_WRITE || s->kind == STEP_UPDATE)) {
        text_add(out, s->kind == STEP_UPDATE ? " to " : " ");
        name_value(n, s->value, s->size, i, out);
    } else if (s->flags & STEP_FAILED) {
        text_add(out, ": FAILS");
    }
    source_phrase(x, n, i, out);
}

void message_words(const execution *x, debug_info *d, const char *message, text *out) {
    names *n = x && x->steps ? names_new(d, x) : NULL;
    while (*message) {
        char *behind = (char *)(uintptr_t)message + 1;
        uintptr_t address = !strncmp(message, "0x", 2) ? (uintptr_t)strtoull(message, &behind, 16) : 0;
        code_place c = address && d ? debug_info_line(d, address) : (code_place){0};
        if (c.file) code_place_write(&c, out);
        else if (!address || !n) text_bytes(out, message, (size_t)(behind - message));
        else name_object(n, address, x->steps, out);
        message = behind;
    }
    if (n) names_free(n);
}

/* ---- columns ---- */

typedef struct page {
    const execution *x;
    const interleaving_wishes *w;
    debug_info *d;
    names *n;
    unsigned threads, column;     /* columns, and how wide */
    unsigned place[THREADS_MOST]; /* of each thread */
    text *out;
} page;

const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void begin_cell(page *p, unsigned thread) {
    assert(thread < THREADS_MOST && p->place[thread] < p->threads);
    text_pad(p->out, 2 + (size_t)p->place[thread] * p->column);
}

/* Long cells run over into the columns behind; nothing is lost, and lines are one step each. */
static void step_line(page *p, uint32_t i) {
    const executed_step *s = &p->x->step[i];
    begin_cell(p, s->thread);
    if (p->x->model != EXECUTION_INTERLEAVED)
        text_printf(p->out, "%s%u%s ", p->w->colours->dim, i + 1, p->w->colours->off);
    text_printf(p->out, "%s", s->step.flags & STEP_FAILED ? p->w->colours->doubt : "");
    step_phrase(p->x, p->n, i, p->out);
    text_add(p->out, p->w->colours->off);
    code_place c = p->d ? debug_info_line(p->d, s->step.pc) : (code_place){0};
    if (c.file) {
        size_t to = 2 + (size_t)p->threads * p->column;
        text_pad(p->out, to);
        text where = {0};
        code_place_write(&c, &where);
        text_printf(p->out, " %s%s", p->w->colours->dim, text_str(&where));
        if (c.function && to + where.size + strlen(c.function) + 2 < p->w->columns)
            text_printf(p->out, " %s", c.function);
        text_free(&where);
        text_add(p->out, p->w->colours->off);
    }
    text_char(p->out, '\n');
}

void operation_words(const executed_operation *op, text *out) {
    text_add(out, op->method);
    text_char(out, '(');
    for (unsigned a = 0; a < op->nargs; a++) {
        if (a) text_add(out, ", ");
        text_int(out, op->arg[a]);
    }
    text_char(out, ')');
}

void result_words(const char *wire, text *out) {
    static const struct {
        char kind;
        const char *words;
    } plain[] = {{'n', "returns"}, {'e', "returns empty"}, {'f', "returns full"}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (wire[0] == plain[i].kind) {
            text_add(out, plain[i].words);
            return;
        }
    if (wire[0] == 'b') text_add(out, wire[1] == '1' ? "returns true" : "returns false");
    else text_printf(out, "returns %s", wire + 1);
}

static void calls_before(page *p, uint32_t step_number) {
    for (uint32_t o = 0; o < p->x->ops; o++) {
        if (p->x->op[o].first != step_number) continue;
        begin_cell(p, p->x->op[o].thread);
        text_add(p->out, p->w->colours->good);
        operation_words(&p->x->op[o], p->out);
        text_printf(p->out, "%s\n", p->w->colours->off);
    }
}

static void returns_after(page *p, uint32_t step_number) {
    for (uint32_t o = 0; o < p->x->ops; o++) {
        if (p->x->op[o].last != step_number || !p->x->op[o].result) continue;
        begin_cell(p, p->x->op[o].thread);
        text_add(p->out, p->w->colours->good);
        result_words(p->x->op[o].result, p->out);
        text_printf(p->out, "%s\n", p->w->colours->off);
    }
}

/* The first call of an operation that others could see, as its place among all calls and returns. */
static uint32_t threads_begin(const page *p) {
    uint32_t least = UINT32_MAX;
    for (uint32_t o = 0; o < p->x->ops; o++)
        if (p->x->op[o].first != NO_STEP && p->x->op[o].call_at < least) least = p->x->op[o].call_at;
    return least;
}

/* What happened before there were threads, or when they had ended, in one line. */
static void alone(page *p, bool before, const char *words) {
    bool any = false;
    uint32_t begin = threads_begin(p);
    for (uint32_t o = 0; o < p->x->ops; o++) {
        const executed_operation *op = &p->x->op[o];
        if (op->first != NO_STEP || (op->call_at < begin) != before) continue;
        text_add(p->out, any ? ", " : words);
        operation_words(op, p->out);
        if (op->result && op->result[0] != 'n') {
            text_char(p->out, ' ');
            result_words(op->result, p->out);
        }
        any = true;
    }
    if (any) text_char(p->out, '\n');
}

static void heading(page *p) {
    alone(p, true, "  first: ");
    for (unsigned t = 0; t < THREADS_MOST; t++) {
        if (p->place[t] == UINT32_MAX) continue;
        begin_cell(p, t);
        text_printf(p->out, "%sthread %u%s", p->w->colours->dim, t, p->w->colours->off);
    }
    text_char(p->out, '\n');
}

static void legend(page *p) {
    text_printf(p->out, "  %s<- 3: read from step 3%s; stale: a newer write was there and not seen%s\n",
                p->w->colours->dim,
                p->x->model == EXECUTION_GRAPH ? "; <= 3: and all that came before it there happens before" : "",
                p->w->colours->off);
}

/* Only threads that do something get a column. */
static void place_threads(page *p) {
    bool used[THREADS_MOST] = {false};
    for (uint32_t i = 0; i < p->x->steps; i++)
        used[p->x->step[i].thread % THREADS_MOST] |= !is_silent(&p->x->step[i].step);
    for (unsigned t = 0; t < THREADS_MOST; t++) p->place[t] = used[t] ? p->threads++ : UINT32_MAX;
}

void interleaving_print(const execution *x, debug_info *d, const interleaving_wishes *w, text *out) {
    page p = {.x = x, .w = w, .d = d, .n = names_new(d, x), .out = out};
    uint8_t *shown = mem_zero(x->steps + 1, 1);
    place_threads(&p);
    if (!p.threads) p.threads = 1;
    p.column = (w->columns > 60 ? w->columns - 26 : 34) / p.threads;
    if (p.column > 34) p.column = 34;
    if (p.column < 14) p.column = 14;
    interleaving_select(x, w->full, w->lines, shown);
    heading(&p);
    for (uint32_t i = 0, folded = 0; i < x->steps; i++) {
        if (is_silent(&x->step[i].step)) continue;
        const uint32_t next = told_after(x, i);
        calls_before(&p, i);
        if (shown[i]) step_line(&p, i);
        folded = shown[i] ? 0 : folded + 1;
        bool last_folded = folded && (next == x->steps || shown[next] || x->step[next].thread != x->step[i].thread);
        if (last_folded) {
            if (folded == 1) {
                step_line(&p, i);
            } else {
                begin_cell(&p, x->step[i].thread);
                text_printf(out, "%s... %u steps%s\n", w->colours->dim, folded, w->colours->off);
            }
            folded = 0;
        }
        returns_after(&p, i);
    }
    alone(&p, false, "  at the end: ");
    if (x->model != EXECUTION_INTERLEAVED) legend(&p);
    names_free(p.n);
    free(shown);
}
