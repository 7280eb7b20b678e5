/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metrics that are chosen on the command line: stat, record and report have the same
 * options.
 */
#ifndef UCORETOOL_METRIC_H
#define UCORETOOL_METRIC_H

#include "tool.h"

#define MAX_METRICS	64	/* options -M, and files of metrics */

/**
 * struct metric_args - what was asked for
 * @lists: the arguments of -M
 * @nr_lists: how many there are
 * @files: the arguments of --metric-file
 * @nr_files: how many there are
 */
struct metric_args {
	const char *lists[MAX_METRICS];
	unsigned int nr_lists;
	const char *files[MAX_METRICS];
	unsigned int nr_files;
};

/** metric_option() - take -M or --metric-file; returns 0 or the exit code */
int metric_option(struct tool *tool, struct metric_args *args, int letter, const char *value);

/** metric_finish() - is what was asked for whole? */
int metric_finish(struct tool *tool, const struct metric_args *args);

/**
 * metrics_open() - choose metrics and count their events
 * @cores: of a socket, 0 if nobody tells
 * @level: UCORE_LEVEL_* that there shall be values of
 * @may_rotate: what does not fit is EXIT_FULL, of which nothing is said
 * @metrics: where they are stored, also on failure, for ucore_metrics_free()
 */
int metrics_open(struct tool *tool, const struct metric_args *args, struct ucore_device *dev,
		 struct ucore_session *session, unsigned int cores, uint32_t level,
		 bool may_rotate, struct ucore_metrics **metrics);

/** socket_cores() - cores of a socket of this machine, 0 if nobody tells */
unsigned int socket_cores(void);

#endif /* UCORETOOL_METRIC_H */
