// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool stat: prints counts and metrics per box, per socket or in total, at the end or
 * in intervals (-I).  Each interval costs one READ and one write(2).  The program allocates no
 * memory while the session counts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "event_loop.h"
#include "metric_options.h"
#include "stat/stat.h"

/* Default time slice: short enough to follow the phases of a program, at a low cost */
#define ROTATE_NS	(10 * NSEC_PER_MSEC)

/* Time below which the start and the end of counting cause errors of some per cent in rates */
#define SHORT_NS	(10 * NSEC_PER_MSEC)

/* Size of the output buffer (bytes): one write() prints up to 1000 rows of a READ */
#define BUFFER_BYTES	(1 << 18)

struct stat_args {
	struct count_args count;
	bool devices;
	bool traffic;			/* --per-device without events */
	bool by_node;
	const char *root;
	uint64_t interval_ns;
	uint64_t nr_intervals;
	uint32_t read_flags;
	struct metric_args metrics;
	uint64_t rotate_ns;		/* time slice of --rotate (ns) */
	bool no_rotate;			/* --no-rotate: refuse events that need rotation */
	struct output_args output;
};

static const struct option_desc stat_options[] = {
	{ 'M', "metric", "LIST", "metrics: names, @CATEGORY, or NAME=FORMULA (may be repeated)",
	  .repeats = true },
	{ OPT_METRIC_FILE, "metric-file", "FILE", "file with a metric NAME=FORMULA on each line",
	  .repeats = true },
	{ 'I', "interval", "TIME",
	  "print every TIME (1s, 200ms; a number without a unit is in ms)" },
	{ OPT_COUNT, "count", "N", "stop after N intervals" },
	{ OPT_PER_SOCKET, "per-socket", NULL, "print one line per event and socket",
	  .only = ONLY_GROUPING },
	{ OPT_PER_NODE, "per-node", NULL,
	  "print one line per event and NUMA node (without sub-NUMA clustering)",
	  .only = ONLY_GROUPING },
	{ OPT_PER_BOX, "per-box", NULL, "print one line per event and box",
	  .only = ONLY_GROUPING },
	{ OPT_PER_DEVICE, "per-device", NULL,
	  "as --per-box, with the PCI devices of stacks and the partners of links; without events: traffic of each PCI device",
	  .only = ONLY_GROUPING },
	{ OPT_ROOT, "root", "DIR", "read the PCI devices and their names below DIR" },
	{ OPT_NO_FREEZE, "no-freeze", NULL,
	  "read without a freeze: no pause, but not at the same instant" },
	{ OPT_ROTATE, "rotate", "TIME", "time slice of events if the counters are too few (10ms)",
	  .only = ONLY_ROTATION },
	{ OPT_NO_ROTATE, "no-rotate", NULL, "refuse more events than counters",
	  .only = ONLY_ROTATION },
	{ 'o', "output", "FILE", "write to FILE instead of standard output" },
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
	case OPT_COUNT:
		return parse_u64(tool, "count", value, 1, UINT64_MAX, &args->nr_intervals);
	case 'M':
	case OPT_METRIC_FILE:
		return metric_option(tool, &args->metrics, letter, value);
	case OPT_PER_DEVICE:
		args->output.grouping = GROUP_BOX;
		args->devices = true;
		return 0;
	case OPT_PER_NODE:
		args->output.grouping = GROUP_SOCKET;
		args->by_node = true;
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
	default:
		return output_option(tool, &args->output, letter, value, &taken);
	}
}

static int stat_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct stat_args *args = data;

	if (args->nr_intervals && !args->interval_ns)
		return tool_usage(tool, "--count: stops after N intervals. Add -I TIME");
	if (args->root && !args->devices && !args->by_node)
		return tool_usage(tool, "--root: needs --per-device or --per-node");
	if (args->read_flags && args->count.nr_readers > 1)
		return tool_usage(tool, "--no-freeze and --readers: cannot be combined, because one CPU of each die reads without a freeze");
	if (args->rotate_ns && args->count.nr_readers > 1)
		return tool_usage(tool, "--rotate and --readers: cannot be combined, because one CPU of each die switches the events");
	if (!args->rotate_ns)
		args->rotate_ns = ROTATE_NS;
	args->count.may_rotate = !args->no_rotate && args->count.nr_readers <= 1;
	if (metric_finish(tool, &args->metrics))
		return EXIT_USAGE;
	args->traffic = args->devices && !args->count.nr_lists && !args->metrics.nr_lists;
	if (!args->count.nr_lists && !args->metrics.nr_lists && !args->traffic)
		return tool_usage(tool, "no event. Add -e, for example -e imc/CAS_COUNT.RD/, or -M, for example -M memory_bandwidth_total");
	args->count.nr_others = args->metrics.nr_lists + args->traffic;
	return count_finish(tool, &args->count, argc, argv);
}

/* ---- metrics ----------------------------------------------------------- */

static int stat_metrics(struct tool *tool, struct stat_run *stat, const struct metric_args *args)
{
	static const uint32_t levels[] = {
		[GROUP_TOTAL] = UCORE_LEVEL_SYSTEM,
		[GROUP_SOCKET] = UCORE_LEVEL_SOCKET,
		[GROUP_BOX] = UCORE_LEVEL_BOX,
	};

	return metrics_open(tool, args, stat->count.dev, stat->count.session, socket_cores(),
			    levels[stat->grouping], stat->count.may_rotate, &stat->metrics);
}

/* ---- run --------------------------------------------------------------- */

static int stat_loop(struct tool *tool, struct stat_run *stat, const struct stat_args *args,
		     struct wait *wait)
{
	uint64_t next = args->interval_ns ? now_ns() + args->interval_ns : 0;
	enum wait_event event;
	int ret = 0;

	do {
		event = wait_for(wait, -1, next);
		if (event == WAIT_ERROR)
			return tool_error(tool, "event loop: cannot wait: %s", strerror(errno));
		if (event == WAIT_TICK && now_ns() < next)
			continue;
		if (event == WAIT_TICK && !next)
			continue;
		ret = stat_interval_print(tool, stat, args->read_flags);
		while (next && next <= now_ns())
			next += args->interval_ns;
	} while (!ret && event != WAIT_END &&
		 (!args->nr_intervals || stat->reads < args->nr_intervals));
	return ret;
}

static int stat_count(struct tool *tool, struct stat_run *stat, const struct stat_args *args)
{
	struct wait wait;
	int ret = ucore_delta_create(stat->count.session, &stat->delta, &tool->err);

	if (ret)
		return tool_fail(tool, ret);
	if (stat_rows_make(stat))
		return tool_error(tool, "out of memory");
	ret = stat_gone_make(tool, stat);
	if (!ret && stat->devices && !stat->traffic)
		ret = stat_rows_devices(tool, stat, args->root);
	if (ret)
		return ret;
	ret = wait_open(tool, &wait, args->count.command);
	if (!ret)
		ret = count_start(tool, &args->count, &stat->count, &wait);
	if (!ret)
		ret = stat_loop(tool, stat, args, &wait);
	if (!ret)
		ret = stat_summary_print(tool, stat);
	if (!ret && args->count.timeout_ns && stat->time < SHORT_NS)
		fprintf(stderr, "ucoretool stat: counted for only %.1f ms (--timeout): the rates have large errors. A number without a unit is in ms. Use --timeout 1s for a second\n",
			(double)stat->time / NSEC_PER_MSEC);
	if (!ret && stat->count.strict && stat->lost)
		ret = tool_error(tool, "--strict: a box did not count all the time");
	return wait_close(tool, &wait, ret);
}

static int stat_to_file(struct tool *tool, struct stat_run *stat, const struct stat_args *args)
{
	static char buffer[BUFFER_BYTES];
	int ret = output_open(tool, &args->output, &stat->out);

	if (ret)
		return ret;
	/* with -I, buffer the output of each interval fully, except on a terminal */
	if (stat->series && (args->output.path || !isatty(STDOUT_FILENO)))
		setvbuf(stat->out.stream, buffer, _IOFBF, sizeof(buffer));
	return output_close(tool, &args->output, &stat->out, stat_count(tool, stat, args));
}

/* Create the session with all events; return EXIT_FULL if the events need rotation */
static int stat_open(struct tool *tool, struct stat_run *stat, const struct stat_args *args,
		     uint64_t rotate_ns)
{
	bool multiplex = !args->no_rotate && !(args->count.flags & UCORE_SESSION_F_BOX_FREEZE);
	struct ucore_session_config config = {
		.flags = args->count.flags | (multiplex ? UCORE_SESSION_F_MULTIPLEX : 0),
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
	if (args->traffic)
		ret = traffic_open(tool, stat, args->root);
	if (!ret)
		return 0;
	traffic_close(stat);
	ucore_metrics_free(stat->metrics);
	stat->metrics = NULL;
	count_close(&stat->count);
	return ret;
}

static int stat_run(struct tool *tool, const void *data)
{
	const struct stat_args *args = data;
	struct stat_run stat = {
		.out = args->output.out,
		.path = args->output.path,
		.grouping = args->output.grouping,
		.nr_readers = args->count.nr_readers,
		.devices = args->devices,
		.by_node = args->by_node,
		.series = args->interval_ns,
	};
	int ret = args->by_node ? stat_nodes_read(tool, args->root, stat.nodes) : 0;

	if (!ret)
		ret = stat_open(tool, &stat, args, 0);
	if (ret == EXIT_FULL)
		ret = stat_open(tool, &stat, args, args->rotate_ns);
	if (ret)
		return ret;
	ret = stat_to_file(tool, &stat, args);
	traffic_close(&stat);
	ucore_metrics_free(stat.metrics);
	ucore_delta_free(stat.delta);
	stat_rows_free(&stat);
	stat_gone_free(&stat);
	count_close(&stat.count);
	return ret;
}

const struct command command_stat = {
	.name = "stat",
	.operands = "[--] [PROGRAM...]",
	.summary = "count events until Ctrl-C, a timeout or the exit of a program",
	.options = { count_options, stat_options, output_options },
	.runs_command = true,
	.args_size = sizeof(struct stat_args),
	.option = stat_option,
	.finish = stat_finish,
	.run = stat_run,
};
