/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lists of `ucoretool list`.  Each function prints one list and returns the exit code.
 */
#ifndef UCORETOOL_LIST_H
#define UCORETOOL_LIST_H

#include "output_options.h"
#include "tool.h"

/**
 * struct list_args - parsed arguments of list
 * @what: what to list: boxes, events, event fields or metrics
 * @pattern: pattern that listed elements match, NULL: list all elements
 * @platform: platform of --platform, NULL: this machine
 * @root: folder that contains sys and usr (--root), NULL: /
 * @all: --all: one row for each box; describe each event or metric
 * @rejected: --rejected: list rejected units of discovery tables
 * @topology: --topology: list connections of IIO stacks and UPI links
 * @output: output options
 */
struct list_args {
	enum { LIST_BOXES, LIST_EVENTS, LIST_FIELDS, LIST_METRICS } what;
	const char *pattern;
	const struct ucore_platform *platform;
	const char *root;
	bool all;
	bool rejected;
	bool topology;
	struct output_args output;
};

/** list_boxes() - print the boxes of the device */
int list_boxes(struct tool *tool, struct ucore_device *dev, const struct list_args *args);

/** list_events() - print the events of @platform, and the core events of @core; each may be NULL */
int list_events(struct tool *tool, const struct list_args *args,
		const struct ucore_platform *platform, const struct ucore_platform *core);

/** list_metrics() - print the metrics of a platform */
int list_metrics(struct tool *tool, const struct list_args *args, const char *platform);

/** list_fields() - print the event fields of each box type of the device */
int list_fields(struct tool *tool, struct ucore_device *dev, const struct list_args *args);

#endif /* UCORETOOL_LIST_H */
