// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The lists of events, metrics and event fields of `ucoretool list`.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "list/list.h"
#include "output/table.h"

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

/* Write the fields of an event other than event and umask, as terms of a raw event */
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
	if (desc->thresh)
		at += (size_t)snprintf(text + at, size - at, "thresh=%u,", desc->thresh);
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
	/* columns with --all only */
	EVENT_EXPLAINED = NR_EVENT_COLUMNS,
	EVENT_TEXT,
	NR_EXPLAINED_COLUMNS,
};

static void event_row(struct list_rows *rows, const struct ucore_event_desc *desc)
{
	char counters[64], event[8], umask[8], masks[64], both[128], text[UCORE_EVENT_TEXT_LEN];
	bool explained = ucore_event_desc_text(desc, text, sizeof(text));
	const char *filter = desc->filter ? desc->filter->spelling : "";

	counters_text(desc->counters | desc->counters_alt, counters, sizeof(counters));
	snprintf(event, sizeof(event), "0x%02x", desc->event);
	/* print the occupancy select of the PCU as umask bits 7:6, like Intel's event files */
	snprintf(umask, sizeof(umask), "0x%02x", desc->umask | desc->occ_sel << 6);
	masks_text(desc, masks, sizeof(masks));
	/* in a table the fields of masks_text() share the filter's column: few events have them */
	if (rows->out.format == OUT_TABLE) {
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
		[EVENT_EXPLAINED] = cell_flag(explained),
		[EVENT_TEXT] = cell_text(text),
	};
	list_row(rows, cells);
}

/*
 * Return true if a pattern matches an event: its full name, short name, box type, or its form in
 * the option -e ("imc/CAS_COUNT.RD/", also without the last slash).  A pattern that is a box type
 * (@is_type) matches no part of other names.
 */
static bool event_wanted(const char *pattern, bool is_type, const struct ucore_event_desc *desc)
{
	char spec[UCORE_SPEC_LEN], begun[UCORE_SPEC_LEN];
	const char *name = ucore_event_desc_short(desc);

	if (is_type)
		return !strcasecmp(pattern, desc->unit->type);
	snprintf(begun, sizeof(begun), "%s/%s", desc->unit->type, name);
	snprintf(spec, sizeof(spec), "%s/%s/", desc->unit->type, name);
	return pattern_matches(pattern, desc->name) || pattern_matches(pattern, begun) ||
	       pattern_matches(pattern, spec) ||
	       pattern_matches(pattern, name) || pattern_matches(pattern, desc->unit->type);
}

static void event_rows(struct list_rows *rows, const char *pattern, bool is_type,
		       const struct ucore_platform *platform)
{
	struct ucore_event_desc desc;

	for (size_t i = 0; i < ucore_platform_nr_events(platform); i++) {
		ucore_platform_event_at(platform, i, &desc);
		if (event_wanted(pattern, is_type, &desc))
			event_row(rows, &desc);
	}
}

/* Collect the box types of a platform's events in @names */
static size_t types_collect(const struct ucore_platform *platform, const char **names, size_t nr)
{
	struct ucore_event_desc desc;

	for (size_t i = 0; i < ucore_platform_nr_events(platform); i++) {
		ucore_platform_event_at(platform, i, &desc);
		if (nr < LIST_NAMES && (!nr || strcmp(names[nr - 1], desc.unit->type)))
			names[nr++] = desc.unit->type;
	}
	return nr;
}

static bool is_name(const char *pattern, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcasecmp(pattern, names[i]))
			return true;
	return false;
}

int list_events(struct tool *tool, const struct list_args *args,
		const struct ucore_platform *const *platforms, size_t nr_platforms)
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
		[EVENT_TEXT] = { "text", "DESCRIPTION", -8 },
	};
	struct list_rows rows = {
		.out = args->output.out,
		.columns = columns,
		.nr_columns = all ? NR_EXPLAINED_COLUMNS : NR_EVENT_COLUMNS,
	};
	const char *names[LIST_NAMES];
	size_t nr = 0;
	bool is_type;

	for (size_t i = 0; i < nr_platforms; i++)
		nr = types_collect(platforms[i], names, nr);
	is_type = args->pattern && is_name(args->pattern, names, nr);
	for (size_t i = 0; i < nr_platforms; i++)
		event_rows(&rows, args->pattern, is_type, platforms[i]);
	return list_end(tool, &rows, "event", args->pattern, names, nr);
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

static void metric_row(struct list_rows *rows, const struct ucore_metric_desc *desc)
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
	list_row(rows, cells);
}

/* Return true if a pattern matches a metric: its name, or its category ("@io" as in stat -M) */
static bool metric_wanted(const char *pattern, const struct ucore_metric_desc *desc)
{
	if (pattern && *pattern == '@')
		return strcasestr(desc->category, pattern + 1);
	return pattern_matches(pattern, desc->name);
}

int list_metrics(struct tool *tool, const struct list_args *args, const char *platform)
{
	const bool all = args->all;
	const struct column columns[NR_METRIC_COLUMNS] = {
		[METRIC_NAME] = { "metric", "METRIC", -44 },
		[METRIC_UNIT] = { "unit", "UNIT", -6 },
		[METRIC_CATEGORY] = { "category", "CATEGORY", -22, all },
		[METRIC_LEVELS] = { "levels", "LEVELS", -8, all },
		[METRIC_FORMULA] = { "formula", "FORMULA", -8, true },
		[METRIC_WHERE] = { "where", "WHERE", -8, true },
		[METRIC_TEXT] = { "text", "DESCRIPTION", -8, !all },
	};
	struct list_rows rows = {
		.out = args->output.out, .columns = columns, .nr_columns = NR_METRIC_COLUMNS,
	};
	struct ucore_metric_desc desc;
	const char *names[LIST_NAMES];
	size_t nr = 0;

	if (!ucore_metric_at(platform, 0, &desc))
		return tool_error(tool, "platform '%s': no metrics. List another platform with --platform NAME",
				  platform);
	for (size_t i = 0; ucore_metric_at(platform, i, &desc); i++) {
		if (*desc.omitted)
			continue;
		if (nr < LIST_NAMES)
			names[nr++] = desc.name;
		if (metric_wanted(args->pattern, &desc))
			metric_row(&rows, &desc);
	}
	return list_end(tool, &rows, "metric", args->pattern, names, nr);
}

/* ---- fields ------------------------------------------------------------ */

static const struct column field_columns[] = {
	{ "type", "TYPE", -8 },
	{ "field", "FIELD", -14 },
	{ "max", "MAX", -18 },
	{ "mask", "BITS", -18 },
	{ "shared", "SHARED", -6 },
};

static void field_row(struct list_rows *rows, const char *type,
		      const struct ucore_field_info *field)
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
	list_row(rows, cells);
}

int list_fields(struct tool *tool, struct ucore_device *dev, const struct list_args *args)
{
	struct list_rows rows = {
		.out = args->output.out, .columns = field_columns,
		.nr_columns = ARRAY_SIZE(field_columns),
	};
	const char *types[LIST_NAMES];
	const struct ucore_box_info *boxes;
	bool is_type;
	size_t nr, nr_types;
	int ret = ucore_device_ready(dev, &tool->err);

	boxes = ucore_device_boxes(dev, &nr);
	if (!nr && ret)
		return tool_fail(tool, ret);
	nr_types = list_types(boxes, nr, types);
	is_type = args->pattern && is_name(args->pattern, types, nr_types);
	for (size_t t = 0; t < nr_types; t++) {
		const struct ucore_field_info *fields;
		size_t nr_fields, box = 0;

		if (is_type ? strcasecmp(args->pattern, types[t]) :
			      !pattern_matches(args->pattern, types[t]))
			continue;
		while (strcmp(boxes[box].type, types[t]))
			box++;
		ret = ucore_device_fields(dev, boxes[box].box, &fields, &nr_fields, &tool->err);
		if (ret)
			return tool_fail(tool, ret);
		for (size_t f = 0; f < nr_fields; f++)
			field_row(&rows, types[t], &fields[f]);
	}
	return list_end(tool, &rows, "box type", args->pattern, types, nr_types);
}
