/* The frame of saturation: slots, clock, who is open and waited for, propagation until nothing new follows. */
#include "engine/saturate/saturation_rules.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- objects ---- */

static bool names(const char *words, const char *name) {
    char padded[64];
    snprintf(padded, sizeof padded, " %s ", name);
    return strstr(words, padded) != NULL;
}

static const rules *rules_of(const object *o) {
    static const rules *const all[] = {&container_rules, &cell_rules};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (names(all[i]->objects, o->type->name)) return all[i];
    return NULL;
}

bool saturation_understands(const object *o) {
    bool bounded = o->type->parameters[0].name && o->parameter[0] != 0; /* capacities: the theories know none */
    return rules_of(o) && !bounded;
}

/* Stack: `delayed` misses violations. Queue and pool: an add that overlaps a foreign remove would keep everything with
 * `component`, and `delayed` is proved to miss nothing. Set: there is no match to remove. */
removal_rule saturation_standard(const object *o) {
    return names(" queue multiset register swmr-register ", o->type->name) ? REMOVAL_DELAYED : REMOVAL_COMPONENT;
}

bool saturation_removes(const object *o, removal_rule rule) {
    if (rules_of(o) != &cell_rules) return true;
    return rule != REMOVAL_IMMEDIATE && !(rule == REMOVAL_DELAYED && !strcmp(o->type->name, "set"));
}

bool saturation_leaves_whole(const object *o, removal_rule rule) {
    if (rule == REMOVAL_STANDARD) rule = saturation_standard(o);
    return rules_of(o) != &cell_rules || rule == REMOVAL_NONE;
}

/* ---- making ---- */

saturation *saturation_new(const object *o, const saturation_settings *settings) {
    saturation *s = MEM_NEW(saturation);
    s->o = o;
    s->rules = rules_of(o);
    s->settings = *settings;
    if (s->settings.removal == REMOVAL_STANDARD) s->settings.removal = saturation_standard(o);
    if (!s->settings.cap) s->settings.cap = SATURATION_CAP;
    closure_init(&s->order);
    s->oldest = s->newest = NO_SLOT;
    s->rules->init(s);
    return s;
}

void saturation_free(saturation *s) {
    if (!s) return;
    s->rules->free(s);
    closure_free(&s->order);
    FREE_ALL(s->slot, s->waiting.at, s);
}

/* ---- what was found ---- */

static void end_with(saturation *s, saturation_state found, const char *format, va_list args) {
    if (!saturation_goes_on(s)) return;
    s->state = found;
    vsnprintf(s->why, sizeof s->why, format, args);
}

void saturation_violation(saturation *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    end_with(s, SATURATION_VIOLATION, format, args);
    va_end(args);
}

void saturation_stop(saturation *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    end_with(s, SATURATION_GAVE_UP, format, args);
    va_end(args);
}

saturation_state saturation_now(const saturation *s) { return s->state; }
const char *saturation_why(const saturation *s) { return s->why; }
uint32_t saturation_live(const saturation *s) { return s->order.count; }
const char *saturation_doubt(const saturation *s) { return s->rules->doubt(s); }

bool saturation_settle(saturation *s) {
    if (!saturation_goes_on(s) || s->oldest != NO_SLOT || s->settings.removal == REMOVAL_NONE) return false;
    return s->rules->settle(s);
}

size_t saturation_memory(const saturation *s) {
    return sizeof *s + closure_memory(&s->order) + s->slot_room * sizeof *s->slot +
           s->waiting.room * sizeof *s->waiting.at + s->rules->memory(s);
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint64_t *saturation_numbers(const saturation *s, uint32_t *n) {
    uint64_t *number = MEM_ARRAY(uint64_t, (size_t)s->order.count + 1);
    *n = 0;
    MASK_EACH(s->order.words, w, x, s->order.live[w]) number[(*n)++] = s->slot[x].number;
    assert(*n == s->order.count);
    qsort(number, *n, sizeof *number, by_number);
    return number;
}

/* ---- lists ---- */

void fifo_put(fifo *f, uint32_t x) {
    if (f->n == f->room) {
        uint32_t room = f->room ? 2 * f->room : 64, *larger = MEM_ARRAY(uint32_t, room);
        for (uint32_t i = 0; i < f->n; i++) larger[i] = fifo_at(f, i);
        free(f->at);
        f->at = larger;
        f->room = room;
        f->first = 0;
    }
    assert(f->n < f->room && is_power_of_two(f->room));
    f->at[(f->first + f->n++) & (f->room - 1)] = x;
}

void fifo_take(fifo *f) {
    assert(f->n > 0);
    f->first = (f->first + 1) & (f->room - 1);
    f->n--;
}

static void link_open(saturation *s, uint32_t x) {
    saturated *o = &s->slot[x];
    assert(!o->waited_for && (s->newest == NO_SLOT || s->slot[s->newest].call < o->call)); /* by call */
    o->waited_for = true;
    o->older = s->newest;
    o->newer = NO_SLOT;
    if (s->newest != NO_SLOT) s->slot[s->newest].newer = x;
    else s->oldest = x;
    s->newest = x;
}

static void unlink_open(saturation *s, uint32_t x) {
    saturated *o = &s->slot[x];
    if (!o->waited_for) return;
    assert(o->older == NO_SLOT ? s->oldest == x : s->slot[o->older].newer == x);
    assert(o->newer == NO_SLOT ? s->newest == x : s->slot[o->newer].older == x);
    o->waited_for = false;
    if (o->older != NO_SLOT) s->slot[o->older].newer = o->newer;
    else s->oldest = o->newer;
    if (o->newer != NO_SLOT) s->slot[o->newer].older = o->older;
    else s->newest = o->older;
}

uint64_t saturation_waits_since(const saturation *s) {
    return s->oldest == NO_SLOT ? NOT_YET : s->slot[s->oldest].call;
}

/* ---- propagation ---- */

void saturation_order(saturation *s, uint32_t x, uint32_t y) {
    if (!closure_add(&s->order, x, y))
        saturation_violation(s, "what follows for the order of the operations contradicts itself");
}

static void propagate(saturation *s) {
    ordered_pair p;
    while (saturation_goes_on(s) && closure_next(&s->order, &p)) s->rules->pair(s, p.before, p.after);
}

void saturation_forget(saturation *s, const uint64_t *which) {
    s->rules->forget(s, which);
    closure_forget(&s->order, which);
}

static void forget_one(saturation *s, uint32_t x) {
    uint64_t *which = mem_zero(s->order.words, sizeof *which);
    mask_set(which, x);
    saturation_forget(s, which);
    free(which);
}

/* What waits may not become too much. What only the rule holds is removed all the same; an operation that does not
 * return is not waited for any longer. */
static void stay_below_cap(saturation *s) {
    while (saturation_goes_on(s) && s->waiting.n > s->settings.cap) {
        if (s->rules->relieve(s)) continue;
        uint32_t x = s->oldest;
        if (x == NO_SLOT) {
            saturation_stop(s, "more than %u operations were not ordered far enough to be removed", s->settings.cap);
            return;
        }
        unlink_open(s, x);
        s->unreturned++;
        if (!s->rules->give_up(s, x)) return;
        s->rules->remove(s);
    }
}

static void after_event(saturation *s) {
    propagate(s);
    if (!saturation_goes_on(s) || s->settings.removal == REMOVAL_NONE) return;
    s->rules->remove(s);
    stay_below_cap(s);
}

/* ---- events ---- */

/* There may be thousands of elements with an operation or two each: no more slots than are used. */
static void reserve_slot(saturation *s, uint32_t x) {
    if (x < s->slot_room) return;
    s->slot_room = s->slot_room ? 2 * s->slot_room : 8;
    while (s->slot_room <= x) s->slot_room *= 2;
    assert(s->slot_room > x);
    s->slot = MEM_GROW(s->slot, saturated, s->slot_room);
}

uint32_t saturation_call(saturation *s, const operation *op, uint64_t number) {
    uint32_t words = s->order.words, x = closure_new(&s->order);
    if (s->order.words != words) s->rules->grow(s, words);
    reserve_slot(s, x);
    s->slot[x] = (saturated){.number = number,
                             .call = ++s->now,
                             .ret = NOT_YET,
                             .mate = NO_SLOT,
                             .content = NO_SLOT,
                             .seen = NO_SLOT,
                             .method = op->method};
    link_open(s, x);
    if (saturation_goes_on(s)) s->rules->call(s, x, op);
    return x;
}

void saturation_return(saturation *s, uint32_t x, value res) {
    saturated *o = &s->slot[x];
    assert(x < s->slot_room && o->ret == NOT_YET && o->call <= s->now);
    s->now++;
    unlink_open(s, x);
    if (!saturation_goes_on(s)) return;
    o->ret = s->now;
    if (o->ignored) {
        forget_one(s, x);
        return;
    }
    closure_end(&s->order, x);
    s->rules->ret(s, x, res);
    after_event(s);
}

void saturation_drop(saturation *s, uint32_t x) {
    s->now++;
    unlink_open(s, x);
    if (!saturation_goes_on(s)) return;
    if (!s->slot[x].ignored) s->rules->drop(s, x);
    if (saturation_goes_on(s)) forget_one(s, x);
    after_event(s);
}

void saturation_pend(saturation *s, uint32_t x) {
    s->now++;
    unlink_open(s, x);
    s->unreturned++;
    if (!saturation_goes_on(s) || !s->rules->give_up(s, x)) return;
    if (s->slot[x].ignored) forget_one(s, x);
    after_event(s);
}
