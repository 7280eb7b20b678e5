// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * report --by: what was counted while who ran.
 *
 * The counts of a die are those of all that its CPUs and devices do; a sample tells at best
 * who ran where at its end.  So the counts of the interval before are put down to each that
 * ran then: that it often ran when much was counted is coincidence, if a telling one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "who.h"

/* Who: fields that rows are not told apart by are zero */
struct who_key {
	char comm[16];
	uint64_t ip;
	uint32_t pid, tid, cpu, user;
};

struct who_row {
	struct who_key key;
	uint64_t intervals;
	uint64_t seen;		/* number of the last sample that it is in, from 1 */
	uint64_t *counts;	/* by event */
};

struct who {
	struct recording *recording;
	unsigned int by;
	struct who_row *rows;
	size_t nr, room;
	size_t *table;		/* place in @rows + 1, by hash; 0: free */
	size_t size;		/* a power of two */
	size_t nr_events;
	uint64_t *all;		/* by event, whoever ran */
	uint64_t samples;	/* whose counts can be said */
	uint64_t unknown;	/* of these: nobody knows who ran */
	struct ucore_tasks *tasks;	/* of the sample that comes, or NULL */
	bool has_tasks;
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
			return tool_usage(tool, "--by %.*s: comm, pid, tid, cpu or ip", (int)length,
					  text);
		*by |= 1U << i;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

/* ---- rows -------------------------------------------------------------- */

static size_t key_hash(const struct who_key *key)
{
	const unsigned char *at = (const unsigned char *)key;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(*key); i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 32);
}

/* Where a key is, or would be */
static size_t *table_find(const struct who *who, const struct who_key *key)
{
	size_t at = key_hash(key) & (who->size - 1);

	while (who->table[at] && memcmp(&who->rows[who->table[at] - 1].key, key, sizeof(*key)))
		at = (at + 1) & (who->size - 1);
	return &who->table[at];
}

static int who_grow(struct who *who)
{
	size_t room = who->room ? 2 * who->room : 64;
	struct who_row *rows = realloc(who->rows, room * sizeof(*rows));
	size_t *table;

	if (!rows)
		return -ENOMEM;
	who->rows = rows;
	who->room = room;
	table = calloc(2 * room, sizeof(*table));
	if (!table)
		return -ENOMEM;
	free(who->table);
	who->table = table;
	who->size = 2 * room;
	for (size_t i = 0; i < who->nr; i++)
		*table_find(who, &rows[i].key) = i + 1;
	return 0;
}

static struct who_row *row_of(struct who *who, const struct who_key *key)
{
	size_t *place;

	if (who->nr == who->room && who_grow(who))
		return NULL;
	place = table_find(who, key);
	if (!*place) {
		uint64_t *counts = calloc(who->nr_events, sizeof(*counts));

		if (!counts)
			return NULL;
		who->rows[who->nr] = (struct who_row) { .key = *key, .counts = counts };
		*place = ++who->nr;
	}
	return &who->rows[*place - 1];
}

/* ---- samples ----------------------------------------------------------- */

static void counts_add(const struct recording *recording, uint64_t *counts)
{
	for (size_t i = 0; i < recording->nr_values; i++)
		counts[recording->values[i].event->index] += recording->values[i].count;
}

/* The interval is this one's, too; once, on however many CPUs it ran */
static int who_put(struct who *who, const struct who_key *key)
{
	struct who_row *row = row_of(who, key);

	if (!row)
		return -ENOMEM;
	if (row->seen == who->samples)
		return 0;
	row->seen = who->samples;
	row->intervals++;
	counts_add(who->recording, row->counts);
	return 0;
}

static void key_task(const struct who *who, const struct ucore_task *task, struct who_key *key)
{
	memset(key, 0, sizeof(*key));
	if (who->by & WHO_COMM)
		recording_task_name(task, key->comm);
	if (who->by & WHO_PID)
		key->pid = task->pid;
	if (who->by & WHO_TID)
		key->tid = task->tid;
	if (who->by & WHO_CPU)
		key->cpu = task->cpu;
}

/* The task that the sample's own CPU had, if that is known */
static const struct ucore_task *task_of(const struct who *who, const struct ucore_sample *sample)
{
	for (uint32_t i = 0; who->tasks && i < who->tasks->nr_tasks; i++) {
		const struct ucore_task *task = &who->tasks->tasks[i];

		if (task->flags & UCORE_TASK_KNOWN && task->cpu == sample->cpu &&
		    task->tid == sample->tid)
			return task;
	}
	return NULL;
}

/* Whom the sample interrupted */
static int context_put(struct who *who, const struct ucore_sample *sample)
{
	const struct ucore_task *known = task_of(who, sample);
	struct ucore_task task = {
		.pid = sample->pid, .tid = sample->tid, .cpu = sample->cpu, .comm = "?",
	};
	struct who_key key;

	if (!(sample->flags & UCORE_SAMPLE_CONTEXT)) {
		who->unknown++;
		return 0;
	}
	if (known)
		memcpy(task.comm, known->comm, sizeof(task.comm));
	key_task(who, &task, &key);
	if (who->by & WHO_IP) {
		key.ip = sample->ip;
		key.user = !!(sample->flags & UCORE_SAMPLE_USER);
	}
	return who_put(who, &key);
}

/* All that ran at the sample's instant */
static int tasks_put(struct who *who)
{
	bool any = false;
	int ret = 0;

	for (uint32_t i = 0; i < who->tasks->nr_tasks && !ret; i++) {
		const struct ucore_task *task = &who->tasks->tasks[i];
		struct who_key key;

		if (!(task->flags & UCORE_TASK_KNOWN))
			continue;
		key_task(who, task, &key);
		ret = who_put(who, &key);
		any = true;
	}
	who->unknown += !any;
	return ret;
}

/* A core's event names one task, and so does an address; else all that ran are asked for */
static int sample_put(struct who *who, const struct ucore_sample *sample)
{
	bool all = who->tasks && who->tasks->time == sample->time &&
		   who->tasks->domain == sample->domain;

	if (!all) {
		free(who->tasks);
		who->tasks = NULL;
	}
	if (!who->recording->known)
		return 0;
	who->samples++;
	counts_add(who->recording, who->all);
	return all && sample->trigger != UCORE_TRIGGER_CORE && !(who->by & WHO_IP) ?
	       tasks_put(who) : context_put(who, sample);
}

static int tasks_keep(struct who *who, const struct ucore_record *record)
{
	free(who->tasks);
	who->tasks = malloc(record->size);
	if (!who->tasks)
		return -ENOMEM;
	memcpy(who->tasks, record, record->size);
	who->has_tasks = true;
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
			ret = tasks_keep(who, recording->record);
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
	[COLUMN_CPU] = WHO_CPU, [COLUMN_PID] = WHO_PID, [COLUMN_TID] = WHO_TID,
	[COLUMN_COMM] = WHO_COMM, [COLUMN_IP] = WHO_IP, [COLUMN_MODE] = WHO_IP,
};

static size_t columns_make(const struct who *who, struct column *columns, int *which)
{
	size_t nr = 0;

	for (int i = 0; i < NR_COLUMNS; i++) {
		if (column_by[i] && !(who->by & column_by[i]))
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

static void remarks_print(const struct who *who, struct out *out)
{
	FILE *stream = recording_remarks(out);

	if (out->format == OUT_JSON)
		return;
	fprintf(stream,
		"# %llu intervals, put down to %s: that is coincidence in time, not cause.\n"
		"# Counts are those of the whole die%s\n",
		(unsigned long long)who->samples,
		who->has_tasks && !(who->by & WHO_IP) ? "all that ran at their ends" :
							"whom the sample interrupted",
		who->has_tasks && !(who->by & WHO_IP) ?
		", and told of each that ran: shares add up to more than 100 %" : "");
	if (who->unknown)
		fprintf(stream, "# of %llu intervals nobody knows who ran%s\n",
			(unsigned long long)who->unknown,
			who->has_tasks ? "" : ": record with CAP_PERFMON");
	if (!who->has_tasks && who->by & WHO_COMM)
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
		.recording = recording, .by = by, .nr_events = recording->header->nr_events,
	};
	int ret;

	who.all = calloc(who.nr_events, sizeof(*who.all));
	ret = who.all ? who_load(tool, &who, window) : tool_error(tool, "out of memory");
	/* of a file that ends in damage what comes before is told, too */
	if (who.all)
		who_print(&who, out);
	for (size_t i = 0; i < who.nr; i++)
		free(who.rows[i].counts);
	free(who.tasks);
	free(who.all);
	free(who.table);
	free(who.rows);
	return ret;
}
