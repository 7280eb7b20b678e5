/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lists of `ucoretool list`.  Each function prints one list and returns the exit code.
 */
#ifndef UCORETOOL_LIST_H
#define UCORETOOL_LIST_H

#include "output/table.h"
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

#define LIST_NAMES	256	/* maximum number of names that a pattern is compared with */

/**
 * struct list_rows - rows of a list, whose heading is printed with the first row
 * @out: output
 * @columns: columns
 * @nr_columns: number of elements of @columns
 * @nr: number of rows that were printed
 */
struct list_rows {
	struct out out;
	const struct column *columns;
	size_t nr_columns;
	size_t nr;
};

/** list_row() - print a row, and before the first one the heading */
void list_row(struct list_rows *rows, const struct cell *cells);

/**
 * list_end() - end a list: print an error if a pattern matched nothing
 * @what: what was listed, for the error
 * @names: names that the pattern can match, for a suggestion
 *
 * Return: the exit code.
 */
int list_end(struct tool *tool, struct list_rows *rows, const char *what, const char *pattern,
	     const char *const *names, size_t nr);

/** list_types() - collect the box types of @boxes in @types (LIST_NAMES); return their number */
size_t list_types(const struct ucore_box_info *boxes, size_t nr, const char **types);

/** list_boxes() - print the boxes of the device */
int list_boxes(struct tool *tool, struct ucore_device *dev, const struct list_args *args);

/** list_events() - print the events of @nr_platforms platforms, of which each may be NULL */
int list_events(struct tool *tool, const struct list_args *args,
		const struct ucore_platform *const *platforms, size_t nr_platforms);

/** list_metrics() - print the metrics of a platform */
int list_metrics(struct tool *tool, const struct list_args *args, const char *platform);

/** list_fields() - print the event fields of each box type of the device */
int list_fields(struct tool *tool, struct ucore_device *dev, const struct list_args *args);

#endif /* UCORETOOL_LIST_H */
