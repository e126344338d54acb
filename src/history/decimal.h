/* Exact decimal numbers: what JSON and EDN write that is no integer of 64 bits. No floating point: a number is a sign,
 * digits and an exponent, in one form only, so that equal numbers are equal bytes. */
#ifndef PLUMB_HISTORY_DECIMAL_H
#define PLUMB_HISTORY_DECIMAL_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct decimal {
    const char *digit; /* neither the first nor the last is a 0; n == 0: the number is zero */
    size_t n;
    int64_t exponent; /* of the first digit: 9.5 is 95 with exponent 0 */
    bool negative;
} decimal;

/* [+-] digits [. digits] [e [+-] digits] [M or N]. The digits are gathered in `room`, which must outlive `out`. False:
 * this is no such number, or its exponent has more than 18 digits. */
bool decimal_read(const char *p, size_t n, text *room, decimal *out);
enum { DECIMAL_OF_INT = 20 }; /* digits of an integer, at most */
void decimal_of_int(int64_t i, char room[DECIMAL_OF_INT], decimal *out);
bool decimal_as_int(const decimal *d, int64_t *out); /* false: it is no integer of 64 bits */

int decimal_compare(const decimal *a, const decimal *b);
/* 9.5, -0.001, 18446744073709551616, 1.5e+300: JSON and EDN read it as the same number. */
void decimal_print(const decimal *d, text *out);

#endif
