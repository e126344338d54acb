#ifndef PLUMB_OBJECT_TYPES_H
#define PLUMB_OBJECT_TYPES_H

#include "object/object.h"

#define OBJECT_TYPE(name) extern const object_type object_type_##name;
#include "object/types.def"
#undef OBJECT_TYPE

#endif
