// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Errors: one line of text and a negative errno.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

/* Replace control characters, so that a user's text in a message cannot control a terminal */
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

int ucore_error_no_box(struct ucore_error *err, const struct ucore_device *dev,
		       const char *format, ...)
{
	char text[sizeof(err->text)];
	bool explained = dev->info.cause != UCORE_CAUSE_NONE;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return ucore_error_set(err, -ENOENT, "%s%s%s", text, explained ? ": " : ". ",
			       explained ? dev->info.reason : "See 'ucoretool list'");
}
