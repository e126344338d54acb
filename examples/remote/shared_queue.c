/* A queue in a file that several processes map, guarded by a lock on the file; each process announces what it does to
 * replicas.
 *
 *     $ plumb replica --listen 127.0.0.1:7001 &  ... 7002 ... 7003
 *     $ for i in 1 2 3; do shared_queue 127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003 queue.file $i 500 & done
 *     $ plumb monitor --replicas 127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003 --clients 3
 *
 * A fifth word `wrong`: now and then a value that was taken out stays in. Exit: 0 all was announced, 2 a majority of
 * the replicas did not answer. */
#include <plumbline/remote.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 1 << 16 };

typedef struct queue {
    uint64_t head, tail; /* values between them are inside */
    int64_t value[ROOM];
} queue;

static queue *map_queue(const char *path, int *fd) {
    *fd = open(path, O_RDWR | O_CREAT, 0666);
    if (*fd < 0 || ftruncate(*fd, sizeof(queue))) return NULL;
    void *p = mmap(NULL, sizeof(queue), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void enqueue(queue *q, int fd, int64_t v) {
    flock(fd, LOCK_EX);
    q->value[q->tail++ % ROOM] = v;
    flock(fd, LOCK_UN);
}

static int64_t dequeue(queue *q, int fd, int stays) { /* -1: empty */
    flock(fd, LOCK_EX);
    int64_t v = q->head == q->tail ? -1 : q->value[q->head % ROOM];
    if (v >= 0 && !stays) q->head++;
    flock(fd, LOCK_UN);
    return v;
}

static int complain(const char *what) {
    fprintf(stderr, "shared_queue: %s\n", what ? what : "?");
    return 2;
}

int main(int argc, char **argv) {
    int fd, wrong = argc > 5 && !strcmp(argv[5], "wrong");
    if (argc < 5) return fprintf(stderr, "usage: shared_queue REPLICAS FILE CLIENT OPERATIONS [wrong]\n"), 64;
    unsigned client = (unsigned)atoi(argv[3]), operations = (unsigned)atoi(argv[4]), random = client;
    queue *q = map_queue(argv[2], &fd);
    if (!q) return fprintf(stderr, "shared_queue: cannot map %s\n", argv[2]), 66;
    plumb_remote *r = plumb_remote_open(&(plumb_remote_options){
        .struct_size = sizeof(plumb_remote_options), .replicas = argv[1], .object = "queue", .client = client});
    int code = plumb_remote_error(r) ? complain(plumb_remote_error(r)) : 0;
    for (unsigned i = 0; i < operations && !code; i++) {
        int64_t v = (int64_t)client << 32 | i;
        plumb_value arg = plumb_int(v);
        random = random * 1103515245u + 12345u;
        int adds = random >> 16 & 1, stays = wrong && (random >> 17) % 50 == 0;
        if (!plumb_remote_call(r, adds ? "enq" : "deq", &arg, (size_t)adds)) code = complain(plumb_remote_error(r));
        else if (adds) enqueue(q, fd, v);
        else v = dequeue(q, fd, stays);
        plumb_value result = adds ? plumb_none() : v < 0 ? plumb_empty() : plumb_int(v);
        if (!code && !plumb_remote_ret(r, result)) code = complain(plumb_remote_error(r));
    }
    plumb_remote_close(r);
    return code;
}
