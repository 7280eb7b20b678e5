/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversion of numbers to decimal text, with the results of printf(3) but faster.  Rows are
 * written hundreds of times a second, and printf takes some thousand instructions a fraction.
 */
#ifndef UCORETOOL_DECIMAL_H
#define UCORETOOL_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* Buffer size (bytes) for any 64-bit integer, and for most numbers with a fraction */
#define DIGITS_LEN	24

/* Maximum number of decimal places of digits_fixed() */
#define DIGITS_PLACES	3

/**
 * digits_number() - write a number as with "%llu"
 * @text: output buffer of at least DIGITS_LEN bytes
 * @number: number to write
 *
 * Return: number of digits.
 */
size_t digits_number(char *text, uint64_t number);

/**
 * digits_fixed() - write a number with @places decimal places as with "%.*f"
 * @text: output buffer of at least DIGITS_LEN bytes; longer results are truncated
 * @size: size of @text (bytes)
 * @real: number to write
 * @places: decimal places, from 1 to DIGITS_PLACES
 */
void digits_fixed(char *text, size_t size, double real, unsigned int places);

#endif /* UCORETOOL_DECIMAL_H */
