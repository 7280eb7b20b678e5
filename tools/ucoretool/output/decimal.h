/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers as printf(3) writes them, for rows that are written hundreds of times a second:
 * printf takes some thousand instructions for a fraction.
 */
#ifndef UCORETOOL_DIGITS_H
#define UCORETOOL_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* Room for any number, and for most fractions */
#define DIGITS_LEN	24

/* Decimals that digits_fixed() can write */
#define DIGITS_PLACES	3

/**
 * digits_number() - a number in decimal, as "%llu" has it
 * @text: has room for DIGITS_LEN bytes
 *
 * Return: how many digits it has.
 */
size_t digits_number(char *text, uint64_t number);

/**
 * digits_fixed() - a fraction with so many decimals, as "%.*f" has it
 * @text: where it goes, at least DIGITS_LEN bytes; what is longer is cut off
 * @size: bytes there
 * @places: decimals, from 1 to DIGITS_PLACES
 */
void digits_fixed(char *text, size_t size, double real, unsigned int places);

#endif /* UCORETOOL_DIGITS_H */
