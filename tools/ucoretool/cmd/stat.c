// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool stat: counts and metrics per box, per socket or in total, at the end or
 * in intervals.  One session, one READ and one write per interval; nothing is allocated
 * once counting has begun.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "output/walltime.h"
#include "count_options.h"
#include "output/domain.h"
#include "links.h"
#include "metric_options.h"
#include "output/table.h"
#include "event_loop.h"
#include "tool.h"

/* A hundred turns in a second: short enough for phases of programs, and cheap */
#define ROTATE_NS	(10 * NSEC_PER_MSEC)

/* What an interval prints goes to the kernel at once: a thousand rows have room */
#define BUFFER_BYTES	(1 << 18)

enum grouping {
	GROUP_TOTAL,
	GROUP_SOCKET,
	GROUP_BOX,
};

struct stat_args {
	struct count_args count;
	enum grouping grouping;
	bool devices;
	const char *root;
	uint64_t interval_ns;
	uint64_t nr_intervals;
	uint32_t read_flags;
	struct metric_args metrics;
	uint64_t rotate_ns;		/* 0: the default */
	bool no_rotate;			/* what does not fit is refused */
	const char *path;
	struct out out;
};

/* A line of output: the slots of one event that are added up */
struct stat_row {
	uint32_t index;		/* ucore_slot.index */
	uint32_t socket;
	uint32_t domain;
	uint32_t die;
	int32_t cpu;
	uint32_t instance;
	char box[UCORE_NAME_LEN + 12];
	char *device;		/* what is at the other end of the box, NULL: nobody knows */
	uint64_t count;
	uint64_t enabled;	/* longest of the domains that take part */
	uint64_t running;
	uint64_t possible;	/* running, had no turn ended */
	bool missed;		/* a slot had no turn: the sum is not known */
	uint32_t flags;		/* UCORE_VALUE_F_* of any slot */
};

enum {
	COLUMN_TIME,
	COLUMN_SOCKET,
	COLUMN_DIE,
	COLUMN_CPU,
	COLUMN_BOX,
	COLUMN_COUNT,
	COLUMN_RATE,
	COLUMN_RUNNING,
	COLUMN_EVENT,
	COLUMN_NOTE,
	NR_COUNT_COLUMNS,
	/* only with metrics, and only for programs: people see them in columns of counts */
	COLUMN_VALUE = NR_COUNT_COLUMNS,
	COLUMN_UNIT,
	COLUMN_METRIC,
	NR_COLUMNS,
};

/* Behind all of them, so that programs find the others where they were: the clock, the device */
#define MAX_COLUMNS	(NR_COLUMNS + 2)

struct stat {
	struct count count;
	struct out out;
	enum grouping grouping;
	uint32_t nr_readers;
	bool series;
	bool devices;
	struct column columns[MAX_COLUMNS];
	struct stat_row *rows;
	size_t nr_rows;
	uint32_t nr_events;		/* of -e */
	size_t *row_of;			/* beside the session's slots: an event of -e has a row */
	struct ucore_delta *delta;
	struct ucore_metrics *metrics;	/* NULL: none was asked for */
	uint64_t reads;
	uint64_t time;			/* enabled so far, the longest of the domains */
	uint64_t real;			/* the wall clock's time of the last READ ... */
	const char *real_text;		/* ... for programs ... */
	char real_room[CLOCK_LEN];	/* ... and where that is */
	uint64_t max_skew;
};

static const struct option_desc stat_options[] = {
	{ 'M', "metric", "LIST", "metrics: names, @CATEGORY, or NAME=FORMULA (may be repeated)" },
	{ OPT_METRIC_FILE, "metric-file", "FILE", "metrics of your own, a NAME=FORMULA a line" },
	{ 'I', "interval", "TIME", "print every so often (1s, 200ms; bare numbers are ms)" },
	{ 'n', "count", "N", "end after N intervals" },
	{ OPT_PER_SOCKET, "per-socket", NULL, "one line per event and socket" },
	{ OPT_PER_BOX, "per-box", NULL, "one line per event and box" },
	{ OPT_PER_DEVICE, "per-device", NULL,
	  "the same, with the PCI devices of each IIO stack, the other end of each link" },
	{ OPT_ROOT, "root", "DIR", "look for PCI devices and their names below DIR" },
	{ OPT_NO_FREEZE, "no-freeze", NULL, "read without freezing: not one instant, but no pause" },
	{ OPT_ROTATE, "rotate", "TIME",
	  "let events take turns of so long, if they do not fit (10ms)" },
	{ OPT_NO_ROTATE, "no-rotate", NULL, "refuse events that do not fit" },
	{ 'o', "output", "FILE", "write there instead of standard output" },
	{ 'x', "field-separator", "SEP", "CSV with this separator" },
	{ 'j', "json", NULL, "JSON lines" },
	{ 0 },
};

static int stat_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct stat_args *args = data;
	bool taken;
	int ret = count_option(tool, &args->count, letter, value, &taken);

	if (taken)
		return ret;
	switch (letter) {
	case 'I':
		return parse_duration(tool, "interval", value, true, NSEC_PER_MSEC,
				      INT32_MAX * NSEC_PER_MSEC, &args->interval_ns);
	case 'n':
		return parse_u64(tool, "count", value, 1, UINT64_MAX, &args->nr_intervals);
	case 'M':
	case OPT_METRIC_FILE:
		return metric_option(tool, &args->metrics, letter, value);
	case OPT_PER_SOCKET:
		args->grouping = GROUP_SOCKET;
		return 0;
	case OPT_PER_BOX:
		args->grouping = GROUP_BOX;
		return 0;
	case OPT_PER_DEVICE:
		args->grouping = GROUP_BOX;
		args->devices = true;
		return 0;
	case OPT_ROOT:
		args->root = value;
		return 0;
	case OPT_NO_FREEZE:
		args->read_flags = UCORE_READ_F_NO_FREEZE;
		return 0;
	case OPT_ROTATE:
		return parse_duration(tool, "rotate", value, true, UCORE_ROTATE_MIN_NS,
				      UCORE_ROTATE_MAX_NS, &args->rotate_ns);
	case OPT_NO_ROTATE:
		args->no_rotate = true;
		return 0;
	case 'o':
		args->path = value;
		return 0;
	case 'x':
		args->out.format = OUT_CSV;
		return parse_separator(tool, value, &args->out.separator);
	default:
		args->out.format = OUT_JSON;
		return 0;
	}
}

static int stat_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct stat_args *args = data;

	if (args->nr_intervals && !args->interval_ns)
		return tool_usage(tool, "-n counts intervals: give -I too");
	if (args->root && !args->devices)
		return tool_usage(tool, "--root goes with --per-device");
	if (args->rotate_ns && args->no_rotate)
		return tool_usage(tool, "--rotate and --no-rotate: one of them");
	if (args->read_flags && args->count.nr_readers > 1)
		return tool_usage(tool, "--no-freeze and --readers: one of them, for what is not frozen is read by one CPU of each die");
	if (args->rotate_ns && args->count.nr_readers > 1)
		return tool_usage(tool, "--rotate and --readers: one of them, for a switch is made by one CPU of each die");
	if (!args->rotate_ns)
		args->rotate_ns = ROTATE_NS;
	args->count.may_rotate = !args->no_rotate && args->count.nr_readers <= 1;
	args->out.stream = stdout;
	if (metric_finish(tool, &args->metrics))
		return EXIT_USAGE;
	if (!args->count.nr_lists && !args->metrics.nr_lists)
		return tool_usage(tool, "no event: give -e, for example -e imc/CAS_COUNT.RD/, or -M, for example -M memory_bandwidth_total");
	args->count.nr_others = args->metrics.nr_lists;
	return count_finish(tool, &args->count, argc, argv);
}

/* ---- rows -------------------------------------------------------------- */

static bool row_takes(const struct stat *stat, const struct stat_row *row,
		      const struct ucore_slot *slot, uint32_t socket)
{
	if (row->index != slot->index)
		return false;
	switch (stat->grouping) {
	case GROUP_BOX:
		return row->domain == slot->domain && row->instance == slot->instance;
	case GROUP_SOCKET:
		return row->socket == socket;
	default:
		return true;
	}
}

static size_t row_for(struct stat *stat, const struct ucore_slot *slot)
{
	const struct ucore_domain_info *domain = ucore_device_domain(stat->count.dev,
								     slot->domain);
	uint32_t socket = domain ? domain->package : 0;
	size_t i;

	for (i = 0; i < stat->nr_rows; i++)
		if (row_takes(stat, &stat->rows[i], slot, socket))
			return i;
	stat->rows[i] = (struct stat_row) {
		.index = slot->index,
		.socket = socket,
		.domain = slot->domain,
		.die = domain ? domain->die : 0,
		.cpu = domain ? domain->cpu : -1,
		.instance = slot->instance,
	};
	snprintf(stat->rows[i].box, sizeof(stat->rows[i].box), "%s%u",
		 ucore_event_type(ucore_session_event(stat->count.session, slot->index)),
		 slot->instance);
	stat->nr_rows++;
	return i;
}

/* Rows of what -e asked for: those events are the first ones */
static int rows_make(struct stat *stat)
{
	const struct ucore_slot *slots;
	size_t nr;

	slots = ucore_session_slots(stat->count.session, &nr);
	stat->rows = calloc(nr, sizeof(*stat->rows));
	stat->row_of = calloc(nr, sizeof(*stat->row_of));
	if (!stat->rows || !stat->row_of)
		return -ENOMEM;
	for (size_t i = 0; i < nr && slots[i].index < stat->nr_events; i++)
		stat->row_of[i] = row_for(stat, &slots[i]);
	return 0;
}

/* By the port that an event's name tells, as far as that is known */
static int row_device(const struct stat *stat, const struct ends *ends, struct stat_row *row,
		      uint32_t box)
{
	const struct ucore_event *event = ucore_session_event(stat->count.session, row->index);
	const struct ucore_event_desc *desc = ucore_event_desc_of(event);
	char text[ENDS_TEXT_LEN];

	if (row->device || !ends_text(ends, box, desc ? ends_port(desc->name) : -1,
				      stat->out.format == OUT_TABLE, text, sizeof(text)))
		return 0;
	row->device = strdup(text);
	return row->device ? 0 : -ENOMEM;
}

static int rows_devices(struct tool *tool, struct stat *stat, const char *root)
{
	const struct ucore_slot *slots;
	struct ends ends;
	size_t nr;
	int ret = ends_open(tool, stat->count.dev, root, &ends);

	if (ret)
		return ret;
	slots = ucore_session_slots(stat->count.session, &nr);
	for (size_t i = 0; !ret && i < nr && slots[i].index < stat->nr_events; i++)
		ret = row_device(stat, &ends, &stat->rows[stat->row_of[i]], slots[i].box);
	ends_close(&ends);
	return ret ? tool_error(tool, "out of memory") : 0;
}

static void row_add(struct stat_row *row, const struct ucore_delta_value *value)
{
	double count = ucore_delta_scaled(value);

	if (__builtin_isnan(count))
		row->missed = true;
	else
		row->count += value->running == value->possible ? value->count :
							       (uint64_t)(count + 0.5);
	if (value->possible > row->possible)
		row->possible = value->possible;
	row->flags |= value->flags;
	if (value->enabled > row->enabled)
		row->enabled = value->enabled;
	if (value->running > row->running)
		row->running = value->running;
}

/* Add the counts since the last READ up into the rows */
static void rows_update(struct stat *stat, const struct ucore_snapshot *snap)
{
	const struct ucore_delta_value *values;
	const struct ucore_slot *slots;
	size_t nr;

	for (size_t i = 0; i < stat->nr_rows; i++) {
		stat->rows[i].count = 0;
		stat->rows[i].enabled = 0;
		stat->rows[i].running = 0;
		stat->rows[i].possible = 0;
		stat->rows[i].missed = false;
		stat->rows[i].flags = 0;
	}
	ucore_delta_update(stat->delta, snap);
	slots = ucore_session_slots(stat->count.session, &nr);
	values = ucore_delta_values(stat->delta, &nr);
	for (size_t i = 0; i < nr && slots[i].index < stat->nr_events; i++)
		row_add(&stat->rows[stat->row_of[i]], &values[i]);
	if (stat->metrics)
		ucore_metrics_evaluate(stat->metrics, stat->delta);
	for (size_t i = 0; i < snap->nr_domains; i++)
		if (snap->domains[i].time_enabled > stat->time)
			stat->time = snap->domains[i].time_enabled;
}

/* ---- metrics ----------------------------------------------------------- */

static int stat_metrics(struct tool *tool, struct stat *stat, const struct metric_args *args)
{
	static const uint32_t levels[] = {
		[GROUP_TOTAL] = UCORE_LEVEL_SYSTEM,
		[GROUP_SOCKET] = UCORE_LEVEL_SOCKET,
		[GROUP_BOX] = UCORE_LEVEL_BOX,
	};

	return metrics_open(tool, args, stat->count.dev, stat->count.session, socket_cores(),
			    levels[stat->grouping], stat->count.may_rotate, &stat->metrics);
}

/* ---- output ------------------------------------------------------------ */

/* Without these */
static size_t nr_columns(const struct stat *stat)
{
	return stat->metrics ? NR_COLUMNS : NR_COUNT_COLUMNS;
}

static void row_out(struct stat *stat, struct cell *cells)
{
	size_t nr = nr_columns(stat);

	cells[nr] = cell_text(stat->real_text);
	out_row(&stat->out, stat->columns, nr + 1 + stat->devices, cells);
}

static void columns_make(struct stat *stat)
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
	columns[nr_columns(stat)] = (struct column) { "time", "", .hidden = true };
	columns[nr_columns(stat) + 1] = (struct column) { "device", "DEVICE", -8 };
	columns[COLUMN_TIME].hidden = !stat->series;
	columns[COLUMN_SOCKET].hidden = stat->grouping != GROUP_SOCKET;
	/* metrics that are not of a box have the socket instead */
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

static struct cell rate_cell(const struct stat_row *row, const struct ucore_event *event)
{
	const struct ucore_event_desc *desc = ucore_event_desc_of(event);
	double bytes;

	if (!desc || !desc->bytes || !row->possible || row->missed)
		return cell_none();
	bytes = (double)row->count * desc->bytes / desc->bytes_per;
	return cell_real(bytes / 1e6 / ((double)row->possible / NSEC_PER_SEC));
}

/* Said only when the counters missed something that two decimals can show */
static struct cell running_cell(const struct stat *stat, const struct stat_row *row)
{
	/* people see the share of turns in the note */
	uint64_t running = stat->out.format == OUT_TABLE ? row->possible : row->running;
	double percent = row->enabled ? 100.0 * (double)running / (double)row->enabled : 100;

	if (stat->out.format == OUT_TABLE && percent >= 99.995)
		return cell_none();
	return cell_real(percent);
}

#define NOTE_LEN	64

/* "(37.5%)" for people: its turns' share of the time, from which the count is scaled */
static struct cell note_cell(const struct stat *stat, uint32_t flags, int32_t cpu, double share,
			     char *text)
{
	const char *note = value_note(flags, cpu);

	if (share >= 1)
		return note ? cell_text(note) : cell_none();
	if (stat->out.format == OUT_TABLE)
		snprintf(text, NOTE_LEN, "(%.1f%%)%s%s", 100 * share, note ? " " : "",
			 note ? note : "");
	else
		snprintf(text, NOTE_LEN, "scaled%s%s", note ? ", " : "", note ? note : "");
	return cell_text(text);
}

/* Nobody knows what it would have counted without a turn */
static struct cell count_cell(const struct stat_row *row)
{
	return row->missed ? cell_value(__builtin_nan("")) : cell_count(row->count);
}

static double row_share(const struct stat_row *row)
{
	return row->possible ? (double)row->running / (double)row->possible : 1;
}

static void row_print(struct stat *stat, const struct stat_row *row)
{
	const struct ucore_event *event = ucore_session_event(stat->count.session, row->index);
	bool box = stat->grouping == GROUP_BOX;
	char note[NOTE_LEN];
	struct cell cells[MAX_COLUMNS] = {
		[COLUMN_TIME] = cell_ns(stat->time),
		[COLUMN_SOCKET] = stat->grouping == GROUP_TOTAL ? cell_none() :
				  cell_number(row->socket),
		[COLUMN_DIE] = box ? domain_die_cell(row->die, row->cpu) : cell_none(),
		[COLUMN_CPU] = box ? domain_cpu_cell(row->cpu) : cell_none(),
		[COLUMN_BOX] = box ? cell_text(row->box) : cell_none(),
		[COLUMN_COUNT] = count_cell(row),
		[COLUMN_RATE] = rate_cell(row, event),
		[COLUMN_RUNNING] = running_cell(stat, row),
		[COLUMN_EVENT] = cell_text(ucore_event_label(event)),
		[COLUMN_NOTE] = note_cell(stat, row->flags, row->cpu, row_share(row), note),
	};
	if (row->device)
		cells[nr_columns(stat) + 1] = cell_text(row->device);
	row_out(stat, cells);
}

/* What says where: nothing of all sockets, the socket, or the box with its die or CPU */
static void place_cells(const struct stat *stat, const struct ucore_metric_value *value,
			const char *name, struct cell *cells)
{
	cells[COLUMN_TIME] = cell_ns(stat->time);
	if (value->level == UCORE_LEVEL_SOCKET)
		cells[COLUMN_SOCKET] = cell_number(value->package);
	if (value->level != UCORE_LEVEL_BOX)
		return;
	cells[COLUMN_SOCKET] = stat->out.format == OUT_TABLE ? cell_none() :
			       cell_number(value->package);
	cells[COLUMN_DIE] = domain_die_cell(value->die, value->cpu);
	cells[COLUMN_CPU] = domain_cpu_cell(value->cpu);
	cells[COLUMN_BOX] = cell_text(name);
}

static void metric_print(struct stat *stat, const struct ucore_metric_value *value)
{
	const struct ucore_metric_desc *metric = value->metric;
	bool people = stat->out.format == OUT_TABLE;
	struct cell cells[MAX_COLUMNS] = { 0 };
	char name[UCORE_NAME_LEN + 12], note[NOTE_LEN];

	snprintf(name, sizeof(name), "%s%u", value->type, value->instance);
	place_cells(stat, value, name, cells);
	cells[people ? COLUMN_COUNT : COLUMN_VALUE] = cell_value(value->value);
	if (*metric->unit)
		cells[people ? COLUMN_RATE : COLUMN_UNIT] = cell_text(metric->unit);
	cells[people ? COLUMN_EVENT : COLUMN_METRIC] = cell_text(metric->name);
	if (!people && value->share < 1)
		cells[COLUMN_RUNNING] = cell_real(100 * value->share);
	cells[COLUMN_NOTE] = note_cell(stat, value->flags, value->cpu, value->share, note);
	row_out(stat, cells);
}

static int interval_print(struct tool *tool, struct stat *stat, uint32_t flags)
{
	const struct ucore_metric_value *value;
	struct ucore_snapshot snap;
	int ret = ucore_session_read(stat->count.session, flags, &snap, &tool->err);

	if (ret)
		return tool_fail(tool, ret);
	rows_update(stat, &snap);
	if (snap.nr_domains)
		stat->real = clock_real(snap.domains[0].time);
	stat->real_text = clock_iso(stat->real, stat->real_room);
	if (snap.skew_ns > stat->max_skew)
		stat->max_skew = snap.skew_ns;
	if (!stat->reads++) {
		columns_make(stat);
		out_head(&stat->out, stat->columns, nr_columns(stat) + 1 + stat->devices);
	}
	for (size_t i = 0; i < stat->nr_rows; i++)
		row_print(stat, &stat->rows[i]);
	for (size_t i = 0; stat->metrics && (value = ucore_metrics_value(stat->metrics, i)); i++)
		metric_print(stat, value);
	if (stat->series)
		fflush(stat->out.stream);
	return 0;
}

static void summary_json(struct stat *stat, const struct ucore_get_status *status)
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

/* What the events are on, a box at a time: which scopes, not how many domains */
static struct domain_sum slots_domains(const struct stat *stat)
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

static int summary_print(struct tool *tool, struct stat *stat)
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
		snprintf(parallel_reads, sizeof(parallel_reads), " and %.1f helpers",
			 (double)status.parallel_reads / (double)stat->reads);
	/* in CSV a comment would be a broken row */
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

/* ---- run --------------------------------------------------------------- */

static int stat_loop(struct tool *tool, struct stat *stat, const struct stat_args *args,
		     struct wait *wait)
{
	uint64_t next = args->interval_ns ? now_ns() + args->interval_ns : 0;
	enum wait_event event;
	int ret = 0;

	do {
		event = wait_for(wait, -1, next);
		if (event == WAIT_ERROR)
			return tool_error(tool, "cannot wait: %s", strerror(errno));
		if (event == WAIT_TICK && now_ns() < next)
			continue;
		if (event == WAIT_TICK && !next)
			continue;
		ret = interval_print(tool, stat, args->read_flags);
		while (next && next <= now_ns())
			next += args->interval_ns;
	} while (!ret && event != WAIT_END &&
		 (!args->nr_intervals || stat->reads < args->nr_intervals));
	return ret;
}

static int stat_count(struct tool *tool, struct stat *stat, const struct stat_args *args)
{
	struct wait wait;
	int ret = ucore_delta_create(stat->count.session, &stat->delta, &tool->err);

	if (ret)
		return tool_fail(tool, ret);
	if (rows_make(stat))
		return tool_error(tool, "out of memory");
	if (stat->devices)
		ret = rows_devices(tool, stat, args->root);
	if (ret)
		return ret;
	ret = wait_open(tool, &wait, args->count.command);
	if (!ret)
		ret = count_start(tool, &args->count, &stat->count, &wait);
	if (!ret)
		ret = stat_loop(tool, stat, args, &wait);
	if (!ret)
		ret = summary_print(tool, stat);
	return wait_close(tool, &wait, ret);
}

static int stat_to_file(struct tool *tool, struct stat *stat, const struct stat_args *args)
{
	static char buffer[BUFFER_BYTES];
	int ret;

	if (args->path)
		stat->out.stream = fopen(args->path, "we");
	if (!stat->out.stream)
		return tool_error(tool, "%s: cannot create: %s", args->path, strerror(errno));
	/* a terminal shows line by line */
	if (stat->series && !isatty(fileno(stat->out.stream)))
		setvbuf(stat->out.stream, buffer, _IOFBF, sizeof(buffer));
	ret = stat_count(tool, stat, args);
	if (args->path && fclose(stat->out.stream) && !ret)
		ret = tool_error(tool, "%s: cannot write: %s", args->path, strerror(errno));
	return ret;
}

/* The session with all that was asked for; EXIT_FULL: that needs turns */
static int stat_open(struct tool *tool, struct stat *stat, const struct stat_args *args,
		     uint64_t rotate_ns)
{
	struct ucore_session_config config = {
		.flags = args->count.flags,
		.rotate_ns = rotate_ns,
		.nr_readers = args->count.nr_readers,
	};
	int ret = count_open(tool, &args->count, &config, NULL, &stat->count);

	if (ret)
		return ret;
	stat->nr_events = 0;
	while (ucore_session_event(stat->count.session, stat->nr_events))
		stat->nr_events++;
	if (args->metrics.nr_lists)
		ret = stat_metrics(tool, stat, &args->metrics);
	if (!ret)
		return 0;
	ucore_metrics_free(stat->metrics);
	stat->metrics = NULL;
	count_close(&stat->count);
	return ret;
}

static int stat_run(struct tool *tool, const void *data)
{
	const struct stat_args *args = data;
	struct stat stat = {
		.out = args->out,
		.grouping = args->grouping,
		.nr_readers = args->count.nr_readers,
		.devices = args->devices,
		.series = args->interval_ns,
	};
	int ret = stat_open(tool, &stat, args, 0);

	if (ret == EXIT_FULL)
		ret = stat_open(tool, &stat, args, args->rotate_ns);
	if (ret)
		return ret;
	ret = stat_to_file(tool, &stat, args);
	ucore_metrics_free(stat.metrics);
	ucore_delta_free(stat.delta);
	free(stat.row_of);
	for (size_t i = 0; i < stat.nr_rows; i++)
		free(stat.rows[i].device);
	free(stat.rows);
	count_close(&stat.count);
	return ret;
}

const struct command command_stat = {
	.name = "stat",
	.operands = "[--] [PROGRAM...]",
	.summary = "count events until Ctrl-C, a timeout, or a program's end",
	.options = count_options,
	.more_options = stat_options,
	.runs_command = true,
	.args_size = sizeof(struct stat_args),
	.option = stat_option,
	.finish = stat_finish,
	.run = stat_run,
};
