/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The flight recorder keeps the last samples of a session in memory. It writes them to a file
 * when a condition becomes true, or on a signal.
 */
#ifndef UCORETOOL_RECORD_FLIGHT_RECORDER_H
#define UCORETOOL_RECORD_FLIGHT_RECORDER_H

#include "record/history.h"
#include "metric_options.h"
#include "tool.h"

#define FLIGHT_LIMIT	(256U << 20)	/* default memory limit for kept records (bytes) */
#define FLIGHT_NAME	"ucore-%t.data"

/**
 * struct flight_args - options of the flight recorder
 * @keep_ns: age up to which samples are kept (ns); 0: no flight recorder
 * @limit: memory limit (bytes)
 * @when: text of the condition, or NULL
 * @after_ns: time for which recording continues after the condition became true (ns)
 * @level: UCORE_LEVEL_* of the values that the condition tests
 * @metric: name or definition of the metric in the condition
 * @compared: position of the comparison operator in @when
 */
struct flight_args {
	uint64_t keep_ns;
	uint32_t limit;
	const char *when;
	uint64_t after_ns;
	uint32_t level;
	char metric[512];
	const char *compared;
};

/** flight_keep() - parse the value of --keep, time and memory limit: "30s", "30s,64M" */
int flight_keep(struct tool *tool, struct flight_args *args, const char *value);

/** flight_when() - parse the value of --when: "METRIC>NUMBER" */
int flight_when(struct tool *tool, struct flight_args *args, const char *value);

/**
 * flight_finish() - check that the options of the flight recorder are consistent
 * @path: pattern of the names of the files (-o), or NULL
 */
int flight_finish(struct tool *tool, const struct flight_args *args, const char *path);

/**
 * struct flight - state of the flight recorder
 * @args: options
 * @path: pattern of the files' names
 * @dev: the device
 * @session: the session
 * @config: configuration of @session
 * @metrics: metrics attached to @session; NULL without a condition
 * @keep: the kept records
 * @start: start of counting (CLOCK_MONOTONIC, ns)
 * @above: operator of the condition: true for > and >=, false for < and <=
 * @equal: operator of the condition: true for >= and <=
 * @threshold: number in the condition, in the unit of the metric
 * @first: value that was computed first, NULL: none yet
 * @started: true after the first value of each socket with samples
 * @true_at_start: true if the condition was true for one of these first values
 * @armed: true if the condition was false at the last evaluation, so that it can become true
 * @pending: true from the time at which the condition became true until the file is written
 * @event: time at which the condition became true (CLOCK_MONOTONIC, ns)
 * @value: value of the metric at @event
 * @nr_files: number of written files
 * @written: number of samples in the written files
 */
struct flight {
	const struct flight_args *args;
	const char *path;
	struct ucore_device *dev;
	struct ucore_session *session;
	const struct ucore_session_config *config;
	struct ucore_metrics *metrics;
	struct keep keep;
	uint64_t start;
	bool above;
	bool equal;
	double threshold;
	const struct ucore_metric_value *first;
	bool started;
	bool true_at_start;
	bool armed;
	bool pending;
	uint64_t event;
	double value;
	unsigned int nr_files;
	uint64_t written;
};

/** flight_open() - prepare the recorder, after the metrics are attached and before START */
int flight_open(struct tool *tool, struct flight *flight);

/** flight_add() - keep a record, and write a file if one is due; return 0 or the exit code */
int flight_add(struct tool *tool, struct flight *flight, uint32_t domain,
	       const struct ucore_record *record);

/** flight_dump() - write the kept records to a file now */
int flight_dump(struct tool *tool, struct flight *flight);

/** flight_end() - write the pending file, if any, after the last record of the session */
int flight_end(struct tool *tool, struct flight *flight);

/** flight_close() - free the kept records */
void flight_close(struct flight *flight);

#endif /* UCORETOOL_RECORD_FLIGHT_RECORDER_H */
