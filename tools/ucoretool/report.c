// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool report: a file of samples as a table, CSV or JSON lines.
 *
 * The file comes from anywhere; the library has checked that records are whole,
 * what they mean (which events, which order) is checked here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

struct report_args {
	const char *path;
	bool per_box;
	bool totals;
	struct out out;
};

/* What is summed up of one sample: an event, or an event on one box */
struct report_row {
	const struct ucore_file_event *event;	/* first that came */
	uint64_t count;
	uint32_t flags;
};

struct report_die {
	uint64_t samples;
	uint64_t lost;
	uint64_t gaps;
	uint64_t first, last;		/* time of samples */
	uint64_t frozen;
	uint64_t seq;			/* of the last record */
	bool started;
};

struct report {
	struct ucore_file *file;
	const struct ucore_file_header *header;
	const struct ucore_file_event *events;
	struct out out;
	bool per_box;
	bool totals;
	uint64_t *last;			/* count of each event at its last sample */
	struct report_row *rows;
	size_t *row_of;			/* index -> row + 1, while a sample is summed up */
	size_t nr_rows;
	struct report_die *dies;	/* beside the file's */
	struct ucore_status status;
	bool finished;			/* @status is valid */
	bool headed;
};

static const struct option_desc report_options[] = {
	{ 'i', "input", "FILE", "read this (ucore.data), - for standard input" },
	{ OPT_PER_SOCKET, "per-socket", NULL,
	  "sum the boxes of a die up, one line per event (default)" },
	{ OPT_PER_BOX, "per-box", NULL, "one line per event and box" },
	{ OPT_TOTALS, "totals", NULL, "counts since the start, not since the last sample" },
	{ 'x', "field-separator", "SEP", "CSV with this separator, a row per value" },
	{ 'j', "json", NULL, "JSON lines, an object per record" },
	{ 0 },
};

static int report_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct report_args *args = data;

	switch (letter) {
	case 'i':
		args->path = value;
		return 0;
	case OPT_PER_SOCKET:
		args->per_box = false;
		return 0;
	case OPT_PER_BOX:
		args->per_box = true;
		return 0;
	case OPT_TOTALS:
		args->totals = true;
		return 0;
	case 'x':
		args->out.format = OUT_CSV;
		return parse_separator(tool, value, &args->out.separator);
	default:
		args->out.format = OUT_JSON;
		return 0;
	}
}

static int report_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct report_args *args = data;

	if (argc)
		return tool_usage(tool, "'%s' is one word too many: give the file with -i",
				  argv[0]);
	if (!args->path)
		args->path = "ucore.data";
	args->out.stream = stdout;
	return 0;
}

/* ---- what a sample adds up to ------------------------------------------ */

static void row_add(struct report *report, const struct ucore_file_event *event,
		    uint64_t count, uint32_t flags)
{
	size_t *at = &report->row_of[event->index];
	struct report_row *row;

	if (!*at || report->per_box) {
		row = &report->rows[report->nr_rows++];
		*row = (struct report_row) { .event = event };
		*at = report->nr_rows;
	}
	row = &report->rows[*at - 1];
	row->count += count;
	row->flags |= flags;
}

/* Sum up the values; false when they are not what the head announced */
static bool sample_sum(struct report *report, const struct ucore_sample *sample)
{
	const struct ucore_file_event *previous = NULL;

	report->nr_rows = 0;
	memset(report->row_of, 0, report->header->nr_events * sizeof(*report->row_of));
	for (uint32_t i = 0; i < sample->nr_values; i++) {
		const struct ucore_value *value = &sample->values[i];
		const struct ucore_file_event *event = ucore_file_find(report->file, value->event);
		size_t at;

		/* rising ids: none comes twice, so there are rows enough */
		if (!event || event->die != sample->domain || (previous && event <= previous))
			return false;
		previous = event;
		at = (size_t)(event - report->events);
		row_add(report, event, report->totals ? value->count :
			value->count - report->last[at], value->flags);
		report->last[at] = value->count;
	}
	return true;
}

/* ---- output ------------------------------------------------------------ */

static const char *trigger_name(const struct ucore_sample *sample)
{
	return sample->trigger == UCORE_TRIGGER_OVERFLOW ? "overflow" :
	       sample->trigger == UCORE_TRIGGER_TIMER ? "timer" : "?";
}

static void event_box(const struct ucore_file_event *event, char *text, size_t size)
{
	snprintf(text, size, "%s%u", event->type, event->instance);
}

static void flags_text(const struct ucore_sample *sample, char *text, size_t size)
{
	snprintf(text, size, "%s%s", sample->flags & UCORE_SAMPLE_RECOVERED ? " recovered" : "",
		 sample->flags & UCORE_SAMPLE_THROTTLED ? " throttled" : "");
}

static const char *value_note(uint32_t flags)
{
	return flags & UCORE_VALUE_DEAD ? "box dead" :
	       flags & UCORE_VALUE_OFFLINE ? "die offline" :
	       flags & UCORE_VALUE_OVERFLOW ? "overflow" : "";
}

static uint64_t since_start(const struct report *report, uint64_t time)
{
	return time > report->header->start ? time - report->header->start : 0;
}

static const struct column table_columns[] = {
	{ "count", "COUNT", 24 },
	{ "box", "BOX", -8 },
	{ "event", "EVENT", -40 },
	{ "note", "", -8 },
};

static void table_sample(struct report *report, const struct ucore_sample *sample)
{
	const struct ucore_file_event *event = ucore_file_find(report->file, sample->trigger_event);
	struct out *out = &report->out;
	char box[32] = "", flags[32];
	uint64_t at = since_start(report, sample->time);

	flags_text(sample, flags, sizeof(flags));
	if (event)
		event_box(event, box, sizeof(box));
	fprintf(out->stream, "%llu.%09llu  die %u  cpu %u  %s%s%s%s%s  frozen %.2f us%s",
		(unsigned long long)(at / NSEC_PER_SEC), (unsigned long long)(at % NSEC_PER_SEC),
		sample->domain, sample->cpu, trigger_name(sample), event ? " of " : "", box,
		event ? " " : "", event ? event->label : "",
		(double)sample->frozen_ns / NSEC_PER_USEC, flags);
	if (sample->flags & UCORE_SAMPLE_CONTEXT)
		fprintf(out->stream, "  pid %u/%u ip 0x%llx %s", sample->pid, sample->tid,
			(unsigned long long)sample->ip,
			sample->flags & UCORE_SAMPLE_USER ? "user" : "kernel");
	fputc('\n', out->stream);

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct report_row *row = &report->rows[i];

		event_box(row->event, box, sizeof(box));
		const struct cell cells[] = {
			cell_count(row->count),
			cell_text(report->per_box ? box : row->event->type),
			cell_text(row->event->label),
			*value_note(row->flags) ? cell_text(value_note(row->flags)) : cell_none(),
		};
		out_row(out, table_columns, ARRAY_SIZE(cells), cells);
	}
}

static const struct column csv_columns[] = {
	{ "record", "", 0 }, { "time_ns", "", 0 }, { "die", "", 0 }, { "seq", "", 0 },
	{ "cpu", "", 0 }, { "trigger", "", 0 }, { "trigger_event", "", 0 },
	{ "trigger_box", "", 0 }, { "frozen_ns", "", 0 }, { "enabled_ns", "", 0 },
	{ "running_ns", "", 0 }, { "pid", "", 0 }, { "tid", "", 0 }, { "ip", "", 0 },
	{ "box", "", 0 }, { "event", "", 0 }, { "count", "", 0 }, { "note", "", 0 },
};

static void csv_sample(struct report *report, const struct ucore_sample *sample)
{
	const struct ucore_file_event *event = ucore_file_find(report->file, sample->trigger_event);
	bool context = sample->flags & UCORE_SAMPLE_CONTEXT;
	char box[32], trigger_box[32] = "", ip[24];

	if (event)
		event_box(event, trigger_box, sizeof(trigger_box));
	snprintf(ip, sizeof(ip), "0x%llx", (unsigned long long)sample->ip);
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct report_row *row = &report->rows[i];

		event_box(row->event, box, sizeof(box));
		const struct cell cells[] = {
			cell_text("sample"),
			cell_ns(sample->time),
			cell_number(sample->domain),
			cell_number(sample->hdr.seq),
			cell_number(sample->cpu),
			cell_text(trigger_name(sample)),
			event ? cell_text(event->label) : cell_none(),
			event ? cell_text(trigger_box) : cell_none(),
			cell_ns(sample->frozen_ns),
			cell_ns(sample->time_enabled),
			cell_ns(sample->time_running),
			context ? cell_number(sample->pid) : cell_none(),
			context ? cell_number(sample->tid) : cell_none(),
			context ? cell_text(ip) : cell_none(),
			cell_text(report->per_box ? box : row->event->type),
			cell_text(row->event->label),
			cell_number(row->count),
			cell_text(value_note(row->flags)),
		};
		out_row(&report->out, csv_columns, ARRAY_SIZE(cells), cells);
	}
}

static void json_head(struct out *out, const char *record, uint64_t time, uint32_t die,
		      uint64_t seq)
{
	out->inside = false;
	json_begin(out, NULL, '{');
	json_text(out, "record", record);
	json_number(out, "time_ns", time);
	json_number(out, "die", die);
	json_number(out, "seq", seq);
}

static void json_tail(struct out *out)
{
	json_end(out, '}');
	fputc('\n', out->stream);
}

static void json_values(struct report *report)
{
	struct out *out = &report->out;
	char box[32];

	json_begin(out, "values", '[');
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct report_row *row = &report->rows[i];

		event_box(row->event, box, sizeof(box));
		json_begin(out, NULL, '{');
		json_text(out, "box", report->per_box ? box : row->event->type);
		json_text(out, "event", row->event->label);
		json_number(out, "count", row->count);
		if (*value_note(row->flags))
			json_text(out, "note", value_note(row->flags));
		json_end(out, '}');
	}
	json_end(out, ']');
}

static void json_sample(struct report *report, const struct ucore_sample *sample)
{
	const struct ucore_file_event *event = ucore_file_find(report->file, sample->trigger_event);
	struct out *out = &report->out;
	char text[32];

	json_head(out, "sample", sample->time, sample->domain, sample->hdr.seq);
	json_number(out, "cpu", sample->cpu);
	json_text(out, "trigger", trigger_name(sample));
	if (event) {
		event_box(event, text, sizeof(text));
		json_text(out, "trigger_event", event->label);
		json_text(out, "trigger_box", text);
	}
	json_number(out, "frozen_ns", sample->frozen_ns);
	json_number(out, "enabled_ns", sample->time_enabled);
	json_number(out, "running_ns", sample->time_running);
	if (sample->flags & UCORE_SAMPLE_CONTEXT) {
		json_number(out, "pid", sample->pid);
		json_number(out, "tid", sample->tid);
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)sample->ip);
		json_text(out, "ip", text);
		json_number(out, "user", !!(sample->flags & UCORE_SAMPLE_USER));
	}
	if (sample->flags & UCORE_SAMPLE_RECOVERED)
		json_number(out, "recovered", 1);
	if (sample->flags & UCORE_SAMPLE_THROTTLED)
		json_number(out, "throttled", 1);
	json_values(report);
	json_tail(out);
}

static void sample_print(struct report *report, const struct ucore_sample *sample)
{
	if (report->out.format == OUT_TABLE) {
		table_sample(report, sample);
	} else if (report->out.format == OUT_JSON) {
		json_sample(report, sample);
	} else {
		if (!report->headed)
			out_head(&report->out, csv_columns, ARRAY_SIZE(csv_columns));
		report->headed = true;
		csv_sample(report, sample);
	}
}

/* Lost and gap records: a JSON object, or a remark that breaks no CSV row */
static FILE *remark_stream(const struct report *report)
{
	return report->out.format == OUT_CSV ? stderr : report->out.stream;
}

static void lost_print(struct report *report, uint32_t die, const struct ucore_lost *lost)
{
	if (report->out.format == OUT_JSON) {
		json_head(&report->out, "lost", lost->time, die, lost->hdr.seq);
		json_number(&report->out, "lost", lost->lost);
		json_tail(&report->out);
		return;
	}
	fprintf(remark_stream(report), "# die %u: %llu records lost before %llu ns\n", die,
		(unsigned long long)lost->lost,
		(unsigned long long)since_start(report, lost->time));
}

static void gap_print(struct report *report, const struct ucore_gap *gap)
{
	static const char *const reasons[] = {
		[UCORE_GAP_READER_MOVED] = "reader moved",
		[UCORE_GAP_OFFLINE] = "die offline",
		[UCORE_GAP_ONLINE] = "die online",
		[UCORE_GAP_BOX_DEAD] = "box dead",
	};
	const char *reason = gap->reason < ARRAY_SIZE(reasons) ? reasons[gap->reason] : "?";

	if (report->out.format == OUT_JSON) {
		json_head(&report->out, "gap", gap->time, gap->domain, gap->hdr.seq);
		json_text(&report->out, "reason", reason);
		if (gap->cpu_from >= 0)
			json_number(&report->out, "cpu_from", (uint32_t)gap->cpu_from);
		if (gap->cpu_to >= 0)
			json_number(&report->out, "cpu_to", (uint32_t)gap->cpu_to);
		if (gap->box != UCORE_ANY)
			json_number(&report->out, "box", gap->box);
		json_tail(&report->out);
		return;
	}
	fprintf(remark_stream(report), "# die %u: gap: %s (CPU %d to %d)\n", gap->domain, reason,
		gap->cpu_from, gap->cpu_to);
}

/* ---- records ----------------------------------------------------------- */

static struct report_die *die_find(const struct report *report, uint32_t die)
{
	const struct ucore_file_die *dies = ucore_file_dies(report->file);
	uint32_t i = 0;

	/* the library lets known dies through only */
	while (i + 1 < report->header->nr_dies && dies[i].die != die)
		i++;
	return &report->dies[i];
}

static int sample_take(struct tool *tool, struct report *report, const struct ucore_sample *sample)
{
	struct report_die *die = die_find(report, sample->domain);

	if (!sample_sum(report, sample))
		return tool_error(tool, "damaged: a sample has values that its file did not announce");
	if (!die->samples++)
		die->first = sample->time;
	die->last = sample->time;
	die->frozen += sample->frozen_ns;
	sample_print(report, sample);
	return 0;
}

static int record_take(struct tool *tool, struct report *report, uint32_t die_id,
		       const struct ucore_record *record)
{
	struct report_die *die = die_find(report, die_id);

	if (die->started && record->type != UCORE_RECORD_PAD && record->seq <= die->seq)
		return tool_error(tool, "damaged: records of die %u are out of order", die_id);
	switch (record->type) {
	case UCORE_RECORD_PAD:
		return 0;
	case UCORE_RECORD_SAMPLE:
		break;
	case UCORE_RECORD_LOST:
		die->lost += ((const struct ucore_lost *)record)->lost;
		lost_print(report, die_id, (const struct ucore_lost *)record);
		break;
	case UCORE_RECORD_GAP:
		die->gaps++;
		gap_print(report, (const struct ucore_gap *)record);
		break;
	}
	die->started = true;
	die->seq = record->seq;
	if (record->type != UCORE_RECORD_SAMPLE)
		return 0;
	return sample_take(tool, report, (const struct ucore_sample *)record);
}

static int entries_take(struct tool *tool, struct report *report)
{
	struct ucore_file_entry entry;
	const void *data;
	int ret;

	while ((ret = ucore_file_next(report->file, &entry, &data, &tool->err)) > 0) {
		if (entry.kind == UCORE_FILE_STATUS) {
			memcpy(&report->status, data, sizeof(report->status));
			report->finished = true;
			continue;
		}
		ret = record_take(tool, report, entry.die, data);
		if (ret)
			return ret;
	}
	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	return 0;
}

/* ---- summary ----------------------------------------------------------- */

struct report_sum {
	uint64_t samples, lost, gaps, frozen, ns, rated;
	uint64_t cost_ns, accesses, taken;
};

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void report_add_up(const struct report *report, struct report_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = 0; i < report->header->nr_dies; i++) {
		const struct report_die *die = &report->dies[i];

		sum->samples += die->samples;
		sum->lost += die->lost;
		sum->gaps += die->gaps;
		sum->frozen += die->frozen;
		sum->ns += die->last - die->first;
		if (die->samples)
			sum->rated += die->samples - 1;
	}
	if (!report->finished)
		return;
	/* records lost after the last one written left no record */
	sum->lost = report->status.lost;
	sum->cost_ns = report->status.cost_ns;
	sum->accesses = report->status.reads + report->status.writes;
	sum->taken = report->status.samples;
}

static void summary_json(struct report *report, const struct report_sum *sum)
{
	struct out *out = &report->out;

	out->inside = false;
	json_begin(out, NULL, '{');
	json_text(out, "record", "summary");
	json_number(out, "samples", sum->samples);
	json_number(out, "lost", sum->lost);
	json_number(out, "gaps", sum->gaps);
	json_real(out, "samples_per_die_second",
		  share((double)sum->rated * NSEC_PER_SEC, (double)sum->ns));
	json_real(out, "frozen_percent", 100 * share((double)sum->frozen, (double)sum->ns));
	json_number(out, "complete", report->finished);
	if (report->finished) {
		json_real(out, "cost_ns_per_sample",
			  share((double)sum->cost_ns, (double)sum->taken));
		json_real(out, "accesses_per_sample",
			  share((double)sum->accesses, (double)sum->taken));
		json_number(out, "recovered", report->status.recovered);
	}
	json_tail(out);
}

static void summary_print(struct report *report)
{
	FILE *stream = remark_stream(report);
	struct report_sum sum;

	report_add_up(report, &sum);
	if (report->out.format == OUT_JSON) {
		summary_json(report, &sum);
		return;
	}
	fprintf(stream, "# %llu samples, %llu records lost, %llu gaps; %.1f samples/s on each die, frozen %.4f %% of the time\n",
		(unsigned long long)sum.samples, (unsigned long long)sum.lost,
		(unsigned long long)sum.gaps,
		share((double)sum.rated * NSEC_PER_SEC, (double)sum.ns),
		100 * share((double)sum.frozen, (double)sum.ns));
	if (!report->finished) {
		fprintf(stream, "# recording was cut short: its cost is not known\n");
		return;
	}
	fprintf(stream, "# cost of a sample: %.2f us, %.1f register accesses\n",
		share((double)sum.cost_ns, (double)sum.taken) / NSEC_PER_USEC,
		share((double)sum.accesses, (double)sum.taken));
	if (report->status.recovered)
		fprintf(stream, "# %llu of %llu overflows were found without their interrupt\n",
			(unsigned long long)report->status.recovered,
			(unsigned long long)report->status.overflows);
}

/* ---- run --------------------------------------------------------------- */

static int report_prepare(struct report *report)
{
	report->header = ucore_file_header(report->file);
	report->events = ucore_file_events(report->file);
	report->last = calloc(report->header->nr_events, sizeof(*report->last));
	report->rows = calloc(report->header->nr_events, sizeof(*report->rows));
	report->row_of = calloc(report->header->nr_events, sizeof(*report->row_of));
	report->dies = calloc(report->header->nr_dies, sizeof(*report->dies));
	return report->last && report->rows && report->row_of && report->dies ? 0 : -ENOMEM;
}

static int report_run(struct tool *tool, const void *data)
{
	const struct report_args *args = data;
	struct report report = {
		.out = args->out,
		.per_box = args->per_box,
		.totals = args->totals,
	};
	int ret = ucore_file_open(args->path, &report.file, &tool->err);

	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	ret = report_prepare(&report) ? tool_error(tool, "out of memory") : 0;
	if (!ret) {
		ret = entries_take(tool, &report);
		summary_print(&report);
	}
	free(report.dies);
	free(report.row_of);
	free(report.rows);
	free(report.last);
	ucore_file_close(report.file);
	return ret;
}

const struct command command_report = {
	.name = "report",
	.summary = "print the samples of a file",
	.options = report_options,
	.args_size = sizeof(struct report_args),
	.option = report_option,
	.finish = report_finish,
	.run = report_run,
};
