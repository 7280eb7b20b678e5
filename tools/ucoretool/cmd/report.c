// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool report: a file of samples as a table, CSV or JSON lines.
 *
 * The file comes from anywhere; the library has checked that records are whole,
 * what they mean (which events, which order) is checked here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "domain.h"
#include "out.h"
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

/* What is known of a domain so far */
struct report_domain {
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
	struct report_domain *domains;	/* beside the file's */
	struct ucore_status status;
	bool finished;			/* @status is valid */
	bool headed;
};

static const struct option_desc report_options[] = {
	{ 'i', "input", "FILE", "read this (ucore.data), - for standard input" },
	{ OPT_PER_SOCKET, "per-socket", NULL,
	  "sum the boxes of a die or CPU up, one line per event (default)" },
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
		if (!event || event->domain != sample->domain || (previous && event <= previous))
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

static struct report_domain *domain_find(const struct report *report, uint32_t id)
{
	/* the library lets known domains through only */
	return &report->domains[ucore_file_domain(report->file, id) -
				ucore_file_domains(report->file)];
}

static void domain_text(const struct report *report, uint32_t id, char *text, size_t size)
{
	const struct ucore_file_domain *domain = ucore_file_domain(report->file, id);

	ucore_domain_name(domain->die, domain->cpu, text, size);
}

static void box_text(const struct ucore_file_event *event, char *text, size_t size)
{
	snprintf(text, size, "%s%u", event->type, event->instance);
}

static uint64_t since_start(const struct report *report, uint64_t time)
{
	return time > report->header->start ? time - report->header->start : 0;
}

/* What a record has before its values; from HEAD_USER on for JSON and people only */
enum {
	HEAD_RECORD,
	HEAD_TIME,
	HEAD_DIE,
	HEAD_SEQ,
	HEAD_CPU,
	HEAD_TRIGGER,
	HEAD_TRIGGER_EVENT,
	HEAD_TRIGGER_BOX,
	HEAD_FROZEN,
	HEAD_ENABLED,
	HEAD_RUNNING,
	HEAD_PID,
	HEAD_TID,
	HEAD_IP,
	NR_CSV_HEAD,
	HEAD_USER = NR_CSV_HEAD,
	HEAD_RECOVERED,
	HEAD_THROTTLED,
	HEAD_POLLED,
	HEAD_LATE,
	HEAD_SKEW,
	NR_HEAD,
};

enum {
	VALUE_BOX,
	VALUE_EVENT,
	VALUE_COUNT,
	VALUE_NOTE,
	NR_VALUE,
};

#define NR_CSV	(NR_CSV_HEAD + NR_VALUE)

static const struct column head_columns[NR_HEAD] = {
	[HEAD_RECORD] = { "record" },
	[HEAD_TIME] = { "time_ns" },
	[HEAD_DIE] = { "die" },
	[HEAD_SEQ] = { "seq" },
	[HEAD_CPU] = { "cpu" },
	[HEAD_TRIGGER] = { "trigger" },
	[HEAD_TRIGGER_EVENT] = { "trigger_event" },
	[HEAD_TRIGGER_BOX] = { "trigger_box" },
	[HEAD_FROZEN] = { "frozen_ns" },
	[HEAD_ENABLED] = { "enabled_ns" },
	[HEAD_RUNNING] = { "running_ns" },
	[HEAD_PID] = { "pid" },
	[HEAD_TID] = { "tid" },
	[HEAD_IP] = { "ip" },
	[HEAD_USER] = { "user" },
	[HEAD_RECOVERED] = { "recovered" },
	[HEAD_THROTTLED] = { "throttled" },
	[HEAD_POLLED] = { "polled" },
	[HEAD_LATE] = { "late_ns" },
	[HEAD_SKEW] = { "skew_ns" },
};

static const struct column value_columns[NR_VALUE] = {
	[VALUE_BOX] = { "box", "BOX", -8 },
	[VALUE_EVENT] = { "event", "EVENT", -40 },
	[VALUE_COUNT] = { "count", "COUNT", 24 },
	[VALUE_NOTE] = { "note", "", -8 },
};

/* People look for the count first */
static const unsigned int table_order[NR_VALUE] = {
	VALUE_COUNT, VALUE_BOX, VALUE_EVENT, VALUE_NOTE,
};

/* A sample as cells, once for all formats, and the texts that they point to */
struct sample_cells {
	struct cell head[NR_HEAD];
	struct cell value[NR_VALUE];
	char trigger_box[UCORE_NAME_LEN + 12];
	char box[UCORE_NAME_LEN + 12];
	char ip[24];
};

static void context_cells(struct sample_cells *cells, const struct ucore_sample *sample)
{
	if (!(sample->flags & UCORE_SAMPLE_CONTEXT))
		return;
	snprintf(cells->ip, sizeof(cells->ip), "0x%llx", (unsigned long long)sample->ip);
	cells->head[HEAD_PID] = cell_number(sample->pid);
	cells->head[HEAD_TID] = cell_number(sample->tid);
	cells->head[HEAD_IP] = cell_text(cells->ip);
	cells->head[HEAD_USER] = cell_number(!!(sample->flags & UCORE_SAMPLE_USER));
}

static void trigger_cells(const struct report *report, struct sample_cells *cells,
			  const struct ucore_sample *sample)
{
	const struct ucore_file_event *event = ucore_file_find(report->file, sample->trigger_event);

	cells->head[HEAD_TRIGGER] =
		cell_text(sample->trigger == UCORE_TRIGGER_OVERFLOW ? "overflow" :
			  sample->trigger == UCORE_TRIGGER_TIMER ? "timer" : "?");
	if (!event)
		return;
	box_text(event, cells->trigger_box, sizeof(cells->trigger_box));
	cells->head[HEAD_TRIGGER_EVENT] = cell_text(event->label);
	cells->head[HEAD_TRIGGER_BOX] = cell_text(cells->trigger_box);
}

/* A domain that is a CPU has no die here: the CPU that read it says where it is */
static void head_make(const struct report *report, struct sample_cells *cells,
		      const struct ucore_sample *sample)
{
	const struct ucore_file_domain *domain = ucore_file_domain(report->file, sample->domain);

	memset(cells->head, 0, sizeof(cells->head));
	cells->head[HEAD_RECORD] = cell_text("sample");
	cells->head[HEAD_TIME] = cell_ns(sample->time);
	cells->head[HEAD_DIE] = domain_die_cell(domain->die, domain->cpu);
	cells->head[HEAD_SEQ] = cell_number(sample->hdr.seq);
	cells->head[HEAD_CPU] = cell_number(sample->cpu);
	cells->head[HEAD_FROZEN] = cell_ns(sample->frozen_ns);
	cells->head[HEAD_ENABLED] = cell_ns(sample->time_enabled);
	cells->head[HEAD_RUNNING] = cell_ns(sample->time_running);
	if (sample->flags & UCORE_SAMPLE_RECOVERED)
		cells->head[HEAD_RECOVERED] = cell_number(1);
	if (sample->flags & UCORE_SAMPLE_THROTTLED)
		cells->head[HEAD_THROTTLED] = cell_number(1);
	if (sample->flags & UCORE_SAMPLE_POLLED) {
		cells->head[HEAD_POLLED] = cell_number(1);
		cells->head[HEAD_LATE] = cell_ns(sample->late_ns);
	}
	if (sample->skew_ns)
		cells->head[HEAD_SKEW] = cell_ns(sample->skew_ns);
	trigger_cells(report, cells, sample);
	context_cells(cells, sample);
}

static struct cell note_cell(const struct report *report, const struct report_row *row)
{
	if (row->flags & UCORE_VALUE_DEAD)
		return cell_text("box dead");
	if (row->flags & UCORE_VALUE_OFFLINE)
		return cell_text(domain_offline_text(ucore_file_domain(report->file,
								       row->event->domain)->cpu));
	if (row->flags & UCORE_VALUE_REFUSED)
		return cell_text("refused");
	if (row->flags & UCORE_VALUE_OVERFLOW)
		return cell_text("overflow");
	return row->flags & UCORE_VALUE_UNFROZEN ? cell_text("unfrozen") : cell_none();
}

static void value_make(const struct report *report, struct sample_cells *cells,
		       const struct report_row *row)
{
	box_text(row->event, cells->box, sizeof(cells->box));
	cells->value[VALUE_BOX] = cell_text(report->per_box ? cells->box : row->event->type);
	cells->value[VALUE_EVENT] = cell_text(row->event->label);
	cells->value[VALUE_COUNT] = cell_count(row->count);
	cells->value[VALUE_NOTE] = note_cell(report, row);
}

/* The line above the values of a sample, for people */
static void headline_print(struct report *report, const struct cell *head)
{
	uint64_t at = since_start(report, head[HEAD_TIME].number);
	FILE *stream = report->out.stream;

	fprintf(stream, "%llu.%09llu", (unsigned long long)(at / NSEC_PER_SEC),
		(unsigned long long)(at % NSEC_PER_SEC));
	if (head[HEAD_DIE].kind != CELL_NONE)
		fprintf(stream, "  die %llu", (unsigned long long)head[HEAD_DIE].number);
	fprintf(stream, "  cpu %llu  %s", (unsigned long long)head[HEAD_CPU].number,
		head[HEAD_TRIGGER].text);
	if (head[HEAD_TRIGGER_EVENT].kind != CELL_NONE)
		fprintf(stream, " of %s %s", head[HEAD_TRIGGER_BOX].text,
			head[HEAD_TRIGGER_EVENT].text);
	fprintf(stream, "  frozen %.2f us", (double)head[HEAD_FROZEN].number / NSEC_PER_USEC);
	if (head[HEAD_SKEW].kind != CELL_NONE)
		fprintf(stream, " skew %.2f us", (double)head[HEAD_SKEW].number / NSEC_PER_USEC);
	fprintf(stream, "%s%s", head[HEAD_RECOVERED].kind != CELL_NONE ? " recovered" : "",
		head[HEAD_THROTTLED].kind != CELL_NONE ? " throttled" : "");
	if (head[HEAD_POLLED].kind != CELL_NONE)
		fprintf(stream, " polled, late < %.2f us",
			(double)head[HEAD_LATE].number / NSEC_PER_USEC);
	if (head[HEAD_IP].kind != CELL_NONE)
		fprintf(stream, "  pid %llu/%llu ip %s %s",
			(unsigned long long)head[HEAD_PID].number,
			(unsigned long long)head[HEAD_TID].number, head[HEAD_IP].text,
			head[HEAD_USER].number ? "user" : "kernel");
	fputc('\n', stream);
}

/* Values in CSV repeat their sample's head */
static const struct column *columns_csv(struct column *columns)
{
	memcpy(columns, head_columns, NR_CSV_HEAD * sizeof(*columns));
	memcpy(columns + NR_CSV_HEAD, value_columns, sizeof(value_columns));
	return columns;
}

static void value_print(struct report *report, const struct sample_cells *cells)
{
	struct column columns[NR_CSV];
	struct cell row[NR_CSV];

	switch (report->out.format) {
	case OUT_TABLE:
		for (size_t i = 0; i < NR_VALUE; i++) {
			columns[i] = value_columns[table_order[i]];
			row[i] = cells->value[table_order[i]];
		}
		out_row(&report->out, columns, NR_VALUE, row);
		break;
	case OUT_CSV:
		memcpy(row, cells->head, NR_CSV_HEAD * sizeof(*row));
		memcpy(row + NR_CSV_HEAD, cells->value, sizeof(cells->value));
		out_row(&report->out, columns_csv(columns), NR_CSV, row);
		break;
	case OUT_JSON:
		json_begin(&report->out, NULL, '{');
		json_cells(&report->out, value_columns, NR_VALUE, cells->value);
		json_end(&report->out, '}');
		break;
	}
}

/* What stands before the first value of a sample, and after the last */
static void sample_begin(struct report *report, const struct cell *head)
{
	struct column columns[NR_CSV];

	switch (report->out.format) {
	case OUT_TABLE:
		headline_print(report, head);
		break;
	case OUT_CSV:
		if (!report->headed)
			out_head(&report->out, columns_csv(columns), NR_CSV);
		report->headed = true;
		break;
	case OUT_JSON:
		json_line_begin(&report->out);
		json_cells(&report->out, head_columns, NR_HEAD, head);
		json_begin(&report->out, "values", '[');
		break;
	}
}

static void sample_end(struct report *report)
{
	if (report->out.format != OUT_JSON)
		return;
	json_end(&report->out, ']');
	json_line_end(&report->out);
}

static void sample_print(struct report *report, const struct ucore_sample *sample)
{
	struct sample_cells cells;

	head_make(report, &cells, sample);
	sample_begin(report, cells.head);
	for (size_t i = 0; i < report->nr_rows; i++) {
		value_make(report, &cells, &report->rows[i]);
		value_print(report, &cells);
	}
	sample_end(report);
}

/* Lost and gap records: a JSON object, or a remark that breaks no CSV row */
static FILE *remark_stream(const struct report *report)
{
	return report->out.format == OUT_CSV ? stderr : report->out.stream;
}

static void lost_print(struct report *report, uint32_t id, const struct ucore_lost *lost)
{
	static const struct column columns[] = {
		{ "record" }, { "time_ns" }, { "die" }, { "cpu" }, { "seq" }, { "lost" },
	};
	const struct ucore_file_domain *domain = ucore_file_domain(report->file, id);
	const struct cell cells[] = {
		cell_text("lost"),
		cell_ns(lost->time),
		domain_die_cell(domain->die, domain->cpu),
		domain_cpu_cell(domain->cpu),
		cell_number(lost->hdr.seq),
		cell_number(lost->lost),
	};
	char name[UCORE_DOMAIN_NAME_LEN];

	if (report->out.format == OUT_JSON) {
		out_row(&report->out, columns, ARRAY_SIZE(columns), cells);
		return;
	}
	domain_text(report, id, name, sizeof(name));
	fprintf(remark_stream(report), "# %s: %llu records lost before %llu ns\n", name,
		(unsigned long long)lost->lost,
		(unsigned long long)since_start(report, lost->time));
}

static const char *gap_reason(const struct ucore_gap *gap, int32_t cpu)
{
	switch (gap->reason) {
	case UCORE_GAP_READER_MOVED:
		return "reader moved";
	case UCORE_GAP_OFFLINE:
		return domain_offline_text(cpu);
	case UCORE_GAP_ONLINE:
		return cpu < 0 ? "die online" : "cpu online";
	case UCORE_GAP_BOX_DEAD:
		return "box dead";
	default:
		return "?";
	}
}

static void gap_print(struct report *report, uint32_t id, const struct ucore_gap *gap)
{
	static const struct column columns[] = {
		{ "record" }, { "time_ns" }, { "die" }, { "cpu" }, { "seq" }, { "reason" },
		{ "cpu_from" }, { "cpu_to" }, { "box" },
	};
	const struct ucore_file_domain *domain = ucore_file_domain(report->file, id);
	const char *reason = gap_reason(gap, domain->cpu);
	const struct cell cells[] = {
		cell_text("gap"),
		cell_ns(gap->time),
		domain_die_cell(domain->die, domain->cpu),
		domain_cpu_cell(domain->cpu),
		cell_number(gap->hdr.seq),
		cell_text(reason),
		domain_cpu_cell(gap->cpu_from),
		domain_cpu_cell(gap->cpu_to),
		gap->box == UCORE_ANY ? cell_none() : cell_number(gap->box),
	};
	char name[UCORE_DOMAIN_NAME_LEN];

	if (report->out.format == OUT_JSON) {
		out_row(&report->out, columns, ARRAY_SIZE(columns), cells);
		return;
	}
	domain_text(report, id, name, sizeof(name));
	fprintf(remark_stream(report), "# %s: gap: %s (CPU %d to %d)\n", name, reason,
		gap->cpu_from, gap->cpu_to);
}

/* ---- records ----------------------------------------------------------- */

static int sample_take(struct tool *tool, struct report *report, const struct ucore_sample *sample)
{
	struct report_domain *domain = domain_find(report, sample->domain);

	if (!sample_sum(report, sample))
		return tool_error(tool, "damaged: a sample has values that its file did not announce");
	if (!domain->samples++)
		domain->first = sample->time;
	domain->last = sample->time;
	domain->frozen += sample->frozen_ns;
	sample_print(report, sample);
	return 0;
}

static int record_take(struct tool *tool, struct report *report, uint32_t id,
		       const struct ucore_record *record)
{
	struct report_domain *domain = domain_find(report, id);
	char name[UCORE_DOMAIN_NAME_LEN];

	if (domain->started && record->type != UCORE_RECORD_PAD && record->seq <= domain->seq) {
		domain_text(report, id, name, sizeof(name));
		return tool_error(tool, "damaged: records of %s are out of order", name);
	}
	switch (record->type) {
	case UCORE_RECORD_PAD:
		return 0;
	case UCORE_RECORD_SAMPLE:
		break;
	case UCORE_RECORD_LOST:
		domain->lost += ((const struct ucore_lost *)record)->lost;
		lost_print(report, id, (const struct ucore_lost *)record);
		break;
	case UCORE_RECORD_GAP:
		domain->gaps++;
		gap_print(report, id, (const struct ucore_gap *)record);
		break;
	}
	domain->started = true;
	domain->seq = record->seq;
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
		ret = record_take(tool, report, entry.domain, data);
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
	for (uint32_t i = 0; i < report->header->nr_domains; i++) {
		const struct report_domain *domain = &report->domains[i];

		sum->samples += domain->samples;
		sum->lost += domain->lost;
		sum->gaps += domain->gaps;
		sum->frozen += domain->frozen;
		sum->ns += domain->last - domain->first;
		if (domain->samples)
			sum->rated += domain->samples - 1;
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

	json_line_begin(out);
	json_text(out, "record", "summary");
	json_number(out, "samples", sum->samples);
	json_number(out, "lost", sum->lost);
	json_number(out, "gaps", sum->gaps);
	json_real(out, "samples_per_domain_second",
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
	json_line_end(out);
}

/* What the events are on, an event at a time: which scopes, not how many domains */
static struct domain_sum events_domains(const struct report *report)
{
	struct domain_sum sum = { 0 };

	for (uint32_t i = 0; i < report->header->nr_events; i++)
		domain_sum_add(&sum, ucore_file_domain(report->file,
						       report->events[i].domain)->scope);
	return sum;
}

static void summary_print(struct report *report)
{
	FILE *stream = remark_stream(report);
	struct domain_sum domains = events_domains(report);
	struct report_sum sum;

	report_add_up(report, &sum);
	if (report->out.format == OUT_JSON) {
		summary_json(report, &sum);
		return;
	}
	fprintf(stream, "# %llu samples, %llu records lost, %llu gaps; %.1f samples/s on each %s, frozen %.4f %% of the time\n",
		(unsigned long long)sum.samples, (unsigned long long)sum.lost,
		(unsigned long long)sum.gaps,
		share((double)sum.rated * NSEC_PER_SEC, (double)sum.ns),
		domain_sum_word(&domains), 100 * share((double)sum.frozen, (double)sum.ns));
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
	report->domains = calloc(report->header->nr_domains, sizeof(*report->domains));
	return report->last && report->rows && report->row_of && report->domains ? 0 : -ENOMEM;
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
	free(report.domains);
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
	.no_device = true,
	.args_size = sizeof(struct report_args),
	.option = report_option,
	.finish = report_finish,
	.run = report_run,
};
