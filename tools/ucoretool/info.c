// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool info: the machine, the driver, the dies; for root, where the boxes
 * are.  Changes nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "tool.h"

struct info_args {
	bool discovery;
	struct out out;
};

static const struct option_desc info_options[] = {
	{ OPT_DISCOVERY, "discovery", NULL, "discovery tables, decoded: for a bug report" },
	{ 'j', "json", NULL, "one JSON object" },
	{ 0 },
};

static int info_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct info_args *args = data;

	(void)tool;
	(void)value;
	if (letter == OPT_DISCOVERY)
		args->discovery = true;
	else
		args->out.format = OUT_JSON;
	return 0;
}

static int info_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct info_args *args = data;

	args->out.stream = stdout;
	return argc ? tool_usage(tool, "'%s' is one word too many", argv[0]) : 0;
}

static const char *state_name(uint32_t state)
{
	static const char *const names[] = {
		[UCORE_STATE_READY] = "ready",
		[UCORE_STATE_NOT_INTEL] = "not an Intel processor",
		[UCORE_STATE_UNKNOWN] = "unknown processor",
		[UCORE_STATE_HIDDEN] = "boxes hidden",
		[UCORE_STATE_INTREE] = "held by intel_uncore",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

static void location_text(const struct ucore_box_info *box, char *text, size_t size)
{
	char where[48];

	place_text(box->access, box->location, where, sizeof(where));
	snprintf(text, size, "%s %s", access_name(box->access), where);
}

static bool locations_known(const struct ucore_box_info *boxes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (boxes[i].location)
			return true;
	return false;
}

/* ---- for people -------------------------------------------------------- */

/* What the platform can do, in words */
static void caps_text(uint32_t caps, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s",
		 caps & UCORE_CAP_GLOBAL_FREEZE ? "freeze a die at once, " : "",
		 caps & UCORE_CAP_OVERFLOW_PMI ? "interrupt at an overflow" :
						 "sample by a timer only",
		 caps & UCORE_CAP_DISCOVERY ? ", discover boxes from firmware's tables" : "");
}

static void info_machine(const struct ucore_info *info)
{
	char caps[192];

	caps_text(info->caps, caps, sizeof(caps));
	printf("state      %s\n", state_name(info->state));
	if (*info->reason)
		printf("reason     %s\n", info->reason);
	printf("platform   %s\n", *info->platform ? info->platform : "unknown");
	printf("processor  family %u, model %u (0x%x), stepping %u\n", info->family, info->model,
	       info->model, info->stepping);
	printf("driver     ABI %u\n", info->abi);
	printf("can        %s\n", caps);
	printf("boxes      %u on %u dies, %u counters\n", info->nr_boxes, info->nr_domains,
	       info->nr_counters);
}

static void info_dies(const struct ucore_device *dev)
{
	static const struct column columns[] = {
		{ "die", "DIE", 3 },
		{ "socket", "SOCKET", 6 },
		{ "reader", "READER", 6 },
		{ "boxes", "BOXES", 5 },
		{ "counters", "COUNTERS", 8 },
		{ "sessions", "SESSIONS", 8 },
		{ "pmis", "PMIS", 10 },
		{ "recovered", "RECOVERED", 9 },
		{ "throttled", "THROTTLED", 9 },
		{ "frozen_ns", "FROZEN (s)", 14 },
	};
	struct out out = { .stream = stdout };
	const struct ucore_domain_info *dies;
	size_t nr;

	dies = ucore_device_dies(dev, &nr);
	if (!nr)
		return;
	putchar('\n');
	out_head(&out, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < nr; i++) {
		const struct cell cells[] = {
			cell_number(dies[i].die),
			cell_number(dies[i].package),
			dies[i].reader < 0 ? cell_text("none") :
					     cell_number((uint32_t)dies[i].reader),
			cell_number(dies[i].nr_boxes),
			cell_number(dies[i].nr_counters),
			cell_number(dies[i].nr_sessions),
			cell_count(dies[i].pmis),
			cell_count(dies[i].recovered),
			cell_count(dies[i].throttled),
			cell_ns(dies[i].frozen_ns),
		};
		out_row(&out, columns, ARRAY_SIZE(cells), cells);
	}
}

static void info_locations(const struct ucore_device *dev)
{
	const struct ucore_box_info *boxes;
	size_t nr;

	boxes = ucore_device_boxes(dev, &nr);
	if (!locations_known(boxes, nr))
		return;
	printf("\nbox control registers:\n");
	for (size_t i = 0; i < nr; i++) {
		char name[32], where[64];

		snprintf(name, sizeof(name), "%s%u", boxes[i].type, boxes[i].instance);
		location_text(&boxes[i], where, sizeof(where));
		printf("  die %-3u %-8s %s\n", boxes[i].die, name, where);
	}
}

/* ---- for programs ------------------------------------------------------ */

static void json_dies(struct out *out, const struct ucore_device *dev)
{
	const struct ucore_domain_info *dies;
	size_t nr;

	dies = ucore_device_dies(dev, &nr);
	json_begin(out, "dies", '[');
	for (size_t i = 0; i < nr; i++) {
		json_begin(out, NULL, '{');
		json_number(out, "die", dies[i].die);
		json_number(out, "socket", dies[i].package);
		if (dies[i].reader >= 0)
			json_number(out, "reader", (uint32_t)dies[i].reader);
		json_number(out, "boxes", dies[i].nr_boxes);
		json_number(out, "counters", dies[i].nr_counters);
		json_number(out, "sessions", dies[i].nr_sessions);
		json_number(out, "pmis", dies[i].pmis);
		json_number(out, "recovered", dies[i].recovered);
		json_number(out, "throttled", dies[i].throttled);
		json_number(out, "frozen_ns", dies[i].frozen_ns);
		json_end(out, '}');
	}
	json_end(out, ']');
}

static void json_locations(struct out *out, const struct ucore_device *dev)
{
	const struct ucore_box_info *boxes;
	size_t nr;

	boxes = ucore_device_boxes(dev, &nr);
	if (!locations_known(boxes, nr))
		return;
	json_begin(out, "locations", '[');
	for (size_t i = 0; i < nr; i++) {
		char where[64];

		location_text(&boxes[i], where, sizeof(where));
		json_begin(out, NULL, '{');
		json_number(out, "die", boxes[i].die);
		json_text(out, "type", boxes[i].type);
		json_number(out, "instance", boxes[i].instance);
		json_text(out, "location", where);
		json_end(out, '}');
	}
	json_end(out, ']');
}

static void info_json(const struct info_args *args, const struct ucore_device *dev)
{
	const struct ucore_info *info = ucore_device_info(dev);
	struct out out = args->out;

	json_begin(&out, NULL, '{');
	json_text(&out, "state", state_name(info->state));
	json_text(&out, "reason", info->reason);
	json_text(&out, "platform", info->platform);
	json_number(&out, "family", info->family);
	json_number(&out, "model", info->model);
	json_number(&out, "stepping", info->stepping);
	json_number(&out, "abi", info->abi);
	json_number(&out, "global_freeze", !!(info->caps & UCORE_CAP_GLOBAL_FREEZE));
	json_number(&out, "overflow_pmi", !!(info->caps & UCORE_CAP_OVERFLOW_PMI));
	json_number(&out, "discovery", !!(info->caps & UCORE_CAP_DISCOVERY));
	json_number(&out, "boxes", info->nr_boxes);
	json_number(&out, "counters", info->nr_counters);
	json_dies(&out, dev);
	json_locations(&out, dev);
	json_end(&out, '}');
	putchar('\n');
}

static int info_run(struct tool *tool, const void *data)
{
	const struct info_args *args = data;
	struct ucore_device *dev;
	int ret = ucore_device_open(tool->device, tool->sys, &dev, &tool->err);

	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	if (args->discovery) {
		ret = discovery_dump(tool, dev, args->out.format == OUT_JSON);
	} else if (args->out.format == OUT_JSON) {
		info_json(args, dev);
	} else {
		info_machine(ucore_device_info(dev));
		info_dies(dev);
		info_locations(dev);
	}
	ucore_device_close(dev);
	return ret;
}

const struct command command_info = {
	.name = "info",
	.summary = "the machine, the driver and the dies",
	.options = info_options,
	.args_size = sizeof(struct info_args),
	.option = info_option,
	.finish = info_finish,
	.run = info_run,
};
