/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interfaces between panel.c, panel_select.c and panel_rows.c.
 */
#ifndef UCORETOOL_TOP_PANEL_PARTS_H
#define UCORETOOL_TOP_PANEL_PARTS_H

#include <stddef.h>

struct panel;
struct panel_column_desc;
struct panel_desc;
struct panels;
struct tool;
struct ucore_metric_value;

/**
 * struct panel_cell - connection of a metric's value to a row and a column of a panel
 * @value: value of the metric
 * @row: index of the row
 * @column: index of the column
 */
struct panel_cell {
	const struct ucore_metric_value *value;
	size_t row;
	unsigned int column;
};

/**
 * panel_select_offer() - add a panel, and choose its metrics for the session
 *
 * Metrics that cannot be counted are left out later, see ucore_metrics_offer().
 * Return: 0 or the exit code.
 */
int panel_select_offer(struct tool *tool, struct panels *panels, const struct panel_desc *desc);

/** panel_select_counted() - remove columns whose metrics were left out; 0 or the exit code */
int panel_select_counted(struct tool *tool, struct panels *panels);

/**
 * panel_missing_column() - note that a column is not counted, unless the machine has no such event
 * @metric: name of the column's metric, which must stay valid
 * @code: -errno
 * @why: text of the error
 *
 * Return: 0 or -ENOMEM.
 */
int panel_missing_column(const struct panels *panels, struct panel *panel,
			 const struct panel_column_desc *desc, const char *metric, int code,
			 const char *why);

/**
 * panel_missing_boxes() - after the first READ: note the boxes that are not counted, and make the
 * lines of all panels
 *
 * Return: 0 or -ENOMEM.
 */
int panel_missing_boxes(struct panels *panels);

/** panel_missing_free() - free the lists and lines of all panels */
void panel_missing_free(struct panels *panels);

/** panel_rows_make() - create rows and cells for the attached metrics; 0 or the exit code */
int panel_rows_make(struct tool *tool, struct panels *panels);

#endif /* UCORETOOL_TOP_PANEL_PARTS_H */
