#include "format/note_value.h"

#include <assert.h>
#include <string.h>

static value word(values *t, const char *name) { return value_bytes(t, name, strlen(name)); }

value note_value(values *t, const annotation *note) {
    if (!note->timed && !note->lasts) return note->text;
    value item[6] = {word(t, "text"), note->text};
    size_t n = 2;
    if (note->timed) {
        item[n++] = word(t, "time");
        item[n++] = value_int(t, note->time);
    }
    if (note->lasts) {
        item[n++] = word(t, "until");
        item[n++] = value_int(t, note->until);
    }
    return value_list_of(t, KIND_MAP, item, n);
}

static bool take_time(const values *t, value v, int64_t *out, bool *has) {
    if (*has || value_kind_of(t, v) != KIND_INT) return false;
    *out = value_as_int(t, v);
    return *has = true;
}

/* Whatever is not made by note_value is a text. */
annotation note_of_value(values *t, value v) {
    annotation plain = {.text = v}, note = {.text = VALUE_NONE};
    if (value_kind_of(t, v) != KIND_MAP) return plain;
    size_t n;
    const value *item = value_list(t, v, &n);
    const value words = word(t, "text"), time = word(t, "time"), until = word(t, "until");
    bool good = true, has_text = false;
    assert(n % 2 == 0); /* keys and values in turn */
    for (size_t i = 0; i < n && good; i += 2) {
        if (item[i] == time) good = take_time(t, item[i + 1], &note.time, &note.timed);
        else if (item[i] == until) good = take_time(t, item[i + 1], &note.until, &note.lasts);
        else good = has_text = item[i] == words;
        if (item[i] == words) note.text = item[i + 1];
    }
    return good && has_text && (note.timed || note.lasts) ? note : plain;
}
