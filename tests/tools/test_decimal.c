// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Formatting of numbers without printf(): compare the texts with those of printf().
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/decimal.h"
#include "unit.h"

#define ROUNDS	50000

static void number_is(uint64_t number)
{
	char text[DIGITS_LEN], wanted[DIGITS_LEN];
	size_t length = digits_number(text, number);

	snprintf(wanted, sizeof(wanted), "%llu", (unsigned long long)number);
	assert_string_equal(text, wanted);
	assert_int_equal(length, strlen(wanted));
}

static void fixed_is(double real)
{
	char text[512], wanted[512];

	for (unsigned int places = 1; places <= DIGITS_PLACES; places++) {
		digits_fixed(text, sizeof(text), real, places);
		snprintf(wanted, sizeof(wanted), "%.*f", (int)places, real);
		assert_string_equal(text, wanted);
	}
}

static void integers_match_printf(void **state)
{
	static const uint64_t edges[] = { 0, 1, 9, 10, 99, 100, 12345, UINT32_MAX, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < NR(edges); i++)
		number_is(edges[i]);
	for (uint64_t ten = 1; ten < UINT64_MAX / 10; ten *= 10) {
		number_is(ten - 1);
		number_is(ten);
	}
}

/* Ties, carries into the next digit, and values without digits */
static void fractions_at_edges_match_printf(void **state)
{
	static const double edges[] = {
		0, -0.0, 0.0005, 0.0625, 0.125, 0.25, 0.3125, 0.375, 0.5, 0.95, 0.995, 0.9995,
		0.99999, 1, 1.0625, 2.5, 9.995, 9.9996, 99.995, 100, 999.9995, 1e9, 4503599627370497.5,
		999999999999999.9, 1e15, 1e16, 1e300, -1, -0.3, -99.995, 5e-324,
	};

	(void)state;
	for (size_t i = 0; i < NR(edges); i++)
		fixed_is(edges[i]);
	fixed_is(HUGE_VAL);
	fixed_is(-HUGE_VAL);
	fixed_is(__builtin_nan(""));
}

/* Sixteenths are exact ties for one, two and three decimals */
static void ties_round_to_even(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 64000; i++)
		fixed_is(i / 16.0);
}

/* Random values of any exponent, and values next to ties */
static void random_fractions_match_printf(void **state)
{
	(void)state;
	srand(1);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		uint64_t bits = (uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand();
		double tie = (rand() % 2000000) / 2000.0, real;

		memcpy(&real, &bits, sizeof(real));
		fixed_is(real);
		fixed_is(ldexp((double)bits, -(rand() % 70)));
		fixed_is(tie);
		fixed_is(nextafter(tie, 0));
		fixed_is(nextafter(tie, HUGE_VAL));
	}
}

static void long_text_is_truncated(void **state)
{
	char text[DIGITS_LEN + 1];

	(void)state;
	memset(text, 'x', sizeof(text));
	digits_fixed(text, DIGITS_LEN, 1e300, 3);
	assert_int_equal(strlen(text), DIGITS_LEN - 1);
	assert_int_equal(text[DIGITS_LEN], 'x');
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(integers_match_printf),
	cmocka_unit_test(fractions_at_edges_match_printf),
	cmocka_unit_test(ties_round_to_even),
	cmocka_unit_test(random_fractions_match_printf),
	cmocka_unit_test(long_text_is_truncated),
};

UNIT_MAIN(tests)
