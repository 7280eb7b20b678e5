// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Selection of the columns of `ucoretool top`. One session counts the metrics of all panels, except
 * metrics that it cannot count (ucore_metrics_offer()). Columns of such metrics are removed, and
 * the reason is stored.
 */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "top/panel.h"
#include "top/panel_parts.h"

#define NAME_LETTERS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

/* Return true if the platform has a metric by name, or all events of a metric's definition */
static bool metric_known(const char *platform, const char *metric)
{
	const struct ucore_platform *events = ucore_platform_find(platform);
	const char *at = metric;
	struct ucore_metric_desc desc;
	struct ucore_event_desc event;
	char name[128];

	if (!strchr(metric, '='))
		return ucore_metric_find(platform, metric, &desc) && !*desc.omitted &&
		       desc.levels & (UCORE_LEVEL_SOCKET | UCORE_LEVEL_BOX);
	while ((at = strstr(at, "UNC_"))) {
		size_t length = strspn(at, NAME_LETTERS);

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		if (!ucore_platform_event(events, NULL, name, &event))
			return false;
		at += length;
	}
	return true;
}

static const char *metric_of_column(const char *platform, const struct panel_column_desc *desc)
{
	for (unsigned int i = 0; i < PANEL_METRICS && desc->metrics[i]; i++)
		if (metric_known(platform, desc->metrics[i]))
			return desc->metrics[i];
	return NULL;
}

/* Return true if the platform has metrics for all columns of a group */
static bool group_is_whole(const char *platform, const struct panel_desc *desc, unsigned int group)
{
	for (const struct panel_column_desc *column = desc->columns; column->heading; column++)
		if (column->group == group && !(column->flags & NUMBER_TOTAL) &&
		    !metric_of_column(platform, column))
			return false;
	return true;
}

/*
 * Return the group of columns that a panel shows: the first group for which the platform has all
 * columns, otherwise the first group for which it has any column.
 */
static unsigned int group_choose(const char *platform, const struct panel_desc *desc)
{
	const struct panel_column_desc *part = NULL;

	for (const struct panel_column_desc *column = desc->columns; column->heading; column++) {
		if (column->flags & NUMBER_TOTAL || !metric_of_column(platform, column))
			continue;
		if (group_is_whole(platform, desc, column->group))
			return column->group;
		if (!part)
			part = column;
	}
	return part ? part->group : 0;
}

static bool has_column(const struct panel *panel, const struct panel_column_desc *desc)
{
	for (unsigned int i = 0; i < panel->nr_columns; i++)
		if (!strcmp(panel->columns[i].desc->heading, desc->heading) &&
		    !strcmp(panel->columns[i].desc->unit, desc->unit))
			return true;
	return false;
}

static int column_offer(struct tool *tool, struct panels *panels, struct panel *panel,
			const struct panel_column_desc *desc)
{
	bool of_boxes = panel->desc->level == UCORE_LEVEL_BOX && !(desc->flags & NUMBER_SOCKET);
	struct panel_column *column = &panel->columns[panel->nr_columns];
	int ret = 0;

	*column = (struct panel_column) { .desc = desc };
	column->text = desc->flags & NUMBER_TOTAL ? desc->metrics[0] :
		       metric_of_column(ucore_device_info(panels->dev)->platform, desc);
	if (!column->text || has_column(panel, desc))
		return 0;
	snprintf(column->metric, sizeof(column->metric), "%.*s",
		 (int)strcspn(column->text, "="), column->text);
	if (!(desc->flags & NUMBER_TOTAL))
		ret = ucore_metrics_offer(of_boxes ? panels->of_boxes : panels->of_sockets,
					  column->text, &tool->err);
	if (ret)
		return tool_fail(tool, ret);
	panel->nr_columns++;
	return 0;
}

int panel_select_offer(struct tool *tool, struct panels *panels, const struct panel_desc *desc)
{
	unsigned int group = group_choose(ucore_device_info(panels->dev)->platform, desc);
	struct panel *panel = &panels->panels[panels->nr];
	int ret = 0;

	*panel = (struct panel) { .desc = desc };
	for (const struct panel_column_desc *column = desc->columns; !ret && column->heading;
	     column++)
		if (column->group == group)
			ret = column_offer(tool, panels, panel, column);
	panels->nr++;
	return ret;
}

/* ---- columns that are left out ----------------------------------------- */

/*
 * Return the reason why a metric is not counted (-errno, explained in @err), and set @metric to its
 * name; 0 if it is counted
 */
static int left_out(const struct panels *panels, const char **metric, struct ucore_error *err)
{
	const struct ucore_metrics *all[] = { panels->of_boxes, panels->of_sockets };
	const char *name;

	for (size_t m = 0; m < ARRAY_SIZE(all); m++)
		for (size_t i = 0; (name = ucore_metrics_left_out(all[m], i)); i++) {
			if (strcmp(name, *metric))
				continue;
			*metric = name;
			return ucore_metrics_left_out_error(all[m], i, err);
		}
	return 0;
}

/* Return true if the bar is the sum of several columns, so that a TOTAL column is useful */
static bool total_is_useful(const struct panel *panel)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < panel->nr_columns; i++)
		nr += !!(panel->columns[i].desc->flags & NUMBER_BAR);
	return nr > 1;
}

/* Remove the columns that are not counted, and move the hidden NUMBER_PEAK column to the end */
static int columns_sift(const struct panels *panels, struct panel *panel)
{
	struct panel_column peak = { 0 };
	struct ucore_error why;
	unsigned int nr = 0;
	int code, ret = 0;

	for (unsigned int i = 0; i < panel->nr_columns && !ret; i++) {
		const char *metric = panel->columns[i].metric;

		code = left_out(panels, &metric, &why);
		if (!code && panel->columns[i].desc->flags & NUMBER_PEAK)
			peak = panel->columns[i];
		else if (!code)
			panel->columns[nr++] = panel->columns[i];
		else
			ret = panel_missing_column(panels, panel, panel->columns[i].desc, metric,
						   code, why.text);
	}
	panel->nr_columns = nr;
	if (!total_is_useful(panel))
		for (unsigned int i = 0; i < panel->nr_columns; i++)
			if (panel->columns[i].desc->flags & NUMBER_TOTAL)
				memmove(&panel->columns[i], &panel->columns[i + 1],
					(--panel->nr_columns - i) * sizeof(panel->columns[0]));
	panel->nr_seen = panel->nr_columns;
	panel->has_peak = peak.desc && panel->nr_seen;
	if (panel->has_peak)
		panel->columns[panel->nr_columns++] = peak;
	return ret;
}

int panel_select_counted(struct tool *tool, struct panels *panels)
{
	const char *trouble = NULL;
	unsigned int nr = 0, nr_seen = 0;

	for (unsigned int i = 0; i < panels->nr; i++) {
		struct panel *panel = &panels->panels[i];

		if (columns_sift(panels, panel))
			return tool_error(tool, "out of memory");
		nr_seen += panel->nr_seen;
		if (panel->missing.nr && !trouble)
			trouble = panel->missing.items[0].text;
		if (panel->nr_seen || panel->missing.nr)
			panels->panels[nr++] = *panel;
	}
	panels->nr = nr;
	if (nr_seen)
		return 0;
	if (!trouble && ucore_device_info(panels->dev)->cause != UCORE_CAUSE_NONE)
		trouble = ucore_device_info(panels->dev)->reason;
	if (trouble)
		return tool_error(tool, "nothing to show: %s", trouble);
	return tool_error(tool, "nothing to show: no known metric for the boxes of this machine. Use 'ucoretool list' to show the boxes, 'ucoretool stat' to count any event");
}
