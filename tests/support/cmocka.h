/* cmocka wants these in this order. */
#ifndef PLUMB_TESTS_CMOCKA_H
#define PLUMB_TESTS_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
