/* A small driver for trying the machine out by itself: depth-first, random, and replay of random schedules. The real
 * one (explore_main with campaigns) leaves to it what has trial=1 in PLUMB_EXPLORE. Further words: strategy=dfs|random
 * executions=N seed=N threads=TEXT reuse=newest|oldest|choose|never filter=0 races=1 leaks=1 reads=1 spin=0 blocking=1
 * all=1 steps=N print=1 timeouts=N spurious=N tso=1. */
#include "explore/campaign/boundary.h"
#include "explore/inside/options.h"
#include "explore/inside/races.h"
#include "explore/inside/start.h"

#include "explore/model/schedule.h"
#include "explore/strategy/strategy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DEPTH = 1 << 16, HISTORIES = 1 << 20 };

/* left: threads still to try; of: alternatives, 0: a thread */
typedef struct branch {
    thread_set left;
    uint8_t of, choice;
} branch;

static branch tree[DEPTH] PROCESS_STATE;
static uint32_t depth PROCESS_STATE, fixed PROCESS_STATE;
static uint64_t random_state PROCESS_STATE;
static bool diverged PROCESS_STATE;
static uint64_t *histories PROCESS_STATE, history_count PROCESS_STATE;

static uint64_t random_next(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

static int dfs_pick(void *self, world *w) {
    branch *b = &tree[depth];
    if (depth == DEPTH) return PICK_STOP;
    if (depth++ < fixed) {
        diverged |= b->of != 0;
        return b->choice;
    }
    thread_set left = w->enabled;
    unsigned t = thread_lowest(left);
    (void)self;
    *b = (branch){left & (left - 1), 0, (uint8_t)t};
    return (int)t;
}
static unsigned dfs_choose(void *self, world *w, unsigned n, choice_kind kind) {
    branch *b = &tree[depth];
    (void)self, (void)w, (void)kind;
    if (depth++ < fixed) {
        diverged |= b->of != n;
        return b->choice;
    }
    *b = (branch){0, (uint8_t)n, 0};
    return 0;
}
static bool dfs_next(void) {
    while (depth) {
        branch *b = &tree[--depth];
        if (b->of && b->choice + 1 < b->of) b->choice++;
        else if (!b->of && b->left) {
            b->choice = (uint8_t)thread_lowest(b->left);
            b->left &= b->left - 1;
        } else continue;
        fixed = depth + 1;
        depth = 0;
        return true;
    }
    return false;
}

static int random_pick(void *self, world *w) {
    unsigned skip = (unsigned)(random_next() % threads_in(w->enabled));
    thread_set left = w->enabled;
    (void)self;
    while (skip--) left &= left - 1;
    if (depth < DEPTH) tree[depth++] = (branch){0, 0, (uint8_t)thread_lowest(left)};
    return (int)thread_lowest(left);
}
static unsigned random_choose(void *self, world *w, unsigned n, choice_kind kind) {
    unsigned c = (unsigned)(random_next() % n);
    (void)self, (void)w, (void)kind;
    if (depth < DEPTH) tree[depth++] = (branch){0, (uint8_t)n, (uint8_t)c};
    return c;
}

static const driver dfs = {.pick = dfs_pick, .choose = dfs_choose},
                    at_random = {.pick = random_pick, .choose = random_choose};

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

static uint64_t history_hash(const world *w) {
    uint64_t h = 1;
    for (uint32_t at = 0; at < 2 * w->op_count; at++)
        for (uint32_t i = 0; i < w->op_count; i++) {
            const explored_operation *o = &w->ops[i];
            if (o->call_at == at) h = mix(mix(mix(h, o->thread), o->method), (uint64_t)o->arg[0]);
            if (o->return_at == at) h = mix(mix(h, o->thread + 64u), o->result);
        }
    return h | 1;
}

static void history_count_one(const world *w, bool print) {
    uint64_t h = history_hash(w);
    uint32_t i = (uint32_t)(h >> 44);
    while (histories[i] && histories[i] != h) i = (i + 1) & (HISTORIES - 1);
    if (histories[i]) return;
    histories[i] = h;
    history_count++;
    for (uint32_t k = 0; print && k < w->op_count; k++)
        printf("%s%u:%u(%" PRId64 ")=%x@%u-%u", k ? " " : "", w->ops[k].thread, w->ops[k].method, w->ops[k].arg[0],
               w->ops[k].result, w->ops[k].call_at, w->ops[k].return_at);
    if (print) puts("");
}

static uint64_t option(const char *key, uint64_t otherwise) {
    const char *p = getenv("PLUMB_EXPLORE");
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s=", key);
    p = p ? strstr(p, wanted) : NULL;
    return p ? strtoull(p + strlen(wanted), NULL, 10) : otherwise;
}
static bool option_is(const char *word) {
    const char *p = getenv("PLUMB_EXPLORE");
    return p && strstr(p, word);
}

/* Every executed step of one execution as a number: two executions are the same bit for bit when these are equal. */
static uint64_t steps_hash PROCESS_STATE;
static int hashing_pick(void *self, world *w) {
    const step *s = &w->last;
    const driver *inner = self;
    steps_hash = mix(mix(mix(mix(steps_hash, s->kind | (uint64_t)s->flags << 8), s->at[0].address), s->value),
                     s->at[0].role | (uint64_t)w->enabled << 8);
    return inner->pick(inner->self, w);
}
static unsigned hashing_choose(void *self, world *w, unsigned n, choice_kind kind) {
    const driver *inner = self;
    return inner->choose(inner->self, w, n, kind);
}

/* One execution of a strategy, as a number. */
static uint64_t execution_hash(strategy *s, world *w) {
    driver inner = *strategy_next(s);
    const driver d = {.pick = hashing_pick, .choose = hashing_choose, .self = &inner};
    steps_hash = 0;
    machine_run(w, &d);
    strategy_done(s, w);
    return mix(mix(steps_hash, history_hash(w)), w->steps);
}

/* The schedule of the last execution, written and read again, as `plumb replay` has it. */
static bool schedule_carry(const strategy *from, schedule *to) {
    schedule was = {0};
    text words = {0}, wrong = {0};
    from->type->schedule(from, &was);
    schedule_write(&was, &words);
    bool good = schedule_read(to, text_str(&words), &wrong);
    schedule_free(&was);
    text_free(&words);
    text_free(&wrong);
    return good;
}

static void replays_try(world *w, uint64_t n) {
    uint64_t same = 0, done = 0;
    strategy *lots =
        strategy_open(strategy_find("random"),
                      &(strategy_options){.seed = option("seed", 1), .most_steps = options_now()->most_steps});
    while (done < n) {
        schedule s = {0};
        uint64_t first = execution_hash(lots, w);
        if (execution_learned()) continue;
        done++;
        if (!schedule_carry(lots, &s)) continue;
        strategy *replay = strategy_open(strategy_find("replay"),
                                         &(strategy_options){.prefix = &s, .most_steps = options_now()->most_steps});
        same += execution_hash(replay, w) == first && !replay->type->diverged(replay);
        strategy_close(replay);
        schedule_free(&s);
    }
    strategy_close(lots);
    printf("replays %" PRIu64 " identical %" PRIu64 "\n", done, same);
}

/* ---- with snapshots and fewer questions every execution must be the same, memory and order of steps included ---- */

static void memory_mix(void *context, uintptr_t address, const void *bytes, size_t size) {
    uint64_t *h = context;
    *h = mix(*h, address);
    for (size_t i = 0; i < size; i++) *h = mix(*h, ((const uint8_t *)bytes)[i]);
}

static uint64_t clocks_hash(strategy *s) {
    trace_clocks c = s->type->clocks(s);
    uint64_t h = c.steps;
    for (uint32_t i = 0; i < c.steps; i++)
        for (unsigned t = 0; t < world_now()->threads; t++) h = mix(h, c.clock[i][t]);
    return h;
}

static bool orders_agree PROCESS_DATA = true; /* what steps know of calls and returns with what their clocks say */

static bool order_is_right(strategy *s, const world *w) {
    boundary known, counted;
    trace_clocks order = s->type->order(s), clocks = s->type->clocks(s);
    if (!boundary_build(&known, w, &order) || !boundary_build(&counted, w, &clocks)) return true;
    bool same = known.all == counted.all;
    for (unsigned e = 0; same && e < 2 * counted.n; e++)
        same = !(counted.all >> e & 1) || (known.before[e] == counted.before[e] && known.step[e] == counted.step[e]);
    return same;
}

/* Every execution of a strategy as a number; returns how many, 0: more shared memory was learned meanwhile. `plainly`:
 * the strategy is asked before each step, whatever it has said. */
static uint64_t executions_hash(world *w, const strategy_type *type, uint64_t *hash, uint64_t most, bool plainly) {
    strategy *s = strategy_open(type, &(strategy_options){.bound = 2, .most_steps = options_now()->most_steps});
    uint64_t n = 0;
    for (const driver *d; n < most && (d = strategy_next(s)); n++) {
        driver asked = *d;
        asked.foresees = false;
        machine_run(w, plainly ? &asked : d);
        if (execution_learned()) break;
        hash[n] = mix(mix(mix(mix(mix(1, w->trail), w->steps), history_hash(w)), w->ending), w->failure);
        machine_each_memory(memory_mix, &hash[n]);
        hash[n] = races_hash(hash[n], mix);
        strategy_done(s, w);
        orders_agree &= order_is_right(s, w);
        hash[n] = mix(hash[n], clocks_hash(s));
    }
    strategy_close(s);
    return execution_learned() ? 0 : n;
}

static int snapshots_try(world *w, const char *name, uint64_t most) {
    uint64_t *without = calloc(most, sizeof *without), *with = calloc(most, sizeof *with), n = 0, again = 0, same = 0;
    const strategy_type *type = strategy_find(name);
    for (unsigned tries = 0; tries < 100 && (!n || !again); tries++) {
        machine_snapshots(false);
        n = executions_hash(w, type, without, most, true);
        machine_snapshots(true);
        again = n ? executions_hash(w, type, with, most, false) : 0;
    }
    while (same < n && same < again && with[same] == without[same]) same++;
    bool good = n && n == again && same == n && orders_agree;
    printf("snapshots %s %s: %" PRIu64 " executions, %" PRIu64 " of %" PRIu64 " the same, %" PRIu64 " taken up%s\n",
           good ? "good" : "BAD", name, n, same, again, machine_taken_up(),
           orders_agree ? "" : ", another order of calls and returns");
    free(without);
    free(with);
    return !good;
}

static int trial(world *w) {
    uint64_t most = option("executions", UINT64_MAX), executions = 0, steps = 0, bad = 0, bound = 0, restarts = 0,
             assumed = 0;
    bool randomly = option_is("strategy=random"), complete = false;
    random_state = option("seed", 1) * UINT64_C(0x9E3779B97F4A7C15) + 1;
    histories = calloc(HISTORIES, sizeof *histories);
    machine_learn((unsigned)option("learn", 64));
    if (option("replays", 0)) {
        replays_try(w, option("replays", 0));
        return 0;
    }
    if (option("snapshots", 0))
        return snapshots_try(w, "dpor", option("snapshots", 0)) | snapshots_try(w, "bounded", option("snapshots", 0));
    clock_t began = clock();
    while (executions < most) {
        depth = 0;
        ending e = machine_run(w, randomly ? &at_random : &dfs);
        if (e == ENDED_LEARNED && !randomly) {
            fixed = 0;
            restarts++;
            executions = steps = history_count = bound = bad = 0;
            memset(histories, 0, HISTORIES * sizeof *histories);
            continue;
        }
        executions++;
        steps += w->steps;
        bound += e == ENDED_BOUND;
        assumed += e == ENDED_ASSUMED;
        if (diverged) {
            printf("diverged\n");
            return 3;
        }
        if (e == ENDED_WELL) history_count_one(w, option_is("print=1"));
        if (e == ENDED_BAD && !bad++)
            printf("failure %d at execution %" PRIu64 ": %s\n", (int)w->failure, executions, w->message);
        if (bad && !option_is("all=1")) break;
        if (!randomly && !dfs_next()) {
            complete = true;
            break;
        }
    }
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    const machine_race *race;
    printf("executions %" PRIu64 " steps %" PRIu64 " histories %" PRIu64 " bad %" PRIu64 " bound %" PRIu64
           " assumed %" PRIu64 " races %u%s\n",
           executions, steps, history_count, bad, bound, assumed, machine_races(&race), complete ? " complete" : "");
    fprintf(stderr, "restarts %" PRIu64 " cpu %.3f s, %.0f executions/s, %.2f M steps/s\n", restarts, seconds,
            (double)executions / (seconds + 1e-9), (double)steps / (seconds + 1e-9) / 1e6);
    return bad != 0;
}

int trial_main(int argc, char **argv, char **envp, int (*main)(int, char **, char **)) {
    char wrong[256] = "";
    machine_options o = {.filter = option("filter", 1),
                         .races_fatal = option("races", 0),
                         .leaks = option("leaks", 0),
                         .use_after_free_reads = option("reads", 0),
                         .blocking = option("blocking", 0),
                         .no_spinning = !option("spin", 1),
                         .buffers = option("tso", 0),
                         .timeouts = (uint32_t)option("timeouts", 2),
                         .spurious = (uint32_t)option("spurious", 0),
                         .most_steps = (uint32_t)option("steps", 2000)};
    o.reuse = option_is("reuse=oldest")   ? REUSE_OLDEST
              : option_is("reuse=choose") ? REUSE_CHOOSE
              : option_is("reuse=never")  ? REUSE_NEVER
                                          : REUSE_NEWEST;
    if (!machine_open(&o, wrong, sizeof wrong)) {
        fprintf(stderr, "plumb: %s\n", wrong);
        return 70;
    }
    const char *threads = getenv("PLUMB_THREADS");
    for (const plumb_item *i = items_registered(); i && !threads; i = i->next)
        if (i->kind == PLUMB_ITEM_THREADS) threads = i->text;
    if (threads) {
        scenario *s = scenario_parse(threads, items_registered(), wrong, sizeof wrong);
        if (!s) {
            fprintf(stderr, "plumb: %s\n", wrong);
            return 65;
        }
        machine_program(s);
    } else {
        machine_program_main(main, argc, argv, envp);
    }
    return trial(machine_world());
}
