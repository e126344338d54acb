#include "bench/plot.h"

#include <stdio.h>

void plot_write(const char *path, const char *title, const char *x_label, const char *y_label, const series *s,
                unsigned count) {
    text t = {0};
    plot_growth(title, x_label, y_label, s, count, &t);
    FILE *f = fopen(path, "w");
    if (f) {
        fwrite(t.at, 1, t.size, f);
        fclose(f);
    }
    text_free(&t);
}
