// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool revoke: stops sessions of other processes and releases their resources.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "tool.h"

struct revoke_args {
	char **ids;
	int nr;
};

static const struct option_desc revoke_options[] = {
	{ 0 },
};

static int revoke_option(struct tool *tool, void *data, int letter, const char *value)
{
	(void)tool;
	(void)data;
	(void)letter;
	(void)value;
	return 0;
}

static int revoke_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct revoke_args *args = data;
	int ret = 0;

	if (!argc)
		return tool_usage(tool, "no session. 'ucoretool doctor' lists the sessions with their numbers");
	for (int i = 0; i < argc && !ret; i++) {
		uint64_t id;

		ret = parse_u64(tool, "session", argv[i], 1, UINT64_MAX, &id);
	}
	args->ids = argv;
	args->nr = argc;
	return ret;
}

static int revoke_run(struct tool *tool, const void *data)
{
	const struct revoke_args *args = data;
	struct ucore_device *dev;
	int ret = ucore_device_open(tool->device, tool->sys, &dev, &tool->err);

	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	for (int i = 0; i < args->nr && !ret; i++) {
		ret = ucore_device_revoke(dev, strtoull(args->ids[i], NULL, 0), &tool->err);
		if (!ret)
			printf("session %s revoked\n", args->ids[i]);
	}
	ucore_device_close(dev);
	return ret ? tool_fail(tool, ret) : 0;
}

const struct command command_revoke = {
	.name = "revoke",
	.operands = "SESSION...",
	.summary = "stop another process's session and release its counters",
	.options = { revoke_options },
	.args_size = sizeof(struct revoke_args),
	.option = revoke_option,
	.finish = revoke_finish,
	.run = revoke_run,
};
