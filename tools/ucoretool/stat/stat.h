/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State of `ucoretool stat`, shared by its parser and main loop (stat.c), the sums of counts
 * (rows.c), the traffic of PCI devices (traffic.c) and the output (print.c).
 */
#ifndef UCORETOOL_STAT_H
#define UCORETOOL_STAT_H

#include "count_options.h"
#include "output/missing.h"
#include "output/table.h"
#include "output/walltime.h"
#include "output_options.h"

/**
 * struct stat_row - a row of output: the sum of one event's counts in one part of the machine
 * @index: index of the event (ucore_slot.index)
 * @socket: socket of the first box of the sum
 * @domain: domain id of the first box
 * @die: die of the first box
 * @cpu: CPU of the first box, -1 for a box of a die
 * @instance: number of the first box
 * @box: name of the first box
 * @device: device or link end to which the box is connected (--per-device), NULL: unknown
 * @count: sum of the counts since the previous READ
 * @enabled: enabled time since the previous READ, the longest of all domains (ns)
 * @running: running time since the previous READ, the longest of all domains (ns)
 * @possible: running time that the event would have without rotation (ns)
 * @missed: true if the event had no time slice on a box, so that the sum is unknown
 * @flags: UCORE_VALUE_F_* of all counts in the sum
 * @nr_boxes: number of boxes in the sum
 * @max_boxes: number of boxes that should be in the sum
 * @nr_dead: number of boxes in the sum that do not respond
 */
struct stat_row {
	uint32_t index;
	uint32_t socket;
	uint32_t domain;
	uint32_t die;
	int32_t cpu;
	uint32_t instance;
	char box[UCORE_NAME_LEN + 12];
	char *device;
	uint64_t count;
	uint64_t enabled;
	uint64_t running;
	uint64_t possible;
	bool missed;
	uint32_t flags;
	uint32_t nr_boxes;
	uint32_t max_boxes;
	uint32_t nr_dead;
};

struct traffic;

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
	/* columns of metrics, in CSV and JSON only; tables show metrics in the columns of counts */
	COLUMN_VALUE = NR_COUNT_COLUMNS,
	COLUMN_UNIT,
	COLUMN_METRIC,
	NR_COLUMNS,
};

#define MAX_SOCKETS	64	/* maximum number of sockets whose NUMA node is known */

/* Maximum number of columns, with time and device, which follow the columns with fixed positions */
#define MAX_COLUMNS	(NR_COLUMNS + 2)

/**
 * struct stat_run - state of one run of stat
 * @count: device and session
 * @out: output stream and format
 * @path: path of the output file (-o), NULL: standard output
 * @grouping: set of boxes whose values are added up
 * @nr_readers: number of CPUs of each die that read the die's counters
 * @series: true if stat prints at intervals (-I), false if only at the end
 * @devices: true if the output has a column of devices (--per-device)
 * @by_node: true if sockets are shown as NUMA nodes (--per-node)
 * @nodes: NUMA node of each socket with --per-node, -1: unknown
 * @columns: columns of the output
 * @rows: output rows of counts
 * @nr_rows: number of rows
 * @nr_events: number of events of -e, which are the first events of the session
 * @row_of: for each event on a box, the index of the row to which its count is added
 * @delta: counts since the previous READ
 * @metrics: metrics, NULL: none
 * @missing: boxes and metrics that are not counted
 * @traffic: traffic of the PCI devices (--per-device without events), NULL: other output
 * @gone: for each event on a box, true if the box did not respond at the last READ
 * @lost: true if a box did not count for some time
 * @prefix: beginning of messages on standard error
 * @reads: number of READs
 * @time: time since the start, the longest enabled time of all domains (ns)
 * @real: wall-clock time of the last READ (ns)
 * @real_text: @real as text
 * @real_buffer: memory of @real_text
 * @max_skew: largest skew of a READ (ns)
 */
struct stat_run {
	struct count count;
	struct out out;
	const char *path;
	enum grouping grouping;
	uint32_t nr_readers;
	bool series;
	bool devices;
	bool by_node;
	int nodes[MAX_SOCKETS];
	struct column columns[MAX_COLUMNS];
	struct stat_row *rows;
	size_t nr_rows;
	uint32_t nr_events;
	size_t *row_of;
	struct ucore_delta *delta;
	struct ucore_metrics *metrics;
	struct missing missing;
	struct traffic *traffic;
	bool *gone;
	bool lost;
	char prefix[32];
	uint64_t reads;
	uint64_t time;
	uint64_t real;
	const char *real_text;
	char real_buffer[CLOCK_LEN];
	uint64_t max_skew;
};

/** stat_rows_make() - create the rows of the events of -e; return 0 or -ENOMEM */
int stat_rows_make(struct stat_run *stat);

/**
 * stat_rows_devices() - fill the column of --per-device, the devices that each box connects to
 *
 * Return: 0 or the exit code.
 */
int stat_rows_devices(struct tool *tool, struct stat_run *stat, const char *root);

/**
 * stat_nodes_read() - read the NUMA node of each socket from sysfs below @root (NULL: /)
 * @nodes: receives the node of each of MAX_SOCKETS sockets, -1 without a CPU
 *
 * Return: 0, or the exit code if a socket is not one node.
 */
int stat_nodes_read(struct tool *tool, const char *root, int *nodes);

/** stat_rows_update() - set the rows to the sums of the counts since the previous READ */
void stat_rows_update(struct stat_run *stat, const struct ucore_snapshot *snap);

/**
 * stat_gone_make() - list what is not counted, and report it on standard error if necessary
 *
 * Return: 0, or the exit code: with --strict it is an error if anything is missing.
 */
int stat_gone_make(struct tool *tool, struct stat_run *stat);

/** stat_missing_print() - print what was not counted from the start on, after the header line */
void stat_missing_print(struct stat_run *stat);

/** stat_gone_print() - report the boxes that did not respond at the last READ, or respond again */
void stat_gone_print(struct stat_run *stat);

/** stat_gone_free() - free the lists */
void stat_gone_free(struct stat_run *stat);

/** stat_nr_columns() - return the number of columns before the wall-clock time and the device */
size_t stat_nr_columns(const struct stat_run *stat);

/** stat_row_out() - print a row of cells, and the wall-clock time */
void stat_row_out(struct stat_run *stat, struct cell *cells);

/** stat_rows_free() - free the rows */
void stat_rows_free(struct stat_run *stat);

/** stat_interval_print() - read all counters and print the rows; return 0 or the exit code */
int stat_interval_print(struct tool *tool, struct stat_run *stat, uint32_t flags);

/** stat_summary_print() - print the summary of time, cost and skew; return 0 or the exit code */
int stat_summary_print(struct tool *tool, struct stat_run *stat);

/* ---- traffic of PCI devices (traffic.c) ---------------------------------- */

/**
 * traffic_open() - add the events that count the traffic of all PCI devices to the session
 * @root: folder that contains sys and usr, NULL: /
 *
 * Return: 0, EXIT_FULL if the events need rotation, or another exit code.
 */
int traffic_open(struct tool *tool, struct stat_run *stat, const char *root);

/** traffic_close() - free the rows; stat->traffic is NULL afterwards */
void traffic_close(struct stat_run *stat);

/** traffic_head() - print the header line */
void traffic_head(struct stat_run *stat);

/** traffic_print() - print a row for each port with devices, from the deltas of stat */
void traffic_print(struct stat_run *stat);

#endif /* UCORETOOL_STAT_H */
