// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the panels of `ucoretool top` do not count: columns that were left out, and boxes, with the
 * reasons as lines of text.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/domain.h"
#include "top/panel.h"
#include "top/panel_parts.h"

static int item_add(struct panel *panel, const struct missing_item *item)
{
	struct missing *missing = &panel->missing;
	struct missing_item *grown;

	grown = realloc(missing->items, (missing->nr + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	missing->items = grown;
	missing->items[missing->nr++] = *item;
	return 0;
}

/* Return the text of an error without "event 'NAME': " */
static const char *without_event(const char *text)
{
	const char *end = strncmp(text, "event '", 7) ? NULL : strstr(text, "': ");

	return end ? end + 3 : text;
}

/* Return true for the error of a box that the driver explains, for example by a BIOS option */
static bool is_hidden(const struct panels *panels, const char *why)
{
	const char *reason = ucore_device_info(panels->dev)->reason;

	return *reason && strstr(why, reason);
}

int panel_missing_column(const struct panels *panels, struct panel *panel,
			 const struct panel_column_desc *desc, const char *metric, int code,
			 const char *why)
{
	struct missing_item item = { .metric = metric, .cpu = -1, .code = code };
	bool full = code == -ENOSPC || code == -EADDRINUSE;

	/* the machine has no such event or box, or the column would be hidden */
	if (((code == -ENOENT || code == -ENXIO) && !is_hidden(panels, why)) ||
	    desc->flags & NUMBER_PEAK)
		return 0;
	snprintf(item.label, sizeof(item.label), "%s%s%s", desc->heading,
		 *desc->unit ? " " : "", desc->unit);
	if (full && panels->nr > 1)
		snprintf(item.text, sizeof(item.text),
			 "no counter or filter left next to the other panels. Use 'ucoretool top %s'",
			 panel->desc->name);
	else
		snprintf(item.text, sizeof(item.text), "%s", without_event(why));
	return item_add(panel, &item);
}

/* Return true if rows of the panel have or lack a box of this type and socket */
static bool panel_shows(const struct panels *panels, const struct panel *panel,
			const struct missing_item *item)
{
	for (size_t i = panel->first; i < panel->first + panel->nr_rows; i++) {
		const struct panel_row *row = &panels->rows[i];

		if (row->is_box && !strcmp(row->type, item->type))
			return true;
		if (row->boxes_type && !strcmp(row->boxes_type, item->type) &&
		    row->socket == item->package)
			return true;
	}
	return false;
}

/* Add an omitted box to the number of boxes that the sum of its socket's row should have */
static void row_count(struct panels *panels, const struct panel *panel,
		      const struct missing_item *item)
{
	for (size_t i = panel->first; i < panel->first + panel->nr_rows; i++)
		if (panels->rows[i].nr_boxes && panels->rows[i].socket == item->package)
			panels->rows[i].nr_omitted++;
}

/* Split the text of missing_print() into lines */
static void lines_make(struct panel *panel)
{
	char *rest = panel->text, *line;

	panel->nr_lines = 0;
	while (rest && (line = strsep(&rest, "\n")) && panel->nr_lines < PANEL_LINES)
		if (*line)
			panel->lines[panel->nr_lines++] = line;
}

static int text_make(struct panel *panel)
{
	size_t size;
	FILE *stream;

	free(panel->text);
	panel->text = NULL;
	panel->nr_lines = 0;
	if (!panel->missing.nr)
		return 0;
	stream = open_memstream(&panel->text, &size);
	if (!stream)
		return -ENOMEM;
	missing_print(stream, "", &panel->missing);
	if (fclose(stream))
		return -ENOMEM;
	lines_make(panel);
	return 0;
}

int panel_missing_boxes(struct panels *panels)
{
	struct missing found;
	int ret = missing_find(panels->session, NULL, &found);

	for (unsigned int p = 0; p < panels->nr && !ret; p++) {
		struct panel *panel = &panels->panels[p];

		for (size_t i = 0; i < found.nr && !ret; i++) {
			if (!panel_shows(panels, panel, &found.items[i]))
				continue;
			row_count(panels, panel, &found.items[i]);
			ret = item_add(panel, &found.items[i]);
		}
		if (!ret)
			ret = text_make(panel);
	}
	missing_free(&found);
	return ret;
}

void panel_missing_free(struct panels *panels)
{
	for (unsigned int i = 0; i < panels->nr; i++) {
		missing_free(&panels->panels[i].missing);
		free(panels->panels[i].text);
	}
}

int panels_refuse(const struct tool *tool, const struct panels *panels)
{
	struct missing found;
	int ret = missing_find(panels->session, NULL, &found);

	if (ret)
		return tool_error(tool, "out of memory");
	ret = missing_refuse(tool, &found);
	missing_free(&found);
	for (unsigned int i = 0; i < panels->nr && !ret; i++)
		ret = missing_refuse(tool, &panels->panels[i].missing);
	return ret;
}

/* ---- remarks on rows --------------------------------------------------- */

const char *panel_note(const struct panels *panels, size_t index, char *text)
{
	const struct panel_row *row = &panels->rows[index];
	const char *note = value_note(row->flags & NO_COUNT, -1), *count;
	char counted[MISSING_COUNT_LEN];

	count = row->is_box || !row->boxes_type || !row->nr_counted ? NULL :
		missing_count(row->nr_counted, row->max_counted, row->boxes_type, counted);
	if (!note && !count)
		return NULL;
	snprintf(text, PANEL_NOTE_LEN, "%s%s%s", note ? note : "", note && count ? ", " : "",
		 count ? count : "");
	return text;
}
