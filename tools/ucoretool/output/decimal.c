// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Conversion of numbers to decimal text.  printf(3) converts numbers for which is_plain() is false.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "output/decimal.h"

/*
 * Fractions are multiples of 2^-54, the smallest step of a double of at least 1/4.  A fraction
 * has less than 2^54 such units, and 1000 times that number fits in 64 bits.
 */
#define UNIT_BITS	54
#define UNITS		(UINT64_C(1) << UNIT_BITS)

size_t digits_number(char *text, uint64_t number)
{
	char digits[DIGITS_LEN];
	size_t at = sizeof(digits), length;

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	length = sizeof(digits) - at;
	memcpy(text, digits + at, length);
	text[length] = 0;
	return length;
}

/* Return true for 0, and for numbers from 0.25 to 1e15, whose fraction is a multiple of 2^-54 */
static bool is_plain(double real)
{
	return (real >= 0.25 && real < 1e15) || (real == 0 && !__builtin_signbit(real));
}

void digits_fixed(char *text, size_t size, double real, unsigned int places)
{
	static const uint32_t powers[DIGITS_PLACES + 1] = { 1, 10, 100, 1000 };
	uint64_t whole, units, part, rest;
	size_t at;

	if (!is_plain(real)) {
		snprintf(text, size, "%.*f", (int)places, real);
		return;
	}
	whole = (uint64_t)real;
	units = (uint64_t)((real - (double)whole) * (double)UNITS) * powers[places];
	part = units >> UNIT_BITS;
	rest = units & (UNITS - 1);
	/* round the last decimal place to nearest, ties to even, like printf(3) */
	part += rest > UNITS / 2 || (rest == UNITS / 2 && part & 1);
	whole += part / powers[places];
	at = digits_number(text, whole);
	text[at++] = '.';
	for (unsigned int place = places; place--; part /= 10)
		text[at + place] = (char)('0' + part % 10);
	text[at + places] = 0;
}
