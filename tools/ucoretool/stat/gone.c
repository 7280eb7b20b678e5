// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What `ucoretool stat` does not count: boxes and metrics that were omitted at the start, and boxes
 * that stop responding while the session counts.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "output/domain.h"
#include "stat/stat.h"

/* Return true if output goes to a place where the user does not see it at once */
static bool is_unseen(const struct stat_run *stat)
{
	return stat->out.format != OUT_TABLE || stat->out.stream != stdout;
}

int stat_gone_make(struct tool *tool, struct stat_run *stat)
{
	size_t nr;

	ucore_session_slots(stat->count.session, &nr);
	stat->gone = calloc(nr ? nr : 1, sizeof(*stat->gone));
	if (!stat->gone || missing_find(stat->count.session, stat->metrics, &stat->missing))
		return tool_error(tool, "out of memory");
	snprintf(stat->prefix, sizeof(stat->prefix), "ucoretool %s:", tool->command->name);
	if (stat->count.strict)
		return missing_refuse(tool, &stat->missing);
	if (is_unseen(stat))
		missing_print(stderr, stat->prefix, &stat->missing);
	return 0;
}

void stat_gone_free(struct stat_run *stat)
{
	missing_free(&stat->missing);
	free(stat->gone);
}

static void item_print(struct stat_run *stat, const struct missing_item *item)
{
	char note[MISSING_NOTE_LEN], box[UCORE_NAME_LEN + 12];

	/* the columns of traffic are others; standard error has the message */
	if (stat->traffic)
		return;

	struct cell cells[MAX_COLUMNS] = {
		[COLUMN_TIME] = cell_ns(stat->time),
		[COLUMN_NOTE] = cell_text(missing_note(item, note)),
	};

	if (item->metric) {
		cells[COLUMN_METRIC] = cell_text(item->metric);
	} else {
		snprintf(box, sizeof(box), "%s%u", item->type, item->instance);
		cells[COLUMN_SOCKET] = cell_number(item->package);
		cells[COLUMN_DIE] = domain_die_cell(item->die, item->cpu);
		cells[COLUMN_CPU] = domain_cpu_cell(item->cpu);
		cells[COLUMN_BOX] = cell_text(box);
	}
	if (item->event)
		cells[COLUMN_EVENT] = cell_text(item->event);
	stat_row_out(stat, cells);
}

void stat_missing_print(struct stat_run *stat)
{
	if (stat->out.format == OUT_TABLE)
		missing_print(stat->out.stream, "#", &stat->missing);
	for (size_t i = 0; stat->out.format != OUT_TABLE && i < stat->missing.nr; i++)
		item_print(stat, &stat->missing.items[i]);
}

/* ---- boxes that stop responding ---------------------------------------- */

static struct missing_item item_of(const struct stat_run *stat, const struct ucore_slot *slot)
{
	const struct ucore_domain_info *domain = ucore_device_domain(stat->count.dev,
								     slot->domain);

	return (struct missing_item) {
		.type = ucore_event_type(ucore_session_event(stat->count.session, slot->index)),
		.instance = slot->instance,
		.package = domain ? domain->package : 0,
		.die = domain ? domain->die : 0,
		.cpu = domain ? domain->cpu : -1,
		.text = "does not respond",
	};
}

static void change_print(FILE *stream, const char *prefix, const struct missing_item *item,
			 bool gone)
{
	char domain[UCORE_DOMAIN_NAME_LEN];

	ucore_domain_name(item->die, item->cpu, domain, sizeof(domain));
	fprintf(stream, "%s %s%u of %s %s\n", prefix, item->type, item->instance, domain,
		gone ? "does not respond and is not counted" :
		       "responds again and is counted from now on");
}

/* Report a box that does not respond: changes as text, and each interval in CSV and JSON */
static void box_report(struct stat_run *stat, const struct missing_item *item, bool gone,
		       bool changed)
{
	if (changed && stat->out.format == OUT_TABLE)
		change_print(stat->out.stream, "#", item, gone);
	if (changed && is_unseen(stat))
		change_print(stderr, stat->prefix, item, gone);
	if (gone && stat->out.format != OUT_TABLE)
		item_print(stat, item);
}

static bool is_first_of_box(const struct ucore_slot *slots, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (slots[j].box == slots[i].box)
			return false;
	return true;
}

void stat_gone_print(struct stat_run *stat)
{
	const struct ucore_delta_value *values;
	const struct ucore_slot *slots;
	size_t nr;

	slots = ucore_session_slots(stat->count.session, &nr);
	values = ucore_delta_values(stat->delta, &nr);
	for (size_t i = 0; i < nr; i++) {
		bool gone = values[i].flags & UCORE_VALUE_F_DEAD;

		stat->lost |= values[i].flags & (UCORE_VALUE_F_DEAD | UCORE_VALUE_F_OFFLINE);
		if ((gone || stat->gone[i]) && is_first_of_box(slots, i)) {
			struct missing_item item = item_of(stat, &slots[i]);

			box_report(stat, &item, gone, gone != stat->gone[i]);
		}
		stat->gone[i] = gone;
	}
}
