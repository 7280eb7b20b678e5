/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interfaces between panel.c, panel_select.c and panel_rows.c.
 */
#ifndef UCORETOOL_TOP_PANEL_PARTS_H
#define UCORETOOL_TOP_PANEL_PARTS_H

#include <stddef.h>

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

/** panel_rows_make() - create rows and cells for the attached metrics; 0 or the exit code */
int panel_rows_make(struct tool *tool, struct panels *panels);

#endif /* UCORETOOL_TOP_PANEL_PARTS_H */
