// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * record --core-event: an event of cores, and the threads or CPUs that it is counted for.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core_event.h"

static int pids_option(struct tool *tool, struct core_args *args, const char *value)
{
	char text[16];
	uint64_t pid;
	int ret;

	for (;;) {
		size_t length = strcspn(value, ",");

		if (args->nr_pids == MAX_CPUS)
			return tool_usage(tool, "more than %d processes", MAX_CPUS);
		snprintf(text, sizeof(text), "%.*s", (int)length, value);
		ret = parse_u64(tool, "process", text, 1, INT32_MAX, &pid);
		if (ret)
			return ret;
		args->pids[args->nr_pids++] = (uint32_t)pid;
		if (!value[length])
			return 0;
		value += length + 1;
	}
}

int core_event_option(struct tool *tool, struct core_args *args, int letter, const char *value)
{
	int ret;

	if (letter == 'p')
		return pids_option(tool, args, value);
	args->name = value;
	ret = ucore_core_event_find(value, &args->event, &tool->err);
	if (!ret)
		return 0;
	tool_fail(tool, ret);
	return EXIT_USAGE;
}

int core_event_finish(struct tool *tool, struct core_args *args, struct count_args *count,
		      struct count_triggers *triggers)
{
	if (!args->name && args->nr_pids)
		return tool_usage(tool, "-p says for whom --core-event counts: give that, too");
	if (!args->name)
		return 0;
	if (!triggers->period)
		return tool_usage(tool, "--core-event %s: give -c N: a sample every so many",
				  args->name);
	if (args->nr_pids && count->nr_cpus)
		return tool_usage(tool, "-p and -C: one of them");
	if (!args->nr_pids && !count->nr_cpus && !count->command)
		return tool_usage(tool, "--core-event %s: of whom? Give -p PID, -C CPU, or a program",
				  args->name);
	args->period = triggers->period;
	triggers->period = 0;
	triggers->others = true;
	memcpy(args->cpus, count->cpus, sizeof(args->cpus));
	args->nr_cpus = count->nr_cpus;
	count->nr_cpus = 0;
	return 0;
}

static int target_add(struct tool *tool, const struct core_args *args, struct count *count,
		      const struct ucore_core_target *target)
{
	return ucore_session_core_trigger(count->session, &args->event, args->period, target,
					  &tool->err);
}

/* A thread that has ended meanwhile is none */
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
				  "there is none" : strerror(errno));
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
	return added ? 0 : tool_error(tool, "process %u: it has ended", pid);
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
	/* the program, which waits to begin */
	return process_add(tool, args, count, (uint32_t)wait->child);
}
