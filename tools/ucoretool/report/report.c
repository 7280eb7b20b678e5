// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool report: summarise a recorded file. For each event or metric, the report has the
 * count, the rate, and the distribution of the rate over the intervals between samples.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "output/walltime.h"
#include "report/ctf.h"
#include "output/domain.h"
#include "report/html.h"
#include "metric_options.h"
#include "output/table.h"
#include "output_options.h"
#include "report/recording.h"
#include "report/timeline.h"
#include "tool.h"
#include "report/attribution.h"

#define NR_BINS		16	/* number of bins of a histogram */

struct report_args {
	const char *path;
	struct metric_args metrics;
	struct clock_window window;
	bool windowed;
	const char *html;
	const char *ctf;
	unsigned int by;
	struct output_args output;
};

struct report {
	struct recording recording;
	struct ucore_replay *replay;
	struct ucore_metrics *metrics;
	struct timeline timeline;
	struct out out;
	bool per_box;
};

/* Distribution of a series over the intervals: percentiles and histogram; NaN without values */
struct spread {
	size_t nr;
	double min, mean, p50, p99, max;
	unsigned int bins[NR_BINS];
};

static const struct option_desc report_options[] = {
	{ 'M', "metric", "LIST",
	  "also report metrics: names, @CATEGORY, or NAME=FORMULA (may be repeated)",
	  .repeats = true },
	{ OPT_METRIC_FILE, "metric-file", "FILE",
	  "read metric definitions from FILE, one NAME=FORMULA per line",
	  .repeats = true },
	{ OPT_SORT, "sort", "LIST", "attribute counts to tasks, by comm, pid, tid, cpu, ip" },
	{ OPT_HTML, "html", "FILE", "write a page with the time line, for a browser",
	  .only = ONLY_FORMAT },
	{ OPT_CTF, "ctf", "DIR", "write a trace, for babeltrace2 and Trace Compass",
	  .only = ONLY_FORMAT },
	{ 0 },
};

static int report_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct report_args *args = data;
	bool taken;

	switch (letter) {
	case 'i':
		args->path = value;
		return 0;
	case 'M':
	case OPT_METRIC_FILE:
		return metric_option(tool, &args->metrics, letter, value);
	case OPT_TIME:
		args->windowed = true;
		return clock_window_parse(tool, value, &args->window);
	case OPT_SORT:
		return attribution_parse(tool, value, &args->by);
	case OPT_HTML:
		args->html = value;
		return 0;
	case OPT_CTF:
		args->ctf = value;
		return 0;
	default:
		return output_option(tool, &args->output, letter, value, &taken);
	}
}

static int report_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct report_args *args = data;
	bool per_box = args->output.grouping == GROUP_BOX;

	if (argc)
		return tool_usage(tool, "unexpected argument '%s'. Give the file with -i",
				  argv[0]);
	if (args->ctf && (args->metrics.nr_lists || per_box))
		return tool_usage(tool, "--ctf: writes the counts of each box. Omit -M and --per-box");
	if (args->by && (args->html || args->ctf || args->metrics.nr_lists || per_box))
		return tool_usage(tool, "--sort: prints a table of events. Omit --html, --ctf, -M and --per-box");
	if (metric_finish(tool, &args->metrics))
		return EXIT_USAGE;
	if (!args->path)
		args->path = "ucore.data";
	if (!args->windowed)
		args->window = clock_window_all();
	args->output.out.stream = stdout;
	return 0;
}

/* ---- distribution of values -------------------------------------------- */

static int value_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Return the percentile: the smallest value that @percent % of the values do not exceed */
static double percentile(const double *sorted, size_t nr, size_t percent)
{
	return sorted[(nr * percent + 99) / 100 - 1];
}

static void bins_fill(struct spread *spread, const double *sorted)
{
	double width = (spread->max - spread->min) / NR_BINS;

	for (size_t i = 0; i < spread->nr; i++) {
		size_t bin = width > 0 ? (size_t)((sorted[i] - spread->min) / width) : 0;

		spread->bins[bin < NR_BINS ? bin : NR_BINS - 1]++;
	}
}

/*
 * Calculate the distribution of a series. @room is a work array for the values of the longest
 * series.
 */
static void spread_make(const struct timeline *timeline, const struct timeline_series *series,
			double *room, struct spread *spread)
{
	double sum = 0;

	*spread = (struct spread) { 0, NAN, NAN, NAN, NAN, NAN, { 0 } };
	for (size_t i = 0; i < timeline->axes[series->axis].nr; i++) {
		double value = timeline_rate(timeline, series, i);

		if (!isfinite(value))
			continue;
		room[spread->nr++] = value;
		sum += value;
	}
	if (!spread->nr)
		return;
	qsort(room, spread->nr, sizeof(*room), value_order);
	spread->min = room[0];
	spread->max = room[spread->nr - 1];
	spread->mean = sum / (double)spread->nr;
	spread->p50 = percentile(room, spread->nr, 50);
	spread->p99 = percentile(room, spread->nr, 99);
	bins_fill(spread, room);
}

/* ---- output ------------------------------------------------------------ */

enum {
	COLUMN_RECORD,
	COLUMN_SOCKET,
	COLUMN_DIE,
	COLUMN_CPU,
	COLUMN_BOX,
	COLUMN_SAMPLES,
	COLUMN_COUNT,
	COLUMN_RUNNING,
	COLUMN_RATE,
	COLUMN_MIN,
	COLUMN_MEAN,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMN_HISTOGRAM,
	COLUMN_UNIT,
	COLUMN_EVENT,
	COLUMN_NOTE,
	NR_COLUMNS,
};

#define NUMBER_LEN	24

/* The cells of an output row, and the texts to which the cells point */
struct row_cells {
	struct cell cells[NR_COLUMNS];
	char box[UCORE_NAME_LEN + 12];
	char numbers[NR_COLUMNS][NUMBER_LEN];
	char histogram[NR_BINS * 12];
};

static bool has_cpus(const struct report *report)
{
	for (size_t i = 0; i < report->timeline.nr_axes; i++)
		if (report->timeline.axes[i].place && report->timeline.axes[i].place->cpu >= 0)
			return true;
	return false;
}

static void columns_make(const struct report *report, struct column *columns)
{
	static const struct column all[NR_COLUMNS] = {
		[COLUMN_RECORD] = { "record", "", 0, .hidden = true },
		[COLUMN_SOCKET] = { "socket", "SOCKET", 6 },
		[COLUMN_DIE] = { "die", "DIE", 3, .hidden = true },
		[COLUMN_CPU] = { "cpu", "CPU", 4 },
		[COLUMN_BOX] = { "box", "BOX", -8 },
		[COLUMN_SAMPLES] = { "samples", "SAMPLES", 8 },
		[COLUMN_COUNT] = { "count", "COUNT", 18 },
		[COLUMN_RUNNING] = { "running_ns", "", 0, .hidden = true },
		[COLUMN_RATE] = { "rate", "RATE", 9 },
		[COLUMN_MIN] = { "min", "MIN", 9 },
		[COLUMN_MEAN] = { "mean", "MEAN", 9 },
		[COLUMN_P50] = { "p50", "P50", 9 },
		[COLUMN_P99] = { "p99", "P99", 9 },
		[COLUMN_MAX] = { "max", "MAX", 9 },
		[COLUMN_HISTOGRAM] = { "histogram", "MIN .. MAX", -NR_BINS },
		[COLUMN_UNIT] = { "unit", "UNIT", -5 },
		[COLUMN_EVENT] = { "event", "EVENT", -30 },
		[COLUMN_NOTE] = { "note", "", -8 },
	};

	memcpy(columns, all, sizeof(all));
	columns[COLUMN_CPU].hidden = !has_cpus(report);
	columns[COLUMN_BOX].hidden = !report->per_box;
}

/* Format a rate with four digits; @prefixed adds k, M, ... to a rate without a unit */
static const char *rate_text(double value, bool prefixed, char *text)
{
	static const char prefixes[] = " kMGTPE";
	double size = value < 0 ? -value : value;
	size_t i = 0;

	while (prefixed && size >= 9999.5 && prefixes[i + 1]) {
		size /= 1000;
		value /= 1000;
		i++;
	}
	if (isnan(value))
		return "-";
	if (size && size < 0.01)
		snprintf(text, NUMBER_LEN, "%.2e", value);
	else
		snprintf(text, NUMBER_LEN, "%.*f%.*s", size < 10 ? 3 : size < 100 ? 2 :
			 size < 1000 ? 1 : 0, value, !!i, &prefixes[i]);
	return text;
}

static void rate_put(const struct report *report, const struct timeline_series *series,
		     struct row_cells *row, int column, double value)
{
	bool prefixed = !series->metric && !series->event->bytes;

	row->cells[column] = report->out.format == OUT_TABLE ?
			     cell_text(rate_text(value, prefixed, row->numbers[column])) :
			     cell_value(value);
}

/* Return true if the locale is UTF-8 */
static bool has_unicode(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* Format the histogram as a line of block characters; a bin with values is always visible */
static void bars_text(const struct spread *spread, char *text)
{
	static const char *const blocks[] = { " ", "\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const letters[] = { " ", ".", ".", ":", "-", "=", "+", "#", "@" };
	const char *const *bars = has_unicode() ? blocks : letters;
	unsigned int most = 1;

	for (int i = 0; i < NR_BINS; i++)
		if (spread->bins[i] > most)
			most = spread->bins[i];
	*text = 0;
	for (int i = 0; i < NR_BINS && spread->nr; i++)
		strcat(text, bars[(spread->bins[i] * 8ULL + most - 1) / most]);
}

static void numbers_text(const struct spread *spread, char *text)
{
	*text = 0;
	for (int i = 0; i < NR_BINS && spread->nr; i++)
		sprintf(text + strlen(text), "%s%u", i ? " " : "", spread->bins[i]);
}

static void event_cells(const struct report *report, const struct timeline_series *series,
			struct row_cells *row)
{
	const struct ucore_file_event *event = series->event;
	const struct ucore_file_domain *place = report->timeline.axes[series->axis].place;
	const char *note = recording_value_note(series->flags, place->cpu);
	double seconds = (double)series->running / NSEC_PER_SEC;

	snprintf(row->box, sizeof(row->box), "%s%u", event->type, event->instance);
	row->cells[COLUMN_RECORD] = cell_text("event");
	row->cells[COLUMN_SOCKET] = cell_number(place->package);
	row->cells[COLUMN_DIE] = domain_die_cell(place->die, place->cpu);
	row->cells[COLUMN_CPU] = domain_cpu_cell(place->cpu);
	row->cells[COLUMN_BOX] = series->one_box ? cell_text(row->box) : cell_none();
	row->cells[COLUMN_COUNT] = cell_count(series->count);
	row->cells[COLUMN_RUNNING] = cell_number(series->running);
	rate_put(report, series, row, COLUMN_RATE, series->running ?
		 (double)series->count * timeline_scale(event) / seconds : NAN);
	row->cells[COLUMN_EVENT] = cell_text(event->label);
	if (note)
		row->cells[COLUMN_NOTE] = cell_text(note);
}

static void metric_cells(const struct timeline_series *series, struct row_cells *row)
{
	const struct ucore_metric_value *value = series->metric;
	const char *note = recording_value_note(series->flags, value->cpu);

	snprintf(row->box, sizeof(row->box), "%s%u", value->type, value->instance);
	row->cells[COLUMN_RECORD] = cell_text("metric");
	if (value->level != UCORE_LEVEL_SYSTEM)
		row->cells[COLUMN_SOCKET] = cell_number(value->package);
	if (value->level == UCORE_LEVEL_BOX) {
		row->cells[COLUMN_DIE] = domain_die_cell(value->die, value->cpu);
		row->cells[COLUMN_CPU] = domain_cpu_cell(value->cpu);
		row->cells[COLUMN_BOX] = cell_text(row->box);
	}
	row->cells[COLUMN_EVENT] = cell_text(value->metric->name);
	if (note)
		row->cells[COLUMN_NOTE] = cell_text(note);
}

static void spread_cells(const struct report *report, const struct timeline_series *series,
			 const struct spread *spread, struct row_cells *row)
{
	row->cells[COLUMN_SAMPLES] = cell_number(spread->nr);
	rate_put(report, series, row, COLUMN_MIN, spread->min);
	rate_put(report, series, row, COLUMN_MEAN, spread->mean);
	rate_put(report, series, row, COLUMN_P50, spread->p50);
	rate_put(report, series, row, COLUMN_P99, spread->p99);
	rate_put(report, series, row, COLUMN_MAX, spread->max);
	if (report->out.format == OUT_TABLE)
		bars_text(spread, row->histogram);
	else
		numbers_text(spread, row->histogram);
	row->cells[COLUMN_HISTOGRAM] = cell_text(row->histogram);
}

/* Return the width of a UTF-8 text in characters */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void row_print(struct report *report, const struct column *columns,
		      struct row_cells *row)
{
	struct column fitted[NR_COLUMNS];

	memcpy(fitted, columns, sizeof(fitted));
	fitted[COLUMN_HISTOGRAM].width -= (int)strlen(row->histogram) - width_of(row->histogram);
	out_row(&report->out, fitted, NR_COLUMNS, row->cells);
}

static void series_json(struct report *report, const struct column *columns,
			struct row_cells *row, const struct spread *spread)
{
	struct out *out = &report->out;

	json_line_begin(out);
	row->cells[COLUMN_HISTOGRAM] = cell_none();
	json_cells(out, columns, NR_COLUMNS, row->cells);
	json_begin(out, "histogram", '[');
	for (int i = 0; i < NR_BINS && spread->nr; i++)
		json_number(out, NULL, spread->bins[i]);
	json_end(out, ']');
	json_line_end(out);
}

static void series_print(struct report *report, const struct column *columns,
			 const struct timeline_series *series, double *room)
{
	struct row_cells row = { 0 };
	struct spread spread;

	spread_make(&report->timeline, series, room, &spread);
	if (series->metric)
		metric_cells(series, &row);
	else
		event_cells(report, series, &row);
	spread_cells(report, series, &spread, &row);
	if (*timeline_unit(series))
		row.cells[COLUMN_UNIT] = cell_text(timeline_unit(series));
	if (report->out.format == OUT_JSON)
		series_json(report, columns, &row, &spread);
	else
		row_print(report, columns, &row);
}

static int series_print_all(struct tool *tool, struct report *report)
{
	const struct timeline *timeline = &report->timeline;
	struct column columns[NR_COLUMNS];
	size_t longest = 1;
	double *room;

	for (size_t i = 0; i < timeline->nr_axes; i++)
		if (timeline->axes[i].nr > longest)
			longest = timeline->axes[i].nr;
	room = calloc(longest, sizeof(*room));
	if (!room)
		return tool_error(tool, "out of memory");
	columns_make(report, columns);
	if (report->out.format == OUT_TABLE)
		recording_head(&report->recording, report->out.stream);
	out_head(&report->out, columns, NR_COLUMNS);
	for (size_t i = 0; i < timeline->nr_series; i++)
		series_print(report, columns, &timeline->series[i], room);
	free(room);
	recording_summary(&report->recording, &report->out);
	return 0;
}

/* ---- run --------------------------------------------------------------- */

/* Attach all metrics of the platform whose events were recorded; there may be none */
static void metrics_all(struct report *report, uint32_t level)
{
	struct ucore_metrics *metrics;

	if (ucore_metrics_create(ucore_replay_device(report->replay), &metrics, NULL))
		return;
	ucore_metrics_cores(metrics, report->recording.header->cores);
	if (ucore_metrics_choose(metrics, "*", NULL) ||
	    ucore_metrics_attach(metrics, ucore_replay_session(report->replay), level, NULL)) {
		ucore_metrics_free(metrics);
		return;
	}
	report->metrics = metrics;
}

/* Attach the metrics of -M; without -M, the HTML page shows all metrics with recorded events */
static int report_metrics(struct tool *tool, struct report *report,
			  const struct report_args *args)
{
	uint32_t level = report->per_box ? UCORE_LEVEL_BOX : UCORE_LEVEL_SOCKET;
	int ret;

	if (!args->metrics.nr_lists && !args->html)
		return 0;
	ret = ucore_replay_open(report->recording.file, &report->replay, &tool->err);
	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	if (args->metrics.nr_lists)
		return metrics_open(tool, &args->metrics, ucore_replay_device(report->replay),
				    ucore_replay_session(report->replay),
				    report->recording.header->cores, level,
				    false, &report->metrics);
	metrics_all(report, level);
	return 0;
}

static int report_make(struct tool *tool, struct report *report, const struct report_args *args)
{
	int ret = report_metrics(tool, report, args), loaded;

	if (ret)
		return ret;
	/* If the end of the file is damaged, report the records before the damage */
	loaded = timeline_load(tool, &report->recording, report->metrics,
			       report->per_box || args->html, &report->timeline);
	ret = loaded ? 0 : recording_window_check(tool, &report->recording);
	if (ret)
		return ret;
	ret = args->html ? html_write(tool, &report->timeline, args->path, args->html) :
			   series_print_all(tool, report);
	return loaded ? loaded : ret;
}

static int report_run(struct tool *tool, const void *data)
{
	const struct report_args *args = data;
	struct report report = {
		.out = args->output.out,
		.per_box = args->output.grouping == GROUP_BOX,
	};
	int ret = recording_open(tool, args->path, &args->window, &report.recording);

	if (ret)
		return ret;
	ret = args->by ? attribution_report(tool, &report.recording, args->by, &report.out) :
	      args->ctf ? ctf_write(tool, &report.recording, args->ctf) :
			  report_make(tool, &report, args);
	timeline_free(&report.timeline);
	ucore_metrics_free(report.metrics);
	ucore_replay_close(report.replay);
	recording_close(&report.recording);
	return ret;
}

const struct command command_report = {
	.name = "report",
	.summary = "summarise a file of samples as a table, a page with time lines, or a trace",
	.options = { recording_options, report_options, output_options },
	.no_device = true,
	.args_size = sizeof(struct report_args),
	.option = report_option,
	.finish = report_finish,
	.run = report_run,
};
