// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool list: boxes, event names, metrics, event fields.  Changes nothing.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/domain.h"
#include "links.h"
#include "output/table.h"
#include "output/address.h"
#include "discovery_dump.h"
#include "tool.h"

struct list_args {
	enum { LIST_BOXES, LIST_EVENTS, LIST_FIELDS, LIST_METRICS } what;
	const char *pattern;
	const struct ucore_platform *platform;
	const char *root;
	bool all;
	bool rejected;
	bool topology;
	struct out out;
};

static const struct option_desc list_options[] = {
	{ 'v', "all", NULL, "a line for each box; what each event or metric says" },
	{ OPT_REJECTED, "rejected", NULL, "units of discovery tables that are no boxes, and why" },
	{ OPT_TOPOLOGY, "topology", NULL, "where IIO stacks and UPI links lead" },
	{ OPT_ROOT, "root", "DIR", "look for PCI devices and their names below DIR" },
	{ 'x', "field-separator", "SEP", "CSV with this separator" },
	{ 'j', "json", NULL, "JSON lines" },
	{ OPT_PLATFORM, "platform", "NAME", "events or metrics of another platform (spr, gnr)" },
	{ 0 },
};

static int platform_option(struct tool *tool, struct list_args *args, const char *value)
{
	const struct ucore_platform *platform;
	char names[96] = "";
	size_t at = 0;

	args->platform = ucore_platform_find(value);
	if (args->platform)
		return 0;
	for (size_t i = 0; at < sizeof(names) && (platform = ucore_platform_at(i)); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, " %s",
				       ucore_platform_name(platform));
	return tool_usage(tool, "no event names for platform '%s': there are%s", value, names);
}

static int list_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct list_args *args = data;

	switch (letter) {
	case 'v':
		args->all = true;
		return 0;
	case OPT_REJECTED:
		args->rejected = true;
		return 0;
	case OPT_TOPOLOGY:
		args->topology = true;
		return 0;
	case OPT_ROOT:
		args->root = value;
		return 0;
	case 'x':
		args->out.format = OUT_CSV;
		return parse_separator(tool, value, &args->out.separator);
	case 'j':
		args->out.format = OUT_JSON;
		return 0;
	default:
		return platform_option(tool, args, value);
	}
}

static int list_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct list_args *args = data;
	const char *what = argc ? argv[0] : "boxes";

	args->out.stream = stdout;
	if (!strcmp(what, "boxes"))
		args->what = LIST_BOXES;
	else if (!strcmp(what, "events"))
		args->what = LIST_EVENTS;
	else if (!strcmp(what, "fields"))
		args->what = LIST_FIELDS;
	else if (!strcmp(what, "metrics"))
		args->what = LIST_METRICS;
	else
		return tool_usage(tool, "cannot list '%s': boxes, events, metrics or fields",
				  what);
	if (argc > 2)
		return tool_usage(tool, "'%s' is one word too many", argv[2]);
	if (args->what != LIST_BOXES && (args->rejected || args->topology))
		return tool_usage(tool, "--%s goes with boxes, not with %s",
				  args->rejected ? "rejected" : "topology", what);
	if (args->rejected && args->topology)
		return tool_usage(tool, "--rejected and --topology are two lists");
	if (args->root && !args->topology)
		return tool_usage(tool, "--root goes with --topology");
	if (args->what == LIST_FIELDS && args->all)
		return tool_usage(tool, "--all goes with boxes, events and metrics, not with %s",
				  what);
	if (args->platform && args->what != LIST_EVENTS && args->what != LIST_METRICS)
		return tool_usage(tool, "--platform goes with events and metrics, not with %s",
				  what);
	if (argc == 2)
		args->pattern = argv[1];
	return 0;
}

/* ---- boxes ------------------------------------------------------------- */

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

/* What list_boxes() goes through */
struct box_list {
	const struct ucore_box_info *boxes;
	size_t nr;
	const struct ucore_discovery *discovery;	/* NULL: none */
	struct column columns[NR_BOX_COLUMNS];
	struct out out;
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
	/* columns that would be empty or too wide are a waste of the line */
	list->columns[BOX_CPU].hidden = true;
	list->columns[BOX_OWNER].hidden = true;
	list->columns[BOX_ADDRESS].hidden = true;
	for (size_t i = 0; i < list->nr; i++) {
		char caps[64];

		caps_text(list->boxes[i].caps, caps, sizeof(caps));
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

/* One box, or several that differ in number and place only */
static void box_row(struct box_list *list, const struct ucore_box_info *box,
		    const struct ucore_box_info *last)
{
	char caps[64], instance[32], owner[48] = "", address[128], ctl[12] = "", ctr[12] = "";
	char cpus[32];
	const struct ucore_unit_info *unit = NULL;
	struct ucore_unit_fields fields;

	caps_text(box->caps, caps, sizeof(caps));
	snprintf(instance, sizeof(instance), "%u-%u", box->instance, last->instance);
	snprintf(cpus, sizeof(cpus), "%d-%d", box->cpu, last->cpu);
	/* a process of another pid namespace has no number here */
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
	out_row(&list->out, list->columns, NR_BOX_COLUMNS, cells);
}

static bool boxes_alike(const struct ucore_box_info *a, const struct ucore_box_info *b)
{
	return !strcmp(a->type, b->type) && a->access == b->access &&
	       a->nr_counters == b->nr_counters && a->nr_fixed == b->nr_fixed &&
	       a->width == b->width && a->fixed_width == b->fixed_width &&
	       a->caps == b->caps && a->owner == b->owner;
}

/* The next box of the domain, or the same one of the next CPU */
static bool boxes_follow(const struct ucore_box_info *a, const struct ucore_box_info *b)
{
	if (a->domain == b->domain)
		return b->instance == a->instance + 1;
	return a->cpu >= 0 && b->cpu == a->cpu + 1 && b->instance == a->instance;
}

/* The last of the boxes that share a line with box @i: all differ in the same */
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

/* By type, or one box by type and number */
static bool box_wanted(const struct ucore_box_info *box, const char *pattern)
{
	char name[UCORE_NAME_LEN + 12];

	snprintf(name, sizeof(name), "%s%u", box->type, box->instance);
	return pattern_matches(pattern, box->type) || !fnmatch(pattern, name, FNM_CASEFOLD);
}

static void boxes_print(struct box_list *list, const char *pattern, bool runs)
{
	out_head(&list->out, list->columns, NR_BOX_COLUMNS);
	for (size_t i = 0; i < list->nr; i++) {
		size_t last = runs ? run_end(list, i) : i;

		if (!box_wanted(&list->boxes[i], pattern))
			continue;
		box_row(list, &list->boxes[i], &list->boxes[last]);
		i = last;
	}
}

static int list_boxes(struct tool *tool, struct ucore_device *dev, const struct list_args *args)
{
	struct box_list list = { .out = args->out };
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
	boxes_print(&list, args->pattern,
		    args->out.format == OUT_TABLE && !args->all && !args->pattern);
	ucore_discovery_free(discovery);
	/* boxes that another driver holds, or that are missing among them */
	if (*ucore_device_info(dev)->reason)
		tool_error(tool, "%s", ucore_device_info(dev)->reason);
	return 0;
}

/* ---- events ------------------------------------------------------------ */

static void counters_text(uint64_t counters, char *text, size_t size)
{
	size_t at = 0;

	*text = 0;
	for (unsigned int i = 0; i < 64 && at < size; i++)
		if (counters & 1ULL << i)
			at += (size_t)snprintf(text + at, size - at, "%s%s%u", at ? " " : "",
					       i >= UCORE_COUNTER_FIXED ? "fixed" : "",
					       i % UCORE_COUNTER_FIXED);
}

/* What an event sets beside code and umask, in the words of a raw event */
static void masks_text(const struct ucore_event_desc *desc, char *text, size_t size)
{
	size_t at = 0;

	*text = 0;
	if (desc->umask_ext)
		at += (size_t)snprintf(text, size, "umask_ext=0x%x,", desc->umask_ext);
	if (desc->ch_mask)
		at += (size_t)snprintf(text + at, size - at, "ch_mask=0x%x,", desc->ch_mask);
	if (desc->fc_mask)
		at += (size_t)snprintf(text + at, size - at, "fc_mask=%u,", desc->fc_mask);
	if (at)
		text[at - 1] = 0;
}

enum {
	EVENT_TYPE,
	EVENT_SHORT,
	EVENT_NAME,
	EVENT_CODE,
	EVENT_UMASK,
	EVENT_COUNTERS,
	EVENT_FILTER,
	EVENT_MASKS,
	NR_EVENT_COLUMNS,
	/* only where explanations are asked for */
	EVENT_EXPLAINED = NR_EVENT_COLUMNS,
	EVENT_TEXT,
	NR_EXPLAINED_COLUMNS,
};

static void event_row(struct out *out, const struct column *columns, size_t nr,
		      const struct ucore_event_desc *desc)
{
	char counters[64], event[8], umask[8], masks[64], both[128], text[UCORE_EVENT_TEXT_LEN];
	bool whole = ucore_event_desc_text(desc, text, sizeof(text));
	const char *filter = desc->filter ? desc->filter->spelling : "";

	counters_text(desc->counters | desc->counters_alt, counters, sizeof(counters));
	snprintf(event, sizeof(event), "0x%02x", desc->event);
	/* Intel writes the PCU's occupancy select as a umask */
	snprintf(umask, sizeof(umask), "0x%02x", desc->umask | desc->occ_sel << 6);
	masks_text(desc, masks, sizeof(masks));
	/* few events have either, hardly one has both: a table has one column for them */
	if (out->format == OUT_TABLE) {
		snprintf(both, sizeof(both), "%s%s%s", filter, *filter && *masks ? " " : "", masks);
		filter = both;
	}

	const struct cell cells[NR_EXPLAINED_COLUMNS] = {
		[EVENT_TYPE] = cell_text(desc->unit->type),
		[EVENT_SHORT] = cell_text(ucore_event_desc_short(desc)),
		[EVENT_NAME] = cell_text(desc->name),
		[EVENT_CODE] = ucore_event_desc_fixed(desc) ? cell_none() : cell_text(event),
		[EVENT_UMASK] = ucore_event_desc_fixed(desc) ? cell_none() : cell_text(umask),
		[EVENT_COUNTERS] = cell_text(counters),
		[EVENT_FILTER] = *filter ? cell_text(filter) : cell_none(),
		[EVENT_MASKS] = *masks ? cell_text(masks) : cell_none(),
		[EVENT_EXPLAINED] = cell_flag(whole),
		[EVENT_TEXT] = cell_text(text),
	};
	out_row(out, columns, nr, cells);
}

/* By name, full or not, by box type, or as -e takes it: "imc/CAS_COUNT.RD/", or without the end */
static bool event_wanted(const char *pattern, const struct ucore_event_desc *desc)
{
	char spec[UCORE_SPEC_LEN], begun[UCORE_SPEC_LEN];
	const char *name = ucore_event_desc_short(desc);

	snprintf(begun, sizeof(begun), "%s/%s", desc->unit->type, name);
	snprintf(spec, sizeof(spec), "%s/%s/", desc->unit->type, name);
	return pattern_matches(pattern, desc->name) || pattern_matches(pattern, begun) ||
	       pattern_matches(pattern, spec) ||
	       pattern_matches(pattern, name) || pattern_matches(pattern, desc->unit->type);
}

static size_t event_rows(struct out *out, const struct column *columns, size_t nr,
			 const char *pattern, const struct ucore_platform *platform)
{
	struct ucore_event_desc desc;
	size_t found = 0;

	for (size_t i = 0; i < ucore_platform_nr_events(platform); i++) {
		ucore_platform_event_at(platform, i, &desc);
		if (!event_wanted(pattern, &desc))
			continue;
		event_row(out, columns, nr, &desc);
		found++;
	}
	return found;
}

/* Nothing was found: that is no success */
static int nothing_found(struct tool *tool, const char *what, const char *pattern, size_t found)
{
	if (found || !pattern)
		return 0;
	if (*pattern == '@')
		return tool_error(tool, "no category of %ss is like '%s' here; 'ucoretool list %ss' has those that there are",
				  what, pattern + 1, what);
	return tool_error(tool, "no %s is like '%s' here", what, pattern);
}

/* Those of a platform, and those that the cores have on any */
static int list_events(struct tool *tool, const struct list_args *args,
		       const struct ucore_platform *platform, const struct ucore_platform *core)
{
	const bool all = args->all;
	const struct column columns[NR_EXPLAINED_COLUMNS] = {
		[EVENT_TYPE] = { "type", "TYPE", -8 },
		[EVENT_SHORT] = { "event", "EVENT", -40 },
		[EVENT_NAME] = { "name", "", 1, true },
		[EVENT_CODE] = { "code", "CODE", -5, all },
		[EVENT_UMASK] = { "umask", "UMASK", -5, all },
		[EVENT_COUNTERS] = { "counters", "COUNTERS", -8, all },
		[EVENT_FILTER] = { "filter", "FILTER, MASKS", -8, all },
		[EVENT_MASKS] = { "masks", "", 1, true },
		[EVENT_EXPLAINED] = { "explained", "", 1, true },
		[EVENT_TEXT] = { "text", "WHAT IT COUNTS", -8 },
	};
	size_t nr = all ? NR_EXPLAINED_COLUMNS : NR_EVENT_COLUMNS, found;
	struct out out = args->out;

	out_head(&out, columns, nr);
	found = event_rows(&out, columns, nr, args->pattern, platform);
	found += event_rows(&out, columns, nr, args->pattern, core);
	return nothing_found(tool, "event", args->pattern, found);
}

/* ---- metrics ----------------------------------------------------------- */

enum {
	METRIC_NAME,
	METRIC_UNIT,
	METRIC_CATEGORY,
	METRIC_LEVELS,
	METRIC_FORMULA,
	METRIC_WHERE,
	METRIC_TEXT,
	NR_METRIC_COLUMNS,
};

static const char *levels_text(uint32_t levels)
{
	if (levels & UCORE_LEVEL_BOX)
		return "system socket box";
	return levels & UCORE_LEVEL_SOCKET ? "system socket" : "system";
}

static void metric_row(struct out *out, const struct column *columns,
		       const struct ucore_metric_desc *desc)
{
	const struct cell cells[NR_METRIC_COLUMNS] = {
		[METRIC_NAME] = cell_text(desc->name),
		[METRIC_UNIT] = *desc->unit ? cell_text(desc->unit) : cell_none(),
		[METRIC_CATEGORY] = cell_text(desc->category),
		[METRIC_LEVELS] = cell_text(levels_text(desc->levels)),
		[METRIC_FORMULA] = cell_text(desc->formula),
		[METRIC_WHERE] = cell_text(desc->where),
		[METRIC_TEXT] = cell_text(desc->text),
	};
	out_row(out, columns, NR_METRIC_COLUMNS, cells);
}

/* By name, or by a category as stat -M takes it: "@io" */
static bool metric_wanted(const char *pattern, const struct ucore_metric_desc *desc)
{
	if (pattern && *pattern == '@')
		return strcasestr(desc->category, pattern + 1);
	return pattern_matches(pattern, desc->name);
}

static int list_metrics(struct tool *tool, const struct list_args *args, const char *platform)
{
	const bool all = args->all;
	const struct column columns[NR_METRIC_COLUMNS] = {
		[METRIC_NAME] = { "metric", "METRIC", -44 },
		[METRIC_UNIT] = { "unit", "UNIT", -6 },
		[METRIC_CATEGORY] = { "category", "CATEGORY", -22, all },
		[METRIC_LEVELS] = { "levels", "LEVELS", -8, all },
		[METRIC_FORMULA] = { "formula", "FORMULA", -8, true },
		[METRIC_WHERE] = { "where", "WHERE", -8, true },
		[METRIC_TEXT] = { "text", "WHAT IT SAYS", -8, !all },
	};
	struct ucore_metric_desc desc;
	struct out out = args->out;
	size_t found = 0;

	if (!ucore_metric_at(platform, 0, &desc))
		return tool_error(tool, "no metrics for platform '%s': --platform NAME lists another's",
				  platform);
	out_head(&out, columns, NR_METRIC_COLUMNS);
	for (size_t i = 0; ucore_metric_at(platform, i, &desc); i++) {
		if (*desc.omitted || !metric_wanted(args->pattern, &desc))
			continue;
		metric_row(&out, columns, &desc);
		found++;
	}
	return nothing_found(tool, "metric", args->pattern, found);
}

/* ---- fields ------------------------------------------------------------ */

static const struct column field_columns[] = {
	{ "type", "TYPE", -8 },
	{ "field", "FIELD", -14 },
	{ "max", "MAX", -18 },
	{ "mask", "BITS", -18 },
	{ "shared", "SHARED", -6 },
};

static void field_row(struct out *out, const char *type, const struct ucore_field_info *field)
{
	char max[24], mask[24];

	snprintf(max, sizeof(max), "0x%llx", (unsigned long long)field->max);
	snprintf(mask, sizeof(mask), "0x%llx", (unsigned long long)field->mask);

	const struct cell cells[] = {
		cell_text(type),
		cell_text(field->name),
		cell_text(max),
		cell_text(mask),
		cell_text(field->flags & UCORE_FIELD_F_SHARED ? "yes" : "no"),
	};
	out_row(out, field_columns, ARRAY_SIZE(cells), cells);
}

static bool first_of_type(const struct ucore_box_info *boxes, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(boxes[j].type, boxes[i].type))
			return false;
	return true;
}

static int list_fields(struct tool *tool, struct ucore_device *dev, const struct list_args *args)
{
	struct out out = args->out;
	const struct ucore_box_info *boxes;
	size_t nr;
	int ret = ucore_device_ready(dev, &tool->err);

	boxes = ucore_device_boxes(dev, &nr);
	if (!nr && ret)
		return tool_fail(tool, ret);
	out_head(&out, field_columns, ARRAY_SIZE(field_columns));
	for (size_t i = 0; i < nr; i++) {
		const struct ucore_field_info *fields;
		size_t nr_fields;

		if (!first_of_type(boxes, i) || !pattern_matches(args->pattern, boxes[i].type))
			continue;
		ret = ucore_device_fields(dev, boxes[i].box, &fields, &nr_fields, &tool->err);
		if (ret)
			return tool_fail(tool, ret);
		for (size_t f = 0; f < nr_fields; f++)
			field_row(&out, boxes[i].type, &fields[f]);
	}
	return 0;
}

/* ---- all of them ------------------------------------------------------- */

static int list_device(struct tool *tool, struct ucore_device *dev, const struct list_args *args)
{
	const struct ucore_platform *platform, *core;

	if (args->rejected)
		return discovery_rejected(tool, dev, &args->out, args->pattern);
	if (args->topology)
		return ends_list(tool, dev, &args->out, args->pattern, args->root);
	if (args->what == LIST_BOXES)
		return list_boxes(tool, dev, args);
	if (args->what == LIST_FIELDS)
		return list_fields(tool, dev, args);
	if (args->what == LIST_METRICS)
		return list_metrics(tool, args, ucore_device_info(dev)->platform);
	platform = ucore_platform_find(ucore_device_info(dev)->platform);
	core = ucore_device_info(dev)->caps & UCORE_CAP_CORE ? ucore_platform_find("core") : NULL;
	if (!platform && !core)
		return tool_error(tool, "no event names for this machine: --platform NAME lists another's");
	return list_events(tool, args, platform, core);
}

static int list_run(struct tool *tool, const void *data)
{
	const struct list_args *args = data;
	struct ucore_device *dev;
	int ret;

	if (args->what == LIST_EVENTS && args->platform)
		return list_events(tool, args, args->platform, NULL);
	if (args->what == LIST_METRICS && args->platform)
		return list_metrics(tool, args, ucore_platform_name(args->platform));
	ret = ucore_device_open(tool->device, tool->sys, &dev, &tool->err);
	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	ret = list_device(tool, dev, args);
	ucore_device_close(dev);
	return ret;
}

const struct command command_list = {
	.name = "list",
	.operands = "[boxes|events|metrics|fields] [PATTERN]",
	.summary = "boxes of this machine, event names, metrics, event fields",
	.options = list_options,
	.args_size = sizeof(struct list_args),
	.option = list_option,
	.finish = list_finish,
	.run = list_run,
};
