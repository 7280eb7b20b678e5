// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Numbers in decimal.  What has no exact way of being short is left to printf(3).
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "output/decimal.h"

/*
 * A fraction is taken in units of 2^-54: a double of at least 1/4 has no finer ones, and a
 * thousand times less than 2^54 of them fit 64 bits.
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

/* No sign, and neither too small for the units nor too large for 15 digits; or nothing at all */
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
	/* to the nearest, and a tie to the even one */
	part += rest > UNITS / 2 || (rest == UNITS / 2 && part & 1);
	whole += part / powers[places];
	at = digits_number(text, whole);
	text[at++] = '.';
	for (unsigned int place = places; place--; part /= 10)
		text[at + place] = (char)('0' + part % 10);
	text[at + places] = 0;
}
