/* A service that publishes what it does: URL SUBJECT CLIENT OLD. Client 1 writes 1 to 10 under each of two keys, any
 * other reads the last value, or, with OLD, the one before. */
#include <plumbline/remote.h>

#include <stdio.h>
#include <stdlib.h>

static bool put(plumb_remote *r, int key, int v) {
    plumb_value arg[2] = {plumb_int(key), plumb_int(v)};
    return plumb_remote_call(r, "put", arg, 2) && plumb_remote_ret(r, plumb_none());
}

static bool get(plumb_remote *r, int key, int v) {
    plumb_value arg[1] = {plumb_int(key)};
    return plumb_remote_call(r, "get", arg, 1) && plumb_remote_ret(r, plumb_int(v));
}

int main(int argc, char **argv) {
    if (argc != 5) return 64;
    plumb_remote_options o = {.struct_size = sizeof o, .object = "kv", .cluster = argv[1], .subject = argv[2]};
    o.client = (uint32_t)atoi(argv[3]);
    plumb_remote *r = plumb_remote_open(&o);
    bool good = !plumb_remote_error(r);
    for (int v = 1; v <= 10 && good; v++)
        for (int key = 1; key <= 2 && good; key++)
            good = o.client == 1 ? put(r, key, v) : get(r, key, 10 - atoi(argv[4]));
    if (!good) fprintf(stderr, "%s\n", plumb_remote_error(r));
    plumb_remote_close(r);
    return !good;
}
