// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writer of Prometheus' text format, version 0.0.4. The callers choose the metrics.
 */
#include "export/text_format.h"
#include "tool.h"

static void family(struct expose *page, const char *name, const char *type, const char *help)
{
	page->family = name;
	fprintf(page->stream, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void expose_counter(struct expose *page, const char *name, const char *help)
{
	family(page, name, "counter", help);
}

void expose_gauge(struct expose *page, const char *name, const char *help)
{
	family(page, name, "gauge", help);
}

void expose_begin(struct expose *page)
{
	page->labels = 0;
	fputs(page->family, page->stream);
}

static void label_begin(struct expose *page, const char *name)
{
	fprintf(page->stream, "%c%s=\"", page->labels++ ? ',' : '{', name);
}

void expose_label(struct expose *page, const char *name, const char *value)
{
	label_begin(page, name);
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", page->stream);
			continue;
		}
		if (*value == '"' || *value == '\\')
			fputc('\\', page->stream);
		fputc(*value, page->stream);
	}
	fputc('"', page->stream);
}

void expose_label_number(struct expose *page, const char *name, uint32_t number)
{
	label_begin(page, name);
	fprintf(page->stream, "%u\"", number);
}

static void labels_end(struct expose *page)
{
	fputs(page->labels ? "} " : " ", page->stream);
}

void expose_number(struct expose *page, uint64_t number)
{
	labels_end(page);
	fprintf(page->stream, "%llu\n", (unsigned long long)number);
}

void expose_seconds(struct expose *page, uint64_t ns)
{
	labels_end(page);
	fprintf(page->stream, "%llu.%09llu\n", (unsigned long long)(ns / NSEC_PER_SEC),
		(unsigned long long)(ns % NSEC_PER_SEC));
}

void expose_bytes(struct expose *page, uint64_t count, uint32_t bytes, uint32_t per)
{
	unsigned __int128 total = (unsigned __int128)count * bytes / per;

	if (total <= UINT64_MAX) {
		expose_number(page, (uint64_t)total);
		return;
	}
	/* 17 digits are enough, because Prometheus stores values as double */
	labels_end(page);
	fprintf(page->stream, "%.17g\n", (double)total);
}
