/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options --core-event, -p and -C of record: a core event, counted by the kernel's perf, whose
 * overflows trigger samples.
 */
#ifndef UCORETOOL_CORE_EVENT_H
#define UCORETOOL_CORE_EVENT_H

#include "count_options.h"

/**
 * struct core_args - parsed options of the core event
 * @name: perf's name of the event, NULL: no core event
 * @event: type and number of the event, as for ADD_CORE_TRIGGER
 * @period: counts of the event between two samples
 * @pids: processes whose threads are counted
 * @nr_pids: number of processes
 * @cpus: CPUs on which the event is counted
 * @nr_cpus: number of CPUs
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

/** core_event_option() - parse --core-event, -p or -C; return 0 or the exit code */
int core_event_option(struct tool *tool, struct core_args *args, int letter, const char *value);

/** core_event_finish() - check the options, and use the period of -c for the core event */
int core_event_finish(struct tool *tool, struct core_args *args,
		      const struct count_args *count, struct count_triggers *triggers);

/** core_event_add() - add the core event to a session that is not started yet */
int core_event_add(struct tool *tool, const struct core_args *args, struct count *count,
		   const struct wait *wait);

#endif /* UCORETOOL_CORE_EVENT_H */
