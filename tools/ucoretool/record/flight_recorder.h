/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The flight recorder: the last samples are kept in memory, and written when something
 * happens.
 */
#ifndef UCORETOOL_FLIGHT_H
#define UCORETOOL_FLIGHT_H

#include "record/history.h"
#include "metric_options.h"
#include "tool.h"

#define FLIGHT_LIMIT	(256U << 20)	/* bytes that are kept */
#define FLIGHT_NAME	"ucore-%t.data"

/**
 * struct flight_args - what was asked for
 * @keep_ns: how long samples are kept; 0: there is no flight recorder
 * @limit: bytes that they may take
 * @when: the condition, or NULL
 * @after_ns: how long to go on when it has come true
 * @level: UCORE_LEVEL_* that it is about: all sockets, or any socket or box
 * @metric: what the condition is about: the name of a metric, or a definition
 * @compared: where in @when the comparison stands
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

/** flight_keep() - take the value of --keep: "30s", "30s,64M" */
int flight_keep(struct tool *tool, struct flight_args *args, const char *value);

/** flight_when() - take the value of --when: "METRIC>NUMBER" */
int flight_when(struct tool *tool, struct flight_args *args, const char *value);

/** flight_finish() - is what was asked for whole? @path: of the files, or NULL */
int flight_finish(struct tool *tool, const struct flight_args *args, const char *path);

/**
 * struct flight - a flight recorder
 * @args: what was asked for
 * @path: pattern of its files' names
 * @dev: the device
 * @session: the session
 * @config: the session's
 * @metrics: attached to the session; NULL without a condition
 * @keep: the records
 * @start: when counting started
 * @above: the condition is true above @threshold, else below
 * @equal: and at it
 * @threshold: in the unit of the metric
 * @armed: the condition was not true when it was looked at last
 * @pending: it came true, and what comes after it is still to come
 * @event: when it came true, by CLOCK_MONOTONIC
 * @value: what the metric was then
 * @nr_files: files that were written
 * @written: samples in them
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
	bool armed;
	bool pending;
	uint64_t event;
	double value;
	unsigned int nr_files;
	uint64_t written;
};

/** flight_open() - make ready; the metrics are attached, counting has not begun */
int flight_open(struct tool *tool, struct flight *flight);

/** flight_take() - keep a record, and write a file if it is time to; 0 or the exit code */
int flight_take(struct tool *tool, struct flight *flight, uint32_t domain,
		const struct ucore_record *record);

/** flight_dump() - write what is kept, because somebody asked for it */
int flight_dump(struct tool *tool, struct flight *flight);

/** flight_end() - write what is pending; there are no more records */
int flight_end(struct tool *tool, struct flight *flight);

/** flight_close() - drop what is kept */
void flight_close(struct flight *flight);

#endif /* UCORETOOL_FLIGHT_H */
