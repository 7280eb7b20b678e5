/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * record --core-event: an event of cores, and the threads or CPUs that it is counted for.
 */
#ifndef UCORETOOL_CORE_EVENT_H
#define UCORETOOL_CORE_EVENT_H

#include "count_options.h"

/**
 * struct core_args - what was asked for
 * @name: the event, as perf calls it; NULL: none
 * @event: the same, for the driver
 * @period: a sample every so many counts
 * @pids: processes, all of whose threads count
 * @nr_pids: how many there are
 * @cpus: CPUs
 * @nr_cpus: how many there are
 */
struct core_args {
	const char *name;
	struct ucore_core_event event;
	uint64_t period;
	uint32_t pids[MAX_CPUS];
	unsigned int nr_pids;
	uint32_t cpus[MAX_CPUS];
	unsigned int nr_cpus;
};

/** core_event_option() - take --core-event or -p */
int core_event_option(struct tool *tool, struct core_args *args, int letter, const char *value);

/** core_event_finish() - -c and -C are about the core event where there is one */
int core_event_finish(struct tool *tool, struct core_args *args, struct count_args *count,
		      struct count_triggers *triggers);

/** core_event_add() - tell the session, which is about to start, of the program, too, if any */
int core_event_add(struct tool *tool, const struct core_args *args, struct count *count,
		   const struct wait *wait);

#endif /* UCORETOOL_CORE_EVENT_H */
