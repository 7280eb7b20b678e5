// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The options --core-event, -p and -C of record: a core event, counted by the kernel's perf, whose
 * overflows trigger samples.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "record/core_event.h"

int core_event_option(struct tool *tool, struct core_args *args, int letter, const char *value)
{
	int ret;

	if (letter == 'p')
		return parse_list(tool, "process", value, 1, args->pids, &args->nr_pids, MAX_CPUS);
	if (letter == 'C')
		return parse_list(tool, "CPU", value, 0, args->cpus, &args->nr_cpus, MAX_CPUS);
	args->name = value;
	ret = ucore_core_event_find(value, &args->event, &tool->err);
	if (!ret)
		return 0;
	tool_fail(tool, ret);
	return EXIT_USAGE;
}

int core_event_finish(struct tool *tool, struct core_args *args,
		      const struct count_args *count, struct count_triggers *triggers)
{
	if (!args->name && args->nr_pids)
		return tool_usage(tool, "-p: chooses processes for --core-event. Add --core-event NAME");
	if (!args->name && args->nr_cpus)
		return tool_usage(tool, "-C: chooses CPUs for --core-event. Add --core-event NAME, or choose the CPUs that take the PMI with --pmi-cpus");
	if (!args->name)
		return 0;
	if (!triggers->period)
		return tool_usage(tool, "--core-event %s: no period. Add -c N", args->name);
	if (!args->nr_pids && !args->nr_cpus && !count->command)
		return tool_usage(tool, "--core-event %s: nothing to count it on. Add -p PID, -C CPU, or a program",
				  args->name);
	args->period = triggers->period;
	triggers->period = 0;
	triggers->others = true;
	return 0;
}

static int target_add(struct tool *tool, const struct core_args *args, struct count *count,
		      const struct ucore_core_target *target)
{
	return ucore_session_core_trigger(count->session, &args->event, args->period, target,
					  &tool->err);
}

/* Count the core event on all threads of a process; skip threads that exit during the loop */
static int process_add(struct tool *tool, const struct core_args *args, struct count *count,
		       uint32_t pid)
{
	const struct dirent *entry;
	unsigned int added = 0;
	char path[32];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return tool_error(tool, "process %u: %s", pid, errno == ENOENT ?
				  "does not exist" : strerror(errno));
	while (!ret && (entry = readdir(dir))) {
		const struct ucore_core_target target = { .tid = (uint32_t)atoi(entry->d_name) };

		if (!target.tid)
			continue;
		ret = target_add(tool, args, count, &target);
		added += !ret;
		if (ret == -ESRCH)
			ret = 0;
	}
	closedir(dir);
	if (ret)
		return tool_fail(tool, ret);
	return added ? 0 : tool_error(tool, "process %u: has exited", pid);
}

int core_event_add(struct tool *tool, const struct core_args *args, struct count *count,
		   const struct wait *wait)
{
	int ret = 0;

	if (!args->name)
		return 0;
	for (unsigned int i = 0; i < args->nr_pids && !ret; i++)
		ret = process_add(tool, args, count, args->pids[i]);
	for (unsigned int i = 0; i < args->nr_cpus && !ret; i++) {
		const struct ucore_core_target target = { .cpu = args->cpus[i] };

		ret = target_add(tool, args, count, &target);
		if (ret)
			tool_fail(tool, ret);
	}
	if (ret || args->nr_pids || args->nr_cpus)
		return ret ? EXIT_FAILURE : 0;
	/* trigger on the threads of the measured program, which is forked and waits for exec */
	return process_add(tool, args, count, (uint32_t)wait->child);
}
