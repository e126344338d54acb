#include "remote/publish.h"

#include "base/text.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- subjects ---- */

bool subject_is_one(const char *subject) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.*";
    const size_t n = strlen(subject);
    return n > 0 && n <= 100 && strspn(subject, allowed) == n && subject[0] != '.' && subject[n - 1] != '.' &&
           !strstr(subject, "..");
}

void subject_log(const char *subject, char log[TRANSPORT_NAME]) { snprintf(log, TRANSPORT_NAME, "events.%s", subject); }

/* ---- the carrier ---- */

/* Beside the library, as it is built and as it is installed. */
static bool find_carrier(char *path, size_t room) {
    static const char *const beside[] = {"transports", "plumbline/transports", "../transports"};
    const char *told = getenv("PLUMB_TRANSPORTS");
    Dl_info own = {0};
    if (told && snprintf(path, room, "%s/nats.so", told) < (int)room && !access(path, R_OK)) return true;
    static const char here; /* in this library */
    if (!dladdr(&here, &own) || !own.dli_fname) return false;
    const char *slash = strrchr(own.dli_fname, '/');
    const int folder = slash ? (int)(slash - own.dli_fname) : 1;
    for (unsigned i = 0; i < sizeof beside / sizeof *beside; i++) {
        const int n = snprintf(path, room, "%.*s/%s/nats.so", folder, slash ? own.dli_fname : ".", beside[i]);
        if (n < (int)room && !access(path, R_OK)) return true;
    }
    return false;
}

static const transport_type *carrier_of(const char *url, error *e) {
    char path[4096];
    if (!strncmp(url, "file:", 5)) return &transport_file;
    if (strncmp(url, "nats://", 7) && strncmp(url, "tls://", 6)) {
        error_set(e, EXIT_USAGE, "cluster '%.60s'; expected nats://HOST:PORT, tls://HOST:PORT or file:FOLDER", url);
        return NULL;
    }
    if (!find_carrier(path, sizeof path)) {
        error_set(e, EXIT_CANNOT_OPEN,
                  "the NATS transport is not there: transports/nats.so is built where libnats-dev is");
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays: libnats has threads that outlive connections */
    const transport_type *type = library ? dlsym(library, "plumb_transport_definition") : NULL;
    if (!type) error_set(e, EXIT_CANNOT_OPEN, "cannot be loaded: %s", dlerror());
    else if (type->struct_size != sizeof *type) error_set(e, EXIT_CANNOT_OPEN, "%s: made for another plumbline", path);
    return e->code ? NULL : type;
}

bool publisher_open(publisher *p, const char *url, const char *subject, error *e) {
    char why[TRANSPORT_WHY] = "no memory";
    if (!subject || !subject_is_one(subject) || strchr(subject, '*'))
        return error_set(e, EXIT_USAGE, "no subject; expected letters, digits, '-', '_' and '.'");
    if (!(p->type = carrier_of(url, e))) return false;
    subject_log(subject, p->log);
    p->t = p->type->open(&(transport_settings){.struct_size = sizeof(transport_settings), .url = url}, why, sizeof why);
    return p->t || error_set(e, EXIT_CANNOT_OPEN, "%s", why);
}

void publisher_close(publisher *p) {
    if (p->t) p->type->close(p->t);
    p->t = NULL;
}

/* ---- events ---- */

static void add_json(text *out, const plumb_value *v) {
    switch (v->kind) {
    case PLUMB_INT: text_int(out, v->as.integer); break;
    case PLUMB_BOOL: text_add(out, v->as.integer ? "true" : "false"); break;
    case PLUMB_EMPTY: text_add(out, "\"empty\""); break;
    case PLUMB_FULL: text_add(out, "\"full\""); break;
    case PLUMB_BYTES: text_json(out, v->as.bytes, v->size); break;
    case PLUMB_TUPLE:
        text_char(out, '[');
        for (uint32_t i = 0; i < v->size; i++) {
            if (i) text_char(out, ',');
            add_json(out, &v->as.item[i]);
        }
        text_char(out, ']');
        break;
    default: text_add(out, "null"); break;
    }
}

static void begin_event(const publisher *p, const char *event, text *out) {
    if (p->life) text_printf(out, "{\"client\":\"%" PRIu32 ".%" PRIu32 "\"", p->client, p->life);
    else text_printf(out, "{\"client\":%" PRIu32, p->client);
    text_printf(out, ",\"event\":\"%s\"", event);
}

static bool publish(publisher *p, text *line, error *e) {
    char why[TRANSPORT_WHY] = "";
    text_add(line, "}\n");
    const bool fits = line->size <= TRANSPORT_MESSAGE;
    if (!fits) snprintf(why, sizeof why, "the event is too large");
    const bool good = fits && p->type->append(p->t, p->log, line->at, line->size, NULL, why) == TRANSPORT_DONE;
    if (!good) p->life++;
    text_free(line);
    return good || error_set(e, EXIT_UNDECIDED, "not published: %s", why);
}

bool publisher_call(publisher *p, const char *method, const plumb_value *arg, size_t args, error *e) {
    text line = {0};
    const size_t first = p->keyed && args ? 1 : 0;
    begin_event(p, "call", &line);
    text_add(&line, ",\"op\":");
    text_json(&line, method, strlen(method));
    if (first) {
        text_add(&line, ",\"key\":");
        add_json(&line, &arg[0]);
    }
    text_add(&line, ",\"args\":[");
    for (size_t i = first; i < args; i++) {
        if (i > first) text_char(&line, ',');
        add_json(&line, &arg[i]);
    }
    text_char(&line, ']');
    return publish(p, &line, e);
}

bool publisher_end(publisher *p, const char *event, const plumb_value *res, error *e) {
    text line = {0};
    begin_event(p, event, &line);
    if (res) {
        text_add(&line, ",\"res\":");
        add_json(&line, res);
    }
    return publish(p, &line, e);
}
