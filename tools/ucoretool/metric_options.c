// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The options -M and --metric-file, and the number of cores for the metrics' formulas.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "metric_options.h"

static int value_add(struct tool *tool, const char *value, const char **values, unsigned int *nr)
{
	if (*nr == MAX_METRICS)
		return tool_usage(tool,
				  "-M or --metric-file: given more than %d times. Use a list or one file",
				  MAX_METRICS);
	values[(*nr)++] = value;
	return 0;
}

int metric_option(struct tool *tool, struct metric_args *args, int letter, const char *value)
{
	if (letter == 'M')
		return value_add(tool, value, args->lists, &args->nr_lists);
	return value_add(tool, value, args->files, &args->nr_files);
}

int metric_finish(struct tool *tool, const struct metric_args *args)
{
	if (args->nr_files && !args->nr_lists)
		return tool_usage(tool, "--metric-file: only defines metrics. Choose the metrics with -M");
	return 0;
}

static int file_load(struct tool *tool, struct ucore_metrics *metrics, const char *path)
{
	FILE *stream = fopen(path, "re");
	int ret;

	if (!stream)
		return tool_error(tool, "%s: cannot open: %s", path, strerror(errno));
	ret = ucore_metrics_load(metrics, stream, path, &tool->err);
	fclose(stream);
	return ret ? tool_fail(tool, ret) : 0;
}

/* Return true if a metric was left out because too few counters were free */
static bool were_full(const struct ucore_metrics *metrics)
{
	int code;

	for (size_t i = 0; (code = ucore_metrics_left_out_error(metrics, i, NULL)); i++)
		if (code == -ENOSPC)
			return true;
	return false;
}

int metrics_open(struct tool *tool, const struct metric_args *args, struct ucore_device *dev,
		 struct ucore_session *session, unsigned int cores, uint32_t level,
		 bool may_rotate, struct ucore_metrics **metrics)
{
	int ret = ucore_metrics_create(dev, metrics, &tool->err);

	if (ret)
		return tool_fail(tool, ret);
	ucore_metrics_cores(*metrics, cores);
	for (unsigned int i = 0; i < args->nr_files; i++) {
		ret = file_load(tool, *metrics, args->files[i]);
		if (ret)
			return ret;
	}
	for (unsigned int i = 0; i < args->nr_lists && !ret; i++)
		ret = ucore_metrics_choose(*metrics, args->lists[i], &tool->err);
	if (!ret)
		ret = ucore_metrics_attach(*metrics, session, level, &tool->err);
	if (may_rotate && (ret == -ENOSPC || were_full(*metrics)))
		return EXIT_FULL;
	return ret ? tool_fail(tool, ret) : 0;
}

/* ---- topology of this machine ------------------------------------------ */

/* Read the number at the start of a file in a CPU's topology folder in sysfs; -1 on failure */
static int topology_read(long cpu, const char *what)
{
	char path[96];
	FILE *stream;
	int value = -1;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/topology/%s", cpu, what);
	stream = fopen(path, "re");
	if (!stream)
		return -1;
	if (fscanf(stream, "%d", &value) != 1)
		value = -1;
	fclose(stream);
	return value;
}

unsigned int socket_cores(void)
{
	unsigned int cores = 0, sockets = 0;
	uint64_t seen = 0;

	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		int socket = topology_read(cpu, "physical_package_id");

		/* count a core once, at its first hardware thread */
		cores += topology_read(cpu, "thread_siblings_list") == cpu;
		if (socket < 0 || socket >= 64 || seen & 1ULL << socket)
			continue;
		seen |= 1ULL << socket;
		sockets++;
	}
	return sockets ? cores / sockets : 0;
}
