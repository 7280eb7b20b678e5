// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Output of `ucoretool stat`: a line for each row and each metric, and the summary.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "output/domain.h"
#include "output/sink.h"
#include "stat/stat.h"

static void columns_make(struct stat_run *stat)
{
	static const struct column all[NR_COLUMNS] = {
		[COLUMN_TIME] = { "time_ns", "TIME (s)", 14 },
		[COLUMN_SOCKET] = { "socket", "SOCKET", 6 },
		[COLUMN_DIE] = { "die", "DIE", 3 },
		[COLUMN_CPU] = { "cpu", "CPU", 4 },
		[COLUMN_BOX] = { "box", "BOX", -8 },
		[COLUMN_COUNT] = { "count", "COUNT", 20 },
		[COLUMN_RATE] = { "mb_per_s", "MB/s", 10 },
		[COLUMN_RUNNING] = { "running_percent", "RUNNING %", 9 },
		[COLUMN_EVENT] = { "event", "EVENT", -40 },
		[COLUMN_NOTE] = { "note", "", -8 },
		[COLUMN_VALUE] = { "value", "VALUE", 20, .hidden = true },
		[COLUMN_UNIT] = { "unit", "UNIT", 10, .hidden = true },
		[COLUMN_METRIC] = { "metric", "METRIC", -40, .hidden = true },
	};
	const struct ucore_metric_value *value;
	struct column *columns = stat->columns;

	memcpy(columns, all, sizeof(all));
	columns[stat_nr_columns(stat)] = (struct column) { "time", "", .hidden = true };
	columns[stat_nr_columns(stat) + 1] = (struct column) { "device", "DEVICE", -8 };
	if (stat->by_node)
		columns[COLUMN_SOCKET] = (struct column) { "node", "NODE", 6 };
	columns[COLUMN_TIME].hidden = !stat->series;
	columns[COLUMN_SOCKET].hidden = stat->grouping != GROUP_SOCKET;
	/* show the socket of metrics that have no values per box */
	for (size_t i = 0; stat->metrics && (value = ucore_metrics_value(stat->metrics, i)); i++)
		if (value->level == UCORE_LEVEL_SOCKET)
			columns[COLUMN_SOCKET].hidden = false;
	if (!stat->nr_rows) {
		columns[COLUMN_COUNT].heading = "VALUE";
		columns[COLUMN_RATE].heading = "UNIT";
		columns[COLUMN_RUNNING].hidden = true;
		columns[COLUMN_EVENT].heading = "METRIC";
	}
	columns[COLUMN_DIE].hidden = stat->grouping != GROUP_BOX;
	columns[COLUMN_CPU].hidden = true;
	columns[COLUMN_BOX].hidden = stat->grouping != GROUP_BOX;
	for (size_t i = 0; i < stat->nr_rows; i++)
		if (stat->grouping == GROUP_BOX && stat->rows[i].cpu >= 0)
			columns[COLUMN_CPU].hidden = false;
}

/* Return the cell of a socket, or of its NUMA node with --per-node */
static struct cell socket_cell(const struct stat_run *stat, uint32_t socket)
{
	if (!stat->by_node)
		return cell_number(socket);
	return socket < MAX_SOCKETS && stat->nodes[socket] >= 0 ?
	       cell_number((uint32_t)stat->nodes[socket]) : cell_none();
}

static struct cell rate_cell(const struct stat_row *row, const struct ucore_event *event)
{
	const struct ucore_event_desc *desc = ucore_event_desc_of(event);
	double bytes;

	if (!desc || !desc->bytes || !row->possible || row->missed)
		return cell_none();
	bytes = (double)row->count * desc->bytes / desc->bytes_per;
	return cell_real(bytes / 1e6 / ((double)row->possible / NSEC_PER_SEC));
}

/* Return the cell with the share of time in which the counters could count; tables omit 100 % */
static struct cell running_cell(const struct stat_run *stat, const struct stat_row *row)
{
	/* tables show the share of the time slices in the note column instead */
	uint64_t running = stat->out.format == OUT_TABLE ? row->possible : row->running;
	double percent = row->enabled ? 100.0 * (double)running / (double)row->enabled : 100;

	if (stat->out.format == OUT_TABLE && percent >= 99.995)
		return cell_none();
	return cell_real(percent);
}

#define NOTE_LEN	128

/*
 * Return the note of a row.  In a table, "(37.5%)" means that the count is scaled, and that the
 * time slices of its group had this share of the time.  @count is the text of missing_count().
 */
static struct cell note_cell(const struct stat_run *stat, uint32_t flags, int32_t cpu, double share,
			     const char *count, char *text)
{
	bool table = stat->out.format == OUT_TABLE;
	const char *note = value_note(flags, cpu), *comma = "";
	int length = 0;

	*text = 0;
	if (share < 1 && table)
		length = snprintf(text, NOTE_LEN, "(%.1f%%)", 100 * share);
	else if (share < 1)
		length = snprintf(text, NOTE_LEN, "scaled");
	if (length)
		comma = table ? " " : ", ";
	if (note)
		length += snprintf(text + length, NOTE_LEN - (size_t)length, "%s%s", comma, note);
	if (note)
		comma = ", ";
	if (count)
		snprintf(text + length, NOTE_LEN - (size_t)length, "%s%s", comma, count);
	return *text ? cell_text(text) : cell_none();
}

/* Return the cell of a count; NaN if its group had no time slice since the previous READ */
static struct cell count_cell(const struct stat_row *row)
{
	return row->missed ? cell_value(__builtin_nan("")) : cell_count(row->count);
}

static double row_share(const struct stat_row *row)
{
	return row->possible ? (double)row->running / (double)row->possible : 1;
}

static void row_print(struct stat_run *stat, const struct stat_row *row)
{
	const struct ucore_event *event = ucore_session_event(stat->count.session, row->index);
	bool box = stat->grouping == GROUP_BOX;
	char note[NOTE_LEN], missing[MISSING_COUNT_LEN];
	/* the row of a single box has its own note */
	const char *count = box ? NULL :
			    missing_count(row->nr_boxes - row->nr_dead, row->max_boxes,
					  ucore_event_type(event), missing);
	struct cell cells[MAX_COLUMNS] = {
		[COLUMN_TIME] = cell_ns(stat->time),
		[COLUMN_SOCKET] = stat->grouping == GROUP_TOTAL ? cell_none() :
				  socket_cell(stat, row->socket),
		[COLUMN_DIE] = box ? domain_die_cell(row->die, row->cpu) : cell_none(),
		[COLUMN_CPU] = box ? domain_cpu_cell(row->cpu) : cell_none(),
		[COLUMN_BOX] = box ? cell_text(row->box) : cell_none(),
		[COLUMN_COUNT] = count_cell(row),
		[COLUMN_RATE] = rate_cell(row, event),
		[COLUMN_RUNNING] = running_cell(stat, row),
		[COLUMN_EVENT] = cell_text(ucore_event_label(event)),
		[COLUMN_NOTE] = note_cell(stat, row->flags, row->cpu, row_share(row), count, note),
	};
	if (row->device)
		cells[stat_nr_columns(stat) + 1] = cell_text(row->device);
	stat_row_out(stat, cells);
}

/* Set the cells that locate a metric's value: the socket, or the box with its die or CPU */
static void place_cells(const struct stat_run *stat, const struct ucore_metric_value *value,
			const char *name, struct cell *cells)
{
	cells[COLUMN_TIME] = cell_ns(stat->time);
	if (value->level == UCORE_LEVEL_SOCKET)
		cells[COLUMN_SOCKET] = socket_cell(stat, value->package);
	if (value->level != UCORE_LEVEL_BOX)
		return;
	cells[COLUMN_SOCKET] = stat->out.format == OUT_TABLE ? cell_none() :
			       cell_number(value->package);
	cells[COLUMN_DIE] = domain_die_cell(value->die, value->cpu);
	cells[COLUMN_CPU] = domain_cpu_cell(value->cpu);
	cells[COLUMN_BOX] = cell_text(name);
}

static void metric_print(struct stat_run *stat, const struct ucore_metric_value *value)
{
	const struct ucore_metric_desc *metric = value->metric;
	bool table = stat->out.format == OUT_TABLE;
	struct cell cells[MAX_COLUMNS] = { 0 };
	char name[UCORE_NAME_LEN + 12], note[NOTE_LEN], missing[MISSING_COUNT_LEN];
	const char *count = value->level == UCORE_LEVEL_BOX ? NULL :
			    missing_count(value->nr_boxes, value->max_boxes, value->boxes_type,
					  missing);

	snprintf(name, sizeof(name), "%s%u", value->type, value->instance);
	place_cells(stat, value, name, cells);
	cells[table ? COLUMN_COUNT : COLUMN_VALUE] = cell_value(value->value);
	if (*metric->unit)
		cells[table ? COLUMN_RATE : COLUMN_UNIT] = cell_text(metric->unit);
	cells[table ? COLUMN_EVENT : COLUMN_METRIC] = cell_text(metric->name);
	if (!table && value->share < 1)
		cells[COLUMN_RUNNING] = cell_real(100 * value->share);
	cells[COLUMN_NOTE] = note_cell(stat, value->flags, value->cpu, value->share, count,
				       note);
	stat_row_out(stat, cells);
}

/*
 * Print what precedes the rows of an interval: the header line before the first interval, and what
 * is not counted.  In a table these are comments before the header line, otherwise rows after it.
 */
static void head_print(struct stat_run *stat, bool first)
{
	bool table = stat->out.format == OUT_TABLE;

	if (first && !stat->traffic)
		columns_make(stat);
	if (first && table)
		stat_missing_print(stat);
	if (table)
		stat_gone_print(stat);
	if (first && stat->traffic)
		traffic_head(stat);
	else if (first)
		out_head(&stat->out, stat->columns, stat_nr_columns(stat) + 1 + stat->devices);
	if (first && !table)
		stat_missing_print(stat);
	if (!table)
		stat_gone_print(stat);
}

int stat_interval_print(struct tool *tool, struct stat_run *stat, uint32_t flags)
{
	const struct ucore_metric_value *value;
	struct ucore_snapshot snap;
	int ret = ucore_session_read(stat->count.session, flags, &snap, &tool->err);

	if (ret)
		return tool_fail(tool, ret);
	stat_rows_update(stat, &snap);
	if (snap.nr_domains)
		stat->real = clock_real(snap.domains[0].time);
	stat->real_text = clock_iso(stat->real, stat->real_buffer);
	if (snap.skew_ns > stat->max_skew)
		stat->max_skew = snap.skew_ns;
	head_print(stat, !stat->reads++);
	if (stat->traffic)
		traffic_print(stat);
	for (size_t i = 0; i < stat->nr_rows; i++)
		row_print(stat, &stat->rows[i]);
	for (size_t i = 0; stat->metrics && (value = ucore_metrics_value(stat->metrics, i)); i++)
		metric_print(stat, value);
	return stat->series ? tool_written(tool, stat->path, sink_flush(stat->out.stream), 0) : 0;
}

static void summary_json(struct stat_run *stat, const struct ucore_get_status *status)
{
	struct out *out = &stat->out;

	json_line_begin(out);
	json_begin(out, "summary", '{');
	json_number(out, "time_ns", stat->time);
	json_number(out, "reads", stat->reads);
	json_number(out, "max_skew_ns", stat->max_skew);
	json_number(out, "frozen_ns", status->frozen_ns);
	json_number(out, "register_reads", status->reads);
	json_number(out, "register_writes", status->writes);
	json_number(out, "parallel_reads", status->parallel_reads);
	json_text(out, "time", stat->real_text);
	json_end(out, '}');
	json_line_end(out);
}

/* Count the events on boxes by the scope of the domain, for "die" and "CPU" in the summary */
static struct domain_sum slots_domains(const struct stat_run *stat)
{
	const struct ucore_domain_info *domain;
	struct domain_sum sum = { 0 };
	const struct ucore_slot *slots;
	size_t nr;

	slots = ucore_session_slots(stat->count.session, &nr);
	for (size_t i = 0; i < nr; i++) {
		domain = ucore_device_domain(stat->count.dev, slots[i].domain);
		domain_sum_add(&sum, domain ? domain->scope : UCORE_SCOPE_DIE);
	}
	return sum;
}

int stat_summary_print(struct tool *tool, struct stat_run *stat)
{
	struct domain_sum sum = slots_domains(stat);
	struct ucore_get_status status;
	char text[CLOCK_LEN], parallel_reads[48] = "";
	int ret = ucore_session_status(stat->count.session, &status, &tool->err);

	if (ret)
		return tool_fail(tool, ret);
	if (stat->out.format == OUT_JSON) {
		summary_json(stat, &status);
		return 0;
	}
	if (stat->nr_readers > 1)
		snprintf(parallel_reads, sizeof(parallel_reads), " and %.1f helper CPUs",
			 (double)status.parallel_reads / (double)stat->reads);
	/* print the comment to standard error with CSV, because CSV has no comments */
	fprintf(stat->out.format == OUT_CSV ? stderr : stat->out.stream,
		"# %llu.%06llu s counted until %s, %llu reads, %.1f register accesses%s each; %s frozen for %.1f us in all, skew between them at most %.1f us\n",
		(unsigned long long)(stat->time / NSEC_PER_SEC),
		(unsigned long long)(stat->time % NSEC_PER_SEC / NSEC_PER_USEC),
		clock_date(stat->real, text), (unsigned long long)stat->reads,
		(double)(status.reads + status.writes) / (double)stat->reads, parallel_reads,
		domain_sum_words(&sum),
		(double)status.frozen_ns / NSEC_PER_USEC, (double)stat->max_skew / NSEC_PER_USEC);
	return 0;
}
