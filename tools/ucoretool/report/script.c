// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool script: print every record of a recorded file as text, CSV or JSON lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/sink.h"
#include "output/walltime.h"
#include "output/domain.h"
#include "output/table.h"
#include "output_options.h"
#include "report/recording.h"
#include "tool.h"

struct script_args {
	const char *path;
	bool totals;
	struct clock_window window;
	struct output_args output;
};

/* An output row of a sample: the sum of an event's counts on all boxes, or the count on one box */
struct script_row {
	const struct ucore_file_event *event;	/* event on the first box of the sum */
	uint64_t count;
	uint32_t flags;
};

struct script {
	struct recording recording;
	struct out out;
	bool per_box;
	bool totals;
	struct script_row *rows;
	size_t *row_of;			/* row number + 1 of each event index, 0 for no row yet */
	size_t nr_rows;
	bool headed;
};

static const struct option_desc script_options[] = {
	{ OPT_TOTALS, "totals", NULL, "print counts since the start, not since the last sample" },
	{ 0 },
};

static int script_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct script_args *args = data;
	bool taken;

	switch (letter) {
	case 'i':
		args->path = value;
		return 0;
	case OPT_TOTALS:
		args->totals = true;
		return 0;
	case OPT_TIME:
		return clock_window_parse(tool, value, &args->window);
	default:
		return output_option(tool, &args->output, letter, value, &taken);
	}
}

static int script_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct script_args *args = data;

	if (argc)
		return tool_usage(tool, "unexpected argument '%s'. Give the file with -i",
				  argv[0]);
	if (!args->path)
		args->path = "ucore.data";
	if (!args->window.to)
		args->window = clock_window_all();
	args->output.out.stream = stdout;
	return 0;
}

/* ---- sums of counts over boxes ----------------------------------------- */

static void row_add(struct script *script, const struct recording_value *value)
{
	size_t *at = &script->row_of[value->event->index];
	struct script_row *row;

	if (!*at || script->per_box) {
		row = &script->rows[script->nr_rows++];
		*row = (struct script_row) { .event = value->event };
		*at = script->nr_rows;
	}
	row = &script->rows[*at - 1];
	row->count += script->totals ? value->total : value->count;
	row->flags |= value->flags;
}

static void sample_sum(struct script *script)
{
	const struct recording *recording = &script->recording;

	script->nr_rows = 0;
	memset(script->row_of, 0, recording->header->nr_events * sizeof(*script->row_of));
	for (size_t i = 0; i < recording->nr_values; i++)
		row_add(script, &recording->values[i]);
}

/* ---- output ------------------------------------------------------------ */

static void box_text(const struct ucore_file_event *event, char *text, size_t size)
{
	snprintf(text, size, "%s%u", event->type, event->instance);
}

/* Fields of a record that precede its values; CSV has only those before HEAD_USER */
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
	HEAD_DELAYED,
	HEAD_POLLED,
	HEAD_NO_PMI,
	HEAD_LATE,
	HEAD_SKEW,
	HEAD_CLOCK,
	NR_HEAD,
};

enum {
	VALUE_BOX,
	VALUE_EVENT,
	VALUE_COUNT,
	VALUE_NOTE,
	NR_VALUE,
};

/* Wall-clock time: the last column of CSV, so that the positions of older columns stay the same */
#define CSV_CLOCK	(NR_CSV_HEAD + NR_VALUE)

#define NR_CSV		(CSV_CLOCK + 1)

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
	[HEAD_DELAYED] = { "delayed" },
	[HEAD_POLLED] = { "polled" },
	[HEAD_NO_PMI] = { "no_pmi" },
	[HEAD_LATE] = { "late_ns" },
	[HEAD_SKEW] = { "skew_ns" },
	[HEAD_CLOCK] = { "time" },
};

static const struct column value_columns[NR_VALUE] = {
	[VALUE_BOX] = { "box", "BOX", -8 },
	[VALUE_EVENT] = { "event", "EVENT", -40 },
	[VALUE_COUNT] = { "count", "COUNT", 24 },
	[VALUE_NOTE] = { "note", "", -8 },
};

/* Order of the columns in text output, which begins with the count */
static const unsigned int table_order[NR_VALUE] = {
	VALUE_COUNT, VALUE_BOX, VALUE_EVENT, VALUE_NOTE,
};

/* The cells of a sample for all formats, and the texts to which the cells point */
struct sample_cells {
	struct cell head[NR_HEAD];
	struct cell value[NR_VALUE];
	char trigger_box[UCORE_NAME_LEN + 12];
	char box[UCORE_NAME_LEN + 12];
	char ip[24];
	char clock[CLOCK_LEN];
};

static void context_cells(struct sample_cells *cells, const struct ucore_sample *sample)
{
	if (!(sample->flags & UCORE_SAMPLE_F_CONTEXT))
		return;
	snprintf(cells->ip, sizeof(cells->ip), "0x%llx", (unsigned long long)sample->ip);
	cells->head[HEAD_PID] = cell_number(sample->pid);
	cells->head[HEAD_TID] = cell_number(sample->tid);
	cells->head[HEAD_IP] = cell_text(cells->ip);
	cells->head[HEAD_USER] = cell_flag(sample->flags & UCORE_SAMPLE_F_USER);
}

static void trigger_cells(const struct script *script, struct sample_cells *cells,
			  const struct ucore_sample *sample)
{
	const struct ucore_file_event *event = ucore_file_find(script->recording.file,
							       sample->trigger_event);

	cells->head[HEAD_TRIGGER] =
		cell_text(sample->trigger == UCORE_TRIGGER_OVERFLOW ? "overflow" :
			  sample->trigger == UCORE_TRIGGER_TIMER ? "timer" :
			  sample->trigger == UCORE_TRIGGER_CORE ? "core" : "?");
	if (!event)
		return;
	box_text(event, cells->trigger_box, sizeof(cells->trigger_box));
	cells->head[HEAD_TRIGGER_EVENT] = cell_text(event->label);
	cells->head[HEAD_TRIGGER_BOX] = cell_text(cells->trigger_box);
}

/*
 * Set the cells of a sample's fields. The die of a core domain is empty, because the field cpu
 * identifies the domain.
 */
static void head_make(const struct script *script, struct sample_cells *cells,
		      const struct ucore_sample *sample)
{
	const struct ucore_file_domain *domain = script->recording.place;

	memset(cells->head, 0, sizeof(cells->head));
	cells->head[HEAD_RECORD] = cell_text("sample");
	cells->head[HEAD_TIME] = cell_ns(sample->time);
	cells->head[HEAD_DIE] = domain_die_cell(domain->die, domain->cpu);
	cells->head[HEAD_SEQ] = cell_number(sample->hdr.seq);
	cells->head[HEAD_CPU] = cell_number(sample->cpu);
	cells->head[HEAD_FROZEN] = cell_ns(sample->frozen_ns);
	cells->head[HEAD_ENABLED] = cell_ns(sample->time_enabled);
	cells->head[HEAD_RUNNING] = cell_ns(sample->time_running);
	if (sample->flags & UCORE_SAMPLE_F_RECOVERED)
		cells->head[HEAD_RECOVERED] = cell_flag(true);
	if (sample->flags & UCORE_SAMPLE_F_THROTTLED)
		cells->head[HEAD_THROTTLED] = cell_flag(true);
	if (sample->flags & UCORE_SAMPLE_F_DELAYED)
		cells->head[HEAD_DELAYED] = cell_flag(true);
	if (sample->flags & UCORE_SAMPLE_F_POLLED)
		cells->head[HEAD_POLLED] = cell_flag(true);
	if (sample->flags & UCORE_SAMPLE_F_FROZEN)
		cells->head[HEAD_NO_PMI] = cell_flag(true);
	if (sample->flags & UCORE_SAMPLE_F_POLLED || sample->trigger == UCORE_TRIGGER_CORE)
		cells->head[HEAD_LATE] = cell_ns(sample->late_ns);
	if (sample->skew_ns)
		cells->head[HEAD_SKEW] = cell_ns(sample->skew_ns);
	cells->head[HEAD_CLOCK] = cell_text(clock_iso(ucore_file_real(script->recording.file,
								      sample->time),
						      cells->clock));
	trigger_cells(script, cells, sample);
	context_cells(cells, sample);
}

static struct cell note_cell(const struct script *script, const struct script_row *row)
{
	const char *note = recording_value_note(row->flags, script->recording.place->cpu);

	/* "first": no difference can be computed, because earlier records are not in the file */
	if (!script->totals && !script->recording.known)
		note = "first";
	return note ? cell_text(note) : cell_none();
}

static void value_make(const struct script *script, struct sample_cells *cells,
		       const struct script_row *row)
{
	box_text(row->event, cells->box, sizeof(cells->box));
	cells->value[VALUE_BOX] = cell_text(script->per_box ? cells->box : row->event->type);
	cells->value[VALUE_EVENT] = cell_text(row->event->label);
	cells->value[VALUE_COUNT] = script->totals || script->recording.known ?
				    cell_count(row->count) : cell_none();
	cells->value[VALUE_NOTE] = note_cell(script, row);
}

/* Print the headline of a sample in text output: time, domain, trigger, context */
static void headline_print(struct script *script, const struct cell *head)
{
	const struct recording *recording = &script->recording;
	uint64_t at = recording_since(recording, head[HEAD_TIME].number);
	FILE *stream = script->out.stream;
	char text[CLOCK_LEN];

	fprintf(stream, "%s  %llu.%09llu",
		clock_local(ucore_file_real(recording->file, head[HEAD_TIME].number), text),
		(unsigned long long)(at / NSEC_PER_SEC), (unsigned long long)(at % NSEC_PER_SEC));
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
	fprintf(stream, "%s%s%s", head[HEAD_RECOVERED].kind != CELL_NONE ? " recovered" : "",
		head[HEAD_THROTTLED].kind != CELL_NONE ? " throttled" : "",
		head[HEAD_DELAYED].kind != CELL_NONE ? " delayed" : "");
	if (head[HEAD_POLLED].kind == CELL_NONE && head[HEAD_LATE].kind != CELL_NONE)
		fprintf(stream, " late %.2f us", (double)head[HEAD_LATE].number / NSEC_PER_USEC);
	if (head[HEAD_POLLED].kind != CELL_NONE)
		fprintf(stream, " %s, late < %.2f us",
			head[HEAD_NO_PMI].kind != CELL_NONE ? "no PMI" : "polled",
			(double)head[HEAD_LATE].number / NSEC_PER_USEC);
	if (head[HEAD_IP].kind != CELL_NONE)
		fprintf(stream, "  pid %llu/%llu ip %s %s",
			(unsigned long long)head[HEAD_PID].number,
			(unsigned long long)head[HEAD_TID].number, head[HEAD_IP].text,
			head[HEAD_USER].number ? "user" : "kernel");
	fputc('\n', stream);
}

/* Set the columns of a CSV row: the fields of the sample, the value, and the wall-clock time */
static const struct column *columns_csv(struct column *columns)
{
	memcpy(columns, head_columns, NR_CSV_HEAD * sizeof(*columns));
	memcpy(columns + NR_CSV_HEAD, value_columns, sizeof(value_columns));
	columns[CSV_CLOCK] = head_columns[HEAD_CLOCK];
	return columns;
}

static void value_print(struct script *script, const struct sample_cells *cells)
{
	struct column columns[NR_CSV];
	struct cell row[NR_CSV];

	switch (script->out.format) {
	case OUT_TABLE:
		for (size_t i = 0; i < NR_VALUE; i++) {
			columns[i] = value_columns[table_order[i]];
			row[i] = cells->value[table_order[i]];
		}
		out_row(&script->out, columns, NR_VALUE, row);
		break;
	case OUT_CSV:
		memcpy(row, cells->head, NR_CSV_HEAD * sizeof(*row));
		memcpy(row + NR_CSV_HEAD, cells->value, sizeof(cells->value));
		row[CSV_CLOCK] = cells->head[HEAD_CLOCK];
		out_row(&script->out, columns_csv(columns), NR_CSV, row);
		break;
	case OUT_JSON:
		json_begin(&script->out, NULL, '{');
		json_cells(&script->out, value_columns, NR_VALUE, cells->value);
		json_end(&script->out, '}');
		break;
	}
}

/* Print the start of a sample, before the first value */
static void sample_begin(struct script *script, const struct cell *head)
{
	struct column columns[NR_CSV];

	switch (script->out.format) {
	case OUT_TABLE:
		headline_print(script, head);
		break;
	case OUT_CSV:
		if (!script->headed)
			out_head(&script->out, columns_csv(columns), NR_CSV);
		script->headed = true;
		break;
	case OUT_JSON:
		json_line_begin(&script->out);
		json_cells(&script->out, head_columns, NR_HEAD, head);
		json_begin(&script->out, "values", '[');
		break;
	}
}

static void sample_end(struct script *script)
{
	if (script->out.format != OUT_JSON)
		return;
	json_end(&script->out, ']');
	json_line_end(&script->out);
}

static void sample_print(struct script *script, const struct ucore_sample *sample)
{
	struct sample_cells cells;

	head_make(script, &cells, sample);
	sample_begin(script, cells.head);
	for (size_t i = 0; i < script->nr_rows; i++) {
		value_make(script, &cells, &script->rows[i]);
		value_print(script, &cells);
	}
	sample_end(script);
}

/* ---- lost and gap records: a JSON object, or a remark outside the CSV rows ---------- */

static struct cell clock_cell(const struct script *script, uint64_t time, char *text)
{
	return cell_text(clock_iso(ucore_file_real(script->recording.file, time), text));
}

static void lost_print(struct script *script, const struct ucore_lost *lost)
{
	static const struct column columns[] = {
		{ "record" }, { "time_ns" }, { "die" }, { "cpu" }, { "seq" }, { "lost" },
		{ "time" },
	};
	const struct ucore_file_domain *domain = script->recording.place;
	char text[CLOCK_LEN], name[UCORE_DOMAIN_NAME_LEN];
	const struct cell cells[] = {
		cell_text("lost"),
		cell_ns(lost->time),
		domain_die_cell(domain->die, domain->cpu),
		domain_cpu_cell(domain->cpu),
		cell_number(lost->hdr.seq),
		cell_number(lost->lost),
		clock_cell(script, lost->time, text),
	};

	if (script->out.format == OUT_JSON) {
		out_row(&script->out, columns, ARRAY_SIZE(columns), cells);
		return;
	}
	fprintf(recording_remarks(&script->out), "# %s: %llu records lost before %llu ns\n",
		recording_domain_text(&script->recording, name), (unsigned long long)lost->lost,
		(unsigned long long)recording_since(&script->recording, lost->time));
}

static void gap_print(struct script *script, const struct ucore_gap *gap)
{
	static const struct column columns[] = {
		{ "record" }, { "time_ns" }, { "die" }, { "cpu" }, { "seq" }, { "reason" },
		{ "cpu_from" }, { "cpu_to" }, { "box" }, { "time" },
	};
	const struct ucore_file_domain *domain = script->recording.place;
	const char *reason = recording_gap_reason(gap, domain->cpu);
	char text[CLOCK_LEN], name[UCORE_DOMAIN_NAME_LEN];
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
		clock_cell(script, gap->time, text),
	};

	if (script->out.format == OUT_JSON) {
		out_row(&script->out, columns, ARRAY_SIZE(columns), cells);
		return;
	}
	fprintf(recording_remarks(&script->out), "# %s: gap: %s (CPU %d to %d)\n",
		recording_domain_text(&script->recording, name), reason, gap->cpu_from,
		gap->cpu_to);
}

/* ---- task records: a JSON object, or remarks before the sample ---------- */

static void tasks_json(struct script *script, const struct ucore_tasks *tasks)
{
	struct out *out = &script->out;
	char name[sizeof(tasks->tasks[0].comm)];

	json_line_begin(out);
	json_text(out, "record", "tasks");
	json_number(out, "time_ns", tasks->time);
	json_begin(out, "tasks", '[');
	for (uint32_t i = 0; i < tasks->nr_tasks; i++) {
		const struct ucore_task *task = &tasks->tasks[i];

		if (!(task->flags & UCORE_TASK_F_KNOWN))
			continue;
		json_begin(out, NULL, '{');
		json_number(out, "cpu", task->cpu);
		json_number(out, "pid", task->pid);
		json_number(out, "tid", task->tid);
		json_text(out, "comm", recording_task_name(task, name));
		json_number(out, "since_ns", task->since);
		json_end(out, '}');
	}
	json_end(out, ']');
	json_line_end(out);
}

static void tasks_print(struct script *script, const struct ucore_tasks *tasks)
{
	FILE *stream = recording_remarks(&script->out);
	char name[sizeof(tasks->tasks[0].comm)];

	if (script->out.format == OUT_JSON) {
		tasks_json(script, tasks);
		return;
	}
	fprintf(stream, "# ran:");
	for (uint32_t i = 0; i < tasks->nr_tasks; i++) {
		const struct ucore_task *task = &tasks->tasks[i];

		if (task->flags & UCORE_TASK_F_KNOWN && task->pid)
			fprintf(stream, " cpu %u %s %u/%u", task->cpu,
				recording_task_name(task, name), task->pid, task->tid);
	}
	fprintf(stream, "\n");
}

/* ---- run --------------------------------------------------------------- */

static void record_print(struct script *script)
{
	const struct ucore_record *record = script->recording.record;

	if (!recording_selected(&script->recording))
		return;
	switch (record->type) {
	case UCORE_RECORD_SAMPLE:
		sample_sum(script);
		sample_print(script, (const struct ucore_sample *)record);
		break;
	case UCORE_RECORD_LOST:
		lost_print(script, (const struct ucore_lost *)record);
		break;
	case UCORE_RECORD_TASKS:
		tasks_print(script, (const struct ucore_tasks *)record);
		break;
	case UCORE_RECORD_GAP:
		gap_print(script, (const struct ucore_gap *)record);
		break;
	}
}

static int records_print(struct tool *tool, struct script *script)
{
	int ret;

	if (script->out.format == OUT_TABLE)
		recording_head(&script->recording, script->out.stream);
	while (!(ret = recording_next(tool, &script->recording)) && script->recording.record) {
		record_print(script);
		if (ferror(script->out.stream))
			return tool_written(tool, NULL, sink_flush(script->out.stream), 0);
	}
	if (!ret)
		ret = recording_window_check(tool, &script->recording);
	if (ret != EXIT_USAGE)
		recording_summary(&script->recording, &script->out);
	return ret;
}

static int script_run(struct tool *tool, const void *data)
{
	const struct script_args *args = data;
	struct script script = {
		.out = args->output.out,
		.per_box = args->output.grouping == GROUP_BOX,
		.totals = args->totals,
	};
	int ret = recording_open(tool, args->path, &args->window, &script.recording);

	if (ret)
		return ret;
	script.rows = calloc(script.recording.header->nr_events, sizeof(*script.rows));
	script.row_of = calloc(script.recording.header->nr_events, sizeof(*script.row_of));
	ret = script.rows && script.row_of ? records_print(tool, &script) :
					     tool_error(tool, "out of memory");
	free(script.row_of);
	free(script.rows);
	recording_close(&script.recording);
	return ret;
}

const struct command command_script = {
	.name = "script",
	.summary = "print every sample of a file",
	.options = { recording_options, script_options, output_options },
	.args_size = sizeof(struct script_args),
	.option = script_option,
	.finish = script_finish,
	.run = script_run,
};
