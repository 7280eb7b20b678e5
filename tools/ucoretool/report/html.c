// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writer of the HTML page of 'report --html': style, program and data in one file. The fixed parts
 * are in page/ and are compiled into ucoretool.
 *
 * Columns of numbers are base64 of little-endian arrays, which a browser decodes without
 * parsing. The page decodes only the columns that it shows.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/sink.h"
#include "report/html.h"

/* Generated from page/ at build time */
extern const char page_css[], page_html[], page_js[];

struct html {
	const struct timeline *timeline;
	FILE *stream;
	struct out out;		/* JSON description of the recording, written to memory first */
};

/* ---- columns of numbers ------------------------------------------------ */

struct base64 {
	FILE *stream;
	unsigned char bytes[3];
	size_t nr;
};

static void base64_flush(struct base64 *base64)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *b = base64->bytes;
	size_t nr = base64->nr;

	if (!nr)
		return;
	memset(base64->bytes + nr, 0, 3 - nr);
	putc(digits[b[0] >> 2], base64->stream);
	putc(digits[(b[0] & 3) << 4 | b[1] >> 4], base64->stream);
	putc(nr > 1 ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=', base64->stream);
	putc(nr > 2 ? digits[b[2] & 63] : '=', base64->stream);
	base64->nr = 0;
}

static void base64_put(struct base64 *base64, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++) {
		base64->bytes[base64->nr++] = bytes[i];
		if (base64->nr == 3)
			base64_flush(base64);
	}
}

static void column_begin(const struct html *html, const char *kind, size_t i, const char *as)
{
	fprintf(html->stream, "<script type=\"text/plain\" id=\"%s%zu\" data-as=\"%s\">", kind, i,
		as);
}

static void column_end(const struct html *html, struct base64 *base64)
{
	base64_flush(base64);
	fputs("</script>\n", html->stream);
}

static void times_put(const struct html *html, const char *kind, size_t i, const uint64_t *times,
		      size_t nr)
{
	struct base64 base64 = { .stream = html->stream };

	column_begin(html, kind, i, "f64");
	for (size_t j = 0; j < nr; j++) {
		double time = (double)times[j];

		base64_put(&base64, &time, sizeof(time));
	}
	column_end(html, &base64);
}

/*
 * Write two columns: the number of tasks of each interval, and the tasks, as indexes into the list
 * of tasks
 */
static void tasks_put(const struct html *html, size_t i)
{
	const struct timeline_axis *axis = &html->timeline->axes[i];
	struct base64 base64 = { .stream = html->stream };
	uint64_t before = 0;

	if (!axis->nr_tasks)
		return;
	column_begin(html, "n", i, "u32");
	for (size_t j = 0; j < axis->nr; j++) {
		uint32_t nr = (uint32_t)(axis->tasks_end[j] - before);

		base64_put(&base64, &nr, sizeof(nr));
		before = axis->tasks_end[j];
	}
	column_end(html, &base64);
	column_begin(html, "k", i, "u32");
	base64_put(&base64, axis->tasks, axis->nr_tasks * sizeof(*axis->tasks));
	column_end(html, &base64);
}

/* Return true if all counts fit in 32 bits, which halves the size of the column */
static bool fits_u32(const struct timeline_series *series, size_t nr)
{
	if (series->metric)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!(series->values[i] <= UINT32_MAX))
			return false;
	return true;
}

static void values_put(const struct html *html, size_t i)
{
	const struct timeline_series *series = &html->timeline->series[i];
	size_t nr = html->timeline->axes[series->axis].nr;
	struct base64 base64 = { .stream = html->stream };
	bool narrow = fits_u32(series, nr);

	column_begin(html, "v", i, narrow ? "u32" : "f64");
	for (size_t j = 0; j < nr; j++) {
		uint32_t count = narrow ? (uint32_t)series->values[j] : 0;

		if (narrow)
			base64_put(&base64, &count, sizeof(count));
		else
			base64_put(&base64, &series->values[j], sizeof(series->values[j]));
	}
	column_end(html, &base64);
}

static void columns_put(const struct html *html)
{
	const struct timeline *timeline = html->timeline;

	for (size_t i = 0; i < timeline->nr_axes; i++) {
		times_put(html, "t", i, timeline->axes[i].time, timeline->axes[i].nr);
		times_put(html, "r", i, timeline->axes[i].running, timeline->axes[i].nr);
		/* Counters that a freeze does not stop count for the whole length of an interval */
		times_put(html, "l", i, timeline->axes[i].length, timeline->axes[i].nr);
		tasks_put(html, i);
	}
	for (size_t i = 0; i < timeline->nr_series; i++)
		values_put(html, i);
}

/* ---- JSON description of the recording --------------------------------- */

static void place_json(struct out *out, const struct ucore_file_domain *place)
{
	char name[UCORE_DOMAIN_NAME_LEN];

	ucore_domain_name(place->die, place->cpu, name, sizeof(name));
	json_text(out, "domain", name);
	json_number(out, "socket", place->package);
}

static void facts_json(struct html *html, const char *name)
{
	const struct recording *recording = html->timeline->recording;
	struct out *out = &html->out;
	char text[CLOCK_LEN];

	json_text(out, "file", name);
	json_text(out, "platform", recording->header->platform);
	json_text(out, "version", UCORE_VERSION);
	/* Write times as text, because JavaScript numbers above 2^53 are not exact */
	snprintf(text, sizeof(text), "%llu", (unsigned long long)recording->header->start_real);
	json_text(out, "real", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)recording->header->start);
	json_text(out, "monotonic", text);
	json_number(out, "timer", recording->header->timer_ns);
	json_number(out, "end", html->timeline->end);
	json_flag(out, "complete", recording->finished);
}

static void event_json(struct html *html, const struct timeline_series *series)
{
	const struct ucore_file_event *event = series->event;
	const char *note = recording_value_note(series->flags, -1);
	struct out *out = &html->out;
	char text[UCORE_NAME_LEN + 12];

	snprintf(text, sizeof(text), "%s%u", event->type, event->instance);
	json_text(out, "event", event->label);
	json_number(out, "index", event->index);
	json_text(out, "box", text);
	place_json(out, html->timeline->axes[series->axis].place);
	json_number(out, "bytes", event->bytes);
	json_number(out, "per", event->bytes_per ? event->bytes_per : 1);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)series->count);
	json_text(out, "count", text);
	if (series->flags & UCORE_VALUE_F_UNFROZEN)
		json_flag(out, "unfrozen", true);
	if (note)
		json_text(out, "note", note);
}

static void metric_json(struct html *html, const struct timeline_series *series)
{
	const struct ucore_metric_value *value = series->metric;
	struct out *out = &html->out;
	char text[UCORE_NAME_LEN + 12];

	json_text(out, "metric", value->metric->name);
	json_text(out, "unit", value->metric->unit);
	json_text(out, "text", value->metric->text);
	json_text(out, "formula", value->metric->formula);
	if (value->level != UCORE_LEVEL_SYSTEM)
		json_number(out, "socket", value->package);
	if (value->level != UCORE_LEVEL_BOX)
		return;
	snprintf(text, sizeof(text), "%s%u", value->type, value->instance);
	json_text(out, "box", text);
	ucore_domain_name(value->die, value->cpu, text, sizeof(text));
	json_text(out, "domain", text);
}

static void series_json(struct html *html)
{
	struct out *out = &html->out;

	json_begin(out, "series", '[');
	for (size_t i = 0; i < html->timeline->nr_series; i++) {
		const struct timeline_series *series = &html->timeline->series[i];

		json_begin(out, NULL, '{');
		json_number(out, "axis", series->axis);
		if (series->metric)
			metric_json(html, series);
		else
			event_json(html, series);
		json_end(out, '}');
	}
	json_end(out, ']');
}

static void marks_json(struct html *html)
{
	struct out *out = &html->out;

	json_begin(out, "marks", '[');
	for (size_t i = 0; i < html->timeline->nr_marks; i++) {
		const struct timeline_mark *mark = &html->timeline->marks[i];

		json_begin(out, NULL, '{');
		place_json(out, mark->place);
		json_number(out, "from", mark->from);
		json_number(out, "time", mark->time);
		if (mark->type == UCORE_RECORD_LOST)
			json_number(out, "lost", mark->lost);
		else
			json_text(out, "gap", recording_gap_reason(&mark->gap, mark->place->cpu));
		json_end(out, '}');
	}
	json_end(out, ']');
}

/* Write the list of tasks, to which the columns of tasks have indexes. No column has idle tasks. */
static void tasks_json(struct html *html)
{
	const struct task_log *log = &html->timeline->log;
	struct out *out = &html->out;

	json_begin(out, "tasks", '[');
	for (size_t i = 0; i < log->nr; i++) {
		json_begin(out, NULL, '{');
		json_text(out, "comm", log->keys[i].comm);
		json_number(out, "pid", log->keys[i].pid);
		json_end(out, '}');
	}
	json_end(out, ']');
}

/* Write the number of intervals of each time axis: the length of all columns of this axis */
static void axes_json(struct html *html)
{
	const struct timeline *timeline = html->timeline;

	json_begin(&html->out, "axes", '[');
	for (size_t i = 0; i < timeline->nr_axes; i++)
		json_number(&html->out, NULL, timeline->axes[i].nr);
	json_end(&html->out, ']');
}

/* Write the JSON description. Escape "<", so that texts of the file cannot end the HTML element. */
static void description_put(const struct html *html, const char *text)
{
	fputs("<script type=\"application/json\" id=\"recording\">", html->stream);
	for (; *text; text++)
		if (*text == '<')
			fputs("\\u003c", html->stream);
		else
			putc(*text, html->stream);
	fputs("</script>\n", html->stream);
}

static int description_write(struct tool *tool, struct html *html, const char *name)
{
	char *text = NULL;
	size_t size;

	html->out = (struct out) { .stream = open_memstream(&text, &size), .format = OUT_JSON };
	if (!html->out.stream)
		return tool_error(tool, "out of memory");
	json_line_begin(&html->out);
	facts_json(html, name);
	axes_json(html);
	series_json(html);
	marks_json(html);
	tasks_json(html);
	json_line_end(&html->out);
	if (fclose(html->out.stream)) {
		free(text);
		return tool_error(tool, "out of memory");
	}
	description_put(html, text);
	free(text);
	return 0;
}

/* ---- the page ---------------------------------------------------------- */

static int page_write(struct tool *tool, struct html *html, const char *name)
{
	int ret;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n"
	      "<title>ucoretool report</title>\n<style>\n", html->stream);
	fputs(page_css, html->stream);
	fputs("</style>\n</head>\n<body>\n", html->stream);
	fputs(page_html, html->stream);
	ret = description_write(tool, html, name);
	columns_put(html);
	fputs("<script>\n", html->stream);
	fputs(page_js, html->stream);
	fputs("</script>\n</body>\n</html>\n", html->stream);
	return ret;
}

int html_write(struct tool *tool, const struct timeline *timeline, const char *name,
	       const char *path)
{
	struct html html = { .timeline = timeline, .stream = stdout };
	bool file = strcmp(path, "-");
	int ret;

	if (file)
		html.stream = sink_create(path);
	if (!html.stream)
		return tool_error(tool, "%s: cannot create: %s", path, strerror(errno));
	ret = page_write(tool, &html, name);
	return file ? tool_written(tool, path, sink_close(html.stream), ret) : ret;
}
