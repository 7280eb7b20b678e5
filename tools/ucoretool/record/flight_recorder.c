// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The flight recorder of `ucoretool record --keep`. It keeps each record in memory for a time, and
 * evaluates the condition of --when from the records. When the condition becomes true, recording
 * continues for the time of --after. Then all kept records are written to a file. No record is
 * written to two files, so that a condition that changes often does not fill a disk with copies.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli.h"
#include "output/walltime.h"
#include "record/flight_recorder.h"
#include "event_loop.h"

#define LIMIT_MIN	(1U << 20)
#define LIMIT_MAX	(1U << 31)
#define KEEP_MAX_NS	(86400 * NSEC_PER_SEC)
#define SAME_NAMES	1000		/* maximum number of files with one time in the name */

/* Threshold in MB/s that no machine reaches: the user meant bytes per second */
#define SURELY_BYTES	1e8

/* ---- options ----------------------------------------------------------- */

int flight_keep(struct tool *tool, struct flight_args *args, const char *value)
{
	const char *comma = strchr(value, ',');
	char time[40];

	snprintf(time, sizeof(time), "%.*s", comma ? (int)(comma - value) : 39, value);
	args->limit = FLIGHT_LIMIT;
	if (comma && parse_bytes(tool, "keep", comma + 1, LIMIT_MIN, LIMIT_MAX, &args->limit))
		return EXIT_USAGE;
	return parse_duration(tool, "keep", time, false, NSEC_PER_MSEC, KEEP_MAX_NS,
			      &args->keep_ns);
}

static bool is_name(const char *text)
{
	for (const char *at = text; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_.:=", *at))
			return false;
	return !isdigit((unsigned char)*text);
}

int flight_when(struct tool *tool, struct flight_args *args, const char *value)
{
	size_t length = strcspn(value, "<>");
	char metric[sizeof(args->metric) - 16];

	if (!length || !value[length] || strchr("=!", value[length - 1]))
		return tool_usage(tool, "condition '%s': not valid. Use METRIC>NUMBER, or <, >= or <=",
				  value);
	if (*value == '@')
		return tool_usage(tool, "condition '%s': a category is not allowed. Name one metric",
				  value);
	if (length >= sizeof(metric))
		return tool_usage(tool, "condition '%.40s...': too long. Define the metric in a --metric-file",
				  value);
	while (length && isspace((unsigned char)value[length - 1]))
		length--;
	snprintf(metric, sizeof(metric), "%.*s", (int)length, value);
	/* A formula without a name gets the name "condition" */
	snprintf(args->metric, sizeof(args->metric), "%s%s", is_name(metric) ? "" : "condition=",
		 metric);
	args->when = value;
	args->compared = strpbrk(value, "<>");
	return 0;
}

/* Return true if a file name's only conversions are "%t" (time) and "%%" (per cent sign) */
static bool name_ok(const char *path)
{
	for (const char *sign = path; (sign = strchr(sign, '%')); sign += 2)
		if (sign[1] != 't' && sign[1] != '%')
			return false;
	return true;
}

int flight_finish(struct tool *tool, const struct flight_args *args, const char *path)
{
	if (!args->keep_ns && args->when)
		return tool_usage(tool, "--when: needs samples kept in memory. Give --keep too");
	if (args->after_ns && !args->when)
		return tool_usage(tool, "--after: needs a condition. Give --when too");
	if (args->level && !args->when)
		return tool_usage(tool, "--per-socket and --per-box: apply to the condition of --when only. Give --when too");
	if (args->keep_ns && path && !strcmp(path, "-"))
		return tool_usage(tool, "--keep: cannot write to standard output. Give a file name with -o, in which %%t is the time");
	if (args->keep_ns && path && !name_ok(path))
		return tool_usage(tool, "name '%s': only %%t (time) and %%%% (per cent sign) are allowed after a per cent sign. Change the name",
				  path);
	return 0;
}

/* ---- the condition ----------------------------------------------------- */

static void prefix_parse(const char **text, double *factor)
{
	static const char prefixes[] = "kMGT";
	const char *found = **text ? strchr(prefixes, **text) : NULL;

	*factor = 1;
	for (const char *at = prefixes; found && at <= found; at++)
		*factor *= 1000;
	*text += !!found;
}

/* Return the number of bytes per second in a unit such as "MB/s"; 0 for units without B/s */
static double unit_bytes(const char *unit)
{
	double factor;

	prefix_parse(&unit, &factor);
	return strcmp(unit, "B/s") ? 0 : factor;
}

/*
 * Parse the threshold of a condition and convert it to the metric's unit: "80GB/s" for a metric in
 * MB/s is 80000. A number without a unit is in the metric's unit.
 */
static int threshold_parse(struct tool *tool, struct flight *flight, const char *text,
			   const char *unit)
{
	double factor, of_unit = unit_bytes(unit);
	bool bytes;
	char *end;
	const char *rest;

	flight->threshold = strtod(text, &end);
	rest = end + strspn(end, " ");
	if (*unit && !strcmp(rest, unit))
		rest += strlen(rest);
	prefix_parse(&rest, &factor);
	bytes = !strcmp(rest, "B/s");
	if (end == text || !isfinite(flight->threshold) || (*rest && !bytes) ||
	    (bytes && !of_unit))
		return tool_usage(tool, "condition '%s': '%s' is not a number of %s. Change the number or its unit",
				  flight->args->when, text, *unit ? unit : "the metric");
	flight->threshold *= factor / (bytes ? of_unit : 1);
	if (of_unit && !bytes && flight->threshold >= SURELY_BYTES)
		return tool_usage(tool, "condition '%s': that many %s are impossible. Use %gGB/s if you mean bytes",
				  flight->args->when, unit, flight->threshold / 1e9);
	return 0;
}

/* Return true if @value is a value of the metric in the condition */
static bool is_about(const struct flight *flight, const struct ucore_metric_value *value)
{
	size_t length = strcspn(flight->args->metric, "=:");

	return strlen(value->metric->name) == length &&
	       !strncasecmp(value->metric->name, flight->args->metric, length);
}

static const struct ucore_metric_value *value_find(const struct flight *flight)
{
	const struct ucore_metric_value *value;

	for (size_t i = 0; (value = ucore_metrics_value(flight->metrics, i)); i++)
		if (is_about(flight, value))
			return value;
	return NULL;
}

/* Check before START that the directory of the files is writable */
static int directory_check(struct tool *tool, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory;
	int ret = 0;

	/* Skip the check if the directory's name contains a time (%t), which is not known yet */
	if (slash && memchr(path, '%', (size_t)(slash - path)))
		return 0;
	directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	if (!directory)
		return tool_error(tool, "out of memory");
	if (access(directory, W_OK | X_OK))
		ret = tool_error(tool, "%s: cannot create files in this directory: %s", directory,
				 strerror(errno));
	free(directory);
	return ret;
}

int flight_open(struct tool *tool, struct flight *flight)
{
	const char *compared = flight->args->compared;
	const struct ucore_metric_value *value;
	int ret = directory_check(tool, flight->path);

	if (ret)
		return ret;

	flight->keep = (struct keep) {
		.span = flight->args->keep_ns, .limit = flight->args->limit,
	};
	if (!flight->args->when)
		return 0;
	value = value_find(flight);
	if (!value)
		return tool_error(tool, "condition '%s': the metric has no value on this machine. Choose another metric",
				  flight->args->when);
	flight->above = *compared == '>';
	flight->equal = compared[1] == '=';
	compared += 1 + flight->equal;
	return threshold_parse(tool, flight, compared + strspn(compared, " \t"),
			       value->metric->unit);
}

static bool is_true(const struct flight *flight, double value)
{
	if (flight->equal && value == flight->threshold)
		return true;
	/* A comparison with NaN is false, so that a missing value causes no file */
	return flight->above ? value > flight->threshold : value < flight->threshold;
}

/*
 * Find a value for which the condition is true; NULL if none. The values of sockets without a new
 * sample are those of their last interval.
 */
static const struct ucore_metric_value *value_holds(const struct flight *flight)
{
	const struct ucore_metric_value *value;

	for (size_t i = 0; (value = ucore_metrics_value(flight->metrics, i)); i++)
		if (is_about(flight, value) && is_true(flight, value->value))
			return value;
	return NULL;
}

/*
 * Return true if an interval is too short to evaluate the condition. The interval after a late
 * timer is short, and its rate has a large error. The error comes from the time between the read
 * of the clock and the freeze.
 */
static bool is_short(const struct flight *flight)
{
	const struct ucore_metric_value *value;

	for (size_t i = 0; (value = ucore_metrics_value(flight->metrics, i)); i++)
		if (value->fresh && is_about(flight, value) &&
		    value->running < flight->config->timer_ns / 2)
			return true;
	return false;
}

/* Report once that the condition was true from the start, so that no file is due yet */
static void start_print(const struct flight *flight, const struct ucore_metric_value *value)
{
	fprintf(stderr, "flight recorder: condition '%s' is true at the start (%s is %.6g%s%s). It triggers when it has been false and becomes true\n",
		flight->args->when, value->metric->name, value->value,
		*value->metric->unit ? " " : "", value->metric->unit);
}

/*
 * Observe whether the condition is true at the start. The start ends when a value is computed for
 * the second time: all sockets with samples have values then. Return true while it lasts.
 */
static bool is_start(struct flight *flight, const struct ucore_metric_value *holds)
{
	const struct ucore_metric_value *value;

	if (flight->first && flight->first->fresh) {
		flight->started = true;
		return false;
	}
	for (size_t i = 0; !flight->first && (value = ucore_metrics_value(flight->metrics, i)); i++)
		if (value->fresh && is_about(flight, value))
			flight->first = value;
	if (holds && !flight->true_at_start)
		start_print(flight, holds);
	flight->true_at_start |= !!holds;
	flight->armed = !flight->true_at_start;
	return true;
}

/* Evaluate the condition with new values; when it becomes true, request a file (flight.pending) */
static void condition_check(struct flight *flight, uint64_t time)
{
	const struct ucore_metric_value *holds = value_holds(flight);

	if (is_short(flight) || (!flight->started && is_start(flight, holds)))
		return;
	if (holds && flight->armed && !flight->pending) {
		flight->pending = true;
		flight->event = time;
		flight->value = holds->value;
		flight->keep.hold = time > flight->args->keep_ns ? time - flight->args->keep_ns : 1;
	}
	flight->armed = !holds;
}

/* ---- files ------------------------------------------------------------- */

static void name_make(const char *pattern, const char *stamp, char *name, size_t size)
{
	size_t at = 0;

	for (; *pattern && at + 1 < size; pattern++) {
		if (*pattern != '%')
			name[at++] = *pattern;
		else if (*++pattern == 't')
			at += (size_t)snprintf(name + at, size - at, "%s", stamp);
		else
			name[at++] = '%';
	}
	name[at < size ? at : size - 1] = 0;
}

/* Make a file name from the pattern of -o that no existing file has */
static int name_choose(struct tool *tool, const struct flight *flight, uint64_t event,
		       char *name, size_t size)
{
	char stamp[CLOCK_LEN];
	size_t length;

	clock_stamp(clock_real(event), stamp);
	name_make(flight->path, stamp, name, size - 8);
	length = strlen(name);
	for (unsigned int nr = 2; !access(name, F_OK); nr++) {
		if (nr > SAME_NAMES)
			return tool_error(tool, "%s: %u files of this name exist. Remove some, or use %%t in the name",
					  name, nr);
		snprintf(name + length, size - length, "-%u", nr);
	}
	return 0;
}

/*
 * Return the start time of the file (CLOCK_MONOTONIC ns): the time of the first kept record, or the
 * start of counting if no record was removed
 */
static uint64_t file_start(const struct flight *flight)
{
	struct keep_entry first;

	if (!flight->keep.dropped || !keep_first(&flight->keep, &first))
		return flight->start;
	return ucore_record_time(first.record);
}

static int records_write(struct tool *tool, struct flight *flight, struct ucore_file *file,
			 uint64_t *samples)
{
	struct ucore_get_status status;
	struct keep_entry entry;
	int ret = ucore_file_begin(file, flight->dev, flight->session, flight->config,
				   file_start(flight), &tool->err);

	while (!ret && keep_first(&flight->keep, &entry)) {
		*samples += entry.record->type == UCORE_RECORD_SAMPLE;
		ret = ucore_file_write(file, entry.domain, entry.record, &tool->err);
		keep_pop(&flight->keep);
	}
	if (!ret)
		ret = ucore_session_status(flight->session, &status, &tool->err);
	return ret ? ret : ucore_file_finish(file, &status, &tool->err);
}

static void dump_print(const struct flight *flight, const char *name, uint64_t samples,
		       uint64_t ns, bool crowded)
{
	const struct ucore_metric_value *about = flight->pending ? value_find(flight) : NULL;
	char text[CLOCK_LEN];

	if (about)
		fprintf(stderr, "%s: %s was %.6g%s%s; ",
			clock_date(clock_real(flight->event), text), about->metric->name,
			flight->value, *about->metric->unit ? " " : "", about->metric->unit);
	fprintf(stderr, "%llu samples of %.3f s written to %s\n", (unsigned long long)samples,
		(double)ns / NSEC_PER_SEC, name);
	if (crowded)
		fprintf(stderr, "flight recorder: memory limit of %u MiB reached. Raise the limit (--keep TIME,%uM)\n",
			flight->args->limit >> 20, flight->args->limit >> 19);
}

static int dump_write(struct tool *tool, struct flight *flight, uint64_t event)
{
	bool crowded = flight->keep.crowded;
	struct ucore_file *file;
	struct keep_entry first;
	uint64_t ns, samples = 0;
	char name[4096];
	int ret;

	if (!keep_first(&flight->keep, &first)) {
		fprintf(stderr, "flight recorder: no samples are kept, so no file is written\n");
		return 0;
	}
	ns = flight->keep.newest - ucore_record_time(first.record);
	if (name_choose(tool, flight, event, name, sizeof(name)))
		return EXIT_FAILURE;
	ret = ucore_file_create(name, &file, &tool->err);
	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	ucore_file_cores(file, socket_cores());
	ret = records_write(tool, flight, file, &samples);
	ucore_file_close(file);
	if (ret)
		return tool_fail(tool, ret);
	dump_print(flight, name, samples, ns, crowded);
	flight->nr_files++;
	flight->written += samples;
	flight->keep.crowded = false;
	return 0;
}

int flight_dump(struct tool *tool, struct flight *flight)
{
	int ret = dump_write(tool, flight, flight->pending ? flight->event : now_ns());

	flight->pending = false;
	flight->keep.hold = 0;
	return ret;
}

/* ---- records ----------------------------------------------------------- */

int flight_add(struct tool *tool, struct flight *flight, uint32_t domain,
	       const struct ucore_record *record)
{
	uint64_t time = ucore_record_time(record);

	/* Write the file at the first sample after the time of --after, without this sample */
	if (flight->pending && record->type == UCORE_RECORD_SAMPLE &&
	    time > flight->event + flight->args->after_ns) {
		int ret = flight_dump(tool, flight);

		if (ret)
			return ret;
	}
	if (keep_put(&flight->keep, domain, record))
		return tool_error(tool, "out of memory");
	if (flight->metrics && flight->args->when &&
	    ucore_metrics_take(flight->metrics, domain, record) > 0)
		condition_check(flight, time);
	return 0;
}

int flight_end(struct tool *tool, struct flight *flight)
{
	return flight->pending ? flight_dump(tool, flight) : 0;
}

void flight_close(struct flight *flight)
{
	keep_clear(&flight->keep);
}
