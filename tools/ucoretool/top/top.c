// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool top: show the activity of the uncore live, on a screen with keys, as text, or as
 * CSV or JSON lines. Each refresh is one READ of one session.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "output/walltime.h"
#include "count_options.h"
#include "output/domain.h"
#include "output/sink.h"
#include "output/table.h"
#include "top/panel.h"
#include "top/terminal.h"
#include "top/view.h"
#include "event_loop.h"
#include "output_options.h"
#include "tool.h"

#define FIRST_NS	(200 * NSEC_PER_MSEC)	/* time from the start to the first refresh */
#define MAX_SAVES	100			/* maximum number of saved files per second */

struct top_args {
	uint64_t interval_ns;
	uint64_t nr_intervals;
	uint32_t read_flags;
	unsigned int wanted;		/* selected panels, bit i for panel_descs[i] */
	bool batch;
	bool strict;
	struct output_args output;
};

struct top {
	struct count count;
	struct panels panels;
	struct view view;
	struct out out;
	bool screen;
};

static const struct option_desc top_options[] = {
	{ 'I', "interval", "TIME",
	  "time between refreshes (1s, 200ms; numbers without a unit are ms)" },
	{ OPT_COUNT, "count", "N", "stop after N refreshes" },
	{ OPT_BATCH, "batch", NULL, "print text instead of a screen, as without a terminal" },
	{ OPT_NO_FREEZE, "no-freeze", NULL,
	  "read without a freeze: no pause, but not one instant" },
	{ OPT_STRICT, "strict", NULL, "fail if a box or a column cannot be counted" },
	{ 0 },
};

static int top_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct top_args *args = data;
	bool taken;

	switch (letter) {
	case 'I':
		return parse_duration(tool, "interval", value, true, 10 * NSEC_PER_MSEC,
				      INT32_MAX * NSEC_PER_MSEC, &args->interval_ns);
	case OPT_COUNT:
		return parse_u64(tool, "count", value, 1, UINT64_MAX, &args->nr_intervals);
	case OPT_BATCH:
		args->batch = true;
		return 0;
	case OPT_NO_FREEZE:
		args->read_flags = UCORE_READ_F_NO_FREEZE;
		return 0;
	case OPT_STRICT:
		args->strict = true;
		return 0;
	default:
		return output_option(tool, &args->output, letter, value, &taken);
	}
}

static int panel_want(struct tool *tool, struct top_args *args, const char *name)
{
	char names[120] = "";

	for (unsigned int i = 0; panel_descs[i].name; i++) {
		if (!strcmp(panel_descs[i].name, name)) {
			args->wanted |= 1U << i;
			return 0;
		}
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s",
			 panel_descs[i].name);
	}
	return tool_usage(tool, "panel '%s': unknown. Choose from:%s", name, names);
}

static int top_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct top_args *args = data;
	int ret = 0;

	if (!args->interval_ns)
		args->interval_ns = NSEC_PER_SEC;
	for (int i = 0; i < argc && !ret; i++)
		ret = panel_want(tool, args, argv[i]);
	if (!argc)
		args->wanted = ~0U;
	args->output.out.stream = stdout;
	return ret;
}

/* ---- output as CSV and JSON -------------------------------------------- */

enum {
	COLUMN_TIME,
	COLUMN_PANEL,
	COLUMN_SOCKET,
	COLUMN_DIE,
	COLUMN_BOX,
	COLUMN_VALUE,
	COLUMN_UNIT,
	COLUMN_METRIC,
	COLUMN_NOTE,
	COLUMN_REAL,
	NR_COLUMNS,
};

static const struct column columns[NR_COLUMNS] = {
	[COLUMN_TIME] = { "time_ns" },
	[COLUMN_PANEL] = { "panel" },
	[COLUMN_SOCKET] = { "socket" },
	[COLUMN_DIE] = { "die" },
	[COLUMN_BOX] = { "box" },
	[COLUMN_VALUE] = { "value" },
	[COLUMN_UNIT] = { "unit" },
	[COLUMN_METRIC] = { "metric" },
	[COLUMN_NOTE] = { "note" },
	[COLUMN_REAL] = { "time" },
};

/* Write a CSV or JSON line for each visible number of a panel's row */
static void row_write(struct out *out, const struct panels *panels, size_t index, uint64_t sample)
{
	const struct panel_row *row = &panels->rows[index];
	const struct panel *panel = &panels->panels[row->panel];
	char name[UCORE_NAME_LEN + 12], real[CLOCK_LEN], text[PANEL_NOTE_LEN];
	const char *note = panel_note(panels, index, text);

	snprintf(name, sizeof(name), "%s%u", row->type, row->instance);
	clock_iso(panels->real[sample % PANEL_HISTORY], real);
	for (unsigned int c = 0; c < panel->nr_seen; c++) {
		const struct panel_column *column = &panel->columns[c];
		const struct cell cells[NR_COLUMNS] = {
			[COLUMN_TIME] = cell_ns(panels->time[sample % PANEL_HISTORY]),
			[COLUMN_PANEL] = cell_text(panel->desc->name),
			[COLUMN_SOCKET] = cell_number(row->socket),
			[COLUMN_DIE] = row->is_box ? cell_number(row->die) : cell_none(),
			[COLUMN_BOX] = row->is_box ? cell_text(name) : cell_none(),
			[COLUMN_VALUE] = cell_value(panel_number(panels, index, c, sample)),
			[COLUMN_UNIT] = *column->desc->unit ? cell_text(column->desc->unit) :
					cell_none(),
			[COLUMN_METRIC] = cell_text(column->metric),
			[COLUMN_NOTE] = note ? cell_text(note) : cell_none(),
			[COLUMN_REAL] = cell_text(real),
		};

		out_row(out, columns, NR_COLUMNS, cells);
	}
}

/* Write a CSV or JSON line for a column or a box that is not counted */
static void missing_write(struct out *out, const struct panels *panels, const struct panel *panel,
			  const struct missing_item *item, uint64_t sample)
{
	char name[UCORE_NAME_LEN + 12], note[MISSING_NOTE_LEN], real[CLOCK_LEN];
	struct cell cells[NR_COLUMNS] = {
		[COLUMN_TIME] = cell_ns(panels->time[sample % PANEL_HISTORY]),
		[COLUMN_PANEL] = cell_text(panel->desc->name),
		[COLUMN_NOTE] = cell_text(missing_note(item, note)),
	};

	clock_iso(panels->real[sample % PANEL_HISTORY], real);
	cells[COLUMN_REAL] = cell_text(real);
	if (item->metric) {
		cells[COLUMN_METRIC] = cell_text(item->metric);
	} else {
		snprintf(name, sizeof(name), "%s%u", item->type, item->instance);
		cells[COLUMN_SOCKET] = cell_number(item->package);
		cells[COLUMN_DIE] = cell_number(item->die);
		cells[COLUMN_BOX] = cell_text(name);
	}
	out_row(out, columns, NR_COLUMNS, cells);
}

/* Write what is not counted, before the first row */
static void all_missing_write(struct out *out, const struct panels *panels, uint64_t sample)
{
	for (unsigned int i = 0; i < panels->nr; i++)
		for (size_t j = 0; j < panels->panels[i].missing.nr; j++)
			missing_write(out, panels, &panels->panels[i],
				      &panels->panels[i].missing.items[j], sample);
}

/* ---- output as text ---------------------------------------------------- */

static void panel_print(FILE *stream, const struct panels *panels, unsigned int index,
			uint64_t sample)
{
	const struct panel *panel = &panels->panels[index];
	char text[PANEL_NAME_LEN], number[NUMBER_LEN];

	fprintf(stream, "%-14s", panel->desc->title);
	for (unsigned int c = 0; c < panel->nr_seen; c++) {
		const struct panel_column_desc *desc = panel->columns[c].desc;

		snprintf(text, sizeof(text), "%s%s%s", desc->heading, *desc->unit ? " " : "",
			 desc->unit);
		fprintf(stream, " %*s", c || strlen(panel->desc->title) < 15 ? 13 : 11, text);
	}
	fputc('\n', stream);
	for (unsigned int i = 0; i < panel->nr_lines; i++)
		fprintf(stream, " %s\n", panel->lines[i]);
	for (size_t i = panel->first; i < panel->first + panel->nr_rows; i++) {
		char remark[PANEL_NOTE_LEN];
		const char *note = panel_note(panels, i, remark);

		fprintf(stream, "%s%-*s", panels->rows[i].is_box ? "  " : "",
			panels->rows[i].is_box ? 12 : 14, panels->rows[i].name);
		for (unsigned int c = 0; c < panel->nr_seen; c++)
			fprintf(stream, " %13s",
				number_text(panel_number(panels, i, c, sample), number));
		fprintf(stream, "%s%s\n", note ? "  " : "", note ? note : "");
	}
}

static void text_print(struct top *top, uint64_t sample)
{
	uint64_t time = top->panels.time[sample % PANEL_HISTORY];

	if (sample)
		fputc('\n', top->out.stream);
	fprintf(top->out.stream, "# %llu.%03llu s\n", (unsigned long long)(time / NSEC_PER_SEC),
		(unsigned long long)(time % NSEC_PER_SEC / NSEC_PER_MSEC));
	for (unsigned int i = 0; i < top->panels.nr; i++)
		panel_print(top->out.stream, &top->panels, i, sample);
}

/* Print the newest sample to standard output, as text, CSV or JSON */
static int batch_print(struct tool *tool, struct top *top)
{
	uint64_t sample = top->panels.nr_samples - 1;

	if (top->out.format == OUT_TABLE)
		text_print(top, sample);
	else if (!sample)
		out_head(&top->out, columns, NR_COLUMNS);
	if (top->out.format != OUT_TABLE && !sample)
		all_missing_write(&top->out, &top->panels, sample);
	for (size_t i = 0; top->out.format != OUT_TABLE && i < top->panels.nr_rows; i++)
		row_write(&top->out, &top->panels, i, sample);
	return tool_written(tool, NULL, sink_flush(top->out.stream), 0);
}

/* ---- saved files ------------------------------------------------------- */

/*
 * Create a file for a saved screen in the current directory, named by the time. No file is
 * overwritten and no symbolic link is followed.
 */
static FILE *save_create(const char *suffix, char *name, size_t size)
{
	char stamp[CLOCK_LEN], more[16] = "";

	clock_stamp(clock_real(now_ns()), stamp);
	for (unsigned int i = 2; i < MAX_SAVES; i++) {
		int fd;

		snprintf(name, size, "ucoretool-top-%s%s.%s", stamp, more, suffix);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return sink_open(fd);
		if (errno != EEXIST)
			break;
		snprintf(more, sizeof(more), "-%u", i);
	}
	return NULL;
}

static void save(struct top *top, enum out_format format)
{
	struct out out = { .format = format, .separator = ',' };
	struct view *view = &top->view;
	size_t nr = 0;
	char name[96];
	int error;

	out.stream = save_create(format == OUT_JSON ? "json" : "csv", name, sizeof(name));
	if (!out.stream) {
		view_say(view, " %s: cannot create: %s", name, strerror(errno));
		return;
	}
	out_head(&out, columns, NR_COLUMNS);
	if (top->panels.nr_samples)
		all_missing_write(&out, &top->panels, view_sample(view));
	for (size_t i = 0; i < view->nr_lines; i++) {
		if (view->lines[i].kind != LINE_ROW)
			continue;
		row_write(&out, &top->panels, view->lines[i].row, view_sample(view));
		nr++;
	}
	error = sink_close(out.stream);
	if (error)
		view_say(view, " %s: cannot write: %s", name, strerror(error));
	else
		view_say(view, " %zu rows saved to %s", nr, name);
}

/* ---- run --------------------------------------------------------------- */

/* Read the next sample. On failure, close the screen before the error message is printed. */
static int read_next(struct tool *tool, struct top *top, const struct top_args *args)
{
	int ret = panels_read(&top->panels, args->read_flags, &tool->err);

	if (!ret)
		return top->screen ? 0 : batch_print(tool, top);
	screen_close();
	return tool_fail(tool, ret);
}

static bool keys_handle(struct top *top)
{
	enum view_action action = view_keys(&top->view);

	if (action == ACTION_CSV)
		save(top, OUT_CSV);
	else if (action == ACTION_JSON)
		save(top, OUT_JSON);
	return action != ACTION_QUIT;
}

static void screen_refresh(struct top *top, struct wait *wait)
{
	if (wait->resized)
		screen_resize();
	/* the first sample adds lines about what is not counted */
	if (wait->resized || top->panels.nr_samples == 1)
		view_resized(&top->view);
	wait->resized = false;
	view_draw(&top->view);
}

static bool counted_enough(const struct top *top, const struct top_args *args)
{
	return args->nr_intervals && top->panels.nr_samples >= args->nr_intervals;
}

static int top_loop(struct tool *tool, struct top *top, const struct top_args *args,
		    struct wait *wait)
{
	int keys = top->screen && isatty(STDIN_FILENO) ? STDIN_FILENO : -1;
	uint64_t next = now_ns() + args->interval_ns;
	enum wait_event event;
	int ret = 0;

	if (top->screen && args->interval_ns > FIRST_NS)
		next = now_ns() + FIRST_NS;
	do {
		if (top->screen)
			screen_refresh(top, wait);
		event = wait_for(wait, keys, next);
		if (event == WAIT_ERROR) {
			screen_close();
			return tool_error(tool, "cannot wait: %s", strerror(errno));
		}
		if (event == WAIT_READY && !keys_handle(top))
			return 0;
		if (event == WAIT_END || now_ns() < next)
			continue;
		ret = read_next(tool, top, args);
		while (next <= now_ns())
			next += args->interval_ns;
	} while (!ret && event != WAIT_END && !counted_enough(top, args));
	return ret;
}

/* Write the title of the screen: platform, number of dies, time between two refreshes */
static void title_make(const struct top *top, const struct top_args *args, char *title,
		       size_t size)
{
	struct domain_sum sum = { 0 };
	const struct ucore_domain_info *domains;
	char dies[DOMAIN_SUM_LEN];
	size_t nr;

	domains = ucore_device_domains(top->count.dev, &nr);
	for (size_t i = 0; i < nr; i++)
		if (domains[i].scope == UCORE_SCOPE_DIE)
			domain_sum_add(&sum, domains[i].scope);
	domain_sum_text(&sum, dies, sizeof(dies));
	snprintf(title, size, "ucoretool top: %s, %s, every %g s",
		 ucore_device_info(top->count.dev)->platform, dies,
		 (double)args->interval_ns / 1e9);
}

static int screen_start(struct tool *tool, struct top *top, const struct top_args *args,
			struct wait *wait)
{
	char title[VIEW_TITLE_LEN];

	if (args->batch || args->output.out.format != OUT_TABLE || !isatty(STDOUT_FILENO))
		return 0;
	if (wait_signal(tool, wait, SIGWINCH))
		return EXIT_FAILURE;
	top->screen = screen_open();
	if (!top->screen) {
		tool_error(tool, "terminal type '%s': not supported, text instead",
			   getenv("TERM") ? getenv("TERM") : "");
		return 0;
	}
	title_make(top, args, title, sizeof(title));
	if (!view_open(&top->view, &top->panels, title))
		return 0;
	screen_close();
	return tool_error(tool, "out of memory");
}

static int top_count(struct tool *tool, struct top *top, const struct top_args *args)
{
	struct wait wait;
	int ret = wait_open(tool, &wait, NULL);

	if (!ret) {
		ret = ucore_session_start(top->count.session, &tool->err);
		if (ret)
			ret = tool_fail(tool, ret);
	}
	if (!ret)
		ret = screen_start(tool, top, args, &wait);
	if (!ret)
		ret = top_loop(tool, top, args, &wait);
	screen_close();
	return wait_close(tool, &wait, ret);
}

static int top_run(struct tool *tool, const void *data)
{
	const struct top_args *args = data;
	const struct ucore_session_config config = { .flags = UCORE_SESSION_F_MULTIPLEX };
	struct top top = { .out = args->output.out };
	/* create a session without events; panels_open() adds them */
	int ret = count_open(tool, &(struct count_args) { .strict = args->strict },
			     &config, NULL, &top.count);

	if (ret)
		return ret;
	ret = panels_open(tool, top.count.dev, top.count.session, args->wanted, &top.panels);
	if (!ret && args->strict)
		ret = panels_refuse(tool, &top.panels);
	if (!ret)
		ret = top_count(tool, &top, args);
	if (!ret && args->strict && top.panels.lost)
		ret = tool_error(tool, "--strict: a box did not count all the time");
	view_close(&top.view);
	panels_close(&top.panels);
	count_close(&top.count);
	return ret;
}

const struct command command_top = {
	.name = "top",
	.operands = "[memory|llc|links|io|power]...",
	.summary = "show live activity of memory, last-level cache, links, IO and power",
	.options = { top_options, output_options },
	.args_size = sizeof(struct top_args),
	.option = top_option,
	.finish = top_finish,
	.run = top_run,
};
