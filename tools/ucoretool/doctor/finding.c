// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Output of the findings of `ucoretool doctor`.
 */
#include <stdarg.h>
#include <stdio.h>

#include "doctor/doctor.h"

void doctor_report(struct doctor *doctor, enum verdict verdict, const char *check,
		   const char *advice, const char *format, ...)
{
	static const char *const names[] = { "ok", "warning", "problem" };
	struct out *out = &doctor->out;
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	doctor->count[verdict]++;
	if (out->format != OUT_JSON) {
		fprintf(out->stream, "%-8s %-10s %s\n", names[verdict], check, text);
		if (advice)
			fprintf(out->stream, "%-8s %-10s -> %s\n", "", "", advice);
		return;
	}
	json_line_begin(out);
	json_text(out, "result", names[verdict]);
	json_text(out, "check", check);
	json_text(out, "text", text);
	if (advice)
		json_text(out, "advice", advice);
	json_line_end(out);
}
