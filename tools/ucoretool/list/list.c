// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool list: prints boxes, event names, metrics or event fields.  Modifies nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "discovery_dump.h"
#include "links.h"
#include "list/list.h"

static const struct option_desc list_options[] = {
	{ 'v', "all", NULL, "print each box on its own line; describe each event or metric" },
	{ OPT_REJECTED, "rejected", NULL,
	  "print rejected units of the discovery tables, and the reason",
	  .only = ONLY_LISTING },
	{ OPT_TOPOLOGY, "topology", NULL, "print what IIO stacks and links between sockets are connected to",
	  .only = ONLY_LISTING },
	{ OPT_ROOT, "root", "DIR", "read the PCI devices and their names below DIR" },
	{ OPT_PLATFORM, "platform", "NAME",
	  "print events or metrics of another platform (spr, gnr)" },
	{ 0 },
};

static int platform_option(struct tool *tool, struct list_args *args, const char *value)
{
	const struct ucore_platform *platform;
	char names[512] = "";
	size_t at = 0;

	args->platform = ucore_platform_find(value);
	if (args->platform)
		return 0;
	for (size_t i = 0; at < sizeof(names) && (platform = ucore_platform_at(i)); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, " %s",
				       ucore_platform_name(platform));
	return tool_usage(tool, "platform '%s': unknown. Use one of%s", value, names);
}

static int list_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct list_args *args = data;
	bool taken;

	switch (letter) {
	case 'v':
		args->all = true;
		return 0;
	case OPT_REJECTED:
		args->rejected = true;
		return 0;
	case OPT_TOPOLOGY:
		args->topology = true;
		return 0;
	case OPT_ROOT:
		args->root = value;
		return 0;
	case OPT_PLATFORM:
		return platform_option(tool, args, value);
	default:
		return output_option(tool, &args->output, letter, value, &taken);
	}
}

static int list_unknown(struct tool *tool, const char *what)
{
	static const char *const names[] = { "boxes", "events", "fields", "metrics" };
	const char *similar = ucore_name_similar(what, names, ARRAY_SIZE(names));

	if (similar)
		return tool_usage(tool, "'%s': not a list (did you mean '%s'?)", what, similar);
	return tool_usage(tool, "'%s': not a list. Use boxes, events, metrics or fields, and then a pattern",
			  what);
}

static int list_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct list_args *args = data;
	const char *what = argc ? argv[0] : "boxes";

	args->output.out.stream = stdout;
	if (!strcmp(what, "boxes"))
		args->what = LIST_BOXES;
	else if (!strcmp(what, "events"))
		args->what = LIST_EVENTS;
	else if (!strcmp(what, "fields"))
		args->what = LIST_FIELDS;
	else if (!strcmp(what, "metrics"))
		args->what = LIST_METRICS;
	else
		return list_unknown(tool, what);
	if (argc > 2)
		return tool_usage(tool, "unexpected argument '%s'", argv[2]);
	if (args->what != LIST_BOXES && (args->rejected || args->topology))
		return tool_usage(tool, "--%s: only for boxes, not for %s",
				  args->rejected ? "rejected" : "topology", what);
	if (args->root && !args->topology)
		return tool_usage(tool, "--root: needs --topology");
	if (args->what == LIST_FIELDS && args->all)
		return tool_usage(tool, "--all: only for boxes, events and metrics, not for %s",
				  what);
	if (args->platform && args->what != LIST_EVENTS && args->what != LIST_METRICS)
		return tool_usage(tool, "--platform: only for events and metrics, not for %s",
				  what);
	if (argc == 2)
		args->pattern = argv[1];
	return 0;
}

/* ---- run --------------------------------------------------------------- */

static int list_device(struct tool *tool, struct ucore_device *dev, const struct list_args *args)
{
	const struct ucore_platform *platforms[UCORE_DEVICE_PLATFORMS];
	bool names = false;

	if (args->rejected)
		return discovery_rejected(tool, dev, &args->output.out, args->pattern);
	if (args->topology)
		return links_list(tool, dev, &args->output.out, args->pattern, args->root);
	if (args->what == LIST_BOXES)
		return list_boxes(tool, dev, args);
	if (args->what == LIST_FIELDS)
		return list_fields(tool, dev, args);
	if (args->what == LIST_METRICS)
		return list_metrics(tool, args, ucore_device_info(dev)->platform);
	for (size_t i = 0; i < ARRAY_SIZE(platforms); i++) {
		platforms[i] = ucore_device_platform(dev, i);
		names = names || platforms[i];
	}
	if (!names)
		return tool_error(tool, "this machine: no event names. List another platform with --platform NAME");
	return list_events(tool, args, platforms, ARRAY_SIZE(platforms));
}

static int list_run(struct tool *tool, const void *data)
{
	const struct list_args *args = data;
	struct ucore_device *dev;
	int ret;

	if (args->what == LIST_EVENTS && args->platform)
		return list_events(tool, args, &args->platform, 1);
	if (args->what == LIST_METRICS && args->platform)
		return list_metrics(tool, args, ucore_platform_name(args->platform));
	ret = ucore_device_open(tool->device, tool->sys, &dev, &tool->err);
	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	ret = list_device(tool, dev, args);
	ucore_device_close(dev);
	return ret;
}

const struct command command_list = {
	.name = "list",
	.operands = "[boxes|events|metrics|fields] [PATTERN]",
	.summary = "list boxes of this machine, event names, metrics or event fields",
	.options = { list_options, output_options },
	.args_size = sizeof(struct list_args),
	.option = list_option,
	.finish = list_finish,
	.run = list_run,
};
