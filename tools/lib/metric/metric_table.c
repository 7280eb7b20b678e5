// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Named metrics of the platforms: lookup in tables that are generated from tools/metrics/.
 */
#include <string.h>
#include <strings.h>

#include "internal.h"

static const struct ucore_metric_platform *platform_find(const char *name)
{
	for (size_t i = 0; i < ucore_nr_metric_platforms; i++)
		if (!strcasecmp(ucore_metric_platforms[i].name, name))
			return &ucore_metric_platforms[i];
	return NULL;
}

static void row_expand(const struct ucore_metric_row *row, struct ucore_metric_desc *desc)
{
	*desc = (struct ucore_metric_desc) {
		.name = ucore_metric_strings + row->name,
		.unit = ucore_metric_strings + row->unit,
		.category = ucore_metric_strings + row->category,
		.text = ucore_metric_strings + row->text,
		.formula = ucore_metric_strings + row->formula,
		.where = ucore_metric_strings + row->where,
		.omitted = ucore_metric_strings + row->omitted,
		.levels = row->levels,
	};
}

bool ucore_metric_at(const char *platform, size_t i, struct ucore_metric_desc *desc)
{
	const struct ucore_metric_platform *found = platform_find(platform);

	if (!found || i >= found->nr)
		return false;
	row_expand(&found->rows[i], desc);
	return true;
}

bool ucore_metric_find(const char *platform, const char *name, struct ucore_metric_desc *desc)
{
	const struct ucore_metric_platform *found = platform_find(platform);

	for (size_t i = 0; found && i < found->nr; i++) {
		if (strcasecmp(ucore_metric_strings + found->rows[i].name, name))
			continue;
		row_expand(&found->rows[i], desc);
		return true;
	}
	return false;
}
