// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Failures as one line of text and a negative errno.
 */
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

/*
 * Text of users and of the kernel ends up in messages that go to terminals: no
 * control character gets through.
 */
static void text_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

int ucore_error_set(struct ucore_error *err, int code, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
		text_clean(err->text);
	}
	return code;
}
