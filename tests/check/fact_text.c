// SPDX-License-Identifier: GPL-2.0-only
/* Values of the driver's tables as text, and the lines that platform_tables.c prints. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/bits.h>

#include "fact_text.h"

static void add_args(struct fact_text *text, const char *format, va_list args)
{
	text->len += vsnprintf(text->s + text->len, sizeof(text->s) - text->len, format, args);
	if (text->len >= sizeof(text->s)) {
		fprintf(stderr, "platform_tables: text too long: %s\n", text->s);
		exit(EXIT_FAILURE);
	}
}

void fact_add(struct fact_text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_args(text, format, args);
	va_end(args);
}

const char *fact_separator(const struct fact_text *text)
{
	return text->len ? ", " : "";
}

/* Add the numbers of the bits of a mask: "31:24", "20 22", "60:45 3:0". */
void fact_add_bits(struct fact_text *text, u64 mask)
{
	const char *space = "";
	int low, high;

	for (high = 63; high >= 0; high = low - 1) {
		low = high;
		if (!(mask & BIT_ULL(high)))
			continue;
		while (low && mask & BIT_ULL(low - 1))
			low--;
		fact_add(text, low == high ? "%s%d" : "%s%d:%d", space, high, low);
		space = " ";
	}
}

/* Add the numbers of the bits of a mask with their name, unless the mask is 0. */
void fact_add_named_bits(struct fact_text *text, const char *name, u64 mask)
{
	if (!mask)
		return;
	fact_add(text, "%s%s ", fact_separator(text), name);
	fact_add_bits(text, mask);
}

/* Add register offsets: their first value and their distance if it is the same for all. */
void fact_add_offsets(struct fact_text *text, const u16 *offset, u32 nr)
{
	u32 i, step = nr > 1 ? offset[1] - offset[0] : 0;

	for (i = 2; i < nr; i++)
		if (offset[i] - offset[i - 1] != (int)step)
			step = 0;
	if (nr > 2 && step) {
		fact_add(text, "%#x + ", offset[0]);
		if (step > 1)
			fact_add(text, "%u ", step);
		fact_add(text, "i, i = 0..%u", nr - 1);
		return;
	}
	for (i = 0; i < nr; i++)
		fact_add(text, "%s%#x", i ? ", " : "", offset[i]);
}

void fact_print(const char *platform, const char *type, const char *name,
		const struct fact_text *text)
{
	if (text->len)
		printf("fact\t%s\t%s\t%s\t%s\n", platform, type, name, text->s);
}

void fact_printf(const char *platform, const char *type, const char *name, const char *format, ...)
{
	struct fact_text text = { };
	va_list args;

	va_start(args, format);
	add_args(&text, format, args);
	va_end(args);
	fact_print(platform, type, name, &text);
}
