/* A scene as SVG: shapes carry classes and operation numbers; colours and what happens on hover are the page's. */
#ifndef PLUMB_REPORT_SCENE_SVG_H
#define PLUMB_REPORT_SCENE_SVG_H

#include "report/scene.h"

typedef enum arrow_kind {
    ARROW_TIME,   /* returned before the other was called */
    ARROW_FORCED, /* must come before the other */
} arrow_kind;

typedef struct arrow {
    uint32_t from, to; /* operation numbers */
    arrow_kind kind;
    bool clash; /* one of the two that contradict each other */
} arrow;

void scene_svg(const scene *s, const arrow *a, uint32_t arrows, const char *title, text *out);

#endif
