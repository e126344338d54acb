#include "format/jepsen.h"

#include "base/mem.h"
#include "base/words.h"
#include "format/nemesis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The one place where method names are judged before there is an object. Names are compared without their dashes and
 * underscores. What is in no row is an update (lock, inc, delete, ...). */
static const char *const manner_names[] = {
    [MANNER_WRITE] = "write w put set store enq enqueue offer add insert push append concat update "
                     "pushl pushleft pushfront pushfirst addfirst addleft offerfirst "
                     "pushr pushright pushback pushlast addlast addright offerlast",
    [MANNER_ASK] = "read r get load lookup find has contains member deq dequeue poll pop take peek top front head scan "
                   "size length len count isempty keys getset balances "
                   "popl popleft popfront popfirst removefirst removeleft pollfirst "
                   "popr popright popback poplast removelast removeright polllast "
                   "deletemax removemax extractmax popmax delmax deletemin removemin extractmin popmin delmin "
                   "decide propose exchange swap getandset fetchandadd fetchadd faa getandadd addandget "
                   "fetchandinc getandinc incandget testandset tas",
    [MANNER_REMOVE] = "remove",
    [MANNER_CAS] = "cas compareandset compareandswap compareset compareexchange",
};

enum { KNOWN_METHODS = 256 };

typedef struct method_facts {
    bool known;
    method_manner manner;
    bool observe;    /* a :fail is kept, with the result false */
    bool kv;         /* get, put, ... with a :key: a key-value store */
    bool plain_read; /* it takes no arguments */
} method_facts;

struct jepsen {
    builder *b;
    values *v;
    const read_options *options;
    method_facts method[KNOWN_METHODS];
    bool hinted;
    nemesis *faults;
    int64_t time; /* of the event that is read */
};

jepsen *jepsen_new(builder *b, const read_options *options) {
    jepsen *j = MEM_NEW(jepsen);
    j->b = b;
    j->v = builder_values(b);
    j->options = options;
    j->faults = nemesis_new();
    return j;
}

void jepsen_free(jepsen *j) {
    nemesis_free(j->faults);
    free(j);
}

/* ---- names ---- */

method_manner method_manner_of(const char *name, size_t length) {
    char plain[32];
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '-' || name[i] == '_') continue;
        if (n == sizeof plain) return MANNER_UPDATE;
        plain[n++] = name[i];
    }
    for (unsigned m = MANNER_WRITE; m <= MANNER_CAS; m++)
        if (words_find(manner_names[m], plain, n) >= 0) return (method_manner)m;
    return MANNER_UPDATE;
}

int jepsen_type_of(const char *name, size_t length) {
    static const char *const types[] = {
        [JEPSEN_INVOKE] = "invoke", [JEPSEN_OK] = "ok", [JEPSEN_FAIL] = "fail", [JEPSEN_INFO] = "info"};
    for (int t = 0; t < 4; t++)
        if (strlen(types[t]) == length && memcmp(types[t], name, length) == 0) return t;
    return -1;
}

static bool is_plain_read(const char *name, size_t length) { return words_find("read load r", name, length) >= 0; }
bool jepsen_plain_read(const char *name) { return is_plain_read(name, strlen(name)); }

static const method_facts *facts_of(jepsen *j, unsigned number, const char *name, size_t length) {
    method_facts *m = &j->method[number % KNOWN_METHODS];
    if (!m->known)
        *m = (method_facts){.known = true,
                            .manner = method_manner_of(name, length),
                            .observe = words_find(j->options->observe, name, length) >= 0,
                            .plain_read = is_plain_read(name, length),
                            .kv = words_find("get put append delete cas", name, length) >= 0};
    return m;
}

/* ---- values ---- */

/* Porcupine's logs have a :key and keys that begin as "": the kv object takes a get of "" from an absent key. */
static void hint_object(jepsen *j, const method_facts *m, const jepsen_event *event) {
    if (j->hinted || !m->kv || event->key == VALUE_NONE) return;
    builder_object(j->b, "kv");
    j->hinted = true;
}

/* :empty and :full mean something as results only. */
static value as_argument(jepsen *j, value v) {
    if (v == VALUE_EMPTY) return value_bytes(j->v, "empty", 5);
    if (v == VALUE_FULL) return value_bytes(j->v, "full", 4);
    return v;
}

static const value *as_pair(const jepsen *j, value v) {
    size_t n;
    if (value_is_small_int(v) || value_kind_of(j->v, v) != KIND_TUPLE) return NULL;
    const value *item = value_as_tuple(j->v, v, &n);
    return n == 2 ? item : NULL;
}

static size_t arguments(jepsen *j, const method_facts *m, value content, value arg[2]) {
    const value *pair = m->manner == MANNER_CAS ? as_pair(j, content) : NULL;
    if (pair) {
        arg[0] = as_argument(j, pair[0]);
        arg[1] = as_argument(j, pair[1]);
        return 2;
    }
    arg[0] = as_argument(j, content);
    return content != VALUE_NONE || m->manner == MANNER_WRITE;
}

/* jepsen.independent's [key value]. */
static bool split_key(jepsen *j, const jepsen_event *event, value *key, value *content) {
    const value *pair = as_pair(j, *content);
    if (!pair) {
        text t = {0};
        value_print(j->v, *content, &t);
        builder_error(j->b, event->line, "value is %.60s; expected [key value], of independent keys", text_str(&t));
        text_free(&t);
        return false;
    }
    *key = pair[0];
    *content = pair[1];
    return true;
}

/* ---- events ---- */

static void fault_ended(void *context, uint32_t begun) {
    jepsen *j = context;
    builder_note_until(j->b, begun, j->time);
}

static void add_note(jepsen *j, const jepsen_event *event, const text *t) {
    annotation note = {.text = value_bytes(j->v, t->at, t->size), .timed = event->time >= 0, .time = event->time};
    uint32_t number = builder_notes(j->b);
    if (!note.timed) note.time = 0;
    builder_note(j->b, &note);
    if (note.timed && event->f) nemesis_event(j->faults, event->f, event->f_length, number, fault_ended, j);
}

/* A process called "annotation" is how Plumbline itself writes one: its value is the text. */
static bool annotate(jepsen *j, const jepsen_event *event) {
    text t = {0};
    size_t n;
    if (value_kind_of(j->v, event->process) == KIND_BYTES) {
        const char *name = value_as_bytes(j->v, event->process, &n);
        if (n == 10 && memcmp(name, "annotation", n) == 0) {
            annotation note = {.text = event->content,
                               .timed = event->time >= 0,
                               .lasts = event->until >= 0,
                               .time = event->time >= 0 ? event->time : 0,
                               .until = event->until >= 0 ? event->until : 0};
            builder_note(j->b, &note);
            return true;
        }
        text_bytes(&t, name, n);
    } else {
        value_print(j->v, event->process, &t);
    }
    text_char(&t, ' ');
    text_bytes(&t, event->f ? event->f : "?", event->f ? event->f_length : 1);
    if (event->content != VALUE_NONE) {
        text_char(&t, ' ');
        value_print(j->v, event->content, &t);
    }
    add_note(j, event, &t);
    text_free(&t);
    return true;
}

static bool invoke(jepsen *j, const jepsen_event *event, unsigned number) {
    const method_facts *m = facts_of(j, number, event->f, event->f_length);
    value key = event->key, content = event->content, arg[2];
    if (j->options->independent && !split_key(j, event, &key, &content)) return false;
    hint_object(j, m, event);
    /* Knossos writes what a read will return at its invocation, too: a read has no arguments. */
    size_t nargs = m->plain_read ? 0 : arguments(j, m, content, arg);
    call_record call = {
        .client = event->process, .method = number, .key = key, .arg = arg, .nargs = nargs, .line = event->line};
    return builder_call(j->b, &call);
}

static value result(jepsen *j, const method_facts *m, const open_call *call, value content) {
    switch (m->manner) {
    case MANNER_ASK: return content;
    case MANNER_REMOVE:
        if (!call->nargs) return content;
        break;
    case MANNER_CAS: return content == VALUE_FALSE ? VALUE_FALSE : VALUE_TRUE;
    case MANNER_WRITE:
    case MANNER_UPDATE: break;
    }
    value first = call->nargs ? call->first : VALUE_NONE;
    return as_argument(j, content) == first ? VALUE_NONE : content;
}

/* A call may come without its value: then the completion has it. */
static void supply_arguments(jepsen *j, const method_facts *m, const jepsen_event *event, open_call *call,
                             value content) {
    if ((m->manner != MANNER_WRITE && m->manner != MANNER_CAS) || content == VALUE_NONE) return;
    if (call->nargs != (m->manner == MANNER_WRITE) || call->first != VALUE_NONE) return;
    if (content == VALUE_TRUE || content == VALUE_FALSE || content == VALUE_FULL) return;
    value arg[2];
    size_t nargs = arguments(j, m, content, arg);
    builder_open_args(j->b, event->process, arg, nargs);
    call->first = arg[0];
    call->nargs = nargs;
}

static bool complete(jepsen *j, const jepsen_event *event, const method_facts *m, open_call *call) {
    value content = event->content, key;
    if (j->options->independent && content != VALUE_NONE && !split_key(j, event, &key, &content)) return false;
    supply_arguments(j, m, event, call, content);
    return builder_return(j->b, event->process, result(j, m, call, content), event->line);
}

static bool finish(jepsen *j, const jepsen_event *event) {
    open_call call;
    if (!builder_open_call(j->b, event->process, &call)) { /* the builder says what is wrong */
        if (event->type == JEPSEN_OK) return builder_return(j->b, event->process, VALUE_NONE, event->line);
        if (event->type == JEPSEN_FAIL) return builder_fail(j->b, event->process, event->line);
        return builder_info(j->b, event->process, event->line);
    }
    const method_facts *m = &j->method[call.method % KNOWN_METHODS];
    assert(m->known); /* since the call */
    if (event->f && builder_method(j->b, event->f, event->f_length, event->line) != call.method)
        return builder_error(j->b, event->line,
                             "completion of :%.*s, but the open call of line %u is another method; expected the same",
                             (int)(event->f_length < 60 ? event->f_length : 60), event->f, call.line);
    if (event->type == JEPSEN_OK) return complete(j, event, m, &call);
    if (event->type == JEPSEN_INFO) return builder_info(j->b, event->process, event->line);
    if (m->observe) return builder_return(j->b, event->process, VALUE_FALSE, event->line);
    return builder_fail(j->b, event->process, event->line);
}

static void tell_time(jepsen *j, int64_t time) {
    builder_tick(j->b, 1); /* they are nanoseconds */
    builder_time(j->b, time);
}

bool jepsen_feed(jepsen *j, const jepsen_event *event) {
    if (event->process == VALUE_UNKNOWN)
        return builder_error(j->b, event->line, "operation without :process; expected the number of the client");
    j->time = event->time;
    if (value_kind_of(j->v, event->process) != KIND_INT) return annotate(j, event);
    if (event->time >= 0) tell_time(j, event->time);
    if (event->type != JEPSEN_INVOKE) return finish(j, event);
    if (!event->f) return builder_error(j->b, event->line, "call without :f; expected a method such as :read");
    return invoke(j, event, builder_method(j->b, event->f, event->f_length, event->line));
}
