// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * report --sort: what was counted while who ran.
 *
 * The counts of a die are those of all that its CPUs and devices do; a sample tells at best
 * who ran where at its end.  So the counts of the interval before are put down to each that
 * ran then: that it often ran when much was counted is coincidence, if a telling one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "report/attribution.h"

struct who_row {
	struct ran_key key;
	uint64_t intervals;
	uint64_t *counts;	/* by event */
};

struct who {
	struct recording *recording;
	struct ran ran;
	struct who_row *rows;	/* beside the keys of @ran, until they are sorted */
	size_t nr, room;
	size_t nr_events;
	uint64_t *all;		/* by event, whoever ran */
	uint64_t samples;	/* whose counts can be said */
	uint64_t of_all;	/* of these: put down to all that ran */
	uint64_t unknown;	/* of these: nobody knows who ran */
};

int who_parse(struct tool *tool, const char *text, unsigned int *by)
{
	static const char *const words[] = { "comm", "pid", "tid", "cpu", "ip" };

	for (;;) {
		size_t length = strcspn(text, ","), i = 0;

		while (i < ARRAY_SIZE(words) &&
		       (strlen(words[i]) != length || strncmp(words[i], text, length)))
			i++;
		if (i == ARRAY_SIZE(words))
			return tool_usage(tool, "--sort '%.*s': comm, pid, tid, cpu or ip",
					  (int)length, text);
		*by |= 1U << i;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

/* ---- samples ----------------------------------------------------------- */

/* A row for each key there is */
static int rows_grow(struct who *who)
{
	while (who->nr < who->ran.nr) {
		struct who_row *row;

		if (who->nr == who->room) {
			size_t room = who->room ? 2 * who->room : 64;
			struct who_row *rows = realloc(who->rows, room * sizeof(*rows));

			if (!rows)
				return -ENOMEM;
			who->rows = rows;
			who->room = room;
		}
		row = &who->rows[who->nr];
		*row = (struct who_row) { .key = who->ran.keys[who->nr] };
		row->counts = calloc(who->nr_events, sizeof(*row->counts));
		if (!row->counts)
			return -ENOMEM;
		who->nr++;
	}
	return 0;
}

static void counts_add(const struct recording *recording, uint64_t *counts)
{
	for (size_t i = 0; i < recording->nr_values; i++)
		counts[recording->values[i].event->index] += recording->values[i].count;
}

static int sample_put(struct who *who, const struct ucore_sample *sample)
{
	if (!who->recording->known)
		return 0;
	if (ran_take(&who->ran, sample) || rows_grow(who))
		return -ENOMEM;
	who->samples++;
	who->of_all += who->ran.all;
	who->unknown += !who->ran.nr_here;
	counts_add(who->recording, who->all);
	for (size_t i = 0; i < who->ran.nr_here; i++) {
		struct who_row *row = &who->rows[who->ran.here[i]];

		row->intervals++;
		counts_add(who->recording, row->counts);
	}
	return 0;
}

static int who_load(struct tool *tool, struct who *who, const struct clock_window *window)
{
	struct recording *recording = who->recording;
	int ret = 0, code;

	while (!ret) {
		code = recording_next(tool, recording);
		if (code || !recording->record)
			return code;
		if (!recording_has(recording, window, ucore_record_time(recording->record)))
			continue;
		if (recording->record->type == UCORE_RECORD_TASKS)
			ret = ran_tasks(&who->ran, recording->record);
		else if (recording->record->type == UCORE_RECORD_SAMPLE)
			ret = sample_put(who, (const struct ucore_sample *)recording->record);
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

/* What rows are not told apart by has no column */
static const unsigned int column_by[NR_COLUMNS] = {
	[COLUMN_CPU] = RAN_CPU, [COLUMN_PID] = RAN_PID, [COLUMN_TID] = RAN_TID,
	[COLUMN_COMM] = RAN_COMM, [COLUMN_IP] = RAN_IP, [COLUMN_MODE] = RAN_IP,
};

static size_t columns_make(const struct who *who, struct column *columns, int *which)
{
	size_t nr = 0;

	for (int i = 0; i < NR_COLUMNS; i++) {
		if (column_by[i] && !(who->ran.by & column_by[i]))
			continue;
		columns[nr] = all_columns[i];
		which[nr++] = i;
	}
	return nr;
}

static size_t sorted_by;	/* qsort() has no argument of its own */

static int row_order(const void *a, const void *b)
{
	const struct who_row *x = a, *y = b;
	uint64_t of_x = x->counts[sorted_by], of_y = y->counts[sorted_by];

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

static void row_print(const struct who *who, struct out *out, const struct who_row *row,
		      size_t event, const char *label, const struct column *columns,
		      const int *which, size_t nr)
{
	struct cell cells[NR_COLUMNS] = {
		[COLUMN_EVENT] = cell_text(label),
		[COLUMN_COUNT] = cell_count(row->counts[event]),
		[COLUMN_SHARE] = who->all[event] ?
				 cell_real(100 * (double)row->counts[event] /
					   (double)who->all[event]) : cell_none(),
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

/* To whom the intervals' counts went */
static const char *whom_text(const struct who *who)
{
	if (!who->of_all)
		return "whom the sample interrupted";
	return who->of_all == who->samples ? "all that ran at their ends" :
	       "all that ran at their ends (those of a core's event: to whom it interrupted)";
}

static void remarks_print(const struct who *who, struct out *out)
{
	FILE *stream = recording_remarks(out);

	if (out->format == OUT_JSON)
		return;
	fprintf(stream,
		"# %llu intervals, put down to %s: that is coincidence in time, not cause.\n"
		"# Counts are those of the whole die%s\n",
		(unsigned long long)who->samples, whom_text(who), who->of_all ?
		", and told of each that ran: shares add up to more than 100 %" : "");
	if (who->unknown)
		fprintf(stream, "# of %llu intervals nobody knows who ran%s\n",
			(unsigned long long)who->unknown,
			who->ran.has_tasks ? "" : ": record with CAP_PERFMON");
	if (!who->ran.has_tasks && who->ran.by & RAN_COMM)
		fprintf(stream, "# names are not in the file: record --tasks\n");
}

static void who_print(struct who *who, struct out *out)
{
	struct column columns[NR_COLUMNS];
	int which[NR_COLUMNS];
	size_t nr = columns_make(who, columns, which);

	if (out->format == OUT_TABLE)
		recording_head(who->recording, out->stream);
	out_head(out, columns, nr);
	for (size_t event = 0; event < who->nr_events; event++) {
		const char *label = event_label(who->recording, event);

		if (!label || !who->nr)
			continue;
		sorted_by = event;
		qsort(who->rows, who->nr, sizeof(*who->rows), row_order);
		for (size_t i = 0; i < who->nr; i++)
			row_print(who, out, &who->rows[i], event, label, columns, which, nr);
	}
	remarks_print(who, out);
}

int who_report(struct tool *tool, struct recording *recording, const struct clock_window *window,
	       unsigned int by, struct out *out)
{
	struct who who = {
		.recording = recording, .ran = { .by = by },
		.nr_events = recording->header->nr_events,
	};
	int ret;

	who.all = calloc(who.nr_events, sizeof(*who.all));
	ret = who.all ? who_load(tool, &who, window) : tool_error(tool, "out of memory");
	/* of a file that ends in damage what comes before is told, too */
	if (who.all)
		who_print(&who, out);
	for (size_t i = 0; i < who.nr; i++)
		free(who.rows[i].counts);
	ran_free(&who.ran);
	free(who.all);
	free(who.rows);
	return ret;
}
