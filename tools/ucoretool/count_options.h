/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What stat and record have in common: options, device, session, start; top has their session.
 */
#ifndef UCORETOOL_COUNT_H
#define UCORETOOL_COUNT_H

#include "tool.h"
#include "event_loop.h"

#define MAX_CPUS	64
#define MAX_LISTS	64

/**
 * struct count_args - the options that stat and record share
 * @lists: the arguments of -e
 * @nr_lists: how many there are
 * @nr_others: what else brings events, so that there need be no -e
 * @cpus: the PMI cores
 * @nr_cpus: how many there are
 * @delay_ns: how long to wait before counting
 * @timeout_ns: how long to count; 0: until the command ends or a signal comes
 * @flags: UCORE_SESSION_* asked for
 * @nr_readers: so many CPUs of each die read its counters
 * @may_rotate: events that do not fit are no error but EXIT_FULL, of which nothing is said
 * @command: the command to run, NULL-terminated, or NULL
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
	char **command;
};

extern const struct option_desc count_options[];

/** count_option() - take an option if it is one of count_options, and say in @taken whether */
int count_option(struct tool *tool, struct count_args *args, int letter, const char *value,
		 bool *taken);

/** count_finish() - take the command, and check that there are events */
int count_finish(struct tool *tool, struct count_args *args, int argc, char **argv);

/**
 * struct count - a device and a session made from count_args
 * @may_rotate: as in count_args, unless it does
 * @rotates: events take turns
 */
struct count {
	struct ucore_device *dev;
	struct ucore_session *session;
	bool may_rotate;
	bool rotates;
};

/**
 * struct count_triggers - the periods of events
 * @period: the period of the first event, or 0
 * @others: something else ends intervals, too
 * @interrupt: refuse events whose periods could only be polled
 */
struct count_triggers {
	uint64_t period;
	bool others;
	bool interrupt;
};

/**
 * count_open() - open the device, make the session, add the events, set the PMI cores
 * @config: a session with rings needs a trigger, one without takes none
 * @triggers: what is to be done with periods, NULL for a session without samples
 */
int count_open(struct tool *tool, const struct count_args *args,
	       const struct ucore_session_config *config, const struct count_triggers *triggers,
	       struct count *count);

/** count_close() - give back what count_open() made */
void count_close(struct count *count);

/** count_start() - after the delay, start the session and let the command run */
int count_start(struct tool *tool, const struct count_args *args, struct count *count,
		struct wait *wait);

#endif /* UCORETOOL_COUNT_H */
