/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of the driver's tables as text, and the lines that platform_tables.c prints. */
#ifndef CHECK_FACT_TEXT_H
#define CHECK_FACT_TEXT_H

#include <stddef.h>

#include <linux/types.h>

/* Value of a fact, of which parts are appended. The program ends if it is too long. */
struct fact_text {
	char s[2000];
	size_t len;
};

__printf(2, 3) void fact_add(struct fact_text *text, const char *format, ...);
void fact_add_bits(struct fact_text *text, u64 mask);
void fact_add_named_bits(struct fact_text *text, const char *name, u64 mask);
void fact_add_offsets(struct fact_text *text, const u16 *offset, u32 nr);
const char *fact_separator(const struct fact_text *text);

void fact_print(const char *platform, const char *type, const char *name,
		const struct fact_text *text);
__printf(4, 5) void fact_printf(const char *platform, const char *type, const char *name,
				const char *format, ...);

#endif /* CHECK_FACT_TEXT_H */
