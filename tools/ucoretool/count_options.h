/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options, device and session of the commands stat and record.  The command top uses the device
 * and the session only.
 */
#ifndef UCORETOOL_COUNT_OPTIONS_H
#define UCORETOOL_COUNT_OPTIONS_H

#include "tool.h"
#include "event_loop.h"

#define MAX_CPUS	64
#define MAX_LISTS	64

/**
 * struct count_args - parsed options of stat and record
 * @lists: arguments of -e
 * @nr_lists: number of arguments of -e
 * @nr_others: number of options other than -e that add events; with one of them -e is optional
 * @cpus: CPUs that take the PMI
 * @nr_cpus: number of CPUs that take the PMI
 * @delay_ns: time from the start of the program to the start of counting (ns)
 * @timeout_ns: duration of counting (ns), 0: until the program exits or a signal arrives
 * @flags: UCORE_SESSION_F_*
 * @nr_readers: number of CPUs of each die that read the die's counters
 * @may_rotate: true if the caller retries with rotation: too few counters give EXIT_FULL and no
 *              error message
 * @strict: true if it is an error that a box or a metric cannot be counted
 * @command: program to run with its arguments, NULL-terminated, or NULL
 */
struct count_args {
	const char *lists[MAX_LISTS];
	unsigned int nr_lists;
	unsigned int nr_others;
	uint32_t cpus[MAX_CPUS];
	unsigned int nr_cpus;
	uint64_t delay_ns;
	uint64_t timeout_ns;
	uint32_t flags;
	uint32_t nr_readers;
	bool may_rotate;
	bool strict;
	char **command;
};

extern const struct option_desc count_options[];

/**
 * count_option() - parse an option of count_options
 * @taken: set to true if @letter is one of these options
 *
 * Return: 0 or the exit code.
 */
int count_option(struct tool *tool, struct count_args *args, int letter, const char *value,
		 bool *taken);

/** count_finish() - store the program to run, and check that at least one option adds events */
int count_finish(struct tool *tool, struct count_args *args, int argc, char **argv);

/**
 * struct count - a device and a session created from count_args
 * @dev: open device
 * @session: session with the events
 * @may_rotate: count_args.may_rotate, but false if the session rotates already
 * @strict: count_args.strict
 * @rotates: true if groups of events share counters in time slices
 */
struct count {
	struct ucore_device *dev;
	struct ucore_session *session;
	bool may_rotate;
	bool strict;
	bool rotates;
};

/**
 * struct count_triggers - triggers of samples that the user chose
 * @period: period of the first event in counts (-c), or 0
 * @others: true if the session has a trigger other than periods, such as a core event
 * @interrupt: true if events whose periods would be polled are refused
 */
struct count_triggers {
	uint64_t period;
	bool others;
	bool interrupt;
};

/**
 * count_open() - open the device, create the session, add the events, set the PMI CPUs
 * @tool: the tool
 * @args: parsed options
 * @config: parameters of the session
 * @triggers: triggers of samples, NULL: a session without samples
 * @count: initialized on success
 *
 * Return: 0 or the exit code.
 */
int count_open(struct tool *tool, const struct count_args *args,
	       const struct ucore_session_config *config, const struct count_triggers *triggers,
	       struct count *count);

/** count_close() - destroy the session and close the device */
void count_close(struct count *count);

/**
 * count_start() - start the session, then the program
 *
 * With @args->delay_ns the program starts first, and the session starts after the delay.
 * Return: 0 or the exit code.
 */
int count_start(struct tool *tool, const struct count_args *args, struct count *count,
		struct wait *wait);

#endif /* UCORETOOL_COUNT_OPTIONS_H */
