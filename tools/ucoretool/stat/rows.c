// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rows of `ucoretool stat`: the sum of the counts of each event, per box, per socket or in total,
 * and the output of a row of cells.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "links.h"
#include "stat/stat.h"

/* Return true if the count of @slot (an event on a box of @socket) is added to @row */
static bool row_matches(const struct stat_run *stat, const struct stat_row *row,
			const struct ucore_slot *slot, uint32_t socket)
{
	if (row->index != slot->index)
		return false;
	switch (stat->grouping) {
	case GROUP_BOX:
		return row->domain == slot->domain && row->instance == slot->instance;
	case GROUP_SOCKET:
		return row->socket == socket;
	default:
		return true;
	}
}

/* Return the index of the row for @slot (an event on a box); append a row if there is none */
static size_t row_for(struct stat_run *stat, const struct ucore_slot *slot)
{
	const struct ucore_domain_info *domain = ucore_device_domain(stat->count.dev,
								     slot->domain);
	uint32_t socket = domain ? domain->package : 0;
	size_t i;

	for (i = 0; i < stat->nr_rows; i++)
		if (row_matches(stat, &stat->rows[i], slot, socket))
			return i;
	stat->rows[i] = (struct stat_row) {
		.index = slot->index,
		.socket = socket,
		.domain = slot->domain,
		.die = domain ? domain->die : 0,
		.cpu = domain ? domain->cpu : -1,
		.instance = slot->instance,
	};
	snprintf(stat->rows[i].box, sizeof(stat->rows[i].box), "%s%u",
		 ucore_event_type(ucore_session_event(stat->count.session, slot->index)),
		 slot->instance);
	stat->nr_rows++;
	return i;
}

/* Add the omitted boxes of an event to the numbers of boxes that its rows should have */
static void omissions_count(struct stat_run *stat)
{
	const struct ucore_omission *omissions;
	size_t nr;

	omissions = ucore_session_omissions(stat->count.session, &nr);
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < stat->nr_rows && stat->grouping != GROUP_BOX; j++)
			stat->rows[j].max_boxes += stat->rows[j].index == omissions[i].index &&
				(stat->grouping == GROUP_TOTAL ||
				 stat->rows[j].socket == omissions[i].package);
}

int stat_rows_make(struct stat_run *stat)
{
	const struct ucore_slot *slots;
	size_t nr;

	slots = ucore_session_slots(stat->count.session, &nr);
	stat->rows = calloc(nr, sizeof(*stat->rows));
	stat->row_of = calloc(nr, sizeof(*stat->row_of));
	if (!stat->rows || !stat->row_of)
		return -ENOMEM;
	for (size_t i = 0; i < nr && slots[i].index < stat->nr_events; i++) {
		stat->row_of[i] = row_for(stat, &slots[i]);
		stat->rows[stat->row_of[i]].nr_boxes++;
		stat->rows[stat->row_of[i]].max_boxes++;
	}
	omissions_count(stat);
	return 0;
}

/* Set the device column of a row: PCI devices below the event's port, or of the whole stack */
static int row_device(const struct stat_run *stat, const struct links *links, struct stat_row *row,
		      uint32_t box)
{
	const struct ucore_event *event = ucore_session_event(stat->count.session, row->index);
	const struct ucore_event_desc *desc = ucore_event_desc_of(event);
	char text[LINKS_TEXT_LEN];

	if (row->device || !links_text(links, box, desc ? links_port(desc->name) : -1,
				       stat->out.format == OUT_TABLE, text, sizeof(text)))
		return 0;
	row->device = strdup(text);
	return row->device ? 0 : -ENOMEM;
}

int stat_rows_devices(struct tool *tool, struct stat_run *stat, const char *root)
{
	const struct ucore_slot *slots;
	struct links links;
	size_t nr;
	int ret = links_open(tool, stat->count.dev, root, &links);

	if (ret)
		return ret;
	slots = ucore_session_slots(stat->count.session, &nr);
	for (size_t i = 0; !ret && i < nr && slots[i].index < stat->nr_events; i++)
		ret = row_device(stat, &links, &stat->rows[stat->row_of[i]], slots[i].box);
	links_close(&links);
	return ret ? tool_error(tool, "out of memory") : 0;
}

static void row_add(struct stat_row *row, const struct ucore_delta_value *value)
{
	double count = ucore_delta_scaled(value);

	if (__builtin_isnan(count))
		row->missed = true;
	else
		row->count += value->running == value->possible ? value->count :
							       (uint64_t)(count + 0.5);
	if (value->possible > row->possible)
		row->possible = value->possible;
	row->flags |= value->flags;
	row->nr_dead += !!(value->flags & UCORE_VALUE_F_DEAD);
	if (value->enabled > row->enabled)
		row->enabled = value->enabled;
	if (value->running > row->running)
		row->running = value->running;
}

void stat_rows_update(struct stat_run *stat, const struct ucore_snapshot *snap)
{
	const struct ucore_delta_value *values;
	const struct ucore_slot *slots;
	size_t nr;

	for (size_t i = 0; i < stat->nr_rows; i++) {
		stat->rows[i].count = 0;
		stat->rows[i].enabled = 0;
		stat->rows[i].running = 0;
		stat->rows[i].possible = 0;
		stat->rows[i].missed = false;
		stat->rows[i].flags = 0;
		stat->rows[i].nr_dead = 0;
	}
	ucore_delta_update(stat->delta, snap);
	slots = ucore_session_slots(stat->count.session, &nr);
	values = ucore_delta_values(stat->delta, &nr);
	for (size_t i = 0; i < nr && slots[i].index < stat->nr_events; i++)
		row_add(&stat->rows[stat->row_of[i]], &values[i]);
	if (stat->metrics)
		ucore_metrics_evaluate(stat->metrics, stat->delta);
	for (size_t i = 0; i < snap->nr_domains; i++)
		if (snap->domains[i].time_enabled > stat->time)
			stat->time = snap->domains[i].time_enabled;
}

size_t stat_nr_columns(const struct stat_run *stat)
{
	return stat->metrics ? NR_COLUMNS : NR_COUNT_COLUMNS;
}

void stat_row_out(struct stat_run *stat, struct cell *cells)
{
	size_t nr = stat_nr_columns(stat);

	cells[nr] = cell_text(stat->real_text);
	out_row(&stat->out, stat->columns, nr + 1 + stat->devices, cells);
}

void stat_rows_free(struct stat_run *stat)
{
	free(stat->row_of);
	for (size_t i = 0; i < stat->nr_rows; i++)
		free(stat->rows[i].device);
	free(stat->rows);
}
