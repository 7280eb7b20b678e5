/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options -M and --metric-file of stat, record and report.
 */
#ifndef UCORETOOL_METRIC_OPTIONS_H
#define UCORETOOL_METRIC_OPTIONS_H

#include "tool.h"

#define MAX_METRICS	64	/* maximum number of options -M, and of options --metric-file */

/**
 * struct metric_args - parsed metric options
 * @lists: arguments of -M
 * @nr_lists: number of arguments of -M
 * @files: arguments of --metric-file
 * @nr_files: number of arguments of --metric-file
 */
struct metric_args {
	const char *lists[MAX_METRICS];
	unsigned int nr_lists;
	const char *files[MAX_METRICS];
	unsigned int nr_files;
};

/** metric_option() - parse -M or --metric-file; return 0 or the exit code */
int metric_option(struct tool *tool, struct metric_args *args, int letter, const char *value);

/** metric_finish() - check the metric options; return 0 or the exit code */
int metric_finish(struct tool *tool, const struct metric_args *args);

/**
 * metrics_open() - choose metrics and add their events to a session
 * @tool: the tool
 * @args: parsed metric options
 * @dev: open device
 * @session: session that gets the events
 * @cores: number of cores of a socket, 0: unknown
 * @level: UCORE_LEVEL_* of the values
 * @may_rotate: true if the caller retries with rotation: too few counters give EXIT_FULL and no
 *              error message
 * @metrics: set on success and on failure; the caller frees it with ucore_metrics_free()
 *
 * Return: 0 or the exit code.
 */
int metrics_open(struct tool *tool, const struct metric_args *args, struct ucore_device *dev,
		 struct ucore_session *session, unsigned int cores, uint32_t level,
		 bool may_rotate, struct ucore_metrics **metrics);

/** socket_cores() - return the number of cores of a socket of this machine, 0: unknown */
unsigned int socket_cores(void);

#endif /* UCORETOOL_METRIC_OPTIONS_H */
