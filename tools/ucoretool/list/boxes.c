// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The list of boxes of `ucoretool list`.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "list/list.h"
#include "output/address.h"
#include "output/domain.h"
#include "output/table.h"

enum {
	BOX_DIE,
	BOX_CPU,
	BOX_TYPE,
	BOX_INSTANCE,
	BOX_ACCESS,
	BOX_COUNTERS,
	BOX_WIDTH,
	BOX_FIXED,
	BOX_FIXED_WIDTH,
	BOX_CAPS,
	BOX_OWNER,
	BOX_TYPE_ID,
	BOX_RECORD,
	BOX_CTL_OFFSET,
	BOX_CTR_OFFSET,
	BOX_ADDRESS,
	NR_BOX_COLUMNS,
};

/**
 * struct box_list - state of list_boxes()
 * @boxes: all boxes
 * @nr: number of boxes
 * @discovery: discovery tables, NULL: none
 * @columns: columns of the output
 * @rows: output
 */
struct box_list {
	const struct ucore_box_info *boxes;
	size_t nr;
	const struct ucore_discovery *discovery;
	struct column columns[NR_BOX_COLUMNS];
	struct list_rows rows;
};

static void caps_text(uint32_t caps, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s%s%s%s", caps & UCORE_BOX_F_OVERFLOW ? "overflow " : "",
		 caps & UCORE_BOX_F_FIXED_OVERFLOW ? "fixed-overflow " : "",
		 caps & UCORE_BOX_F_FREEZE ? "freeze " : "",
		 caps & UCORE_BOX_F_FREE_RUNNING ? "free-running " : "",
		 caps & UCORE_BOX_F_SHARED ? "shared " : "",
		 caps & UCORE_BOX_F_DEAD ? "DEAD " : "");
	if (*text)
		text[strlen(text) - 1] = 0;
}

static void columns_make(struct box_list *list, bool all)
{
	static const struct column columns[NR_BOX_COLUMNS] = {
		[BOX_DIE] = { "die", "DIE", 3 },
		[BOX_CPU] = { "cpu", "CPU", 7 },
		[BOX_TYPE] = { "type", "TYPE", -8 },
		[BOX_INSTANCE] = { "instance", "NO", 5 },
		[BOX_ACCESS] = { "access", "ACCESS", -6 },
		[BOX_COUNTERS] = { "counters", "COUNTERS", 8 },
		[BOX_WIDTH] = { "width", "BITS", 4 },
		[BOX_FIXED] = { "fixed", "FIXED", 5 },
		[BOX_FIXED_WIDTH] = { "fixed_width", "BITS", 4 },
		[BOX_CAPS] = { "caps", "CAPABILITIES", -12 },
		[BOX_OWNER] = { "owner", "OWNER", -20 },
		[BOX_TYPE_ID] = { "type_id", "TYPE ID", 7 },
		[BOX_RECORD] = { "record", "RECORD", 6 },
		[BOX_CTL_OFFSET] = { "ctl_offset", "CTL", 5 },
		[BOX_CTR_OFFSET] = { "ctr_offset", "CTR", 5 },
		[BOX_ADDRESS] = { "address", "ADDRESS", -18 },
	};

	memcpy(list->columns, columns, sizeof(columns));
	/* hide columns without content, and set the width of the other columns to their content */
	list->columns[BOX_CPU].hidden = true;
	list->columns[BOX_OWNER].hidden = true;
	list->columns[BOX_ADDRESS].hidden = true;
	for (size_t i = 0; i < list->nr; i++) {
		char caps[64];

		if (list->boxes[i].flags & UCORE_BOX_F_ABSENT)
			continue;
		caps_text(list->boxes[i].flags, caps, sizeof(caps));
		if (-(int)strlen(caps) < list->columns[BOX_CAPS].width)
			list->columns[BOX_CAPS].width = -(int)strlen(caps);
		if (list->boxes[i].cpu >= 0)
			list->columns[BOX_CPU].hidden = false;
		if (list->boxes[i].owner)
			list->columns[BOX_OWNER].hidden = false;
		if (list->boxes[i].location)
			list->columns[BOX_ADDRESS].hidden = false;
	}
	for (size_t i = BOX_TYPE_ID; i <= BOX_CTR_OFFSET; i++)
		list->columns[i].hidden = !all || !list->discovery;
}

static void address_text(const struct ucore_box_info *first, const struct ucore_box_info *last,
			 char *text, size_t size)
{
	char from[48], to[48];

	place_text(first->access, first->location, from, sizeof(from));
	place_text(last->access, last->location, to, sizeof(to));
	if (!strcmp(from, to))
		snprintf(text, size, "%s", from);
	else
		snprintf(text, size, "%s .. %s", from, to);
}

/* Print a row for the boxes @box to @last, which differ only in number (or CPU) and location */
static void box_row(struct box_list *list, const struct ucore_box_info *box,
		    const struct ucore_box_info *last)
{
	char caps[64], instance[32], owner[48] = "", address[128], ctl[12] = "", ctr[12] = "";
	char cpus[32];
	const struct ucore_unit_info *unit = NULL;
	struct ucore_unit_fields fields;

	caps_text(box->flags, caps, sizeof(caps));
	snprintf(instance, sizeof(instance), "%u-%u", box->instance, last->instance);
	snprintf(cpus, sizeof(cpus), "%d-%d", box->cpu, last->cpu);
	/* the process id is 0 if the owner is in another PID namespace */
	if (box->owner && !box->owner_pid)
		snprintf(owner, sizeof(owner), "? (%s)", box->owner_comm);
	else if (box->owner)
		snprintf(owner, sizeof(owner), "%u (%s)", box->owner_pid, box->owner_comm);
	address_text(box, last, address, sizeof(address));
	if (list->discovery)
		unit = ucore_discovery_unit(list->discovery, box->box);
	if (unit) {
		ucore_unit_decode(unit, &fields);
		snprintf(ctl, sizeof(ctl), "0x%x", fields.ctl_offset);
		snprintf(ctr, sizeof(ctr), "0x%x", fields.ctr_offset);
	}

	const struct cell cells[NR_BOX_COLUMNS] = {
		[BOX_DIE] = domain_die_cell(box->die, box->cpu),
		[BOX_CPU] = box->cpu == last->cpu ? domain_cpu_cell(box->cpu) : cell_text(cpus),
		[BOX_TYPE] = cell_text(box->type),
		[BOX_INSTANCE] = box->instance == last->instance ? cell_number(box->instance) :
								   cell_text(instance),
		[BOX_ACCESS] = cell_text(access_name(box->access)),
		[BOX_COUNTERS] = cell_number(box->nr_counters),
		[BOX_WIDTH] = cell_number(box->width),
		[BOX_FIXED] = cell_number(box->nr_fixed),
		[BOX_FIXED_WIDTH] = box->nr_fixed ? cell_number(box->fixed_width) : cell_none(),
		[BOX_CAPS] = cell_text(caps),
		[BOX_OWNER] = box->owner ? cell_text(owner) : cell_none(),
		[BOX_TYPE_ID] = unit ? cell_number(unit->type) : cell_none(),
		[BOX_RECORD] = unit ? cell_number(unit->record) : cell_none(),
		[BOX_CTL_OFFSET] = unit ? cell_text(ctl) : cell_none(),
		[BOX_CTR_OFFSET] = unit ? cell_text(ctr) : cell_none(),
		[BOX_ADDRESS] = box->location ? cell_text(address) : cell_none(),
	};
	list_row(&list->rows, cells);
}

static bool boxes_alike(const struct ucore_box_info *a, const struct ucore_box_info *b)
{
	return !strcmp(a->type, b->type) && a->access == b->access &&
	       a->nr_counters == b->nr_counters && a->nr_fixed == b->nr_fixed &&
	       a->width == b->width && a->fixed_width == b->fixed_width &&
	       a->flags == b->flags && a->owner == b->owner;
}

/*
 * Return true if @b has the next box number after @a in the same domain, or the same number on
 * the next CPU.
 */
static bool boxes_follow(const struct ucore_box_info *a, const struct ucore_box_info *b)
{
	if (a->domain == b->domain)
		return b->instance == a->instance + 1;
	return a->cpu >= 0 && b->cpu == a->cpu + 1 && b->instance == a->instance;
}

/* Return the id of the last box that can share a row of the list with box @i */
static size_t run_end(const struct box_list *list, size_t i)
{
	const struct ucore_box_info *boxes = list->boxes;
	size_t last = i;

	while (last + 1 < list->nr && boxes_alike(&boxes[last], &boxes[last + 1]) &&
	       boxes_follow(&boxes[last], &boxes[last + 1]) &&
	       (boxes[last + 1].domain == boxes[i].domain ||
		boxes[last + 1].instance == boxes[i].instance))
		last++;
	return last;
}

/*
 * Return true if the pattern matches the box's type, or its type and number.  A pattern that is a
 * box type (@is_type) matches no part of other types.
 */
static bool box_wanted(const struct ucore_box_info *box, const char *pattern, bool is_type)
{
	char name[UCORE_NAME_LEN + 12];

	if (is_type)
		return !strcasecmp(pattern, box->type);
	snprintf(name, sizeof(name), "%s%u", box->type, box->instance);
	return pattern_matches(pattern, box->type) || !fnmatch(pattern, name, FNM_CASEFOLD);
}

static bool is_box_type(const struct box_list *list, const char *pattern)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcasecmp(list->boxes[i].type, pattern))
			return true;
	return false;
}

static int boxes_print(struct tool *tool, struct box_list *list, const char *pattern, bool runs)
{
	bool is_type = pattern && is_box_type(list, pattern);
	const char *types[LIST_NAMES];

	for (size_t i = 0; i < list->nr; i++) {
		size_t last = runs ? run_end(list, i) : i;

		if (list->boxes[i].flags & UCORE_BOX_F_ABSENT)
			continue;
		if (!box_wanted(&list->boxes[i], pattern, is_type))
			continue;
		box_row(list, &list->boxes[i], &list->boxes[last]);
		i = last;
	}
	return list_end(tool, &list->rows, "box", pattern, types,
			list_types(list->boxes, list->nr, types));
}

int list_boxes(struct tool *tool, struct ucore_device *dev, const struct list_args *args)
{
	struct box_list list = {
		.rows = {
			.out = args->output.out,
			.columns = list.columns,
			.nr_columns = NR_BOX_COLUMNS,
		},
	};
	struct ucore_discovery *discovery = NULL;
	int ret = ucore_device_ready(dev, &tool->err);

	list.boxes = ucore_device_boxes(dev, &list.nr);
	if (!list.nr && ret)
		return tool_fail(tool, ret);
	if (ucore_device_info(dev)->caps & UCORE_CAP_DISCOVERY)
		ret = ucore_discovery_get(dev, &discovery, &tool->err);
	else
		ret = 0;
	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	list.discovery = discovery;
	columns_make(&list, args->all);
	ret = boxes_print(tool, &list, args->pattern,
			  args->output.out.format == OUT_TABLE && !args->all && !args->pattern);
	ucore_discovery_free(discovery);
	/* the driver's reason for missing boxes, for example that another driver uses them */
	if (*ucore_device_info(dev)->reason)
		tool_error(tool, "%s", ucore_device_info(dev)->reason);
	return ret;
}
