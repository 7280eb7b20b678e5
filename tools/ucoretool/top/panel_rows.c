// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rows of the panels of `ucoretool top`: a row for each socket and box with a metric's value, and
 * the row and column of each value.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/domain.h"
#include "top/panel.h"
#include "top/panel_parts.h"

static void row_name(struct panel_row *row, bool with_die)
{
	if (!row->is_box)
		snprintf(row->name, sizeof(row->name), "socket %u", row->socket);
	else if (with_die)
		snprintf(row->name, sizeof(row->name), "%u:%s%u", row->die, row->type,
			 row->instance);
	else
		snprintf(row->name, sizeof(row->name), "%s%u", row->type, row->instance);
}

static bool row_is(const struct panel_row *a, const struct panel_row *b)
{
	return a->panel == b->panel && a->is_box == b->is_box && a->socket == b->socket &&
	       a->die == b->die && a->instance == b->instance && !strcmp(a->type, b->type);
}

static size_t row_find(const struct panels *panels, const struct panel_row *row)
{
	size_t i = 0;

	while (i < panels->nr_rows && !row_is(&panels->rows[i], row))
		i++;
	return i;
}

static void row_add(struct panels *panels, const struct panel_row *row)
{
	if (row_find(panels, row) == panels->nr_rows)
		panels->rows[panels->nr_rows++] = *row;
}

static bool has_sockets(const struct ucore_device *dev)
{
	const struct ucore_domain_info *domains;
	size_t nr;

	domains = ucore_device_domains(dev, &nr);
	for (size_t i = 1; i < nr; i++)
		if (domains[i].package != domains[0].package)
			return true;
	return false;
}

/*
 * Find the panel and the column that show a metric's value; false if there is none. On a machine
 * with several sockets, a value of the whole system is not shown.
 */
static bool column_find(const struct panels *panels, const struct ucore_metric_value *value,
			unsigned int *panel, unsigned int *column)
{
	const char *metric = value->metric->name;

	if (value->level == UCORE_LEVEL_SYSTEM && has_sockets(panels->dev))
		return false;
	for (*panel = 0; *panel < panels->nr; ++*panel)
		for (*column = 0; *column < panels->panels[*panel].nr_columns; ++*column)
			if (!strcasecmp(panels->panels[*panel].columns[*column].metric, metric))
				return true;
	return false;
}

static struct panel_row row_of_value(unsigned int panel, const struct ucore_metric_value *value)
{
	struct panel_row row = { .panel = panel, .socket = value->package };

	if (value->level != UCORE_LEVEL_BOX)
		return row;
	row.is_box = true;
	row.die = value->die;
	row.instance = value->instance;
	snprintf(row.type, sizeof(row.type), "%s", value->type);
	return row;
}

/* Compare rows: by panel, then by socket, with the socket before its boxes */
static int row_compare(const void *left, const void *right)
{
	const struct panel_row *a = left, *b = right;

	if (a->panel != b->panel)
		return a->panel < b->panel ? -1 : 1;
	if (a->socket != b->socket)
		return a->socket < b->socket ? -1 : 1;
	if (a->is_box != b->is_box)
		return a->is_box ? 1 : -1;
	if (a->die != b->die)
		return a->die < b->die ? -1 : 1;
	if (strcmp(a->type, b->type))
		return strcmp(a->type, b->type);
	return a->instance < b->instance ? -1 : a->instance > b->instance;
}

/* Return metric value @i (first values of boxes, then values of sockets); NULL after the last */
static const struct ucore_metric_value *value_at(const struct panels *panels, size_t i)
{
	const struct ucore_metric_value *value;
	size_t nr = 0;

	while ((value = ucore_metrics_value(panels->of_boxes, nr)))
		if (nr++ == i)
			return value;
	return ucore_metrics_value(panels->of_sockets, i - nr);
}

static void rows_link(struct panels *panels)
{
	bool with_die = domain_several_dies(panels->dev);
	size_t parent = 0;

	for (size_t i = 0; i < panels->nr_rows; i++) {
		struct panel_row *row = &panels->rows[i];
		struct panel *panel = &panels->panels[row->panel];

		row_name(row, with_die);
		if (!panel->nr_rows++)
			panel->first = i;
		if (row->is_box)
			panels->rows[parent].nr_boxes++;
		else
			parent = i;
		row->parent = parent;
	}
}

static void rows_make(struct panels *panels)
{
	const struct ucore_metric_value *value;
	unsigned int panel, column;

	for (size_t i = 0; (value = value_at(panels, i)); i++) {
		struct panel_row row, socket;

		if (!column_find(panels, value, &panel, &column))
			continue;
		row = row_of_value(panel, value);
		socket = (struct panel_row) { .panel = panel, .socket = row.socket };
		row_add(panels, &socket);
		row_add(panels, &row);
	}
	qsort(panels->rows, panels->nr_rows, sizeof(*panels->rows), row_compare);
	rows_link(panels);
}

static void cells_make(struct panels *panels)
{
	const struct ucore_metric_value *value;
	unsigned int panel, column;

	for (size_t i = 0; (value = value_at(panels, i)); i++) {
		struct panel_row row;

		if (!column_find(panels, value, &panel, &column))
			continue;
		row = row_of_value(panel, value);
		panels->cells[panels->nr_cells++] = (struct panel_cell) {
			.value = value, .row = row_find(panels, &row), .column = column,
		};
	}
}

int panel_rows_make(struct tool *tool, struct panels *panels)
{
	size_t nr = 0;

	while (value_at(panels, nr))
		nr++;
	/* at most one row for each value, and one for its socket */
	panels->rows = calloc(2 * nr + 1, sizeof(*panels->rows));
	panels->cells = calloc(nr + 1, sizeof(*panels->cells));
	if (!panels->rows || !panels->cells)
		return tool_error(tool, "out of memory");
	rows_make(panels);
	cells_make(panels);
	panels->samples = calloc(panels->nr_rows + 1,
				 PANEL_COLUMNS * PANEL_HISTORY * sizeof(*panels->samples));
	return panels->samples ? 0 : tool_error(tool, "out of memory");
}
