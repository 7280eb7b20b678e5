// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * report --sort: attribute the counts of intervals to tasks.
 *
 * The counts of a die include all activity of its CPUs and devices. A sample records only
 * which tasks ran when its interval ended. The counts of the interval are attributed to each
 * of these tasks. The table shows a correlation: a task with large counts may have caused them,
 * or not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "report/attribution.h"

struct row {
	struct task_key key;
	uint64_t intervals;
	uint64_t *counts;	/* counts attributed to the task @key, indexed by event */
};

struct attribution {
	struct recording *recording;
	struct task_log log;
	struct row *rows;	/* row of each task in log.keys; sorted by count for the output */
	size_t nr, room;
	size_t nr_events;
	uint64_t *all;		/* counts of all intervals, indexed by event */
	uint64_t samples;	/* number of samples with known counts */
	uint64_t of_all;	/* number of @samples that were attributed to all running tasks */
	uint64_t unknown;	/* number of @samples whose tasks are not known */
};

int attribution_parse(struct tool *tool, const char *text, unsigned int *by)
{
	static const char *const words[] = { "comm", "pid", "tid", "cpu", "ip" };

	for (;;) {
		size_t length = strcspn(text, ","), i = 0;

		while (i < ARRAY_SIZE(words) &&
		       (strlen(words[i]) != length || strncmp(words[i], text, length)))
			i++;
		if (i == ARRAY_SIZE(words))
			return tool_usage(tool, "--sort '%.*s': unknown key. Use comm, pid, tid, cpu or ip",
					  (int)length, text);
		*by |= 1U << i;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

/* ---- attribution of the counts of samples ------------------------------ */

/* Add rows, so that each task in log.keys has a row */
static int rows_grow(struct attribution *table)
{
	while (table->nr < table->log.nr) {
		struct row *row;

		if (table->nr == table->room) {
			size_t room = table->room ? 2 * table->room : 64;
			struct row *rows = realloc(table->rows, room * sizeof(*rows));

			if (!rows)
				return -ENOMEM;
			table->rows = rows;
			table->room = room;
		}
		row = &table->rows[table->nr];
		*row = (struct row) { .key = table->log.keys[table->nr] };
		row->counts = calloc(table->nr_events, sizeof(*row->counts));
		if (!row->counts)
			return -ENOMEM;
		table->nr++;
	}
	return 0;
}

static void counts_add(const struct recording *recording, uint64_t *counts)
{
	for (size_t i = 0; i < recording->nr_values; i++)
		counts[recording->values[i].event->index] += recording->values[i].count;
}

static int sample_put(struct attribution *table, const struct ucore_sample *sample)
{
	if (!table->recording->known)
		return 0;
	if (task_log_sample(&table->log, sample) || rows_grow(table))
		return -ENOMEM;
	table->samples++;
	table->of_all += table->log.all;
	table->unknown += !table->log.nr_here;
	counts_add(table->recording, table->all);
	for (size_t i = 0; i < table->log.nr_here; i++) {
		struct row *row = &table->rows[table->log.here[i]];

		row->intervals++;
		counts_add(table->recording, row->counts);
	}
	return 0;
}

static int intervals_load(struct tool *tool, struct attribution *table)
{
	struct recording *recording = table->recording;
	int ret = 0, code;

	while (!ret) {
		code = recording_next(tool, recording);
		if (code || !recording->record)
			return code;
		if (!recording_selected(recording))
			continue;
		if (recording->record->type == UCORE_RECORD_TASKS)
			ret = task_log_put(&table->log, recording->record);
		else if (recording->record->type == UCORE_RECORD_SAMPLE)
			ret = sample_put(table, (const struct ucore_sample *)recording->record);
	}
	return tool_error(tool, "out of memory");
}

/* ---- output ------------------------------------------------------------ */

enum {
	COLUMN_EVENT,
	COLUMN_COUNT,
	COLUMN_SHARE,
	COLUMN_INTERVALS,
	COLUMN_CPU,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_COMM,
	COLUMN_IP,
	COLUMN_MODE,
	NR_COLUMNS,
};

static const struct column all_columns[NR_COLUMNS] = {
	[COLUMN_EVENT] = { "event", "EVENT", -30 },
	[COLUMN_COUNT] = { "count", "COUNT", 18 },
	[COLUMN_SHARE] = { "percent", "OF ALL", 7 },
	[COLUMN_INTERVALS] = { "intervals", "INTERVALS", 9 },
	[COLUMN_CPU] = { "cpu", "CPU", 4 },
	[COLUMN_PID] = { "pid", "PID", 8 },
	[COLUMN_TID] = { "tid", "TID", 8 },
	[COLUMN_COMM] = { "comm", "COMM", -15 },
	[COLUMN_IP] = { "ip", "IP", -18 },
	[COLUMN_MODE] = { "mode", "", -6 },
};

/* TASK_BY_* that the user must select with --sort so that a column is shown, 0 for always */
static const unsigned int column_by[NR_COLUMNS] = {
	[COLUMN_CPU] = TASK_BY_CPU, [COLUMN_PID] = TASK_BY_PID, [COLUMN_TID] = TASK_BY_TID,
	[COLUMN_COMM] = TASK_BY_COMM, [COLUMN_IP] = TASK_BY_IP, [COLUMN_MODE] = TASK_BY_IP,
};

static size_t columns_make(const struct attribution *table, struct column *columns, int *which)
{
	size_t nr = 0;

	for (int i = 0; i < NR_COLUMNS; i++) {
		if (column_by[i] && !(table->log.by & column_by[i]))
			continue;
		columns[nr] = all_columns[i];
		which[nr++] = i;
	}
	return nr;
}

static size_t sorted_by;	/* index of the event by whose counts row_order() sorts */

static int row_order(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint64_t of_x = x->counts[sorted_by], of_y = y->counts[sorted_by];

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

static void row_print(const struct attribution *table, struct out *out, const struct row *row,
		      size_t event, const char *label, const struct column *columns,
		      const int *which, size_t nr)
{
	struct cell cells[NR_COLUMNS] = {
		[COLUMN_EVENT] = cell_text(label),
		[COLUMN_COUNT] = cell_count(row->counts[event]),
		[COLUMN_SHARE] = table->all[event] ?
				 cell_real(100 * (double)row->counts[event] /
					   (double)table->all[event]) : cell_none(),
		[COLUMN_INTERVALS] = cell_number(row->intervals),
		[COLUMN_CPU] = cell_number(row->key.cpu),
		[COLUMN_PID] = cell_number(row->key.pid),
		[COLUMN_TID] = cell_number(row->key.tid),
		[COLUMN_COMM] = cell_text(row->key.comm),
		[COLUMN_MODE] = cell_text(row->key.user ? "user" : "kernel"),
	};
	struct cell shown[NR_COLUMNS];
	char ip[24];

	snprintf(ip, sizeof(ip), "0x%llx", (unsigned long long)row->key.ip);
	cells[COLUMN_IP] = cell_text(ip);
	for (size_t i = 0; i < nr; i++)
		shown[i] = cells[which[i]];
	out_row(out, columns, nr, shown);
}

static const char *event_label(const struct recording *recording, size_t index)
{
	for (size_t i = 0; i < recording->header->nr_events; i++)
		if (recording->events[i].index == index)
			return recording->events[i].label;
	return NULL;
}

/* Return a text for the heading: the tasks to which the counts were attributed */
static const char *target_text(const struct attribution *table)
{
	if (!table->of_all)
		return "the task that the sample interrupted";
	return table->of_all == table->samples ? "every task that was running when it ended" :
	       "every task that ran when it ended (core events: the interrupted task)";
}

static void remarks_print(const struct attribution *table, struct out *out)
{
	FILE *stream = recording_remarks(out);

	if (out->format == OUT_JSON)
		return;
	fprintf(stream,
		"# %llu intervals. The counts of each are attributed to %s.\n"
		"# This is coincidence, not causation. Counts are for the whole die%s\n",
		(unsigned long long)table->samples, target_text(table), table->of_all ?
		" and repeated for each task, so that shares can exceed 100 %" : "");
	if (table->unknown)
		fprintf(stream, "# %llu intervals have no known task%s\n",
			(unsigned long long)table->unknown,
			table->log.has_tasks ? "" : ". Record with CAP_PERFMON");
	if (!table->log.has_tasks && table->log.by & TASK_BY_COMM)
		fprintf(stream, "# task names are not in the file. Use record --tasks\n");
}

static void rows_print(struct attribution *table, struct out *out)
{
	struct column columns[NR_COLUMNS];
	int which[NR_COLUMNS];
	size_t nr = columns_make(table, columns, which);

	if (out->format == OUT_TABLE)
		recording_head(table->recording, out->stream);
	out_head(out, columns, nr);
	for (size_t event = 0; event < table->nr_events; event++) {
		const char *label = event_label(table->recording, event);

		if (!label || !table->nr)
			continue;
		sorted_by = event;
		qsort(table->rows, table->nr, sizeof(*table->rows), row_order);
		for (size_t i = 0; i < table->nr; i++)
			row_print(table, out, &table->rows[i], event, label, columns, which, nr);
	}
	remarks_print(table, out);
}

int attribution_report(struct tool *tool, struct recording *recording, unsigned int by,
		       struct out *out)
{
	struct attribution table = {
		.recording = recording, .log = { .by = by },
		.nr_events = recording->header->nr_events,
	};
	int ret;

	table.all = calloc(table.nr_events, sizeof(*table.all));
	ret = table.all ? intervals_load(tool, &table) : tool_error(tool, "out of memory");
	if (!ret)
		ret = recording_window_check(tool, recording);
	/* If the end of the file is damaged, print the records before the damage */
	if (table.all && ret != EXIT_USAGE)
		rows_print(&table, out);
	for (size_t i = 0; i < table.nr; i++)
		free(table.rows[i].counts);
	task_log_free(&table.log);
	free(table.all);
	free(table.rows);
	return ret;
}
