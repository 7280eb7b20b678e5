/* SPDX-License-Identifier: GPL-2.0-only */
/* strscpy(). */
#ifndef FUZZ_LINUX_STRING_H
#define FUZZ_LINUX_STRING_H

#include <string.h>
#include <sys/types.h>

#include <linux/types.h>

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size);

	if (length == size) {
		memcpy(to, from, size - 1);
		to[size - 1] = '\0';
		return -7;	/* -E2BIG */
	}
	memcpy(to, from, length + 1);
	return length;
}

#endif /* FUZZ_LINUX_STRING_H */
