/* The calling thread's log, by a key of the thread library. A process has about a thousand keys: recorders beyond find
 * logs in a list, by the ids of threads, and leave the logs of threads that have ended when another one comes. */
#include "runtime/record/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct listed_log {
    struct listed_log *next;
    pid_t thread;
    plumb_log *log;
} listed_log;

static void leave_at_end(void *l) { plumb_record_leave(l); }

void thread_logs_init(thread_logs *t) {
    t->has_key = pthread_key_create(&t->key, leave_at_end) == 0;
    pthread_mutex_init(&t->lock, NULL);
}

static bool has_ended(pid_t thread) { return syscall(SYS_tgkill, getpid(), thread, 0) < 0 && errno == ESRCH; }

static void drop(listed_log **at) {
    listed_log *gone = *at;
    *at = gone->next;
    plumb_record_leave(gone->log);
    free(gone);
}

static void drop_ended(thread_logs *t) {
    for (listed_log **at = &t->listed; *at;)
        if (has_ended((*at)->thread)) drop(at);
        else at = &(*at)->next;
}

/* A thread with the id of one that has ended continues its log. */
static plumb_log *find_listed(const thread_logs *t, pid_t thread) {
    for (const listed_log *l = t->listed; l; l = l->next)
        if (l->thread == thread) return l->log;
    return NULL;
}

/* A log that cannot be listed cannot be found again: its thread is one that has no memory for a log. */
static plumb_log *list(plumb_recorder *r, pid_t thread) {
    listed_log *l = malloc(sizeof *l);
    drop_ended(&r->here);
    if (!l) return record_without_memory(r);
    *l = (listed_log){.next = r->here.listed, .thread = thread, .log = plumb_record_join(r)};
    r->here.listed = l;
    return l->log;
}

static plumb_log *here_without_key(plumb_recorder *r) {
    pid_t thread = (pid_t)syscall(SYS_gettid);
    pthread_mutex_lock(&r->here.lock);
    plumb_log *l = find_listed(&r->here, thread);
    if (!l) l = list(r, thread);
    pthread_mutex_unlock(&r->here.lock);
    return l;
}

plumb_log *plumb_record_here(plumb_recorder *r) {
    if (!r || r->error.code) return plumb_record_join(r);
    if (!r->here.has_key) return here_without_key(r);
    plumb_log *l = pthread_getspecific(r->here.key);
    if (l) return l;
    l = plumb_record_join(r);
    if (!l || !pthread_setspecific(r->here.key, l)) return l;
    plumb_record_leave(l); /* could not be found again */
    return record_without_memory(r);
}

void thread_logs_free(thread_logs *t) {
    if (t->has_key) {
        plumb_record_leave(pthread_getspecific(t->key));
        pthread_key_delete(t->key);
    }
    while (t->listed) drop(&t->listed);
    pthread_mutex_destroy(&t->lock);
}
